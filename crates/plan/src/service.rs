//! What a service costs on each card: replicas for its peak, idle hours included, beside what a
//! looser latency would save and what a paid interface would charge.

use kasuan_model::{Card, Estimate, HOURS_PER_MEAN_MONTH, Interconnect, Money, MoneyError};
use kasuan_sizing::{
    Architecture, Setup, Work,
    capacity::{
        self, BreakEven, Capacity, Cost, DayShape, Outcome, PaidInterface, Request, Server, Target,
        Traffic,
    },
    fit, time,
};
use rust_decimal::Decimal;

/// How much looser the limits are that are tried beside those asked for.
const LOOSER: f64 = 2.0;

/// The traffic as the user states it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Demand {
    /// Requests per second in the busiest hour, and how much more come in its busiest 10 seconds.
    PerSecond {
        /// Mean of the busiest hour.
        rate: f64,
        /// Peak over mean.
        burst: f64,
    },
    /// Requests in flight at the peak.
    InFlight(f64),
}

/// What is asked about a service.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The model.
    pub model: &'a Architecture,
    /// What each replica has to hold; its lengths are the mean ones.
    pub need: fit::Need,
    /// How many requests come.
    pub demand: Demand,
    /// Tokens of a prompt: mean, and what nine of ten stay under.
    pub prompt: (f64, f64),
    /// Tokens written, mean.
    pub generated: f64,
    /// How the load is spread over the day.
    pub shape: DayShape,
    /// Latency to keep.
    pub target: Target,
    /// Whether one more replica stands by.
    pub spare: bool,
    /// A paid interface to compare with.
    pub interface: Option<PaidInterface>,
}

/// The answer for one card.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// How a replica is run.
    pub setup: Setup,
    /// Replicas and what they do.
    pub capacity: Capacity,
    /// Replicas if the speed is at the upper, the likely and the lower end of its range.
    pub replicas: Estimate<u32>,
    /// What the load costs.
    pub cost: Option<Cost>,
    /// All replicas for a month, every hour of it.
    pub month: Money,
    /// A month in which the replicas follow the hours of the day.
    pub following: Money,
    /// Replicas at twice the latency, and what they save in a month.
    pub looser: Option<(u32, Money)>,
    /// Where renting and a paid interface cost the same.
    pub break_even: Option<BreakEven>,
    /// Requests of a month.
    pub requests: f64,
    /// One replica, for a simulation.
    pub server: Server,
}

impl Service {
    /// Returns the cards of all replicas.
    pub const fn cards(&self) -> u32 {
        self.capacity.replicas.saturating_mul(self.capacity.cards_per_replica)
    }

    /// Runs a log of requests on the planned replicas, and on the fewest that keep the target.
    pub fn replay(&self, log: &[Request], target: &Target) -> (Outcome, Option<(u32, Outcome)>) {
        let met = capacity::simulate(&self.server, log, self.capacity.replicas);
        let most = self.capacity.replicas.saturating_mul(2);
        (met, capacity::fewest(&self.server, log, target, most))
    }
}

/// Turns the measured traffic of a log into a demand.
pub fn demand_of(traffic: &Traffic) -> Demand {
    Demand::PerSecond { rate: traffic.mean, burst: (traffic.peak / traffic.mean).max(1.0) }
}

/// Plans a service on a card at a price for one card and hour; the cheapest of the setups that fit.
/// `None` when nothing fits or no setup keeps the latency.
///
/// # Errors
/// [`MoneyError`] when sums are too large to be money or currencies are mixed.
pub fn on_card(
    question: &Question<'_>,
    card: &Card,
    card_hour: Money,
) -> Result<Option<Service>, MoneyError> {
    let Ok(setups) = fit::setups(question.model, &question.need, card) else { return Ok(None) };
    let mut best: Option<Service> = None;
    for fit in setups {
        if let Some(found) = with_setup(question, fit.setup, card, card_hour)?
            && best.as_ref().is_none_or(|b| found.month.amount() < b.month.amount())
        {
            best = Some(found);
        }
    }
    Ok(best)
}

fn with_setup(
    question: &Question<'_>,
    setup: Setup,
    card: &Card,
    card_hour: Money,
) -> Result<Option<Service>, MoneyError> {
    let links = match card.nvlink {
        Some(rate) if rate > 0.0 => Interconnect::NvLink,
        Some(_) => Interconnect::Pcie,
        None => Interconnect::Unknown,
    };
    let Ok(server) = Server::of(question.model, &setup, card, links) else { return Ok(None) };
    let Some(need) = need(question, &server, question.target) else { return Ok(None) };
    let Some(capacity) = capacity::plan(&server, &need) else { return Ok(None) };
    let width = full_load(question.model, &setup, card, links);
    let at = |factor: f64| {
        capacity::plan(&server.slowed(factor), &need).map_or(u32::MAX, |c| c.replicas)
    };
    let replicas = Estimate::new(
        at(width.0).min(capacity.replicas),
        capacity.replicas,
        at(width.1).max(capacity.replicas),
    );
    let month = month(card_hour, &capacity, capacity.replicas)?;
    let spare = u32::from(question.spare);
    let mut paid = 0_u32;
    for load in question.shape.hours() {
        let busy = f64::from(capacity.replicas - spare) * load;
        // A service that answers keeps one replica up even in its quietest hour.
        paid = paid.saturating_add((busy.ceil() as u32).max(1) + spare);
    }
    let following = month_of(card_hour, capacity.cards_per_replica, Decimal::from(paid))?;
    let looser = {
        let double = |limit: Option<f64>| limit.map(|seconds| seconds * LOOSER);
        let target =
            Target { ttft: double(question.target.ttft), tpot: double(question.target.tpot) };
        match capacity::plan(&server, &capacity::Need { target, ..need }) {
            Some(other) if other.replicas < capacity.replicas => {
                let then = self::month(card_hour, &other, other.replicas)?;
                Some((other.replicas, month.checked_sub(then)?))
            }
            _ => None,
        }
    };
    let seconds = f64::from(HOURS_PER_MEAN_MONTH) * 3600.0;
    let most = capacity.per_replica * f64::from(capacity.replicas) * seconds;
    let break_even = match question.interface {
        None => None,
        Some(interface) => {
            let tokens = |count: f64| Decimal::try_from(count).unwrap_or_default();
            capacity::break_even(
                month,
                interface,
                tokens(question.prompt.0),
                tokens(question.generated),
                most,
            )?
        }
    };
    Ok(Some(Service {
        cost: capacity::cost(&capacity, &need, card_hour)?,
        requests: need.mean * seconds,
        setup,
        capacity,
        replicas,
        month,
        following,
        looser,
        break_even,
        server,
    }))
}

/// How many times as long steps take at the upper and the lower end of the range of the speed.
fn full_load(model: &Architecture, setup: &Setup, card: &Card, links: Interconnect) -> (f64, f64) {
    let mut full = setup.clone();
    if let Work::Inference(inference) = &mut full.work {
        inference.concurrency = u32::MAX;
    }
    time::serving(model, &full, card, links).map_or((1.0, 1.0), |served| {
        let rate = served.rate.tokens_per_second;
        (rate.likely / rate.high, rate.likely / rate.low)
    })
}

fn need(question: &Question<'_>, server: &Server, target: Target) -> Option<capacity::Need> {
    let plain = capacity::Need {
        peak: 1.0,
        mean: 1.0,
        prompt: question.prompt,
        generated: question.generated,
        target,
        spare: question.spare,
    };
    let (peak, busiest) = match question.demand {
        Demand::PerSecond { rate, burst } => (rate * burst.max(1.0), rate),
        Demand::InFlight(in_flight) => {
            let rate = capacity::arrivals(server, &plain, in_flight)?;
            (rate, rate)
        }
    };
    Some(capacity::Need { peak, mean: busiest * question.shape.mean(), ..plain })
}

fn month(card_hour: Money, capacity: &Capacity, replicas: u32) -> Result<Money, MoneyError> {
    let hours = Decimal::from(replicas) * Decimal::from(24);
    month_of(card_hour, capacity.cards_per_replica, hours)
}

/// A month of days in which so many replica-hours are paid.
fn month_of(card_hour: Money, cards: u32, replica_hours: Decimal) -> Result<Money, MoneyError> {
    let days = Decimal::from(HOURS_PER_MEAN_MONTH) / Decimal::from(24);
    card_hour.times(Decimal::from(cards))?.times(replica_hours)?.times(days)
}
