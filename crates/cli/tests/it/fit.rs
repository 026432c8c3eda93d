//! `kasuan fit`: names, files and sizes; what the answer holds; what is refused, and how.

use crate::kasuan;
use std::fs;

fn fit(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut all = vec!["fit"];
    all.extend(arguments);
    kasuan(folder.path(), &all)
}

fn json(arguments: &[&str]) -> serde_json::Value {
    let mut all = arguments.to_vec();
    all.extend(["--format", "json"]);
    let said = fit(&all);
    let from = said.find('\n').unwrap();
    let to = said.rfind("\n[").unwrap();
    serde_json::from_str(&said[from..to]).unwrap()
}

#[test]
fn the_answer_for_programs_keeps_its_contract() {
    let answer = json(&["qwen2.5-7b", "--card", "4090"]);
    assert_eq!(answer["model"]["id"], "Qwen/Qwen2.5-7B");
    assert_eq!(answer["model"]["parameters"], 7_615_616_512_u64);
    for name in ["allocated", "reserved", "nvidia_smi", "upper"] {
        let bytes = answer["memory"]["per_gpu"][name].as_u64().unwrap();
        let gib = answer["memory"]["per_gpu"][format!("{name}_gib")].as_str().unwrap();
        assert_eq!(format!("{:.3}", bytes as f64 / f64::from(1 << 30)), gib, "{name}");
    }
    let parts = answer["memory"]["breakdown"].as_object().unwrap();
    let sum: u64 = parts.values().filter_map(serde_json::Value::as_u64).sum();
    let allocated = answer["memory"]["per_gpu"]["allocated"].as_u64().unwrap();
    assert!(sum.abs_diff(allocated) <= 8, "{sum} of {allocated}: causes are rounded up one by one");
    let card = &answer["cards"][0];
    assert_eq!((card["card"].as_str(), card["fits"].as_bool()), (Some("rtx-4090"), Some(true)));
    assert!(card["cards"] == 1 && card["headroom"].is_u64());
    assert!(card["price"]["hour"].is_string(), "decimals are strings");
}

#[test]
fn a_card_that_is_too_small_is_answered_with_no_and_with_what_to_change() {
    let said = fit(&["qwen2.5-72b", "--task", "full", "--card", "4090", "--lang", "en"]);
    assert!(said.ends_with("[1]\n"), "{said}");
    assert!(said.contains("To fit GeForce RTX 4090 as asked"), "{said}");
    let said = fit(&["llama-2-7b", "--task", "full", "--card", "a100 80g", "--lang", "zh"]);
    assert!(said.ends_with("[0]\n") && said.contains("ZeRO"), "{said}");
}

#[test]
fn setups_stand_side_by_side() {
    let answer = json(&[
        "qwen2.5-14b",
        "--card",
        "4090",
        "--compare",
        "weights=awq4",
        "--compare",
        "kv=fp8",
    ]);
    let compared = answer["compared"].as_array().unwrap();
    let weights = |at: usize| compared[at]["memory"]["breakdown"]["weights"].as_u64().unwrap();
    assert!(compared.len() == 2 && weights(0) * 2 < weights(1));
}

#[test]
fn a_model_on_the_disk_is_read_in_place_of_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let config = r#"{"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096,
        "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
        "vocab_size": 128256, "max_position_embeddings": 8192, "torch_dtype": "bfloat16"}"#;
    fs::write(folder.path().join("config.json"), config).unwrap();
    for subject in ["config.json", "."] {
        let said = kasuan(folder.path(), &["fit", subject, "--card", "4090", "--lang", "en"]);
        assert!(said.contains("8.03B parameters") && said.ends_with("[0]\n"), "{said}");
    }
}

#[test]
fn what_cannot_be_read_is_one_clear_error_in_both_languages() {
    let folder = tempfile::tempdir().unwrap();
    let without = r#"{"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096,
        "num_attention_heads": 32, "vocab_size": 32000}"#;
    fs::write(folder.path().join("config.json"), without).unwrap();
    fs::write(folder.path().join("cut.gguf"), b"GGUF\x03\0\0\0").unwrap();
    let mut said = Vec::new();
    for subject in ["config.json", "cut.gguf", "missing.json", "qwen2.5-7bb"] {
        for language in ["zh", "en"] {
            let one = kasuan(folder.path(), &["fit", subject, "--lang", language]);
            assert!(one.ends_with("[2]\n"), "{one}");
            said.push(one);
        }
    }
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn wrong_options_name_themselves_and_what_is_possible() {
    for (arguments, expected) in [
        (vec!["7B", "--weights", "bf17"], "bf17"),
        (vec!["7B", "--card", "4099"], "rtx-4090"),
        (vec!["7B", "--compare", "foo=1"], "weights=awq4"),
        (vec!["7B", "--headroom", "95"], "--headroom"),
        (vec!["7B", "--context", "0"], "--context"),
        (vec!["7B", "--currency", "XXX"], "XXX"),
    ] {
        let mut all = arguments.clone();
        all.extend(["--lang", "en"]);
        let said = fit(&all);
        assert!(said.ends_with("[2]\n") && said.contains(expected), "{said}");
    }
}

#[test]
fn a_size_alone_is_estimated_with_low_confidence_and_says_so() {
    let answer = json(&["7B", "--card", "4090", "--lang", "en"]);
    assert_eq!(answer["model"]["parameters"], 7_000_000_000_u64);
    assert_eq!(answer["memory"]["confidence"], "low");
    assert!(answer["notes"][0].as_str().unwrap().contains("7B"));
}

#[test]
fn a_run_of_stated_tokens_has_its_hours_and_its_cost_on_each_card() {
    let said = fit(&[
        "llama-3.1-8b",
        "--task",
        "lora",
        "--tokens",
        "20M",
        "--card",
        "h20",
        "--format",
        "csv",
    ]);
    let mut lines = said.lines().skip(1);
    let heads: Vec<&str> = lines.next().unwrap().split(',').collect();
    let cells: Vec<&str> = lines.next().unwrap().split(',').collect();
    let figure = |name: &str| -> f64 {
        cells[heads.iter().position(|head| *head == name).unwrap()].parse().unwrap()
    };
    let hours = 20e6 / figure("tokens_per_second") / 3600.0;
    assert!((figure("run_hours") / hours - 1.0).abs() < 0.01, "{said}");
    assert!((figure("run_cost") / (hours * figure("hour")) - 1.0).abs() < 0.01, "{said}");
    // The price of a million tokens is that of an hour over the tokens of an hour (FX-052).
    let million = figure("hour") / (figure("tokens_per_second") * 3600.0) * 1e6;
    assert!((figure("million_tokens") / million - 1.0).abs() < 0.01, "{said}");
}
