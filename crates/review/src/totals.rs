//! What was paid against what was planned, and how much of the paid time was used.

use crate::{
    allocate::Shares,
    input::{Input, Planned, Scope},
    review::ReviewError,
    variance::{Variance, variance},
};
use kasuan_model::{Charge, Money, Payment};
use rust_decimal::{
    Decimal,
    prelude::{FromPrimitive as _, ToPrimitive as _},
};
use std::collections::BTreeMap;

/// What was paid under one name.
#[derive(Clone, Debug, PartialEq)]
pub struct ActualLine {
    /// The service, provider, job, person or card.
    pub name: String,
    /// What goes on invoices.
    pub billed: Money,
    /// What the month's use is worth, prepayments spread over their time.
    pub effective: Money,
    /// Units, where every row under the name has them in the same unit.
    pub quantity: Option<f64>,
}

/// A planned line beside what was paid.
#[derive(Clone, Debug, PartialEq)]
pub struct BudgetComparison {
    /// The line.
    pub name: String,
    /// The plan; `None` for something that nobody planned.
    pub planned: Option<Money>,
    /// What its use is worth; `None` for something that was planned and not bought.
    pub actual: Option<Money>,
    /// What goes on invoices for it.
    pub billed: Option<Money>,
    /// Why they differ, where both have units.
    pub variance: Option<Variance>,
}

/// How much of the paid time was used, three ways, with how much was measured at all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Utilisation {
    /// Card-hours that were paid.
    pub paid: f64,
    /// Card-hours in which a named job had the card.
    pub occupied: f64,
    /// Card-hours that were measured.
    pub measured: f64,
    /// Mean busy share of the measured time; `None` when nothing was.
    pub busy: Option<f64>,
    /// Highest memory use over the card's memory; `None` when nothing was.
    pub memory_peak: Option<f64>,
}

impl Utilisation {
    /// Returns occupied over paid card-hours; `None` when nothing was paid.
    pub fn occupied_share(&self) -> Option<f64> {
        (self.paid > 0.0).then(|| self.occupied / self.paid)
    }

    /// Returns measured over paid card-hours; `None` when nothing was paid.
    pub fn coverage(&self) -> Option<f64> {
        (self.paid > 0.0).then(|| (self.measured / self.paid).min(1.0))
    }
}

fn paid(charge: &&Charge) -> bool {
    charge.payment != Payment::Unpaid
}

/// Sums charges by a name.
pub(crate) fn by(
    input: &Input,
    name: impl Fn(&Charge) -> String,
) -> Result<Vec<ActualLine>, ReviewError> {
    let mut lines: BTreeMap<String, (ActualLine, Option<Option<String>>)> = BTreeMap::new();
    for charge in input.charges.iter().filter(paid) {
        let name = name(charge);
        let zero = Money::zero(input.currency);
        let (line, unit) = lines.entry(name.clone()).or_insert_with(|| {
            let line = ActualLine { name, billed: zero, effective: zero, quantity: Some(0.0) };
            (line, None)
        });
        line.billed = line.billed.checked_add(charge.billed)?;
        line.effective = line.effective.checked_add(charge.effective)?;
        let same = unit.get_or_insert_with(|| charge.unit.clone()) == &charge.unit;
        let quantity = charge.quantity.and_then(|quantity| quantity.to_f64());
        line.quantity = match (line.quantity, quantity) {
            (Some(sum), Some(more)) if same => Some(sum + more),
            _ => None,
        };
    }
    Ok(lines.into_values().map(|(line, _)| line).collect())
}

/// Sums charges by who they were for, splitting those that several had.
pub(crate) fn by_shares(input: &Input, scope: Scope) -> Result<Vec<ActualLine>, ReviewError> {
    let tag = if scope == Scope::Person { "person" } else { "job" };
    let shares = Shares::of(input, scope);
    let zero = Money::zero(input.currency);
    let mut lines: BTreeMap<String, ActualLine> = BTreeMap::new();
    for charge in input.charges.iter().filter(paid) {
        let split = match charge.tags.get(tag) {
            Some(name) => vec![(name.clone(), 1.0)],
            None => shares.split(charge),
        };
        // The last name takes what rounding leaves, so that the parts add up to the charge.
        let (mut billed, mut effective) = (charge.billed, charge.effective);
        let last = split.len().saturating_sub(1);
        for (at, (name, share)) in split.into_iter().enumerate() {
            let part = |whole: Money, left: Money| -> Result<Money, ReviewError> {
                let share = Decimal::from_f64(share).unwrap_or(Decimal::ZERO).round_dp(9);
                Ok(if at == last { left } else { whole.times(share)? })
            };
            let (own_billed, own) =
                (part(charge.billed, billed)?, part(charge.effective, effective)?);
            billed = billed.checked_sub(own_billed)?;
            effective = effective.checked_sub(own)?;
            let line = lines.entry(name.clone()).or_insert_with(|| ActualLine {
                name,
                billed: zero,
                effective: zero,
                quantity: None,
            });
            line.billed = line.billed.checked_add(own_billed)?;
            line.effective = line.effective.checked_add(own)?;
        }
    }
    Ok(lines.into_values().collect())
}

/// Sums what cards cost and their card-hours, by card model.
pub(crate) fn by_card(input: &Input) -> Result<Vec<ActualLine>, ReviewError> {
    let zero = Money::zero(input.currency);
    let mut lines: BTreeMap<String, ActualLine> = BTreeMap::new();
    for charge in input.charges.iter().filter(paid) {
        let Some(card) = &charge.card else { continue };
        let name = card.to_string();
        let line = lines.entry(name.clone()).or_insert_with(|| ActualLine {
            name,
            billed: zero,
            effective: zero,
            quantity: Some(0.0),
        });
        line.billed = line.billed.checked_add(charge.billed)?;
        line.effective = line.effective.checked_add(charge.effective)?;
        line.quantity = line.quantity.zip(card_hours(charge)).map(|(sum, more)| sum + more);
    }
    Ok(lines.into_values().collect())
}

/// Returns the card-hours that a charge pays: its quantity where that counts hours, else its span.
pub fn card_hours(charge: &Charge) -> Option<f64> {
    let cards = f64::from(charge.cards.unwrap_or(1));
    let unit = charge.unit.as_deref().unwrap_or_default().to_lowercase();
    let quantity = charge.quantity.and_then(|quantity| quantity.to_f64());
    let (from, to) = charge.charge_period;
    let span = (to.as_second() - from.as_second()) as f64 / 3600.0;
    match (unit.as_str(), quantity) {
        ("gpu-hours" | "card-hours" | "卡时", Some(hours)) => Some(hours),
        ("hours" | "hour" | "hrs" | "小时" | "instance-hours", Some(hours)) => {
            Some(hours * cards)
        }
        ("seconds" | "秒", Some(seconds)) => Some(seconds / 3600.0 * cards),
        _ if span > 0.0 => Some(span * cards),
        _ => None,
    }
}

/// Puts the plan beside what was paid, for one scope.
pub(crate) fn compare(input: &Input, scope: Scope, actual: &[ActualLine]) -> Vec<BudgetComparison> {
    let planned: Vec<&Planned> =
        input.planned.iter().filter(|planned| planned.scope == scope).collect();
    let mut rows: BTreeMap<&str, BudgetComparison> = BTreeMap::new();
    for planned in &planned {
        rows.insert(
            &planned.name,
            BudgetComparison {
                name: planned.name.clone(),
                planned: Some(planned.amount),
                actual: None,
                billed: None,
                variance: None,
            },
        );
    }
    for line in actual {
        let row = rows.entry(&line.name).or_insert_with(|| BudgetComparison {
            name: line.name.clone(),
            planned: None,
            actual: None,
            billed: None,
            variance: None,
        });
        row.actual = Some(line.effective);
        row.billed = Some(line.billed);
        let planned = planned.iter().find(|planned| planned.name == line.name);
        let units = planned.and_then(|planned| planned.quantity).zip(line.quantity);
        let amounts = planned
            .and_then(|planned| planned.amount.amount().to_f64())
            .zip(line.effective.amount().to_f64());
        if let (Some((before, after)), Some((plan, cost))) = (units, amounts) {
            row.variance =
                Some(variance(&[(before, price(plan, before), after, price(cost, after))]));
        }
    }
    rows.into_values().collect()
}

fn price(money: f64, units: f64) -> f64 {
    if units > 0.0 { money / units } else { 0.0 }
}

/// Splits the whole difference of the rent into price, volume and mix over all cards; `None` unless
/// every planned and every paid card has its hours.
pub(crate) fn rent_variance(input: &Input, actual: &[ActualLine]) -> Option<Variance> {
    let mut lines: BTreeMap<&str, (f64, f64, f64, f64)> = BTreeMap::new();
    for planned in input.planned.iter().filter(|planned| planned.scope == Scope::Card) {
        let units = planned.quantity?;
        let line = lines.entry(&planned.name).or_default();
        *line = (units, price(planned.amount.amount().to_f64()?, units), 0.0, 0.0);
    }
    if lines.is_empty() {
        return None;
    }
    for paid in actual.iter().filter(|line| !line.name.is_empty()) {
        let units = paid.quantity?;
        let line = lines.entry(&paid.name).or_default();
        line.2 = units;
        line.3 = price(paid.effective.amount().to_f64()?, units);
    }
    Some(variance(&lines.into_values().collect::<Vec<_>>()))
}

/// Measures use against what was rented.
pub(crate) fn utilisation(input: &Input) -> Utilisation {
    let paid = input.rented.iter().map(|rented| rented.paid_hours(input));
    let mut found =
        Utilisation { paid: paid.fold(0.0, |sum, more| sum + more), ..Utilisation::default() };
    let (mut busy, mut busy_known) = (0.0, 0.0);
    for hour in input.usage.iter().filter(|hour| hour.hour >= input.from && hour.hour < input.to) {
        found.measured += hour.seen / 3600.0;
        if !hour.job.is_empty() {
            found.occupied += hour.seen / 3600.0;
        }
        busy += hour.busy;
        busy_known += hour.busy_known;
        if hour.memory_known > 0.0 && hour.memory_total > 0.0 {
            let peak = hour.memory_peak / hour.memory_total;
            found.memory_peak = Some(found.memory_peak.map_or(peak, |most| most.max(peak)));
        }
    }
    found.busy = (busy_known > 0.0).then(|| busy / busy_known);
    found
}
