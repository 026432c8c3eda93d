//! The widths of a model as floats, and the linear layers that adapters stand beside.

use crate::{Architecture, Attention, LoraTarget};

/// Input and output widths of one linear layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Linear {
    /// Width of what goes in.
    pub(crate) input: f64,
    /// Width of what comes out.
    pub(crate) output: f64,
}

/// The widths that the formulas use, as floats so that absurd sizes cannot overflow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Widths {
    pub(crate) layers: f64,
    pub(crate) hidden: f64,
    pub(crate) heads: f64,
    pub(crate) kv_heads: f64,
    pub(crate) head_dim: f64,
    pub(crate) query: f64,
    pub(crate) kv: f64,
    pub(crate) feed_forward: f64,
    pub(crate) vocab: f64,
}

impl Widths {
    pub(crate) fn of(a: &Architecture) -> Self {
        let (heads, kv_heads, head_dim) =
            (f64::from(a.heads), f64::from(a.kv_heads), f64::from(a.head_dim));
        let (query, kv) = match a.attention {
            Attention::Grouped => (heads * head_dim, kv_heads * head_dim),
            Attention::Latent { rope_dim, nope_dim, .. } => {
                let width = heads * (f64::from(rope_dim) + f64::from(nope_dim));
                (width, width)
            }
        };
        Self {
            layers: f64::from(a.layers),
            hidden: f64::from(a.hidden),
            heads,
            kv_heads,
            head_dim,
            query,
            kv,
            feed_forward: f64::from(a.intermediate),
            vocab: f64::from(a.vocab),
        }
    }
}

/// Returns the linear layer that an adapter stands beside, and how many of them the model has.
pub(crate) fn target(a: &Architecture, target: LoraTarget) -> (Linear, f64) {
    let w = Widths::of(a);
    let (hidden, ff) = (w.hidden, w.feed_forward);
    let blocks = match a.experts {
        // Adapters on the matrices of every expert (`Gate`, `Up`, `Down` of each).
        Some(e) if matches!(target, LoraTarget::Gate | LoraTarget::Up | LoraTarget::Down) => {
            let width = f64::from(e.intermediate);
            let count = (w.layers - f64::from(e.dense_layers)).max(0.0) * f64::from(e.experts);
            let linear = match target {
                LoraTarget::Down => Linear { input: width, output: hidden },
                _ => Linear { input: hidden, output: width },
            };
            return (linear, count);
        }
        _ => w.layers,
    };
    let linear = match target {
        LoraTarget::Q => Linear { input: hidden, output: w.query },
        LoraTarget::K | LoraTarget::V => Linear { input: hidden, output: w.kv },
        LoraTarget::O => Linear { input: w.query, output: hidden },
        LoraTarget::Gate | LoraTarget::Up => Linear { input: hidden, output: ff },
        LoraTarget::Down => Linear { input: ff, output: hidden },
        LoraTarget::Embedding | LoraTarget::Head => {
            return (Linear { input: hidden, output: w.vocab }, 1.0);
        }
    };
    (linear, blocks)
}
