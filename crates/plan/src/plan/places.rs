//! From which providers to rent where data has to be kept at each that is used: a copy lies at
//! every one of them, so that fewer providers may be cheaper than each job at its cheapest.

use super::{Solved, World};
use crate::{
    PlanError,
    budget::{egress_from, kept_at, lines, sum},
    candidates::{Supply, instances, total_seconds},
    demand::Span,
    outcome::CostKind,
    workload::{Job, Workload},
};
use kasuan_model::{BillingMode, Money};
use rust_decimal::{Decimal, prelude::ToPrimitive as _};
use std::collections::{BTreeMap, BTreeSet};

/// Providers that sets are made of.
const PROVIDERS: usize = 8;
/// Providers of a set at most; three copies of the data seldom pay.
const TOGETHER: usize = 3;
/// Sets that are solved in full.
const SETS: usize = 3;

/// What is taken for a price that a provider does not state, for the choice alone: the dearest
/// that any provider states. What is not known is not cheap; the total never counts it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unstated {
    storage: Money,
    egress: Money,
}

impl Unstated {
    /// Looks at what the providers that can be used state.
    pub(super) fn of(
        workload: &Workload,
        world: &World<'_>,
        span: Span,
        supply: &Supply,
    ) -> Result<Self, PlanError> {
        let nothing = Money::zero(workload.currency);
        let mut unstated = Self { storage: nothing, egress: nothing };
        for provider in providers(supply) {
            let dearer = |known: Money, other: Option<Money>| match other {
                Some(other) if other.amount() > known.amount() => other,
                _ => known,
            };
            let kept = kept_at(workload, world, span, provider, BillingMode::OnDemand)?;
            unstated.storage = dearer(unstated.storage, kept.map(|cost| cost.likely));
            let out = egress_from(workload, world, provider)?;
            unstated.egress = dearer(unstated.egress, out);
        }
        Ok(unstated)
    }

    /// Returns what solutions are compared by: what is known, and for each unknown part the dearest
    /// that anyone states.
    pub(super) fn compared(
        self,
        workload: &Workload,
        world: &World<'_>,
        solved: &Solved,
    ) -> Result<Money, PlanError> {
        let lines = lines(workload, world, solved)?;
        let mut total = sum(workload.currency, &lines)?;
        for provider in used(solved) {
            if kept_at(workload, world, solved.span, provider, BillingMode::OnDemand)?.is_none() {
                total = total.checked_add(self.storage)?;
            }
        }
        if lines.iter().any(|line| line.kind == CostKind::Egress && line.amount.is_none()) {
            total = total.checked_add(self.egress)?;
        }
        Ok(total)
    }
}

fn providers(supply: &Supply) -> BTreeSet<&str> {
    supply.pools.iter().map(|pool| pool.provider.as_str()).collect()
}

/// Returns the providers that a solution rents from.
pub(super) fn used(solved: &Solved) -> BTreeSet<&str> {
    let chosen = solved.choice.ways.iter().enumerate();
    chosen
        .filter_map(|(job, way)| {
            let way = &solved.ways[job].ways[(*way)?];
            Some(solved.supply.pools[way.pool].provider.as_str())
        })
        .collect()
}

/// Returns the sets of providers that look cheapest with the data that is kept at each, without
/// the one that is used already.
pub(super) fn sets(
    workload: &Workload,
    world: &World<'_>,
    supply: &Supply,
    first: &Solved,
    unstated: Unstated,
) -> Result<Vec<BTreeSet<String>>, PlanError> {
    let costs: Vec<BTreeMap<&str, i128>> = workload
        .jobs
        .iter()
        .enumerate()
        .filter(|(index, _)| first.choice.ways[*index].is_some())
        .map(|(index, job)| least(job, &first.ways[index], supply))
        .collect();
    let mut kept: BTreeMap<&str, i128> = BTreeMap::new();
    for provider in providers(supply) {
        let cost = kept_at(workload, world, first.span, provider, BillingMode::OnDemand)?;
        let cost = cost.map_or(unstated.storage, |cost| cost.likely);
        let micros = cost.amount().checked_mul(Decimal::from(1_000_000)).and_then(|m| m.to_i128());
        kept.insert(provider, micros.unwrap_or(0));
    }
    let names = candidates(&costs);
    let mut scored: Vec<(i128, BTreeSet<String>)> = Vec::new();
    let already: BTreeSet<String> = used(first).into_iter().map(str::to_owned).collect();
    for choice in 1_u32..(1 << names.len()) {
        if choice.count_ones() as usize > TOGETHER {
            continue;
        }
        let set: Vec<&str> =
            (0..names.len()).filter(|at| choice & (1 << at) != 0).map(|at| names[at]).collect();
        let rent: Option<i128> = costs
            .iter()
            .map(|cost| set.iter().filter_map(|name| cost.get(name)).min().copied())
            .sum();
        let Some(rent) = rent else { continue };
        let storage: i128 = set.iter().filter_map(|name| kept.get(name)).sum();
        let set: BTreeSet<String> = set.into_iter().map(str::to_owned).collect();
        if set != already {
            scored.push((rent + storage, set));
        }
    }
    scored.sort();
    Ok(scored.into_iter().take(SETS).map(|(_, set)| set).collect())
}

/// Returns the least that a job can cost at each provider where it fits.
fn least<'a>(
    job: &Job,
    ways: &crate::candidates::JobWays,
    supply: &'a Supply,
) -> BTreeMap<&'a str, i128> {
    let mut least: BTreeMap<&str, i128> = BTreeMap::new();
    for (kind, need) in ways.needs.iter() {
        let seconds = i128::from(total_seconds(&ways.demand, need.time.likely));
        for &pool in supply.by_kind.get(*kind).into_iter().flatten() {
            let pool = &supply.pools[pool];
            let Some(instances) = instances(need, pool) else { continue };
            let hour = if job.interruptible.is_some() { pool.least() } else { pool.floor() };
            let cost = i128::from(hour) * seconds * i128::from(instances) / 3600;
            let known = least.entry(&pool.provider).or_insert(cost);
            *known = (*known).min(cost);
        }
    }
    least
}

/// Returns the providers worth putting into sets: where each job is cheapest, and those where most
/// jobs fit for the least.
fn candidates<'a>(costs: &[BTreeMap<&'a str, i128>]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    let mut add = |name: &'a str| {
        if !names.contains(&name) && names.len() < PROVIDERS {
            names.push(name);
        }
    };
    let mut sums: BTreeMap<&str, (usize, i128)> = BTreeMap::new();
    for cost in costs {
        for (name, cost) in cost {
            let sum = sums.entry(name).or_default();
            *sum = (sum.0 + 1, sum.1.saturating_add(*cost));
        }
    }
    let mut all: Vec<_> =
        sums.into_iter().map(|(name, (jobs, sum))| (costs.len() - jobs, sum, name)).collect();
    all.sort_unstable();
    for (_, _, name) in all.iter().take(PROVIDERS / 2) {
        add(name);
    }
    for cost in costs {
        if let Some((name, _)) = cost.iter().min_by_key(|(_, cost)| **cost) {
            add(name);
        }
    }
    for (_, _, name) in &all {
        add(name);
    }
    names
}
