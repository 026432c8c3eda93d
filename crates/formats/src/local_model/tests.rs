//! Tests over folders that the tests write: whole, partial, truncated, contradicting.

use super::*;
use crate::safetensors::{self, SafetensorsError};
use kasuan_model::Phrased as _;
use kasuan_sizing::Kind;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::io::Write as _;

/// A LLaMA of 2 layers and width 64: 2·(2·64·64 + 2·64·32 + 3·64·128 + 128) + 100·64·2 + 64.
const CONFIG: &str = r#"{"architectures": ["LlamaForCausalLM"], "model_type": "llama",
    "num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 100,
    "max_position_embeddings": 512, "torch_dtype": "bfloat16"}"#;

fn tensors(with_head: bool) -> Vec<(String, Vec<u64>)> {
    let mut tensors = vec![
        ("model.embed_tokens.weight".to_owned(), vec![100, 64]),
        ("model.norm.weight".to_owned(), vec![64]),
    ];
    if with_head {
        tensors.push(("lm_head.weight".to_owned(), vec![100, 64]));
    }
    for layer in 0..2 {
        for (name, shape) in [
            ("self_attn.q_proj", vec![64, 64]),
            ("self_attn.k_proj", vec![32, 64]),
            ("self_attn.v_proj", vec![32, 64]),
            ("self_attn.o_proj", vec![64, 64]),
            ("mlp.gate_proj", vec![128, 64]),
            ("mlp.up_proj", vec![128, 64]),
            ("mlp.down_proj", vec![64, 128]),
            ("input_layernorm", vec![64]),
            ("post_attention_layernorm", vec![64]),
        ] {
            tensors.push((format!("model.layers.{layer}.{name}.weight"), shape));
        }
    }
    tensors
}

/// Writes a safetensors file of BF16 zeros.
fn safetensors_file(tensors: &[(String, Vec<u64>)]) -> Vec<u8> {
    let mut header = Map::new();
    let mut at = 0;
    for (name, shape) in tensors {
        let end = at + shape.iter().product::<u64>() * 2;
        let entry = json!({"dtype": "BF16", "shape": shape, "data_offsets": [at, end]});
        header.insert(name.clone(), entry);
        at = end;
    }
    let text = Value::Object(header).to_string();
    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes.resize(bytes.len() + usize::try_from(at).unwrap(), 0);
    bytes
}

fn folder_with(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        File::create(folder.path().join(name)).unwrap().write_all(bytes).unwrap();
    }
    folder
}

#[test]
fn a_folder_is_sized_by_its_headers() {
    let weights = safetensors_file(&tensors(true));
    let folder =
        folder_with(&[("config.json", CONFIG.as_bytes()), ("model.safetensors", &weights)]);
    let model = open(folder.path()).unwrap();
    let parameters = 2 * (2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 128 + 128) + 100 * 64 * 2 + 64;
    assert_eq!(model.weights, Some(Bytes::new(parameters * 2)));
    assert_eq!(parameters::count(&model.architecture).total, parameters);
    assert_eq!(model.stored, Some(WeightFormat::Bf16));
    assert!(model.notes.is_empty() && !model.architecture.tied, "{:?}", model.notes);
}

#[test]
fn weights_without_a_head_make_it_an_embedding_model() {
    let weights = safetensors_file(&tensors(false));
    let folder =
        folder_with(&[("config.json", CONFIG.as_bytes()), ("model.safetensors", &weights)]);
    let model = open(folder.path()).unwrap();
    assert!(model.architecture.tied);
    assert_eq!(model.architecture.kind, Kind::Generator);
    assert_eq!(model.notes[0].key(), "sizing-weights-no-head");
}

#[test]
fn an_index_without_its_files_still_tells_the_size() {
    let index = json!({"metadata": {"total_size": 1_000_000},
        "weight_map": {"model.embed_tokens.weight": "model-00001-of-00002.safetensors",
            "lm_head.weight": "model-00002-of-00002.safetensors"}})
    .to_string();
    let folder = folder_with(&[
        ("config.json", CONFIG.as_bytes()),
        ("model.safetensors.index.json", index.as_bytes()),
    ]);
    let model = open(folder.path()).unwrap();
    assert_eq!(model.weights, Some(Bytes::new(1_000_000)));
    assert_eq!(model.notes[0].key(), "sizing-weights-missing-files");
}

#[test]
fn a_download_that_was_cut_is_told_with_both_sizes() {
    let whole = safetensors_file(&tensors(true));
    let cut = &whole[..whole.len() - 1000];
    let error = safetensors::header(&mut &cut[..], cut.len() as u64).unwrap_err();
    let SafetensorsError::Truncated { expected, found } = error else { panic!("{error}") };
    assert_eq!((expected, found), (whole.len() as u64, cut.len() as u64));
    let folder = folder_with(&[("config.json", CONFIG.as_bytes()), ("model.safetensors", cut)]);
    let error = open(folder.path()).unwrap_err();
    assert_eq!(error.phrase().key(), "sizing-weights-truncated");
    assert_eq!(error.hints()[0].key(), "sizing-local-file");
}

#[test]
fn what_is_no_model_is_refused_by_name() {
    let empty = folder_with(&[("readme.txt", b"hello")]);
    assert!(matches!(open(empty.path()), Err(LocalModelError::NoConfig { .. })));
    assert!(matches!(
        open(&empty.path().join("readme.txt")),
        Err(LocalModelError::UnknownKind { .. })
    ));
    assert!(matches!(open(&empty.path().join("nothing")), Err(LocalModelError::Io { .. })));
}

#[test]
fn headers_that_contradict_themselves_are_refused() {
    let file = |header: &str, data: usize| {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.resize(bytes.len() + data, 0);
        safetensors::header(&mut &bytes[..], bytes.len() as u64)
    };
    let overflow =
        r#"{"a":{"dtype":"F32","shape":[4294967296,4294967296,2],"data_offsets":[0,8]}}"#;
    assert!(matches!(file(overflow, 8), Err(SafetensorsError::Tensor { .. })));
    let backwards = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}"#;
    assert!(matches!(file(backwards, 8), Err(SafetensorsError::Tensor { .. })));
    let mismatch = r#"{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}"#;
    assert!(matches!(file(mismatch, 8), Err(SafetensorsError::Tensor { .. })));
    assert!(matches!(file("[1, 2]", 0), Err(SafetensorsError::Broken { .. })));
    let length = u64::MAX.to_le_bytes();
    let error = safetensors::header(&mut &length[..], 8).unwrap_err();
    assert!(matches!(error, SafetensorsError::HeaderTooLong { .. }), "{error}");
}

#[test]
fn a_header_that_ends_early_is_an_error_at_every_length() {
    let whole = safetensors_file(&tensors(true));
    let header = 8 + u64::from_le_bytes(whole.get(..8).unwrap().try_into().unwrap()) as usize;
    for length in 0..header {
        let cut = whole.get(..length).unwrap();
        assert!(safetensors::header(&mut &cut[..], length as u64).is_err(), "cut at {length}");
        assert!(safetensors::header(&mut &cut[..], u64::MAX).is_err(), "cut at {length}");
    }
}

proptest! {
    #[test]
    fn no_noise_panics(
        noise in prop::collection::vec(any::<u8>(), 0..512),
        length in any::<u64>(),
        claimed in any::<u64>(),
    ) {
        let _ = safetensors::header(&mut &noise[..], claimed);
        let mut bytes = (length % 600).to_le_bytes().to_vec();
        bytes.extend(noise);
        let _ = safetensors::header(&mut &bytes[..], bytes.len() as u64);
    }

    #[test]
    fn no_broken_header_panics(changes in prop::collection::vec((0_usize..4096, any::<u8>()), 1..16)) {
        let mut bytes = safetensors_file(&tensors(true));
        for (at, value) in changes {
            let at = at % bytes.len();
            bytes[at] = value;
        }
        let _ = safetensors::header(&mut &bytes[..], bytes.len() as u64);
    }
}
