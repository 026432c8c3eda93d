//! Which number formats a card can compute in, and what is used in place of those it lacks.

use crate::{Optimizer, Recipe, Setup, WeightFormat, Work};
use kasuan_model::{Card, Phrase};

/// The lowest compute capability with FP8 tensor cores (Ada and Hopper; NVIDIA CUDA C programming
/// guide, table of arithmetic support).
const FP8: (u32, u32) = (8, 9);

/// The lowest compute capability that GPTQ, AWQ and 8-bit integer kernels of serving engines ask
/// for (Turing; vLLM documentation, "Supported Hardware").
const INT4_KERNELS: (u32, u32) = (7, 5);

/// Says whether a card computes in BF16; `None` when its table row does not say.
pub(super) fn bf16(card: &Card) -> Option<bool> {
    card.bf16.or_else(|| card.compute_capability.map(|capability| capability >= (8, 0)))
}

/// Says whether a card computes in FP8; `None` when its table row does not say.
pub(super) fn fp8(card: &Card) -> Option<bool> {
    match (card.compute_capability, card.fp8_flops) {
        (Some(capability), _) => Some(capability >= FP8),
        (None, Some(rate)) => Some(rate > 0.0),
        (None, None) => None,
    }
}

/// Puts FP16 in place of BF16 on a card without it, as serving and training stacks do, and says
/// so.
///
/// Training keeps its memory layout: pure 16-bit training of every parameter is not stable in FP16
/// and becomes autocast over FP32 weights (PyTorch documentation of `torch.amp`); adapters run
/// under autocast over a 16-bit base.
pub fn adapted(setup: &Setup, card: &Card) -> (Setup, Vec<Phrase>) {
    let mut setup = setup.clone();
    let mut notes = Vec::new();
    if bf16(card) != Some(false) {
        return (setup, notes);
    }
    if setup.weights == WeightFormat::Bf16 {
        setup.weights = WeightFormat::Fp16;
        notes.push(Phrase::new("sizing-fit-fp16-in-place").with("card", &card.display));
    }
    if let Work::Training(training) = &mut setup.work
        && training.recipe == Recipe::PureBf16
    {
        if training.method.trains_adapters() {
            training.details.autocast = true;
        } else {
            training.recipe = Recipe::Autocast;
            notes.push(Phrase::new("sizing-fit-autocast-in-place").with("card", &card.display));
        }
    }
    (setup, notes)
}

/// Returns what a setup asks of a card that the card lacks.
pub(super) fn refusals(setup: &Setup, card: &Card) -> Vec<Phrase> {
    let mut refusals = Vec::new();
    if setup.weights == WeightFormat::Fp8 && fp8(card) == Some(false) {
        refusals.push(Phrase::new("sizing-fit-no-fp8").with("card", &card.display));
    }
    let integer_kernels = matches!(
        setup.weights,
        WeightFormat::Gptq4 { .. } | WeightFormat::Awq4 { .. } | WeightFormat::Int8
    );
    if integer_kernels && card.compute_capability.is_some_and(|c| c < INT4_KERNELS) {
        refusals.push(Phrase::new("sizing-fit-no-int4").with("card", &card.display));
    }
    let bitsandbytes = matches!(setup.weights, WeightFormat::Nf4 { .. })
        || matches!(&setup.work, Work::Training(training) if matches!(
            training.optimizer,
            Optimizer::AdamW8bit | Optimizer::PagedAdamW8bit | Optimizer::PagedAdamW32bit
        ));
    // bitsandbytes runs on other makers' cards too, but its table of kernels differs; only cards
    // that it has no backend for are refused.
    if bitsandbytes && !matches!(card.vendor.as_str(), "nvidia" | "amd" | "intel" | "huawei") {
        refusals.push(Phrase::new("sizing-fit-no-bitsandbytes").with("card", &card.display));
    }
    refusals
}
