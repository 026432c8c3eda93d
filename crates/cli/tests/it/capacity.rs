//! `kasuan capacity`: what a service needs, in both languages and for programs, and what is refused.

use crate::kasuan;
use std::{fmt::Write as _, fs, path::Path};

fn capacity(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    kasuan(folder.path(), &[&["capacity", "qwen2.5-7b"], arguments].concat())
}

fn json(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let all = [&["capacity", "qwen2.5-7b"], arguments, &["--format", "json"]].concat();
    let said = kasuan(folder, &all);
    let (from, to) = (said.find('\n').unwrap(), said.rfind("\n[").unwrap());
    serde_json::from_str(&said[from..to]).unwrap()
}

/// Four requests a second for five minutes, in the columns of the Azure traces.
fn write_log(folder: &Path) {
    let mut text = String::from("TIMESTAMP,ContextTokens,GeneratedTokens\n");
    for n in 0..1200 {
        let seconds = f64::from(n) / 4.0;
        let (minute, second) = ((seconds / 60.0) as u32, seconds % 60.0);
        let prompt = 200 + (n * 37) % 1800;
        writeln!(text, "2023-11-16 18:{minute:02}:{second:010.7},{prompt},{}", 50 + n % 300)
            .unwrap();
    }
    fs::write(folder.join("log.csv"), text).unwrap();
}

#[test]
fn a_service_is_sized_and_priced_in_both_languages() {
    let cards = ["--card", "4090", "--card", "a100 80g"];
    let zh = [&["--rate", "12", "--day", "08:00-20:00", "--lang", "zh"][..], &cards].concat();
    insta::assert_snapshot!("capacity_zh", capacity(&zh));
    let paid = ["--api-input", "1", "--api-output", "4", "--explain", "--lang", "en"];
    let en = [&["--concurrency", "200"][..], &paid, &cards].concat();
    insta::assert_snapshot!("capacity_en", capacity(&en));
    let csv = [&["--rate", "12", "--format", "csv", "--lang", "en"][..], &cards].concat();
    insta::assert_snapshot!("capacity_csv", capacity(&csv));
}

#[test]
fn more_traffic_costs_more_a_month_and_no_more_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let figure = |rate: &str, name: &str| -> f64 {
        let answer = json(folder.path(), &["--card", "4090", "--rate", rate]);
        answer["cards"][0]["plan"][name].as_str().unwrap().parse().unwrap()
    };
    assert!(figure("100", "month") > figure("1", "month"));
    assert!(figure("100", "per_million_tokens") < figure("1", "per_million_tokens"));
}

#[test]
fn fx_053_the_break_even_counts_every_paid_hour() {
    let folder = tempfile::tempdir().unwrap();
    let paid = ["--card", "4090", "--rate", "2", "--api-input", "1", "--api-output", "4"];
    let plan = &json(folder.path(), &paid)["cards"][0]["plan"];
    let month: f64 = plan["month"].as_str().unwrap().parse().unwrap();
    // 1,024 tokens read and 256 written cost 0.002048 a request.
    let requests = plan["break_even"]["requests_per_month"].as_f64().unwrap();
    assert!((requests - month / 0.002_048).abs() < 1.0, "{requests}");
    // Two a second for 730 hours.
    assert!((plan["requests_per_month"].as_f64().unwrap() - 2.0 * 730.0 * 3600.0).abs() < 1e-3);
}

#[test]
fn a_log_is_measured_and_replayed() {
    let folder = tempfile::tempdir().unwrap();
    write_log(folder.path());
    let answer = json(folder.path(), &["--trace", "log.csv", "--card", "4090"]);
    let rate = &answer["traffic"]["requests_per_second"];
    assert!((rate["busiest_hour"].as_f64().unwrap() - 4.0).abs() < 0.02, "{rate}");
    let card = &answer["cards"][0];
    assert_eq!(card["replay"]["planned"]["answered"], 1200);
    let kept = card["replay"]["fewest"]["replicas"].as_u64().unwrap();
    assert!(kept <= card["plan"]["replicas"]["likely"].as_u64().unwrap());
    assert!(card["replay"]["planned"]["ttft_p95_s"].as_f64().unwrap() <= 2.0);
}

#[test]
fn a_latency_that_no_card_keeps_is_answered_with_no() {
    let said = capacity(&["--rate", "1", "--tpot", "1ms", "--card", "4090", "--lang", "en"]);
    assert!(said.ends_with("[1]\n") && said.contains("cannot keep"), "{said}");
}

#[test]
fn what_cannot_be_meant_is_refused_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.csv"), "TIMESTAMP,ContextTokens,GeneratedTokens\n0,1,x\n")
        .unwrap();
    let mut said = String::new();
    for wrong in [
        &[][..],
        &["--rate", "-1"],
        &["--rate", "nan"],
        &["--rate", "1", "--concurrency", "2"],
        &["--rate", "1", "--ttft", "2"],
        &["--rate", "1", "--day", "8-25"],
        &["--rate", "1", "--day", "1,2,3"],
        &["--rate", "1", "--input", "1000/10"],
        &["--rate", "1", "--api-input", "1"],
        &["--rate", "1", "--weights", "int3"],
        &["--rate", "1", "--card", "4090", "--currency", "EUR"],
        &["--trace", "bad.csv"],
        &["--trace", "none.csv"],
    ] {
        let all = [&["capacity", "qwen2.5-7b"], wrong, &["--lang", "zh"]].concat();
        let one = kasuan(folder.path(), &all);
        assert!(one.ends_with("[2]\n"), "{one}");
        said.push_str(&one);
    }
    insta::assert_snapshot!("capacity_refused", said);
}
