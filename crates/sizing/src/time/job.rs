//! From a rate to the time of a whole job.

use super::{Declined, Rate, Served};
use kasuan_model::{Confidence, Estimate, Seconds};

/// The time of one run of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JobTime {
    /// From the first step to the last; loading, compiling and saving are not in it.
    pub seconds: Estimate<Seconds>,
    /// How far it may be trusted.
    pub confidence: Confidence,
}

/// Returns the time to train on `tokens` tokens, padding included, `epochs` times.
///
/// A 95th-percentile range of the rate becomes the range of the time: the slowest rate gives the
/// longest time.
pub fn job_time(rate: &Rate, tokens: f64, epochs: f64) -> Result<JobTime, Declined> {
    time_of(rate, tokens * epochs)
}

fn time_of(rate: &Rate, tokens: f64) -> Result<JobTime, Declined> {
    if !(tokens.is_finite() && tokens >= 0.0) {
        return Err(Declined::Degenerate { what: "the amount of tokens" });
    }
    let r = rate.tokens_per_second;
    if !(r.low > 0.0 && r.high.is_finite()) {
        return Err(Declined::Degenerate { what: "the rate" });
    }
    let seconds = |rate: f64| Seconds::from_estimate(tokens / rate);
    Ok(JobTime {
        seconds: Estimate::new(seconds(r.high), seconds(r.likely), seconds(r.low)),
        confidence: rate.confidence,
    })
}

/// A generating batch job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RequestsJob {
    /// Requests of one run.
    pub requests: u64,
    /// Tokens that each writes in the mean.
    pub generated: f64,
    /// Tokens that the longest writes; its last steps run nearly alone.
    pub generated_longest: f64,
}

/// Returns the time of a batch of requests that are all there at the start, on one replica.
///
/// When the last requests run out the batch shrinks: the effective batch is
/// 1 / (1/B + longest/(requests x mean)).
pub fn requests_time(served: &Served, job: RequestsJob) -> Result<JobTime, Declined> {
    let requests = job.requests as f64;
    if !(job.generated > 0.0 && job.generated.is_finite() && job.generated_longest.is_finite()) {
        return Err(Declined::Degenerate { what: "the tokens of a request" });
    }
    if requests < 1.0 {
        return time_of(&served.rate, 0.0);
    }
    let longest = job.generated_longest.max(job.generated);
    let tail = 1.0 + served.batch * longest / (requests * job.generated);
    time_of(&served.rate, requests * job.generated * tail)
}

/// Returns the scaling efficiency of more cards: the card-seconds that the same work takes on the
/// first setup over those on the second. Each setup is its cards and the seconds that they take
/// together. 1 is a speed-up as large as the number of cards; the work costs 1 / efficiency times as
/// much in card-hours.
pub fn scaling_efficiency(before: (u32, f64), after: (u32, f64)) -> f64 {
    (f64::from(before.0) * before.1) / (f64::from(after.0) * after.1)
}

/// Returns how many tokens padding adds: the mean over batches of the longest sample by the mean
/// sample, for samples batched in the order given. 1 when packed or in batches of one.
pub fn padding(lengths: &[u32], batch: usize) -> f64 {
    let batch = batch.max(1);
    let (mut padded, mut real) = (0.0, 0.0);
    for group in lengths.chunks(batch) {
        let longest = group.iter().copied().max().unwrap_or(0);
        padded += f64::from(longest) * group.len() as f64;
        real += group.iter().map(|l| f64::from(*l)).sum::<f64>();
    }
    if real > 0.0 { padded / real } else { 1.0 }
}
