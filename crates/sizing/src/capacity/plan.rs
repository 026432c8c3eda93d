//! Replicas from a load and latency limits, in closed form.

use super::Server;
use kasuan_model::{Money, MoneyError, Share};
use rust_decimal::Decimal;

/// Latency that 95 % of the requests keep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Target {
    /// Seconds to the first token; `None` does not care.
    pub ttft: Option<f64>,
    /// Seconds for each further token; `None` does not care.
    pub tpot: Option<f64>,
}

/// A service's load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Need {
    /// Requests per second at the peak: the busiest 10 seconds, not the mean.
    pub peak: f64,
    /// Requests per second in the mean over the hours that are paid.
    pub mean: f64,
    /// Tokens of a prompt: mean, and what nine of ten stay under.
    pub prompt: (f64, f64),
    /// Tokens written, mean.
    pub generated: f64,
    /// Latency to keep.
    pub target: Target,
    /// Whether one more replica stands by for an outage.
    pub spare: bool,
}

/// What a service needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capacity {
    /// Replicas that are paid.
    pub replicas: u32,
    /// Cards of a replica.
    pub cards_per_replica: u32,
    /// Sequences that a replica decodes together at the limit.
    pub batch: u32,
    /// Requests per second that a replica finishes at that batch.
    pub per_replica: f64,
    /// Share of that which the time to the first token leaves usable.
    pub usable: Share,
    /// Share of the paid capacity that is used in the mean.
    pub utilisation: Share,
    /// Seconds for each token at the limit.
    pub tpot: f64,
    /// Requests per second that were planned for.
    pub peak: f64,
    /// Requests in flight at the peak (Little's law).
    pub in_flight: f64,
}

/// The largest share of a replica's capacity that is planned with: beyond it waits grow without
/// bound on real traffic.
const LARGEST_SHARE: f64 = 0.70;

/// Plans replicas; `None` when a single request already breaks the limits, or nothing fits.
///
/// 1. The largest batch whose time per token keeps the limit gives a replica's rate.
/// 2. Waiting for a first token in units of the 90th-percentile prompt's reading time grows like
///    1.4 + 2 r/(1-r) at load r (fitted to 863 simulated load points, cautious side); solved for
///    the limit it gives the usable share, never more than 70 %.
/// 3. Replicas follow from the peak.
pub fn plan(server: &Server, need: &Need) -> Option<Capacity> {
    let finite = [need.peak, need.mean, need.prompt.0, need.prompt.1, need.generated];
    if finite.iter().any(|x| !x.is_finite() || *x < 0.0) || need.generated < 1.0 {
        return None;
    }
    let reading = server.prompt_token * need.prompt.0;
    let tpot = |batch: usize| server.step_at(batch) + batch as f64 * reading / need.generated;
    let fits = (server.room / (need.prompt.0 + need.generated)).floor();
    let most = (fits.min(server.most() as f64)) as usize;
    if most == 0 {
        return None;
    }
    let batch = match need.target.tpot {
        None => most,
        Some(limit) => {
            // The time per token grows with the batch.
            let (mut low, mut high) = (0, most);
            while low < high {
                let middle = (low + high).div_ceil(2);
                if tpot(middle) <= limit { low = middle } else { high = middle - 1 }
            }
            low
        }
    };
    if batch == 0 {
        return None;
    }
    let per_replica = batch as f64 / (tpot(batch) * need.generated);
    let usable = match need.target.ttft {
        None => LARGEST_SHARE,
        Some(limit) => {
            let long = (server.prompt_token * need.prompt.1).max(1e-6);
            let r = ((limit - server.front_end) / long - 1.4) / 2.0;
            if r <= 0.0 {
                return None;
            }
            (r / (1.0 + r)).min(LARGEST_SHARE)
        }
    };
    let needed = (need.peak / (per_replica * usable)).ceil().max(1.0);
    if needed > 1e6 {
        return None;
    }
    let replicas = needed as u32 + u32::from(need.spare);
    Some(Capacity {
        replicas,
        cards_per_replica: server.cards,
        batch: batch as u32,
        per_replica,
        usable: Share::of(usable, 1.0),
        utilisation: Share::of(need.mean, per_replica * f64::from(replicas)),
        tpot: tpot(batch),
        peak: need.peak,
        in_flight: need.peak * (reading + need.generated * tpot(batch)),
    })
}

/// Returns the requests per second that keep `in_flight` requests in flight at the latency that a
/// replica is planned with (Little's law); `None` where [`plan`] has no answer.
pub fn arrivals(server: &Server, need: &Need, in_flight: f64) -> Option<f64> {
    let one = plan(server, &Need { peak: 1.0, mean: 1.0, ..*need })?;
    let rate = in_flight / one.in_flight;
    (rate.is_finite() && rate > 0.0).then_some(rate)
}

/// What a service costs for what it does, idle time included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// An hour of all cards.
    pub hourly: Money,
    /// A thousand requests, at the mean load.
    pub per_thousand_requests: Money,
    /// A million tokens written, at the mean load.
    pub per_million_tokens: Money,
    /// A million tokens written if the cards were busy all the time; for comparison only.
    pub per_million_tokens_busy: Money,
}

/// Prices a capacity at `card_hour` for one card's hour; `None` without any traffic.
///
/// Price per million tokens = price an hour / (tokens per second x 3600) x 10^6.
pub fn cost(
    capacity: &Capacity,
    need: &Need,
    card_hour: Money,
) -> Result<Option<Cost>, MoneyError> {
    let cards = Decimal::from(capacity.replicas) * Decimal::from(capacity.cards_per_replica);
    let hourly = card_hour.times(cards)?;
    let per = |requests_per_second: f64, unit: f64| -> Result<Option<Money>, MoneyError> {
        let an_hour = requests_per_second * 3600.0 / unit;
        match Decimal::try_from(an_hour) {
            Ok(units) if units > Decimal::ZERO => Ok(Some(hourly.over(units)?)),
            _ => Ok(None),
        }
    };
    let busy = capacity.per_replica * f64::from(capacity.replicas);
    let (Some(requests), Some(tokens), Some(all)) = (
        per(need.mean, 1e3)?,
        per(need.mean * need.generated, 1e6)?,
        per(busy * need.generated, 1e6)?,
    ) else {
        return Ok(None);
    };
    Ok(Some(Cost {
        hourly,
        per_thousand_requests: requests,
        per_million_tokens: tokens,
        per_million_tokens_busy: all,
    }))
}
