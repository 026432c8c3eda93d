//! A stand-in configuration for a model of which only the size is known.

use crate::{Architecture, parameters};
use kasuan_model::Source;

impl Architecture {
    /// Returns a configuration of `parameters` parameters in the usual proportions of dense models:
    /// width about 100 times the layers (LLaMA 2 7B 128, Qwen2.5 14B 107 and 72B 102), heads of 128,
    /// 8 key heads, feed-forward 3.5 times the width, 128,000 tokens.
    ///
    /// Its total is exact; everything else is an assumption, which `unverified` says.
    pub fn counted(total: u64) -> Self {
        let width = (total as f64 * 100.0 / 12.0).cbrt();
        let heads = ((width / 128.0).round() as u32).clamp(2, 256);
        let hidden = heads * 128;
        let mut model = Self {
            id: name(total),
            family: "counted".to_owned(),
            layers: 1,
            hidden,
            heads,
            kv_heads: if heads.is_multiple_of(8) { 8.min(heads) } else { heads },
            head_dim: 128,
            intermediate: hidden * 7 / 2,
            vocab: 128_000,
            tied: total < 3_000_000_000,
            unverified: vec!["all".to_owned()],
            shape_assumed: true,
            source: Source::stated("only the size is stated"),
            ..Self::default()
        };
        let one = parameters::count(&model).total;
        model.layers = 2;
        let layer = parameters::count(&model).total.saturating_sub(one).max(1);
        let ends = one.saturating_sub(layer);
        let layers = total.saturating_sub(ends) / layer;
        model.layers = u32::try_from(layers).unwrap_or(u32::MAX).clamp(1, 4096);
        let counted = parameters::count(&model).total;
        model.other_parameters = total.saturating_sub(counted);
        model
    }
}

/// Writes a size the way people do: `7B`, `0.5B`, `350M`.
fn name(total: u64) -> String {
    let plain = |value: f64| {
        let text = format!("{value:.2}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    if total >= 500_000_000 {
        format!("{}B", plain(total as f64 / 1e9))
    } else {
        format!("{}M", plain(total as f64 / 1e6))
    }
}

/// Reads a size such as `7B`, `0.5b`, `350M`, `1.5T`; `None` for anything else.
pub fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, scale) = match text.char_indices().next_back()? {
        (at, 'b' | 'B') => (text.get(..at)?, 1e9),
        (at, 'm' | 'M') => (text.get(..at)?, 1e6),
        (at, 't' | 'T') => (text.get(..at)?, 1e12),
        _ => return None,
    };
    if !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let size: f64 = number.parse().ok()?;
    let total = size * scale;
    (1e6..=1e14).contains(&total).then_some(total as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stated_size_is_met_to_the_parameter() {
        for (text, name) in [("7B", "7B"), ("0.5b", "0.5B"), ("70B", "70B"), ("350M", "350M")] {
            let total = parse_size(text).unwrap();
            let model = Architecture::counted(total);
            assert_eq!(model.id, name);
            assert_eq!(parameters::count(&model).total, total, "{text}: {model:?}");
        }
    }

    #[test]
    fn a_7b_has_the_proportions_of_one() {
        let model = Architecture::counted(7_000_000_000);
        assert!((28..=44).contains(&model.layers) && (3328..=4608).contains(&model.hidden));
    }

    #[test]
    fn names_are_no_sizes() {
        for text in ["qwen2.5-7b", "B", "-7B", "7", "1e9B", "0B", "999999999T", ""] {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }
}
