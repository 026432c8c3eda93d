//! The hours that the answers make: one row an hour, card and job, whichever exporters saw the card.

use super::{
    Exporter, Gauge,
    question::{
        BATCH, CARD, CONTAINER, HOST, Labels, NAME, NAMESPACE, PERSON, POD, Question, SLICE, Sum,
    },
};
use jiff::Timestamp;
use kasuan_model::{CardId, Phrase, Phrased, UsageHour};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const HOUR: f64 = 3600.0;

/// Why an answer cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FleetError {
    /// What answered is no server of Prometheus' API.
    #[error("the answer is none of Prometheus' API")]
    Foreign(String),
    /// The server refused the question, and why.
    #[error("the server refused: {reason}")]
    Refused {
        /// `bad_data`, `execution`, `timeout`...
        kind: String,
        /// The server's words.
        reason: String,
    },
}

impl Phrased for FleetError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Foreign(text) => Phrase::new("fleet-error-foreign").with("text", text),
            Self::Refused { reason, .. } => {
                Phrase::new("fleet-error-refused").with("reason", reason)
            }
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        match self {
            Self::Foreign(_) => vec![Phrase::new("fleet-hint-foreign")],
            Self::Refused { .. } => vec![Phrase::new("fleet-hint-refused")],
        }
    }
}

type Text = BTreeMap<String, String>;

/// A row to be: hour, card, exporter, job and person.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    hour: i64,
    device: String,
    exporter: Exporter,
    job: String,
    person: String,
}

#[derive(Clone, Copy, Default)]
struct Stat {
    mean: Option<f64>,
    seconds: f64,
    peak: Option<f64>,
}

#[derive(Clone, Default)]
struct Device {
    host: String,
    name: Option<String>,
}

/// Collects the answers of a page.
pub struct Hours {
    labels: Labels,
    rows: BTreeMap<Key, BTreeMap<(Gauge, &'static str, Text), Stat>>,
    devices: BTreeMap<String, Device>,
    exporters: BTreeSet<Exporter>,
}

impl Hours {
    /// Starts with nothing.
    pub const fn new(labels: Labels) -> Self {
        Self { labels, rows: BTreeMap::new(), devices: BTreeMap::new(), exporters: BTreeSet::new() }
    }

    /// Names the exporters that told anything.
    pub fn exporters(&self) -> Vec<&'static str> {
        self.exporters.iter().map(|exporter| exporter.name()).collect()
    }

    /// Reads the names of metrics that a server has.
    pub fn names(answer: &str) -> Result<BTreeSet<String>, FleetError> {
        let data = data(answer)?;
        let names = data.as_array().into_iter().flatten();
        Ok(names.filter_map(Value::as_str).map(str::to_owned).collect())
    }

    /// Reads the answer to a question.
    pub fn add(&mut self, question: &Question, answer: &str) -> Result<(), FleetError> {
        let data = data(answer)?;
        for series in data["result"].as_array().into_iter().flatten() {
            let labels: Text = series["metric"]
                .as_object()
                .into_iter()
                .flatten()
                .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
                .collect();
            let points = series["values"].as_array().into_iter().flatten();
            let points = points.filter_map(|point| {
                let value: f64 = point[1].as_str()?.parse().ok()?;
                Some((point[0].as_f64()?, value))
                    .filter(|(at, value)| value.is_finite() && (0.0..1e11).contains(at))
            });
            self.add_series(question, &labels, points);
        }
        Ok(())
    }

    fn add_series(
        &mut self,
        question: &Question,
        labels: &Text,
        points: impl Iterator<Item = (f64, f64)>,
    ) {
        let host = match &self.labels.host {
            Some(own) => labels.get(own).cloned().unwrap_or_default(),
            None => label(labels, HOST).map(without_port).unwrap_or_default(),
        };
        let Some(device) = label(labels, CARD).map(|card| device(card, &host)) else { return };
        let known = self.devices.entry(device.clone()).or_default();
        if known.host.is_empty() || question.exporter == Exporter::Dcgm {
            known.host = host;
        }
        if known.name.is_none() {
            known.name = label(labels, NAME).map(str::to_owned);
        }
        if question.gauge == Gauge::Info {
            return;
        }
        self.exporters.insert(question.exporter);
        let own = |name: &Option<String>| Some(labels.get(name.as_ref()?)?.clone());
        let job = match &self.labels.job {
            Some(_) => own(&self.labels.job).unwrap_or_default(),
            None => usual_job(labels),
        };
        let person = match &self.labels.person {
            Some(_) => own(&self.labels.person).unwrap_or_default(),
            None => label(labels, PERSON).unwrap_or_default().to_owned(),
        };
        let gauge = if label(labels, SLICE).is_some() { Gauge::Slice } else { question.gauge };
        let key = Key { hour: 0, device, exporter: question.exporter, job, person };
        for (at, value) in points {
            #[expect(clippy::cast_possible_truncation, reason = "in the range of the filter above")]
            let hour = (at.ceil() as i64 - 1).div_euclid(3600) * 3600;
            let row = self.rows.entry(Key { hour, ..key.clone() }).or_default();
            let stat = row.entry((gauge, question.metric, labels.clone())).or_default();
            let value = value * question.factor;
            match question.sum {
                Sum::Mean => stat.mean = Some(value),
                Sum::Seconds => stat.seconds = value.min(HOUR),
                Sum::Peak => stat.peak = Some(value),
            }
        }
    }

    /// Returns the hours, in order. `card` finds the card that a driver's name means. Where several
    /// exporters saw a card in an hour, the one that saw it longest counts, and no other. A card that
    /// several jobs shared is split between them by the time that each was seen on it.
    pub fn finish(self, card: &dyn Fn(&str) -> Option<CardId>) -> Vec<UsageHour> {
        let mut cards: BTreeMap<(i64, String), BTreeMap<Exporter, Vec<UsageHour>>> =
            BTreeMap::new();
        for (key, stats) in &self.rows {
            let device = self.devices.get(&key.device).cloned().unwrap_or_default();
            let Ok(hour) = Timestamp::from_second(key.hour) else { continue };
            let row = UsageHour {
                hour,
                host: device.host.into(),
                device: key.device.as_str().into(),
                card: device.name.as_deref().and_then(card),
                job: key.job.as_str().into(),
                person: key.person.as_str().into(),
                ..fold(stats)
            };
            if row.seen > 0.0 {
                let seen = cards.entry((key.hour, key.device.clone())).or_default();
                seen.entry(key.exporter).or_default().push(row);
            }
        }
        let mut hours = Vec::new();
        for exporters in cards.into_values() {
            let seen = |rows: &[UsageHour]| rows.iter().map(|row| row.seen).sum::<f64>();
            let mut best: Option<(f64, Vec<UsageHour>)> = None;
            for rows in exporters.into_values() {
                let time = seen(&rows).min(HOUR);
                if best.as_ref().is_none_or(|(most, _)| time > *most) {
                    best = Some((time, rows));
                }
            }
            let Some((_, mut rows)) = best else { continue };
            let share = HOUR / seen(&rows);
            if share < 1.0 {
                rows.iter_mut().for_each(|row| scale(row, share));
            }
            hours.extend(rows);
        }
        hours
    }
}

/// Joins the series of one row: names before and after a change of names add up, two names for the
/// same time count once.
fn fold(stats: &BTreeMap<(Gauge, &'static str, Text), Stat>) -> UsageHour {
    let joined = |gauge: Gauge| {
        let of = stats.iter().filter(|((own, _, _), _)| *own == gauge).map(|(_, stat)| *stat);
        let mut of: Vec<Stat> = of.collect();
        of.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        let (mut seconds, mut sum, mut peak) = (0.0, 0.0, None::<f64>);
        for stat in of {
            peak = peak.into_iter().chain(stat.peak).reduce(f64::max);
            let fits = seconds + stat.seconds <= HOUR;
            if let Some(mean) = stat.mean.filter(|_| fits) {
                seconds += stat.seconds;
                sum += mean * stat.seconds;
            }
        }
        (seconds, sum, peak)
    };
    let mean = |gauge: Gauge| {
        let of = stats.iter().filter(|((own, _, _), _)| *own == gauge);
        of.filter_map(|(_, stat)| stat.mean).reduce(f64::max)
    };
    let (slices, ..) = joined(Gauge::Slice);
    let (busy_known, busy, _) = if slices > 0.0 { (0.0, 0.0, None) } else { joined(Gauge::Busy) };
    let (sm_known, sm, _) = joined(Gauge::Sm);
    let (power_known, energy, _) = joined(Gauge::Power);
    let (memory_known, memory, peak) = joined(Gauge::MemoryUsed);
    let free = mean(Gauge::MemoryFree).zip(mean(Gauge::MemoryUsed));
    let total = mean(Gauge::MemoryTotal).or_else(|| free.map(|(free, used)| free + used));
    let known = [slices, busy_known, sm_known, power_known, memory_known];
    UsageHour {
        seen: known.into_iter().fold(0.0, f64::max),
        busy_known,
        busy,
        sm_known,
        sm,
        power_known,
        energy,
        memory_known,
        memory,
        memory_peak: peak.unwrap_or(0.0),
        memory_total: total.unwrap_or(0.0),
        ..UsageHour::default()
    }
}

fn scale(row: &mut UsageHour, share: f64) {
    for figure in [
        &mut row.seen,
        &mut row.busy_known,
        &mut row.busy,
        &mut row.sm_known,
        &mut row.sm,
        &mut row.power_known,
        &mut row.energy,
        &mut row.memory_known,
        &mut row.memory,
    ] {
        *figure *= share;
    }
}

fn data(answer: &str) -> Result<Value, FleetError> {
    let foreign = || FleetError::Foreign(answer.chars().take(80).collect());
    let mut read: Value = serde_json::from_str(answer).map_err(|_| foreign())?;
    match read["status"].as_str() {
        Some("success") => Ok(read["data"].take()),
        Some("error") => Err(FleetError::Refused {
            kind: read["errorType"].as_str().unwrap_or_default().to_owned(),
            reason: read["error"].as_str().unwrap_or("?").to_owned(),
        }),
        _ => Err(foreign()),
    }
}

fn label<'a>(labels: &'a Text, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| labels.get(*name)).map(String::as_str).filter(|t| !t.is_empty())
}

fn without_port(host: &str) -> String {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            name.trim_matches(['[', ']']).to_owned()
        }
        _ => host.to_owned(),
    }
}

/// Names a card: by its UUID, as the driver writes it, else by its place in its host.
fn device(card: &str, host: &str) -> String {
    let bare = card.len() == 36 && card.bytes().filter(|byte| *byte == b'-').count() == 4;
    if bare {
        format!("GPU-{card}")
    } else if card.len() > 6 && card.contains('-') {
        card.to_owned()
    } else {
        format!("{host}/{card}")
    }
}

/// Names the job that had a card: the pod, unless it is the exporter's own, else the batch job.
fn usual_job(labels: &Text) -> String {
    let own = |text: &str| text.contains("exporter") || text.contains("kasuan-agent");
    let pod = label(labels, POD).filter(|pod| !own(pod));
    let pod = pod.filter(|_| !label(labels, CONTAINER).is_some_and(own));
    match (pod, label(labels, NAMESPACE)) {
        (Some(pod), Some(namespace)) => format!("{namespace}/{pod}"),
        (Some(pod), None) => pod.to_owned(),
        (None, _) => label(labels, BATCH).unwrap_or_default().to_owned(),
    }
}
