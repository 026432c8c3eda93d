//! What to change so that a setup fits a card, cheapest first, each step with what it gives up.

use super::{Axis, Fit, fits, largest, parallel, precision};
use crate::{
    Architecture, AttentionKernel, Checkpointing, KvFormat, LoraTarget, Loss, Method, Optimizer,
    Parallelism, Recipe, Setup, Sharding, SizingError, Training, WeightFormat, Work,
};
use kasuan_model::{Bytes, Card, Phrase};

/// A change, on top of those before it in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Remedy {
    /// What to change.
    pub change: Phrase,
    /// What it gives up.
    pub price: Phrase,
    /// What it saves on the fullest card, measured at the upper bound.
    pub saves: Bytes,
    /// The setup with this and all earlier changes.
    pub fit: Fit,
}

/// A step to try: the setup it leads to, in words what it changes and gives up.
type Step = (Setup, Phrase, Phrase);

/// The ways to make a setup fit a card.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remedies {
    /// Changes on the same card, in the order of what they give up: first those that change
    /// nothing but speed, then numbers, then what is trained. Each stands on those before it; the
    /// list stops at the first that fits, and does not fit when its last does not.
    pub changes: Vec<Remedy>,
    /// More of the same cards, with the user's own settings where that is enough, else with all of
    /// the changes; `None` when no number up to the most does.
    pub more_cards: Option<Remedy>,
    /// The user's own settings with fewer sequences at once or shorter ones, as far as it fits;
    /// `None` when not even one short sequence does.
    pub less: Option<Remedy>,
}

/// Returns what to change so that a setup fits a card; nothing when it fits as it is.
///
/// # Errors
/// What [`crate::memory::estimate`] refuses.
pub fn remedies(
    model: &Architecture,
    setup: &Setup,
    card: &Card,
    headroom: f64,
    most_cards: u32,
) -> Result<Remedies, SizingError> {
    let wanted = fits(model, setup, card, headroom)?;
    if wanted.fits {
        return Ok(Remedies::default());
    }
    let steps: &[fn(&Setup, &Card) -> Option<Step>] = match &setup.work {
        Work::Training(_) => &[
            checkpointing,
            attention,
            fused_loss,
            micro_batch,
            eight_bit_optimizer,
            sixteen_bit_recipe,
            quantised_base,
            adapters,
            quantised_base,
        ],
        Work::Inference(_) => &[attention, fp8_cache, eight_bit_weights, four_bit_weights],
    };
    let mut now = wanted.clone();
    let mut changes = Vec::new();
    for step in steps {
        if now.fits {
            break;
        }
        let Some((next, change, price)) = step(&now.setup, card) else { continue };
        let fit = fits(model, &next, card, headroom)?;
        let saves = now.memory.needed.saturating_sub(fit.memory.needed);
        if saves > Bytes::ZERO && (fit.possible || !now.possible) {
            now = fit.clone();
            changes.push(Remedy { change, price, saves, fit });
        }
    }
    Ok(Remedies {
        more_cards: shard(model, &wanted, &now, card, headroom, most_cards)?,
        less: fewer(model, &wanted, card, headroom)?,
        changes,
    })
}

fn training(setup: &Setup) -> Option<&Training> {
    match &setup.work {
        Work::Training(training) => Some(training),
        Work::Inference(_) => None,
    }
}

fn changed(setup: &Setup, change: impl FnOnce(&mut Training)) -> Setup {
    let mut setup = setup.clone();
    if let Work::Training(training) = &mut setup.work {
        change(training);
    }
    setup
}

fn checkpointing(setup: &Setup, _card: &Card) -> Option<Step> {
    let off = training(setup)?.checkpointing != Checkpointing::Full;
    off.then(|| {
        (
            changed(setup, |training| training.checkpointing = Checkpointing::Full),
            Phrase::new("sizing-remedy-checkpointing"),
            // One more forward pass on top of forward and backward: 4/3 of the work.
            Phrase::new("sizing-remedy-price-slower").with("percent", 33),
        )
    })
}

fn attention(setup: &Setup, card: &Card) -> Option<Step> {
    // FlashAttention 2 needs Ampere; PyTorch's memory-efficient kernel behind SDPA runs before it.
    let kernel = if precision::bf16(card) == Some(false) {
        AttentionKernel::Sdpa
    } else {
        AttentionKernel::Flash
    };
    let mut next = setup.clone();
    let used = match &mut next.work {
        Work::Training(training) => &mut training.attention,
        Work::Inference(inference) => &mut inference.attention,
    };
    if *used != AttentionKernel::Eager {
        return None;
    }
    *used = kernel;
    let change = Phrase::new("sizing-remedy-attention");
    Some((next, change, Phrase::new("sizing-remedy-price-nothing")))
}

fn fused_loss(setup: &Setup, _card: &Card) -> Option<Step> {
    (training(setup)?.loss == Loss::Eager).then(|| {
        (
            changed(setup, |training| training.loss = Loss::Fused),
            Phrase::new("sizing-remedy-fused-loss"),
            Phrase::new("sizing-remedy-price-dependency"),
        )
    })
}

fn micro_batch(setup: &Setup, _card: &Card) -> Option<Step> {
    let training = training(setup)?;
    let (batch, accumulation) = (training.micro_batch, training.accumulation);
    (batch > 1).then(|| {
        let passes = accumulation.saturating_mul(batch);
        (
            changed(setup, |training| {
                training.micro_batch = 1;
                training.accumulation = passes;
            }),
            Phrase::new("sizing-remedy-micro-batch").with("passes", passes),
            Phrase::new("sizing-remedy-price-utilisation"),
        )
    })
}

fn eight_bit_optimizer(setup: &Setup, _card: &Card) -> Option<Step> {
    let training = training(setup)?;
    let wide = matches!(training.optimizer, Optimizer::AdamW | Optimizer::PagedAdamW32bit);
    (wide && !training.method.trains_adapters()).then(|| {
        (
            changed(setup, |training| training.optimizer = Optimizer::PagedAdamW8bit),
            Phrase::new("sizing-remedy-eight-bit-optimizer"),
            Phrase::new("sizing-remedy-price-small-risk"),
        )
    })
}

fn sixteen_bit_recipe(setup: &Setup, card: &Card) -> Option<Step> {
    let training = training(setup)?;
    let wide = training.recipe != Recipe::PureBf16 && !training.method.trains_adapters();
    (wide && precision::bf16(card) != Some(false)).then(|| {
        (
            changed(setup, |training| training.recipe = Recipe::PureBf16),
            Phrase::new("sizing-remedy-pure-bf16"),
            Phrase::new("sizing-remedy-price-rounding"),
        )
    })
}

fn quantised_base(setup: &Setup, _card: &Card) -> Option<Step> {
    let adapters = training(setup)?.method.trains_adapters();
    (adapters && !parallel::is_quantised(setup.weights)).then(|| qlora(setup))
}

fn qlora(setup: &Setup) -> Step {
    let weights = WeightFormat::Nf4 { double_quant: true };
    let next = Setup { weights, exact_weights: None, ..setup.clone() };
    let change = Phrase::new("sizing-remedy-qlora");
    (next, change, Phrase::new("sizing-remedy-price-qlora"))
}

fn adapters(setup: &Setup, _card: &Card) -> Option<Step> {
    (!training(setup)?.method.trains_adapters()).then(|| {
        (
            changed(setup, |training| {
                training.method = Method::Lora {
                    rank: 16,
                    targets: LoraTarget::ALL_LINEAR.to_vec(),
                    dora: false,
                };
                training.recipe = Recipe::PureBf16;
                training.optimizer = Optimizer::AdamW;
            }),
            Phrase::new("sizing-remedy-lora").with("rank", 16),
            Phrase::new("sizing-remedy-price-lora"),
        )
    })
}

fn fp8_cache(setup: &Setup, card: &Card) -> Option<Step> {
    let Work::Inference(inference) = &setup.work else { return None };
    // vLLM stores an FP8 cache on any card, and computes with it after a cast.
    if inference.kv != KvFormat::Bits16 || precision::bf16(card) == Some(false) {
        return None;
    }
    let mut inference = inference.clone();
    inference.kv = KvFormat::Fp8;
    let next = Setup { work: Work::Inference(inference), ..setup.clone() };
    let change = Phrase::new("sizing-remedy-fp8-cache");
    Some((next, change, Phrase::new("sizing-remedy-price-small-risk")))
}

fn eight_bit_weights(setup: &Setup, card: &Card) -> Option<Step> {
    if parallel::is_quantised(setup.weights) {
        return None;
    }
    let weights =
        if precision::fp8(card) == Some(true) { WeightFormat::Fp8 } else { WeightFormat::Int8 };
    let next = Setup { weights, exact_weights: None, ..setup.clone() };
    let change = Phrase::new("sizing-remedy-eight-bit-weights");
    Some((next, change, Phrase::new("sizing-remedy-price-small-risk")))
}

fn four_bit_weights(setup: &Setup, _card: &Card) -> Option<Step> {
    if !matches!(
        setup.weights,
        WeightFormat::Fp8 | WeightFormat::Int8 | WeightFormat::Bf16 | WeightFormat::Fp16
    ) {
        return None;
    }
    let weights = WeightFormat::Awq4 { group: 128 };
    let next = Setup { weights, exact_weights: None, ..setup.clone() };
    let change = Phrase::new("sizing-remedy-four-bit-weights");
    Some((next, change, Phrase::new("sizing-remedy-price-four-bits")))
}

/// Fewer sequences at once, or shorter ones, where that alone is enough.
fn fewer(
    model: &Architecture,
    now: &Fit,
    card: &Card,
    headroom: f64,
) -> Result<Option<Remedy>, SizingError> {
    let axis = match &now.setup.work {
        Work::Inference(inference) if inference.concurrency > 1 => Axis::Concurrency,
        Work::Inference(_) => Axis::Context,
        Work::Training(training) if training.micro_batch > 1 => Axis::MicroBatch,
        Work::Training(_) => Axis::Sequence,
    };
    let Some(most) = largest(model, &now.setup, card, headroom, axis)? else { return Ok(None) };
    let Some(setup) = axis.at(&now.setup, most) else { return Ok(None) };
    let fit = fits(model, &setup, card, headroom)?;
    let saves = now.memory.needed.saturating_sub(fit.memory.needed);
    let (change, price) = match axis {
        Axis::Concurrency => (
            Phrase::new("sizing-remedy-concurrency").with("most", most),
            Phrase::new("sizing-remedy-price-queue"),
        ),
        Axis::MicroBatch => (
            Phrase::new("sizing-remedy-micro-batch-most").with("most", most),
            Phrase::new("sizing-remedy-price-utilisation"),
        ),
        Axis::Context => (
            Phrase::new("sizing-remedy-context").with("most", most),
            Phrase::new("sizing-remedy-price-cut"),
        ),
        Axis::Sequence => (
            Phrase::new("sizing-remedy-sequence").with("most", most),
            Phrase::new("sizing-remedy-price-cut"),
        ),
    };
    Ok(Some(Remedy { change, price, saves, fit }))
}

/// More cards, with the setup as the user wanted it or else with all changes.
fn shard(
    model: &Architecture,
    wanted: &Fit,
    changed: &Fit,
    card: &Card,
    headroom: f64,
    most_cards: u32,
) -> Result<Option<Remedy>, SizingError> {
    for setup in [&wanted.setup, &changed.setup] {
        let mut cards = 2_u32;
        while cards <= most_cards {
            let ways = match &setup.work {
                Work::Inference(inference) => parallel::serving(model, inference.engine, cards),
                Work::Training(training) => {
                    parallel::training(setup, None, cards, training.method.trains_adapters())
                }
            };
            for parallelism in ways {
                let next = Setup { parallelism, ..setup.clone() };
                let fit = fits(model, &next, card, headroom)?;
                if fit.fits {
                    let saves = wanted.memory.needed.saturating_sub(fit.memory.needed);
                    let change = sharing(cards, parallelism);
                    let price = Phrase::new("sizing-remedy-price-cards").with("cards", cards);
                    return Ok(Some(Remedy { change, price, saves, fit }));
                }
            }
            cards = cards.saturating_mul(2);
        }
    }
    Ok(None)
}

/// Says how so many cards share the work.
fn sharing(cards: u32, parallelism: Parallelism) -> Phrase {
    if parallelism.tensor > 1 || parallelism.pipeline > 1 {
        return Phrase::new("sizing-remedy-split")
            .with("cards", cards)
            .with("tensor", parallelism.tensor)
            .with("pipeline", parallelism.pipeline);
    }
    let sharding = match parallelism.sharding {
        Sharding::None => "DDP",
        Sharding::Zero1 => "ZeRO-1",
        Sharding::Zero2 => "ZeRO-2",
        Sharding::Zero3 => "ZeRO-3",
        Sharding::Fsdp => "FSDP",
    };
    Phrase::new("sizing-remedy-shard").with("cards", cards).with("sharding", sharding)
}
