//! What a review is made from.

use jiff::Timestamp;
use kasuan_model::{Bytes, CardId, Charge, Currency, Money, Run, UsageHour};
use std::collections::BTreeMap;

/// A month's facts.
#[derive(Clone, Debug)]
pub struct Input {
    /// The first moment of the month.
    pub from: Timestamp,
    /// The first moment after it.
    pub to: Timestamp,
    /// The currency of the review; charges in another are refused.
    pub currency: Currency,
    /// The rows of the bills; unpaid ones are left out.
    pub charges: Vec<Charge>,
    /// What was planned.
    pub planned: Vec<Planned>,
    /// Hourly use as measured.
    pub usage: Vec<UsageHour>,
    /// Runs that were alive in the month.
    pub runs: Vec<Run>,
    /// What was rented, with its price, so that hours without any measurement are seen too.
    pub rented: Vec<Rented>,
    /// What lies on paid storage.
    pub stored: Vec<StoredItem>,
    /// What a card-hour of a card costs, for cards that `rented` does not name.
    pub card_hour: BTreeMap<CardId, Money>,
    /// Board power of cards in watts, to tell a busy card that does not work.
    pub card_watts: BTreeMap<CardId, f64>,
    /// Where waste begins.
    pub thresholds: Thresholds,
}

/// What plan and payments are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The whole month.
    Total,
    /// A line of the plan: `rent`, `storage`, `egress`, `other`.
    Line,
    /// A job.
    Job,
    /// A person.
    Person,
    /// A card model.
    Card,
    /// A provider.
    Provider,
}

impl Scope {
    /// Every scope, in the order of a report.
    pub const ALL: [Self; 6] =
        [Self::Total, Self::Line, Self::Job, Self::Person, Self::Card, Self::Provider];
}

/// A line of the plan or the budget.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// What it is a budget of.
    pub scope: Scope,
    /// The line, job, person, card or provider that it is for; empty for the total.
    pub name: String,
    /// Units that were planned, for example card-hours; `None` when only money was.
    pub quantity: Option<f64>,
    /// The money.
    pub amount: Money,
}

/// Cards that were paid for over a span.
#[derive(Clone, Debug, PartialEq)]
pub struct Rented {
    /// The host, as in usage rows.
    pub host: String,
    /// The card.
    pub card: CardId,
    /// How many.
    pub cards: u32,
    /// From when.
    pub from: Timestamp,
    /// Until when.
    pub to: Timestamp,
    /// Price of one card for one hour.
    pub card_hour: Money,
    /// Whether it was paid ahead, so that stopping it earlier saves nothing this month.
    pub prepaid: bool,
    /// Card-hours that were paid in the span, where the bill counts fewer than all of them.
    pub card_hours: Option<f64>,
    /// Seconds that the provider rounds a rental up to; `None` when it does not say.
    pub granularity: Option<u64>,
}

/// Something that lies on paid storage.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredItem {
    /// Its path.
    pub path: String,
    /// What it is: `checkpoint`, `dataset`, `cache`...
    pub kind: String,
    /// Its size.
    pub size: Bytes,
    /// When it was last used; `None` when nobody knows.
    pub last_used: Option<Timestamp>,
    /// Whether a run, or a rule to keep the newest, still needs it.
    pub needed: bool,
    /// Price of a GB for a month; `None` when unknown.
    pub gb_month: Option<Money>,
}

/// Where waste begins. Each default names its evidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Busy share under which an hour counts as idle. 1 %: "zero on every sample" with room for a
    /// stray kernel (jobstats and job_defense_shield cancel at 0 %).
    pub idle_busy: f64,
    /// Hours of idleness in a row before they count: two, as job_defense_shield cancels after
    /// 120 minutes.
    pub idle_hours: u32,
    /// Share of an hour that must have been seen for the hour to count as measured.
    pub least_seen: f64,
    /// Busy share at or under which a job is far too low: 15 % (jobstats `GPU_UTIL_RED`).
    pub low_busy: f64,
    /// Share of a card's memory that an oversized card's job never reaches: half (the guide).
    pub small_memory: f64,
    /// Busy share at or under which a card is too powerful: 20 % (job_defense_shield).
    pub powerful_busy: f64,
    /// Card-hours of a job before its card is judged: 24 (job_defense_shield).
    pub least_card_hours: f64,
    /// Hours of a nightly or daily gap before it is worth a schedule: 6 (heuristic).
    pub calendar_hours: u32,
    /// Days without use after which a checkpoint is old: 30 (heuristic).
    pub old_days: i64,
    /// Failures of one job in a row that make a loop: 3 (heuristic).
    pub failing_runs: u32,
    /// Busy share under which cards wait for more than they work: half (the guide; jobstats aims
    /// at 50 %).
    pub waiting_busy: f64,
    /// Busy share from which a card with little power may hang in a kernel: 95 % (a 1-SM kernel
    /// shows 100 %: stas00/ml-engineering, debug.md).
    pub hung_busy: f64,
    /// Share of the board's power under which a busy card does no work: 45 % (heuristic).
    pub hung_power: f64,
    /// Runs under half a billing step before rounding is worth a word: 5 (heuristic).
    pub short_runs: u32,
    /// Hours of silence of a host that was measured before: 24 (heuristic).
    pub silent_hours: u32,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            idle_busy: 0.01,
            idle_hours: 2,
            least_seen: 0.5,
            low_busy: 0.15,
            small_memory: 0.5,
            powerful_busy: 0.20,
            least_card_hours: 24.0,
            calendar_hours: 6,
            old_days: 30,
            failing_runs: 3,
            waiting_busy: 0.50,
            hung_busy: 0.95,
            hung_power: 0.45,
            short_runs: 5,
            silent_hours: 24,
        }
    }
}

impl Rented {
    /// Returns the card-hours that were paid within the month.
    pub(crate) fn paid_hours(&self, input: &Input) -> f64 {
        let span =
            |from: Timestamp, to: Timestamp| (to.as_second() - from.as_second()).max(0) as f64;
        let within = span(self.from.max(input.from), self.to.min(input.to));
        match self.card_hours {
            Some(hours) => {
                let whole = span(self.from, self.to);
                if whole > 0.0 { hours * within / whole } else { 0.0 }
            }
            None => f64::from(self.cards) * within / 3600.0,
        }
    }
}

impl Input {
    /// Returns what a card-hour cost on a host, or of that card anywhere; `None` when no price is
    /// known.
    pub(crate) fn price(&self, host: &str, card: Option<&CardId>) -> Option<Money> {
        let here = self
            .rented
            .iter()
            .find(|rented| rented.host == host && card.is_none_or(|card| rented.card == *card));
        here.map(|rented| rented.card_hour).or_else(|| self.card_hour.get(card?).copied())
    }
}
