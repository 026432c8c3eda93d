//! The cheapest way to buy a pool's month: which terms, and which runs go on demand.
//!
//! A purchase covers an interval of time and so does a run; what is bought has to cover, at every
//! moment, the runs that are not on demand. Such rows have consecutive ones, so the optimum is a
//! minimum-cost flow on the moments: each purchase an arc over its term, each run an arc over its
//! time at its own exact on-demand bill, and free arcs backwards for what stands idle. Runs are
//! whole: one is never half on a term and half on demand. The node prices of the flow say what a
//! further hour costs at any moment, and give a lower bound.

use crate::{
    candidates::{IMPOSSIBLE, Micros, Pool, TermRate},
    commitment::flow::{Network, UNLIMITED},
    demand::{DAY, Stretch},
};
use std::collections::BTreeMap;

/// More different times of day than this are put on whole hours, where short terms may start.
const TIMES_OF_DAY: usize = 24;

/// Rounds in which runs beyond the stock are put on terms.
const STOCK_ROUNDS: usize = 8;

/// A stretch of use that is billed as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// When it runs.
    pub(crate) stretch: Stretch,
    /// Instances at once.
    pub(crate) units: u32,
    /// What one instance costs on demand.
    pub(crate) alone: Micros,
    /// Whether terms may be bought for it; where not it still uses what is bought for others.
    pub(crate) firm: bool,
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
    /// Everything that is paid, in millionths; [`IMPOSSIBLE`] and more where no stock holds it.
    pub(crate) cost: i128,
    /// Terms to buy.
    pub(crate) bought: Vec<Bought>,
    /// Units of each item that run on a term; the rest is on demand.
    pub(crate) covered: Vec<u32>,
    /// What a further hour costs; `None` where no term may be bought.
    pub(crate) prices: Option<Prices>,
    /// What of the cost is for terms.
    terms: i128,
}

/// Returns the cheapest way to buy the use of a pool in a span of so many seconds.
///
/// A limited stock on demand is kept by putting the runs that come too late for it on terms; the
/// answer then is a way that keeps the stock, not surely the cheapest.
pub(crate) fn buy(pool: &Pool, items: &[Item], held: &[HeldUnits], span: u64) -> Bill {
    let mut bill = buy_unlimited(pool, items, held, span);
    let Some(stock) = pool.on_demand.as_ref().and_then(|rate| rate.stock) else { return bill };
    let mut items = items.to_vec();
    for _ in 0..STOCK_ROUNDS {
        let over = beyond(&items, &bill.covered, stock);
        if over.is_empty() {
            return bill;
        }
        for at in over {
            items[at].alone = IMPOSSIBLE;
        }
        bill = buy_unlimited(pool, &items, held, span);
    }
    if !beyond(&items, &bill.covered, stock).is_empty() {
        bill.cost += i128::from(IMPOSSIBLE);
    }
    bill
}

/// Returns the items on demand that find no instance left, first come first served; those that
/// are known not to are left out.
fn beyond(items: &[Item], covered: &[u32], stock: u32) -> Vec<usize> {
    let out = |at: usize| u64::from(items[at].units.saturating_sub(covered[at]));
    let mut order: Vec<usize> =
        (0..items.len()).filter(|at| out(*at) > 0 && items[*at].alone < IMPOSSIBLE).collect();
    order.sort_by_key(|at| (items[*at].stretch.start, *at));
    let mut running: Vec<usize> = Vec::new();
    let mut over = Vec::new();
    for at in order {
        running.retain(|other| items[*other].stretch.end > items[at].stretch.start);
        let used: u64 = running.iter().map(|other| out(*other)).sum();
        if used + out(at) > u64::from(stock) {
            over.push(at);
        } else {
            running.push(at);
        }
    }
    over
}

/// Buys as if on demand there were always another instance. What is no firm use decides nothing
/// that binds for longer than a day: terms are bought for the firm, the others use their idle
/// hours, and days that are bought one by one.
pub(crate) fn buy_unlimited(pool: &Pool, items: &[Item], held: &[HeldUnits], span: u64) -> Bill {
    if items.is_empty() {
        return Bill { prices: Some(Prices::default()), ..Bill::default() };
    }
    let flow = Flow { pool, held, span };
    if items.iter().all(|item| item.firm) {
        return flow.buy(items, &BTreeMap::new(), None);
    }
    let firm: Vec<Item> = items.iter().filter(|item| item.firm).copied().collect();
    let none = BTreeMap::new();
    let terms = if firm.is_empty() { Bill::default() } else { flow.buy(&firm, &none, None) };
    let mut bill = flow.buy(items, &none, Some(&terms.bought));
    bill.cost += terms.terms;
    bill.bought.extend(terms.bought);
    Bill { prices: terms.prices, terms: terms.terms + bill.terms, ..bill }
}

/// What a flow is made for.
struct Flow<'a> {
    pool: &'a Pool,
    held: &'a [HeldUnits],
    span: u64,
}

/// An arc of a network that stands for a purchase: its term, where it starts and ends.
type Purchase = (usize, usize, usize, usize);

impl Flow<'_> {
    /// Buys the cheapest terms for these items; the terms in `rows` may only follow each other,
    /// from a first start on. With what is paid already no more than days are bought.
    fn buy(&self, items: &[Item], rows: &BTreeMap<usize, u64>, paid: Option<&[Bought]>) -> Bill {
        let times = moments(self.pool, items, self.held, paid, self.span);
        let (mut network, runs) = network(&times, items);
        self.add_held(&mut network, &times);
        for one in paid.into_iter().flatten() {
            let (start, end) = (node(&times, one.stretch.start), node(&times, one.stretch.end));
            if start < end {
                network.add_arc(start, end, i64::from(one.units), 0);
            }
        }
        let mut purchases: Vec<Purchase> = Vec::new();
        for (index, term) in self.pool.terms.iter().enumerate() {
            if paid.is_some() && term.term.get() > DAY {
                continue;
            }
            let most = term.stock.map_or(UNLIMITED, i64::from);
            let row = rows.get(&index).copied();
            for (start, end, price) in starts(&times, term, self.span, row) {
                purchases.push((index, start, end, network.add_arc(start, end, most, price)));
            }
        }
        let mut bill = solved(&mut network, &times, items, &runs);
        for (term, start, end, arc) in purchases {
            let units = network.flow(arc);
            if units > 0 {
                bill.terms += i128::from(units) * i128::from(network.cost(arc));
                let units = u32::try_from(units).unwrap_or(u32::MAX);
                let stretch = Stretch { start: times[start], end: times[end] };
                bill.bought.push(Bought { term, stretch, units });
            }
        }
        bill.cost += bill.terms;
        if rows.is_empty() {
            let over = self.over_stock(&bill.bought);
            if !over.is_empty() {
                return self.buy(items, &over, paid);
            }
        }
        bill.bought = joined(self.pool, bill.bought);
        let worth = (0..times.len()).map(|at| network.potential(at)).collect();
        bill.prices = Some(Prices { times, worth });
        bill
    }

    fn add_held(&self, network: &mut Network, times: &[u64]) {
        for held in self.held {
            let end = node(times, held.until.min(self.span));
            if end > 0 {
                network.add_arc(0, end, i64::from(held.units), 0);
            }
        }
    }

    /// Returns the terms of which more is bought at once than there is, with their first start: no
    /// flow can say that overlapping purchases share a stock, so they may follow each other only.
    fn over_stock(&self, bought: &[Bought]) -> BTreeMap<usize, u64> {
        let mut over = BTreeMap::new();
        for (index, term) in self.pool.terms.iter().enumerate() {
            let Some(stock) = term.stock else { continue };
            let mine = || bought.iter().filter(|one| one.term == index);
            let at_once = |moment: u64| -> u64 {
                let now = mine().filter(|one| {
                    one.stretch.start <= moment && moment < one.stretch.start + term.term.get()
                });
                now.map(|one| u64::from(one.units)).sum()
            };
            if mine().any(|one| at_once(one.stretch.start) > u64::from(stock))
                && let Some(first) = mine().map(|one| one.stretch.start).min()
            {
                over.insert(index, first);
            }
        }
        over
    }
}

/// The arcs of runs that are alike: from, to and price, with the arc.
type Runs = Vec<((usize, usize, Micros), usize)>;

/// Builds what every network has: the use, free arcs backwards, and each run on demand.
fn network(times: &[u64], items: &[Item]) -> (Network, Runs) {
    let mut groups: BTreeMap<(usize, usize, Micros), i64> = BTreeMap::new();
    let mut supply = vec![0_i64; times.len()];
    for item in items {
        let place = place(times, item);
        let (start, end, _) = place;
        if start >= end {
            continue;
        }
        *groups.entry(place).or_default() += i64::from(item.units);
        supply[start] += i64::from(item.units);
        supply[end] -= i64::from(item.units);
    }
    let mut network = Network::new(supply);
    for from in 1..times.len() {
        network.add_arc(from, from - 1, UNLIMITED, 0);
    }
    let arc = |(key, units): (&(usize, usize, Micros), &i64)| {
        (*key, network.add_arc(key.0, key.1, *units, key.2))
    };
    let runs = groups.iter().map(arc).collect();
    (network, runs)
}

/// Solves a network and reads the runs out of it.
fn solved(network: &mut Network, times: &[u64], items: &[Item], runs: &Runs) -> Bill {
    // Every run has its own arc, so there always is a flow.
    let solved = network.solve();
    debug_assert!(solved.is_ok(), "each run can run on demand");
    let mut on_demand: BTreeMap<(usize, usize, Micros), i64> = BTreeMap::new();
    let mut bill = Bill::default();
    for (key, arc) in runs {
        let units = network.flow(*arc);
        bill.cost += i128::from(units) * i128::from(key.2);
        on_demand.insert(*key, units);
    }
    // Of equal items the last go on demand.
    bill.covered = vec![0; items.len()];
    for (index, item) in items.iter().enumerate().rev() {
        let left = on_demand.get_mut(&place(times, item));
        let out = left.map_or(0, |left| {
            let out = (*left).min(i64::from(item.units));
            *left -= out;
            out
        });
        bill.covered[index] = item.units - u32::try_from(out).unwrap_or(0);
    }
    bill
}

fn node(times: &[u64], time: u64) -> usize {
    times.partition_point(|known| *known < time).min(times.len() - 1)
}

/// Returns the nodes that an item goes between, outwards: a run takes the whole of the steps it
/// touches.
fn place(times: &[u64], item: &Item) -> (usize, usize, Micros) {
    let end = node(times, item.stretch.end);
    let start = times.partition_point(|known| *known <= item.stretch.start).max(1) - 1;
    (start, end, item.alone)
}

/// Joins the days of packages that are given back: one that is kept for several days is bought once.
fn joined(pool: &Pool, bought: Vec<Bought>) -> Vec<Bought> {
    let given_back = |one: &Bought| pool.terms[one.term].is_given_back();
    let (mut days, mut all): (Vec<Bought>, Vec<Bought>) = bought.into_iter().partition(given_back);
    days.sort_unstable();
    let mut kept: Vec<Bought> = Vec::new();
    for day in days {
        let mut left = day.units;
        let mut split = Vec::new();
        for one in &mut kept {
            if left == 0 || one.term != day.term || one.stretch.end != day.stretch.start {
                continue;
            }
            let going_on = one.units.min(left);
            left -= going_on;
            if going_on < one.units {
                one.units -= going_on;
                let stretch = Stretch { start: one.stretch.start, end: day.stretch.end };
                split.push(Bought { stretch, units: going_on, ..*one });
            } else {
                one.stretch.end = day.stretch.end;
            }
        }
        if left > 0 {
            kept.push(Bought { units: left, ..day });
        }
        kept.extend(split);
    }
    all.extend(kept);
    all
}

/// Returns the moments that matter: where runs and what is paid start and end, and where short
/// terms can.
fn moments(
    pool: &Pool,
    items: &[Item],
    held: &[HeldUnits],
    paid: Option<&[Bought]>,
    span: u64,
) -> Vec<u64> {
    let mut times = vec![0, span];
    times.extend(held.iter().map(|held| held.until.min(span)));
    times.extend(paid.into_iter().flatten().flat_map(|one| [one.stretch.start, one.stretch.end]));
    let ends = items.iter().flat_map(|item| [item.stretch.start, item.stretch.end]);
    let longest = if paid.is_none() { span } else { (DAY + 1).min(span) };
    let short = pool.terms.iter().any(|term| term.term.get() < longest);
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
///
/// With a row only starts that follow each other from that moment on, so that none overlap.
fn starts(
    times: &[u64],
    term: &TermRate,
    span: u64,
    row: Option<u64>,
) -> Vec<(usize, usize, Micros)> {
    let last = times.len() - 1;
    let (length, price) = (term.term.get(), term.micros_within(span));
    if length >= span {
        return vec![(0, last, price)];
    }
    let in_row = |time: u64| {
        row.is_none_or(|first| time >= first && (time - first).is_multiple_of(length.max(1)))
    };
    let mut starts = Vec::new();
    for (start, time) in times.iter().enumerate().take(last) {
        if !in_row(*time) {
            continue;
        }
        let end = times.partition_point(|known| *known < time + length).min(last);
        starts.push((start, end, price));
        // Of the terms that outlast the span the first covers most.
        if end == last {
            break;
        }
    }
    starts
}
