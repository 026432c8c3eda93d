//! One cell of a capture: unknown stays unknown, and a unit is read, never guessed.

use kasuan_model::Bytes;

/// Words that tools print where a value is not available.
const UNKNOWN: &[&str] = &[
    "",
    "-",
    "n/a",
    "[n/a]",
    "na",
    "nan",
    "none",
    "null",
    "??",
    "err!",
    "[not supported]",
    "not supported",
    "[unknown error]",
    "unknown error",
    "[insufficient permissions]",
    "insufficient permissions",
    "[requested functionality has been deprecated]",
    "[gpu is lost]",
    "[gpu requires reset]",
];

/// Integers from here on are DCGM's "blank" (0x7ffffffffffffff0), also after a round trip through
/// a float, which makes 9223372036854775794 into 9223372036854776000.
const BLANK_INT64: f64 = 9_223_372_036_854_775_000.0;
/// DCGM's blank for 64-bit floats (2^47) and the codes above it.
const BLANK_FP64: f64 = 140_737_488_355_328.0;
/// DCGM's blank for 32-bit integers and the codes above it.
const BLANK_INT32: std::ops::RangeInclusive<f64> = 2_147_483_632.0..=2_147_483_647.0;

/// Returns the text of a cell unless it says that the value is not available.
pub(super) fn known(text: &str) -> Option<&str> {
    let text = text.trim().trim_matches('"').trim();
    let lower = text.to_ascii_lowercase();
    let missing = UNKNOWN.contains(&lower.as_str()) || lower.starts_with("[unknown");
    if missing { None } else { Some(text) }
}

/// Returns a finite number that is not one of DCGM's blanks.
pub(super) fn metric(value: f64) -> Option<f64> {
    let blank = value >= BLANK_INT64
        || (BLANK_FP64..BLANK_FP64 + 16.0).contains(&value)
        || BLANK_INT32.contains(&value);
    (value.is_finite() && !blank).then_some(value)
}

/// Reads a number with an optional unit; returns both.
pub(super) fn number(text: &str) -> Option<(f64, &str)> {
    let text = known(text)?;
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E')))
        .unwrap_or(text.len());
    // An `E` that begins a unit is not an exponent.
    let (digits, unit) = text.split_at(end);
    let value: f64 = digits.trim().parse().ok()?;
    Some((metric(value)?, unit.trim()))
}

/// Reads a share in percent; outside of 0 to 100 it is a driver's garbage, hence unknown.
pub(super) fn percent(text: &str) -> Option<f64> {
    let (value, unit) = number(text)?;
    (matches!(unit, "" | "%") && (0.0..=100.0).contains(&value)).then_some(value)
}

/// Reads watts, stated in W or mW.
pub(super) fn watts(text: &str) -> Option<f64> {
    let (value, unit) = number(text)?;
    let watts = match unit {
        "" | "W" | "w" => value,
        "mW" => value / 1000.0,
        "kW" => value * 1000.0,
        _ => return None,
    };
    (watts >= 0.0).then_some(watts)
}

/// Reads degrees Celsius.
pub(super) fn celsius(text: &str) -> Option<f64> {
    let (value, unit) = number(text)?;
    match unit {
        "" | "C" | "°C" | "c" => Some(value),
        "F" | "°F" => Some((value - 32.0) / 1.8),
        _ => None,
    }
}

/// Reads an amount of memory; `unit` is what a bare number means.
pub(super) fn memory(text: &str, unit: &str) -> Option<Bytes> {
    let (value, stated) = number(text)?;
    bytes(value, if stated.is_empty() { unit } else { stated })
}

/// Turns an amount and its unit into bytes.
pub(super) fn bytes(value: f64, unit: &str) -> Option<Bytes> {
    let factor = match unit {
        "B" | "bytes" => 1.0,
        "KiB" => 1024.0,
        // nvidia-smi and gpustat print MB and mean MiB (their source divides by 1024 twice).
        "MiB" | "MB" | "M" => 1024.0 * 1024.0,
        "GiB" | "G" => 1024.0 * 1024.0 * 1024.0,
        "TiB" | "T" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let total = (value * factor).round();
    // 2^53: beyond it a float no longer counts bytes one by one.
    let counted = (0.0..9_007_199_254_740_992.0).contains(&total);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "range checked")]
    counted.then_some(Bytes::new(total as u64))
}

/// Reads a whole number.
pub(super) fn whole(text: &str) -> Option<u64> {
    let text = known(text)?;
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok();
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_available_is_unknown_and_not_zero() {
        for text in ["[N/A]", "N/A", "-", "[Not Supported]", "ERR!", "nan", "[Unknown Error]", ""] {
            assert_eq!(number(text), None, "{text}");
        }
        assert_eq!(percent("0 %"), Some(0.0));
        assert_eq!(number("9223372036854775794"), None);
        assert_eq!(number("9223372036854776000"), None);
        assert_eq!(number("2147483632"), None);
        assert_eq!(metric(140_737_488_355_328.0), None);
    }

    #[test]
    fn units_are_read_and_garbage_is_refused() {
        assert_eq!(memory("81559 MiB", "MiB"), Some(Bytes::new(81559 * 1024 * 1024)));
        assert_eq!(memory("1.5GiB", "MiB"), Some(Bytes::new(1_610_612_736)));
        assert_eq!(watts("433.78 W"), Some(433.78));
        assert_eq!(watts("70000mW"), Some(70.0));
        assert_eq!(watts("70 %"), None);
        assert_eq!(percent("37100"), None);
        assert_eq!(whole("0x0000000000000001"), Some(1));
    }
}
