//! The exact optimum for a known demand: which terms to buy at which hour.
//!
//! Minimise what the purchases and the on-demand hours cost, such that the cards that are held
//! and those that run on demand are never fewer than the demand. Each purchase covers an interval
//! of hours; subtracting each hour's row from the next turns the problem into a flow on the hours
//! (rows with consecutive ones; Ahuja, Magnanti, Orlin, Network Flows, 1993, section 9.6), whose
//! optimum is integral.

use super::flow::{Infeasible, Network, UNLIMITED};
use kasuan_model::{Currency, Money, MoneyError, Phrase, Phrased};
use rust_decimal::{Decimal, prelude::ToPrimitive as _};

/// Whole units of the solver in one unit of money: prices are exact to nine decimals.
const NANOS: i64 = 1_000_000_000;

/// The most that one purchase or one hour may cost, so that no path cost overflows.
const LARGEST_PRICE: i64 = 1_000_000_000 * NANOS / 1000;

/// The longest horizon, ten years of hours.
const LONGEST: usize = 87_660;

/// What is asked: a demand and the ways to meet it, all prices in one currency.
#[derive(Clone, Debug)]
pub struct Problem<'a> {
    /// The currency of every price.
    pub currency: Currency,
    /// Cards wanted in each hour.
    pub demand: &'a [u32],
    /// Interchangeable on-demand offers; at least one.
    pub on_demand: &'a [OnDemand],
    /// Terms that can be bought; interchangeable offers are simply further terms.
    pub tenors: &'a [Tenor],
    /// Commitments that are already paid.
    pub held: &'a [Held],
    /// How a term that reaches past the last hour is charged.
    pub horizon: Horizon,
}

/// A way to rent a card by the hour.
#[derive(Clone, Debug)]
pub struct OnDemand {
    /// Price of one card for each hour of the horizon; a single price holds for every hour.
    pub hourly: Vec<Decimal>,
    /// Cards that can be had at once; `None` is no known limit.
    pub stock: Option<u32>,
}

impl OnDemand {
    /// Creates an offer with one price at any hour and no known limit.
    pub fn flat(hourly: Decimal) -> Self {
        Self { hourly: vec![hourly], stock: None }
    }

    fn price_at(&self, hour: usize) -> Option<Decimal> {
        match self.hourly.as_slice() {
            [one] => Some(*one),
            many => many.get(hour).copied(),
        }
    }
}

/// A term that a card can be committed for.
#[derive(Clone, Debug)]
pub struct Tenor {
    /// Hours that one purchase covers.
    pub hours: u32,
    /// Price of one card for the whole term.
    pub price: Decimal,
    /// Cards that can be held at once; `None` is no known limit.
    pub stock: Option<u32>,
    /// Hours at which it can start.
    pub starts: Starts,
}

/// Hours at which a term can start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Starts {
    /// At any hour.
    Any,
    /// Every so many hours, from an hour on.
    Every {
        /// The first start.
        first: u32,
        /// Hours from one start to the next; at least one.
        step: u32,
    },
    /// At these hours.
    At(Vec<u32>),
}

/// A commitment that is already paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Cards.
    pub count: u32,
    /// Hours that are left, from the first hour of the demand.
    pub hours: u32,
}

/// How a term that reaches past the last hour is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Horizon {
    /// In full: what is left of it is worth nothing.
    Full,
    /// By the hours that lie within: what is left will be used as well as what is not.
    ProRata,
}

/// Cards committed at an hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Purchase {
    /// Index of the term.
    pub tenor: usize,
    /// Hour at which it starts.
    pub start: u32,
    /// Cards.
    pub count: u32,
}

/// The optimum.
#[derive(Clone, Debug)]
pub struct Solution {
    /// What to buy, by start and then by term.
    pub purchases: Vec<Purchase>,
    /// Cards committed in each hour, those already held included.
    pub committed: Vec<u32>,
    /// Cards on demand in each hour, over all offers.
    pub on_demand: Vec<u32>,
    /// Cards that no stock could serve in each hour; empty when all is served.
    pub unserved: Vec<u32>,
    /// What the purchases cost.
    pub commitment_cost: Money,
    /// What the on-demand hours cost.
    pub on_demand_cost: Money,
    /// Both together; what is held already is paid and not counted.
    pub cost: Money,
    /// Nothing can be cheaper. Equal to `cost`, unless the stock of a term shorter than the horizon
    /// bound across overlapping starts.
    pub lower_bound: Money,
}

/// Why there is no optimum.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommitmentError {
    /// There is no on-demand offer.
    #[error("no on-demand offer was given")]
    NoOnDemand,
    /// A price profile is shorter than the demand.
    #[error("the hourly price profile has {given} hours and the demand {wanted}")]
    ShortProfile {
        /// Hours of the profile.
        given: usize,
        /// Hours of the demand.
        wanted: usize,
    },
    /// A price is negative or too large.
    #[error("`{price}` is not a price between nothing and a million")]
    Price {
        /// The price.
        price: Decimal,
    },
    /// A term or a step between its starts lasts no time.
    #[error("a term must last at least an hour")]
    EmptyTerm,
    /// The horizon is longer than ten years.
    #[error("{hours} hours are more than ten years")]
    TooLong {
        /// Hours of the demand.
        hours: usize,
    },
    /// The sum does not fit.
    #[error(transparent)]
    Money(#[from] MoneyError),
}

impl Phrased for CommitmentError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::NoOnDemand => Phrase::new("advise-error-no-on-demand"),
            Self::ShortProfile { given, wanted } => Phrase::new("advise-error-short-profile")
                .with("given", given)
                .with("wanted", wanted),
            Self::Price { price } => Phrase::new("advise-error-price").with("price", price),
            Self::EmptyTerm => Phrase::new("advise-error-empty-term"),
            Self::TooLong { hours } => Phrase::new("advise-error-too-long").with("hours", hours),
            Self::Money(_) => Phrase::new("advise-error-sum"),
        }
    }
}

/// Returns the cheapest way to meet a known demand.
pub fn optimise(problem: &Problem<'_>) -> Result<Solution, CommitmentError> {
    let hours = problem.demand.len();
    if hours > LONGEST {
        return Err(CommitmentError::TooLong { hours });
    }
    let model = Model::build(problem)?;
    let relaxed = model.solve(problem, None)?;
    let over = relaxed.over_stock(problem);
    if !over {
        return relaxed.into_solution(problem, None);
    }
    let caps = relaxed.fitted(problem);
    let bound = relaxed.total();
    model.solve(problem, Some(&caps))?.into_solution(problem, Some(bound))
}

/// Converts a price into whole units.
fn nanos(price: Decimal) -> Result<i64, CommitmentError> {
    let refused = CommitmentError::Price { price };
    if price.is_sign_negative() && !price.is_zero() {
        return Err(refused);
    }
    let scaled = price.checked_mul(Decimal::from(NANOS)).and_then(|scaled| scaled.round().to_i64());
    scaled.filter(|scaled| *scaled <= LARGEST_PRICE).ok_or(refused)
}

/// Converts whole units back into money.
fn money(nanos: i128, currency: Currency) -> Result<Money, CommitmentError> {
    let amount = Decimal::try_from_i128_with_scale(nanos, 9).map_err(|_| MoneyError::Overflow)?;
    Ok(Money::new(amount.normalize(), currency))
}

/// Prices in whole units, and every start that is allowed.
struct Model {
    /// Demand beside what is held.
    net: Vec<i64>,
    held: Vec<u32>,
    /// Price of each on-demand offer for each hour.
    on_demand: Vec<Vec<i64>>,
    /// Every purchase that can be made: term, start, end, price.
    intervals: Vec<Interval>,
    /// Price of an hour that no stock can serve; `None` when an offer has no limit.
    unserved: Option<i64>,
}

struct Interval {
    tenor: usize,
    start: usize,
    end: usize,
    price: i64,
}

impl Model {
    fn build(problem: &Problem<'_>) -> Result<Self, CommitmentError> {
        let hours = problem.demand.len();
        let mut held = vec![0_u32; hours];
        for commitment in problem.held {
            for hour in held.iter_mut().take(commitment.hours as usize) {
                *hour = hour.saturating_add(commitment.count);
            }
        }
        let net = problem
            .demand
            .iter()
            .zip(&held)
            .map(|(wanted, held)| i64::from(wanted.saturating_sub(*held)))
            .collect();
        if problem.on_demand.is_empty() {
            return Err(CommitmentError::NoOnDemand);
        }
        let mut on_demand = Vec::with_capacity(problem.on_demand.len());
        let mut dearest = 0_i64;
        for offer in problem.on_demand {
            let mut prices = Vec::with_capacity(hours);
            for hour in 0..hours {
                let price = offer.price_at(hour).ok_or(CommitmentError::ShortProfile {
                    given: offer.hourly.len(),
                    wanted: hours,
                })?;
                prices.push(nanos(price)?);
            }
            dearest = dearest.max(prices.iter().copied().max().unwrap_or(0));
            on_demand.push(prices);
        }
        let mut intervals = Vec::new();
        for (index, tenor) in problem.tenors.iter().enumerate() {
            let price = nanos(tenor.price)?;
            dearest = dearest.max(price);
            if tenor.hours == 0 {
                return Err(CommitmentError::EmptyTerm);
            }
            for start in starts(&tenor.starts, hours)? {
                let end = start.saturating_add(tenor.hours as usize).min(hours);
                let charged = match problem.horizon {
                    Horizon::Full => price,
                    Horizon::ProRata => {
                        let part = i128::from(price) * (end - start) as i128;
                        let whole = i128::from(tenor.hours);
                        ((part + whole / 2) / whole) as i64
                    }
                };
                intervals.push(Interval { tenor: index, start, end, price: charged });
            }
        }
        let limited = problem.on_demand.iter().all(|offer| offer.stock.is_some());
        let unserved = limited.then_some(dearest.saturating_mul(2).saturating_add(NANOS));
        Ok(Self { net, held, on_demand, intervals, unserved })
    }

    /// Solves the flow; `caps` limits the count of each interval.
    fn solve(
        &self,
        problem: &Problem<'_>,
        caps: Option<&[i64]>,
    ) -> Result<Flow<'_>, CommitmentError> {
        let hours = self.net.len();
        let mut supply = Vec::with_capacity(hours + 1);
        let mut before = 0;
        for wanted in &self.net {
            supply.push(wanted - before);
            before = *wanted;
        }
        supply.push(-before);
        let mut network = Network::new(supply);
        let mut hourly = Vec::with_capacity(self.on_demand.len());
        for (offer, prices) in problem.on_demand.iter().zip(&self.on_demand) {
            let stock = offer.stock.map_or(UNLIMITED, i64::from);
            let arcs: Vec<usize> = (0..hours)
                .map(|hour| network.add_arc(hour, hour + 1, stock, prices[hour]))
                .collect();
            hourly.push(arcs);
        }
        let unserved: Vec<usize> = match self.unserved {
            Some(price) => {
                (0..hours).map(|hour| network.add_arc(hour, hour + 1, UNLIMITED, price)).collect()
            }
            None => Vec::new(),
        };
        for hour in 0..hours {
            network.add_arc(hour + 1, hour, UNLIMITED, 0);
        }
        // Terms that run to the last hour whenever they start are held together to the end, so one
        // arc into the last node carries the stock exactly.
        let last: Vec<Option<usize>> = problem
            .tenors
            .iter()
            .map(|tenor| match tenor.stock {
                Some(stock) if tenor.hours as usize >= hours && hours > 0 => {
                    let node = network.add_node();
                    network.add_arc(node, hours, i64::from(stock), 0);
                    Some(node)
                }
                _ => None,
            })
            .collect();
        let mut bought = Vec::with_capacity(self.intervals.len());
        for (index, interval) in self.intervals.iter().enumerate() {
            let stock = problem.tenors[interval.tenor].stock.map_or(UNLIMITED, i64::from);
            let cap = caps.map_or(stock, |caps| caps[index].min(stock));
            let end = last[interval.tenor].unwrap_or(interval.end);
            bought.push(network.add_arc(interval.start, end, cap, interval.price));
        }
        // Without a limit on some way to serve an hour there is always a flow, and where every way
        // has a limit the hours that are not served take the rest.
        network.solve().map_err(|Infeasible| CommitmentError::NoOnDemand)?;
        Ok(Flow { model: self, network, hourly, unserved, bought })
    }
}

/// A solved flow, still in arcs.
struct Flow<'a> {
    model: &'a Model,
    network: Network,
    hourly: Vec<Vec<usize>>,
    unserved: Vec<usize>,
    bought: Vec<usize>,
}

impl Flow<'_> {
    fn cost_of(&self, arcs: &[usize]) -> i128 {
        arcs.iter()
            .map(|arc| i128::from(self.network.flow(*arc)) * i128::from(self.network.cost(*arc)))
            .sum()
    }

    /// Everything that is paid, hours that are not served left out.
    fn total(&self) -> i128 {
        self.cost_of(&self.bought) + self.hourly.iter().map(|arcs| self.cost_of(arcs)).sum::<i128>()
    }

    /// Says whether more cards of a term are held at once than there are.
    fn over_stock(&self, problem: &Problem<'_>) -> bool {
        self.fitted(problem)
            .iter()
            .zip(&self.bought)
            .any(|(cap, arc)| *cap < self.network.flow(*arc))
    }

    /// The count of each purchase once the latest of those that exceed the stock are left out;
    /// purchases that were not made stay out of a term whose stock bound.
    fn fitted(&self, problem: &Problem<'_>) -> Vec<i64> {
        let mut active: Vec<Vec<(usize, i64)>> = vec![Vec::new(); problem.tenors.len()];
        let mut caps = Vec::with_capacity(self.bought.len());
        for (interval, arc) in self.model.intervals.iter().zip(&self.bought) {
            let Some(stock) = problem.tenors[interval.tenor].stock else {
                caps.push(UNLIMITED);
                continue;
            };
            let held = &mut active[interval.tenor];
            held.retain(|(end, _)| *end > interval.start);
            let room = i64::from(stock) - held.iter().map(|(_, count)| count).sum::<i64>();
            let count = self.network.flow(*arc).min(room.max(0));
            if count > 0 {
                held.push((interval.end, count));
            }
            caps.push(count);
        }
        caps
    }

    fn into_solution(
        self,
        problem: &Problem<'_>,
        bound: Option<i128>,
    ) -> Result<Solution, CommitmentError> {
        let hours = self.model.net.len();
        let mut purchases = Vec::new();
        let mut steps = vec![0_i64; hours + 1];
        for (interval, arc) in self.model.intervals.iter().zip(&self.bought) {
            let count = self.network.flow(*arc);
            if count > 0 {
                steps[interval.start] += count;
                steps[interval.end] -= count;
                purchases.push(Purchase {
                    tenor: interval.tenor,
                    start: interval.start as u32,
                    count: to_count(count),
                });
            }
        }
        purchases.sort_by_key(|purchase| (purchase.start, purchase.tenor));
        let mut running = 0;
        let mut committed = Vec::with_capacity(hours);
        for (step, held) in steps.iter().zip(&self.model.held) {
            running += step;
            committed.push(to_count(running).saturating_add(*held));
        }
        let on_demand = (0..hours)
            .map(|hour| {
                to_count(self.hourly.iter().map(|arcs| self.network.flow(arcs[hour])).sum())
            })
            .collect();
        let mut unserved: Vec<u32> =
            self.unserved.iter().map(|arc| to_count(self.network.flow(*arc))).collect();
        if unserved.iter().all(|count| *count == 0) {
            unserved.clear();
        }
        let commitments = self.cost_of(&self.bought);
        let total = self.total();
        let currency = problem.currency;
        Ok(Solution {
            purchases,
            committed,
            on_demand,
            unserved,
            commitment_cost: money(commitments, currency)?,
            on_demand_cost: money(total - commitments, currency)?,
            cost: money(total, currency)?,
            lower_bound: money(bound.unwrap_or(total).min(total), currency)?,
        })
    }
}

/// Converts a flow, which is never negative nor more than the demand, into cards.
fn to_count(flow: i64) -> u32 {
    u32::try_from(flow.max(0)).unwrap_or(u32::MAX)
}

fn starts(starts: &Starts, hours: usize) -> Result<Vec<usize>, CommitmentError> {
    match starts {
        Starts::Any => Ok((0..hours).collect()),
        Starts::Every { step: 0, .. } => Err(CommitmentError::EmptyTerm),
        Starts::Every { first, step } => {
            Ok((*first as usize..hours).step_by(*step as usize).collect())
        }
        Starts::At(list) => {
            let mut sorted: Vec<usize> =
                list.iter().map(|start| *start as usize).filter(|start| *start < hours).collect();
            sorted.sort_unstable();
            sorted.dedup();
            Ok(sorted)
        }
    }
}
