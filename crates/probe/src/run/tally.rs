//! Samples folded into what a record keeps: means, peaks, shares, never a sample itself.

use super::{
    log::{Reading, Unit},
    record::{CardRecord, StepRecord},
};
use crate::capture::{GpuSample, Snapshot};
use std::collections::BTreeMap;

/// Steps of which single times are kept for the median and the spread.
const MOST_STEPS: usize = 100_000;

/// A running total.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    cards: BTreeMap<String, Card>,
    order: Vec<String>,
    steps: Vec<f64>,
    progress: Option<(u64, u64)>,
    rates: BTreeMap<Unit, Vec<f64>>,
    own: Vec<f64>,
    samples: u64,
    missed: u64,
}

#[derive(Clone, Debug, Default)]
struct Card {
    name: Option<String>,
    busy: Vec<f64>,
    memory_peak: Option<u64>,
    memory_total: Option<u64>,
    watts: (f64, u64),
    limit: Option<f64>,
    throttled: u64,
    lost: bool,
}

/// Bits of the clock reasons that mean heat, power brake or a hardware slowdown (NVML API:
/// HwSlowdown 0x8, SwThermalSlowdown 0x20, HwThermalSlowdown 0x40, HwPowerBrakeSlowdown 0x80). The
/// software power cap is normal at full load.
const HELD_BACK: u64 = 0x8 | 0x20 | 0x40 | 0x80;

impl Tally {
    /// Adds a sample. Of a machine that several jobs share, only the cards count on which one of
    /// `pids` runs; where none is seen on any card (a container hides them) every card counts.
    pub fn add(&mut self, snapshot: &Snapshot, pids: &[u32]) {
        self.samples += 1;
        let own = own_cards(snapshot, pids);
        let counts = |sample: &GpuSample| own.is_empty() || own.iter().any(|gpu| is(sample, gpu));
        let whole = snapshot.gpus.iter().filter(|sample| sample.slice.is_none());
        for sample in whole.filter(|sample| counts(sample)) {
            let key = sample
                .uuid
                .clone()
                .or_else(|| sample.index.map(|index| index.to_string()))
                .unwrap_or_default();
            if !self.cards.contains_key(&key) {
                self.order.push(key.clone());
            }
            self.cards.entry(key).or_default().add(sample);
        }
    }

    /// Notes that a sample could not be taken.
    pub fn miss(&mut self) {
        self.missed += 1;
    }

    /// Adds what a line of the log told.
    pub fn read(&mut self, reading: &Reading) {
        match reading {
            Reading::Progress { done, total, step_seconds } => {
                let moved = self.progress.is_none_or(|(before, _)| before != *done);
                self.progress = Some((*done, *total));
                // A bar is redrawn many times a step; the first step holds compilation and loading.
                if moved && *done > 1 && self.steps.len() < MOST_STEPS {
                    self.steps.push(*step_seconds);
                }
            }
            Reading::Rate { unit, per_second } => {
                let rates = self.rates.entry(*unit).or_default();
                if rates.len() < MOST_STEPS {
                    rates.push(*per_second);
                }
            }
            Reading::Own(value) if self.own.len() < MOST_STEPS => self.own.push(*value),
            Reading::Own(_) => {}
        }
    }

    /// Returns whether every card was seen idle in the last sample; `None` where one is unknown.
    pub fn idle(snapshot: &Snapshot) -> Option<bool> {
        let cards = snapshot.gpus.iter().filter(|gpu| gpu.slice.is_none());
        let mut idle = true;
        let mut any = false;
        for card in cards {
            any = true;
            idle &= card.busy? <= 0.0;
        }
        any.then_some(idle)
    }

    /// Returns the steps done and in all, as the last bar said.
    pub fn progress(&self) -> Option<(u64, u64)> {
        self.progress
    }

    /// Returns the last step time in seconds.
    pub fn last_step(&self) -> Option<f64> {
        self.steps.last().copied()
    }

    /// Returns the last rate of any kind.
    pub fn last_rate(&self) -> Option<(Unit, f64)> {
        self.rates.iter().find_map(|(unit, rates)| Some((*unit, *rates.last()?)))
    }

    /// Returns samples taken and missed.
    pub fn counts(&self) -> (u64, u64) {
        (self.samples, self.missed)
    }

    /// Returns the cards' part of a record.
    pub fn cards(&self) -> Vec<CardRecord> {
        self.order.iter().filter_map(|key| Some(self.cards.get(key)?.record(key))).collect()
    }

    /// Returns the log's part of a record.
    pub fn steps(&self) -> StepRecord {
        StepRecord {
            steps: self.progress.map(|(done, _)| done),
            step_seconds_median: quantile(&self.steps, 0.5),
            step_seconds_spread: spread(&self.steps),
            rates: self
                .rates
                .iter()
                .filter_map(|(unit, rates)| Some((unit.as_str().to_owned(), quantile(rates, 0.5)?)))
                .collect(),
            own: quantile(&self.own, 0.5),
        }
    }
}

/// What the cards look like at a moment; what is unknown of one of them is unknown of all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Signs {
    /// Mean busy share, 0 to 1: that any kernel runs, be it one that only waits.
    pub busy: Option<f64>,
    /// Mean share of multiprocessors at work, 0 to 1.
    pub sm_active: Option<f64>,
    /// Mean power as a share of the limit.
    pub power: Option<f64>,
}

impl Signs {
    /// Reads a sample.
    pub fn of(snapshot: &Snapshot) -> Self {
        let cards: Vec<&GpuSample> =
            snapshot.gpus.iter().filter(|gpu| gpu.slice.is_none()).collect();
        #[expect(clippy::cast_precision_loss, reason = "a machine has few cards")]
        let mean = |figure: fn(&GpuSample) -> Option<f64>| {
            let found: Option<Vec<f64>> = cards.iter().map(|card| figure(card)).collect();
            let found = found.filter(|found| !found.is_empty())?;
            Some(found.iter().sum::<f64>() / found.len() as f64)
        };
        Self {
            busy: mean(|card| card.busy.map(|busy| busy / 100.0)),
            sm_active: mean(|card| card.sm_active),
            power: mean(|card| {
                let limit = card.power_limit_watts.filter(|limit| *limit > 0.0)?;
                Some(card.power_watts? / limit)
            }),
        }
    }
}

/// Returns the cards, by UUID or ordinal, on which one of `pids` runs.
fn own_cards<'a>(snapshot: &'a Snapshot, pids: &[u32]) -> Vec<&'a str> {
    let own = snapshot.processes.iter().filter(|process| pids.contains(&process.pid));
    own.filter_map(|process| process.gpu.as_deref()).collect()
}

fn is(sample: &GpuSample, gpu: &str) -> bool {
    sample.uuid.as_deref() == Some(gpu)
        || sample.index.is_some_and(|index| index.to_string() == gpu)
}

impl Card {
    fn add(&mut self, sample: &GpuSample) {
        self.name = sample.name.clone().or_else(|| self.name.take());
        self.lost |= sample.lost;
        self.busy.extend(sample.busy);
        if let Some(used) = sample.memory_used {
            self.memory_peak = Some(self.memory_peak.unwrap_or(0).max(used.get()));
        }
        self.memory_total = sample.memory_total.map(kasuan_model::Bytes::get).or(self.memory_total);
        if let Some(watts) = sample.power_watts {
            self.watts = (self.watts.0 + watts, self.watts.1 + 1);
        }
        self.limit = sample.power_limit_watts.or(self.limit);
        if sample.clock_reasons.is_some_and(|reasons| reasons & HELD_BACK != 0) {
            self.throttled += 1;
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of samples are far below 2^53")]
    fn record(&self, key: &str) -> CardRecord {
        let mean = |sum: f64, count: u64| (count > 0).then(|| sum / count as f64);
        CardRecord {
            id: key.to_owned(),
            name: self.name.clone(),
            busy_mean: mean(self.busy.iter().sum(), self.busy.len() as u64),
            busy_p95: quantile(&self.busy, 0.95),
            memory_peak_bytes: self.memory_peak,
            memory_total_bytes: self.memory_total,
            watts_mean: mean(self.watts.0, self.watts.1),
            watts_limit: self.limit,
            throttled_samples: self.throttled,
            lost: self.lost,
        }
    }
}

/// Returns a quantile by linear interpolation; `None` of nothing.
pub(super) fn quantile(values: &[f64], at: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    #[expect(clippy::cast_precision_loss, reason = "lists are short")]
    let place = last as f64 * at.clamp(0.0, 1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the list")]
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    let share = place - place.floor();
    Some(sorted.get(below)? * (1.0 - share) + sorted.get(above)? * share)
}

/// Returns the median absolute deviation, scaled to a standard deviation of normal noise (1.4826).
fn spread(values: &[f64]) -> Option<f64> {
    let median = quantile(values, 0.5)?;
    let deviations: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
    Some(quantile(&deviations, 0.5)? * 1.4826)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_unknown_card_is_not_an_idle_one() {
        let seen = |busy: Option<f64>| Snapshot {
            gpus: vec![GpuSample { busy, ..GpuSample::default() }],
            ..Snapshot::default()
        };
        assert_eq!(Tally::idle(&seen(Some(0.0))), Some(true));
        assert_eq!(Tally::idle(&seen(Some(3.0))), Some(false));
        assert_eq!(Tally::idle(&seen(None)), None);
        assert_eq!(Tally::idle(&Snapshot::default()), None);
    }

    #[test]
    fn a_bar_that_is_redrawn_counts_each_step_once_and_not_the_first() {
        let mut tally = Tally::default();
        for (done, step_seconds) in [(1, 30.0), (2, 1.0), (2, 1.0), (3, 1.2)] {
            tally.read(&Reading::Progress { done, total: 10, step_seconds });
        }
        let steps = tally.steps();
        assert_eq!(steps.steps, Some(3));
        assert!((steps.step_seconds_median.unwrap() - 1.1).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn a_quantile_lies_between_the_least_and_the_most(values in prop::collection::vec(0.0..1e6_f64, 1..50), at in 0.0..1.0_f64) {
            let found = quantile(&values, at).unwrap();
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = values.iter().copied().fold(0.0, f64::max);
            prop_assert!(found >= least - 1e-6 && found <= most + 1e-6);
        }
    }
}
