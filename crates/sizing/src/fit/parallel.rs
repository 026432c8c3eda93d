//! How a model may be divided over cards, and what forbids it.

use crate::{Architecture, Attention, Engine, Parallelism, Setup, Sharding, WeightFormat, Work};
use kasuan_model::Phrase;

/// Says whether the query heads, the key heads and the experts of a model can be divided by a
/// tensor-parallel degree: query heads evenly, key heads evenly or each copied to whole cards
/// (vLLM `ModelConfig.verify_with_parallel_config`; Megatron-LM `--tensor-model-parallel-size`).
pub(super) fn divides(model: &Architecture, degree: u32) -> bool {
    let heads = degree > 0 && model.heads.is_multiple_of(degree);
    let keys = match model.attention {
        Attention::Latent { .. } => true,
        Attention::Grouped => {
            model.kv_heads.is_multiple_of(degree) || degree.is_multiple_of(model.kv_heads)
        }
    };
    heads && keys
}

/// Says whether an engine divides each matrix over cards; the others put whole layers on each.
pub(super) const fn divides_matrices(engine: Engine) -> bool {
    !matches!(engine, Engine::Transformers | Engine::LlamaCpp | Engine::Exllama)
}

/// Returns the ways to serve on `cards` cards, fastest first.
pub(super) fn serving(model: &Architecture, engine: Engine, cards: u32) -> Vec<Parallelism> {
    let mut ways = Vec::new();
    let mut tensor = cards;
    while tensor >= 1 {
        let allowed = if divides_matrices(engine) { divides(model, tensor) } else { tensor == 1 };
        let pipeline = cards / tensor;
        if cards.is_multiple_of(tensor) && allowed && pipeline <= model.layers {
            ways.push(Parallelism { tensor, pipeline, ..Parallelism::SINGLE });
        }
        tensor -= 1;
    }
    ways
}

/// Returns the ways to train on `cards` cards, least intrusive first: copies, ZeRO-2, ZeRO-3 or
/// FSDP, and at last states in host memory.
pub(super) fn training(
    setup: &Setup,
    insisted: Option<Sharding>,
    cards: u32,
    adapters: bool,
) -> Vec<Parallelism> {
    let quantised = is_quantised(setup.weights);
    let shardings: &[Sharding] = match insisted {
        Some(Sharding::None) => &[Sharding::None],
        Some(Sharding::Zero1) => &[Sharding::Zero1],
        Some(Sharding::Zero2) => &[Sharding::Zero2],
        Some(Sharding::Zero3) => &[Sharding::Zero3],
        Some(Sharding::Fsdp) => &[Sharding::Fsdp],
        None if cards == 1 => &[Sharding::None],
        // DDP leaves a quantised base whole on every card, and ZeRO-3 cannot split it; FSDP can
        // (bitsandbytes documentation, "FSDP-QLoRA").
        None if quantised => &[Sharding::None, Sharding::Fsdp],
        None if adapters => &[Sharding::None, Sharding::Zero3],
        None => &[Sharding::None, Sharding::Zero2, Sharding::Zero3],
    };
    let mut ways: Vec<Parallelism> = shardings
        .iter()
        .map(|sharding| Parallelism { data: cards, sharding: *sharding, ..Parallelism::SINGLE })
        .collect();
    if insisted.is_none() && !adapters {
        ways.push(Parallelism {
            data: cards,
            sharding: Sharding::Zero2,
            offload_optimizer: true,
            ..Parallelism::SINGLE
        });
    }
    ways
}

/// Says whether the weights are stored in fewer than 16 bits.
pub(super) const fn is_quantised(format: WeightFormat) -> bool {
    !matches!(format, WeightFormat::Fp32 | WeightFormat::Bf16 | WeightFormat::Fp16)
}

/// Returns what forbids to divide a model the way a setup does.
pub(super) fn refusals(model: &Architecture, setup: &Setup) -> Vec<Phrase> {
    let mut refusals = Vec::new();
    let Parallelism { tensor, pipeline, sharding, .. } = setup.parallelism;
    if tensor > 1 && !divides(model, tensor) {
        refusals.push(
            Phrase::new("sizing-fit-heads-not-divisible")
                .with("heads", model.heads)
                .with("kv_heads", model.kv_heads)
                .with("degree", tensor),
        );
    }
    if pipeline > model.layers {
        refusals.push(
            Phrase::new("sizing-fit-too-few-layers")
                .with("layers", model.layers)
                .with("degree", pipeline),
        );
    }
    let zero3_over_bits = matches!(setup.work, Work::Training(_))
        && sharding == Sharding::Zero3
        && is_quantised(setup.weights);
    if zero3_over_bits {
        refusals.push(Phrase::new("sizing-fit-zero3-quantised"));
    }
    refusals
}
