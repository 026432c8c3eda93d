//! What was paid against what was planned, and how much of the paid time was used.

use crate::{
    input::Input,
    review::ReviewError,
    variance::{Variance, variance},
};
use jiff::Timestamp;
use kasuan_model::{Charge, Money, Payment};
use rust_decimal::prelude::ToPrimitive as _;
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
    /// What was paid; `None` for something that was planned and not bought.
    pub actual: Option<Money>,
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

/// Puts the plan beside what was paid, by service.
pub(crate) fn compare(input: &Input, actual: &[ActualLine]) -> Vec<BudgetComparison> {
    let mut rows: BTreeMap<&str, BudgetComparison> = BTreeMap::new();
    for planned in &input.planned {
        rows.insert(
            &planned.name,
            BudgetComparison {
                name: planned.name.clone(),
                planned: Some(planned.amount),
                actual: None,
                variance: None,
            },
        );
    }
    for line in actual {
        let row = rows.entry(&line.name).or_insert_with(|| BudgetComparison {
            name: line.name.clone(),
            planned: None,
            actual: None,
            variance: None,
        });
        row.actual = Some(line.effective);
        let planned = input.planned.iter().find(|planned| planned.name == line.name);
        let units = planned.and_then(|planned| planned.quantity).zip(line.quantity);
        let amounts = planned
            .and_then(|planned| planned.amount.amount().to_f64())
            .zip(line.effective.amount().to_f64());
        if let (Some((before, after)), Some((plan, cost))) = (units, amounts) {
            let price = |money: f64, units: f64| if units > 0.0 { money / units } else { 0.0 };
            row.variance =
                Some(variance(&[(before, price(plan, before), after, price(cost, after))]));
        }
    }
    rows.into_values().collect()
}

fn overlap_hours(from: Timestamp, to: Timestamp, input: &Input) -> f64 {
    let (from, to) = (from.max(input.from), to.min(input.to));
    (to.as_second() - from.as_second()).max(0) as f64 / 3600.0
}

/// Measures use against what was rented.
pub(crate) fn utilisation(input: &Input) -> Utilisation {
    let paid = input
        .rented
        .iter()
        .map(|rented| f64::from(rented.cards) * overlap_hours(rented.from, rented.to, input));
    let mut found = Utilisation { paid: paid.sum(), ..Utilisation::default() };
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
