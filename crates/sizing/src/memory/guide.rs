//! The rule of thumb of the founding guide, for display beside the estimate.

use crate::{Architecture, Method, Setup, Work, parameters::count};
use kasuan_model::Bytes;

/// Returns what the guide's formulas say a setup needs on all cards together.
///
/// Weights times 1.2 and `2 * layers * hidden * tokens * sequences * 2` for a service; weights times
/// 1.5 for LoRA; 11 GB for each 7 billion parameters for QLoRA; 16 bytes a parameter for full
/// training. They are shown because people know them, not because they are right.
pub fn guide_rule(architecture: &Architecture, setup: &Setup) -> Bytes {
    let parameters = count(architecture).total as f64;
    let bits = super::weights::bits(setup.weights).matrix;
    let bytes = match &setup.work {
        Work::Inference(i) => {
            let tokens = f64::from(i.prompt.saturating_add(i.generated));
            let cache = 2.0
                * f64::from(architecture.layers)
                * f64::from(architecture.hidden)
                * tokens
                * f64::from(i.concurrency)
                * 2.0;
            // The guide knows 4, 2, 1 and half a byte, without scales.
            parameters * (bits / 8.0 * 2.0).floor() / 2.0 * 1.2 + cache
        }
        Work::Training(t) => match t.method {
            Method::Lora { .. } if bits < 8.0 => parameters * 11.0 / 7.0,
            Method::Lora { .. } => parameters * 2.0 * 1.5,
            _ => parameters * 16.0,
        },
    };
    Bytes::from_estimate(bytes)
}
