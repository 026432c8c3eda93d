//! The rent of a choice in exact money, by job, and the mix as it is bought.

use super::{Solved, World};
use crate::{
    PlanError,
    candidates::{JobWays, Paid, Pool, Rate},
    choose::{Choice, Member, Problem, Shared},
    demand::{HOUR, Stretch},
    outcome::{Commitment, Mix, Packed, Pool as HourlyPool},
    pack::{Part, first_fit},
    workload::Workload,
};
use kasuan_model::{BillingMode, CardId, Currency, Estimate, Money, Seconds};
use rust_decimal::Decimal;
use std::collections::BTreeMap;

/// What is paid by the hour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hourly {
    /// Starts of an instance that are billed apart.
    pub(crate) starts: u32,
    /// Instance-seconds as billed.
    pub(crate) billed: Seconds,
    /// What they cost; a range where the provider does not say how it counts.
    pub(crate) cost: Estimate<Money>,
}

impl Hourly {
    const fn nothing(nothing: Money) -> Self {
        Self { starts: 0, billed: Seconds::ZERO, cost: Estimate::exact(nothing) }
    }
}

/// What a job's time costs, by how it is paid.
#[derive(Clone, Debug)]
pub(crate) struct JobRent {
    /// What is paid by the hour, on demand or spot.
    pub(crate) hourly: Hourly,
    /// Instance-seconds on a term, and the job's part of what the term costs.
    pub(crate) term: (Seconds, Money),
    /// The mode that most of its time is paid by.
    pub(crate) mode: BillingMode,
    /// When each run lies, in one or more stretches.
    pub(crate) runs: Vec<Vec<Stretch>>,
}

impl JobRent {
    /// Returns both together.
    pub(crate) fn cost(&self) -> Result<Money, PlanError> {
        Ok(self.hourly.cost.likely.checked_add(self.term.1)?)
    }
}

/// The rent of the month.
#[derive(Clone, Debug)]
pub(crate) struct Rent {
    /// One for each job that has a choice.
    pub(crate) jobs: Vec<Option<JobRent>>,
    /// Everything.
    pub(crate) total: Money,
    /// What is paid for time or cards that nothing uses.
    pub(crate) idle: Money,
}

/// Adds what so many instances cost for one start.
fn add_start(sum: &mut Hourly, rate: &Rate, billed: Stretch, units: u32) -> Result<(), PlanError> {
    let run = rate.run(billed.start, Seconds::new(billed.length()))?;
    let units_of = Decimal::from(units);
    sum.billed = sum.billed + run.billed.likely.saturating_mul(u64::from(units));
    sum.cost = Estimate::new(
        sum.cost.low.checked_add(run.cost.low.times(units_of)?)?,
        sum.cost.likely.checked_add(run.cost.likely.times(units_of)?)?,
        sum.cost.high.checked_add(run.cost.high.times(units_of)?)?,
    );
    sum.starts += units;
    Ok(())
}

/// Returns the rent of a choice.
pub(super) fn rent(
    problem: &Problem<'_>,
    choice: &Choice,
    currency: Currency,
) -> Result<Rent, PlanError> {
    let nothing = Money::zero(currency);
    let mut jobs: Vec<Option<JobRent>> = vec![None; choice.ways.len()];
    let mut total = nothing;
    let mut idle = nothing;
    for (pool, shared) in &choice.shared {
        let (sum, unused) =
            shared_rent(problem, &problem.pools[*pool], shared, nothing, &mut jobs)?;
        total = total.checked_add(sum)?;
        idle = idle.checked_add(unused)?;
    }
    let mut guests = Vec::new();
    for (job, way) in choice.ways.iter().enumerate() {
        let Some(way) = *way else { continue };
        let member = Member { job, way };
        let way = problem.way(member);
        let pool = &problem.pools[way.pool];
        let (rate, mode) = match way.paid {
            Paid::Pooled => continue,
            Paid::Beside(ref beside) => {
                jobs[job] = Some(JobRent {
                    hourly: Hourly::nothing(nothing),
                    term: (Seconds::ZERO, nothing),
                    mode: BillingMode::OnDemand,
                    runs: beside.runs.clone(),
                });
                guests.push((job, beside.service));
                continue;
            }
            Paid::OnDemand => (&pool.on_demand, BillingMode::OnDemand),
            Paid::Spot(_) => (&pool.spot, BillingMode::Spot),
            Paid::Term(term) => {
                let Some(rent) = by_term(problem, member, term, nothing)? else { continue };
                total = total.checked_add(rent.cost()?)?;
                jobs[job] = Some(rent);
                continue;
            }
        };
        let Some(rate) = rate else { continue };
        let (runs, billed) = problem.apart(job, way);
        let mut hourly = Hourly::nothing(nothing);
        for stretch in billed {
            add_start(&mut hourly, rate, stretch, way.instances)?;
        }
        total = total.checked_add(hourly.cost.likely)?;
        idle = idle.checked_add(idle_cards(problem, member, hourly.cost.likely)?)?;
        jobs[job] = Some(JobRent { hourly, term: (Seconds::ZERO, nothing), mode, runs });
    }
    // A guest's time is paid as its host's is.
    for (guest, host) in guests {
        let mode = jobs[host].as_ref().map(|host| host.mode);
        if let (Some(guest), Some(mode)) = (&mut jobs[guest], mode) {
            guest.mode = mode;
        }
    }
    Ok(Rent { jobs, total, idle })
}

/// Returns the rent of a job on a term of its own; what runs after the term's end is on demand.
fn by_term(
    problem: &Problem<'_>,
    member: Member,
    term: usize,
    nothing: Money,
) -> Result<Option<JobRent>, PlanError> {
    let way = problem.way(member);
    let pool = &problem.pools[way.pool];
    let Some(term) = pool.terms.get(term) else { return Ok(None) };
    let (runs, _) = problem.apart(member.job, way);
    let mut hourly = Hourly::nothing(nothing);
    let mut on_term = 0;
    for stretch in runs.iter().flatten() {
        let covered = stretch.end.min(term.term.get()).saturating_sub(stretch.start);
        on_term += covered * u64::from(way.instances);
        let rest = stretch.length() - covered;
        if let (Some(rate), true) = (&pool.on_demand, rest > 0) {
            let rest = Stretch { start: stretch.end - rest, end: stretch.end };
            add_start(&mut hourly, rate, rest, way.instances)?;
        }
    }
    let price = term_price(term.price, term.term, problem.span.seconds(), way.instances)?;
    Ok(Some(JobRent { hourly, term: (Seconds::new(on_term), price), mode: term.mode, runs }))
}

/// Returns a solution with other ways than the chosen ones, priced by the same rules.
pub(crate) fn price(
    workload: &Workload,
    solved: &Solved,
    ways: Vec<JobWays>,
    chosen: Vec<Option<usize>>,
) -> Result<Solved, PlanError> {
    let problem = Problem {
        span: solved.span,
        jobs: &workload.jobs,
        ways: &ways,
        pools: &solved.supply.pools,
        held: BTreeMap::new(),
        near: None,
    };
    let choice = Choice { ways: chosen, shared: BTreeMap::new(), cost: 0, bound: 0 };
    let rent = rent(&problem, &choice, workload.currency)?;
    Ok(Solved { span: solved.span, supply: solved.supply.clone(), ways, choice, rent })
}

/// Returns what of a job's cost is for cards of its instances that it does not use.
fn idle_cards(problem: &Problem<'_>, member: Member, cost: Money) -> Result<Money, PlanError> {
    let Some(share) = problem.unused_share(member) else { return Ok(Money::zero(cost.currency())) };
    Ok(cost.times(share)?)
}

/// Adds the rent of a pool's members to `jobs`; returns what the pool costs and what of it is idle.
fn shared_rent(
    problem: &Problem<'_>,
    pool: &Pool,
    shared: &Shared,
    nothing: Money,
    jobs: &mut [Option<JobRent>],
) -> Result<(Money, Money), PlanError> {
    let span = problem.span.seconds();
    let mut terms = nothing;
    let mut bought = 0_u64;
    for one in &shared.bill.bought {
        let term = &pool.terms[one.term];
        terms = terms.checked_add(term_price(term.price, term.term, span, one.units)?)?;
        bought += one.stretch.length() * u64::from(one.units);
    }
    let all: u64 = covered_seconds(problem, shared).iter().sum();
    // Each part of the terms is rounded to 28 digits; their sum is not taken from the parts.
    let mut total = terms;
    let mut idle = nothing;
    let mut given = nothing;
    let mut covered = shared.bill.covered.iter();
    let covered_of: Vec<u64> = covered_seconds(problem, shared);
    let last = covered_of.iter().rposition(|seconds| *seconds > 0);
    for (at, (member, runs)) in shared.members.iter().zip(&shared.runs).enumerate() {
        let way = problem.way(*member);
        let mut hourly = Hourly::nothing(nothing);
        for stretch in runs.iter().flatten() {
            let on_term = covered.next().copied().unwrap_or(0);
            let out = way.instances - on_term.min(way.instances);
            if let (Some(rate), true) = (&pool.on_demand, out > 0) {
                add_start(&mut hourly, rate, *stretch, out)?;
            }
        }
        // Each gets its part of the terms by the time it uses; the last gets the rest, so that the
        // parts add up.
        let mine = covered_of[at];
        let part = if Some(at) == last {
            terms.checked_sub(given)?
        } else if all > 0 {
            terms.times(Decimal::from(mine))?.over(Decimal::from(all))?
        } else {
            nothing
        };
        given = given.checked_add(part)?;
        let mode = if Seconds::new(mine) > hourly.billed {
            main_term(pool, shared)
        } else {
            BillingMode::OnDemand
        };
        total = total.checked_add(hourly.cost.likely)?;
        let busy = if bought > 0 {
            part.times(Decimal::from(all.min(bought)))?.over(Decimal::from(bought))?
        } else {
            part
        };
        let paid = hourly.cost.likely.checked_add(busy)?;
        idle = idle.checked_add(idle_cards(problem, *member, paid)?)?;
        jobs[member.job] =
            Some(JobRent { hourly, term: (Seconds::new(mine), part), mode, runs: runs.clone() });
    }
    if bought > 0 {
        let unused = Decimal::from(bought.saturating_sub(all)) / Decimal::from(bought);
        idle = idle.checked_add(terms.times(unused)?)?;
    }
    Ok((total, idle))
}

/// Returns what so many instances cost for a term; a term longer than the span by its part.
pub(crate) fn term_price(
    price: Money,
    term: Seconds,
    span: u64,
    units: u32,
) -> Result<Money, PlanError> {
    let all = price.times(Decimal::from(units))?;
    if term.get() <= span {
        return Ok(all);
    }
    Ok(all.times(Decimal::from(span))?.over(Decimal::from(term.get()))?)
}

/// Returns the instance-seconds of each member that run on a term.
fn covered_seconds(problem: &Problem<'_>, shared: &Shared) -> Vec<u64> {
    let mut covered = shared.bill.covered.iter();
    let mut all = Vec::with_capacity(shared.members.len());
    for (member, runs) in shared.members.iter().zip(&shared.runs) {
        let instances = problem.way(*member).instances;
        let mut seconds = 0_u64;
        for stretch in runs.iter().flatten() {
            let units = covered.next().copied().unwrap_or(0).min(instances);
            seconds += stretch.length() * u64::from(units);
        }
        all.push(seconds);
    }
    all
}

/// Returns the mode of the term that most instances are bought for.
fn main_term(pool: &Pool, shared: &Shared) -> BillingMode {
    let mut seconds: BTreeMap<usize, u64> = BTreeMap::new();
    for one in &shared.bill.bought {
        *seconds.entry(one.term).or_default() += one.stretch.length() * u64::from(one.units);
    }
    let most = seconds.into_iter().max_by_key(|(_, seconds)| *seconds);
    // Nothing bought but covered: an instance that is held already.
    most.map_or(BillingMode::Monthly, |(term, _)| pool.terms[term].mode)
}

/// Returns what is bought, and how near it is to the cheapest there can be.
pub(super) fn mix(
    workload: &Workload,
    world: &World<'_>,
    solved: &Solved,
) -> Result<Mix, PlanError> {
    let mut commitments = Vec::new();
    let mut pools = Vec::new();
    let mut packing = Vec::new();
    let span = solved.span.seconds();
    for (index, shared) in &solved.choice.shared {
        let pool = &solved.supply.pools[*index];
        let card = solved.supply.kinds[pool.kind].card.id.clone();
        let used: u64 = shared.load.used().iter().map(|units| u64::from(*units)).sum();
        let paid: u64 = shared.load.paid().iter().map(|units| u64::from(*units)).sum();
        for one in &shared.bill.bought {
            let term = &pool.terms[one.term];
            let hourly = pool.on_demand.as_ref().map(|rate| rate.hourly.amount());
            let break_even = hourly
                .and_then(|hourly| crate::commitment::break_even_hours(term.price.amount(), hourly))
                .and_then(Seconds::from_decimal_hours)
                .unwrap_or(Seconds::ZERO);
            // Use is spread evenly over what is paid at the same time.
            let hours = one.stretch.length() / HOUR * u64::from(one.units);
            let part = if paid > 0 { used.min(paid) as f64 / paid as f64 } else { 0.0 };
            commitments.push(Commitment {
                offer: world.catalogue.offers()[term.offer].id.clone(),
                card: card.clone(),
                mode: term.mode,
                count: one.units,
                start: solved.span.moment(one.stretch.start),
                price: term_price(term.price, term.term, span, one.units)?,
                break_even,
                used: Seconds::from_estimate(hours as f64 * 3600.0 * part),
            });
        }
        let in_cards = |units: &[u32]| {
            units.iter().map(|units| units.saturating_mul(pool.count)).collect::<Vec<u32>>()
        };
        packing.extend(packed(solved, pool, shared, &card));
        pools.push(HourlyPool {
            card,
            demand: in_cards(shared.load.used()),
            committed: in_cards(shared.load.paid()),
        });
    }
    let in_money = |micros: i128| {
        let amount = Decimal::try_from_i128_with_scale(micros, 6).unwrap_or(Decimal::MAX);
        Money::new(amount, workload.currency)
    };
    let (cost, bound) = (solved.choice.cost, solved.choice.bound);
    let gap = if bound > 0 { (cost - bound) as f64 / bound as f64 } else { 0.0 };
    Ok(Mix {
        commitments,
        cost: solved.rent.total,
        lower_bound: in_money(bound),
        gap,
        pools,
        packing,
    })
}

/// Says how many machines a pool would need if jobs shared them; `None` where none would be saved.
///
/// Only said, not planned: whether two jobs get on with each other on one machine is the user's to
/// know.
fn packed(solved: &Solved, pool: &Pool, shared: &Shared, card: &CardId) -> Option<Packed> {
    if pool.count < 2 {
        return None;
    }
    let mut parts = Vec::new();
    for (member, runs) in shared.members.iter().zip(&shared.runs) {
        let ways = &solved.ways[member.job];
        let way = &ways.ways[member.way];
        let need = &ways.needs[way.need].1;
        // Replicas and machines that are taken whole, and what is left on the last machine.
        let cards = u64::from(need.cards) * u64::from(need.replicas);
        for stretch in runs.iter().flatten() {
            let (start, end) = (stretch.start, stretch.end);
            for instance in 0..u64::from(way.instances) {
                let left = cards.saturating_sub(instance * u64::from(pool.count));
                let cards = u32::try_from(left).unwrap_or(u32::MAX).min(pool.count);
                parts.push(Part { cards, start, end });
            }
        }
    }
    let whole: Vec<Part> = parts.iter().map(|part| Part { cards: pool.count, ..*part }).collect();
    let number = |machines: usize| u32::try_from(machines).unwrap_or(u32::MAX);
    let apart = number(first_fit(pool.count, &whole).machines);
    let packing = first_fit(pool.count, &parts);
    let together = number(packing.machines);
    let lower_bound = number(packing.lower_bound);
    let saves = together < apart;
    saves.then(|| Packed { card: card.clone(), cards: pool.count, apart, together, lower_bound })
}
