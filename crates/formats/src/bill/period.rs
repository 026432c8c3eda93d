//! Bills that were exported before their month was over.

use kasuan_model::{Charge, ChargeCategory, Payment, Phrase};
use std::collections::BTreeMap;

/// Use is billed by the day at the latest; two days without any row at the end look cut off.
const SILENT_SECONDS: i64 = 2 * 86_400;
/// A row for more than two days says nothing about single days.
const DAILY_SECONDS: i64 = 2 * 86_400;

/// Returns a warning for each bill whose use ends, or begins, days before its month does.
pub(super) fn cut(charges: &[Charge]) -> Vec<Phrase> {
    let mut bills: BTreeMap<(&str, &str, i64, i64), (i64, i64)> = BTreeMap::new();
    for charge in charges {
        let (start, end) = charge.charge_period;
        let (start, end) = (start.as_second(), end.as_second());
        let use_of_a_day = charge.category == ChargeCategory::Usage
            && charge.payment == Payment::Due
            && end > start
            && end - start <= DAILY_SECONDS;
        if use_of_a_day {
            let (bill_start, bill_end) = charge.billing_period;
            let bill = (
                charge.provider.as_str(),
                charge.account.as_str(),
                bill_start.as_second(),
                bill_end.as_second(),
            );
            let seen = bills.entry(bill).or_insert((start, end));
            *seen = (seen.0.min(start), seen.1.max(end));
        }
    }
    let mut warnings = Vec::new();
    for ((provider, account, start, end), (first, last)) in bills {
        let provider = [provider, account].into_iter().find(|name| !name.is_empty());
        let day = |second: i64| {
            // Shown in UTC: the day is what matters, and its zone was said already.
            jiff::Timestamp::from_second(second)
                .map_or_else(|_| "?".to_owned(), |moment| moment.strftime("%Y-%m-%d").to_string())
        };
        if end - last > SILENT_SECONDS || first - start > SILENT_SECONDS {
            warnings.push(
                Phrase::new("bill-warning-cut")
                    .with("provider", provider.unwrap_or("FOCUS"))
                    .with("first", day(first))
                    .with("last", day(last - 1))
                    .with("end", day(end - 1)),
            );
        }
    }
    warnings
}
