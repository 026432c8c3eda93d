//! `GET /api/v1/openapi.json`: what the API is asked and what it answers, as OpenAPI 3.1.
//!
//! The plan's and the problem's schemas are derived from the types that are written; a test holds
//! the others to real answers.

use crate::problem::ProblemDocument;
use axum::response::Response;
use kasuan_formats::plan_json;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// A name in the query, whether it must be there, whether it may stand several times, what it says.
type Name = (&'static str, bool, bool, &'static str);

const OFFERS: &[Name] = &[
    ("card", false, true, "A card, as people call it: `RTX 4090`, `A100 80G`."),
    ("provider", false, true, "A provider's id."),
    ("region", false, true, "A provider's region."),
    ("country", false, true, "A country, as two letters."),
    ("mode", false, true, "How it is paid: on_demand, spot, daily, weekly, monthly, yearly."),
    ("currency", false, false, "Only prices in this currency."),
    ("count", false, false, "Cards of an instance."),
    ("min_count", false, false, "Fewest cards of an instance."),
    ("memory", false, false, "Least memory of a card: `24GiB`."),
    ("max_price", false, false, "Most that a card may cost for an hour."),
    ("oldest", false, false, "Oldest band of age: fresh, ageing, stale."),
    ("sort", false, false, "card, instance, gib, tflop, bandwidth."),
    ("by_card", false, false, "`1` shows the market card by card."),
    ("limit", false, false, "Most rows."),
];
const BILL: &[Name] = &[
    ("offer", true, false, "The offer's id."),
    ("from", true, false, "When it starts: `2026-12-01T09:00`."),
    ("to", true, false, "When it is given back."),
    ("storage", false, false, "Data kept meanwhile: `200GB`."),
    ("egress", false, false, "Traffic out: `50GB`."),
];
const DOCTOR: &[Name] = &[
    ("card", false, false, "The card; needed unless `capability` or `offer` is given."),
    ("capability", false, false, "Its compute capability: `8.9`."),
    ("driver", false, false, "The driver: `550.54`."),
    ("driver_cuda", false, false, "The CUDA that the driver reports."),
    ("image_cuda", false, false, "The CUDA of the container image."),
    ("torch", false, false, "PyTorch: `2.5.1`."),
    ("cuda", false, false, "The CUDA that PyTorch was built with."),
    ("python", false, false, "Python."),
    ("needs", false, true, "What it must be able to do: `vllm==0.10.0`."),
    ("windows", false, false, "`1` for Windows or WSL."),
    ("offer", false, false, "An offer's id, for its card and its price."),
];

/// Answers with the document.
pub(crate) async fn answer() -> Response {
    super::json(&document())
}

/// Writes the document.
pub(crate) fn document() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let plan = generator.subschema_for::<plan_json::v1::Plan>();
    let problem = generator.subschema_for::<ProblemDocument>();
    let mut schemas: Map<String, Value> = generator.take_definitions(true);
    for (name, schema) in [("Offers", offers()), ("Bill", bill()), ("Check", check())] {
        schemas.insert(name.to_owned(), schema);
    }
    let problem = json!({
        "description": "Why there is no answer, in the language that was asked for.",
        "content": {"application/problem+json": {"schema": problem}},
    });
    let mut plan_names = parameters(&[("seed", false, false, "The seed of the simulated months.")]);
    plan_names.push(language());
    let file = json!({"schema": {"type": "string"}});
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "kasuan",
            "version": env!("CARGO_PKG_VERSION"),
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/api/v1"}],
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        // Without a token on the server there is nothing to send.
        "security": [{}, {"token": []}],
        "paths": {
            "/plan": {"post": {
                "operationId": "plan",
                "summary": "Plans a month: a workload file goes in, the plan comes out.",
                "parameters": plan_names,
                "requestBody": {"required": true, "content": {
                    "application/yaml": file,
                    "application/toml": file,
                    "application/json": {"schema": {"type": "object"}},
                }},
                "responses": responses(plan.as_value(), &problem),
            }},
            "/offers": get("offers", "Who rents which card for how much.", OFFERS, "Offers", &problem),
            "/bill": get("bill", "What a use of an offer is billed, line by line.", BILL, "Bill", &problem),
            "/doctor": get("doctor", "Will an environment run on a card?", DOCTOR, "Check", &problem),
        },
    })
}

fn get(id: &str, summary: &str, names: &[Name], schema: &str, problem: &Value) -> Value {
    let mut parameters = parameters(names);
    parameters.push(language());
    let schema = json!({"$ref": format!("#/components/schemas/{schema}")});
    json!({"get": {
        "operationId": id,
        "summary": summary,
        "parameters": parameters,
        "responses": responses(&schema, problem),
    }})
}

fn language() -> Value {
    json!({
        "name": "lang", "in": "query", "schema": {"type": "string", "enum": ["zh", "en"]},
        "description": "The language of messages; else `Accept-Language` decides.",
    })
}

fn parameters(names: &[Name]) -> Vec<Value> {
    let one = |(name, required, several, says): &Name| {
        let text = json!({"type": "string"});
        let schema = if *several { json!({"type": "array", "items": text}) } else { text };
        json!({
            "name": name, "in": "query", "required": required, "schema": schema,
            "description": says,
        })
    };
    names.iter().map(one).collect()
}

fn responses(schema: &Value, problem: &Value) -> Value {
    let mut responses = json!({"200": {
        "description": "The answer.",
        "content": {"application/json": {"schema": schema}},
    }});
    for status in ["400", "401", "403", "408", "413", "415", "421", "422", "429", "503"] {
        responses[status] = problem.clone();
    }
    responses
}

fn text() -> Value {
    json!({"type": "string"})
}

/// A text, or unknown.
fn known() -> Value {
    json!({"type": ["string", "null"]})
}

fn list(items: &Value) -> Value {
    json!({"type": "array", "items": items})
}

/// An object with exactly these fields.
fn object(fields: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let fields: Map<String, Value> =
        fields.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({
        "type": "object", "properties": fields, "required": names, "additionalProperties": false,
    })
}

/// Rows as the command line's tables have them: every value a text, `null` where it is unknown.
fn offers() -> Value {
    let row = json!({"type": "object", "additionalProperties": known()});
    let count = json!({"type": "integer"});
    let rate = object(&[("from", text()), ("to", text()), ("rate", text()), ("date", known())]);
    object(&[
        ("offers", list(&row)),
        ("left_out", object(&[("other_currency", count.clone()), ("not_stated", count)])),
        ("rates", list(&rate)),
    ])
}

fn range() -> Value {
    object(&[("low", text()), ("likely", text()), ("high", text())])
}

fn bill() -> Value {
    let line = object(&[
        ("kind", text()),
        ("from", known()),
        ("to", known()),
        ("quantity", text()),
        ("unit", text()),
        ("unit_price", text()),
        ("currency", text()),
        ("amount", range()),
        ("how", list(&text())),
    ]);
    object(&[
        ("offer", text()),
        ("currency", text()),
        ("lines", list(&line)),
        ("total", range()),
        ("used_hours", text()),
        ("effective_hourly", known()),
        ("listed_hourly", text()),
        ("warnings", list(&text())),
        ("unknown", list(&text())),
        ("sources", object(&[("price", text()), ("terms", text())])),
    ])
}

fn check() -> Value {
    let check = object(&[
        ("rule", text()),
        ("outcome", json!({"type": "string", "enum": ["pass", "assumed", "fail", "unknown"]})),
        ("evidence", text()),
        ("fix", known()),
        ("source", text()),
    ]);
    let mut card = object(&[("name", text()), ("compute_capability", text()), ("source", text())]);
    card["type"] = json!(["object", "null"]);
    let mut answer = object(&[
        ("verdict", json!({"type": "string", "enum": ["ok", "fail", "unknown"]})),
        ("card", card),
        ("checks", list(&check)),
        ("remedy", known()),
    ]);
    answer["properties"]["price_per_hour"] = object(&[("amount", text()), ("currency", text())]);
    answer
}
