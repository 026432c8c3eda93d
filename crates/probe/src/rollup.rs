//! Samples summed into hours of cards, as the ledger keeps them.

use crate::capture::{GpuSample, Snapshot};
use jiff::Timestamp;
use kasuan_formats::columnar::Sample;
use kasuan_model::{CardId, UsageHour};
use std::collections::BTreeMap;

/// Whose samples they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// The host, unless a sample names another.
    pub host: String,
    /// The job, unless a sample names an owner; empty when none is known.
    pub job: String,
    /// Who ran it; empty when not known.
    pub person: String,
}

type Key = (Timestamp, String, String, String);

/// Hours that are being filled.
#[derive(Debug)]
pub struct Rollup {
    owner: Owner,
    cards: BTreeMap<String, Option<CardId>>,
    hours: BTreeMap<Key, (UsageHour, u64)>,
}

impl Rollup {
    /// Starts with nothing.
    pub const fn new(owner: Owner) -> Self {
        Self { owner, cards: BTreeMap::new(), hours: BTreeMap::new() }
    }

    /// Adds a sample that stands for `seconds` from `at` on. `card` finds the card that a driver's
    /// name means; it is asked once for each name.
    pub fn add(
        &mut self,
        at: Timestamp,
        seconds: f64,
        snapshot: &Snapshot,
        card: &dyn Fn(&str) -> Option<CardId>,
    ) {
        for gpu in snapshot.gpus.iter().filter(|gpu| gpu.slice.is_none()) {
            let (mut from, mut left) = (at.as_second(), seconds);
            // A sample that stands for time in two hours is split between them.
            while left > 0.0 {
                let hour = from.div_euclid(3600) * 3600;
                #[expect(clippy::cast_precision_loss, reason = "at most an hour of seconds")]
                let room = (hour + 3600 - from) as f64;
                let part = left.min(room);
                self.add_part(from, part, gpu, card);
                left -= part;
                from = hour + 3600;
            }
        }
    }

    fn add_part(
        &mut self,
        from: i64,
        seconds: f64,
        gpu: &GpuSample,
        card: &dyn Fn(&str) -> Option<CardId>,
    ) {
        let second = from.rem_euclid(3600);
        let Ok(hour) = Timestamp::from_second(from - second) else { return };
        let (device, host, job) = (device(gpu), self.host(gpu), self.job(gpu));
        let id = gpu
            .name
            .as_ref()
            .and_then(|name| self.cards.entry(name.clone()).or_insert_with(|| card(name)).clone());
        let person = self.owner.person.clone();
        let key = (hour, host.clone(), device.clone(), job.clone());
        let (row, minutes) = self.hours.entry(key).or_insert_with(|| {
            let row = UsageHour {
                hour,
                host: host.into(),
                device: device.into(),
                job: job.into(),
                person: person.into(),
                ..UsageHour::default()
            };
            (row, 0)
        });
        #[expect(clippy::cast_possible_truncation, reason = "a part lies within its hour")]
        let last = (second + (seconds.ceil() as i64 - 1).max(0)).min(3599);
        for minute in second / 60..=last / 60 {
            *minutes |= 1 << minute;
        }
        row.card = id.or_else(|| row.card.take());
        row.seen += seconds;
        if let Some(busy) = gpu.busy.filter(|_| !gpu.mig_parent) {
            row.busy_known += seconds;
            row.busy += busy / 100.0 * seconds;
        }
        if let Some(active) = gpu.sm_active {
            row.sm_known += seconds;
            row.sm += active * seconds;
        }
        if let Some(watts) = gpu.power_watts {
            row.power_known += seconds;
            row.energy += watts * seconds;
        }
        #[expect(clippy::cast_precision_loss, reason = "card memory is far below 2^53")]
        if let Some(used) = gpu.memory_used {
            let used = used.get() as f64;
            row.memory_known += seconds;
            row.memory += used * seconds;
            row.memory_peak = row.memory_peak.max(used);
        }
        #[expect(clippy::cast_precision_loss, reason = "card memory is far below 2^53")]
        if let Some(total) = gpu.memory_total {
            row.memory_total = row.memory_total.max(total.get() as f64);
        }
    }

    /// Returns the rows in which a sample that stands for `seconds` from `at` on is kept as it was.
    pub fn raw(&self, at: Timestamp, seconds: f64, snapshot: &Snapshot) -> Vec<Sample> {
        let whole = snapshot.gpus.iter().filter(|gpu| gpu.slice.is_none());
        let bytes = |bytes: kasuan_model::Bytes| i64::try_from(bytes.get()).ok();
        let rows = whole.map(|gpu| Sample {
            at: at.as_millisecond(),
            seconds,
            host: self.host(gpu),
            device: device(gpu),
            card: gpu.name.clone(),
            job: self.job(gpu),
            person: self.owner.person.clone(),
            busy: gpu.busy.filter(|_| !gpu.mig_parent).map(|busy| busy / 100.0),
            sm: gpu.sm_active,
            watts: gpu.power_watts,
            memory_used: gpu.memory_used.and_then(bytes),
            memory_total: gpu.memory_total.and_then(bytes),
        });
        rows.collect()
    }

    fn host(&self, gpu: &GpuSample) -> String {
        gpu.host.clone().unwrap_or_else(|| self.owner.host.clone())
    }

    fn job(&self, gpu: &GpuSample) -> String {
        match &gpu.owner {
            Some(owner) if self.owner.job.is_empty() => owner.clone(),
            _ => self.owner.job.clone(),
        }
    }

    /// Says whether nothing was added since the last [`Self::take`].
    pub fn is_empty(&self) -> bool {
        self.hours.is_empty()
    }

    /// Takes what was summed, in order of time.
    pub fn take(&mut self) -> Vec<UsageHour> {
        self.take_with_minutes().into_iter().map(|(hour, _)| hour).collect()
    }

    /// As [`Self::take`], with the minutes of each hour that samples stood for, as bits.
    pub fn take_with_minutes(&mut self) -> Vec<(UsageHour, u64)> {
        std::mem::take(&mut self.hours).into_values().collect()
    }
}

/// Names a card by its UUID, else by its number.
fn device(gpu: &GpuSample) -> String {
    let index = gpu.index.map(|index| index.to_string());
    gpu.uuid.clone().or(index).unwrap_or_default()
}

/// Returns a kept sample as the snapshot that it was taken from, of one card.
pub fn snapshot(sample: &Sample) -> Snapshot {
    let bytes = |bytes: i64| u64::try_from(bytes).ok().map(kasuan_model::Bytes::new);
    let gpu = GpuSample {
        uuid: Some(sample.device.clone()),
        name: sample.card.clone(),
        host: Some(sample.host.clone()).filter(|host| !host.is_empty()),
        owner: Some(sample.job.clone()).filter(|job| !job.is_empty()),
        busy: sample.busy.map(|busy| busy * 100.0),
        sm_active: sample.sm,
        power_watts: sample.watts,
        memory_used: sample.memory_used.and_then(bytes),
        memory_total: sample.memory_total.and_then(bytes),
        ..GpuSample::default()
    };
    Snapshot { gpus: vec![gpu], ..Snapshot::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_over_the_hour_is_split_and_unknown_adds_no_known_time() {
        let mut rollup = Rollup::new(Owner { host: "box".to_owned(), ..Owner::default() });
        let gpu = |busy| GpuSample {
            index: Some(0),
            name: Some("RTX 4090".to_owned()),
            busy,
            ..GpuSample::default()
        };
        let seen = |busy| Snapshot { gpus: vec![gpu(busy)], ..Snapshot::default() };
        let at = |second| Timestamp::from_second(second).unwrap();
        let card = |_: &str| Some(CardId::new("rtx-4090"));
        rollup.add(at(3_590), 30.0, &seen(Some(50.0)), &card);
        rollup.add(at(3_620), 10.0, &seen(None), &card);
        let hours = rollup.take();
        assert_eq!(hours.len(), 2);
        assert_eq!((hours[0].seen, hours[0].busy), (10.0, 5.0));
        assert_eq!((hours[1].seen, hours[1].busy_known, hours[1].busy), (30.0, 20.0, 10.0));
        assert!(rollup.is_empty());
    }
}
