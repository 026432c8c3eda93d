//! What units of work cost, by job and by person: money for work, not blame for idleness.

use crate::input::Input;
use kasuan_model::{Money, Run};
use rust_decimal::{Decimal, prelude::FromPrimitive as _};
use std::collections::BTreeMap;

/// What is summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KpiGroup {
    /// Each job.
    Job,
    /// Each person.
    Person,
}

/// What a job's or a person's work cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Kpi {
    /// Whether it is a job or a person.
    pub group: KpiGroup,
    /// Its name.
    pub name: String,
    /// Runs that ended well.
    pub runs: u32,
    /// Card-hours of all its runs in the month.
    pub card_hours: f64,
    /// What those hours cost; `None` when a card's price is unknown.
    pub cost: Option<Money>,
    /// Units of work and their name, where every run has the same unit.
    pub work: Option<(f64, String)>,
    /// Mean busy share; `None` when nobody measured it.
    pub busy: Option<f64>,
}

impl Kpi {
    /// Returns what a run that ended well cost; `None` when unknown or when none did.
    pub fn cost_per_run(&self) -> Option<Money> {
        self.cost.filter(|_| self.runs > 0)?.over(Decimal::from(self.runs)).ok()
    }

    /// Returns what a unit of work cost; `None` when unknown.
    pub fn cost_per_unit(&self) -> Option<Money> {
        let (units, _) = self.work.as_ref()?;
        self.cost?.over(Decimal::from_f64(*units).filter(|units| !units.is_zero())?).ok()
    }
}

/// Returns a run's card-hours within the month; a run that has not ended counts to the month's end.
pub(crate) fn card_hours(run: &Run, input: &Input) -> f64 {
    let end = run.end.unwrap_or(input.to).min(input.to);
    let start = run.start.max(input.from);
    f64::from(run.cards) * (end.as_second() - start.as_second()).max(0) as f64 / 3600.0
}

pub(crate) fn kpi(input: &Input, group: KpiGroup) -> Vec<Kpi> {
    let mut found: BTreeMap<String, Kpi> = BTreeMap::new();
    let mut units: BTreeMap<String, bool> = BTreeMap::new();
    for run in &input.runs {
        let name = match group {
            KpiGroup::Job => Some(run.job.clone()),
            KpiGroup::Person => run.person.clone(),
        };
        let Some(name) = name else { continue };
        let row = found.entry(name.clone()).or_insert_with(|| Kpi {
            group,
            name: name.clone(),
            runs: 0,
            card_hours: 0.0,
            cost: Some(Money::zero(input.currency)),
            work: None,
            busy: None,
        });
        let hours = card_hours(run, input);
        row.card_hours += hours;
        row.runs += u32::from(run.exit_code == Some(0));
        let cost = input
            .price(&run.host, run.card.as_ref())
            .and_then(|price| price.times(Decimal::from_f64(hours)?).ok());
        row.cost = row.cost.zip(cost).and_then(|(sum, more)| sum.checked_add(more).ok());
        let same = units.entry(name).or_insert(true);
        match (&mut row.work, run.work, &run.work_unit) {
            (Some((sum, unit)), Some(more), Some(other)) if unit == other => *sum += more,
            (None, Some(more), Some(unit)) => row.work = Some((more, unit.clone())),
            (_, None, _) => {}
            _ => *same = false,
        }
    }
    let mut busy: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for hour in &input.usage {
        let name = if group == KpiGroup::Job { &hour.job } else { &hour.person };
        let sum = busy.entry(name).or_default();
        *sum = (sum.0 + hour.busy, sum.1 + hour.busy_known);
    }
    for row in found.values_mut() {
        if units.get(&row.name) == Some(&false) {
            row.work = None;
        }
        let (busy, known) = busy.get(row.name.as_str()).copied().unwrap_or_default();
        row.busy = (known > 0.0).then(|| busy / known);
    }
    found.into_values().collect()
}
