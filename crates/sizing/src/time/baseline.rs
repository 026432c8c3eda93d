//! A user's own measurements: they replace the estimate on the measured card and correct the others.

use super::Rate;
use kasuan_model::{CardId, Confidence, Estimate};

/// What kind of run was measured; corrections carry over only within a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunKind {
    /// Full training or pretraining.
    Training,
    /// LoRA.
    Lora,
    /// QLoRA.
    Qlora,
    /// Reading prompts.
    Prefill,
    /// Writing tokens in small batches.
    Decode,
    /// Serving under load.
    Serving,
}

/// One measured run of the user and what the model said for the very same setup.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The card it ran on.
    pub card: CardId,
    /// Measured tokens per second.
    pub tokens_per_second: f64,
    /// The likely rate that was predicted for it.
    pub predicted: f64,
}

/// How many runs it takes until measurements weigh as much as the model.
///
/// One run is worth most in training (its error is shared by all cards) and least in decoding; the
/// figures are judgement, checked on held-out sources, not a fit.
const fn prior_runs(kind: RunKind) -> f64 {
    match kind {
        RunKind::Training | RunKind::Lora | RunKind::Qlora => 1.0,
        RunKind::Serving => 3.0,
        RunKind::Prefill | RunKind::Decode => 4.0,
    }
}

/// Corrects an estimate by the user's own runs of the same kind and stack.
///
/// With a run on the same card the measured rate stands, scaled only by how the setups differ.
/// Otherwise the mean log error of the runs corrects the estimate, shrunk by n / (n + k).
pub fn rescale(rate: &Rate, card: &CardId, kind: RunKind, runs: &[Measured]) -> Rate {
    let logs = |same: bool| -> Vec<f64> {
        runs.iter()
            .filter(|run| !same || run.card == *card)
            .map(|run| (run.tokens_per_second / run.predicted).ln())
            .filter(|log| log.is_finite())
            .collect()
    };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let own = logs(true);
    if !own.is_empty() {
        let factor = mean(&own).exp();
        let likely = rate.tokens_per_second.likely * factor;
        // Repeated runs of one setup on one card differ by a few per cent.
        return Rate {
            tokens_per_second: Estimate::new(likely / 1.1, likely, likely * 1.1),
            confidence: Confidence::High,
            ..*rate
        };
    }
    let others = logs(false);
    if others.is_empty() {
        return *rate;
    }
    let n = others.len() as f64;
    let factor = (n / (n + prior_runs(kind)) * mean(&others)).exp();
    Rate { tokens_per_second: rate.tokens_per_second.map(|r| r * factor), ..*rate }
}
