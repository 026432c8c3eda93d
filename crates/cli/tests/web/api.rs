//! The API as others test APIs: schemathesis makes up thousands of requests from the OpenAPI
//! document and holds every answer to it.

use crate::{
    python::{python, run},
    server::{get, ledger, serve},
};
use std::process::Command;

#[test]
fn schemathesis_finds_no_answer_that_the_document_does_not_allow() {
    let Some(python) = python("schemathesis", &["schemathesis==4.32.5"]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let place = ledger(folder.path());
    let server = serve(folder.path(), &["--ledger", place.to_str().unwrap()]);
    let checks = "not_a_server_error,status_code_conformance,content_type_conformance,\
        response_headers_conformance,response_schema_conformance,negative_data_rejection,\
        unsupported_method,allow_header_conformance";
    let said = run(Command::new(python.with_file_name("schemathesis"))
        .args(["run", &format!("http://{}/api/v1/openapi.json", server.address)])
        .args(["--checks", checks, "--phases", "examples,coverage,fuzzing"])
        // Events never end, which a client that waits for the whole answer cannot take.
        .args(["--exclude-path", "/live", "--max-examples", "30", "--seed", "1"])
        .args(["--continue-on-failure", "--no-color"])
        .current_dir(folder.path()));
    let said = said.unwrap_or_else(|why| panic!("{why}"));
    // All but the stream of events.
    assert!(said.contains("Tested: 6"), "not every path was tested: {said}");
    assert!(get(&server.address, "/healthz").ends_with("ok\n"));
}

#[test]
fn every_name_of_fit_and_review_in_the_document_is_taken_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let place = ledger(folder.path());
    let server = serve(folder.path(), &["--ledger", place.to_str().unwrap()]);
    let json = |path: &str| -> serde_json::Value {
        let answer = get(&server.address, path);
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    };
    let document = json("/api/v1/openapi.json");
    for path in ["/fit", "/review"] {
        let hints = json(&format!("/api/v1{path}?model=7B&zzz=1"))["hints"].to_string();
        for name in document["paths"][path]["get"]["parameters"].as_array().unwrap() {
            let name = name["name"].as_str().unwrap();
            assert!(hints.contains(name), "{path}: {name} is not taken: {hints}");
        }
    }
    // The command knows each name, too: an empty month is no mistake of the name.
    let fit = json(
        "/api/v1/fit?model=7B&card=4090&task=lora&batch=2&seq=1024&rank=8&cards=1&headroom=5\
         &tokens=20M&compare=weights%3Dawq4&currency=CNY&all_cards=1&optimizer=adamw",
    );
    assert_eq!(fit["cards"][0]["card"], "rtx-4090", "{fit}");
}
