//! Many months of the same plan: runs that take longer, fail or are reclaimed, prices that move,
//! demand that grows. What comes out is a range and what moves it most.

use super::Random;
use kasuan_model::{Currency, Estimate, Money, MoneyError};
use rust_decimal::{Decimal, prelude::FromPrimitive as _, prelude::ToPrimitive as _};

/// Months that are simulated where nothing else is asked for.
pub const DRAWS: u32 = 10_000;

/// Jobs that are drawn one by one; the smallest of more are drawn together.
const SINGLE_JOBS: usize = 48;

/// Runs of a job that are drawn one by one; failures of more are drawn as a normal number.
const SINGLE_RUNS: u32 = 32;

/// How a price by the hour moves within a month.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PriceMove {
    /// Chance that it moves at all.
    pub chance: f64,
    /// Standard deviation of the logarithm of the change when it does.
    pub deviation: f64,
}

/// What can go otherwise than planned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Risks {
    /// Part of the error of the hours that all jobs share: a guess that is wrong for one is wrong
    /// for the others in the same direction. An assumption; from 0 to 1.
    pub shared_error: f64,
    /// Chance that a run fails and is run again; it is lost at a uniformly random point. An
    /// assumption, unless measured.
    pub failed_run: f64,
    /// How on-demand prices move where a job has no history of its own. Measured: 30-day changes
    /// of 248 price series (July to August 2026, gpurentalprices.com, CC BY 4.0).
    pub on_demand: PriceMove,
    /// How spot prices move where a job has no history of its own; 31 series of the same source.
    pub spot: PriceMove,
    /// Demand over what was planned, as a factor; paid by the hour. An assumption.
    pub growth: Estimate<f64>,
}

impl Default for Risks {
    fn default() -> Self {
        Self {
            shared_error: 0.5,
            failed_run: 0.05,
            on_demand: PriceMove { chance: 0.135, deviation: 0.26 },
            spot: PriceMove { chance: 0.49, deviation: 0.24 },
            growth: Estimate::new(0.9, 1.0, 1.2),
        }
    }
}

/// A job's rent by the hour, as planned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JobRisk {
    /// What it costs by the hour when its hours come out low, likely or high.
    pub hourly: Estimate<Money>,
    /// Runs in the month; a service that only stays up has none that fail.
    pub runs: u32,
    /// Whether it runs on spot.
    pub spot: bool,
    /// How its price moves; `None` moves as [`Risks`] says.
    pub moves: Option<PriceMove>,
    /// Jobs with the same number pay one price, which moves for all of them or for none.
    pub market: usize,
    /// Reclaims to expect in the month and what one costs; both nothing off spot. The expected
    /// cost is part of `hourly` already.
    pub reclaims: (f64, Money),
}

/// A plan as far as its cost can vary.
#[derive(Clone, Debug, PartialEq)]
pub struct Month {
    /// The currency of every sum.
    pub currency: Currency,
    /// What is paid whatever happens: terms, labour.
    pub fixed: Money,
    /// Other costs with their range: storage, egress, trial.
    pub others: Vec<Estimate<Money>>,
    /// Rent by the hour, job by job.
    pub jobs: Vec<JobRisk>,
    /// What can go otherwise.
    pub risks: Risks,
}

/// What moves the total.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Driver {
    /// Hours of the runs.
    Hours,
    /// Runs that fail.
    Failures,
    /// Prices by the hour.
    Prices,
    /// Demand over what was planned.
    Growth,
    /// Reclaims of spot machines.
    Reclaims,
    /// Storage, egress, trial.
    Others,
}

const DRIVERS: [Driver; 6] = [
    Driver::Hours,
    Driver::Failures,
    Driver::Prices,
    Driver::Growth,
    Driver::Reclaims,
    Driver::Others,
];

/// How much one driver moves the total, all else as planned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sensitivity {
    /// The driver.
    pub driver: Driver,
    /// Change of the total that nine of ten months lie above.
    pub low: Money,
    /// Change of the total that nine of ten months lie below.
    pub high: Money,
}

/// The range.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// Half of the months cost less.
    pub p50: Money,
    /// Four of five cost less.
    pub p80: Money,
    /// Nine of ten cost less.
    pub p90: Money,
    /// The mean month.
    pub mean: Money,
    /// What moves the total, most first; drivers that move nothing are left out.
    pub sensitivity: Vec<Sensitivity>,
}

/// A job in floats, as the draws need it.
struct Rent {
    low: f64,
    likely: f64,
    high: f64,
    runs: u32,
    /// Index of its price among those that move.
    price: usize,
    reclaims: f64,
    reclaim_cost: f64,
}

/// Simulates `draws` months; equal seeds give equal answers.
pub fn months(month: &Month, seed: u64, draws: u32) -> Result<Simulated, MoneyError> {
    let fixed = float(month.fixed, month.currency)?;
    let (jobs, prices) = rents(month)?;
    let mut others = Vec::with_capacity(month.others.len());
    for range in &month.others {
        others.push(floats(*range, month.currency)?);
    }
    let planned = fixed
        + jobs.iter().map(|job| job.likely).sum::<f64>()
        + others.iter().map(|other| other.likely).sum::<f64>();
    let draws = draws.max(1);
    let mut totals = Vec::with_capacity(draws as usize);
    let mut changes: [Vec<f64>; DRIVERS.len()] =
        std::array::from_fn(|_| Vec::with_capacity(draws as usize));
    let mut random = Random::seeded(seed);
    for _ in 0..draws {
        let change = draw(&jobs, &prices, &others, &month.risks, &mut random);
        totals.push(planned + change.iter().sum::<f64>());
        for (list, change) in changes.iter_mut().zip(change) {
            list.push(change);
        }
    }
    let mean = totals.iter().sum::<f64>() / f64::from(draws);
    let money = |amount: f64| money(amount, month.currency);
    let mut sensitivity = Vec::new();
    for (driver, list) in DRIVERS.into_iter().zip(&mut changes) {
        let (low, high) = (quantile(list, 0.1), quantile(list, 0.9));
        if high - low > 1e-9 {
            sensitivity
                .push((high - low, Sensitivity { driver, low: money(low)?, high: money(high)? }));
        }
    }
    sensitivity.sort_by(|left, right| right.0.total_cmp(&left.0));
    Ok(Simulated {
        p50: money(quantile(&mut totals, 0.5))?,
        p80: money(quantile(&mut totals, 0.8))?,
        p90: money(quantile(&mut totals, 0.9))?,
        mean: money(mean)?,
        sensitivity: sensitivity.into_iter().map(|(_, sensitivity)| sensitivity).collect(),
    })
}

/// Draws one month: the change of the total by each driver, in the order of [`DRIVERS`].
///
/// Each driver's change is reckoned on what the ones before it made of the rent, so that they add
/// up to the whole change.
fn draw(
    jobs: &[Rent],
    prices: &[PriceMove],
    others: &[Estimate<f64>],
    risks: &Risks,
    random: &mut Random,
) -> [f64; DRIVERS.len()] {
    let shared = risks.shared_error.clamp(0.0, 1.0);
    let (common, own) = (shared.sqrt(), (1.0 - shared).sqrt());
    let guess = random.normal();
    let growth = triangle(risks.growth, random.unit()) - 1.0;
    // Prices of different offers move apart: the 30-day changes of two series of the shipped
    // history correlate by 0.00 between providers and by 0.12 within one.
    let moves: Vec<f64> = prices.iter().map(|moves| price(*moves, random)).collect();
    let mut change = [0.0; DRIVERS.len()];
    for job in jobs {
        let error = common * guess + own * random.normal();
        let hours = triangle(Estimate::new(job.low, job.likely, job.high), normal_share(error));
        let failed = hours * failures(job.runs, risks.failed_run, random);
        let moved = (hours + failed) * moves.get(job.price).copied().unwrap_or(0.0);
        change[0] += hours - job.likely;
        change[1] += failed;
        change[2] += moved;
        change[3] += (hours + failed + moved) * growth;
        if job.reclaims > 0.0 && job.reclaim_cost > 0.0 {
            let spread = random.normal() * job.reclaims.sqrt();
            change[4] += spread.max(-job.reclaims) * job.reclaim_cost;
        }
    }
    for other in others {
        change[5] += triangle(*other, random.unit()) - other.likely;
    }
    change
}

/// Draws the part of a job's hours that failed runs add.
fn failures(runs: u32, chance: f64, random: &mut Random) -> f64 {
    if runs == 0 || chance <= 0.0 {
        return 0.0;
    }
    let chance = chance.min(0.95);
    if runs <= SINGLE_RUNS {
        let mut lost = 0.0;
        for _ in 0..runs {
            while random.unit() < chance {
                lost += random.unit();
            }
        }
        return lost / f64::from(runs);
    }
    // A run fails a geometric number of times, each losing half of it on average.
    let odds = chance / (1.0 - chance);
    let variance = odds / 12.0 + odds * (1.0 + odds) / 4.0;
    (odds / 2.0 + random.normal() * (variance / f64::from(runs)).sqrt()).max(0.0)
}

/// Draws by how much a price moves, as a share of it.
fn price(moves: PriceMove, random: &mut Random) -> f64 {
    let (moved, size) = (random.unit() < moves.chance, random.normal());
    if moved { (moves.deviation * size).exp_m1() } else { 0.0 }
}

/// Returns the value below which a share of a triangular distribution lies.
fn triangle(range: Estimate<f64>, share: f64) -> f64 {
    let Estimate { low, likely, high } = range;
    let width = high - low;
    if width <= 0.0 {
        return likely;
    }
    if share < (likely - low) / width {
        low + (share * width * (likely - low)).sqrt()
    } else {
        high - ((1.0 - share) * width * (high - likely)).sqrt()
    }
}

/// Returns the share of a normal distribution below `z` (Abramowitz and Stegun, 26.2.17; the error
/// is below 8e-8).
fn normal_share(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let terms = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let sum = terms.iter().rev().fold(0.0, |sum, term| (sum + term) * t);
    let tail = (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt() * sum;
    if z >= 0.0 { 1.0 - tail } else { tail }
}

fn quantile(values: &mut [f64], share: f64) -> f64 {
    let at = ((values.len() as f64 * share) as usize).min(values.len().saturating_sub(1));
    let (_, value, _) = values.select_nth_unstable_by(at, f64::total_cmp);
    *value
}

/// Returns the jobs in floats, and how each of their prices moves; beyond [`SINGLE_JOBS`] the
/// cheapest of one price are one job.
fn rents(month: &Month) -> Result<(Vec<Rent>, Vec<PriceMove>), MoneyError> {
    let mut rents = Vec::with_capacity(month.jobs.len());
    let mut markets: Vec<(usize, bool)> = Vec::new();
    let mut prices = Vec::new();
    for job in &month.jobs {
        let Estimate { low, likely, high } = floats(job.hourly, month.currency)?;
        let reclaim_cost = float(job.reclaims.1, month.currency)?;
        let market = (job.market, job.spot);
        let price = markets.iter().position(|known| *known == market).unwrap_or_else(|| {
            let usual = if job.spot { month.risks.spot } else { month.risks.on_demand };
            markets.push(market);
            prices.push(job.moves.unwrap_or(usual));
            prices.len() - 1
        });
        rents.push(Rent {
            low,
            likely,
            high,
            runs: job.runs,
            price,
            reclaims: job.reclaims.0,
            reclaim_cost,
        });
    }
    rents.sort_by(|left, right| right.likely.total_cmp(&left.likely));
    for small in rents.split_off(SINGLE_JOBS.min(rents.len())) {
        let joined = rents.iter_mut().skip(SINGLE_JOBS).find(|rent| rent.price == small.price);
        match joined {
            Some(rent) => {
                rent.low += small.low;
                rent.likely += small.likely;
                rent.high += small.high;
                rent.runs = rent.runs.saturating_add(small.runs);
                rent.reclaims += small.reclaims;
                rent.reclaim_cost = rent.reclaim_cost.max(small.reclaim_cost);
            }
            None => rents.push(small),
        }
    }
    Ok((rents, prices))
}

fn floats(range: Estimate<Money>, currency: Currency) -> Result<Estimate<f64>, MoneyError> {
    Ok(Estimate::new(
        float(range.low, currency)?,
        float(range.likely, currency)?,
        float(range.high, currency)?,
    ))
}

fn float(money: Money, currency: Currency) -> Result<f64, MoneyError> {
    let same = Money::zero(currency).checked_add(money)?;
    same.amount().to_f64().ok_or(MoneyError::Overflow)
}

fn money(amount: f64, currency: Currency) -> Result<Money, MoneyError> {
    let amount = Decimal::from_f64(amount).ok_or(MoneyError::Overflow)?;
    Ok(Money::new(amount, currency).rounded())
}

#[cfg(test)]
mod tests;
