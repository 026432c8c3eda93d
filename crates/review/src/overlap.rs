//! One card seen by two: an agent sees all of a machine, a wrapped job its own time. The same second
//! must not count twice.

use jiff::Timestamp;
use kasuan_model::UsageHour;
use std::{collections::BTreeMap, sync::Arc};

/// Less than this many seconds left over is the difference of two clocks.
const NOTHING: f64 = 2.0;

/// Takes from rows without a job what rows with a job say of the same card in the same hour.
#[must_use]
pub fn without_overlap(usage: Vec<UsageHour>) -> Vec<UsageHour> {
    type Key = (Timestamp, Arc<str>, Arc<str>);
    let key = |hour: &UsageHour| -> Key { (hour.hour, hour.host.clone(), hour.device.clone()) };
    let unnamed: std::collections::BTreeSet<Key> =
        usage.iter().filter(|hour| hour.job.is_empty()).map(key).collect();
    if unnamed.is_empty() {
        return usage;
    }
    let mut named: BTreeMap<Key, UsageHour> = BTreeMap::new();
    for hour in usage.iter().filter(|hour| !hour.job.is_empty()) {
        let key = key(hour);
        if !unnamed.contains(&key) {
            continue;
        }
        match named.get_mut(&key) {
            None => {
                named.insert(key, hour.clone());
            }
            Some(sum) => add(sum, hour, 1.0),
        }
    }
    let left = usage.into_iter().filter_map(|mut hour| {
        if hour.job.is_empty()
            && let Some(taken) = named.get(&key(&hour))
        {
            add(&mut hour, taken, -1.0);
            return (hour.seen > NOTHING).then_some(hour);
        }
        Some(hour)
    });
    left.collect()
}

fn add(sum: &mut UsageHour, more: &UsageHour, sign: f64) {
    for (sum, more) in [
        (&mut sum.seen, more.seen),
        (&mut sum.busy_known, more.busy_known),
        (&mut sum.busy, more.busy),
        (&mut sum.sm_known, more.sm_known),
        (&mut sum.sm, more.sm),
        (&mut sum.power_known, more.power_known),
        (&mut sum.energy, more.energy),
        (&mut sum.memory_known, more.memory_known),
        (&mut sum.memory, more.memory),
    ] {
        *sum = (*sum + sign * more).max(0.0);
    }
    sum.busy = sum.busy.min(sum.busy_known);
    sum.sm = sum.sm.min(sum.sm_known);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_job_saw_of_a_card_is_taken_from_what_the_agent_saw() {
        let row = |device: &str, job: &str, seen: f64, busy: f64| UsageHour {
            host: "box".into(),
            device: device.into(),
            job: job.into(),
            seen,
            busy_known: seen,
            busy,
            ..UsageHour::default()
        };
        let usage = vec![
            row("0", "", 3600.0, 1000.0),
            row("0", "lora", 1200.0, 1000.0),
            row("1", "", 3600.0, 0.0),
            row("2", "", 600.0, 1.0),
            row("2", "eval", 599.0, 1.0),
        ];
        let left = without_overlap(usage);
        let seen: Vec<_> = left.iter().map(|h| (&*h.device, &*h.job, h.seen, h.busy)).collect();
        assert_eq!(
            seen,
            [
                ("0", "", 2400.0, 0.0),
                ("0", "lora", 1200.0, 1000.0),
                ("1", "", 3600.0, 0.0),
                ("2", "eval", 599.0, 1.0)
            ]
        );
    }
}
