//! The answer for each job: the choice with its reasons, the next best, or why there is none.

use super::{Solved, World, rent::JobRent, why};
use crate::{
    PlanError,
    candidates::{JobWays, Need, Paid, Way},
    outcome::{Choice, JobPlan, Scaling},
    workload::{Job, Workload},
};
use kasuan_model::{BillingMode, Estimate, Money, Offer, Phrase, Seconds};
use kasuan_sizing::time::scaling_efficiency;
use rust_decimal::Decimal;
use std::collections::{BTreeMap, BTreeSet};

/// Alternatives that are shown for a job.
const ALTERNATIVES: usize = 4;

/// Returns one answer for each job, in the order of the workload.
pub(super) fn plans(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
) -> Result<Vec<JobPlan>, PlanError> {
    let mut plans = Vec::with_capacity(workload.jobs.len());
    for (index, job) in workload.jobs.iter().enumerate() {
        let context = Context { world, solved, job, ways: &solved.ways[index], index };
        let choice = match (solved.choice.ways[index], &solved.rent.jobs[index]) {
            (Some(way), Some(rent)) => Some(context.chosen(&context.ways.ways[way], rent)?),
            _ => None,
        };
        let alternatives = context.alternatives(choice.as_ref())?;
        let why = match &choice {
            Some(choice) => why::chosen(&context, workload, choice, &alternatives)?,
            None => why::nothing(&context, workload),
        };
        plans.push(JobPlan { name: job.name.clone(), task: job.task, choice, alternatives, why });
    }
    Ok(plans)
}

/// A job with everything that its answer is read from.
pub(super) struct Context<'a> {
    /// The world.
    pub(super) world: &'a World<'a>,
    /// The solution.
    pub(super) solved: &'a Solved,
    /// The job.
    pub(super) job: &'a Job,
    /// What can be done with it.
    pub(super) ways: &'a JobWays,
    /// Its place in the workload.
    pub(super) index: usize,
}

impl Context<'_> {
    /// Returns an offer.
    pub(super) fn offer(&self, index: usize) -> &Offer {
        &self.world.catalogue.offers()[index]
    }

    /// Returns the chosen way with what it costs in the plan.
    fn chosen(&self, way: &Way, rent: &JobRent) -> Result<Choice, PlanError> {
        let pool = &self.solved.supply.pools[way.pool];
        let term = pool.terms.iter().find(|term| term.mode == rent.mode);
        let rate = if rent.mode == BillingMode::Spot { &pool.spot } else { &pool.on_demand };
        let offer = match (term, rate) {
            (Some(term), _) => term.offer,
            (None, Some(rate)) => rate.offer,
            (None, None) => pool.terms.first().map_or(0, |term| term.offer),
        };
        let hourly = match (rate, term) {
            (Some(rate), _) => rate.hourly,
            (None, Some(term)) => term.price.over(term.term.decimal_hours())?,
            (None, None) => Money::zero(self.solved.rent.total.currency()),
        };
        let cost = rent.cost()?;
        let scaled = self.scaled(way, rent)?;
        let mut how = Vec::new();
        if rent.hourly.starts > 0
            && let Some(rate) = rate
        {
            how.push(
                Phrase::new("plan-how-hourly")
                    .with("starts", rent.hourly.starts)
                    .with("hours", hours(rent.hourly.billed))
                    .with("price", rate.hourly)
                    .with_word(
                        "mode",
                        if rent.mode == BillingMode::Spot { "mode-spot" } else { "mode-on_demand" },
                    )
                    .with("amount", rent.hourly.cost.likely),
            );
        }
        if rent.term.0 > Seconds::ZERO {
            how.push(
                Phrase::new("plan-how-term")
                    .with("hours", hours(rent.term.0))
                    .with_word("mode", why::mode_key(rent.mode))
                    .with("amount", rent.term.1),
            );
        }
        let paid = rent.hourly.billed + rent.term.0;
        self.choice(
            way,
            offer,
            rent.mode,
            hourly,
            paid,
            scaled.unwrap_or(Estimate::exact(cost)),
            how,
        )
    }

    /// Returns the range of the cost: the hourly part grows with the time, a term does not.
    fn scaled(&self, way: &Way, rent: &JobRent) -> Result<Option<Estimate<Money>>, PlanError> {
        let need = self.need(way);
        let likely = need.time.likely.get();
        if likely == 0 {
            let part = |money: Money| money.checked_add(rent.term.1);
            let cost = &rent.hourly.cost;
            return Ok(Some(Estimate::new(part(cost.low)?, part(cost.likely)?, part(cost.high)?)));
        }
        let at = |money: Money, time: Seconds| -> Result<Money, PlanError> {
            let hourly = money.times(Decimal::from(time.get()))?.over(Decimal::from(likely))?;
            Ok(hourly.checked_add(rent.term.1)?)
        };
        let cost = &rent.hourly.cost;
        Ok(Some(Estimate::new(
            at(cost.low, need.time.low)?,
            at(cost.likely, need.time.likely)?,
            at(cost.high, need.time.high)?,
        )))
    }

    /// Returns what a way needs.
    pub(super) fn need(&self, way: &Way) -> &Need {
        &self.ways.needs[way.need].1
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one answer, used in two places")]
    fn choice(
        &self,
        way: &Way,
        offer: usize,
        mode: BillingMode,
        hourly: Money,
        paid: Seconds,
        cost: Estimate<Money>,
        how: Vec<Phrase>,
    ) -> Result<Choice, PlanError> {
        let need = self.need(way);
        let pool = &self.solved.supply.pools[way.pool];
        let kind = &self.solved.supply.kinds[pool.kind];
        let offer = self.offer(offer);
        let cards = need.cards.saturating_mul(need.replicas);
        let starts = self.ways.demand.starts() as u64;
        let used = match &self.ways.demand {
            crate::demand::Demand::Service(stretches) => {
                stretches.iter().map(|one| one.length()).sum::<u64>()
            }
            crate::demand::Demand::Runs(_) => need.time.likely.get().saturating_mul(starts),
        };
        let time = match &self.ways.demand {
            crate::demand::Demand::Service(_) => Estimate::exact(Seconds::new(used)),
            crate::demand::Demand::Runs(_) => need.time,
        };
        Ok(Choice {
            card: kind.card.id.clone(),
            card_name: kind.card.display.clone(),
            cards: need.cards,
            replicas: need.replicas,
            instances: way.instances,
            offer: offer.id.clone(),
            provider: offer.provider.clone(),
            region: offer.region.clone(),
            mode,
            setup: need.setup.clone(),
            memory: need.memory.clone(),
            memory_needed: need.memory_needed.unwrap_or_default(),
            time,
            time_confidence: need.confidence,
            used: Seconds::new(used.saturating_mul(u64::from(cards))),
            paid: paid.saturating_mul(u64::from(pool.count)),
            cost,
            hourly,
            spot: match &way.paid {
                Paid::Spot(figures) => Some(*figures),
                _ => None,
            },
            service: need.capacity,
            scaling: self.scaling(way),
            how,
        })
    }

    /// Returns how a job would do on each count of the same cards that was looked at, each in its
    /// fastest setup; nothing where that is one count only.
    fn scaling(&self, way: &Way) -> Vec<Scaling> {
        let (kind, chosen) = &self.ways.needs[way.need];
        let mut fastest: BTreeMap<u32, Seconds> = BTreeMap::new();
        if chosen.setup.is_some() && chosen.time.likely > Seconds::ZERO {
            for (_, need) in self.ways.needs.iter().filter(|(other, _)| other == kind) {
                let time = need.time.likely;
                let known = fastest.entry(need.cards).or_insert(time);
                *known = (*known).min(time);
            }
            // The chosen setup, even where another of as many cards is faster.
            fastest.insert(chosen.cards, chosen.time.likely);
        }
        let Some((&fewest, &alone)) = fastest.first_key_value() else { return Vec::new() };
        if fastest.len() < 2 {
            return Vec::new();
        }
        let base = (fewest, alone.get() as f64);
        let efficiency =
            |cards, time: Seconds| scaling_efficiency(base, (cards, time.get() as f64));
        fastest
            .into_iter()
            .map(|(cards, time)| Scaling { cards, time, efficiency: efficiency(cards, time) })
            .collect()
    }

    /// Returns the next best ways on other cards or modes, priced alone.
    fn alternatives(&self, chosen: Option<&Choice>) -> Result<Vec<Choice>, PlanError> {
        let mut seen: BTreeSet<(String, BillingMode)> = BTreeSet::new();
        if let Some(chosen) = chosen {
            seen.insert((chosen.card.to_string(), chosen.mode));
        }
        let mut alternatives = Vec::new();
        for way in &self.ways.ways {
            if alternatives.len() == ALTERNATIVES {
                break;
            }
            let pool = &self.solved.supply.pools[way.pool];
            let (rate, mode) = match way.paid {
                Paid::Beside(_) => continue,
                Paid::Spot(_) => (&pool.spot, BillingMode::Spot),
                _ => (&pool.on_demand, BillingMode::OnDemand),
            };
            let Some(rate) = rate else { continue };
            let card = self.solved.supply.kinds[pool.kind].card.id.to_string();
            if !seen.insert((card, mode)) {
                continue;
            }
            let amount = Decimal::try_from_i128_with_scale(i128::from(way.alone), 6);
            let Ok(amount) = amount else { continue };
            let cost = Money::new(amount, rate.hourly.currency());
            let starts = self.ways.demand.starts() as u64 * u64::from(way.instances);
            let paid = match &self.ways.demand {
                crate::demand::Demand::Service(stretches) => {
                    stretches.iter().map(|one| one.length()).sum::<u64>() * u64::from(way.instances)
                }
                crate::demand::Demand::Runs(_) => way.run.get().saturating_mul(starts),
            };
            let cost = Estimate::exact(cost);
            let paid = Seconds::new(paid);
            let hourly = rate.hourly;
            alternatives.push(self.choice(
                way,
                rate.offer,
                mode,
                hourly,
                paid,
                cost,
                Vec::new(),
            )?);
        }
        Ok(alternatives)
    }
}

/// Writes hours with at most two decimals.
pub(super) fn hours(time: Seconds) -> Decimal {
    time.decimal_hours().round_dp(2).normalize()
}
