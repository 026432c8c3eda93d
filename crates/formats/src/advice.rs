//! The JSON answers of `kasuan advise`, version 1: stable names, decimals as strings.

use kasuan_model::{Currency, Estimate};
use kasuan_plan::{
    advise::{FirstStep, MeasureAdvice},
    colocate::share::{PackingAdvice, Verdict},
    commitment::{CommitAdvice, Evidence, Solution},
    spot::{Action, SpotAdvice},
};
use serde::Serialize;

/// The answer of `advise commit`.
#[derive(Clone, Debug, Serialize)]
pub struct Commit {
    /// What to buy now; empty when nothing.
    pub buy: Vec<CommitBuy>,
    /// Cards that are held now.
    pub held: u32,
    /// Hours of demand that were seen.
    pub seen_hours: usize,
    /// Price of all that is bought: lost if none of it were used.
    pub at_risk: String,
    /// The first level that stays on demand; absent when no demand lies above the commitments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<CommitNext>,
    /// Hours after which to ask again.
    pub ask_again_hours: u32,
    /// The reasons, in the reader's language.
    pub why: String,
}

/// A purchase.
#[derive(Clone, Debug, Serialize)]
pub struct CommitBuy {
    /// Name of the term.
    pub term: String,
    /// Cards.
    pub count: u32,
    /// Evidence of the least used of these cards.
    pub evidence: CommitEvidence,
}

/// The first level that stays on demand.
#[derive(Clone, Debug, Serialize)]
pub struct CommitNext {
    /// Its number.
    pub level: u32,
    /// Name of the term it was weighed for.
    pub term: String,
    /// What speaks for and against it.
    pub evidence: CommitEvidence,
}

/// What speaks for and against a level.
#[derive(Clone, Debug, Serialize)]
pub struct CommitEvidence {
    /// Share of hours at which the term pays.
    pub break_even: String,
    /// Share of hours in use: over how many hours, and how much.
    #[serde(rename = "use")]
    pub use_of: Vec<CommitUse>,
    /// On-demand hours that waiting has cost.
    pub forgone_hours: String,
    /// On-demand hours' worth of money at stake.
    pub stake_hours: String,
}

/// Use over the last hours.
#[derive(Clone, Debug, Serialize)]
pub struct CommitUse {
    /// Hours that were looked at.
    pub hours: usize,
    /// Share of them in use.
    pub share: String,
}

impl Commit {
    /// Writes down an advice; `names` are the terms' names in their order.
    pub fn new(advice: &CommitAdvice, names: &[String], why: String) -> Self {
        let name = |term: usize| names.get(term).cloned().unwrap_or_default();
        let buy = advice.buy.iter().map(|buy| CommitBuy {
            term: name(buy.term),
            count: buy.count,
            evidence: CommitEvidence::new(&buy.weakest),
        });
        let next = advice.next.map(|next| CommitNext {
            level: next.level,
            term: name(next.term),
            evidence: CommitEvidence::new(&next.evidence),
        });
        Self {
            buy: buy.collect(),
            held: advice.held,
            seen_hours: advice.seen,
            at_risk: advice.at_risk.normalize().to_string(),
            next,
            ask_again_hours: 24,
            why,
        }
    }
}

impl CommitEvidence {
    fn new(evidence: &Evidence) -> Self {
        let use_of = evidence
            .use_of
            .iter()
            .map(|window| CommitUse { hours: window.hours, share: format!("{:.4}", window.share) });
        Self {
            break_even: format!("{:.4}", evidence.break_even),
            use_of: use_of.collect(),
            forgone_hours: format!("{:.2}", evidence.forgone_hours),
            stake_hours: format!("{:.2}", evidence.stake_hours),
        }
    }
}

/// The answer of `advise commit --hindsight`.
#[derive(Clone, Debug, Serialize)]
pub struct Hindsight {
    /// The least that the demand could have cost.
    pub cost: String,
    /// What of it is for commitments.
    pub commitment_cost: String,
    /// What of it is for on-demand hours.
    pub on_demand_cost: String,
    /// What all on demand would have cost.
    pub all_on_demand: String,
    /// What would have been bought, and when.
    pub purchases: Vec<HindsightPurchase>,
}

/// A purchase in hindsight.
#[derive(Clone, Debug, Serialize)]
pub struct HindsightPurchase {
    /// Name of the term.
    pub term: String,
    /// Hour at which it starts.
    pub start: u32,
    /// Cards.
    pub count: u32,
}

impl Hindsight {
    /// Writes down an optimum; `names` are the terms' names in their order.
    pub fn new(solution: &Solution, names: &[String], all_on_demand: String) -> Self {
        let purchases = solution.purchases.iter().map(|purchase| HindsightPurchase {
            term: names.get(purchase.tenor).cloned().unwrap_or_default(),
            start: purchase.start,
            count: purchase.count,
        });
        Self {
            cost: solution.cost.amount().to_string(),
            commitment_cost: solution.commitment_cost.amount().to_string(),
            on_demand_cost: solution.on_demand_cost.amount().to_string(),
            all_on_demand,
            purchases: purchases.collect(),
        }
    }
}

/// The answer of `advise spot`.
#[derive(Clone, Debug, Serialize)]
pub struct Spot {
    /// What to do until the next step: `spot`, `on_demand` or `wait`.
    pub action: &'static str,
    /// Expected cost of the rest of the job.
    pub expected_cost: String,
    /// Cost of the rest on demand from now on.
    pub on_demand_cost: String,
    /// Chance that the deadline is met.
    pub p_deadline: String,
    /// Hours that can be lost with the deadline still met on demand.
    pub slack_hours: String,
    /// Whether only on demand is left to be sure.
    pub forced: bool,
    /// Hours of history that the expectation rests on; 0 when it rests on an assumption.
    pub history_hours: String,
    /// What the expectation rests on: `history` or `assumed`.
    pub basis: &'static str,
    /// The currency of both costs.
    pub currency: String,
    /// The reasons, in the reader's language.
    pub why: String,
}

impl Spot {
    /// Writes down an advice.
    pub fn new(advice: &SpotAdvice, currency: Currency, why: String) -> Self {
        let known = advice.market.share.is_some();
        Self {
            action: match advice.action {
                Action::Spot => "spot",
                Action::OnDemand => "on_demand",
                Action::Wait => "wait",
            },
            expected_cost: format!("{:.4}", advice.expected_cost),
            on_demand_cost: format!("{:.4}", advice.on_demand_cost),
            p_deadline: format!("{:.4}", advice.deadline_chance.get()),
            slack_hours: format!("{:.2}", advice.slack.hours()),
            forced: advice.forced,
            history_hours: format!("{:.1}", if known { advice.market.seen_hours } else { 0.0 }),
            basis: if known { "history" } else { "assumed" },
            currency: currency.code().to_owned(),
            why,
        }
    }
}

/// The answer of `advise measure`.
#[derive(Clone, Debug, Serialize)]
pub struct Measure {
    /// What to do: `commit`, `measure` or `on_demand`.
    pub step: &'static str,
    /// Hours of use at which the term pays.
    pub break_even_hours: String,
    /// Chance, by the guess, that the use is above it.
    pub p_above: String,
    /// Expected regret of each choice.
    pub regret: MeasureRegret,
    /// The most that is worth paying to know the hours.
    pub value_of_knowing: String,
    /// The currency of every sum.
    pub currency: String,
    /// The reasons, in the reader's language.
    pub why: String,
}

/// Expected regret of each choice.
#[derive(Clone, Debug, Serialize)]
pub struct MeasureRegret {
    /// Committing now.
    pub commit: String,
    /// Staying on demand for the whole term.
    pub on_demand: String,
    /// Measuring first.
    pub measure: String,
}

impl Measure {
    /// Writes down an advice.
    pub fn new(advice: &MeasureAdvice, why: String) -> Self {
        let amount = |money: kasuan_model::Money| money.rounded().amount().to_string();
        Self {
            step: match advice.step {
                FirstStep::Commit => "commit",
                FirstStep::Measure => "measure",
                FirstStep::OnDemand => "on_demand",
            },
            break_even_hours: advice.break_even.round_dp(1).to_string(),
            p_above: format!("{:.4}", advice.chance_above.get()),
            regret: MeasureRegret {
                commit: amount(advice.regret_commit),
                on_demand: amount(advice.regret_on_demand),
                measure: amount(advice.regret_measure),
            },
            value_of_knowing: amount(advice.value_of_knowing),
            currency: advice.regret_commit.currency().code().to_owned(),
            why,
        }
    }
}

/// The answer of `advise share`.
#[derive(Clone, Debug, Serialize)]
pub struct Packing {
    /// What to do: `pack`, `measure` or `leave`.
    pub verdict: &'static str,
    /// Work of all replicas over that of one; `null` when nothing is known.
    pub gain: Option<Range>,
    /// What a unit of work costs over what it costs with one replica.
    pub cost_ratio: Option<Range>,
    /// Whether that was measured on this very program.
    pub measured: bool,
    /// The most replicas that fit with room left; `null` when it is not known.
    pub most_replicas: Option<u32>,
    /// The reasons, in the reader's language.
    pub why: String,
}

/// A range of a factor.
#[derive(Clone, Debug, Serialize)]
pub struct Range {
    /// At least.
    pub low: String,
    /// Most likely.
    pub likely: String,
    /// At most.
    pub high: String,
}

impl Packing {
    /// Writes down an advice.
    pub fn new(advice: &PackingAdvice, why: String) -> Self {
        let range = |of: Estimate<f64>| Range {
            low: format!("{:.3}", of.low),
            likely: format!("{:.3}", of.likely),
            high: format!("{:.3}", of.high),
        };
        Self {
            verdict: match advice.verdict {
                Verdict::Pack => "pack",
                Verdict::Measure => "measure",
                Verdict::Leave => "leave",
            },
            gain: advice.gain.map(range),
            cost_ratio: advice.cost_ratio().map(range),
            measured: advice.measured,
            most_replicas: advice.most,
            why,
        }
    }
}
