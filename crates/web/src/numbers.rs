//! Figures for eyes and for drawing; what they are is decided elsewhere.

use kasuan_model::{Bytes, Money, Seconds};
use rust_decimal::{Decimal, RoundingStrategy, prelude::ToPrimitive as _};

/// Returns a sum as a length to draw; never used to reckon.
pub(crate) fn length(money: Money) -> f64 {
    money.amount().to_f64().unwrap_or(0.0)
}

/// Writes hours with at most one decimal.
pub(crate) fn hours(time: Seconds) -> String {
    let hours = time
        .decimal_hours()
        .round_dp_with_strategy(1, RoundingStrategy::MidpointAwayFromZero)
        .normalize();
    format!("{hours} h")
}

/// Writes bytes as GiB with one decimal.
pub(crate) fn gib(bytes: Bytes) -> String {
    format!("{:.1}", bytes.gib())
}

/// Writes a count of bytes that is a mean or a peak as GiB.
pub(crate) fn gib_of(bytes: f64) -> String {
    format!("{:.1} GiB", bytes / f64::from(1_u32 << 30))
}

/// Writes a share of 1 as whole per cent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

/// Writes a number with three digits that count.
pub(crate) fn short(number: f64) -> String {
    let digits = if number >= 100.0 {
        0
    } else if number >= 10.0 {
        1
    } else {
        2
    };
    if number > 0.0 && number < 0.1 { format!("{number:.4}") } else { format!("{number:.digits$}") }
}

/// Writes by how much a sum is larger than another: `+¥12.00 (+4%)`.
pub(crate) fn more(dearer: Money, cheaper: Money) -> Option<String> {
    let difference = dearer.checked_sub(cheaper).ok()?;
    let amount = difference.rounded().amount();
    let sign = if amount.is_sign_negative() { "−" } else { "+" };
    let shown = Money::new(amount.abs(), difference.currency());
    let share = difference
        .amount()
        .abs()
        .checked_div(cheaper.amount())
        .map(|ratio| format!(" ({sign}{}%)", (ratio * Decimal::ONE_HUNDRED).round()));
    Some(format!("{sign}{shown}{}", share.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasuan_model::Currency;

    #[test]
    fn a_difference_shows_its_sign_its_amount_and_its_share() {
        let money = |amount: i64| Money::new(Decimal::from(amount), Currency::CNY);
        assert_eq!(more(money(150), money(100)).unwrap(), "+¥50.00 (+50%)");
        assert_eq!(more(money(90), money(100)).unwrap(), "−¥10.00 (−10%)");
        assert_eq!(more(money(90), money(0)).unwrap(), "+¥90.00");
        assert_eq!(hours(Seconds::from_minutes(90)), "1.5 h");
    }
}
