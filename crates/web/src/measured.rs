//! Hours that cards were really used, from the ledger, for the curves of the billing modes.

use crate::state::AppState;
use jiff::{Timestamp, ToSpan as _};
use kasuan_ledger::Ledger;
use kasuan_model::{CardId, UsageHour};
use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How long a look into the ledger stands.
const STANDS: Duration = Duration::from_secs(60);
/// Days that are looked back on.
const DAYS: i64 = 28;
/// Days of a month on average.
const MONTH: f64 = 365.25 / 12.0;
/// A card without a job's name counts as used when it was busy for more than this, as in reviews.
const IDLE: f64 = 0.05;

/// For each card, the hours a month for which the least and the most used one of them was used.
pub(crate) type Hours = BTreeMap<CardId, (f64, f64)>;

/// What the ledger said a moment ago.
#[derive(Debug, Default)]
pub(crate) struct Measured(Mutex<Option<(Instant, Hours)>>);

/// Returns the hours; none where there is no ledger, or where it cannot be read just now.
pub(crate) fn hours(state: &AppState) -> Hours {
    let Some(place) = &state.0.settings.ledger else { return Hours::new() };
    let mut last = state.0.measured.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((at, hours)) = last.as_ref()
        && at.elapsed() < STANDS
    {
        return hours.clone();
    }
    let until = state.0.settings.zone.to_timestamp(state.today().at(0, 0, 0, 0));
    let until = until.and_then(|start| start.checked_add(24.hours())).unwrap_or(Timestamp::MAX);
    let from = until.checked_sub((24 * DAYS).hours()).unwrap_or(Timestamp::MIN);
    let is_there = place.contains("://") || std::path::Path::new(place).exists();
    let rows = is_there.then(|| Ledger::open(place).and_then(|mut it| it.usage_hours(from, until)));
    let hours = rows.and_then(Result::ok).map(|rows| sums(&rows)).unwrap_or_default();
    *last = Some((Instant::now(), hours.clone()));
    hours
}

fn sums(rows: &[UsageHour]) -> Hours {
    let mut devices: BTreeMap<(&CardId, &str, &str), f64> = BTreeMap::new();
    for row in rows {
        let Some(card) = &row.card else { continue };
        let busy = row.busy_known > 0.0 && row.busy / row.busy_known >= IDLE;
        let used = if busy || !row.job.is_empty() { row.seen } else { 0.0 };
        *devices.entry((card, &row.host, &row.device)).or_default() += used;
    }
    let mut hours = Hours::new();
    for ((card, _, _), seconds) in devices {
        let month = seconds / 3600.0 / DAYS as f64 * MONTH;
        let range = hours.entry(card.clone()).or_insert((month, month));
        *range = (range.0.min(month), range.1.max(month));
    }
    hours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_counts_the_hours_in_which_it_worked_or_had_a_job() {
        let row = |device: &str, job: &str, busy: f64| UsageHour {
            host: "box".into(),
            device: device.into(),
            card: Some(CardId::new("a100-sxm4-80")),
            job: job.into(),
            seen: 3600.0,
            busy_known: 3600.0,
            busy: busy * 3600.0,
            ..UsageHour::default()
        };
        let hours =
            sums(&[row("a", "", 0.0), row("a", "", 0.5), row("a", "x", 0.0), row("b", "", 0.9)]);
        let (low, high) = hours[&CardId::new("a100-sxm4-80")];
        let month = MONTH / 28.0;
        assert!((low - month).abs() < 1e-9 && (high - 2.0 * month).abs() < 1e-9, "{low} {high}");
    }
}
