//! Who a charge was for: by its tags, else by who had the host's cards while it ran.
//!
//! Bills name machines, not people. Where a charge carries no tag, its money follows the measured
//! hours of the host it is for; what nobody had stays without a name, and so does what was not
//! measured. Nothing is spread over people who were not seen there.

use crate::input::{Input, Scope};
use kasuan_model::Charge;
use std::collections::BTreeMap;

/// Measured seconds of a host by hour, and by name within the hour.
pub(crate) struct Shares<'a> {
    hosts: BTreeMap<&'a str, BTreeMap<i64, BTreeMap<&'a str, f64>>>,
    /// Cards of a host that were seen at all.
    devices: BTreeMap<&'a str, u32>,
}

impl<'a> Shares<'a> {
    /// Sums who had which host, by job or by person.
    pub(crate) fn of(input: &'a Input, scope: Scope) -> Self {
        let mut shares = Self { hosts: BTreeMap::new(), devices: BTreeMap::new() };
        let billed: std::collections::BTreeSet<&str> =
            input.charges.iter().filter_map(|charge| charge.resource.as_deref()).collect();
        let mut devices: BTreeMap<&str, std::collections::BTreeSet<&str>> = BTreeMap::new();
        for hour in &input.usage {
            // Only hosts that a charge names can get money.
            if !billed.contains(&*hour.host) {
                continue;
            }
            devices.entry(&hour.host).or_default().insert(&hour.device);
            let name = if scope == Scope::Person { &hour.person } else { &hour.job };
            if name.is_empty() {
                continue;
            }
            let of_host = shares.hosts.entry(&hour.host).or_default();
            let of_hour = of_host.entry(hour.hour.as_second()).or_default();
            *of_hour.entry(name).or_default() += hour.seen;
        }
        shares.devices = devices
            .into_iter()
            .map(|(host, seen)| (host, u32::try_from(seen.len()).unwrap_or(u32::MAX)))
            .collect();
        shares
    }

    /// Returns the shares of a charge by name; the empty name has what nobody had.
    pub(crate) fn split(&self, charge: &Charge) -> Vec<(String, f64)> {
        let nobody = || vec![(String::new(), 1.0)];
        let Some((host, hours)) =
            charge.resource.as_deref().and_then(|host| self.hosts.get_key_value(host))
        else {
            return nobody();
        };
        let (from, to) = (charge.charge_period.0.as_second(), charge.charge_period.1.as_second());
        let cards = charge.cards.or_else(|| self.devices.get(host).copied()).unwrap_or(1).max(1);
        let paid = f64::from(cards) * (to - from).max(0) as f64;
        if paid <= 0.0 {
            return nobody();
        }
        let mut names: BTreeMap<&str, f64> = BTreeMap::new();
        // An hour belongs to the charge by the part of it that the charge covers.
        for (hour, had) in hours.range(from.div_euclid(3600) * 3600..to) {
            let covered = ((hour + 3600).min(to) - (*hour).max(from)) as f64 / 3600.0;
            for (name, seconds) in had {
                *names.entry(name).or_default() += seconds * covered;
            }
        }
        let had: f64 = names.values().sum();
        // More than was paid can only be a bill that counts fewer cards than the host has.
        let whole = paid.max(had);
        let mut shares: Vec<(String, f64)> =
            names.into_iter().map(|(name, seconds)| (name.to_owned(), seconds / whole)).collect();
        let rest = 1.0 - had / whole;
        if rest > 1e-9 {
            shares.push((String::new(), rest));
        }
        shares
    }
}

/// Words of storage in bills.
const STORAGE: [&str; 12] = [
    "storage", "disk", "bucket", "snapshot", "存储", "硬盘", "云盘", "快照", "镜像", "oss", "cos",
    "obs",
];
/// Words of traffic in bills.
const TRAFFIC: [&str; 8] =
    ["egress", "bandwidth", "traffic", "data transfer", "流量", "带宽", "公网", "跨区"];

fn words(charge: &Charge) -> String {
    format!("{} {}", charge.service, charge.description).to_lowercase()
}

fn has(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        // A short code must stand alone: `cost` is not Tencent's COS.
        let alone = |at: usize| {
            let before = text.get(..at).and_then(|t| t.chars().next_back());
            let after = text.get(at + word.len()..).and_then(|t| t.chars().next());
            let edge = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric());
            edge(before) && edge(after)
        };
        text.match_indices(word).any(|(at, _)| word.len() > 3 || !word.is_ascii() || alone(at))
    })
}

/// Says whether a charge is for storage.
pub(crate) fn is_storage(charge: &Charge) -> bool {
    has(&words(charge), &STORAGE)
}

/// Says whether a charge is for traffic between regions.
pub(crate) fn is_cross_region(charge: &Charge) -> bool {
    let text = words(charge);
    ["cross-region", "cross region", "inter-region", "interregion", "跨区", "跨地域"]
        .iter()
        .any(|word| text.contains(word))
}

/// Says whether a charge is for cards.
pub(crate) fn is_card(charge: &Charge) -> bool {
    if charge.card.is_some() || charge.cards.is_some() {
        return true;
    }
    let text = words(charge);
    text.contains("gpu") || text.contains("算力")
}

/// Returns the line of the plan that a charge belongs to.
pub(crate) fn line(charge: &Charge) -> &'static str {
    let text = words(charge);
    if has(&text, &STORAGE) {
        "storage"
    } else if has(&text, &TRAFFIC) {
        "egress"
    } else if is_card(charge) {
        "rent"
    } else {
        "other"
    }
}
