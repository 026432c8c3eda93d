//! Training rates: arithmetic of the three passes, the host, the links, and widened weights.

use super::{
    Coefficients, Declined, Hardware, Limit, ModelWork, Rate,
    hardware::{Arithmetic, family},
    interconnect::Links,
    ranges::{self, Ground},
    work::block_bytes,
};
use crate::{
    Architecture, Checkpointing, Method, Setup, Sharding, Training, TrainingStack, WeightFormat,
    Work,
};
use kasuan_model::{Card, Interconnect};

/// Estimates the tokens per second of a training run on all of its cards together.
///
/// Padding counts as tokens; [`super::padding`] turns samples into padded tokens.
pub fn training_rate(
    model: &Architecture,
    setup: &Setup,
    card: &Card,
    interconnect: Interconnect,
) -> Result<Rate, Declined> {
    training_rate_with(&ModelWork::of(model), setup, card, interconnect, Coefficients::shipped())
}

/// [`training_rate`] with counted work and given coefficients, for calibration.
pub fn training_rate_with(
    work: &ModelWork,
    setup: &Setup,
    card: &Card,
    interconnect: Interconnect,
    c: &Coefficients,
) -> Result<Rate, Declined> {
    let Work::Training(training) = &setup.work else {
        return Err(Declined::WrongWork { asked: "training", found: "inference" });
    };
    let hardware = Hardware::of(card, c)?;
    let links = Links::of(&hardware, interconnect);
    let parts = Parts::of(work, setup, training, &hardware, family(card), links, c)?;
    let seconds = parts.seconds();
    let likely = parts.tokens / seconds;
    if !(likely.is_finite() && likely > 0.0) {
        return Err(Declined::Degenerate { what: "the size of the training run" });
    }
    let kind = match (&training.method, is_four_bit(setup.weights)) {
        (Method::Lora { .. }, true) => "qlora",
        (Method::Lora { .. }, false) => "lora",
        _ => "training",
    };
    let step = f64::from(training.micro_batch) * f64::from(training.sequence);
    let offloads = setup.parallelism.offload_optimizer || setup.parallelism.offload_weights;
    let cards = f64::from(setup.parallelism.cards());
    let shards_slowly = cards > 1.0 && !links.fast(cards);
    let ground = if step < 1000.0 || offloads {
        Ground::Hard
    } else if shards_slowly
        || !hardware.measured
        || !c.provenance.measures(stack_word(training.stack))
        || training.sequence > 32_768
    {
        Ground::New
    } else {
        Ground::Known
    };
    Ok(ranges::rate(kind, ground, likely, parts.limit(), c))
}

/// Seconds of one micro-step of one replica, by cause.
#[derive(Clone, Copy, Debug)]
struct Parts {
    /// Tokens of all replicas in one micro-step.
    tokens: f64,
    compute: f64,
    widening: f64,
    host: f64,
    /// Links inside a replica: they wait for each other.
    inner_links: f64,
    /// Links between replicas and to the host: they overlap with arithmetic.
    outer_links: f64,
    update: f64,
}

pub(super) const fn is_four_bit(format: WeightFormat) -> bool {
    matches!(
        format,
        WeightFormat::Nf4 { .. } | WeightFormat::Gptq4 { .. } | WeightFormat::Awq4 { .. }
    )
}

impl Parts {
    fn of(
        work: &ModelWork,
        setup: &Setup,
        training: &Training,
        hardware: &Hardware,
        family: &str,
        links: Links,
        c: &Coefficients,
    ) -> Result<Self, Declined> {
        let t = &c.training;
        let layout = setup.parallelism;
        let (tensor, pipeline, data) = (
            f64::from(layout.tensor.max(1)),
            f64::from(layout.pipeline.max(1)),
            f64::from(layout.data.max(1)),
        );
        let tokens = f64::from(training.micro_batch) * f64::from(training.sequence);
        if tokens < 1.0 || work.layers < 1.0 {
            return Err(Declined::Degenerate { what: "tokens of a step" });
        }
        let adapters = matches!(training.method, Method::Lora { .. });
        // Forward 1, gradients of activations 1, gradients of weights 1 where they are trained, and
        // what checkpointing computes again.
        let weight_gradients = if adapters { 0.0 } else { 1.0 };
        let again = match training.checkpointing {
            Checkpointing::Off => 0.0,
            Checkpointing::Selective => 0.15,
            Checkpointing::Full => 1.0,
        };
        let multiplications = tokens * (2.0 + weight_gradients + again) * 2.0 * work.active_block()
            + tokens * (2.0 + weight_gradients) * 2.0 * work.head;
        // Attention has no weights: its backward pass is always twice the forward one.
        let attention = tokens
            * (3.0 + again)
            * work.attention_flops
            * work.visible_mean(f64::from(training.sequence));
        let stack = stack_word(training.stack);
        let get = |map: &std::collections::BTreeMap<String, f64>, key: &str, or: f64| {
            map.get(key).copied().unwrap_or(or)
        };
        let mut share = get(&t.stack, stack, 1.0) * get(&t.family, family, 1.0) * work.hidden
            / (work.hidden + t.half_hidden * (tensor * hardware.peak / 312e12).sqrt());
        if adapters {
            share *= t.lora;
        }
        if work.is_mixture() {
            share *= t.moe;
        }
        let arithmetic = match setup.weights {
            WeightFormat::Fp8 => Arithmetic::Fp8,
            _ => Arithmetic::Bits16,
        };
        let fp8 = if arithmetic == Arithmetic::Fp8 { t.fp8 } else { 1.0 };
        let context = f64::from(layout.context.max(1));
        let cards = tensor * pipeline * data * context;
        let losses = (1.0 + t.scaling * (cards / 8.0).log2().max(0.0))
            * (1.0 + t.bubble * (pipeline - 1.0) / f64::from(training.accumulation.max(1)));
        let inside = tensor * pipeline;
        let compute = (multiplications / (hardware.flops(arithmetic, c) * fp8)
            + attention * t.attention / hardware.flops(Arithmetic::Bits16, c))
            / (share * inside * context)
            * losses;
        let passes = 2.0 + f64::from(training.checkpointing == Checkpointing::Full);
        let host = passes * work.layers / pipeline
            * get(&t.host_layer, stack, 0.0)
            * if adapters { t.lora_host } else { 1.0 };
        // ZeRO-3 fetches and releases the weights of every module from Python hooks.
        let host = host
            + if layout.sharding == Sharding::Zero3 && stack == "hugging_face" {
                passes * work.layers / pipeline * t.zero3_hooks
            } else {
                0.0
            };
        let widening_share = match setup.weights {
            WeightFormat::Nf4 { .. } => Some(t.nf4_widening),
            WeightFormat::Gptq4 { .. } | WeightFormat::Awq4 { .. } => Some(t.gptq_widening),
            _ => None,
        };
        // A 4-bit weight is read and a 16-bit copy written in every pass: in one kernel for NF4, in
        // six tensor operations for GPTQ and AWQ (training has no fused kernel for them).
        let widening = widening_share.map_or(0.0, |share| {
            passes * work.block() * (block_bytes(setup.weights) + 2.0)
                / (hardware.bandwidth * share * inside)
        });
        // Two all-reduces of the activations in every layer and pass.
        let inner_links = if layout.tensor > 1 {
            t.tensor_exposed
                * 2.0
                * passes
                * (work.layers / pipeline)
                * links.all_reduce(tensor, tokens / context * work.hidden * 2.0, c)
        } else {
            0.0
        };
        let weights = work.weight_bytes(setup.weights) / inside;
        let gathered = matches!(layout.sharding, Sharding::Zero3 | Sharding::Fsdp);
        let accumulation = f64::from(training.accumulation.max(1));
        let mut outer_links = 0.0;
        if gathered {
            outer_links += passes.min(2.0) * links.exchange(data * context, weights, c);
        }
        if !adapters {
            let gradients = work.total() * 2.0 / inside;
            let every = if gathered { 1.0 } else { accumulation };
            outer_links += 2.0 * links.exchange(data * context, gradients, c) / every;
        }
        if layout.offload_weights {
            outer_links += 2.0 * weights / c.interconnect.host_bus;
        }
        if layout.offload_optimizer && !adapters {
            outer_links +=
                work.total() * 4.0 / data / inside / c.interconnect.host_bus / accumulation;
        }
        // AdamW reads and writes about 28 bytes a trained parameter (Rajbhandari et al. 2020, 16
        // bytes of states, read and written in part).
        let spread = if layout.sharding == Sharding::None { 1.0 } else { data };
        let update = if adapters {
            0.0
        } else {
            28.0 * work.total() / inside / spread / hardware.bytes_per_second() / accumulation
        };
        Ok(Self {
            tokens: tokens * data,
            compute,
            widening,
            host,
            inner_links,
            outer_links,
            update,
        })
    }

    /// Work of the card and starting it from the host run at the same time, and so do links between
    /// replicas: the longer one shows, with a soft corner.
    fn seconds(&self) -> f64 {
        let card = self.compute + self.widening + self.inner_links;
        let started = (card.powi(2) + self.host.powi(2)).sqrt();
        (started.powi(2) + self.outer_links.powi(2)).sqrt() + self.update
    }

    fn limit(&self) -> Limit {
        let links = self.inner_links + self.outer_links;
        let mut limit = (self.compute, Limit::Compute);
        for other in [
            (links, Limit::Interconnect),
            (self.host, Limit::Host),
            (self.widening + self.update, Limit::Bandwidth),
        ] {
            if other.0 > limit.0 {
                limit = other;
            }
        }
        limit.1
    }
}

pub(super) const fn stack_word(stack: TrainingStack) -> &'static str {
    match stack {
        TrainingStack::HuggingFace => "hugging_face",
        TrainingStack::Fused => "fused",
        TrainingStack::Pretraining => "pretraining",
    }
}
