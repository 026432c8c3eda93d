//! What is answered, by question. A test holds each to real answers.

use serde_json::{Map, Value, json};

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
pub(super) fn offers() -> Value {
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

pub(super) fn bill() -> Value {
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

pub(super) fn check() -> Value {
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

fn integer() -> Value {
    json!({"type": "integer"})
}

/// A number, or unknown.
fn measured() -> Value {
    json!({"type": ["number", "null"]})
}

/// An object with at least these fields; more may come.
fn open(fields: &[(&str, Value)]) -> Value {
    let mut schema = object(fields);
    schema["additionalProperties"] = json!({});
    schema
}

fn or_nothing(mut schema: Value) -> Value {
    schema["type"] = json!(["object", "null"]);
    schema
}

fn memory() -> Value {
    let bytes = ["allocated", "reserved", "nvidia_smi", "upper", "needed"];
    let per_gpu: Vec<(&str, Value)> = bytes.iter().map(|name| (*name, integer())).collect();
    open(&[
        ("per_gpu", open(&per_gpu)),
        ("total", integer()),
        // Bytes by cause; the same as a text in GiB under the name with `_gib`.
        (
            "breakdown",
            json!({
                "type": "object", "additionalProperties": {"type": ["integer", "string"]},
            }),
        ),
        ("binding", text()),
        ("confidence", text()),
    ])
}

/// What `kasuan fit --format json` prints.
pub(super) fn fit() -> Value {
    let truth = || json!({"type": "boolean"});
    let card = open(&[
        ("card", text()),
        ("name", text()),
        ("fits", truth()),
        ("fits_as_asked", truth()),
        ("cards", json!({"type": ["integer", "null"]})),
        ("memory", or_nothing(memory())),
        ("setup", or_nothing(open(&[("weights", text()), ("cards", integer())]))),
        ("time", or_nothing(open(&[]))),
        ("price", or_nothing(open(&[]))),
    ]);
    open(&[
        (
            "model",
            open(&[
                ("id", text()),
                ("family", text()),
                ("parameters", integer()),
                ("active_parameters", integer()),
                ("source", text()),
            ]),
        ),
        ("memory", memory()),
        ("guide_rule", integer()),
        ("cards", list(&card)),
        ("notes", list(&text())),
    ])
}

/// What `kasuan review --format json` prints.
pub(super) fn review() -> Value {
    let line =
        open(&[("name", text()), ("planned", known()), ("actual", known()), ("billed", known())]);
    let finding = open(&[
        ("finding", text()),
        ("subject", text()),
        ("evidence", text()),
        ("money", known()),
        ("confidence", text()),
        ("remedy", text()),
        ("command", known()),
    ]);
    let kpi = open(&[
        ("group", text()),
        ("name", text()),
        ("runs", integer()),
        ("card_hours", measured()),
        ("cost", known()),
    ]);
    open(&[
        ("version", integer()),
        ("month", text()),
        ("zone", text()),
        ("currency", text()),
        ("billed", text()),
        ("effective", text()),
        ("recoverable", text()),
        ("budget", json!({"type": "object", "additionalProperties": list(&line)})),
        ("utilisation", json!({"type": "object", "additionalProperties": measured()})),
        ("findings", list(&finding)),
        ("kpi", list(&kpi)),
        ("unknowns", list(&text())),
        ("notes", list(&text())),
    ])
}
