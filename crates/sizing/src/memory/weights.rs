//! Bytes of weights in each format, scales and unquantised parts included.

use crate::{Architecture, GgufMix, ParameterCount, WeightFormat, parameters::count};
use kasuan_model::Bytes;

/// Bits of one value in a format, and of what the format leaves alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bits {
    /// Bits of one weight of a quantised matrix, scales included.
    pub(crate) matrix: f64,
    /// Bits of one value of embeddings, head and norms.
    pub(crate) rest: f64,
}

impl WeightFormat {
    /// Returns the bits of a weight of a matrix, scales and zero points included.
    pub fn bits_per_weight(self) -> f64 {
        bits(self).matrix
    }
}

/// Returns the bits that a format uses.
///
/// bitsandbytes: 4 bits and one FP32 scale in 64 values; with double quantisation an 8-bit scale in
/// 64 and an FP32 one in 64*256 (`functional.py`, 0.50.2). GPTQ and AWQ: an FP16 scale and a zero
/// point a group (AutoAWQ `gemm.py`). GGUF: bytes of a block type (`gguf-py/gguf/constants.py`) and,
/// for mixes, the measured bits of whole files (`examples/quantize/README.md`).
pub(crate) fn bits(format: WeightFormat) -> Bits {
    let bits = |matrix, rest| Bits { matrix, rest };
    match format {
        WeightFormat::Fp32 => bits(32.0, 32.0),
        WeightFormat::Bf16 | WeightFormat::Fp16 => bits(16.0, 16.0),
        WeightFormat::Fp8 | WeightFormat::Int8 => bits(8.0, 16.0),
        WeightFormat::Nf4 { double_quant: false } => bits(4.5, 16.0),
        WeightFormat::Nf4 { double_quant: true } => {
            bits(4.0 + 8.0 / 64.0 + 32.0 / (64.0 * 256.0), 16.0)
        }
        WeightFormat::Gptq4 { group } | WeightFormat::Awq4 { group } => {
            bits(grouped(4.0, group), 16.0)
        }
        WeightFormat::Gptq { bits: width, group } => bits(grouped(f64::from(width), group), 16.0),
        WeightFormat::Gguf(mix) => bits(gguf_bits(mix), gguf_bits(mix)),
        WeightFormat::Mxfp4 => bits(4.25, 16.0),
        WeightFormat::Nvfp4 => bits(4.5, 16.0),
    }
}

/// Returns the bits of a weight that shares an FP16 scale and a zero point with its group.
fn grouped(width: f64, group: u32) -> f64 {
    if group == 0 { width } else { width + (16.0 + width) / f64::from(group) }
}

fn gguf_bits(mix: GgufMix) -> f64 {
    match mix {
        GgufMix::F16 => 16.0,
        GgufMix::Q8_0 => 8.5,
        GgufMix::Q6_K => 6.5625,
        GgufMix::Q5_K_M => 5.68,
        GgufMix::Q5_K_S => 5.52,
        GgufMix::Q5_1 => 6.0,
        GgufMix::Q5_0 => 5.5,
        GgufMix::Q4_K_M => 4.84,
        GgufMix::Q4_K_S => 4.58,
        GgufMix::Q4_1 => 5.0,
        GgufMix::Q4_0 | GgufMix::IQ4_NL => 4.5,
        GgufMix::Q3_K_L => 4.27,
        GgufMix::Q3_K_M => 3.91,
        GgufMix::Q3_K_S => 3.5,
        GgufMix::Q2_K => 3.35,
        GgufMix::IQ4_XS => 4.25,
        GgufMix::IQ3_S => 3.4375,
        GgufMix::IQ3_XXS => 3.0625,
        GgufMix::IQ2_S => 2.5625,
        GgufMix::IQ2_XS => 2.3125,
        GgufMix::IQ2_XXS => 2.0625,
        GgufMix::IQ1_M => 1.75,
        GgufMix::IQ1_S => 1.5625,
    }
}

/// Returns the bytes of a model's weights on one card that holds all of them.
pub fn weight_bytes(architecture: &Architecture, format: WeightFormat) -> Bytes {
    Bytes::from_estimate(weights(architecture, &count(architecture), format))
}

/// Returns the bytes of weights, as a float for further arithmetic.
pub(crate) fn weights(a: &Architecture, p: &ParameterCount, format: WeightFormat) -> f64 {
    let bits = bits(format);
    if format == WeightFormat::Mxfp4 && p.experts > 0 {
        // gpt-oss: only experts are in 4 bits, and kernels pad their width to a multiple of 256.
        let width = f64::from(a.experts.map_or(0, |e| e.intermediate)).max(1.0);
        let padded = (width / 256.0).ceil() * 256.0 / width;
        let rest = p.total.saturating_sub(p.experts) as f64 * bits.rest;
        return (p.experts as f64 * padded * bits.matrix + rest) / 8.0;
    }
    (p.block_linear() as f64 * bits.matrix + p.unquantised() as f64 * bits.rest) / 8.0
}
