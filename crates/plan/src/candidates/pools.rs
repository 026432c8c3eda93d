//! The offers a plan may choose among, gathered into pools: the same cards at the same place, paid
//! for in different ways.

use super::{
    left_out::LeftOut,
    terms::{Refundable, TermRate},
};
use crate::{
    demand::DAY,
    workload::{Policy, Workload},
};
use jiff::civil::Date;
use kasuan_market::{Catalogue, Night, RunCost, Standards, Standing, Tariff, Terms};
use kasuan_model::{
    BillingMode, Bytes, Card, CardId, Currency, Estimate, Money, MoneyError, Offer, Seconds,
};
use rust_decimal::{Decimal, prelude::ToPrimitive as _};
use std::collections::{BTreeMap, BTreeSet};

/// Millionths of a unit of money, the whole numbers that the solver counts in.
pub(crate) type Micros = i64;

/// A cost that no plan accepts: stands for "cannot be bought this way".
pub(crate) const IMPOSSIBLE: Micros = 1_000_000_000_000_000;

/// Days after which a price is pointed out as old.
pub(crate) const STALE_DAYS: u32 = 180;

/// A price by the hour with the provider's way of billing.
#[derive(Clone, Debug)]
pub(crate) struct Rate {
    /// Index of the offer.
    pub(crate) offer: usize,
    /// Price of an instance-hour in the plan's currency.
    pub(crate) hourly: Money,
    /// How time becomes money, in the offer's currency.
    tariff: Tariff,
    /// Units of the plan's currency for one of the offer's.
    factor: Decimal,
    micros: Micros,
    /// Instances that can be had at once; `None` where nobody says.
    pub(crate) stock: Option<u32>,
}

impl Rate {
    /// Returns what one start of this length costs one instance, so many seconds after a midnight,
    /// with bounds where the provider does not say how it counts.
    pub(crate) fn run(&self, start: u64, time: Seconds) -> Result<RunCost, MoneyError> {
        let run = self.tariff.run_from(start % DAY, time)?;
        let to = |money: Money| -> Result<Money, MoneyError> {
            Ok(Money::new(money.times(self.factor)?.amount(), self.hourly.currency()))
        };
        let cost = Estimate::new(to(run.cost.low)?, to(run.cost.likely)?, to(run.cost.high)?);
        Ok(RunCost { billed: run.billed, cost })
    }

    /// Returns the lower price by night, where there is one.
    pub(crate) const fn night(&self) -> Option<Night> {
        self.tariff.night
    }

    /// Returns what one start of this length costs one instance by day, in millionths: never less
    /// than at another time of day.
    pub(crate) fn micros(&self, time: Seconds) -> Micros {
        let noon = Self { tariff: Tariff { night: None, ..self.tariff }, ..self.clone() };
        noon.micros_from(0, time)
    }

    /// Returns what one start of this length costs one instance, so many seconds after a midnight,
    /// in millionths.
    pub(crate) fn micros_from(&self, start: u64, time: Seconds) -> Micros {
        let cost = self.run(start, time).ok().and_then(|run| to_micros(run.cost.likely.amount()));
        cost.map_or(IMPOSSIBLE, |micros| micros.min(IMPOSSIBLE))
    }

    /// Returns the price of an hour, in millionths.
    pub(crate) const fn hourly_micros(&self) -> Micros {
        self.micros
    }

    /// Returns the least that an hour can cost, in millionths: the price by night where there is
    /// one.
    pub(crate) fn least_micros(&self) -> Micros {
        let night = self.tariff.night.and_then(|night| {
            let price = self.hourly.amount().checked_mul(Decimal::ONE - night.off())?;
            to_micros(price)
        });
        // Rounding must not lift a bound.
        night.map_or(self.micros, |night| night.saturating_sub(1).max(0))
    }

    fn covers(&self, other: &Self) -> bool {
        if self.stock.is_some() {
            return false;
        }
        // A price that falls by night is only covered by one that is lower by day as well as that
        // is by night, or that falls alike.
        if other.tariff.night != self.tariff.night && self.micros > other.least_micros() {
            return false;
        }
        let charge = |rate: &Self| rate.tariff.minimum_charge.unwrap_or_default() * rate.factor;
        self.micros <= other.micros
            && self.tariff.step.high <= other.tariff.step.high
            && self.tariff.step.likely <= other.tariff.step.likely
            && self.tariff.minimum <= other.tariff.minimum
            && charge(self) <= charge(other)
    }
}

/// Returns an amount in millionths, rounded; `None` when it is absurd.
pub(super) fn to_micros(amount: Decimal) -> Option<Micros> {
    amount.checked_mul(Decimal::from(1_000_000))?.round().to_i64()
}

/// A kind of card as rented: whole, or one of several equal slices.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    /// The card; for a slice, with the slice's part of memory and rates.
    pub(crate) card: Card,
    /// Into how many parts the card is cut.
    pub(crate) slices: u32,
    /// Memory that a job must fit into.
    pub(crate) memory: Bytes,
}

/// Instances of one size with the same cards at the same place.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    /// The provider.
    pub(crate) provider: String,
    /// The kind of card, as an index.
    pub(crate) kind: usize,
    /// Cards of an instance.
    pub(crate) count: u32,
    /// The on-demand price.
    pub(crate) on_demand: Option<Rate>,
    /// The spot price.
    pub(crate) spot: Option<Rate>,
    /// Terms, cheapest for each length.
    pub(crate) terms: Vec<TermRate>,
    /// Whether instances of it are held already, so that time in it may be free.
    pub(crate) held: bool,
}

impl Pool {
    /// Creates a pool without prices.
    fn new(offer: &Offer, kind: usize) -> Self {
        Self {
            provider: offer.provider.clone(),
            kind,
            count: offer.count,
            on_demand: None,
            spot: None,
            terms: Vec::new(),
            held: false,
        }
    }

    /// Returns the least that an hour of an instance can cost, in millionths: on demand, or a term
    /// that is used in every hour.
    pub(crate) fn floor(&self) -> Micros {
        if self.held {
            return 0;
        }
        let terms = self.terms.iter().map(|term| {
            let hours = i64::try_from(term.term.get() / 3600).unwrap_or(1).max(1);
            term.micros / hours
        });
        let on_demand = self.on_demand.iter().map(Rate::least_micros);
        terms.chain(on_demand).min().unwrap_or(i64::MAX / 8)
    }

    /// Returns the least that an hour can cost in any mode, spot included.
    pub(crate) fn least(&self) -> Micros {
        let spot = self.spot.as_ref().map_or(IMPOSSIBLE, Rate::hourly_micros);
        self.floor().min(spot)
    }

    /// Says whether there is only so much of it.
    pub(crate) fn is_limited(&self) -> bool {
        self.on_demand.as_ref().is_some_and(|rate| rate.stock.is_some())
            || self.terms.iter().any(|term| term.stock.is_some())
    }

    /// Says whether this pool is at least as good as another of the same size in every price.
    fn covers(&self, other: &Self) -> bool {
        let rate = |mine: &Option<Rate>, theirs: &Option<Rate>| match (mine, theirs) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(mine), Some(theirs)) => mine.covers(theirs),
        };
        rate(&self.on_demand, &other.on_demand)
            && rate(&self.spot, &other.spot)
            && other.terms.iter().all(|theirs| self.terms.iter().any(|mine| mine.covers(theirs)))
    }
}

/// Everything that can be rented under the policy.
#[derive(Clone, Debug, Default)]
pub(crate) struct Supply {
    /// Every card that is known, for sale or not: hours may have been seen on any of them.
    pub(crate) cards: Vec<Card>,
    /// Kinds of card.
    pub(crate) kinds: Vec<Kind>,
    /// Pools, the dominated ones left out.
    pub(crate) pools: Vec<Pool>,
    /// The pools of each kind.
    pub(crate) by_kind: Vec<Vec<usize>>,
    /// What was left out.
    pub(crate) left_out: LeftOut,
    /// Offers that took part, by the provider's id.
    pub(crate) offers: u32,
}

/// Provider, region, kind, cards, and a number for what a pool with a limited stock leaves over.
type PoolKey<'a> = (&'a str, &'a str, usize, u32, u32);

/// Offers of one mode that stand beside each other because the cheaper has a limited stock.
const MOST_BESIDE: u32 = 8;

/// Gathers the offers that the policy admits.
pub(crate) fn supply(
    catalogue: &Catalogue,
    workload: &Workload,
    plan_term: Seconds,
    today: Date,
    places_matter: bool,
) -> Supply {
    let mut supply = Supply { cards: catalogue.cards().to_vec(), ..Supply::default() };
    let asked: BTreeSet<BillingMode> = workload
        .jobs
        .iter()
        .flat_map(|job| &job.modes)
        .chain(&workload.policy.modes)
        .copied()
        .collect();
    let mut kinds: BTreeMap<(&CardId, u32), usize> = BTreeMap::new();
    let mut pools: BTreeMap<PoolKey<'_>, (Pool, Vec<Refundable>)> = BTreeMap::new();
    let mut factors: BTreeMap<Currency, Option<Decimal>> = BTreeMap::new();
    let standing = Standing::new(catalogue, standards(&workload.policy));
    let mut terms_of: BTreeMap<&str, &Terms> = BTreeMap::new();
    for (index, offer) in catalogue.offers().iter().enumerate() {
        if let Some(reason) = refused(offer, &workload.policy, today) {
            *supply.left_out.policy.entry(reason).or_default() += 1;
            continue;
        }
        if offer.tier == "serverless" {
            supply.left_out.serverless += 1;
            continue;
        }
        // A month of use cannot justify a year: longer terms take part only when asked for.
        let term = offer.mode.term();
        let terms = *terms_of
            .entry(offer.provider.as_str())
            .or_insert_with(|| catalogue.terms(&offer.provider, Some(today)));
        let refund = terms.refund_factor(offer.mode).filter(|factor| *factor > Decimal::ZERO);
        let refund = refund.filter(|_| terms.packages.early_exit != Some(false));
        let too_long = term.is_some_and(|term| term > plan_term) && !asked.contains(&offer.mode);
        // One that is given back early is paid by the day.
        if too_long && refund.is_none() {
            supply.left_out.long_terms += 1;
            continue;
        }
        let Some(card) = catalogue.card(&offer.card).filter(|_| offer.count > 0) else {
            supply.left_out.unusable += 1;
            continue;
        };
        let from = offer.price.currency();
        let factor = *factors
            .entry(from)
            .or_insert_with(|| workload.rates.factor(from, workload.currency).ok());
        let Some(factor) = factor else {
            *supply.left_out.currency.entry(from).or_default() += 1;
            continue;
        };
        // Last, so that what is counted here would have taken part.
        if let Some(lack) = standing.lack(index, offer) {
            *supply.left_out.doubtful.entry(lack).or_default() += 1;
            continue;
        }
        let kind = *kinds.entry((&offer.card, offer.slices)).or_insert_with(|| {
            supply.kinds.push(kind(card, offer));
            supply.kinds.len() - 1
        });
        let tariff = Tariff::new(offer, terms);
        let Some(price) = Priced::of(offer, index, tariff, factor, workload.currency) else {
            supply.left_out.unusable += 1;
            continue;
        };
        supply.offers += 1;
        for beside in 0..MOST_BESIDE {
            let key = (offer.provider.as_str(), offer.region.as_str(), kind, offer.count, beside);
            let (pool, refundable) =
                pools.entry(key).or_insert_with(|| (Pool::new(offer, kind), Vec::new()));
            if price.stands_beside(pool, offer) {
                continue;
            }
            if let (Some(factor), Some(whole)) = (refund, price.term()) {
                refundable.push(Refundable { whole, factor });
            }
            if !too_long {
                price.add(pool, offer.mode);
            }
            break;
        }
    }
    let pools = pools.into_values().map(|(mut pool, refundable)| {
        pool.take_back(&refundable, plan_term);
        pool
    });
    supply.pools = undominated(pools.collect(), places_matter);
    supply.by_kind = vec![Vec::new(); supply.kinds.len()];
    for (index, pool) in supply.pools.iter().enumerate() {
        supply.by_kind[pool.kind].push(index);
    }
    supply
}

/// Returns the rule of the policy that an offer breaks.
fn refused(offer: &Offer, policy: &Policy, today: Date) -> Option<&'static str> {
    let listed =
        |list: &[String], value: &str| list.iter().any(|one| one.eq_ignore_ascii_case(value));
    let admitted = |list: &[String], value: &str| list.is_empty() || listed(list, value);
    if !admitted(&policy.providers, &offer.provider)
        || listed(&policy.exclude_providers, &offer.provider)
    {
        return Some("plan-rule-providers");
    }
    if !admitted(&policy.countries, &offer.country) {
        return Some("plan-rule-countries");
    }
    if !admitted(&policy.regions, &offer.region) {
        return Some("plan-rule-regions");
    }
    if !policy.modes.is_empty() && !policy.modes.contains(&offer.mode) {
        return Some("plan-rule-modes");
    }
    let most = policy.max_price_age_days?;
    let old = offer.source.age_days(today).is_some_and(|age| age > most);
    old.then_some("plan-rule-age")
}

/// Returns what the policy asks of a price before it may be chosen by.
fn standards(policy: &Policy) -> Standards {
    let usual = Standards::default();
    Standards {
        undated: policy.undated,
        // A stated age counts from today, and is a rule of its own.
        age: if policy.max_price_age_days.is_some() { None } else { usual.age },
        grade: policy.lowest_grade,
        far_below: policy.outliers,
    }
}

/// Builds a kind of card; a slice has its part of the memory and of every rate.
fn kind(card: &Card, offer: &Offer) -> Kind {
    let slices = offer.slices.max(1);
    let memory = offer.card_memory(card);
    let mut card = card.clone();
    if slices > 1 {
        let part = |rate: Option<f64>| rate.map(|rate| rate / f64::from(slices));
        card.memory = Bytes::new(card.memory.get() / u64::from(slices));
        card.usable_memory = Some(memory);
        card.bandwidth = part(card.bandwidth);
        card.fp32_flops = part(card.fp32_flops);
        card.tensor_flops = part(card.tensor_flops);
        card.fp8_flops = part(card.fp8_flops);
    }
    Kind { card, slices, memory }
}

/// An offer's price in the plan's currency.
enum Priced {
    /// By the hour.
    Hour(Rate),
    /// For a term.
    Term(TermRate),
}

impl Priced {
    /// Reads a price; `None` when there is none that can be counted with.
    fn of(
        offer: &Offer,
        index: usize,
        tariff: Tariff,
        factor: Decimal,
        to: Currency,
    ) -> Option<Self> {
        let price = Money::new(tariff.price.times(factor).ok()?.amount(), to);
        let micros = to_micros(price.amount())?;
        if micros <= 0 || micros >= IMPOSSIBLE {
            return None;
        }
        let stock = offer.stock;
        Some(match tariff.term {
            Some(term) => Self::Term(TermRate::new(index, offer.mode, term, price, micros, stock)),
            None => Self::Hour(Rate { offer: index, hourly: price, tariff, factor, micros, stock }),
        })
    }

    /// Returns the price of a term.
    fn term(&self) -> Option<TermRate> {
        match self {
            Self::Hour(_) => None,
            Self::Term(term) => Some(term.clone()),
        }
    }

    /// Says whether the place for this offer is taken by one that does not replace it, because
    /// the stock of either is limited.
    fn stands_beside(&self, pool: &Pool, offer: &Offer) -> bool {
        let taken = match self {
            Self::Hour(_) => {
                let place =
                    if offer.mode == BillingMode::Spot { &pool.spot } else { &pool.on_demand };
                place.as_ref().map(|rate| rate.stock)
            }
            Self::Term(new) => {
                pool.terms.iter().find(|known| known.term == new.term).map(|known| known.stock)
            }
        };
        taken.is_some_and(|stock| stock.is_some() || offer.stock.is_some())
    }

    /// Puts the price into its pool where it is the cheapest of its mode.
    fn add(self, pool: &mut Pool, mode: BillingMode) {
        match self {
            Self::Term(new) => pool.offer_term(new),
            Self::Hour(rate) => {
                let spot = mode == BillingMode::Spot;
                let place = if spot { &mut pool.spot } else { &mut pool.on_demand };
                if place.as_ref().is_none_or(|known| rate.micros < known.micros) {
                    *place = Some(rate);
                }
            }
        }
    }
}

/// Leaves out pools that another of the same cards beats in every price; where the place matters
/// (storage is priced by the provider), only within a provider.
fn undominated(pools: Vec<Pool>, places_matter: bool) -> Vec<Pool> {
    let mut groups: BTreeMap<(usize, u32, Option<String>), Vec<Pool>> = BTreeMap::new();
    for pool in pools {
        let place = places_matter.then(|| pool.provider.clone());
        groups.entry((pool.kind, pool.count, place)).or_default().push(pool);
    }
    let mut kept = Vec::new();
    for mut group in groups.into_values() {
        // Cheapest first, so that most of the others fall to the first comparison.
        group.sort_by_key(Pool::floor);
        let start = kept.len();
        for pool in group {
            if !kept[start..].iter().any(|better: &Pool| better.covers(&pool)) {
                kept.push(pool);
            }
        }
    }
    kept
}
