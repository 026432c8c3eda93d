//! The OpenAPI document is true: real answers are what it says, and nothing is left out.

use crate::http::{Answer, get, post, send, server, settings};
use serde_json::Value;

const TEAM: &str = include_str!("../../../../examples/qa-team.yaml");

/// Checks a value against the part of JSON Schema that the document uses; other words are refused,
/// so that nothing is taken for checked that is not.
fn check(value: &Value, schema: &Value, document: &Value, at: &str) {
    if let Some(name) = schema["$ref"].as_str() {
        let schema = document.pointer(name.trim_start_matches('#')).unwrap_or(&Value::Null);
        assert!(schema.is_object(), "{at}: {name} leads nowhere");
        return check(value, schema, document, at);
    }
    for (word, said) in schema.as_object().unwrap_or_else(|| panic!("{at}: {schema}")) {
        match word.as_str() {
            "type" => {
                let is = |kind: &str| match kind {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "integer" => value.is_u64() || value.is_i64(),
                    "boolean" => value.is_boolean(),
                    "null" => value.is_null(),
                    other => panic!("{at}: type {other}"),
                };
                let kinds = said.as_array().cloned().unwrap_or_else(|| vec![said.clone()]);
                assert!(
                    kinds.iter().any(|kind| is(kind.as_str().unwrap())),
                    "{at}: {value} is no {said}"
                );
            }
            "enum" => assert!(said.as_array().unwrap().contains(value), "{at}: {value}"),
            "anyOf" => {
                // Only "this or nothing" is written so.
                let [one, nothing] = said.as_array().unwrap().as_slice() else { panic!("{at}") };
                assert_eq!(nothing["type"], "null", "{at}");
                if !value.is_null() {
                    check(value, one, document, at);
                }
                return;
            }
            "properties" | "additionalProperties" => {}
            "required" => {
                for name in said.as_array().unwrap() {
                    let there = value.is_null() || value.get(name.as_str().unwrap()).is_some();
                    assert!(there, "{at}: {name} is missing");
                }
            }
            "items" => {
                for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(item, said, document, &format!("{at}[{number}]"));
                }
            }
            "title" | "description" | "format" | "minimum" | "maximum" | "default" => {}
            other => panic!("{at}: the document says `{other}`, which is not checked"),
        }
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        let at = format!("{at}.{name}");
        match (schema["properties"].get(name), &schema["additionalProperties"]) {
            (Some(schema), _) => check(inner, schema, document, &at),
            (None, Value::Object(_)) => {
                check(inner, &schema["additionalProperties"], document, &at);
            }
            // What is answered and not said is a lie by omission.
            (None, _) => panic!("{at} is not in the document"),
        }
    }
}

fn answers(answer: &Answer, document: &Value, path: &str, method: &str) {
    let operation = &document["paths"][path][method];
    let status = answer.status.as_u16().to_string();
    let kind = answer.header("content-type");
    let schema = &operation["responses"][&status]["content"][kind]["schema"];
    assert!(!schema.is_null(), "{path}: {status} {kind} is not in the document");
    check(&answer.json(), schema, document, path);
}

#[test]
fn real_answers_are_what_the_document_says() {
    let server = server(settings());
    let document = send(&server, get("/api/v1/openapi.json")).json();
    assert_eq!(document["openapi"], "3.1.0");
    let plan =
        |body: &str| send(&server, post("/api/v1/plan", "application/yaml", body.to_owned()));
    answers(&plan(TEAM), &document, "/plan", "post");
    let capped = TEAM.replace("margin: p80", "margin: p80, cap: 500 CNY");
    answers(&plan(&capped), &document, "/plan", "post");
    answers(&plan("jobs: 3"), &document, "/plan", "post");
    let offers = send(&server, get("/api/v1/offers?card=h100-sxm5-80&limit=3"));
    answers(&offers, &document, "/offers", "get");
    let id = offers.json()["offers"][0]["offer"].as_str().unwrap().to_owned();
    let bill = format!("/api/v1/bill?offer={id}&from=2026-12-01&to=2026-12-03&storage=200GB");
    for (path, question) in [
        ("/offers", "/api/v1/offers?by_card=1".to_owned()),
        ("/offers", "/api/v1/offers?nonsense=1".to_owned()),
        ("/bill", bill),
        ("/bill", "/api/v1/bill".to_owned()),
        ("/doctor", format!("/api/v1/doctor?offer={id}&torch=2.5.1&driver=450")),
        ("/doctor", "/api/v1/doctor?card=unknown%20card".to_owned()),
        ("/doctor", "/api/v1/doctor?card=4090&torch=x".to_owned()),
    ] {
        answers(&send(&server, get(&question)), &document, path, "get");
    }
}

#[test]
fn every_name_of_the_document_is_taken_and_no_other() {
    let server = server(settings());
    let document = send(&server, get("/api/v1/openapi.json")).json();
    for path in ["/offers", "/bill", "/doctor"] {
        let refused = send(
            &server,
            get(&format!("/api/v1{path}?zzz=1&card=4090&offer=x&from=2026-12-01&to=2026-12-02")),
        );
        let hints = refused.json()["hints"].to_string();
        for name in document["paths"][path]["get"]["parameters"].as_array().unwrap() {
            let name = name["name"].as_str().unwrap();
            assert!(hints.contains(name), "{path}: {name} is not taken: {hints}");
        }
    }
}
