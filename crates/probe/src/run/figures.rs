//! A baseline as figures by name, for a ledger that outlives the box; and back again.

use super::{
    baseline::cards,
    record::{CardRecord, RunRecord},
};
use std::collections::BTreeMap;

/// A baseline without what only the box needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// The cards in words, `A + A`; empty where none was seen.
    pub cards: String,
    /// Figures by name: `step_seconds`, `rate:tokens`, `cost:CNY`, `memory_peak_bytes`...
    pub figures: BTreeMap<String, f64>,
    /// The environment and the command, as JSON.
    pub environment: String,
}

/// The name under which the command stands among the environment.
const COMMAND: &str = "command";

/// Writes a record as figures.
#[expect(clippy::cast_precision_loss, reason = "counts and bytes of a run are far below 2^53")]
pub fn figures(run: &RunRecord) -> Figures {
    let mut figures = BTreeMap::new();
    let mut put = |name: &str, value: Option<f64>| {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            figures.insert(name.to_owned(), value);
        }
    };
    put("seconds", Some(run.seconds));
    put("samples", Some(run.samples as f64));
    put("steps", run.log.steps.map(|steps| steps as f64));
    put("step_seconds", run.log.step_seconds_median);
    put("step_seconds_spread", run.log.step_seconds_spread);
    put("own_metric", run.log.own);
    put("resident_peak_bytes", run.resident_peak_bytes.map(|bytes| bytes as f64));
    for (unit, rate) in &run.log.rates {
        put(&format!("rate:{unit}"), Some(*rate));
    }
    if let (Some(cost), Some(currency)) = (&run.cost, &run.currency) {
        put(&format!("cost:{currency}"), cost.parse().ok());
    }
    for (at, card) in run.cards.iter().enumerate() {
        put(&format!("card{at}:busy_mean"), card.busy_mean);
        put(&format!("card{at}:memory_peak_bytes"), card.memory_peak_bytes.map(|b| b as f64));
        put(&format!("card{at}:memory_total_bytes"), card.memory_total_bytes.map(|b| b as f64));
        put(&format!("card{at}:watts_mean"), card.watts_mean);
        put(&format!("card{at}:watts_limit"), card.watts_limit);
        put(&format!("card{at}:throttled_samples"), Some(card.throttled_samples as f64));
    }
    let mut environment = run.environment.clone();
    // A list in JSON cannot be mistaken for the words of a command with blanks in them.
    let command = serde_json::to_string(&run.command).unwrap_or_default();
    environment.insert(COMMAND.to_owned(), command);
    let environment = serde_json::to_string(&environment).unwrap_or_default();
    Figures { cards: cards(run), figures, environment }
}

/// Reads figures back into a record of a task, as far as a comparison needs it.
pub fn record(task: &str, kept: &Figures) -> RunRecord {
    let get = |name: &str| kept.figures.get(name).copied();
    let count = |name: &str| get(name).map(whole);
    let mut environment: BTreeMap<String, String> =
        serde_json::from_str(&kept.environment).unwrap_or_default();
    let command = environment.remove(COMMAND).unwrap_or_default();
    let mut run = RunRecord {
        version: 1,
        task: task.to_owned(),
        command: serde_json::from_str(&command).unwrap_or_default(),
        seconds: get("seconds").unwrap_or(0.0),
        exit_code: Some(0),
        samples: count("samples").unwrap_or(0),
        resident_peak_bytes: count("resident_peak_bytes"),
        environment,
        ..RunRecord::default()
    };
    run.log.steps = count("steps");
    run.log.step_seconds_median = get("step_seconds");
    run.log.step_seconds_spread = get("step_seconds_spread");
    run.log.own = get("own_metric");
    for (name, value) in &kept.figures {
        if let Some(unit) = name.strip_prefix("rate:") {
            run.log.rates.insert(unit.to_owned(), *value);
        } else if let Some(currency) = name.strip_prefix("cost:") {
            run.cost = Some(value.to_string());
            run.currency = Some(currency.to_owned());
        }
    }
    let names = kept.cards.split(" + ").filter(|name| !name.is_empty());
    run.cards = names
        .enumerate()
        .map(|(at, name)| CardRecord {
            id: at.to_string(),
            name: (name != "?").then(|| name.to_owned()),
            busy_mean: get(&format!("card{at}:busy_mean")),
            memory_peak_bytes: count(&format!("card{at}:memory_peak_bytes")),
            memory_total_bytes: count(&format!("card{at}:memory_total_bytes")),
            watts_mean: get(&format!("card{at}:watts_mean")),
            watts_limit: get(&format!("card{at}:watts_limit")),
            throttled_samples: count(&format!("card{at}:throttled_samples")).unwrap_or(0),
            ..CardRecord::default()
        })
        .collect();
    run
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "was written from a whole number; a cast holds at the bounds"
)]
fn whole(value: f64) -> u64 {
    value.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::baseline::{causes, compare};

    fn run(step: f64) -> RunRecord {
        let mut run = RunRecord {
            version: 1,
            task: "lora".to_owned(),
            command: vec!["python".to_owned(), "a b.py".to_owned()],
            seconds: 600.0,
            exit_code: Some(0),
            samples: 120,
            cost: Some("2.5".to_owned()),
            currency: Some("CNY".to_owned()),
            ..RunRecord::default()
        };
        run.log.steps = Some(500);
        run.log.step_seconds_median = Some(step);
        run.log.rates.insert("tokens".to_owned(), 2000.0 / step);
        for busy in [91.0, 97.0] {
            run.cards.push(CardRecord {
                id: format!("GPU-{busy}"),
                name: Some("NVIDIA A100-SXM4-80GB".to_owned()),
                busy_mean: Some(busy),
                memory_peak_bytes: Some(40 << 30),
                watts_limit: Some(400.0),
                throttled_samples: 7,
                ..CardRecord::default()
            });
        }
        run.environment.insert("driver".to_owned(), "550.54.15".to_owned());
        run
    }

    #[test]
    fn a_baseline_from_the_ledger_compares_as_the_record_that_it_came_from() {
        let (before, mut now) = (run(1.0), run(1.3));
        now.environment.insert("driver".to_owned(), "570.00".to_owned());
        let back = record("lora", &figures(&before));
        assert_eq!(compare(&back, &now), compare(&before, &now));
        assert_eq!(causes(&back, &now), causes(&before, &now));
        assert!(compare(&back, &now).len() >= 5, "nothing was compared");
        assert_eq!(causes(&back, &before), [], "the same run has no cause to differ");
    }
}
