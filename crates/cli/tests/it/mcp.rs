//! `kasuan mcp`, called by the real client of the protocol: each tool answers what the command
//! prints.

use crate::{
    kasuan,
    ledger::BILL,
    python::{python, run},
    repository,
};
use serde_json::{Value, json};
use std::{fs, process::Command};

const CLIENT: &str = include_str!("mcp/client.py");

/// Calls the tools in one session; the first value tells of the server.
fn called(calls: &Value) -> Option<Vec<Value>> {
    let python = python("mcp", &["mcp==2.3.0"])?;
    let folder = tempfile::tempdir().unwrap();
    let (script, file) = (folder.path().join("client.py"), folder.path().join("calls.json"));
    fs::write(&script, CLIENT).unwrap();
    fs::write(&file, calls.to_string()).unwrap();
    let printed = run(Command::new(python)
        .arg(&script)
        .arg(env!("CARGO_BIN_EXE_kasuan"))
        .arg(&file)
        .current_dir(repository()))
    .unwrap_or_else(|why| panic!("{why}"));
    Some(printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// What the command line prints for the same question.
fn printed(arguments: &[&str]) -> Value {
    let mut whole = vec!["--format", "json", "--lang", "en"];
    whole.extend(arguments);
    let said = kasuan(&repository(), &whole);
    let (_, json) = said.split_once('\n').unwrap();
    serde_json::Deserializer::from_str(json).into_iter().next().unwrap().unwrap()
}

#[test]
fn an_assistant_gets_from_each_tool_what_the_command_prints() {
    let team = fs::read_to_string(repository().join("examples/qa-team.yaml")).unwrap();
    let bill = "aws/us-east-1/p5.48xlarge/on_demand";
    let calls = json!([
        ["plan", {"workload": team}],
        ["plan", {"file": "examples/qa-team.yaml", "cap": "500 CNY"}],
        ["fit", {"model": "Qwen/Qwen2.5-7B-Instruct", "card": ["RTX 4090"], "concurrency": 4}],
        ["offers", {"card": ["H100"], "limit": 3}],
        ["bill", {"offer": bill, "from": "2026-12-01", "to": "2026-12-03"}],
        ["doctor", {"card": "RTX 5090", "torch": "2.5.1"}],
    ]);
    let Some(answers) = called(&calls) else { return };
    assert_eq!(answers[0]["server"], "kasuan");
    let names: Vec<&str> = answers[0]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["plan", "fit", "offers", "bill", "doctor", "review"]);
    let commands: [&[&str]; 6] = [
        &["plan", "examples/qa-team.yaml"],
        &["plan", "examples/qa-team.yaml", "--cap", "500 CNY"],
        &["fit", "Qwen/Qwen2.5-7B-Instruct", "--card", "RTX 4090", "--concurrency", "4"],
        &["offers", "--card", "H100", "--limit", "3"],
        &["bill", "--offer", bill, "--from", "2026-12-01", "--to", "2026-12-03"],
        &["doctor", "--card", "RTX 5090", "--torch", "2.5.1"],
    ];
    for (answer, command) in answers[1..].iter().zip(commands) {
        assert_eq!(answer["isError"], false, "{answer}");
        let wanted = printed(command);
        assert_eq!(answer["structuredContent"], wanted, "{command:?}");
        let text: Value =
            serde_json::from_str(answer["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, wanted, "{command:?}");
    }
}

#[test]
fn an_assistant_reads_what_is_wrong_with_its_call_and_the_session_lives_on() {
    let calls = json!([
        ["fit", {"model": "no-such-model"}],
        ["plan", {"file": "-"}],
        ["plan", {"workload": "jobs: [{name: a, task: lora, hours: many}]"}],
        ["doctor", {"card": "RTX 5090", "colour": "red"}],
        ["review", {"ledger": "/nonexistent/ledger.db"}],
        ["plan", {"file": "examples/qa-team.yaml", "output": "stolen.xlsx"}],
        ["doctor", {"card": "RTX 5090", "lang": "zh"}],
    ]);
    let Some(answers) = called(&calls) else { return };
    for (answer, word) in answers[1..7].iter().zip([
        "no-such-model",
        "file",
        "hours",
        "colour",
        "/nonexistent/ledger.db",
        "output",
    ]) {
        assert_eq!(answer["isError"], true, "{answer}");
        assert!(answer["content"].to_string().contains(word), "{word}: {answer}");
    }
    assert!(!repository().join("stolen.xlsx").exists());
    let said = answers[7]["structuredContent"]["checks"].to_string();
    assert!(said.chars().any(|c| c > '\u{4e00}'), "{said}");
}

#[test]
fn a_review_told_to_an_assistant_is_the_one_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = folder.path().join("ledger.db").display().to_string();
    let bill = folder.path().join("bill.csv");
    fs::write(&bill, BILL).unwrap();
    let bill = bill.display().to_string();
    let said = kasuan(folder.path(), &["import", "bill", &bill, "--ledger", &ledger]);
    assert!(said.ends_with("[0]\n"), "{said}");
    let calls = json!([["review", {"ledger": ledger, "month": "2026-11"}]]);
    let Some(answers) = called(&calls) else { return };
    let wanted = printed(&["review", "--ledger", &ledger, "--month", "2026-11"]);
    assert_eq!(answers[1]["structuredContent"], wanted);
    assert!(wanted.to_string().contains("1436.5"), "the month holds nothing: {wanted}");
}
