//! One step of an engine: reading prompts and writing tokens at a given batch.

use super::{
    Coefficients, Declined, Hardware, Limit, ModelWork, Rate,
    coefficients::EngineCosts,
    hardware::{Arithmetic, arithmetic},
    interconnect::Links,
    ranges::{self, Ground},
    training::is_four_bit,
    work::block_bytes,
};
use crate::{Architecture, Engine, Inference, Setup, WeightFormat, Work};
use kasuan_model::{Card, Interconnect};

/// Estimates the tokens per second at which `concurrency` prompts are read, nothing else running.
pub fn prefill(
    model: &Architecture,
    setup: &Setup,
    card: &Card,
    interconnect: Interconnect,
) -> Result<Rate, Declined> {
    prefill_with(&ModelWork::of(model), setup, card, interconnect, Coefficients::shipped())
}

/// [`prefill`] with counted work and given coefficients, for calibration.
pub fn prefill_with(
    work: &ModelWork,
    setup: &Setup,
    card: &Card,
    interconnect: Interconnect,
    c: &Coefficients,
) -> Result<Rate, Declined> {
    let runner = Runner::of(work, setup, card, interconnect, c)?;
    let prompt = f64::from(runner.inference.prompt.max(1));
    let sequences = f64::from(runner.inference.concurrency.max(1));
    let parts = runner.prompt(prompt, sequences);
    runner.rate("prefill", prompt * sequences, parts)
}

/// Estimates the tokens per second that `concurrency` sequences get together while they are decoded
/// as one batch, reading their prompts left out.
pub fn decode(
    model: &Architecture,
    setup: &Setup,
    card: &Card,
    interconnect: Interconnect,
) -> Result<Rate, Declined> {
    decode_with(&ModelWork::of(model), setup, card, interconnect, Coefficients::shipped())
}

/// [`decode`] with counted work and given coefficients, for calibration.
pub fn decode_with(
    work: &ModelWork,
    setup: &Setup,
    card: &Card,
    interconnect: Interconnect,
    c: &Coefficients,
) -> Result<Rate, Declined> {
    let runner = Runner::of(work, setup, card, interconnect, c)?;
    let batch = f64::from(runner.inference.concurrency.max(1));
    let context = runner.mean_context();
    runner.rate("decode", batch, runner.step(batch, context))
}

/// Estimates the tokens per second of `concurrency` whole requests that run as one batch, prompts
/// read first. Only written tokens count.
pub fn single_request_with(
    work: &ModelWork,
    setup: &Setup,
    card: &Card,
    interconnect: Interconnect,
    c: &Coefficients,
) -> Result<Rate, Declined> {
    let runner = Runner::of(work, setup, card, interconnect, c)?;
    let batch = f64::from(runner.inference.concurrency.max(1));
    let prompt = f64::from(runner.inference.prompt);
    let generated = f64::from(runner.inference.generated.max(1));
    let mut parts = runner.step(batch, runner.mean_context()).times(generated);
    if prompt > 0.0 {
        parts = parts.plus(runner.prompt(prompt, batch));
    }
    runner.rate("decode", batch * generated, parts)
}

/// Seconds of a step by cause.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parts {
    pub compute: f64,
    pub bandwidth: f64,
    pub links: f64,
    pub host: f64,
    /// Whether the host starts every kernel (no captured graph), so that the slower of host and
    /// card shows instead of their sum.
    pub eager: bool,
}

impl Parts {
    pub(super) fn seconds(&self) -> f64 {
        let card = self.compute + self.bandwidth + self.links;
        if self.eager { (card.powi(3) + self.host.powi(3)).cbrt() } else { card + self.host }
    }

    fn times(self, factor: f64) -> Self {
        Self {
            compute: self.compute * factor,
            bandwidth: self.bandwidth * factor,
            links: self.links * factor,
            host: self.host * factor,
            eager: self.eager,
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            compute: self.compute + other.compute,
            bandwidth: self.bandwidth + other.bandwidth,
            links: self.links + other.links,
            host: self.host + other.host,
            eager: self.eager,
        }
    }

    pub(super) fn limit(&self) -> Limit {
        let mut limit = (self.compute, Limit::Compute);
        for other in [
            (self.bandwidth, Limit::Bandwidth),
            (self.links, Limit::Interconnect),
            (self.host, Limit::Host),
        ] {
            if other.0 > limit.0 {
                limit = other;
            }
        }
        limit.1
    }
}

/// A model in an engine on cards, ready to be stepped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runner<'a> {
    pub work: &'a ModelWork,
    pub inference: &'a Inference,
    pub weights: WeightFormat,
    pub hardware: Hardware,
    pub links: Links,
    pub engine: EngineCosts,
    pub engine_word: &'static str,
    pub tensor: f64,
    pub pipeline: f64,
    pub c: &'a Coefficients,
}

impl<'a> Runner<'a> {
    pub(super) fn of(
        work: &'a ModelWork,
        setup: &'a Setup,
        card: &Card,
        interconnect: Interconnect,
        c: &'a Coefficients,
    ) -> Result<Self, Declined> {
        let Work::Inference(inference) = &setup.work else {
            return Err(Declined::WrongWork { asked: "inference", found: "training" });
        };
        let hardware = Hardware::of(card, c)?;
        let engine_word = engine_word(inference, card);
        let engine = c.engine.get(engine_word).or_else(|| c.engine.get("vllm")).copied();
        Ok(Self {
            work,
            inference,
            weights: setup.weights,
            hardware,
            links: Links::of(&hardware, interconnect),
            engine: engine.ok_or(Declined::Degenerate { what: "the engine table" })?,
            engine_word,
            tensor: f64::from(setup.parallelism.tensor.max(1)),
            pipeline: f64::from(setup.parallelism.pipeline.max(1)),
            c,
        })
    }

    /// Mean position of the written tokens.
    pub(super) fn mean_context(&self) -> f64 {
        f64::from(self.inference.prompt) + f64::from(self.inference.generated) / 2.0
    }

    fn is_eager(&self) -> bool {
        matches!(self.engine_word, "transformers" | "vllm_eager" | "vllm_ascend")
    }

    /// Kernels of llama.cpp and ExLlama accumulate in 16 bits or in integers, where GeForce cards
    /// run at twice the rate they have with FP32 accumulation.
    fn short_accumulate(&self) -> f64 {
        let short = matches!(self.inference.engine, Engine::LlamaCpp | Engine::Exllama);
        if short && self.hardware.halved_accumulate {
            2.0 * self.c.prefill.short_accumulate
        } else {
            1.0
        }
    }

    /// How many times the cache passes through memory in a step: once where attention reads it in
    /// place. A cache that grows by concatenation is read and written once more, and attention
    /// without kernels for shared heads first writes a copy for every query head and reads that.
    fn cache_copies(&self) -> f64 {
        if self.inference.engine != Engine::Transformers || self.inference.static_cache {
            1.0
        } else if self.work.shared_by > 1.0 {
            3.0 + 2.0 * self.work.shared_by
        } else {
            3.0
        }
    }

    /// Seconds of the host for layers of experts whose format has no kernel over all experts.
    fn unfused_experts(&self) -> f64 {
        if self.work.is_mixture() && matches!(self.weights, WeightFormat::Gptq4 { .. }) {
            self.work.layers * self.engine.unfused
        } else {
            0.0
        }
    }

    /// Bytes per second that the engine's kernels read on one card.
    fn bytes_per_second(&self) -> f64 {
        let share = (self.hardware.bandwidth_share * self.engine.reading).min(0.97);
        self.hardware.bandwidth * share
    }

    fn arithmetic(&self) -> Arithmetic {
        arithmetic(self.weights)
    }

    /// Seconds to read `sequences` prompts of `length` tokens together.
    pub(super) fn prompt(&self, length: f64, sequences: f64) -> Parts {
        let (work, c, hardware) = (self.work, self.c, &self.hardware);
        let tokens = length * sequences;
        let chunk: f64 = match self.inference.batched_tokens {
            Some(tokens) => f64::from(tokens.max(1)),
            None if self.inference.engine == Engine::LlamaCpp => 512.0,
            None => 8192.0,
        };
        let passes = (tokens / chunk).ceil().max(1.0);
        let in_pass = tokens / passes;
        let share = self.engine.prefill * self.short_accumulate() * in_pass
            / (in_pass + c.prefill.half_tokens)
            * if work.is_mixture() { c.compute.moe } else { 1.0 };
        // A format without kernels of its own is widened once for each pass and multiplied in 16
        // bits: read the packed weights, write and read wide ones.
        let (arithmetic, widening) = match self.arithmetic() {
            Arithmetic::Widened if in_pass >= 32.0 => {
                (Arithmetic::Bits16, c.prefill.widening * (block_bytes(self.weights) + 4.0))
            }
            other => (other, 0.0),
        };
        let compute = (tokens * 2.0 * work.active_block() + sequences * 2.0 * work.head)
            / hardware.flops(arithmetic, c)
            + tokens * work.attention_flops * work.visible_mean(length) * c.prefill.attention
                / hardware.flops(Arithmetic::Bits16, c);
        let bytes = work.step_bytes(self.weights, in_pass) + work.block() * widening;
        // llama.cpp sends the pieces of a batch through the cards one behind the other.
        let stages = if self.inference.engine == Engine::LlamaCpp {
            let pieces = passes.min(4.0);
            pieces * self.pipeline / (pieces + self.pipeline - 1.0)
        } else {
            1.0
        };
        Parts {
            compute: compute / share / self.tensor / stages,
            bandwidth: passes * bytes / self.bytes_per_second() / self.tensor / stages,
            links: 2.0
                * work.layers
                * passes
                * self.links.all_reduce(self.tensor, in_pass * work.hidden * 2.0, c),
            // Without a captured graph each pass starts every kernel from the host, as a step does.
            host: passes
                * (work.layers * if self.is_eager() { self.engine.layer } else { c.prefill.layer }
                    + work.expert_count * self.engine.expert
                    + self.unfused_experts()),
            eager: self.is_eager(),
        }
    }

    /// Seconds of one step that writes a token for each of `batch` sequences whose mean position is
    /// `context`.
    pub(super) fn step(&self, batch: f64, context: f64) -> Parts {
        let (work, c, hardware) = (self.work, self.c, &self.hardware);
        let kernel = if is_four_bit(self.weights) { self.engine.four_bit } else { 1.0 };
        // Reading weights slows down under load no more than arithmetic does, and not at all for one
        // sequence.
        let load = 1.0 + (self.engine.load - 1.0) * (1.0 - 1.0 / batch);
        let bytes_per_second = self.bytes_per_second() * self.tensor;
        let weights = work.step_bytes(self.weights, batch) / (bytes_per_second * kernel);
        // One sequence alone does not fill the card with attention work; a batch does.
        let filled = self.engine.cache + (0.95 - self.engine.cache) * (1.0 - 1.0 / batch);
        let copies = self.cache_copies();
        let cache = copies * batch * work.visible(context) * work.kv_bytes(self.inference.kv)
            / (bytes_per_second * filled * load);
        let mixture = if work.is_mixture() { c.compute.moe } else { 1.0 };
        let compute = batch * 2.0 * (work.active_block() + work.head)
            / (hardware.flops(self.arithmetic(), c) * load * mixture * self.tensor);
        let links =
            2.0 * work.layers * self.links.all_reduce(self.tensor, batch * work.hidden * 2.0, c);
        let fp8_host = if self.weights == WeightFormat::Fp8 { self.engine.fp8_host } else { 1.0 };
        Parts {
            compute,
            bandwidth: weights + cache,
            links,
            host: self.engine.step
                + work.layers * self.engine.layer * fp8_host
                + work.expert_count * self.engine.expert * fp8_host
                + self.unfused_experts()
                + batch * self.engine.sequence,
            eager: self.is_eager(),
        }
    }

    fn rate(&self, kind: &str, tokens: f64, parts: Parts) -> Result<Rate, Declined> {
        let likely = tokens / parts.seconds();
        if !(likely.is_finite() && likely > 0.0) {
            return Err(Declined::Degenerate { what: "the size of the request" });
        }
        Ok(ranges::rate(kind, self.ground(), likely, parts.limit(), self.c))
    }

    pub(super) fn ground(&self) -> Ground {
        let context = f64::from(self.inference.prompt) + f64::from(self.inference.generated);
        if self.is_eager() || context > 33_000.0 {
            Ground::Hard
        } else if !self.hardware.measured
            || !self.c.provenance.measures(self.engine_word)
            || (self.tensor > 1.0 && !self.links.fast(self.tensor))
        {
            Ground::New
        } else {
            Ground::Known
        }
    }
}

/// Returns the class of engine that has its own costs.
pub(super) fn engine_word(inference: &Inference, card: &Card) -> &'static str {
    match inference.engine {
        Engine::Transformers | Engine::StaticTorch => "transformers",
        Engine::Vllm if card.vendor == "huawei" => "vllm_ascend",
        Engine::Vllm if !inference.cuda_graphs => "vllm_eager",
        Engine::Vllm if inference.engine_version.is_some_and(|v| v < (0, 8)) => "vllm_v0",
        // From 0.11 on the scheduler works while the card does.
        Engine::Vllm if inference.engine_version.is_some_and(|v| v < (0, 11)) => "vllm_v1",
        Engine::Vllm => "vllm",
        Engine::Sglang => "sglang",
        Engine::LlamaCpp if !inference.cuda_graphs => "llama_cpp_v0",
        Engine::LlamaCpp => "llama_cpp",
        Engine::TensorRtLlm => "tensorrt_llm",
        Engine::LmDeploy => "lmdeploy",
        Engine::Exllama => "exllama",
        Engine::MindIe => "mindie",
    }
}
