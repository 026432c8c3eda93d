//! What traffic looks like: lengths, rates and the shape of a day, from words or from a log.

use super::Request;

/// Seconds over which the peak of a log is counted: shorter peaks are absorbed by the queue.
const PEAK_SECONDS: f64 = 10.0;

/// A prompt that nine of ten stay under, over the mean one, where only the mean is known: 2.37 in the
/// Azure conversation trace of 2023 (2,734 over 1,155 tokens).
pub const LONG_PROMPT: f64 = 2.4;

/// Requests of a service.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traffic {
    /// Requests per second in the busiest 10 seconds.
    pub peak: f64,
    /// Requests per second in the mean.
    pub mean: f64,
    /// Tokens of a prompt: mean, and what nine of ten stay under.
    pub prompt: (f64, f64),
    /// Tokens written, mean.
    pub generated: f64,
}

impl Traffic {
    /// Measures a log, requests in the order of arrival; `None` without two requests at different
    /// times.
    pub fn of(log: &[Request]) -> Option<Self> {
        let (first, last) = (log.first()?.arrival, log.last()?.arrival);
        let seconds = last - first;
        if !(seconds.is_finite() && seconds > 0.0) {
            return None;
        }
        let mut busiest = 0;
        let mut from = 0;
        for (at, request) in log.iter().enumerate() {
            while log.get(from).is_some_and(|r| r.arrival <= request.arrival - PEAK_SECONDS) {
                from += 1;
            }
            busiest = busiest.max(at + 1 - from);
        }
        let count = log.len() as f64;
        let mut prompts: Vec<u32> = log.iter().map(|r| r.prompt).collect();
        prompts.sort_unstable();
        let long = prompts.get((prompts.len() * 9 / 10).min(prompts.len() - 1)).copied()?;
        let mean =
            |of: fn(&Request) -> u32| log.iter().map(|r| f64::from(of(r))).sum::<f64>() / count;
        Some(Self {
            // A log shorter than the window has its mean as its peak.
            peak: (busiest as f64 / PEAK_SECONDS.min(seconds)).max(count / seconds),
            mean: count / seconds,
            prompt: (mean(|r| r.prompt), f64::from(long)),
            generated: mean(|r| r.generated).max(1.0),
        })
    }
}

/// How the load of a service is spread over the 24 hours of a day, the busiest hour being 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DayShape([f64; 24]);

impl DayShape {
    /// The same load all day.
    pub const FLAT: Self = Self([1.0; 24]);

    /// Takes relative loads, one an hour; `None` when one is negative or none is positive.
    pub fn new(mut hours: [f64; 24]) -> Option<Self> {
        let most = hours.iter().copied().fold(0.0, f64::max);
        if !(most.is_finite() && most > 0.0) || hours.iter().any(|h| !h.is_finite() || *h < 0.0) {
            return None;
        }
        for hour in &mut hours {
            *hour /= most;
        }
        Some(Self(hours))
    }

    /// Returns the loads, the busiest being 1.
    pub const fn hours(&self) -> &[f64; 24] {
        &self.0
    }

    /// Returns the mean load over the day relative to the busiest hour.
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / 24.0
    }
}
