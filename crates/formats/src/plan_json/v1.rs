//! Version 1 of the plan's JSON contract.

mod convert;

pub use convert::{
    baseline_word, confidence_word, cost_word, driver_word, plan, step_word, task_word,
};

use schemars::JsonSchema;
use serde::Serialize;

/// A plan.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct Plan {
    pub version: u32,
    pub currency: String,
    pub month: String,
    pub total: String,
    pub budget: Budget,
    pub jobs: Vec<Job>,
    pub mix: Mix,
    pub calendar: Vec<CalendarEntry>,
    pub peak: Option<Peak>,
    pub fallback: Vec<FallbackAction>,
    pub cap: Option<Cap>,
    pub baselines: Baselines,
    pub patience: Vec<Patience>,
    pub measure_first: Vec<MeasureFirst>,
    pub unknowns: Vec<String>,
    pub notes: Vec<String>,
    pub sources: Vec<Source>,
}

/// The budget; the lines add up to the plan's total.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct Budget {
    pub p50: String,
    pub p80: String,
    pub p90: String,
    pub flat_20: String,
    pub flat_30: String,
    pub idle: String,
    pub sensitivity: Vec<Sensitivity>,
    pub lines: Vec<Line>,
}

/// A line of the budget.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct Line {
    pub kind: &'static str,
    pub amount: Option<String>,
    pub low: Option<String>,
    pub high: Option<String>,
    pub share: String,
    pub detail: Vec<String>,
}

/// A job and its choice; without one the fields of the choice are absent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct Job {
    pub name: String,
    pub task: &'static str,
    pub feasible: bool,
    #[serde(flatten)]
    pub choice: Option<Choice>,
    pub alternatives: Vec<Choice>,
    pub why: Vec<String>,
}

/// One way to run a job.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct Choice {
    pub card: String,
    pub card_name: String,
    pub cards: u32,
    pub replicas: u32,
    pub instances: u32,
    pub offer: String,
    pub provider: String,
    pub region: String,
    pub mode: String,
    /// Card-hours used in the month.
    pub hours: String,
    /// Card-hours paid in the month.
    pub paid_hours: String,
    /// Price of one instance-hour.
    pub hourly: String,
    pub cost: String,
    pub cost_low: String,
    pub cost_high: String,
    pub memory: Memory,
    pub time: Time,
    pub spot: Option<Spot>,
    pub service: Option<Service>,
    /// The job on each count of the same cards that was looked at; empty for services.
    pub scaling: Vec<Scaling>,
    pub how: Vec<String>,
}

/// Memory of one card, in bytes with GiB beside.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `sizing` documents each")]
pub struct Memory {
    pub needed: u64,
    pub needed_gib: String,
    pub per_gpu: Option<PerGpu>,
    pub breakdown: Option<Breakdown>,
    pub confidence: Option<&'static str>,
}

/// The totals of one card, which must not be confused.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `sizing` documents each")]
pub struct PerGpu {
    pub allocated: u64,
    pub allocated_gib: String,
    pub reserved: u64,
    pub reserved_gib: String,
    pub nvidia_smi: u64,
    pub nvidia_smi_gib: String,
    pub upper: u64,
    pub upper_gib: String,
}

/// The causes of `allocated`, in bytes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `sizing` documents each")]
pub struct Breakdown {
    pub weights: u64,
    pub kv_cache: u64,
    pub activations: u64,
    pub logits: u64,
    pub gradients: u64,
    pub optimizer: u64,
    pub adapters: u64,
    pub framework: u64,
}

/// Time of one run, in seconds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct Time {
    pub low: u64,
    pub likely: u64,
    pub high: u64,
    pub confidence: &'static str,
}

/// What reclaims do to a spot job.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct Spot {
    pub checkpoint_interval: u64,
    pub expected: u64,
    pub efficiency: String,
    pub effective_ratio: Option<String>,
}

/// What the load of a service asks for; how many replicas are planned stands in the choice.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `sizing::capacity` documents each")]
pub struct Service {
    /// Fewest replicas that carry the peak within the latency.
    pub replicas_needed: u32,
    pub cards_per_replica: u32,
    /// Requests per second at the peak.
    pub peak: String,
    /// Requests per second that one replica finishes at its largest batch within the latency.
    pub per_replica: String,
    /// Sequences that a replica decodes together at that rate.
    pub batch: u32,
    /// Share of that rate that the time to the first token leaves usable.
    pub usable: String,
    /// Share of what the planned replicas can do that the peak uses.
    pub utilisation: String,
    /// Seconds for each token at the largest batch.
    pub tpot: String,
    /// Requests in flight at the peak.
    pub in_flight: String,
}

/// A job on so many cards of one kind.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct Scaling {
    pub cards: u32,
    /// Likely seconds of one run.
    pub time: u64,
    /// Card-hours on the fewest cards over card-hours here.
    pub efficiency: String,
}

/// What is committed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct Mix {
    pub commitments: Vec<Commitment>,
    pub cost: String,
    pub lower_bound: String,
    pub gap: String,
    pub pools: Vec<Pool>,
    pub packing: Vec<Packed>,
    pub cost_if_bought: Option<String>,
}

/// Machines as rented, and as few as they could be.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct Packed {
    pub card: String,
    pub cards: u32,
    pub apart: u32,
    pub together: u32,
    pub lower_bound: u32,
    pub planned: bool,
    pub jobs: Vec<String>,
}

/// A commitment to buy.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct Commitment {
    pub offer: String,
    pub card: String,
    pub mode: String,
    pub count: u32,
    pub start: String,
    pub price: String,
    pub given_back: Option<String>,
    pub break_even_hours: String,
    pub used_hours: String,
}

/// Cards wanted and committed in each hour of the month.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct Pool {
    pub card: String,
    pub demand: Vec<u32>,
    pub committed: Vec<u32>,
}

/// A run in the calendar; times are the provider's local time.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct CalendarEntry {
    pub job: String,
    pub run: u32,
    pub start: String,
    pub end: String,
    pub card: String,
    pub cards: u32,
    pub mode: String,
}

/// Something to do when the money is not there.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct FallbackAction {
    pub kind: &'static str,
    pub job: Option<String>,
    pub action: String,
    pub saving: String,
    pub total: String,
    pub price: String,
}

/// The busiest moment.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct Peak {
    pub cards: u32,
    pub cards_at: String,
    pub hourly: String,
    pub hourly_at: String,
}

/// What getting under the cap takes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct Cap {
    pub cap: String,
    pub met: bool,
    pub total: String,
    pub actions: Vec<FallbackAction>,
    pub curve: Vec<TradeOff>,
}

/// A point of the curve of cost against what is given up.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct TradeOff {
    pub total: String,
    pub action: Option<String>,
    pub late_hours: String,
    pub postponed_runs: u32,
    pub price: Option<String>,
}

/// How much one cause moves the total, all else as planned: from the 10th to the 90th percentile.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::simulate` documents each")]
pub struct Sensitivity {
    pub driver: &'static str,
    pub low: String,
    pub high: String,
}

/// A term that rests on guessed hours.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct MeasureFirst {
    pub offer: String,
    pub card: String,
    pub mode: String,
    pub count: u32,
    pub action: &'static str,
    pub hours_low: String,
    pub hours_likely: String,
    pub hours_high: String,
    pub assumed_range: bool,
    pub bought: bool,
    pub break_even_hours: String,
    pub chance_above: String,
    pub regret_commit: String,
    pub regret_on_demand: String,
    pub regret_measure: String,
    pub value_of_knowing: String,
    pub decide_again: Option<String>,
}

/// What naive choices would cost; `null` where the plan has no such figure.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct Baselines {
    pub cheapest_hourly: Option<Baseline>,
    pub all_on_demand: Option<Baseline>,
    pub top_card: Option<Baseline>,
    pub guide_rule: Option<Baseline>,
    pub guide_200_hours: Option<Baseline>,
}

/// What one naive choice would cost.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct Baseline {
    pub total: Option<String>,
    /// What the plan saves against it.
    pub saving: Option<String>,
    pub note: Vec<String>,
}

/// What longer waiting would save.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `plan::outcome` documents each")]
pub struct Patience {
    pub extra_hours: String,
    pub rent: String,
    pub saving: String,
    pub per_hour: String,
}

/// Where a price or a term comes from.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names are the contract; `model::Source` documents each")]
pub struct Source {
    pub text: String,
    pub date: Option<String>,
    pub licence: Option<String>,
    pub grade: String,
}
