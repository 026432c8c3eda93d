//! The rent of a choice in exact money, by job.

use super::Solved;
use crate::{
    PlanError,
    candidates::{JobWays, Paid, Pool, Rate},
    choose::{Choice, Member, Owners, Problem, Shared},
    demand::Stretch,
    workload::Workload,
};
use kasuan_model::{BillingMode, Currency, Estimate, Money, Seconds};
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

    fn add(&mut self, other: &Self) -> Result<(), PlanError> {
        self.starts += other.starts;
        self.billed = self.billed + other.billed;
        self.cost = Estimate::new(
            self.cost.low.checked_add(other.cost.low)?,
            self.cost.likely.checked_add(other.cost.likely)?,
            self.cost.high.checked_add(other.cost.high)?,
        );
        Ok(())
    }

    /// Returns the part of one of several.
    fn part(&self, mine: u64, all: u64) -> Result<Self, PlanError> {
        let of = |money: Money| money.times(Decimal::from(mine))?.over(Decimal::from(all.max(1)));
        let billed = u128::from(self.billed.get()) * u128::from(mine) / u128::from(all.max(1));
        Ok(Self {
            starts: self.starts,
            billed: Seconds::new(u64::try_from(billed).unwrap_or(u64::MAX)),
            cost: Estimate::new(of(self.cost.low)?, of(self.cost.likely)?, of(self.cost.high)?),
        })
    }

    /// Returns what is left without a part.
    fn less(&self, part: &Self) -> Result<Self, PlanError> {
        Ok(Self {
            starts: self.starts,
            billed: Seconds::new(self.billed.get().saturating_sub(part.billed.get())),
            cost: Estimate::new(
                self.cost.low.checked_sub(part.cost.low)?,
                self.cost.likely.checked_sub(part.cost.likely)?,
                self.cost.high.checked_sub(part.cost.high)?,
            ),
        })
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
    let span = problem.span.seconds();
    let price = term.cost(span.min(term.term.get()), span, way.instances)?;
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
        share_machines: false,
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

/// What one member of a pool has of what the pool pays.
#[derive(Clone)]
struct Part {
    hourly: Hourly,
    /// Machine-seconds on terms, and in all.
    on_term: u64,
    machines: u64,
    /// Card-seconds that it uses of them.
    cards: u64,
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
        terms = terms.checked_add(term.cost(one.stretch.length(), span, one.units)?)?;
        bought += one.stretch.length() * u64::from(one.units);
    }
    let parts = parts(problem, pool, shared, nothing)?;
    let all: u64 = parts.iter().map(|part| part.on_term).sum();
    // Each part of the terms is rounded to 28 digits; their sum is not taken from the parts.
    let mut total = terms;
    let mut idle = nothing;
    let mut given = nothing;
    let last = parts.iter().rposition(|part| part.on_term > 0);
    for (at, (member, part)) in shared.members.iter().zip(parts).enumerate() {
        let Part { hourly, on_term, machines, cards } = part;
        // Each gets its part of the terms by the time it uses; the last gets the rest, so that the
        // parts add up.
        let of_terms = if Some(at) == last {
            terms.checked_sub(given)?
        } else if all > 0 {
            terms.times(Decimal::from(on_term))?.over(Decimal::from(all))?
        } else {
            nothing
        };
        given = given.checked_add(of_terms)?;
        let mode = if Seconds::new(on_term) > hourly.billed {
            main_term(pool, shared)
        } else {
            BillingMode::OnDemand
        };
        total = total.checked_add(hourly.cost.likely)?;
        let busy = if bought > 0 {
            of_terms.times(Decimal::from(all.min(bought)))?.over(Decimal::from(bought))?
        } else {
            of_terms
        };
        let paid = hourly.cost.likely.checked_add(busy)?;
        let rented = machines.saturating_mul(u64::from(pool.count));
        if cards < rented {
            let unused = Decimal::from(rented - cards) / Decimal::from(rented);
            idle = idle.checked_add(paid.times(unused)?)?;
        }
        let (term, runs) = ((Seconds::new(on_term), of_terms), shared.runs[at].clone());
        jobs[member.job] = Some(JobRent { hourly, term, mode, runs });
    }
    if bought > 0 {
        let unused = Decimal::from(bought.saturating_sub(all)) / Decimal::from(bought);
        idle = idle.checked_add(terms.times(unused)?)?;
    }
    Ok((total, idle))
}

/// Divides what a pool's machines are used and pay for by the hour among its members.
fn parts(
    problem: &Problem<'_>,
    pool: &Pool,
    shared: &Shared,
    nothing: Money,
) -> Result<Vec<Part>, PlanError> {
    let none = Part { hourly: Hourly::nothing(nothing), on_term: 0, machines: 0, cards: 0 };
    let mut parts = vec![none; shared.members.len()];
    for (one, covered) in shared.uses.iter().zip(&shared.bill.covered) {
        let on_term = (*covered).min(one.units);
        let out = one.units - on_term;
        let length = one.stretch.length();
        let mut hourly = Hourly::nothing(nothing);
        if let (Some(rate), true) = (&pool.on_demand, out > 0) {
            add_start(&mut hourly, rate, one.stretch, out)?;
        }
        match &one.owners {
            Owners::One(member) => {
                let part = &mut parts[*member];
                part.hourly.add(&hourly)?;
                part.on_term += length * u64::from(on_term);
                part.machines += length * u64::from(one.units);
                let member = shared.members[*member];
                let (cards, rented) = problem.cards(problem.way(member), member.job);
                let whole = u64::from(one.units) * u64::from(pool.count);
                // Some of its machines are shared: here it has the whole ones.
                part.cards += length * if whole < rented { whole } else { cards };
            }
            Owners::Several(owners) => {
                let sum: u64 = owners.iter().map(|(_, seconds)| *seconds).sum();
                let share = |of: u64, mine: u64| {
                    let part = u128::from(of) * u128::from(mine) / u128::from(sum.max(1));
                    u64::try_from(part).unwrap_or(of)
                };
                let mut left = (hourly, length);
                for (at, (member, mine)) in owners.iter().enumerate() {
                    let last = at + 1 == owners.len();
                    let seconds = if last { left.1 } else { share(length, *mine) };
                    let part = if last { left.0 } else { hourly.part(*mine, sum)? };
                    left = (left.0.less(&part)?, left.1 - seconds);
                    let to = &mut parts[*member];
                    to.hourly.add(&Hourly { starts: u32::from(out > 0), ..part })?;
                    to.on_term += seconds * u64::from(on_term);
                    to.machines += seconds;
                    to.cards += mine;
                }
            }
        }
    }
    Ok(parts)
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
