//! What a card sustains: the share of its peaks that real kernels reach, by architecture, power and
//! precision.

use super::{Coefficients, Declined};
use crate::WeightFormat;
use kasuan_model::Card;

/// In which numbers a multiplication runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    /// 16-bit inputs, FP32 accumulation.
    Bits16,
    /// 8-bit floats on tensor cores that have them.
    Fp8,
    /// 4-bit floats on tensor cores that have them.
    Fp4,
    /// 16-bit after the weights were widened on the way in.
    Widened,
}

/// A card's peaks and the shares of them that are reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hardware {
    /// Dense 16-bit peak in FLOP/s, FP32 accumulation.
    pub peak: f64,
    /// Dense FP8 peak in FLOP/s.
    pub peak_fp8: Option<f64>,
    /// Memory bandwidth in bytes per second.
    pub bandwidth: f64,
    /// Share of `peak` that large multiplications sustain.
    pub compute_share: f64,
    /// Watts for each TFLOP/s of the 16-bit peak, 2 at most.
    pub watts_per_tflop: f64,
    /// Share of `bandwidth` that large reads sustain.
    pub bandwidth_share: f64,
    /// Memory for jobs in bytes.
    pub memory: f64,
    /// NVLink in bytes per second, both directions; 0 without.
    pub nvlink: f64,
    /// Whether 16-bit accumulation doubles the rate: GeForce halves the FP32-accumulate rate.
    pub halved_accumulate: bool,
    /// Whether this very card was measured.
    pub measured: bool,
    /// Whether cards are sold as pairs with a bridge of NVLink between the two.
    pub bridged: bool,
}

/// Says whether a card is sold for games: NVIDIA halves the tensor rate of such cards when they
/// accumulate in FP32, which training and serving frameworks do. The card table holds that halved
/// rate, so that nothing has to be corrected here; kernels that accumulate in 16 or 32-bit integers
/// (llama.cpp, ExLlama) run at twice of it.
pub fn is_geforce(card: &Card) -> bool {
    card.display.starts_with("GeForce")
}

/// Returns the name of the group of cards that share an architecture and a kind of memory.
pub(super) fn family(card: &Card) -> &'static str {
    match (card.vendor.as_str(), card.compute_capability) {
        ("nvidia", Some((6 | 5 | 3, _))) => "pascal",
        ("nvidia", Some((7, 0 | 2))) => "volta",
        ("nvidia", Some((7, _))) => "turing",
        ("nvidia", Some((8, 0))) => "ampere_hbm",
        ("nvidia", Some((8, 9))) => "ada",
        ("nvidia", Some((8, _))) => "ampere",
        ("nvidia", Some((9, _))) => "hopper",
        ("nvidia", Some((10 | 11, _))) => "blackwell_hbm",
        ("nvidia", Some((12, _))) => "blackwell",
        ("huawei", _) => "ascend",
        ("amd", _) => "cdna",
        _ => "other",
    }
}

/// Watts for each TFLOP/s above which power no longer limits the clock.
const UNLIMITED_WATTS_PER_TFLOP: f64 = 2.0;

impl Hardware {
    /// Resolves a card against the coefficients.
    pub fn of(card: &Card, c: &Coefficients) -> Result<Self, Declined> {
        let positive = |x: Option<f64>| x.filter(|v| v.is_finite() && *v > 0.0);
        let peak = positive(card.tensor_flops)
            .or_else(|| positive(card.fp32_flops))
            .ok_or_else(|| Declined::NoTensorRate { card: card.id.clone() })?;
        let bandwidth = positive(card.bandwidth)
            .ok_or_else(|| Declined::NoBandwidth { card: card.id.clone() })?;
        let family = family(card);
        // Dynamic power grows faster than the clock, so a board with few watts for its peak runs
        // dense arithmetic at a lower clock than the one its peak is stated for.
        let watts_per_tflop = card
            .power_watts
            .filter(|w| *w > 0)
            .map_or(1.0, |watts| (f64::from(watts) / (peak / 1e12)).min(UNLIMITED_WATTS_PER_TFLOP));
        let power = watts_per_tflop.powf(c.compute.power_exponent);
        let id = card.id.as_str();
        let of = |map: &std::collections::BTreeMap<String, f64>, key: &str, or: f64| {
            map.get(key).copied().unwrap_or(or)
        };
        let compute_share = of(&c.compute.family, family, c.compute.unseen_family)
            * of(&c.compute.card, id, 1.0)
            * power;
        let bandwidth_share = of(&c.bandwidth.family, family, c.bandwidth.unseen_family)
            * of(&c.bandwidth.card, id, 1.0);
        Ok(Self {
            peak,
            peak_fp8: positive(card.fp8_flops),
            bandwidth,
            compute_share: compute_share.clamp(0.01, 0.97),
            watts_per_tflop,
            bandwidth_share: bandwidth_share.clamp(0.01, 0.97),
            memory: card.memory_for_jobs().get() as f64,
            nvlink: positive(card.nvlink).unwrap_or(0.0),
            halved_accumulate: is_geforce(card),
            measured: c.compute.card.contains_key(id),
            bridged: card.display.contains(" NVL"),
        })
    }

    /// Says whether the card multiplies 8-bit floats.
    pub(super) const fn fp8(&self) -> bool {
        self.peak_fp8.is_some()
    }

    /// Returns the sustained FLOP/s of large multiplications.
    pub(super) fn flops(&self, arithmetic: Arithmetic, c: &Coefficients) -> f64 {
        let base = self.peak * self.compute_share;
        match (arithmetic, self.peak_fp8) {
            (Arithmetic::Fp8, Some(fp8)) => fp8 * self.compute_share * c.compute.fp8,
            (Arithmetic::Fp4, Some(fp8)) => 2.0 * fp8 * self.compute_share * c.compute.fp4,
            (Arithmetic::Widened | Arithmetic::Fp8 | Arithmetic::Fp4, _) => {
                base * c.compute.widened
            }
            (Arithmetic::Bits16, _) => base,
        }
    }

    /// Returns the sustained bytes per second of large reads.
    pub(super) const fn bytes_per_second(&self) -> f64 {
        self.bandwidth * self.bandwidth_share
    }
}

/// Returns the numbers that a format is multiplied in.
pub(super) const fn arithmetic(format: WeightFormat) -> Arithmetic {
    match format {
        WeightFormat::Fp32 | WeightFormat::Bf16 | WeightFormat::Fp16 => Arithmetic::Bits16,
        WeightFormat::Fp8 => Arithmetic::Fp8,
        WeightFormat::Nvfp4 | WeightFormat::Mxfp4 => Arithmetic::Fp4,
        WeightFormat::Gguf(crate::GgufMix::F16) => Arithmetic::Bits16,
        WeightFormat::Int8
        | WeightFormat::Nf4 { .. }
        | WeightFormat::Gptq { .. }
        | WeightFormat::Gptq4 { .. }
        | WeightFormat::Awq4 { .. }
        | WeightFormat::Gguf(_) => Arithmetic::Widened,
    }
}
