//! Tests of reading GGUF: a file written by the test, and the same file broken in every way.

use super::*;
use kasuan_sizing::Mlp;
use proptest::prelude::*;

fn text(into: &mut Vec<u8>, text: &str) {
    into.extend((text.len() as u64).to_le_bytes());
    into.extend(text.as_bytes());
}

fn count(into: &mut Vec<u8>, key: &str, value: u32) {
    text(into, key);
    into.extend(4_u32.to_le_bytes());
    into.extend(value.to_le_bytes());
}

/// A two-layer LLaMA of width 256 in Q8_0, laid out as `docs/gguf.md` says.
fn file() -> Vec<u8> {
    let mut tensors: Vec<(String, Vec<u64>, u32)> = vec![
        ("token_embd.weight".to_owned(), vec![256, 1000], 8),
        ("output_norm.weight".to_owned(), vec![256], 0),
        ("output.weight".to_owned(), vec![256, 1000], 14),
    ];
    for layer in 0..2 {
        for (name, shape) in [
            ("attn_q", vec![256, 256]),
            ("attn_k", vec![256, 128]),
            ("attn_v", vec![256, 128]),
            ("attn_output", vec![256, 256]),
            ("ffn_gate", vec![256, 512]),
            ("ffn_up", vec![256, 512]),
            ("ffn_down", vec![512, 256]),
        ] {
            tensors.push((format!("blk.{layer}.{name}.weight"), shape, 8));
        }
        for name in ["attn_norm", "ffn_norm"] {
            tensors.push((format!("blk.{layer}.{name}.weight"), vec![256], 0));
        }
    }
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3_u32.to_le_bytes());
    bytes.extend((tensors.len() as u64).to_le_bytes());
    bytes.extend(9_u64.to_le_bytes());
    text(&mut bytes, "general.architecture");
    bytes.extend(8_u32.to_le_bytes());
    text(&mut bytes, "llama");
    count(&mut bytes, "general.file_type", 7);
    count(&mut bytes, "llama.block_count", 2);
    count(&mut bytes, "llama.embedding_length", 256);
    count(&mut bytes, "llama.feed_forward_length", 512);
    count(&mut bytes, "llama.attention.head_count", 4);
    count(&mut bytes, "llama.attention.head_count_kv", 2);
    count(&mut bytes, "llama.context_length", 4096);
    text(&mut bytes, "tokenizer.ggml.tokens");
    bytes.extend(9_u32.to_le_bytes());
    bytes.extend(8_u32.to_le_bytes());
    bytes.extend(1000_u64.to_le_bytes());
    for _ in 0..1000 {
        text(&mut bytes, "tok");
    }
    for (name, shape, kind) in tensors {
        text(&mut bytes, &name);
        bytes.extend((shape.len() as u32).to_le_bytes());
        for side in shape {
            bytes.extend(side.to_le_bytes());
        }
        bytes.extend(kind.to_le_bytes());
        bytes.extend(0_u64.to_le_bytes());
    }
    bytes
}

fn parse(bytes: &[u8]) -> Result<GgufModel, GgufError> {
    read(bytes, bytes.len() as u64)?.model("test", Source::stated("test"))
}

#[test]
fn a_llama_file_gives_its_configuration_and_exact_size() {
    let model = parse(&file()).unwrap();
    let shape = &model.architecture;
    assert_eq!((shape.layers, shape.hidden, shape.heads, shape.kv_heads), (2, 256, 4, 2));
    assert_eq!((shape.head_dim, shape.vocab, shape.intermediate), (64, 1000, 512));
    assert!(!shape.tied && shape.mlp == Mlp::Gated);
    assert_eq!(model.stored, Some(WeightFormat::Gguf(kasuan_sizing::GgufMix::Q8_0)));
    // By hand: Q8_0 is 34 bytes for 32 weights, Q6_K 210 for 256, norms 4 bytes each.
    let q8 = 256_000 + 2 * (2 * 256 * 256 + 2 * 256 * 128 + 3 * 256 * 512);
    assert_eq!(model.weights.get(), q8 / 32 * 34 + 256_000 / 256 * 210 + 5 * 256 * 4);
    assert_eq!(shape.other_parameters, 0, "every tensor is counted by the normal form");
    assert!(model.notes.is_empty());
}

#[test]
fn a_file_cut_anywhere_is_a_clear_error() {
    let whole = file();
    for at in 0..whole.len() {
        let error = parse(&whole[..at]).unwrap_err();
        assert!(matches!(error, GgufError::Truncated { .. }), "{at}: {error}");
    }
}

#[test]
fn claims_larger_than_the_file_are_refused_before_memory_is_taken() {
    let mut tensors = file();
    tensors[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(matches!(parse(&tensors), Err(GgufError::TooMany { what: "tensors", .. })));
    let mut length = file();
    length[24..32].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(matches!(parse(&length), Err(GgufError::Truncated { .. })));
    let mut swapped = file();
    swapped[4..8].copy_from_slice(&3_u32.to_be_bytes());
    assert!(matches!(parse(&swapped), Err(GgufError::BigEndian)));
    assert!(matches!(parse(b"PK\x03\x04 a zip file"), Err(GgufError::NotGguf)));
}

#[test]
fn a_file_that_ends_anywhere_before_its_tensors_is_an_error_at_every_length() {
    let whole = file();
    // The file of this test is its table alone: no bytes of tensors follow.
    for length in (0..400).chain((400..whole.len()).step_by(61)) {
        let cut = whole.get(..length).unwrap();
        assert!(read(cut, cut.len() as u64).is_err(), "cut at {length}");
        // A file that claims to be longer than what can be read of it.
        assert!(read(cut, u64::MAX).is_err(), "cut at {length}");
    }
}

proptest! {
    #[test]
    fn no_broken_file_panics(changes in prop::collection::vec((0_usize..2048, any::<u8>()), 1..24)) {
        let mut bytes = file();
        for (at, value) in changes {
            let at = at % bytes.len();
            bytes[at] = value;
        }
        let _ = parse(&bytes);
    }

    #[test]
    fn no_noise_panics(noise in prop::collection::vec(any::<u8>(), 0..512)) {
        let mut bytes = b"GGUF\x03\0\0\0".to_vec();
        bytes.extend(noise);
        let _ = parse(&bytes);
    }
}
