//! Networks that are not language models: arithmetic for each sample over a measured share.

use super::{
    Coefficients, Declined, Hardware, Limit, Rate,
    hardware::Arithmetic,
    ranges::{self, Ground},
};
use kasuan_model::Card;

/// Networks whose rates are known from measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Network {
    /// ResNet-50 on images of 224 x 224.
    ResNet50,
    /// BERT-large on the texts of SQuAD (384 tokens at most, 177 in the mean).
    BertLarge,
    /// Stable Diffusion XL, 20 steps, 1024 x 1024.
    StableDiffusionXl,
}

impl Network {
    /// FLOP of one sample, forward: ResNet-50 4.09 GMAC (He et al. 2016); BERT-large 302 M block
    /// parameters over 177 tokens (mean of SQuAD v1.1 as padded by MLPerf); SDXL 2.98 TMAC a U-Net
    /// call (Podell et al. 2023), 20 steps with guidance, and the decoder.
    pub const fn flops(self) -> f64 {
        match self {
            Self::ResNet50 => 8.18e9,
            Self::BertLarge => 1.13e11,
            Self::StableDiffusionXl => 2.46e14,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::ResNet50 => "resnet50",
            Self::BertLarge => "bert_large",
            Self::StableDiffusionXl => "sdxl",
        }
    }
}

/// What is done with a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NetworkWork {
    /// Training in 16 bits.
    Train,
    /// Inference in 16 bits.
    Infer,
    /// Inference in 8 bits.
    Infer8,
}

/// Estimates samples per second over `cards` independent cards.
pub fn network_rate(
    network: Network,
    work: NetworkWork,
    card: &Card,
    cards: u32,
    c: &Coefficients,
) -> Result<Rate, Declined> {
    let hardware = Hardware::of(card, c)?;
    let (flops, direction, passes) = match work {
        NetworkWork::Train => (hardware.flops(Arithmetic::Bits16, c), "train", 3.0),
        NetworkWork::Infer => (hardware.flops(Arithmetic::Bits16, c), "infer", 1.0),
        // Integer tensor cores run at twice the 16-bit rate from Turing on.
        NetworkWork::Infer8 => (2.0 * hardware.flops(Arithmetic::Bits16, c), "infer8", 1.0),
    };
    let key = format!("{}_{direction}", network.word());
    let share = c.network.share.get(&key).copied().unwrap_or(0.5);
    let bytes = c.network.bytes.get(&key).copied().unwrap_or(0.0);
    let power = hardware.watts_per_tflop.powf(c.network.power_exponent - c.compute.power_exponent);
    let compute = network.flops() * passes / (flops * share * power);
    let moving = bytes / hardware.bytes_per_second();
    let likely = f64::from(cards.max(1)) / (compute + moving);
    let limit = if moving > compute { Limit::Bandwidth } else { Limit::Compute };
    let ground = if hardware.measured { Ground::Known } else { Ground::New };
    let kind = if work == NetworkWork::Train { "training" } else { "serving" };
    Ok(ranges::rate(kind, ground, likely, limit, c))
}
