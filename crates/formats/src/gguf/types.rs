//! The tensor types and file types of ggml, by their numbers.

use kasuan_sizing::GgufMix;

/// Returns the elements and the bytes of a block of a tensor type (`ggml/src/ggml.c`, type traits);
/// `None` when it is not known.
pub(super) fn block(kind: u32) -> Option<(u64, u64)> {
    Some(match kind {
        0 | 26 => (1, 4),
        1 | 25 | 30 => (1, 2),
        2 => (32, 18),
        3 => (32, 20),
        6 => (32, 22),
        7 => (32, 24),
        8 => (32, 34),
        9 => (32, 36),
        10 => (256, 84),
        11 | 21 => (256, 110),
        12 => (256, 144),
        13 => (256, 176),
        14 => (256, 210),
        15 => (256, 292),
        16 => (256, 66),
        17 => (256, 74),
        18 => (256, 98),
        19 => (256, 50),
        20 => (32, 18),
        22 => (256, 82),
        23 => (256, 136),
        24 => (1, 1),
        27 | 28 => (1, 8),
        29 => (256, 56),
        34 => (256, 54),
        35 => (256, 66),
        39 => (32, 17),
        _ => return None,
    })
}

/// Returns the mix that a `general.file_type` stands for (`include/llama.h`, `llama_ftype`); `None`
/// when no mix of the same name is known.
pub(super) fn mix(file_type: u64) -> Option<GgufMix> {
    Some(match file_type {
        1 | 32 => GgufMix::F16,
        2 => GgufMix::Q4_0,
        3 => GgufMix::Q4_1,
        7 => GgufMix::Q8_0,
        8 => GgufMix::Q5_0,
        9 => GgufMix::Q5_1,
        10 => GgufMix::Q2_K,
        11 => GgufMix::Q3_K_S,
        12 => GgufMix::Q3_K_M,
        13 => GgufMix::Q3_K_L,
        14 => GgufMix::Q4_K_S,
        15 => GgufMix::Q4_K_M,
        16 => GgufMix::Q5_K_S,
        17 => GgufMix::Q5_K_M,
        18 => GgufMix::Q6_K,
        19 => GgufMix::IQ2_XXS,
        20 => GgufMix::IQ2_XS,
        23 => GgufMix::IQ3_XXS,
        24 => GgufMix::IQ1_S,
        25 => GgufMix::IQ4_NL,
        26 => GgufMix::IQ3_S,
        28 => GgufMix::IQ2_S,
        30 => GgufMix::IQ4_XS,
        31 => GgufMix::IQ1_M,
        _ => return None,
    })
}
