//! What the user asked for: a month's jobs and the rules to plan them by, every default explicit.
//!
//! `formats` reads a workload file into this; nothing here is a file format.

use jiff::civil::{Date, DateTime, Time, Weekday};
use kasuan_market::Buyer;
use kasuan_model::{BillingMode, Bytes, CardId, Currency, Estimate, Grade, Money, Rates, Seconds};
use kasuan_sizing::{Architecture, Inference, Sharding, Training, WeightFormat};
use rust_decimal::Decimal;

/// A month's jobs and the rules to plan them by.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The currency of the plan.
    pub currency: Currency,
    /// The first day of the planned month.
    pub month: Date,
    /// Days to plan from there on; `None` is the whole calendar month.
    pub days: Option<u32>,
    /// The jobs; names are unique.
    pub jobs: Vec<Job>,
    /// Data that has to be kept through the month.
    pub storage: Vec<StorageNeed>,
    /// What crosses the provider's border.
    pub transfer: Transfer,
    /// The people who do the work.
    pub team: Team,
    /// The rules to choose by.
    pub policy: Policy,
    /// Exchange rates that the user stated.
    pub rates: Rates,
    /// Commitments that are already paid.
    pub held: Vec<HeldCommitment>,
}

/// What kind of work a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// A service that answers requests.
    Inference,
    /// Adapters beside frozen 16-bit weights.
    Lora,
    /// Adapters beside frozen 4-bit weights.
    Qlora,
    /// Training of every parameter of an existing model.
    Full,
    /// Training from nothing.
    Pretrain,
    /// Anything else that uses a card: preprocessing, embeddings, rendering.
    Batch,
}

/// The model a job runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// A configuration, from the catalogue or from a file; boxed because it is large.
    Known(Box<Architecture>),
    /// Only a parameter count, so that estimates are wide.
    Counted {
        /// Parameters in total.
        parameters: u64,
    },
}

/// How much work a job is, per run (or, for a service, while it is up).
#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    /// Hours that the user states; on which card, when it was measured.
    Hours {
        /// Hours of one run, before any card is chosen.
        hours: Estimate<Decimal>,
        /// The card (and count) they were measured on; `None` when the user guesses.
        measured_on: Option<(CardId, u32)>,
    },
    /// Training tokens and passes over them.
    Tokens {
        /// Tokens of the data set.
        tokens: u64,
        /// Passes over it.
        epochs: Decimal,
    },
    /// Samples of a mean length and passes over them.
    Samples {
        /// Samples of the data set.
        samples: u64,
        /// Mean tokens of a sample.
        mean_tokens: u32,
        /// Passes over it.
        epochs: Decimal,
    },
    /// A generating batch: prompts to read and tokens to write.
    Requests {
        /// Requests in one run.
        requests: u64,
    },
    /// A service: up during its hours, whatever the load.
    Service,
    /// Nothing was said.
    Unknown,
}

/// The rate at which requests come, for a service.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// Requests per second at the peak.
    PerSecond(f64),
    /// Sequences in flight at once.
    Concurrency(u32),
}

/// How often a job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// So many in the month.
    PerMonth(u32),
    /// So many every week.
    PerWeek(u32),
    /// So many every day.
    PerDay(u32),
}

/// When a job may run.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Window {
    /// Daily hours, start and end; an end before the start runs over midnight, and equal ends mean
    /// all day.
    pub daily: Option<(Time, Time)>,
    /// Days of the week; empty means every day.
    pub weekdays: Vec<Weekday>,
    /// When it must be done.
    pub deadline: Option<DateTime>,
    /// How long a run may wait after it could start.
    pub may_wait: Seconds,
    /// The job that has to be done before.
    pub after: Option<String>,
    /// The earliest start of the first run.
    pub not_before: Option<DateTime>,
}

/// Latency that a service must keep at the 95th percentile.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Latency {
    /// Seconds to the first token.
    pub ttft: Option<f64>,
    /// Seconds for each further token.
    pub tpot: Option<f64>,
}

/// Checkpoints of a job that may be interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkpoints {
    /// Time to write one.
    pub write: Seconds,
    /// Time to start again from one, environment included.
    pub restart: Seconds,
    /// The interval that the user set; `None` lets the plan choose.
    pub interval: Option<Seconds>,
}

/// One job of the month.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The user's name for it.
    pub name: String,
    /// What kind of work it is.
    pub task: Task,
    /// The model; `None` for work without one.
    pub model: Option<Model>,
    /// Memory for each card that the user states, in place of an estimate.
    pub memory: Option<Bytes>,
    /// Weight format that the user insists on; `None` lets the plan choose.
    pub weights: Option<WeightFormat>,
    /// How it trains, for training tasks.
    pub training: Option<Training>,
    /// How it generates, for a service or a generating batch.
    pub inference: Option<Inference>,
    /// Sharding that the user insists on.
    pub sharding: Option<Sharding>,
    /// Cards for each replica that the user insists on.
    pub cards: Option<u32>,
    /// Replicas of a service that the user insists on.
    pub replicas: Option<u32>,
    /// Cards that the user wants to choose among; empty means any.
    pub only_cards: Vec<CardId>,
    /// How often it runs.
    pub runs: Runs,
    /// How much work it is.
    pub amount: Amount,
    /// The load of a service.
    pub load: Option<Load>,
    /// Latency of a service.
    pub latency: Latency,
    /// When it may run.
    pub window: Window,
    /// Checkpoints when it may be interrupted, which is what allows spot; `None` refuses spot.
    pub interruptible: Option<Checkpoints>,
    /// Billing modes that the user insists on; empty means any.
    pub modes: Vec<BillingMode>,
    /// Whether no term may be bought for its hours before they are measured; the planner sets it
    /// where measuring first is the better bet, no file does.
    pub hours_wait: bool,
    /// Whether it may share a card with another job.
    pub share_card: bool,
    /// Whether it may fill a card up to the upper bound, without the policy's headroom.
    pub fill_card: bool,
    /// Billing modes, quality or runs that may be given up in a downgrade, least painful first.
    pub priority: u32,
}

/// Data that has to be kept.
#[derive(Clone, Debug, PartialEq)]
pub struct StorageNeed {
    /// The user's name for it.
    pub name: String,
    /// Its size.
    pub size: Bytes,
    /// The price that the user states for a GB and month; `None` takes the provider's.
    pub price_per_gb_month: Option<Money>,
}

/// What crosses the provider's border in the month.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transfer {
    /// Bytes out to the internet.
    pub egress: Bytes,
    /// Bytes in.
    pub ingress: Bytes,
    /// Bandwidth of the office line in bytes per second, for moving time; `None` is unknown.
    pub line: Option<f64>,
}

/// The people who do the work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Team {
    /// What an engineer's hour costs.
    pub engineer_hour: Option<Money>,
    /// Hours of operations in the month.
    pub ops_hours: Option<Decimal>,
    /// Hours of moving data by hand in the month.
    pub data_hours: Option<Decimal>,
    /// People in the team.
    pub people: Option<u32>,
}

/// The safety margin that is put on top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Margin {
    /// A flat share of the total.
    Flat(f64),
    /// Up to the 80th percentile of the simulated total.
    P80,
    /// Up to the 90th percentile of the simulated total.
    P90,
    /// None.
    Nothing,
}

/// What tax adds to the providers' bills, or gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tax {
    /// Nothing was said: as the provider states, unknown where it states nothing.
    Unsaid,
    /// Every price is the whole cost.
    Included,
    /// This share on top, where the provider does not say that its prices include tax.
    Rate(Decimal),
    /// What a Chinese buyer bears: see [`kasuan_market::taxed`].
    Buyer(Buyer),
}

/// The rules to choose by.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// The margin.
    pub margin: Margin,
    /// Providers to choose among; empty means any.
    pub providers: Vec<String>,
    /// Providers to leave out.
    pub exclude_providers: Vec<String>,
    /// Countries to choose among; empty means any.
    pub countries: Vec<String>,
    /// The providers' own regions to choose among; empty means any.
    pub regions: Vec<String>,
    /// What tax adds to the providers' bills, or gives back.
    pub tax: Tax,
    /// Billing modes to choose among; empty means any.
    pub modes: Vec<BillingMode>,
    /// Oldest price that may be used, in days before today; `None` is half a year behind the
    /// newest price of the catalogue, so that old rows are data and no choice.
    pub max_price_age_days: Option<u32>,
    /// Whether prices without a date may be used.
    pub undated: bool,
    /// The lowest grade of a source that may be used.
    pub lowest_grade: Grade,
    /// Whether prices below a third of what providers usually ask may be used.
    pub outliers: bool,
    /// Trial and error: money set aside for it, or a share of the rent.
    pub trial: Trial,
    /// Share of a card's memory that is kept free beside the upper bound.
    pub headroom: f64,
    /// Whether hours that nobody measured count as certain, so that terms are bought on them
    /// without weighing the guess.
    pub trust_hours: bool,
    /// Whether jobs that need part of a machine with several cards may share one.
    pub share_machines: bool,
    /// The most the month may cost.
    pub cap: Option<Money>,
    /// The most that may be spent in an hour on demand and on spot.
    pub hourly_cap: Option<Money>,
    /// The most cards that may be in use at once.
    pub cards_cap: Option<u32>,
    /// Mean time between reclaims of a spot instance when the provider's is unknown.
    pub spot_mtbf: Seconds,
}

impl Default for Policy {
    /// What is assumed when the workload says nothing: any provider and mode, margin to the 80th
    /// percentile, 10 % of a card kept free beside the upper bound, and prices that meet
    /// [`kasuan_market::Standards::default`].
    ///
    /// Trial and error is 18 % of the rent, the share in the founding guide's own example
    /// (300 of 1,628); a spot instance is reclaimed every 4 hours, in the lower half of the
    /// 0.7 to 10 hours measured on nine AWS V100 zones (SkyPilot spot traces, 2023).
    fn default() -> Self {
        Self {
            margin: Margin::P80,
            providers: Vec::new(),
            exclude_providers: Vec::new(),
            countries: Vec::new(),
            regions: Vec::new(),
            tax: Tax::Unsaid,
            modes: Vec::new(),
            max_price_age_days: None,
            undated: false,
            lowest_grade: Grade::C,
            outliers: false,
            trial: Trial::ShareOfRent(0.18),
            headroom: 0.1,
            trust_hours: false,
            share_machines: true,
            cap: None,
            hourly_cap: None,
            cards_cap: None,
            spot_mtbf: Seconds::from_hours(4),
        }
    }
}

impl Job {
    /// Creates a job that runs once in the month and of which nothing else is said.
    pub fn new(name: impl Into<String>, task: Task) -> Self {
        Self {
            name: name.into(),
            task,
            model: None,
            memory: None,
            weights: None,
            training: None,
            inference: None,
            sharding: None,
            cards: None,
            replicas: None,
            only_cards: Vec::new(),
            runs: Runs::PerMonth(1),
            amount: Amount::Unknown,
            load: None,
            latency: Latency::default(),
            window: Window::default(),
            interruptible: None,
            modes: Vec::new(),
            hours_wait: false,
            share_card: false,
            fill_card: false,
            priority: 0,
        }
    }
}

/// What is set aside for trial and error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trial {
    /// A sum.
    Amount(Money),
    /// A share of the rent.
    ShareOfRent(f64),
}

/// A commitment that is already paid.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldCommitment {
    /// The card it is for.
    pub card: CardId,
    /// Cards held.
    pub count: u32,
    /// When it ends.
    pub until: DateTime,
}
