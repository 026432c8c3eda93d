//! What the planner answers: choices with reasons, the mix, the calendar, the budget, and what
//! naive choices would have cost.
//!
//! A plan is immutable data that says everything; the doors only print it.

mod part;

pub use part::LinePart;

use crate::workload::Task;
use jiff::civil::DateTime;
use kasuan_model::{
    BillingMode, Bytes, CardId, Confidence, Estimate, Money, Phrase, Seconds, Share, Source,
};
use kasuan_sizing::{MemoryEstimate, Setup, capacity::Capacity};

/// The whole answer for a month.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Everything together, margin included, rounded to the smallest coin.
    pub total: Money,
    /// The lines that add up to it.
    pub budget: Budget,
    /// One choice for each job, in the order of the workload.
    pub jobs: Vec<JobPlan>,
    /// What is committed, and how near to the optimum the mix is.
    pub mix: Mix,
    /// When each run starts.
    pub calendar: Vec<CalendarEntry>,
    /// The busiest moment; `None` when nothing runs.
    pub peak: Option<Peak>,
    /// What to do when the money is not there, cheapest sacrifice first.
    pub fallback: Vec<FallbackAction>,
    /// What getting under the cap takes; `None` when no cap was given.
    pub cap: Option<CapAnswer>,
    /// What naive choices would cost, in the same lines and rules.
    pub baselines: Vec<Baseline>,
    /// What it would save if runs could wait longer, shortest wait first.
    pub patience: Vec<Patience>,
    /// Terms that rest on guessed hours: commit now, or measure first.
    pub measure_first: Vec<MeasureFirst>,
    /// What is not known and therefore not in the total.
    pub unknowns: Vec<Phrase>,
    /// What the reader should know: left-out offers, contradictions of rules of thumb, stale prices.
    pub notes: Vec<Phrase>,
    /// Sources of every price and term that the answer rests on.
    pub sources: Vec<Source>,
}

/// A line of the budget.
#[derive(Clone, Debug)]
pub struct BudgetLine {
    /// Which class of cost.
    pub kind: CostKind,
    /// The amount in the total, rounded to the smallest coin; `None` is unknown and not counted.
    pub amount: Option<Money>,
    /// Whether a part of it is unknown and not counted, beside an amount that is known.
    pub unknown: bool,
    /// The range.
    pub range: Option<Estimate<Money>>,
    /// Share of the total before margin.
    pub share: Share,
    /// How the amount came about.
    pub detail: Vec<Phrase>,
}

/// The classes of cost, in the order they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CostKind {
    /// GPU rent.
    Rent,
    /// Storage.
    Storage,
    /// Network egress.
    Egress,
    /// Trial and error.
    Trial,
    /// Moving data: labour and time.
    DataMoving,
    /// Operations labour.
    Operations,
    /// Tax, where prices do not include it.
    Tax,
    /// Safety margin.
    Margin,
}

impl CostKind {
    /// Returns the key of its word.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Rent => "cost-rent",
            Self::Storage => "cost-storage",
            Self::Egress => "cost-egress",
            Self::Trial => "cost-trial",
            Self::DataMoving => "cost-data_moving",
            Self::Operations => "cost-operations",
            Self::Tax => "cost-tax",
            Self::Margin => "cost-margin",
        }
    }
}

/// The budget of the month.
#[derive(Clone, Debug)]
pub struct Budget {
    /// One line for each class of cost; they add up to the plan's total.
    pub lines: Vec<BudgetLine>,
    /// What rent, storage, egress and tax are the sum of, before they are rounded.
    pub parts: Vec<LinePart>,
    /// Paid but unused rent, inside the rent line and never counted twice.
    pub idle: Money,
    /// Half of the simulated months cost less.
    pub p50: Money,
    /// Four of five cost less.
    pub p80: Money,
    /// Nine of ten cost less.
    pub p90: Money,
    /// What moves the total, most first.
    pub sensitivity: Vec<crate::simulate::Sensitivity>,
    /// The guide's flat 20 % and 30 % on top, for comparison.
    pub flat: (Money, Money),
}

/// The choice for one job.
#[derive(Clone, Debug)]
pub struct JobPlan {
    /// The job's name.
    pub name: String,
    /// Its task.
    pub task: Task,
    /// The best choice; `None` when nothing is feasible, and `why` says what removed the last
    /// candidates and what to relax.
    pub choice: Option<Choice>,
    /// The next best choices on other cards or modes, dearer first reasons included.
    pub alternatives: Vec<Choice>,
    /// Why this choice, and why not the obvious others.
    pub why: Vec<Phrase>,
}

/// One way to run a job, with what it costs.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The card.
    pub card: CardId,
    /// What people call the card.
    pub card_name: String,
    /// Cards for each replica or run.
    pub cards: u32,
    /// Replicas, for a service.
    pub replicas: u32,
    /// Instances that are rented at once.
    pub instances: u32,
    /// The offer's id.
    pub offer: String,
    /// The provider.
    pub provider: String,
    /// The region.
    pub region: String,
    /// How it is paid for.
    pub mode: BillingMode,
    /// How it is run; `None` when the user stated memory and hours.
    pub setup: Option<Setup>,
    /// Memory; `None` when the user stated it.
    pub memory: Option<MemoryEstimate>,
    /// Memory for each card that has to fit.
    pub memory_needed: Bytes,
    /// Time of one run, start to end.
    pub time: Estimate<Seconds>,
    /// How far the time may be trusted.
    pub time_confidence: Confidence,
    /// Card-hours used in the month.
    pub used: Seconds,
    /// Card-hours paid in the month.
    pub paid: Seconds,
    /// What it costs in the month.
    pub cost: Estimate<Money>,
    /// Price of one instance-hour as listed, in the plan's currency.
    pub hourly: Money,
    /// Spot figures, when the mode is spot.
    pub spot: Option<SpotFigures>,
    /// What the load of a service asks for, when its speed is known.
    pub service: Option<Capacity>,
    /// How more or fewer of the same cards would do, fewest first; empty where one count was looked
    /// at, and for services.
    pub scaling: Vec<Scaling>,
    /// How the cost came about, line by line.
    pub how: Vec<Phrase>,
}

/// A job on so many cards of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// Cards that work together.
    pub cards: u32,
    /// Likely time of one run.
    pub time: Seconds,
    /// Card-hours on the fewest cards over card-hours here: what is left of the speed-up that so
    /// many cards could give, and what their rent buys.
    pub efficiency: f64,
}

/// What reclaims do to a spot job.
#[derive(Clone, Copy, Debug)]
pub struct SpotFigures {
    /// The interval between checkpoints.
    pub interval: Seconds,
    /// Expected time of a run, rework and restarts included.
    pub expected: Seconds,
    /// Useful time over billed time.
    pub efficiency: Share,
    /// Price for useful work over the on-demand price, when that is known.
    pub effective_ratio: Option<f64>,
}

/// What is committed for the month.
#[derive(Clone, Debug)]
pub struct Mix {
    /// What to buy.
    pub commitments: Vec<Commitment>,
    /// Rent of the month with this mix.
    pub cost: Money,
    /// No mix can cost less than this.
    pub lower_bound: Money,
    /// `cost / lower_bound - 1`.
    pub gap: f64,
    /// Demand and supply by hour of the month for each pool of interchangeable cards.
    pub pools: Vec<Pool>,
    /// Where jobs leave cards of a machine unused that others take or could take.
    pub packing: Vec<Packed>,
    /// What the rent would be if the terms that wait for a measurement were bought now and the
    /// guess held; `None` where none waits.
    pub cost_if_bought: Option<Money>,
}

/// Machines of one pool where jobs need part of one: each job on its own, and together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The card.
    pub card: CardId,
    /// Cards of a machine.
    pub cards: u32,
    /// Machines at the busiest moment, each job on its own.
    pub apart: u32,
    /// Machines at the busiest moment with jobs together on them, by first fit.
    pub together: u32,
    /// Fewer cannot hold them.
    pub lower_bound: u32,
    /// Whether the mix rents them together, or only says that it could.
    pub planned: bool,
    /// The jobs that meet others on a machine.
    pub jobs: Vec<String>,
}

/// A commitment to buy.
#[derive(Clone, Debug)]
pub struct Commitment {
    /// The offer's id.
    pub offer: String,
    /// The card.
    pub card: CardId,
    /// How it is paid for.
    pub mode: BillingMode,
    /// Instances.
    pub count: u32,
    /// When it starts.
    pub start: DateTime,
    /// Price of all of them together; what stays paid where they are given back.
    pub price: Money,
    /// When they are given back, by the provider's rule of refunds; `None` where they are kept.
    pub given_back: Option<DateTime>,
    /// Hours of use at which it costs as much as on demand.
    pub break_even: Seconds,
    /// Hours it is used.
    pub used: Seconds,
}

/// Demand and supply of one pool of interchangeable cards, hour by hour.
#[derive(Clone, Debug)]
pub struct Pool {
    /// The card.
    pub card: CardId,
    /// Cards wanted in each hour of the month.
    pub demand: Vec<u32>,
    /// Cards committed in each hour of the month.
    pub committed: Vec<u32>,
}

/// A run in the calendar.
#[derive(Clone, Debug)]
pub struct CalendarEntry {
    /// The job's name.
    pub job: String,
    /// Its number in the month, from 1.
    pub run: u32,
    /// When it starts.
    pub start: DateTime,
    /// When it ends.
    pub end: DateTime,
    /// What it runs on.
    pub card: CardId,
    /// Cards.
    pub cards: u32,
    /// How the time is paid for.
    pub mode: BillingMode,
}

/// The busiest moment of the month.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// Most cards in use at once.
    pub cards: u32,
    /// The first time that so many are.
    pub cards_at: DateTime,
    /// The most that is spent in an hour on demand and on spot, at list prices.
    pub hourly: Money,
    /// The first time that so much is.
    pub hourly_at: DateTime,
}

impl Peak {
    /// Says whether more is spent in an hour than this.
    pub fn breaks_hourly(&self, cap: Money) -> bool {
        self.hourly.compare(cap).is_ok_and(std::cmp::Ordering::is_gt)
    }
}

/// What it is worth when every run that is no service may wait longer than the workload says.
#[derive(Clone, Debug)]
pub struct Patience {
    /// How much longer each run may wait.
    pub extra: Seconds,
    /// Rent of the month then, re-planned.
    pub rent: Money,
    /// What is saved against the plan.
    pub saving: Money,
    /// What each further hour saves from the step before to this one.
    pub per_hour: Money,
}

/// A term of the mix whose hours are a guess, and what committing on it is expected to cost.
///
/// Regret is what a choice costs above the one that would have been right, had the hours been
/// known; sums are for all instances together.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureFirst {
    /// The offer's id.
    pub offer: String,
    /// The card.
    pub card: CardId,
    /// How it would be paid for.
    pub mode: BillingMode,
    /// Instances.
    pub count: u32,
    /// Hours of use of one instance within the term, as guessed.
    pub hours: Estimate<rust_decimal::Decimal>,
    /// Whether the range is the planner's assumption because none was stated.
    pub assumed_range: bool,
    /// Whether the plan buys it: only where committing now is the better bet, or the user insists
    /// on such a term.
    pub bought: bool,
    /// What to do.
    pub step: crate::advise::FirstStep,
    /// Hours at which the term costs as much as on demand.
    pub break_even: rust_decimal::Decimal,
    /// Chance, by the guess, that the use is above it.
    pub chance_above: Share,
    /// Expected regret of committing now.
    pub regret_commit: Money,
    /// Expected regret of staying on demand for the whole term.
    pub regret_on_demand: Money,
    /// Expected regret of running on demand first and deciding with the figures.
    pub regret_measure: Money,
    /// The most that is worth paying to know the hours.
    pub value_of_knowing: Money,
    /// When to decide again; `None` when there is nothing to wait for.
    pub again: Option<DateTime>,
}

/// A point of the curve of cost against what is given up.
#[derive(Clone, Debug)]
pub struct TradeOff {
    /// The total.
    pub total: Money,
    /// What is given up in addition to the points before; `None` for the plan as it is.
    pub action: Option<Phrase>,
    /// By how much runs end later than planned, together.
    pub late: Seconds,
    /// Runs that are no longer in the month.
    pub postponed: u32,
    /// What the addition costs in quality, risk or time.
    pub price: Option<Phrase>,
}

/// What getting under the cap takes.
#[derive(Clone, Debug)]
pub struct CapAnswer {
    /// The most the month may cost.
    pub cap: Money,
    /// The actions to take together, in order; empty when the plan is under the cap as it is.
    pub actions: Vec<FallbackAction>,
    /// The total with them.
    pub total: Money,
    /// Whether that is under the cap.
    pub met: bool,
    /// What each further sacrifice saves and costs, also beyond the cap; empty when the plan is
    /// under it as it is.
    pub curve: Vec<TradeOff>,
}

/// The kinds of sacrifice, least painful first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FallbackKind {
    /// Let runs wait for hours that are paid anyway, or run at night.
    Wait,
    /// Run an interruptible job on spot.
    Spot,
    /// Store weights in fewer bits.
    Quantise,
    /// Take a smaller card.
    SmallerCard,
    /// Run it next month.
    Postpone,
    /// Run it less often.
    FewerRuns,
}

/// Something to do when the money is not there.
#[derive(Clone, Debug)]
pub struct FallbackAction {
    /// Which kind of sacrifice.
    pub kind: FallbackKind,
    /// The job it is done to; `None` when to all.
    pub job: Option<String>,
    /// What to do, to which job.
    pub action: Phrase,
    /// What it saves, re-planned.
    pub saving: Money,
    /// The total afterwards.
    pub total: Money,
    /// What it costs in quality, risk or time.
    pub price: Phrase,
}

/// What a naive choice would cost.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// Which choice.
    pub kind: BaselineKind,
    /// Its total by the same rules; `None` when it cannot be done at all.
    pub total: Option<Money>,
    /// What is wrong with it.
    pub note: Vec<Phrase>,
}

/// The naive choices that stand beside the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BaselineKind {
    /// The lowest hourly price that fits, whatever the terms and the speed.
    CheapestHourly,
    /// Everything on demand.
    AllOnDemand,
    /// The top card for everything.
    TopCard,
    /// The guide's rule by utilisation.
    GuideUtilisation,
    /// The guide's rule of 200 hours.
    Guide200Hours,
}
