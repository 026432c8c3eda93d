//! What naive choices would cost by the same rules: the cheapest hourly price, everything on
//! demand, the top card for everything, and the founding guide's two rules of thumb.

use crate::{
    PlanError,
    budget::{decimal, lines, sum},
    candidates::{JobWays, Paid, Way, Windows, instances},
    demand::Demand,
    outcome::{Baseline, BaselineKind, BudgetLine},
    plan::{Solved, World, price},
    workload::Workload,
};
use kasuan_model::{BillingMode, Money, Phrase, Seconds};

/// Hours a month from which the guide calls monthly the better deal.
pub(crate) const GUIDE_HOURS: u64 = 200;

/// The classes of the guide's rule by utilisation. Its text leaves the edges open; here each class
/// holds its lower edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GuideClass {
    /// Below 20 %: on demand.
    OnDemand,
    /// From 20 %: on demand, batch work on spot.
    OnDemandAndSpot,
    /// From 50 %: monthly or reserved, on demand for peaks.
    MonthlyAndPeaks,
    /// From 70 %: monthly.
    Monthly,
}

impl GuideClass {
    /// Returns the class of a utilisation; what is no number counts as none.
    pub fn of(utilisation: f64) -> Self {
        match utilisation {
            u if u >= 0.7 => Self::Monthly,
            u if u >= 0.5 => Self::MonthlyAndPeaks,
            u if u >= 0.2 => Self::OnDemandAndSpot,
            _ => Self::OnDemand,
        }
    }

    /// Says whether the class takes a monthly term.
    pub const fn is_monthly(self) -> bool {
        matches!(self, Self::Monthly | Self::MonthlyAndPeaks)
    }
}

/// Returns what each naive choice would cost.
pub(crate) fn baselines(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
    total: Money,
) -> Result<Vec<Baseline>, PlanError> {
    let kinds = [
        BaselineKind::CheapestHourly,
        BaselineKind::AllOnDemand,
        BaselineKind::TopCard,
        BaselineKind::GuideUtilisation,
        BaselineKind::Guide200Hours,
    ];
    if solved.choice.ways.iter().all(Option::is_none) {
        return Ok(Vec::new());
    }
    let our_lines = lines(workload, world, solved)?;
    let ours = sum(workload.currency, &our_lines)?;
    let everything: Vec<Vec<Way>> = solved
        .ways
        .iter()
        .enumerate()
        .map(|(index, job)| all_on_demand(workload, solved, index, job))
        .collect();
    let mut baselines = Vec::with_capacity(kinds.len());
    for kind in kinds {
        let mut note = Vec::new();
        let mut ways = solved.ways.clone();
        let mut chosen = vec![None; ways.len()];
        let mut possible = true;
        for (index, job) in ways.iter_mut().enumerate() {
            if solved.choice.ways[index].is_none() {
                continue;
            }
            match naive(kind, solved, index, &everything[index], &mut note) {
                Some(way) => {
                    job.ways.push(way);
                    chosen[index] = Some(job.ways.len() - 1);
                }
                None => {
                    possible = false;
                    let name = &workload.jobs[index].name;
                    note.push(Phrase::new("plan-baseline-impossible").with("job", name));
                }
            }
        }
        let total = if possible {
            let naive = price(workload, solved, ways, chosen)?;
            let its_lines = lines(workload, world, &naive)?;
            let before = sum(workload.currency, &its_lines)?;
            let mut missing = not_counted(&our_lines, &its_lines);
            if before.amount() < ours.amount() && missing.is_empty() {
                let waits = workload.jobs.iter().any(|job| job.hours_wait);
                missing.push(Phrase::new(if waits {
                    "plan-baseline-cheaper-guess"
                } else {
                    "plan-baseline-cheaper"
                }));
            }
            missing.append(&mut note);
            note = missing;
            Some(with_margin(before, ours, total)?)
        } else {
            None
        };
        note.truncate(6);
        baselines.push(Baseline { kind, total, note });
    }
    contradictions(workload, solved, &mut baselines);
    Ok(baselines)
}

/// Puts the plan's own margin, as a share, on another total.
pub(crate) fn with_margin(before: Money, ours: Money, total: Money) -> Result<Money, PlanError> {
    if ours.is_zero() {
        return Ok(before.rounded());
    }
    Ok(before.times(total.amount())?.over(ours.amount())?.rounded())
}

/// Says which costs a naive choice leaves out because nobody states their price, where the plan
/// knows and counts them: its total is then no total.
fn not_counted(ours: &[BudgetLine], its: &[BudgetLine]) -> Vec<Phrase> {
    let gap = |line: &BudgetLine| line.amount.is_none() || line.unknown;
    let mut missing = Vec::new();
    for (our, its) in ours.iter().zip(its) {
        if let Some(amount) = our.amount.filter(|amount| !amount.is_zero())
            && gap(its)
            && !gap(our)
        {
            missing.push(
                Phrase::new("plan-baseline-not-counted")
                    .with_word("line", our.kind.key())
                    .with("amount", amount),
            );
        }
    }
    missing
}

/// Returns every way of a job on demand, the dear ones too.
fn all_on_demand(workload: &Workload, solved: &Solved, index: usize, job: &JobWays) -> Vec<Way> {
    if solved.choice.ways[index].is_none() {
        return Vec::new();
    }
    let mut windows = Windows::new(solved.span, &workload.jobs[index], &job.demand);
    let mut ways = Vec::new();
    for (at, (kind, need)) in job.needs.iter().enumerate() {
        if !windows.hold(need.time.likely.get()) {
            continue;
        }
        for &pool_index in solved.supply.by_kind.get(*kind).into_iter().flatten() {
            let pool = &solved.supply.pools[pool_index];
            let (Some(rate), Some(instances)) = (&pool.on_demand, instances(need, pool)) else {
                continue;
            };
            let run = need.time.likely;
            let mut alone = 0_i64;
            for (length, count) in crate::demand::lengths(&job.demand, run) {
                let one = rate.micros(length).saturating_mul(i64::from(instances));
                alone = alone
                    .saturating_add(one.saturating_mul(i64::try_from(count).unwrap_or(i64::MAX)));
            }
            ways.push(Way {
                pool: pool_index,
                need: at,
                instances,
                run,
                paid: Paid::OnDemand,
                alone,
                floor: alone,
            });
        }
    }
    ways
}

/// Returns the way that a naive rule takes for a job.
fn naive(
    kind: BaselineKind,
    solved: &Solved,
    index: usize,
    ways: &[Way],
    note: &mut Vec<Phrase>,
) -> Option<Way> {
    let hourly = |way: &&Way| {
        let rate = solved.supply.pools[way.pool].on_demand.as_ref();
        rate.map_or(i64::MAX, |rate| rate.hourly_micros().saturating_mul(i64::from(way.instances)))
    };
    let cheapest = || ways.iter().min_by_key(|way| way.alone).cloned();
    match kind {
        BaselineKind::CheapestHourly => ways.iter().min_by_key(hourly).cloned(),
        BaselineKind::AllOnDemand => cheapest(),
        BaselineKind::TopCard => {
            let speed = |way: &Way| {
                let card = &solved.supply.kinds[solved.supply.pools[way.pool].kind].card;
                card.tensor_flops.or(card.fp32_flops).unwrap_or(0.0)
            };
            let top = ways.iter().map(speed).fold(0.0, f64::max);
            ways.iter().filter(|way| speed(way) >= top).min_by_key(|way| way.alone).cloned()
        }
        BaselineKind::GuideUtilisation | BaselineKind::Guide200Hours => {
            let way = cheapest()?;
            let job = &solved.ways[index];
            let hours = used_hours(job, &way);
            let class = GuideClass::of(hours / solved.span.hours() as f64);
            let monthly = match kind {
                BaselineKind::Guide200Hours => hours > GUIDE_HOURS as f64,
                _ => class.is_monthly(),
            };
            if monthly {
                return Some(by_month(solved, index, &way, note).unwrap_or(way));
            }
            let spot =
                kind == BaselineKind::GuideUtilisation && class == GuideClass::OnDemandAndSpot;
            let on_spot = job.ways.iter().filter(|way| matches!(way.paid, Paid::Spot(_)));
            match on_spot.min_by_key(|way| way.alone).filter(|_| spot) {
                Some(way) => Some(way.clone()),
                None => Some(way),
            }
        }
    }
}

/// Returns the hours in which an instance of a way runs.
fn used_hours(job: &JobWays, way: &Way) -> f64 {
    let seconds = match &job.demand {
        Demand::Service(stretches) => stretches.iter().map(|one| one.length()).sum::<u64>(),
        Demand::Runs(starts) => way.run.get().saturating_mul(starts.len() as u64),
    };
    seconds as f64 / 3600.0
}

/// Returns the same need on a month's term, wherever that is cheapest; `None` when nobody sells
/// one.
fn by_month(solved: &Solved, index: usize, way: &Way, note: &mut Vec<Phrase>) -> Option<Way> {
    let job = &solved.ways[index];
    let (kind, need) = &job.needs[way.need];
    let mut best: Option<(i64, Way)> = None;
    for &pool_index in solved.supply.by_kind.get(*kind).into_iter().flatten() {
        let pool = &solved.supply.pools[pool_index];
        let term = pool.terms.iter().position(|term| term.mode == BillingMode::Monthly);
        let (Some(term), Some(instances)) = (term, instances(need, pool)) else { continue };
        let cost = pool.terms[term].micros.saturating_mul(i64::from(instances));
        if best.as_ref().is_none_or(|(known, _)| cost < *known) {
            let paid = Paid::Term(term);
            let run = way.run;
            let alone = cost;
            let way =
                Way { pool: pool_index, need: way.need, instances, run, paid, alone, floor: cost };
            best = Some((cost, way));
        }
    }
    if best.is_none() {
        let phrase = Phrase::new("plan-baseline-no-monthly")
            .with("card", &solved.supply.kinds[*kind].card.display);
        if !note.contains(&phrase) {
            note.push(phrase);
        }
    }
    best.map(|(_, way)| way)
}

/// Says on which jobs the guide's two rules contradict each other, and what the prices say.
fn contradictions(workload: &Workload, solved: &Solved, baselines: &mut [Baseline]) {
    let mut notes = Vec::new();
    for (index, job) in solved.ways.iter().enumerate() {
        let Some(way) = solved.choice.ways[index] else { continue };
        let way = &job.ways[way];
        let hours = used_hours(job, way);
        let class = GuideClass::of(hours / solved.span.hours() as f64);
        let by_hours = hours > GUIDE_HOURS as f64;
        if by_hours == class.is_monthly() {
            continue;
        }
        let share = format!("{:.0}%", hours / solved.span.hours() as f64 * 100.0);
        let pool = &solved.supply.pools[way.pool];
        let term = pool.terms.iter().find(|term| term.mode == BillingMode::Monthly);
        let even = term.zip(pool.on_demand.as_ref()).and_then(|(term, rate)| {
            let hours = term.price.amount().checked_div(rate.hourly.amount())?;
            Seconds::from_decimal_hours(hours)
        });
        let name = &workload.jobs[index].name;
        let hours = decimal(hours).round_dp(1).normalize();
        notes.push(match even {
            Some(even) => Phrase::new("plan-baseline-contradiction")
                .with("job", name)
                .with("hours", hours)
                .with("share", share)
                .with("even", even.decimal_hours().round_dp(1).normalize()),
            None => Phrase::new("plan-baseline-contradiction-open")
                .with("job", name)
                .with("hours", hours)
                .with("share", share),
        });
    }
    notes.truncate(5);
    for baseline in baselines {
        if matches!(baseline.kind, BaselineKind::GuideUtilisation | BaselineKind::Guide200Hours) {
            baseline.note.extend(notes.iter().cloned());
        }
    }
}
