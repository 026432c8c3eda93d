//! Tests of reading config.json: what files leave out, what they contradict, and noise.

use super::*;
use kasuan_model::{Phrase, Phrased as _};
use kasuan_sizing::{Attention, Catalogue, Inference, Setup, Training, Work, memory, parameters};
use proptest::prelude::*;

fn parse(text: &str) -> Result<HfConfig, HfConfigError> {
    read(text, "test", Source::stated("test"))
}

/// A LLaMA-like file with a field left out or replaced.
fn llama(without: &str, more: &str) -> String {
    let fields = [
        (r#""model_type""#, r#""llama""#),
        (r#""num_hidden_layers""#, "32"),
        (r#""hidden_size""#, "4096"),
        (r#""num_attention_heads""#, "32"),
        (r#""num_key_value_heads""#, "8"),
        (r#""intermediate_size""#, "14336"),
        (r#""vocab_size""#, "128256"),
    ];
    let kept: Vec<String> = fields
        .iter()
        .filter(|(name, _)| name.trim_matches('"') != without)
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    format!("{{{}{more}}}", kept.join(", "))
}

#[test]
fn llama_3_8b_is_read_to_the_last_parameter() {
    let read = parse(&llama("", "")).unwrap();
    // The total of the headers on the hub: 8,030,261,248.
    assert_eq!(parameters::count(&read.architecture).total, 8_030_261_248);
    assert!(read.notes.is_empty(), "{:?}", read.notes);
}

#[test]
fn a_missing_field_is_named_with_what_can_still_be_said() {
    let error = parse(&llama("intermediate_size", "")).unwrap_err();
    assert!(matches!(error, HfConfigError::Missing { field: "intermediate_size", .. }));
    let said: Vec<&str> = error.hints().iter().map(Phrase::key).collect();
    assert!(said.contains(&"sizing-config-still-cache"), "{said:?}");
    // Llama 3 8B: 2 x 32 layers x 8 heads x 128 x 2 bytes (public vLLM logs: 131,072).
    let cache = error.hints().into_iter().find(|hint| hint.key() == "sizing-config-still-cache");
    assert_eq!(cache.unwrap().args()[0].1, "131072");
    let error = parse(&llama("hidden_size", "")).unwrap_err();
    assert!(matches!(error, HfConfigError::Missing { field: "hidden_size", .. }));
    let error = parse(&llama("num_attention_heads", "")).unwrap_err();
    assert!(matches!(error, HfConfigError::Missing { field: "num_attention_heads", .. }));
}

#[test]
fn contradictions_name_both_fields() {
    let error = parse(&llama("num_key_value_heads", r#", "num_key_value_heads": 7"#)).unwrap_err();
    let HfConfigError::Contradiction { left, right, rule, .. } = error else { panic!("{error}") };
    assert_eq!((left.as_str(), right.as_str()), ("num_attention_heads", "num_key_value_heads"));
    assert_eq!(rule, Rule::Multiple);
    let error = parse(&llama("num_attention_heads", r#", "num_attention_heads": 24"#)).unwrap_err();
    assert!(matches!(error, HfConfigError::Contradiction { .. }), "4096 is not a multiple of 24");
    let more = r#", "num_experts": 8, "num_experts_per_tok": 9, "moe_intermediate_size": 128"#;
    assert!(matches!(
        parse(&llama("", more)).unwrap_err(),
        HfConfigError::Contradiction { rule: Rule::AtMost, .. }
    ));
    let more = r#", "layer_types": ["full_attention"]"#;
    assert!(matches!(
        parse(&llama("", more)).unwrap_err(),
        HfConfigError::Contradiction { rule: Rule::AsMany, .. }
    ));
}

#[test]
fn what_is_no_count_is_refused() {
    for value in ["-4", "0", "1.5", "\"many\"", "[1]", "99999999999", "1e300"] {
        let error = parse(&llama("hidden_size", &format!(", \"hidden_size\": {value}")));
        let error = error.unwrap_err();
        assert!(
            matches!(error, HfConfigError::NotACount { .. } | HfConfigError::TooLarge { .. }),
            "{value}: {error}"
        );
    }
    assert!(parse(&llama("hidden_size", ", \"hidden_size\": 4096.0")).is_ok());
    let layers = parse(&llama("num_hidden_layers", ", \"num_hidden_layers\": 100000"));
    assert!(matches!(layers.unwrap_err(), HfConfigError::TooLarge { .. }));
}

#[test]
fn what_is_no_json_is_told_with_its_place() {
    let error = parse("{\n  \"hidden_size\": 4096,,\n}").unwrap_err();
    assert!(matches!(error, HfConfigError::NotJson { line: 2, .. }), "{error}");
    assert!(matches!(parse("[]"), Err(HfConfigError::NotAnObject { .. })));
    assert!(matches!(parse(""), Err(HfConfigError::NotJson { .. })));
}

#[test]
fn an_unknown_family_is_read_as_llama_and_says_so() {
    let text = llama("model_type", r#", "model_type": "quetzal""#);
    let read = parse(&text).unwrap();
    assert_eq!(read.architecture.unverified, ["family"]);
    assert_eq!(read.notes[0].key(), "sizing-config-family-unknown");
    let text = llama("", r#", "block_configs": [{}]"#);
    let read = parse(&text).unwrap();
    assert!(read.architecture.shape_assumed, "one shape stands for all layers");
    assert_eq!(read.architecture.unverified, ["block_configs"]);
    assert_eq!(read.notes[0].key(), "sizing-config-one-shape");
    let text = r#"{"model_type": "nemotron", "num_hidden_layers": 2, "block_configs": [{}]}"#;
    assert!(matches!(parse(text), Err(HfConfigError::LayerByLayer { .. })));
}

#[test]
fn deepseek_v3_is_read_with_its_latent_attention() {
    let read = parse(
        r#"{"model_type": "deepseek_v3", "num_hidden_layers": 61, "hidden_size": 7168,
        "num_attention_heads": 128, "num_key_value_heads": 128, "intermediate_size": 18432,
        "moe_intermediate_size": 2048, "n_routed_experts": 256, "num_experts_per_tok": 8,
        "n_shared_experts": 1, "first_k_dense_replace": 3, "kv_lora_rank": 512,
        "q_lora_rank": 1536, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128,
        "vocab_size": 129280, "quantization_config": {"quant_method": "fp8"}}"#,
    )
    .unwrap();
    assert!(matches!(read.architecture.attention, Attention::Latent { kv_rank: 512, .. }));
    let count = parameters::count(&read.architecture);
    // The README: 671B in total, 37B for each token.
    assert!((count.total as f64 / 671e9 - 1.0).abs() < 0.001, "{}", count.total);
    assert!((count.active as f64 / 37e9 - 1.0).abs() < 0.03, "{}", count.active);
    assert_eq!(read.stored, Some(WeightFormat::Fp8));
}

#[test]
fn stored_formats_are_recognised() {
    for (settings, format) in [
        (
            r#"{"quant_method": "gptq", "bits": 4, "group_size": 64}"#,
            WeightFormat::Gptq4 { group: 64 },
        ),
        (
            r#"{"quant_method": "awq", "bits": 4, "group_size": 128}"#,
            WeightFormat::Awq4 { group: 128 },
        ),
        (
            r#"{"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_use_double_quant": true}"#,
            WeightFormat::Nf4 { double_quant: true },
        ),
        (
            r#"{"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "float"}}}}"#,
            WeightFormat::Fp8,
        ),
    ] {
        let text = llama("", &format!(", \"quantization_config\": {settings}"));
        assert_eq!(parse(&text).unwrap().stored, Some(format), "{settings}");
    }
}

#[test]
fn the_catalogue_holds_what_the_reader_makes_of_the_same_file() {
    let read = parse(&llama("", "")).unwrap().architecture;
    let shipped = Catalogue::shipped().get("meta-llama/Meta-Llama-3-8B").unwrap();
    assert_eq!(parameters::count(&read), parameters::count(shipped));
}

proptest! {
    #[test]
    fn no_number_panics(
        layers in any::<u64>(), hidden in any::<u64>(), heads in any::<u64>(), kv in any::<u64>(),
        width in any::<u64>(), vocab in any::<u64>(), experts in any::<u32>(),
    ) {
        let text = format!(
            r#"{{"model_type": "qwen3_moe", "num_hidden_layers": {layers}, "hidden_size": {hidden},
            "num_attention_heads": {heads}, "num_key_value_heads": {kv}, "head_dim": {heads},
            "intermediate_size": {width}, "moe_intermediate_size": {width},
            "num_experts": {experts}, "num_experts_per_tok": 1, "vocab_size": {vocab}}}"#
        );
        if let Ok(read) = parse(&text) {
            let _ = parameters::count(&read.architecture);
        }
    }

    #[test]
    fn small_numbers_of_any_family_never_panic(
        family in prop::sample::select(vec!["llama", "deepseek_v3", "qwen3_next", "mamba2", "jamba",
            "nemotron_h", "gemma3_text", "t5", "falcon", "bert", "gpt2", "qwen3_5", "mpt"]),
        numbers in prop::collection::vec(0_u32..5000, 12),
    ) {
        let names = ["num_hidden_layers", "hidden_size", "num_attention_heads", "vocab_size",
            "intermediate_size", "num_experts", "num_experts_per_tok", "moe_intermediate_size",
            "kv_lora_rank", "qk_rope_head_dim", "first_k_dense_replace", "full_attention_interval"];
        let fields: Vec<String> =
            names.iter().zip(&numbers).map(|(name, n)| format!("\"{name}\": {n}")).collect();
        let _ = parse(&format!(r#"{{"model_type": "{family}", {}}}"#, fields.join(", ")));
    }

    #[test]
    fn what_is_read_from_any_values_can_be_estimated_without_a_panic(
        family in prop::sample::select(vec!["llama", "deepseek_v3", "qwen3_next", "gemma2", "cohere",
            "gpt_oss", "mixtral", "t5", "bert", "phi", "a family of tomorrow"]),
        values in prop::collection::vec(prop::sample::select(vec!["0", "1", "7", "64", "4096",
            "4294967295", "18446744073709551615", "-1", "1e30", "0.5", "null", "true", "\"8\"",
            "[1, 2]", "{}", "[]", "\"\""]), 14),
    ) {
        let names = ["num_hidden_layers", "hidden_size", "num_attention_heads",
            "num_key_value_heads", "head_dim", "vocab_size", "intermediate_size", "num_experts",
            "num_local_experts", "num_experts_per_tok", "kv_lora_rank", "sliding_window",
            "layer_types", "quantization_config"];
        let fields: Vec<String> =
            names.iter().zip(&values).map(|(name, v)| format!("\"{name}\": {v}")).collect();
        let text = format!(r#"{{"model_type": "{family}", {}}}"#, fields.join(", "));
        if let Ok(read) = parse(&text) {
            for work in [Work::Inference(Inference::default()), Work::Training(Training::default())] {
                let setup = Setup { work, ..Setup::default() };
                let _ = memory::estimate(&read.architecture, &setup, None);
            }
        }
    }

    #[test]
    fn no_broken_text_panics(at in 0_usize..400, value in any::<u8>()) {
        let mut bytes = llama("", r#", "rope": {"a": [1, 2]}"#).into_bytes();
        let at = at % bytes.len();
        bytes[at] = value;
        let _ = parse(&String::from_utf8_lossy(&bytes));
    }
}
