//! Waste that was put in is found, with its money; what was not measured is never found.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

use jiff::Timestamp;
use kasuan_model::{
    Bytes, CardId, Charge, ChargeCategory, Currency, Money, Payment, PricingCategory, Run,
    UsageHour,
};
use kasuan_review::{
    FindingKind, Input, Planned, Rented, Review, Scope, StoredItem, Thresholds, review,
};
use std::collections::BTreeMap;

/// 2026-11-02 00:00 UTC, a Monday.
const START: i64 = 1_793_577_600;

fn at(hour: i64) -> Timestamp {
    Timestamp::from_second(START + hour * 3600).unwrap()
}

fn cny(text: &str) -> Money {
    Money::new(text.parse().unwrap(), Currency::CNY)
}

fn card() -> CardId {
    CardId::new("rtx-4090")
}

fn month() -> Input {
    Input {
        from: at(0),
        to: at(672),
        currency: Currency::CNY,
        charges: Vec::new(),
        planned: Vec::new(),
        usage: Vec::new(),
        runs: Vec::new(),
        rented: Vec::new(),
        stored: Vec::new(),
        card_hour: BTreeMap::from([(card(), cny("2"))]),
        card_watts: BTreeMap::from([(card(), 450.0)]),
        thresholds: Thresholds::default(),
    }
}

fn used(hour: i64, device: &str, job: &str, busy: f64) -> UsageHour {
    UsageHour {
        hour: at(hour),
        host: "box".into(),
        device: device.into(),
        card: Some(card()),
        job: job.into(),
        person: "lin".into(),
        seen: 3600.0,
        busy_known: 3600.0,
        busy: busy * 3600.0,
        sm_known: 0.0,
        sm: 0.0,
        power_known: 0.0,
        energy: 0.0,
        memory_known: 3600.0,
        memory: 3600.0 * 1.8e10,
        memory_peak: 2e10,
        memory_total: 2.5e10,
    }
}

fn run(id: &str, cards: u32, hours: i64, exit: i32, work: Option<f64>) -> Run {
    Run {
        id: id.to_owned(),
        job: "lora".to_owned(),
        person: Some("lin".to_owned()),
        host: "box".to_owned(),
        card: Some(card()),
        cards,
        start: at(id.len() as i64 * 24),
        end: Some(at(id.len() as i64 * 24 + hours)),
        exit_code: Some(exit),
        work,
        work_unit: work.map(|_| "tokens".to_owned()),
        peak_memory: None,
        origin: "run".to_owned(),
    }
}

fn charge(key: &str, service: &str, amount: &str) -> Charge {
    Charge {
        key: key.to_owned(),
        provider: "compshare".to_owned(),
        account: String::new(),
        billing_period: (at(0), at(672)),
        charge_period: (at(0), at(1)),
        category: ChargeCategory::Usage,
        pricing: PricingCategory::Standard,
        payment: Payment::Due,
        description: String::new(),
        service: service.to_owned(),
        resource: None,
        region: None,
        card: None,
        cards: None,
        quantity: Some(10.into()),
        unit: Some("Hours".to_owned()),
        billed: cny(amount),
        effective: cny(amount),
        list: None,
        invoice: None,
        tags: BTreeMap::new(),
    }
}

fn kinds(review: &Review) -> Vec<(FindingKind, String)> {
    let told = |money: Option<Money>| money.map_or("?".to_owned(), |money| money.to_string());
    review.findings.iter().map(|finding| (finding.kind, told(finding.money))).collect()
}

#[test]
fn fx_080_a_box_left_on_over_a_weekend_costs_its_64_hours() {
    let mut input = month();
    input.card_hour.clear();
    input.rented.push(Rented {
        host: "box".to_owned(),
        card: card(),
        cards: 1,
        from: at(0),
        to: at(672),
        card_hour: cny("24.48"),
        prepaid: false,
        card_hours: None,
        granularity: None,
    });
    input.usage = (0..72).map(|h| used(h, "0", "train", if h < 8 { 0.9 } else { 0.0 })).collect();
    let found = review(&input).unwrap();
    let idle = found.findings.iter().find(|f| f.kind == FindingKind::IdleCard).unwrap();
    assert_eq!(idle.money, Some(cny("1566.72")));
}

#[test]
fn hours_that_were_not_measured_are_no_idle_hours() {
    let mut input = month();
    input.usage = (0..100)
        .map(|h| UsageHour { busy_known: 0.0, busy: 0.0, ..used(h, "0", "serve", 0.0) })
        .collect();
    let found = review(&input).unwrap();
    assert_eq!(kinds(&found), []);
    assert_eq!(found.utilisation.busy, None);
}

#[test]
fn a_single_idle_hour_is_a_pause_and_no_waste() {
    let mut input = month();
    input.usage =
        (0..48).map(|h| used(h, "0", "train", if h % 4 == 0 { 0.0 } else { 0.8 })).collect();
    assert_eq!(kinds(&review(&input).unwrap()), []);
}

#[test]
fn six_of_eight_cards_that_sleep_are_named_once_for_their_host() {
    let mut input = month();
    for device in 0..8 {
        let busy = if device < 2 { 0.9 } else { 0.0 };
        input.usage.extend((0..24).map(|h| used(h, &device.to_string(), "train", busy)));
    }
    let found = review(&input).unwrap();
    assert_eq!(kinds(&found), [(FindingKind::UnusedCards, "¥288.00".to_owned())]);
    assert_eq!(found.findings[0].evidence.args()[0].1, "6");
}

#[test]
fn nights_that_are_always_empty_make_a_gap_over_midnight() {
    let mut input = month();
    for hour in 0..24 * 14 {
        let day = (6..20).contains(&(hour % 24));
        input.usage.push(used(hour, "0", "serve", if day { 0.7 } else { 0.0 }));
    }
    let found = review(&input).unwrap();
    let gap = found.findings.iter().find(|f| f.kind == FindingKind::CalendarGap).unwrap();
    assert_eq!(gap.evidence.args()[0].1, "20:00");
    assert_eq!(gap.evidence.args()[1].1, "06:00");
    let idle = found.findings.iter().find(|f| f.kind == FindingKind::IdleCard).unwrap();
    assert_eq!(found.recoverable, idle.money.unwrap(), "the same hours count once");
}

#[test]
fn a_server_that_fills_memory_by_setting_is_not_called_oversized() {
    let mut input = month();
    let small =
        |h| UsageHour { memory: 3600.0 * 4e9, memory_peak: 5e9, ..used(h, "0", "small", 0.1) };
    let vllm = |h| UsageHour {
        memory: 3600.0 * 2.2e10,
        memory_peak: 2.3e10,
        ..used(h, "1", "vllm", 0.18)
    };
    input.usage.extend((0..30).map(small));
    input.usage.extend((0..30).map(vllm));
    let found = review(&input).unwrap();
    let named: Vec<_> = found.findings.iter().map(|f| (f.kind, f.subject.as_str())).collect();
    assert_eq!(named, [(FindingKind::OversizedCard, "small")]);
}

#[test]
fn three_failures_in_a_row_are_a_loop_and_two_are_not() {
    let mut input = month();
    input.runs = vec![run("a", 1, 1, 1, None), run("bb", 1, 1, 1, None), run("ccc", 1, 1, 0, None)];
    assert_eq!(kinds(&review(&input).unwrap()), []);
    input.runs.push(run("dddd", 1, 2, 1, None));
    input.runs.push(run("eeeee", 1, 2, 137, None));
    input.runs.push(run("ffffff", 1, 2, 1, None));
    let found = review(&input).unwrap();
    assert_eq!(kinds(&found), [(FindingKind::FailingLoop, "¥12.00".to_owned())]);
}

#[test]
fn eight_cards_that_do_the_work_of_two_are_poor_scaling() {
    let mut input = month();
    input.runs = vec![run("a", 2, 8, 0, Some(1e6)), run("bb", 8, 8, 0, Some(1.2e6))];
    let found = review(&input).unwrap();
    assert_eq!(kinds(&found), [(FindingKind::PoorScaling, "¥89.60".to_owned())]);
    assert_eq!(found.findings[0].evidence.args()[2].1, "30%");
}

#[test]
fn a_month_paid_ahead_and_used_at_fifteen_per_cent_names_the_on_demand_price() {
    let mut input = month();
    input.rented.push(Rented {
        host: "box".to_owned(),
        card: card(),
        cards: 1,
        from: at(0),
        to: at(672),
        card_hour: cny("1"),
        prepaid: true,
        card_hours: None,
        granularity: None,
    });
    input.usage = (0..672).map(|h| used(h, "0", "train", f64::from(h % 7 == 0))).collect();
    let found = review(&input).unwrap();
    let underused =
        found.findings.iter().find(|f| f.kind == FindingKind::UnderusedCommitment).unwrap();
    // 672 paid ahead against 96 hours at 2.
    assert_eq!(underused.money, Some(cny("480")));
}

#[test]
fn storage_dearer_than_cards_and_old_checkpoints_are_found() {
    let mut input = month();
    input.charges = vec![charge("a", "GPU 云主机", "1500"), charge("b", "云盘", "1296")];
    input.stored = vec![
        StoredItem {
            path: "/ckpt/old".to_owned(),
            kind: "checkpoint".to_owned(),
            size: Bytes::from_gb(200),
            last_used: Some(at(-1000)),
            needed: false,
            gb_month: Some(cny("0.5")),
        },
        StoredItem {
            path: "/ckpt/unknown".to_owned(),
            kind: "checkpoint".to_owned(),
            size: Bytes::from_gb(900),
            last_used: None,
            needed: false,
            gb_month: Some(cny("0.5")),
        },
    ];
    let found = review(&input).unwrap();
    assert_eq!(kinds(&found), [(FindingKind::OldData, "¥100.00".to_owned())]);
    input.charges[1] = charge("b", "云盘", "1600");
    let found = review(&input).unwrap();
    assert_eq!(found.findings[1].kind, FindingKind::OldData);
    assert_eq!(found.findings[0].kind, FindingKind::StorageDearerThanCards);
}

#[test]
fn the_plan_stands_beside_what_was_paid_and_unpaid_orders_do_not_count() {
    let mut input = month();
    let mut unpaid = charge("c", "GPU", "999");
    unpaid.payment = Payment::Unpaid;
    let on_card = Charge { card: Some(card()), ..charge("a", "GPU", "30") };
    input.charges = vec![on_card, unpaid];
    input.planned = vec![
        Planned {
            scope: Scope::Card,
            name: "rtx-4090".to_owned(),
            quantity: Some(8.0),
            amount: cny("16"),
        },
        Planned {
            scope: Scope::Line,
            name: "storage".to_owned(),
            quantity: None,
            amount: cny("5"),
        },
    ];
    let found = review(&input).unwrap();
    assert_eq!(found.billed, cny("30"));
    let gpu = &found.budget[&Scope::Card][0];
    for variance in [gpu.variance.unwrap(), found.variance.unwrap()] {
        assert!((variance.price - 10.0).abs() < 1e-9 && (variance.volume - 4.0).abs() < 1e-9);
    }
    let lines: Vec<_> = found.budget[&Scope::Line]
        .iter()
        .map(|line| (line.name.as_str(), line.planned.is_some(), line.actual.is_some()))
        .collect();
    assert_eq!(lines, [("rent", false, true), ("storage", true, false)]);
    input
        .charges
        .push(Charge { billed: Money::new(1.into(), Currency::USD), ..charge("d", "GPU", "1") });
    assert!(review(&input).is_err(), "two currencies are refused, not added");
}

#[test]
fn money_without_a_tag_follows_who_had_the_cards_and_the_rest_has_no_name() {
    let mut input = month();
    let day = Charge {
        resource: Some("box".to_owned()),
        charge_period: (at(0), at(24)),
        cards: Some(1),
        ..charge("a", "GPU", "24")
    };
    let mut tagged = charge("b", "GPU", "5");
    tagged.tags.insert("job".to_owned(), "eval".to_owned());
    input.charges = vec![day, tagged];
    input.usage = (0..6).map(|h| used(h, "0", "train", 0.9)).collect();
    let found = review(&input).unwrap();
    let paid = |scope| -> Vec<(String, Money)> {
        let lines = found.budget[&scope].iter();
        lines.map(|line| (line.name.clone(), line.actual.unwrap().rounded())).collect()
    };
    let named = |name: &str, money| (name.to_owned(), cny(money).rounded());
    assert_eq!(paid(Scope::Job), [named("", "18"), named("eval", "5"), named("train", "6")]);
    assert_eq!(paid(Scope::Person), [named("", "23"), named("lin", "6")]);
    assert_eq!(paid(Scope::Total), [named("", "29")]);
}

#[test]
fn full_business_at_a_third_of_the_power_is_a_hint_and_no_more() {
    let mut input = month();
    let spinning =
        |h| UsageHour { power_known: 3600.0, energy: 3600.0 * 120.0, ..used(h, "0", "nccl", 1.0) };
    input.usage = (0..10).map(spinning).collect();
    let found = review(&input).unwrap();
    assert_eq!(kinds(&found), [(FindingKind::BusyWithoutWork, "¥20.00".to_owned())]);
    assert_eq!(found.findings[0].confidence, kasuan_model::Confidence::Low);
    for hour in &mut input.usage {
        (hour.sm_known, hour.sm) = (3600.0, 3600.0 * 0.8);
    }
    assert_eq!(kinds(&review(&input).unwrap()), [], "its multiprocessors do work");
}

#[test]
fn five_runs_of_ten_minutes_are_billed_as_five_hours() {
    let mut input = month();
    let rented = Rented {
        host: "box".to_owned(),
        card: card(),
        cards: 1,
        from: at(0),
        to: at(5),
        card_hour: cny("2"),
        prepaid: false,
        card_hours: None,
        granularity: Some(3600),
    };
    input.rented.push(rented.clone());
    let short = |n: i64| Run {
        start: at(n),
        end: Some(at(n).saturating_add(jiff::SignedDuration::from_mins(10)).unwrap()),
        ..run(&n.to_string(), 1, 1, 0, None)
    };
    input.runs = (0..5).map(short).collect();
    let kinds = |input: &Input| kinds(&review(input).unwrap());
    assert_eq!(kinds(&input), [(FindingKind::ShortRuns, "¥8.33".to_owned())]);
    input.rented[0].granularity = Some(1);
    assert_eq!(kinds(&input), []);
}

#[test]
fn a_host_that_fell_silent_and_was_still_billed_is_asked_about() {
    let mut input = month();
    input.rented.push(Rented {
        host: "box".to_owned(),
        card: card(),
        cards: 1,
        from: at(0),
        to: at(100),
        card_hour: cny("2"),
        prepaid: false,
        card_hours: None,
        granularity: None,
    });
    input.usage = (0..40).map(|h| used(h, "0", "train", 0.9)).collect();
    assert_eq!(kinds(&review(&input).unwrap()), [(FindingKind::SilentHost, "¥120.00".to_owned())]);
}

#[test]
fn traffic_between_regions_and_waiting_cards_are_named() {
    let mut input = month();
    input.charges = vec![charge("a", "跨地域流量", "70"), charge("b", "GPU", "1000")];
    input.usage = (0..30).map(|h| used(h, "0", "train", 0.3)).collect();
    let found = kinds(&review(&input).unwrap());
    let expected = [(FindingKind::CrossRegion, "¥70.00"), (FindingKind::WaitingCards, "¥24.00")];
    assert_eq!(found, expected.map(|(kind, money)| (kind, money.to_owned())));
}
