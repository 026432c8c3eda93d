//! Idle time: cards that did nothing for hours, hosts that nobody saw, hours of the day that are
//! always empty. An hour that was not measured is never idle.

use super::{Finding, FindingKind, cost, hours, percent};
use crate::input::Input;
use kasuan_model::{CardId, Confidence, Phrase, UsageHour};
use std::collections::{BTreeMap, BTreeSet};

type Device<'a> = (&'a str, &'a str);

/// One hour of one card, all jobs together.
#[derive(Clone, Copy, Default)]
struct CardHour {
    busy_known: f64,
    busy: f64,
    named: bool,
}

impl CardHour {
    fn add(&mut self, hour: &UsageHour) {
        self.busy_known += hour.busy_known;
        self.busy += hour.busy;
        self.named |= !hour.job.is_empty();
    }

    /// Says whether the hour was idle; `None` when too little of it was measured.
    fn idle(&self, input: &Input) -> Option<bool> {
        let measured = self.busy_known / 3600.0 >= input.thresholds.least_seen;
        measured.then(|| self.busy / self.busy_known < input.thresholds.idle_busy)
    }
}

/// The hours of a card, and its model where a row names it.
#[derive(Default)]
struct Seen<'a> {
    hours: BTreeMap<i64, CardHour>,
    card: Option<&'a CardId>,
}

type Devices<'a> = BTreeMap<Device<'a>, Seen<'a>>;

fn card_hours(input: &Input) -> Devices<'_> {
    let mut devices: Devices<'_> = BTreeMap::new();
    for hour in &input.usage {
        if hour.hour < input.from || hour.hour >= input.to {
            continue;
        }
        let device = devices.entry((&hour.host, &hour.device)).or_default();
        device.card = device.card.or(hour.card.as_ref());
        device.hours.entry(hour.hour.as_second() / 3600).or_default().add(hour);
    }
    devices
}

/// Counts hours in spells of at least `least` idle hours in a row.
fn idle_spells(hours: &BTreeMap<i64, CardHour>, input: &Input) -> (u32, u32) {
    let least = input.thresholds.idle_hours;
    let (mut total, mut longest, mut spell, mut last) = (0, 0, 0_u32, i64::MIN);
    let mut close = |spell: u32| {
        if spell >= least {
            total += spell;
            longest = longest.max(spell);
        }
    };
    for (at, hour) in hours {
        let idle = hour.idle(input) == Some(true);
        if idle && *at == last.saturating_add(1) {
            spell += 1;
        } else {
            close(spell);
            spell = u32::from(idle);
        }
        last = if idle { *at } else { i64::MIN };
    }
    close(spell);
    (total, longest)
}

pub(super) fn find(input: &Input) -> Vec<Finding> {
    let devices = card_hours(input);
    let unused = unused_cards(input, &devices);
    let skip: BTreeSet<Device<'_>> = unused.iter().flat_map(|(_, cards)| cards.clone()).collect();
    let mut found = Vec::new();
    for (device, seen) in devices.iter().filter(|(device, _)| !skip.contains(*device)) {
        found.extend(idle_card(input, *device, seen));
    }
    for (host, cards) in unused {
        found.push(unused_finding(input, host, &cards, &devices));
    }
    found.extend(forgotten_hosts(input));
    found.extend(calendar_gaps(input, &devices, &skip));
    found
}

fn idle_card(input: &Input, device: Device<'_>, seen: &Seen<'_>) -> Option<Finding> {
    let (total, longest) = idle_spells(&seen.hours, input);
    if total == 0 {
        return None;
    }
    let (host, name) = device;
    let prepaid = input.rented.iter().any(|rented| rented.host == host && rented.prepaid);
    let remedy = if prepaid {
        Phrase::new("review-remedy-idle-prepaid")
    } else {
        Phrase::new("review-remedy-idle")
    };
    Some(Finding {
        kind: FindingKind::IdleCard,
        subject: format!("{host}/{name}"),
        evidence: Phrase::new("review-evidence-idle")
            .with("hours", total)
            .with("longest", longest)
            .with("measured", seen.hours.len()),
        money: cost(input.price(host, seen.card), f64::from(total)),
        confidence: Confidence::High,
        remedy,
        command: String::new(),
    })
}

/// Finds cards that were idle in every measured hour while another card of the host worked.
fn unused_cards<'a>(input: &Input, devices: &Devices<'a>) -> Vec<(&'a str, Vec<Device<'a>>)> {
    let mut hosts: BTreeMap<&str, (Vec<Device<'a>>, bool)> = BTreeMap::new();
    for (device, seen) in devices {
        let judged: Vec<bool> = seen.hours.values().filter_map(|hour| hour.idle(input)).collect();
        let (idle, works) = hosts.entry(device.0).or_default();
        if !judged.is_empty() && judged.iter().all(|idle| *idle) {
            idle.push(*device);
        } else if judged.iter().any(|idle| !idle) {
            *works = true;
        }
    }
    let some = hosts.into_iter().filter(|(_, (idle, works))| *works && !idle.is_empty());
    some.map(|(host, (idle, _))| (host, idle)).collect()
}

fn unused_finding(
    input: &Input,
    host: &str,
    cards: &[Device<'_>],
    devices: &Devices<'_>,
) -> Finding {
    let of_host = devices.keys().filter(|device| device.0 == host).count();
    let idle: usize =
        cards.iter().filter_map(|card| devices.get(card)).map(|seen| seen.hours.len()).sum();
    let card = cards.first().and_then(|card| devices.get(card)?.card);
    Finding {
        kind: FindingKind::UnusedCards,
        subject: host.to_owned(),
        evidence: Phrase::new("review-evidence-unused-cards")
            .with("unused", cards.len())
            .with("cards", of_host)
            .with("hours", idle),
        money: cost(input.price(host, card), idle as f64),
        confidence: Confidence::High,
        remedy: Phrase::new("review-remedy-unused-cards"),
        command: String::new(),
    }
}

/// Finds hosts that were paid for and of which nothing at all was measured. That is not idleness,
/// only silence, so it is said with low confidence and with its whole price.
fn forgotten_hosts(input: &Input) -> Vec<Finding> {
    let seen: BTreeSet<&str> = input.usage.iter().map(|hour| &*hour.host).collect();
    let ran: BTreeSet<&str> = input.runs.iter().map(|run| run.host.as_str()).collect();
    let silent = input.rented.iter().filter(|rented| {
        !seen.contains(rented.host.as_str()) && !ran.contains(rented.host.as_str())
    });
    silent
        .map(|rented| {
            let paid = rented.paid_hours(input);
            Finding {
                kind: FindingKind::ForgottenHost,
                subject: rented.host.clone(),
                evidence: Phrase::new("review-evidence-forgotten").with("hours", hours(paid)),
                money: cost(Some(rented.card_hour), paid),
                confidence: Confidence::Low,
                remedy: Phrase::new("review-remedy-forgotten"),
                command: String::new(),
            }
        })
        .collect()
}

/// One hour of the day of one host, over the month.
#[derive(Clone, Default)]
struct Slot {
    idle: u32,
    judged: u32,
    days: BTreeSet<i64>,
}

impl Slot {
    /// Says whether the hour is idle as a rule: on four of seven, seen on a week of days at least.
    fn empty(&self) -> bool {
        self.days.len() >= 7 && self.idle * 7 >= self.judged * 4
    }
}

/// Finds blocks of hours of the day (UTC) that were idle on at least four of seven days.
fn calendar_gaps(
    input: &Input,
    devices: &Devices<'_>,
    skip: &BTreeSet<Device<'_>>,
) -> Vec<Finding> {
    let mut hosts: BTreeMap<&str, (Vec<Slot>, Option<&CardId>)> = BTreeMap::new();
    for (device, seen) in devices.iter().filter(|(device, _)| !skip.contains(*device)) {
        let (slots, card) =
            hosts.entry(device.0).or_insert_with(|| (vec![Slot::default(); 24], None));
        *card = card.or(seen.card);
        for (at, hour) in &seen.hours {
            let slot = &mut slots[usize::try_from(at.rem_euclid(24)).unwrap_or(0)];
            if let Some(is_idle) = hour.idle(input) {
                slot.judged += 1;
                slot.idle += u32::from(is_idle);
                slot.days.insert(at.div_euclid(24));
            }
        }
    }
    let mut found = Vec::new();
    for (host, (day, card)) in hosts {
        let (start, length) = longest_gap(&day);
        if length < input.thresholds.calendar_hours as usize {
            continue;
        }
        let slots = || (0..length).map(|step| &day[(start + step) % 24]);
        let wasted: u32 = slots().map(|slot| slot.idle).sum();
        let all: u32 = slots().map(|slot| slot.judged).sum();
        found.push(Finding {
            kind: FindingKind::CalendarGap,
            subject: host.to_owned(),
            evidence: Phrase::new("review-evidence-calendar")
                .with("start", format!("{start:02}:00"))
                .with("end", format!("{:02}:00", (start + length) % 24))
                .with("share", percent(f64::from(wasted) / f64::from(all.max(1)))),
            money: cost(input.price(host, card), f64::from(wasted)),
            confidence: Confidence::Medium,
            remedy: Phrase::new("review-remedy-calendar"),
            command: String::new(),
        });
    }
    found
}

/// Returns where the longest block of empty hours begins and how long it is; a day that is empty
/// all round is no gap.
fn longest_gap(day: &[Slot]) -> (usize, usize) {
    let (mut best, mut length) = ((0, 0), 0);
    // Twice around the clock, so that a gap over midnight is one block.
    for step in 0..48 {
        length = if day[step % 24].empty() { length + 1 } else { 0 };
        if length > best.1 && length < 24 {
            best = ((step + 1 - length) % 24, length);
        }
    }
    if day.iter().all(Slot::empty) { (0, 0) } else { best }
}
