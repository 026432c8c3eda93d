//! Bytes of cached keys and values, and of recurrent state.

use super::widths::Widths;
use crate::{Architecture, Attention, Kind, KvFormat};

impl KvFormat {
    /// Returns the bytes of one cached value.
    ///
    /// llama.cpp blocks of 32 values carry one FP16 scale: 8.5 and 4.5 bits.
    pub fn bytes_per_value(self) -> f64 {
        match self {
            Self::Bits32 => 4.0,
            Self::Bits16 => 2.0,
            Self::Fp8 | Self::Int8 => 1.0,
            Self::Q8_0 => 8.5 / 8.0,
            Self::Q4_0 => 4.5 / 8.0,
        }
    }
}

/// Returns the bytes that one token of one sequence adds to the cache of the whole model.
///
/// Grouped attention: `2 * layers * kv_heads * head_dim * bytes`; latent attention:
/// `layers * (kv_rank + rope_dim) * bytes`. Recurrent layers add nothing per token, and models that
/// return a vector or a score keep nothing beyond a pass.
pub fn kv_bytes_per_token(architecture: &Architecture, format: KvFormat) -> f64 {
    caching_layers(architecture) * layer_bytes(architecture, (format, format), false)
}

/// Returns the bytes of a cache of `tokens` tokens for each of `sequences` sequences, keys and
/// values in their formats.
///
/// Where `caps_windows`, layers with a sliding window hold at most the window; recurrent layers hold
/// a constant state.
pub(crate) fn bytes(
    architecture: &Architecture,
    formats: (KvFormat, KvFormat),
    tokens: f64,
    sequences: f64,
    caps_windows: bool,
    padded: bool,
) -> f64 {
    let per_layer = layer_bytes(architecture, formats, padded);
    let layers = caching_layers(architecture);
    let full = match architecture.full_attention_layers {
        Some(full) if architecture.recurrent.is_none() => f64::from(full).min(layers),
        _ => layers,
    };
    let window = architecture.sliding_window.filter(|_| caps_windows).map(f64::from);
    let sliding = match window {
        Some(window) => (layers - full) * tokens.min(window),
        None => (layers - full) * tokens,
    };
    let state = architecture.recurrent.map_or(0.0, |r| f64::from(r.layers) * r.state_bytes as f64);
    sequences * ((full * tokens + sliding) * per_layer + state)
}

/// Returns how many layers keep a cache that grows: none in a model that reads a text once.
fn caching_layers(a: &Architecture) -> f64 {
    match a.kind {
        Kind::Generator => f64::from(a.attention_layers()),
        Kind::Encoder => 0.0,
    }
}

fn layer_bytes(a: &Architecture, formats: (KvFormat, KvFormat), padded: bool) -> f64 {
    let w = Widths::of(a);
    let (keys, values) = (formats.0.bytes_per_value(), formats.1.bytes_per_value());
    match a.attention {
        Attention::Grouped => w.kv_heads * w.head_dim * (keys + values),
        Attention::Latent { kv_rank, rope_dim, .. } => {
            let width = f64::from(kv_rank) + f64::from(rope_dim);
            // 576 values became 640 (a public log of vLLM 0.7.3: 34,560 bytes a token in 27 layers).
            (if padded { (width / 128.0).ceil() * 128.0 } else { width }) * keys
        }
    }
}
