//! Time and load in `kasuan plan`: replicas from requests, hours from data, measured hours.

use crate::kasuan;
use std::fs;

const PRICES: &str = "\
kind,provider,card,count,mode,price,currency,per,granularity,observed,source,notes
offer,one,a100-sxm4-80,1,on_demand,8,CNY,hour,1s,2026-12-01,made up,
offer,two,h100-sxm5-80,1,on_demand,16,CNY,hour,1s,2026-12-01,made up,
";

fn plan(job: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = format!(
        "currency: CNY\nmonth: 2026-12\npolicy: {{providers: [one, two]}}\njobs:\n  - {job}\n"
    );
    fs::write(folder.path().join("jobs.yaml"), file).unwrap();
    fs::write(folder.path().join("prices.csv"), PRICES).unwrap();
    let all = ["plan", "jobs.yaml", "--prices", "prices.csv"];
    kasuan(folder.path(), &[&all, arguments].concat())
}

fn choice(job: &str) -> serde_json::Value {
    let said = plan(job, &["--format", "json"]);
    let (from, to) = (said.find("\n{").unwrap(), said.rfind("\n[").unwrap());
    let plan: serde_json::Value = serde_json::from_str(&said[from..to]).unwrap();
    plan["jobs"][0].clone()
}

fn number(value: &serde_json::Value) -> f64 {
    value.as_str().map_or_else(|| value.as_f64().unwrap(), |text| text.parse().unwrap())
}

#[test]
fn a_service_tells_its_replicas_and_why_in_both_languages_and_to_programs() {
    let job = "{name: api, task: inference, model: Qwen/Qwen2.5-7B, rate: 40/s, prompt: 1024, \
               generated: 256, latency: {ttft: 2s, tpot: 30ms}, daily: '09:00-21:00'}";
    let answer = choice(job);
    let service = &answer["service"];
    let replicas = answer["replicas"].as_u64().unwrap();
    assert!(replicas > 1, "{answer}");
    assert_eq!(service["replicas_needed"].as_u64(), Some(replicas));
    assert_eq!(number(&service["peak"]), 40.0);
    assert!(number(&service["utilisation"]) <= number(&service["usable"]) + 1e-3);
    assert!(number(&service["tpot"]) <= 0.03);
    let said = plan(job, &["--lang", "en", "--explain"]);
    assert!(said.contains(&format!("{replicas} replicas of 1 card: one finishes")), "{said}");
    let said = plan(job, &["--lang", "zh", "--explain"]);
    assert!(said.contains(&format!("{replicas} 个副本，每个 1 张卡")), "{said}");
}

#[test]
fn data_becomes_hours_on_each_card_and_measured_hours_take_their_place() {
    let tune = |card: &str, amount: &str| {
        choice(&format!(
            "{{name: tune, task: lora, model: Qwen/Qwen2.5-7B, cards: 1, {amount}, card: {card}}}"
        ))
    };
    let seconds = |answer: &serde_json::Value| answer["time"]["likely"].as_u64().unwrap() as f64;
    let data = "data: {tokens: 20M, epochs: 3}";
    let (slow, fast) = (tune("A100 80G SXM", data), tune("H100 SXM", data));
    assert!(slow["time"]["low"].as_u64() < slow["time"]["high"].as_u64());
    let ratio = seconds(&slow) / seconds(&fast);
    assert!((1.3..3.2).contains(&ratio), "{ratio}");
    // Three passes over as many samples of a mean length are the same work.
    let samples = tune("A100 80G SXM", "data: {samples: 20k, mean_tokens: 1000, epochs: 3}");
    assert!((seconds(&samples) / seconds(&slow) - 1.0).abs() < 0.05);
    // A run that was measured on one card is its time there, and moves the other by the same ratio.
    let measured = "hours: 12, hours_measured_on: A100 80G SXM";
    let (here, there) = (tune("A100 80G SXM", measured), tune("H100 SXM", measured));
    assert_eq!(seconds(&here), 12.0 * 3600.0);
    assert_eq!(here["time"]["confidence"], "high");
    assert!((seconds(&here) / seconds(&there) / ratio - 1.0).abs() < 0.02);
    assert!(there["why"].to_string().contains("A100") || there["why"].to_string().contains("a100"));
}
