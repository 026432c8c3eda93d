//! The questions: PromQL that sums each card's hour on the server, so that a month of a fleet comes
//! back as one number an hour and not as samples.

use super::{Exporter, Gauge};
use crate::capture::gauges;
use std::{collections::BTreeSet, fmt::Write as _};

/// The name of every card by nvidia_gpu_exporter, whose other series have only the UUID.
const INFO: &str = "nvidia_smi_gpu_info";

/// The labels by which exporters and their scrape jobs name a card, its machine and who has it.
/// `exported_` goes before, because Prometheus renames what the exporter said when its own label
/// has that name.
pub(super) const CARD: &[&str] =
    &["UUID", "uuid", "gpu_uuid", "gpu", "index", "minor_number", "device"];
pub(super) const NAME: &[&str] = &["modelName", "devicename", "name"];
pub(super) const HOST: &[&str] = &["Hostname", "hostname", "kubernetes_node", "node", "instance"];
pub(super) const SLICE: &[&str] = &["GPU_I_ID", "gpu_instance_id", "slice"];
pub(super) const NAMESPACE: &[&str] = &["exported_namespace", "namespace"];
pub(super) const POD: &[&str] = &["exported_pod", "pod"];
pub(super) const CONTAINER: &[&str] = &["exported_container", "container"];
pub(super) const BATCH: &[&str] = &["hpc_job", "job_id", "jobid", "slurm_job_id"];
pub(super) const PERSON: &[&str] = &["user", "username"];

/// Labels that a site names otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// The label that holds the host.
    pub host: Option<String>,
    /// The label that holds the job that had the card.
    pub job: Option<String>,
    /// The label that holds who had it.
    pub person: Option<String>,
}

impl Labels {
    fn by(&self) -> String {
        let usual = [CARD, NAME, HOST, SLICE, NAMESPACE, POD, CONTAINER, BATCH, PERSON].concat();
        let own = [&self.host, &self.job, &self.person];
        let own = own.into_iter().flatten().map(String::as_str);
        let all: BTreeSet<&str> = usual.into_iter().chain(own).collect();
        all.into_iter().collect::<Vec<_>>().join(",")
    }

    /// Returns the first of the own labels that is not a label's name.
    pub fn malformed(&self) -> Option<&str> {
        let fine = |name: &str| {
            !name.starts_with(|c: char| c.is_ascii_digit())
                && !name.is_empty()
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        [&self.host, &self.job, &self.person]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .find(|name| !fine(name))
    }
}

/// Hours that are asked for at once. Each hour is asked for at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// The end of the first hour, in seconds since 1970.
    pub first: i64,
    /// The end of the last hour.
    pub last: i64,
    /// How much of the hour before each end is asked for: an hour, or less of the hour that runs.
    pub window: i64,
}

impl Page {
    /// Whole hours from `from`, which begins an hour, to `to`.
    pub const fn whole(from: i64, to: i64) -> Self {
        Self { first: from + 3600, last: to, window: 3600 }
    }

    /// What there is so far of the hour that began at `from`, at `now`.
    pub const fn running(from: i64, now: i64) -> Self {
        Self { first: now, last: now, window: now - from }
    }
}

/// What of a gauge is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sum {
    Mean,
    Seconds,
    Peak,
}

/// A question to the server.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The PromQL.
    pub query: String,
    pub(super) metric: &'static str,
    pub(super) exporter: Exporter,
    pub(super) gauge: Gauge,
    pub(super) sum: Sum,
    /// What an answer is multiplied with to be in base units: ratios, watts, bytes, seconds.
    pub(super) factor: f64,
}

/// Returns the selector of every metric that can be used, to ask which of them a server has.
pub fn known_metrics(selector: &str) -> String {
    let names: Vec<&str> = gauges().map(|(name, _, _)| name).chain([INFO]).collect();
    let mut text = format!("{{__name__=~\"{}\"", names.join("|"));
    if !selector.is_empty() {
        // Writing into a text cannot fail.
        let _ = write!(text, ",{selector}");
    }
    text.push('}');
    text
}

/// Returns the questions for the metrics that the server has. `selector` stands inside the braces of
/// each series; `resolution` is the seconds between the moments at which series are looked at: a card
/// that has no sample for five minutes before a moment was not seen then.
pub fn questions(
    present: &BTreeSet<String>,
    selector: &str,
    labels: &Labels,
    page: Page,
    resolution: i64,
) -> Vec<Question> {
    let by = labels.by();
    // Half a step less than the window holds the same number of moments whether a server counts
    // the window's left end (Prometheus 2) or not (Prometheus 3).
    let window = page.window * 1000 - resolution * 500;
    let step = resolution * 1000;
    let mut all = Vec::new();
    for (metric, gauge, factor) in gauges().filter(|(name, _, _)| present.contains(*name)) {
        // DCGM's blank values are near 2^63; a share above the whole is no share.
        let most = match gauge {
            Gauge::Busy | Gauge::Sm => format!("<= {}", 1.0 / factor),
            _ => "< 1e15".to_owned(),
        };
        let known = format!("({metric}{{{selector}}} >= 0 {most})[{window}ms:{step}ms]");
        let mut ask = |sum: Sum, function: &str| {
            let factor = if sum == Sum::Seconds { resolution as f64 } else { factor };
            let query = format!("max by ({by}) ({function}({known}))");
            let exporter = Exporter::of(metric);
            all.push(Question { query, metric, exporter, gauge, sum, factor });
        };
        ask(Sum::Mean, "avg_over_time");
        if matches!(gauge, Gauge::Busy | Gauge::Sm | Gauge::Power | Gauge::MemoryUsed) {
            ask(Sum::Seconds, "count_over_time");
        }
        if gauge == Gauge::MemoryUsed {
            ask(Sum::Peak, "max_over_time");
        }
    }
    if present.contains(INFO) {
        all.push(Question {
            query: format!("max by ({by}) (max_over_time({INFO}{{{selector}}}[{window}ms]))"),
            metric: INFO,
            exporter: Exporter::NvidiaSmi,
            gauge: Gauge::Info,
            sum: Sum::Mean,
            factor: 1.0,
        });
    }
    all
}
