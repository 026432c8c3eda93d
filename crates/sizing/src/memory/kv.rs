//! Bytes of cached keys and values, and of recurrent state.

use super::widths::Widths;
use crate::{Architecture, Attention, KvFormat};

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
/// `layers * (kv_rank + rope_dim) * bytes`. Recurrent layers add nothing per token.
pub fn kv_bytes_per_token(architecture: &Architecture, format: KvFormat) -> f64 {
    caching_layers(architecture) * layer_bytes_per_token(architecture, format)
}

/// Returns the bytes that a cache of `tokens` tokens takes for each of `sequences` sequences.
///
/// Layers with a sliding window hold at most the window; recurrent layers a constant state.
pub fn kv_bytes(
    architecture: &Architecture,
    format: KvFormat,
    tokens: u32,
    sequences: u32,
    caps_windows: bool,
) -> f64 {
    let per_layer = layer_bytes_per_token(architecture, format);
    let layers = caching_layers(architecture);
    let tokens = f64::from(tokens);
    let full = match architecture.full_attention_layers {
        Some(full) if architecture.recurrent.is_none() => f64::from(full).min(layers),
        _ => layers,
    };
    let window = architecture.sliding_window.filter(|_| caps_windows).map(f64::from);
    let sliding = match window {
        Some(window) if architecture.full_attention_layers.is_some() => {
            (layers - full) * tokens.min(window)
        }
        _ => (layers - full) * tokens,
    };
    let state = architecture.recurrent.map_or(0.0, |r| f64::from(r.layers) * r.state_bytes as f64);
    f64::from(sequences) * ((full * tokens + sliding) * per_layer + state)
}

/// Returns how many layers keep a cache that grows.
fn caching_layers(a: &Architecture) -> f64 {
    let layers = f64::from(a.layers);
    match (a.recurrent, a.full_attention_layers) {
        (Some(_), Some(full)) => f64::from(full).min(layers),
        (Some(recurrent), None) => (layers - f64::from(recurrent.layers)).max(0.0),
        (None, _) => layers,
    }
}

fn layer_bytes_per_token(a: &Architecture, format: KvFormat) -> f64 {
    let w = Widths::of(a);
    match a.attention {
        Attention::Grouped => 2.0 * w.kv_heads * w.head_dim * format.bytes_per_value(),
        Attention::Latent { kv_rank, rope_dim, .. } => {
            (f64::from(kv_rank) + f64::from(rope_dim)) * format.bytes_per_value()
        }
    }
}
