//! What is charged beside running time: stopped instances, kept data, traffic; and deletion timers.

use super::{
    BillError, BillLine, Billing, Keep, LineKind, Run, Unit, Usage, compute::next_midnight,
    seconds_between,
};
use crate::{
    storage::Stored,
    tariff::per_second,
    terms::{StorageKind, StoragePer},
};
use jiff::{ToSpan as _, civil::DateTime};
use kasuan_model::{Bytes, Estimate, Money, Phrase, Seconds};
use rust_decimal::Decimal;

impl Billing<'_> {
    /// Adds lines for the times between runs, and until the instance is deleted.
    pub(super) fn stopped(&mut self, usage: &Usage) -> Result<(), BillError> {
        let next_starts = usage.runs.iter().skip(1).map(|run| Some(run.from));
        let ends = next_starts.chain([usage.released]);
        for (run, end) in usage.runs.iter().zip(ends) {
            let Some(end) = end.filter(|end| *end > run.to) else { continue };
            self.stopped_between(run.to, end)?;
        }
        Ok(())
    }

    fn stopped_between(&mut self, from: DateTime, to: DateTime) -> Result<(), BillError> {
        let length = seconds_between(from, to);
        let rule = &self.terms.stopping;
        if let Some(after) = rule.delete_after.filter(|after| length > *after) {
            let days = after.get() / 86_400;
            let seconds = i64::try_from(after.get()).unwrap_or(i64::MAX);
            let on = from.checked_add(seconds.seconds()).unwrap_or(to);
            let warning =
                Phrase::new("market-warn-deleted").with("days", days).with("on", on.date());
            self.warnings.push(warning);
        }
        if self.terms.spot.stoppable == Some(false)
            && self.offer.mode == kasuan_model::BillingMode::Spot
        {
            self.warnings.push(Phrase::new("market-warn-spot-not-stoppable"));
        }
        let zero = Money::zero(self.tariff.currency());
        let full = self.tariff.price;
        let at = |price: Money| -> Result<Money, BillError> {
            Ok(Money::new(per_second(price.amount(), length)?, price.currency()))
        };
        let (price, amount, how) = match (rule.compute_free, rule.stopped_hour) {
            (_, Some(price)) => {
                let how = Phrase::new("market-bill-stopped-price");
                (price, Estimate::exact(at(price)?), how)
            }
            (Some(true), None) => return Ok(()),
            (Some(false), None) => {
                let how = Phrase::new("market-bill-stopped-full");
                (full, Estimate::exact(at(full)?), how)
            }
            (None, None) => {
                self.say_unknown(Phrase::new("market-unknown-stopped"));
                let how = Phrase::new("market-bill-stopped-unknown");
                (full, Estimate::new(zero, zero, at(full)?), how)
            }
        };
        self.lines.push(BillLine {
            kind: LineKind::Stopped,
            from: Some(from),
            to: Some(to),
            quantity: Estimate::exact(length.decimal_hours()),
            unit: Unit::InstanceHour,
            unit_price: price,
            amount,
            how: vec![how],
        });
        Ok(())
    }

    /// Adds the lines of kept data.
    pub(super) fn storage(&mut self, usage: &Usage) -> Result<(), BillError> {
        for keep in &usage.storage {
            let kind = match self.terms.storage_kind(keep.kind.as_deref(), self.offer.mode) {
                Some(kind) => kind.clone(),
                None if keep.kind.is_none() => {
                    self.say_unknown(
                        Phrase::new("market-unknown-storage").with("size", gb(keep.size)),
                    );
                    continue;
                }
                None => {
                    return Err(BillError::NoStorage {
                        provider: self.terms.provider.clone(),
                        kind: keep.kind.clone().unwrap_or_default(),
                        known: self.terms.storage.iter().map(|kind| kind.id.clone()).collect(),
                    });
                }
            };
            self.keep(keep, &kind, &usage.runs)?;
        }
        Ok(())
    }

    fn keep(&mut self, keep: &Keep, kind: &StorageKind, runs: &[Run]) -> Result<(), BillError> {
        let stored = Stored {
            size: keep.size,
            kept: seconds_between(keep.from, keep.to),
            running: runs.iter().map(|run| overlap(*run, keep)).sum(),
            month: month_of(keep.from),
        };
        let Some(price) = kind.price else {
            self.say_unknown(Phrase::new("market-unknown-storage").with("size", gb(keep.size)));
            return Ok(());
        };
        let charged = kind.charged_gb(keep.size);
        let (amount, quantity, unit) = match kind.per {
            StoragePer::Day => {
                let days = midnights(keep.from, keep.to);
                let low = charged * Decimal::from(days.0);
                let high = charged * Decimal::from(days.1);
                let amount =
                    Estimate::new(price.times(low)?, price.times(low)?, price.times(high)?);
                (amount, Estimate::new(low, low, high), Unit::GbDay)
            }
            StoragePer::Hour | StoragePer::Month => {
                let Some(amount) = kind.cost(stored)? else { return Ok(()) };
                let (unit, per) = match kind.per {
                    StoragePer::Month => (Unit::GbMonth, stored.month),
                    StoragePer::Hour | StoragePer::Day => (Unit::GbHour, Seconds::from_hours(1)),
                };
                let times = Decimal::from(stored.kept.get()) / Decimal::from(per.get().max(1));
                (amount, Estimate::exact(charged * times), unit)
            }
        };
        let mut how = vec![
            Phrase::new("market-bill-storage")
                .with("size", gb(keep.size))
                .with("free", gb(kind.free))
                .with("charged", charged.round_dp(3).normalize()),
        ];
        match kind.charged_when_stopped {
            Some(true) => how.push(Phrase::new("market-bill-storage-always")),
            Some(false) => how.push(Phrase::new("market-bill-storage-running")),
            None => self.say_unknown(Phrase::new("market-unknown-storage-stopped")),
        }
        self.lines.push(BillLine {
            kind: LineKind::Storage,
            from: Some(keep.from),
            to: Some(keep.to),
            quantity,
            unit,
            unit_price: price,
            amount,
            how,
        });
        Ok(())
    }

    /// Adds a line for each tier of the traffic out.
    pub(super) fn egress(&mut self, usage: &Usage) -> Result<(), BillError> {
        if usage.egress == Bytes::ZERO {
            return Ok(());
        }
        let traffic = &self.terms.traffic;
        if traffic.egress.is_empty() {
            self.say_unknown(Phrase::new("market-unknown-egress").with("size", gb(usage.egress)));
            return Ok(());
        }
        let stored = usage.storage.iter().map(|keep| keep.size).sum();
        for part in traffic.egress_parts(usage.egress, stored)? {
            self.lines.push(BillLine {
                kind: LineKind::Egress,
                from: None,
                to: None,
                quantity: Estimate::exact(part.size.gb()),
                unit: Unit::Gb,
                unit_price: part.price,
                amount: Estimate::exact(part.cost),
                how: vec![Phrase::new("market-bill-tier")],
            });
        }
        Ok(())
    }
}

fn gb(size: Bytes) -> String {
    format!("{} GB", size.gb().round_dp(3).normalize())
}

fn overlap(run: Run, keep: &Keep) -> Seconds {
    let from = run.from.max(keep.from);
    let to = run.to.min(keep.to);
    if to > from { seconds_between(from, to) } else { Seconds::ZERO }
}

/// Returns the length of the calendar month that a moment is in.
fn month_of(moment: DateTime) -> Seconds {
    let days = u32::try_from(moment.date().days_in_month()).unwrap_or(30);
    Seconds::from_hours(24 * days)
}

/// Counts the midnights after `from` up to `to`, and that plus the begun last day: providers that
/// settle at midnight do not say whether the day of the end is charged.
fn midnights(from: DateTime, to: DateTime) -> (u64, u64) {
    let Some(first) = next_midnight(from).filter(|first| *first <= to) else {
        return (0, u64::from(to > from));
    };
    let days = 1 + seconds_between(first, to).get() / 86_400;
    let begun = !seconds_between(first, to).get().is_multiple_of(86_400);
    (days, days + u64::from(begun))
}
