//! The ways of a job: a need on a pool, paid by the hour, by terms, or on spot.

use super::{
    needs::{Need, Obstacle, Sizing, needs},
    pools::{IMPOSSIBLE, Micros, Pool, Rate, Supply},
    reclaim::spot_figures,
};
use crate::{
    PlanError,
    calendar::{Load, place},
    demand::{Demand, Span, demand, is_service, lengths, room},
    outcome::SpotFigures,
    plan::Measured,
    workload::{Job, Workload},
};
use kasuan_model::{BillingMode, Seconds};
use std::{collections::BTreeMap, rc::Rc};

/// Ways that are kept for each job, cheapest floor first; the others cannot or hardly win.
const KEPT: usize = 24;

/// How a way is paid for.
#[derive(Clone, Debug)]
pub(crate) enum Paid {
    /// On demand or by terms, whatever the mix finds best.
    Pooled,
    /// On demand and nothing else, as the user insists.
    OnDemand,
    /// On spot.
    Spot(SpotFigures),
    /// Beside a service, on the card that the service pays for.
    Beside(Rc<crate::colocate::Beside>),
    /// On one term of the pool from the start of the span on, used or not.
    Term(usize),
}

/// A feasible way to run a job.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// The pool, as an index.
    pub(crate) pool: usize,
    /// The need, as an index into the job's needs.
    pub(crate) need: usize,
    /// Instances that are rented at once.
    pub(crate) instances: u32,
    /// Time that one run is billed for before rounding; spot rework included.
    pub(crate) run: Seconds,
    /// How it is paid for.
    pub(crate) paid: Paid,
    /// What the month costs by the hour, without any term.
    pub(crate) alone: Micros,
    /// What the month cannot cost less than.
    pub(crate) floor: Micros,
}

/// A job with everything that can be done with it.
#[derive(Clone, Debug)]
pub(crate) struct JobWays {
    /// When it runs.
    pub(crate) demand: Demand,
    /// What it needs on each kind of card; shared by jobs of one shape.
    pub(crate) needs: Rc<Vec<(usize, Need)>>,
    /// Feasible ways, cheapest alone first.
    pub(crate) ways: Vec<Way>,
    /// The cheapest way on spot, also where it does not win.
    pub(crate) spot: Option<Way>,
    /// Why nothing is left, when nothing is: the kinds of card with their obstacle.
    pub(crate) obstacles: Rc<Vec<(usize, Obstacle)>>,
}

/// What an earlier solution sized already.
#[derive(Clone, Copy)]
pub(crate) struct Cache<'a> {
    /// Its jobs.
    pub(crate) jobs: &'a [Job],
    /// What was found for each.
    pub(crate) ways: &'a [JobWays],
}

/// A job that was sized, with what it measured and found.
type Known<'a> = (&'a Job, Option<&'a Measured>, Sized);

/// What jobs of one shape share.
type Sized = (Rc<Vec<(usize, Need)>>, Rc<Vec<(usize, Obstacle)>>);

/// Returns the ways of all jobs; jobs of one shape are sized once.
pub(crate) fn all_ways(
    span: Span,
    workload: &Workload,
    supply: &Supply,
    measured: &[Measured],
    cache: Option<Cache<'_>>,
) -> Result<Vec<JobWays>, PlanError> {
    let measured: BTreeMap<&str, &Measured> =
        measured.iter().map(|one| (one.job.as_str(), one)).collect();
    let seen = |job: &Job| measured.get(job.name.as_str()).copied();
    let mut known: Vec<Known<'_>> = Vec::new();
    for (job, ways) in cache.iter().flat_map(|cache| cache.jobs.iter().zip(cache.ways)) {
        let alike =
            known.iter().any(|(other, with, _)| *with == seen(job) && same_shape(job, other));
        if !alike {
            known.push((job, seen(job), (ways.needs.clone(), ways.obstacles.clone())));
        }
    }
    let mut all: Vec<JobWays> = Vec::with_capacity(workload.jobs.len());
    // The last job of each shape, whose ways the next one takes over when it also runs alike.
    let mut last: BTreeMap<usize, usize> = BTreeMap::new();
    for job in &workload.jobs {
        let same = |(other, with, _): &Known<'_>| *with == seen(job) && same_shape(job, other);
        let shape = match known.iter().position(same) {
            Some(shape) => shape,
            None => {
                let sized = sized(span, job, workload, supply, seen(job));
                known.push((job, seen(job), sized));
                known.len() - 1
            }
        };
        let before = last.insert(shape, all.len());
        if let Some(before) = before
            && runs_alike(job, &workload.jobs[before])
        {
            let ways = all[before].clone();
            all.push(ways);
            continue;
        }
        let demand = demand(span, job)?;
        let (needs, obstacles) = known[shape].2.clone();
        let mut ways = ways_of(span, job, workload, supply, &demand, &needs);
        let on_spot = ways.iter().filter(|way| matches!(way.paid, Paid::Spot(_)));
        let spot = on_spot.min_by_key(|way| way.alone).cloned();
        keep_best(&mut ways, supply);
        all.push(JobWays { demand, needs, ways, spot, obstacles });
    }
    chain(span, workload, &mut all);
    Ok(all)
}

/// Sizes a job on every kind of card: with 16-bit weights, and with fewer bits only where nothing
/// else fits and the user insists on nothing.
fn sized(
    span: Span,
    job: &Job,
    workload: &Workload,
    supply: &Supply,
    measured: Option<&Measured>,
) -> Sized {
    let mut most_cards = vec![0_u32; supply.kinds.len()];
    for pool in &supply.pools {
        most_cards[pool.kind] = most_cards[pool.kind].max(pool.count);
    }
    let mut sizing = Sizing {
        job,
        policy: &workload.policy,
        measured,
        kinds: &supply.kinds,
        cards: &supply.cards,
        service: is_service(job),
        quantised: false,
    };
    let mut sized = on_all_kinds(span, &sizing, &most_cards);
    if sized.0.is_empty() && job.weights.is_none() && job.model.is_some() {
        sizing.quantised = true;
        let again = on_all_kinds(span, &sizing, &most_cards);
        if !again.0.is_empty() {
            sized = again;
        }
    }
    (Rc::new(sized.0), Rc::new(sized.1))
}

/// What a job needs and what stands in its way, by kind of card.
type ByKind = (Vec<(usize, Need)>, Vec<(usize, Obstacle)>);

fn on_all_kinds(span: Span, sizing: &Sizing<'_>, most_cards: &[u32]) -> ByKind {
    let mut found = Vec::new();
    let mut obstacles = Vec::new();
    for (kind, card) in sizing.kinds.iter().enumerate() {
        if most_cards[kind] == 0 {
            continue;
        }
        match needs(sizing, card, most_cards[kind]) {
            Ok(needs) => {
                for need in needs {
                    if need.time.likely.get() <= span.seconds() {
                        found.push((kind, need));
                    } else {
                        obstacles.push((kind, Obstacle::TooLong { time: need.time.likely }));
                    }
                }
            }
            Err(obstacle) => obstacles.push((kind, obstacle)),
        }
    }
    (found, obstacles)
}

/// Moves the runs of jobs that wait for others to after those have surely ended.
fn chain(span: Span, workload: &Workload, all: &mut [JobWays]) {
    let index: BTreeMap<&str, usize> =
        workload.jobs.iter().enumerate().map(|(at, job)| (job.name.as_str(), at)).collect();
    let waiting: Vec<(usize, usize)> = workload
        .jobs
        .iter()
        .enumerate()
        .filter_map(|(at, job)| Some((at, *index.get(job.window.after.as_ref()?.as_str())?)))
        .collect();
    // Chains are as long as there are jobs in them; each round settles one more link.
    for _ in 0..waiting.len() {
        let mut changed = false;
        for &(job, before) in &waiting {
            let longest = all[before].ways.iter().map(|way| way.run.get()).max().unwrap_or(0);
            let Demand::Runs(starts) = &all[before].demand else { continue };
            let ends: Vec<u64> = starts
                .iter()
                .map(|start| {
                    let rooms = room(span, &workload.jobs[before].window, *start, longest);
                    rooms.last().map_or(*start + longest, |open| open.end)
                })
                .collect();
            let Demand::Runs(starts) = &mut all[job].demand else { continue };
            for (run, start) in starts.iter_mut().enumerate() {
                let end = ends.get(run).or(ends.last()).copied().unwrap_or(0);
                if *start < end {
                    *start = end;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
}

/// Says whether two jobs of one shape run at the same times and may be paid alike.
fn runs_alike(a: &Job, b: &Job) -> bool {
    a.window == b.window
        && a.runs == b.runs
        && a.modes == b.modes
        && a.interruptible == b.interruptible
}

/// Says whether two jobs need the same on every card.
fn same_shape(a: &Job, b: &Job) -> bool {
    a.task == b.task
        && a.memory == b.memory
        && a.cards == b.cards
        && a.replicas == b.replicas
        && a.amount == b.amount
        && a.only_cards == b.only_cards
        && a.load == b.load
        && a.fill_card == b.fill_card
        && a.latency == b.latency
        && a.weights == b.weights
        && a.sharding == b.sharding
        && a.inference == b.inference
        && a.training == b.training
        && a.model == b.model
}

fn ways_of(
    span: Span,
    job: &Job,
    workload: &Workload,
    supply: &Supply,
    demand: &Demand,
    needs: &[(usize, Need)],
) -> Vec<Way> {
    let offered = Offered { span, job, workload, demand };
    let mut windows = Windows::new(span, job, demand);
    // By what each could cost at the very least, so that most are never costed exactly.
    let mut order: Vec<(i128, usize, usize, u32)> = Vec::new();
    for (index, (kind, need)) in needs.iter().enumerate() {
        if !windows.hold(need.time.likely.get()) {
            continue;
        }
        let seconds = total_seconds(demand, need.time.likely);
        for &pool in supply.by_kind.get(*kind).into_iter().flatten() {
            if let Some(instances) = instances(need, &supply.pools[pool]) {
                let least = i128::from(supply.pools[pool].least());
                let machines = offered.machines(need, &supply.pools[pool], instances);
                let floor = machines.of(least * i128::from(seconds) / 3600);
                order.push((floor, pool, index, instances));
            }
        }
    }
    order.sort_unstable();
    let mut ways = Vec::new();
    let mut best = i128::from(IMPOSSIBLE);
    for (floor, pool, index, instances) in order {
        if floor > best || (floor == best && ways.len() >= KEPT) {
            break;
        }
        let before = ways.len();
        let place = (pool, index, instances);
        offered.add(&supply.pools[pool], place, &needs[index].1, &mut ways);
        // What has a limited stock may be gone: it makes no other way needless.
        if supply.pools[pool].is_limited() {
            continue;
        }
        for way in &ways[before..] {
            best = best.min(i128::from(way.alone));
        }
    }
    ways.retain(|way| windows.hold(way.run.get()));
    ways
}

/// Returns the seconds that an instance runs in all.
pub(crate) fn total_seconds(demand: &Demand, run: Seconds) -> u64 {
    let each = lengths(demand, run).into_iter();
    each.map(|(length, count)| length.get().saturating_mul(count)).fold(0, u64::saturating_add)
}

/// Which lengths of a run its windows hold.
pub(crate) struct Windows<'a> {
    span: Span,
    job: &'a Job,
    demand: &'a Demand,
    known: BTreeMap<u64, bool>,
}

impl<'a> Windows<'a> {
    /// Looks at the windows of a job.
    pub(crate) const fn new(span: Span, job: &'a Job, demand: &'a Demand) -> Self {
        Self { span, job, demand, known: BTreeMap::new() }
    }

    /// Says whether runs of this length fit.
    pub(crate) fn hold(&mut self, length: u64) -> bool {
        let window = &self.job.window;
        if window.daily.is_none() && window.deadline.is_none() {
            return length <= self.span.seconds();
        }
        let (span, job, demand) = (self.span, self.job, self.demand);
        *self
            .known
            .entry(length)
            .or_insert_with(|| place(span, job, demand, length, 1, &mut Load::new(span)).is_some())
    }
}

/// Returns the instances that a need takes of a pool; `None` when it does not fit its machines.
pub(crate) fn instances(need: &Need, pool: &Pool) -> Option<u32> {
    if need.cards <= pool.count {
        let replicas_each = pool.count / need.cards.max(1);
        return Some(need.replicas.div_ceil(replicas_each.max(1)));
    }
    // Over several machines only in whole machines of eight cards and more: smaller ones have no
    // network between them that training could use.
    let whole = need.cards.is_multiple_of(pool.count) && pool.count >= 8;
    whole.then(|| (need.cards / pool.count).saturating_mul(need.replicas))
}

/// A job with what its ways are costed by.
struct Offered<'a> {
    span: Span,
    job: &'a Job,
    workload: &'a Workload,
    demand: &'a Demand,
}

/// How many machines a job takes at the least: whole instances, or a part where it may share them.
struct Machines {
    cards: u32,
    of: u32,
}

impl Machines {
    /// Returns the least for them, from that for one.
    fn of(&self, one: i128) -> i128 {
        one * i128::from(self.cards) / i128::from(self.of.max(1))
    }

    const fn is_part(&self) -> bool {
        !self.cards.is_multiple_of(self.of)
    }
}

impl Offered<'_> {
    fn machines(&self, need: &Need, pool: &Pool, instances: u32) -> Machines {
        let rented = instances.saturating_mul(pool.count);
        let used = need.cards.saturating_mul(need.replicas).min(rented);
        if self.workload.policy.share_machines && used < rented {
            return Machines { cards: used, of: pool.count };
        }
        Machines { cards: instances, of: 1 }
    }

    fn allows(&self, mode: BillingMode) -> bool {
        self.job.modes.is_empty() || self.job.modes.contains(&mode)
    }

    /// Sums what so many instances cost over all starts.
    fn total(&self, instances: u32, run: Seconds, cost: impl Fn(Seconds) -> Micros) -> Micros {
        let mut sum: i128 = 0;
        for (length, count) in lengths(self.demand, run) {
            sum += i128::from(cost(length)) * i128::from(count);
        }
        let all = sum.saturating_mul(i128::from(instances));
        i64::try_from(all).unwrap_or(IMPOSSIBLE).min(IMPOSSIBLE)
    }

    /// Sums what so many instances cost where they are put, at a price that falls by night; `None`
    /// when a run does not fit its window.
    fn by_night(&self, rate: &Rate, instances: u32, run: Seconds) -> Option<Micros> {
        let mut load = Load::new(self.span).by_night(rate.night());
        let runs = place(self.span, self.job, self.demand, run.get(), instances, &mut load)?;
        let mut sum = 0_i128;
        for parts in &runs {
            // One start each, in parts or not.
            let start = parts.first()?.start;
            let length = parts.iter().map(|part| part.length()).sum();
            sum += i128::from(rate.micros_from(start, Seconds::new(length)));
        }
        let all = sum.saturating_mul(i128::from(instances));
        Some(i64::try_from(all).unwrap_or(IMPOSSIBLE).min(IMPOSSIBLE))
    }

    /// Adds the ways of a need in a pool.
    fn add(
        &self,
        pool: &Pool,
        (index, need_index, instances): (usize, usize, u32),
        need: &Need,
        ways: &mut Vec<Way>,
    ) {
        let run = need.time.likely;
        let way = |run: Seconds, paid: Paid, alone: Micros, floor: Micros| Way {
            pool: index,
            need: need_index,
            instances,
            run,
            paid,
            alone,
            floor,
        };
        let on_demand = pool.on_demand.as_ref().filter(|_| self.allows(BillingMode::OnDemand));
        let alone = on_demand
            .map_or(IMPOSSIBLE, |rate| self.total(instances, run, |length| rate.micros(length)));
        let machines = self.machines(need, pool, instances);
        // What others of the pool do matters by its terms, on a shared machine, and to its stock.
        let limited = pool.is_limited();
        let alike = pool.terms.is_empty() && on_demand.is_some() && (machines.is_part() || limited);
        if alike || pool.terms.iter().any(|term| self.allows(term.mode)) {
            let least = i128::from(pool.floor());
            let per_start = |length: Seconds| {
                i64::try_from(least * i128::from(length.get()) / 3600).unwrap_or(IMPOSSIBLE)
            };
            let one = i128::from(self.total(1, run, per_start));
            let floor = i64::try_from(machines.of(one)).unwrap_or(IMPOSSIBLE).min(alone);
            ways.push(way(run, Paid::Pooled, alone, floor));
        } else if alone < IMPOSSIBLE {
            let rate = on_demand.filter(|rate| rate.night().is_some());
            let exact = rate.and_then(|rate| self.by_night(rate, instances, run));
            let alone = exact.unwrap_or(alone);
            ways.push(way(run, Paid::OnDemand, alone, alone));
        }
        let Some(checkpoints) = &self.job.interruptible else { return };
        let Some(rate) = pool.spot.as_ref().filter(|_| self.allows(BillingMode::Spot)) else {
            return;
        };
        let reclaim = self.workload.policy.spot_mtbf;
        let figures = spot_figures(run, checkpoints, reclaim, rate, pool.on_demand.as_ref());
        let Some(figures) = figures else { return };
        let cost =
            |length: Seconds| rate.micros(if length == run { figures.expected } else { length });
        let alone = self.total(instances, run, cost);
        ways.push(way(figures.expected, Paid::Spot(figures), alone, alone));
    }
}

/// Keeps the cheapest way alone and those whose floor lies under it.
fn keep_best(ways: &mut Vec<Way>, supply: &Supply) {
    let unlimited = |way: &&Way| !supply.pools[way.pool].is_limited();
    let best = ways.iter().filter(unlimited).map(|way| way.alone).min().unwrap_or(IMPOSSIBLE);
    ways.retain(|way| way.floor < best || way.alone == best);
    ways.sort_by_key(|way| (way.floor, way.alone, way.pool));
    // The cheapest alone stays whatever its floor.
    let cheapest = ways.iter().position(|way| way.alone == best).unwrap_or(0);
    if cheapest >= KEPT {
        ways.swap(cheapest, KEPT - 1);
    }
    ways.truncate(KEPT);
    ways.sort_by_key(|way| (way.alone, way.floor, way.pool));
}
