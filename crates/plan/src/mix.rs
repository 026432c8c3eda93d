//! The cheapest way to buy a pool's month: which terms, and which runs go on demand.
//!
//! A purchase covers an interval of time and so does a run; what is bought has to cover, at every
//! moment, the runs that are not on demand. Such rows have consecutive ones, so the optimum is a
//! minimum-cost flow on the moments: each purchase an arc over its term, each run an arc over its
//! time at its own exact on-demand bill, and free arcs backwards for what stands idle. Runs are
//! whole: one is never half on a term and half on demand. The node prices of the flow say what a
//! further hour costs at any moment, and give a lower bound.

use crate::{
    candidates::{Micros, Pool},
    commitment::flow::{Network, UNLIMITED},
    demand::{DAY, Stretch},
};
use std::collections::BTreeMap;

/// More different times of day than this are put on whole hours, where short terms may start.
const TIMES_OF_DAY: usize = 24;

/// A stretch of use that is billed as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// When it runs.
    pub(crate) stretch: Stretch,
    /// Instances at once.
    pub(crate) units: u32,
    /// What one instance costs on demand.
    pub(crate) alone: Micros,
}

/// Instances that are paid already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeldUnits {
    /// Instances.
    pub(crate) units: u32,
    /// When they end, in seconds from the start of the span.
    pub(crate) until: u64,
}

/// Instances bought for a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bought {
    /// The term, as an index into the pool's terms.
    pub(crate) term: usize,
    /// When it starts and ends within the span.
    pub(crate) stretch: Stretch,
    /// Instances.
    pub(crate) units: u32,
}

/// What time is worth in a pool: a step function of the moment that never falls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prices {
    times: Vec<u64>,
    worth: Vec<Micros>,
}

impl Prices {
    /// Creates a step function from its moments, rising, and the worth at each.
    pub(crate) fn new(times: Vec<u64>, worth: Vec<Micros>) -> Self {
        Self { times, worth }
    }

    /// Returns what one more instance in this stretch costs at the margin.
    pub(crate) fn of(&self, stretch: Stretch) -> Micros {
        self.at(stretch.end) - self.at(stretch.start)
    }

    /// Between two moments the worth is that of the later one.
    fn at(&self, time: u64) -> Micros {
        let next = self.times.partition_point(|known| *known < time);
        self.worth.get(next).or(self.worth.last()).copied().unwrap_or(0)
    }
}

/// The cheapest way to buy what a pool's jobs use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bill {
    /// Everything that is paid, in millionths.
    pub(crate) cost: i128,
    /// Terms to buy.
    pub(crate) bought: Vec<Bought>,
    /// Units of each item that run on a term; the rest is on demand.
    pub(crate) covered: Vec<u32>,
    /// What a further hour costs.
    pub(crate) prices: Prices,
}

/// Returns the cheapest way to buy the use of a pool in a span of so many seconds.
pub(crate) fn buy(pool: &Pool, items: &[Item], held: &[HeldUnits], span: u64) -> Bill {
    if items.is_empty() {
        return Bill::default();
    }
    let times = moments(pool, items, held, span);
    let node = |time: u64| times.partition_point(|known| *known < time).min(times.len() - 1);
    let mut groups: BTreeMap<(usize, usize, Micros), i64> = BTreeMap::new();
    let place = |item: &Item| {
        // Outwards: a run takes the whole of the steps it touches.
        let end = node(item.stretch.end);
        let start = times.partition_point(|known| *known <= item.stretch.start).max(1) - 1;
        (start, end, item.alone)
    };
    let mut supply = vec![0_i64; times.len()];
    for item in items {
        let (start, end, _) = place(item);
        if start >= end {
            continue;
        }
        *groups.entry(place(item)).or_default() += i64::from(item.units);
        supply[start] += i64::from(item.units);
        supply[end] -= i64::from(item.units);
    }
    let mut network = Network::new(supply);
    for from in 1..times.len() {
        network.add_arc(from, from - 1, UNLIMITED, 0);
    }
    let runs: Vec<((usize, usize, Micros), usize)> = groups
        .iter()
        .map(|(key, units)| (*key, network.add_arc(key.0, key.1, *units, key.2)))
        .collect();
    let mut purchases = Vec::new();
    for (index, term) in pool.terms.iter().enumerate() {
        for (start, end, price) in starts(&times, term.term.get(), term.micros, span) {
            purchases.push((index, start, end, network.add_arc(start, end, UNLIMITED, price)));
        }
    }
    for held in held {
        let end = node(held.until.min(span));
        if end > 0 {
            network.add_arc(0, end, i64::from(held.units), 0);
        }
    }
    // Every run has its own arc, so there always is a flow.
    let solved = network.solve();
    debug_assert!(solved.is_ok(), "each run can run on demand");
    let mut on_demand: BTreeMap<(usize, usize, Micros), i64> = BTreeMap::new();
    let mut cost = 0_i128;
    for (key, arc) in &runs {
        let units = network.flow(*arc);
        cost += i128::from(units) * i128::from(key.2);
        on_demand.insert(*key, units);
    }
    let mut bought = Vec::new();
    for (term, start, end, arc) in purchases {
        let units = network.flow(arc);
        if units > 0 {
            cost += i128::from(units) * i128::from(network.cost(arc));
            let units = u32::try_from(units).unwrap_or(u32::MAX);
            let stretch = Stretch { start: times[start], end: times[end] };
            bought.push(Bought { term, stretch, units });
        }
    }
    // Of equal items the last go on demand.
    let mut covered = vec![0; items.len()];
    for (index, item) in items.iter().enumerate().rev() {
        let left = on_demand.get_mut(&place(item));
        let out = left.map_or(0, |left| {
            let out = (*left).min(i64::from(item.units));
            *left -= out;
            out
        });
        covered[index] = item.units - u32::try_from(out).unwrap_or(0);
    }
    let worth = (0..times.len()).map(|at| network.potential(at)).collect();
    Bill { cost, bought, covered, prices: Prices { times, worth } }
}

/// Returns the moments that matter: where runs start and end, and where short terms can.
fn moments(pool: &Pool, items: &[Item], held: &[HeldUnits], span: u64) -> Vec<u64> {
    let mut times = vec![0, span];
    times.extend(held.iter().map(|held| held.until.min(span)));
    let ends = items.iter().flat_map(|item| [item.stretch.start, item.stretch.end]);
    let short = pool.terms.iter().any(|term| term.term.get() < span);
    if !short {
        times.extend(ends);
    } else {
        // With a purchase that starts anywhere there is one as cheap that starts at a run's time of
        // day: terms are whole days, and a start can be moved later until it meets a run or the end
        // of another term.
        let mut of_day: Vec<u64> = ends.map(|time| time % DAY).collect();
        of_day.sort_unstable();
        of_day.dedup();
        if of_day.len() > TIMES_OF_DAY {
            of_day = (0..24).map(|hour| hour * 3600).collect();
        }
        for day in 0..=span / DAY {
            times.extend(of_day.iter().map(|time| day * DAY + time));
        }
    }
    times.retain(|time| *time <= span);
    times.sort_unstable();
    times.dedup();
    times
}

/// Returns where a term can start and end, as nodes, with its price: in full when it is bought
/// within the span, by the part that lies in the span when it is longer than the span.
fn starts(times: &[u64], term: u64, price: Micros, span: u64) -> Vec<(usize, usize, Micros)> {
    let last = times.len() - 1;
    if term >= span {
        let part = i128::from(price) * i128::from(span) / i128::from(term.max(1));
        return vec![(0, last, i64::try_from(part).unwrap_or(price))];
    }
    let mut starts = Vec::new();
    for (start, time) in times.iter().enumerate().take(last) {
        let end = times.partition_point(|known| *known < time + term).min(last);
        starts.push((start, end, price));
        // Of the terms that outlast the span the first covers most.
        if end == last {
            break;
        }
    }
    starts
}
