//! `GET /api/v1/openapi.json`: what the API is asked and what it answers, as OpenAPI 3.1.
//!
//! The plan's and the problem's schemas are derived from the types that are written; a test holds
//! the others to real answers.

mod names;
mod schemas;

use crate::{live::Live, problem::ProblemDocument};
use axum::response::Response;
use kasuan_formats::plan_json;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

pub(crate) use names::{BILL, DOCTOR, FIT, Name, OFFERS, REVIEW};

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
    let live = generator.subschema_for::<Live>();
    let mut schemas: Map<String, Value> = generator.take_definitions(true);
    for (name, schema) in [
        ("Offers", schemas::offers()),
        ("Bill", schemas::bill()),
        ("Check", schemas::check()),
        ("Fit", schemas::fit()),
        ("Review", schemas::review()),
    ] {
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
            "/fit": get("fit", "Does a model fit a card, how fast, at what price?", FIT, "Fit", &problem),
            "/review": get("review", "What was paid and used in a month, and what was wasted.", REVIEW, "Review", &problem),
            "/live": {"get": {
                "operationId": "live",
                "summary": "What agents see, as it changes: server-sent events named `cards`, each a Live document.",
                "parameters": [language()],
                "responses": events(&live.to_value(), &problem),
            }},
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
        "name": "lang", "in": "query", "schema": {"type": "string"},
        "description": "The language of messages, `zh` or `en`; else `Accept-Language` decides.",
    })
}

fn parameters(names: &[Name]) -> Vec<Value> {
    let one = |(name, required, several, says): &Name| {
        let one = names::value(name);
        let schema = if *several { json!({"type": "array", "items": one}) } else { one };
        json!({
            "name": name, "in": "query", "required": required, "schema": schema,
            "description": says,
        })
    };
    names.iter().map(one).collect()
}

fn events(schema: &Value, problem: &Value) -> Value {
    let mut responses = responses(schema, problem);
    let content =
        json!({"text/event-stream": {"schema": {"type": "string"}, "x-event-schema": schema}});
    responses["200"]["content"] = content;
    responses
}

fn responses(schema: &Value, problem: &Value) -> Value {
    let mut responses = json!({"200": {
        "description": "The answer.",
        "content": {"application/json": {"schema": schema}},
    }});
    for status in ["400", "401", "403", "404", "408", "413", "415", "421", "422", "429", "503"] {
        responses[status] = problem.clone();
    }
    responses
}
