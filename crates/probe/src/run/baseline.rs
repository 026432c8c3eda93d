//! Is this run as good as the one before? A change beyond noise is named with its likely cause.

use super::record::{CardRecord, RunRecord};
use kasuan_model::Phrase;

/// A change between two runs of one task.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// What changed.
    pub what: Measure,
    /// Before.
    pub before: f64,
    /// Now.
    pub now: f64,
    /// Whether it is beyond what such runs differ by anyway.
    pub beyond_noise: bool,
    /// Whether now is worse.
    pub worse: bool,
}

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Median seconds for a step.
    StepSeconds,
    /// A rate: what it counts.
    Rate(String),
    /// Mean busy share of the cards.
    Busy,
    /// Peak memory of the fullest card.
    MemoryPeak,
    /// Cost of a step.
    CostPerStep,
    /// Cost of a thousand of what a rate counts.
    CostPerThousand(String),
}

impl Measure {
    /// Returns the key of its word.
    pub const fn key(&self) -> &'static str {
        match self {
            Self::StepSeconds => "baseline-step-seconds",
            Self::Rate(_) => "baseline-rate-any",
            Self::Busy => "baseline-busy",
            Self::MemoryPeak => "baseline-memory",
            Self::CostPerStep => "baseline-cost",
            Self::CostPerThousand(_) => "baseline-cost-thousand-any",
        }
    }
}

/// Two runs of the same work on the same machine differ by this share without any cause. A
/// convention, to be replaced by the spread of the runs themselves where it is known.
const USUAL_NOISE: f64 = 0.03;
/// A change has to be this many standard deviations of the step time.
const DEVIATIONS: f64 = 3.0;

/// Compares two runs.
pub fn compare(before: &RunRecord, now: &RunRecord) -> Vec<Change> {
    let mut changes = Vec::new();
    let step = |run: &RunRecord| run.log.step_seconds_median;
    let mut step_noise = USUAL_NOISE;
    if let (Some(old), Some(new)) = (step(before), step(now)) {
        let spread = before
            .log
            .step_seconds_spread
            .unwrap_or(0.0)
            .max(now.log.step_seconds_spread.unwrap_or(0.0));
        let noise =
            (USUAL_NOISE * old).max(spread / (steps(now).min(steps(before))).sqrt() * DEVIATIONS);
        step_noise = noise / old.max(f64::MIN_POSITIVE);
        changes.push(change(Measure::StepSeconds, old, new, noise, true));
    }
    for (unit, old) in &before.log.rates {
        if let Some(new) = now.log.rates.get(unit) {
            changes.push(change(Measure::Rate(unit.clone()), *old, *new, USUAL_NOISE * old, false));
        }
    }
    if let (Some(old), Some(new)) = (busy(before), busy(now)) {
        // The driver's share is coarse: five points are nothing.
        changes.push(change(Measure::Busy, old, new, 5.0, false));
    }
    if let (Some(old), Some(new)) = (peak(before), peak(now)) {
        changes.push(change(Measure::MemoryPeak, old, new, USUAL_NOISE * old, true));
    }
    if before.currency == now.currency {
        if let (Some(old), Some(new)) = (cost_per_step(before), cost_per_step(now)) {
            changes.push(change(Measure::CostPerStep, old, new, step_noise * old, true));
        }
        for (unit, old) in costs_per_thousand(before) {
            if let Some((_, new)) =
                costs_per_thousand(now).into_iter().find(|(other, _)| *other == unit)
            {
                let noise = USUAL_NOISE * old;
                changes.push(change(Measure::CostPerThousand(unit), old, new, noise, true));
            }
        }
    }
    changes
}

fn steps(run: &RunRecord) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts of steps are far below 2^53")]
    run.log.steps.map_or(1.0, |steps| (steps as f64).max(1.0))
}

fn change(what: Measure, before: f64, now: f64, noise: f64, more_is_worse: bool) -> Change {
    let difference = now - before;
    Change {
        what,
        before,
        now,
        beyond_noise: difference.abs() > noise,
        worse: if more_is_worse { difference > 0.0 } else { difference < 0.0 },
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    #[expect(clippy::cast_precision_loss, reason = "a job has few cards")]
    let count = values.len() as f64;
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / count)
}

/// Returns the mean busy share of a run's cards, 0 to 100.
pub fn busy(run: &RunRecord) -> Option<f64> {
    mean(run.cards.iter().filter_map(|card| card.busy_mean))
}

/// Returns the peak memory of the fullest card in bytes.
#[expect(clippy::cast_precision_loss, reason = "card memory is far below 2^53")]
pub fn peak(run: &RunRecord) -> Option<f64> {
    run.cards.iter().filter_map(|card| card.memory_peak_bytes).max().map(|bytes| bytes as f64)
}

fn cost_per_second(run: &RunRecord) -> Option<f64> {
    let cost: f64 = run.cost.as_ref()?.parse().ok()?;
    (run.seconds > 0.0).then(|| cost / run.seconds)
}

/// Returns what a step costs at the run's pace, in the run's currency. Not the whole cost over the
/// steps: of a short run that is mostly loading and compiling.
pub fn cost_per_step(run: &RunRecord) -> Option<f64> {
    Some(cost_per_second(run)? * run.log.step_seconds_median?)
}

/// Returns what a thousand of each thing that the log counted cost at the run's pace.
pub fn costs_per_thousand(run: &RunRecord) -> Vec<(String, f64)> {
    let Some(second) = cost_per_second(run) else { return Vec::new() };
    let rates = run.log.rates.iter().filter(|(_, rate)| **rate > 0.0);
    rates.map(|(unit, rate)| (unit.clone(), second / rate * 1000.0)).collect()
}

/// Returns the run's cards in words: `A + A`.
pub fn cards(run: &RunRecord) -> String {
    let names = run.cards.iter().map(|card| card.name.clone().unwrap_or_else(|| "?".to_owned()));
    names.collect::<Vec<_>>().join(" + ")
}

/// Names what most likely made the difference, most telling first; empty where nothing differs.
pub fn causes(before: &RunRecord, now: &RunRecord) -> Vec<Phrase> {
    let mut causes = Vec::new();
    if let Some(scaling) = scaling(before, now) {
        causes.push(
            Phrase::new("baseline-cause-count")
                .with("before", scaling.cards.0)
                .with("now", scaling.cards.1),
        );
    } else if cards(before) != cards(now) {
        causes.push(
            Phrase::new("baseline-cause-cards")
                .with("before", cards(before))
                .with("now", cards(now)),
        );
    }
    if now.cards.iter().any(|card| card.lost) {
        causes.push(Phrase::new("baseline-cause-lost"));
    }
    if held_back(now) > held_back(before) + 0.05 {
        causes.push(Phrase::new("baseline-cause-throttled"));
    }
    let limit = |run: &RunRecord| mean(run.cards.iter().filter_map(|card| card.watts_limit));
    if let (Some(old), Some(new)) = (limit(before), limit(now))
        && new < old * 0.98
    {
        causes.push(
            Phrase::new("baseline-cause-power")
                .with("before", format!("{old:.0}"))
                .with("now", format!("{new:.0}")),
        );
    }
    for (name, old) in &before.environment {
        if let Some(new) = now.environment.get(name)
            && new != old
        {
            causes.push(
                Phrase::new("baseline-cause-environment")
                    .with("name", name)
                    .with("before", old)
                    .with("now", new),
            );
        }
    }
    if before.command != now.command {
        causes.push(Phrase::new("baseline-cause-command"));
    }
    if let (Some(old), Some(new)) = (busy(before), busy(now))
        && new < old - 5.0
    {
        causes.push(Phrase::new("baseline-cause-waiting"));
    }
    causes
}

/// What another number of the same cards brought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// Cards before and now.
    pub cards: (usize, usize),
    /// Work in a second now, as a multiple of before.
    pub throughput: f64,
    /// Of what the added cards should have brought; 1 is all of it.
    pub efficiency: f64,
    /// Cost of the same work now, as a multiple of before, when each card costs the same.
    pub cost: f64,
    /// Whether the log told no rate, so that each card was taken to work on a batch of its own in
    /// every step, which is how data-parallel training is started.
    pub by_steps: bool,
}

/// Compares two runs on different numbers of the same card; `None` where it is another card, the
/// same number, or nothing tells how fast they were.
pub fn scaling(before: &RunRecord, now: &RunRecord) -> Option<Scaling> {
    let names = |run: &RunRecord| {
        let mut names: Vec<_> = run.cards.iter().map(|card| card.name.clone()).collect();
        names.dedup();
        names
    };
    let counts = (before.cards.len(), now.cards.len());
    if counts.0 == counts.1 || names(before).len() != 1 || names(before) != names(now) {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "a job has few cards")]
    let more = counts.1 as f64 / counts.0 as f64;
    let told = before.log.rates.iter().find_map(|(unit, old)| {
        now.log.rates.get(unit).filter(|_| *old > 0.0).map(|new| new / old)
    });
    let by_steps = told.is_none();
    let throughput = match told {
        Some(ratio) => ratio,
        None => {
            let step = |run: &RunRecord| run.log.step_seconds_median.filter(|step| *step > 0.0);
            step(before)? / step(now)? * more
        }
    };
    (throughput > 0.0).then(|| Scaling {
        cards: counts,
        throughput,
        efficiency: throughput / more,
        cost: more / throughput,
        by_steps,
    })
}

#[expect(clippy::cast_precision_loss, reason = "counts of samples are far below 2^53")]
fn held_back(run: &RunRecord) -> f64 {
    let most = run.cards.iter().map(|card: &CardRecord| card.throttled_samples).max().unwrap_or(0);
    if run.samples == 0 { 0.0 } else { most as f64 / run.samples as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(step: f64, busy: f64, driver: &str) -> RunRecord {
        let mut record = RunRecord { version: 1, samples: 100, ..RunRecord::default() };
        record.log.steps = Some(1000);
        record.log.step_seconds_median = Some(step);
        record.log.step_seconds_spread = Some(step * 0.02);
        record.cards.push(CardRecord {
            busy_mean: Some(busy),
            name: Some("A".to_owned()),
            ..CardRecord::default()
        });
        record.environment.insert("driver".to_owned(), driver.to_owned());
        record
    }

    #[test]
    fn two_per_cent_is_noise_and_twenty_is_not() {
        let before = run(1.0, 95.0, "550");
        let noise = compare(&before, &run(1.02, 95.0, "550"));
        assert!(noise.iter().all(|change| !change.beyond_noise), "{noise:?}");
        let slower = compare(&before, &run(1.2, 80.0, "550"));
        assert!(slower.iter().all(|change| change.beyond_noise && change.worse), "{slower:?}");
    }

    #[test]
    fn a_change_has_its_likely_cause_beside_it() {
        let causes = causes(&run(1.0, 95.0, "550"), &run(1.2, 80.0, "570"));
        let keys: Vec<_> = causes.iter().map(Phrase::key).collect();
        assert_eq!(keys, ["baseline-cause-environment", "baseline-cause-waiting"]);
    }

    fn on_cards(count: usize, step: f64) -> RunRecord {
        let mut record = run(step, 95.0, "550");
        record.cards = vec![record.cards.remove(0); count];
        record
    }

    #[test]
    fn fx_044_two_cards_without_a_fast_link_do_less_than_one() {
        let found = scaling(&on_cards(1, 51.82), &on_cards(2, 124.55)).unwrap();
        assert!((found.throughput - 0.83).abs() < 0.005, "{found:?}");
        assert!((found.cost - 2.4).abs() < 0.01, "{found:?}");
        assert!(found.by_steps);
    }

    #[test]
    fn fx_045_two_cards_at_61_per_cent_make_a_sample_63_per_cent_dearer() {
        let found = scaling(&on_cards(1, 1.27), &on_cards(2, 2.07)).unwrap();
        assert!((found.throughput - 1.227).abs() < 0.001, "{found:?}");
        assert!((found.efficiency - 0.61).abs() < 0.005, "{found:?}");
        assert!((found.cost - 1.63).abs() < 0.005, "{found:?}");
    }

    #[test]
    fn a_rate_that_the_log_told_counts_more_than_the_step_time() {
        let (mut one, mut two) = (on_cards(1, 1.0), on_cards(2, 1.0));
        one.log.rates.insert("tokens".to_owned(), 1000.0);
        two.log.rates.insert("tokens".to_owned(), 1500.0);
        let found = scaling(&one, &two).unwrap();
        assert!((found.throughput - 1.5).abs() < 1e-9 && !found.by_steps, "{found:?}");
        assert_eq!(scaling(&one, &one), None);
    }
}
