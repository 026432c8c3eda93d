//! Whole plans, text in and text out; `UPDATE_EXPECT=1` rewrites what is expected.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

mod common;

use common::*;
use expect_test::{Expect, expect};
use jiff::civil::date;
use jiff::civil::time;
use kasuan_model::{BillingMode, CardId, Seconds};
use kasuan_plan::workload::{Job, Runs, Task, Workload};

/// Reads a scenario: `offer PROVIDER CARD MODE PRICE [COUNT]`, `days N`, `cap SUM`, and
/// `job NAME [HOURSh] [xN/month|week|day] [HH-HH] [wait=Hh] [mem=NGiB] [card=ID] [cards=N] [spot] [after=JOB]`.
fn read(text: &str) -> (Workload, kasuan_market::Catalogue) {
    let mut offers = Vec::new();
    let mut jobs: Vec<Job> = Vec::new();
    let mut days = None;
    let mut cap = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["offer", provider, card, mode, price, rest @ ..] => {
                let mut one = offer(provider, card, mode.parse().unwrap(), price);
                if let [count] = rest {
                    one.count = count.parse().unwrap();
                    one.id = format!("{}x{count}", one.id);
                }
                offers.push(one);
            }
            ["days", count] => days = Some(count.parse().unwrap()),
            ["cap", sum] => cap = Some(money(sum)),
            ["job", name, rest @ ..] => jobs.push(job(name, rest)),
            _ => panic!("`{line}` is no line of a scenario"),
        }
    }
    let mut workload = workload(jobs);
    workload.days = days;
    workload.policy.cap = cap;
    (workload, catalogue(offers))
}

fn job(name: &str, words: &[&str]) -> Job {
    let is_hours = |word: &&str| word.ends_with('h') && word.as_bytes()[0].is_ascii_digit();
    let mut job = match words.iter().copied().find(is_hours) {
        Some(hours) => runs(name, hours.trim_end_matches('h'), Runs::PerMonth(1)),
        None => Job { task: Task::Inference, ..service(name, 0, 0) },
    };
    for word in words.iter().copied().filter(|word| !is_hours(word)) {
        if let Some(often) = word.strip_prefix('x') {
            let (count, per) = often.split_once('/').unwrap();
            let count = count.parse().unwrap();
            job.runs = match per {
                "month" => Runs::PerMonth(count),
                "week" => Runs::PerWeek(count),
                _ => Runs::PerDay(count),
            };
        } else if let Some(wait) = word.strip_prefix("wait=") {
            job.window.may_wait = wait.parse::<Seconds>().unwrap();
        } else if let Some(memory) = word.strip_prefix("mem=") {
            job.memory = Some(memory.parse().unwrap());
        } else if let Some(card) = word.strip_prefix("card=") {
            job.only_cards = vec![CardId::new(card)];
        } else if let Some(cards) = word.strip_prefix("cards=") {
            job.cards = Some(cards.parse().unwrap());
        } else if let Some(after) = word.strip_prefix("after=") {
            job.window.after = Some(after.to_owned());
        } else if word == "spot" {
            job.interruptible = Some(checkpoints());
        } else {
            let (from, to) = word.split_once('-').unwrap();
            let at = |hour: &str| time(hour.parse().unwrap(), 0, 0, 0);
            job.window.daily = Some((at(from), at(to)));
        }
    }
    job
}

fn scenario(text: &str, expected: &Expect) {
    let (workload, catalogue) = read(text);
    let plan = check(&workload, &catalogue);
    let mut shown = render(&plan);
    for action in &plan.fallback {
        shown.push_str(&format!(
            "{:?} {} saves {}\n",
            action.kind,
            words(&action.action),
            action.saving
        ));
    }
    for step in &plan.patience {
        shown.push_str(&format!("wait {:.0} h longer: rent {}\n", step.extra.hours(), step.rent));
    }
    if let Some(cap) = &plan.cap {
        let kinds: Vec<String> = cap.actions.iter().map(|one| format!("{:?}", one.kind)).collect();
        shown.push_str(&format!(
            "cap {} met {}: {} -> {}\n",
            cap.cap,
            cap.met,
            kinds.join(", "),
            cap.total
        ));
    }
    expected.assert_eq(&shown);
}

#[test]
fn a_night_job_moves_into_the_idle_hours_of_a_committed_card() {
    scenario(
        "days 30
         offer a rtx-4090 on_demand 2
         offer a rtx-4090 monthly 800
         job api 08-22
         job train 8h x1/day 22-08",
        &expect![[r#"
            api: rtx-4090 x1 a monthly used 420.0 h paid 420.0 h cost ¥509.09
            train: rtx-4090 x1 a monthly used 240.0 h paid 240.0 h cost ¥290.91
            buy 1 x rtx-4090 monthly from 2026-12-01T00:00:00 for ¥800.00 (break-even 400.0 h)
            Rent ¥800.00
            Storage ¥0.00
            Egress ¥0.00
            Trial ¥0.00
            DataMoving unknown
            Operations unknown
            Tax unknown
            Margin ¥0.00
            total ¥800.00 idle ¥66.67
            wait 4 h longer: rent ¥800.00
            wait 12 h longer: rent ¥800.00
            wait 24 h longer: rent ¥800.00
            wait 72 h longer: rent ¥800.00
        "#]],
    );
}

#[test]
fn a_small_job_on_a_machine_of_eight_pays_for_all_of_it() {
    scenario(
        "offer a a100-sxm4-80 on_demand 80 8
         job big 10h mem=60GiB",
        &expect![[r#"
            big: a100-sxm4-80 x1 a on_demand used 10.0 h paid 80.0 h cost ¥800.00
            Rent ¥800.00
            Storage ¥0.00
            Egress ¥0.00
            Trial ¥0.00
            DataMoving unknown
            Operations unknown
            Tax unknown
            Margin ¥0.00
            total ¥800.00 idle ¥700.00
            wait 4 h longer: rent ¥800.00
            wait 12 h longer: rent ¥800.00
            wait 24 h longer: rent ¥800.00
            wait 72 h longer: rent ¥800.00
        "#]],
    );
}

#[test]
fn a_job_that_fits_nowhere_says_what_removed_the_last_card() {
    scenario(
        "offer a rtx-4090 on_demand 2
         job big 10h mem=60GiB
         job small 10h",
        &expect![[r#"
            big: nothing (plan-nothing-memory needed=60.0 GiB have=24.0 GiB)
            small: rtx-4090 x1 a on_demand used 10.0 h paid 10.0 h cost ¥20.00
            Rent ¥20.00
            Storage ¥0.00
            Egress ¥0.00
            Trial ¥0.00
            DataMoving unknown
            Operations unknown
            Tax unknown
            Margin ¥0.00
            total ¥20.00 idle ¥0.00
            Postpone plan-fallback-postpone job=small saves ¥20.00
            wait 4 h longer: rent ¥20.00
            wait 12 h longer: rent ¥20.00
            wait 24 h longer: rent ¥20.00
            wait 72 h longer: rent ¥20.00
        "#]],
    );
}

#[test]
fn spot_is_taken_only_where_the_work_can_go_on() {
    scenario(
        "offer a rtx-4090 on_demand 2
         offer a rtx-4090 spot 0.6
         job kept 10h spot
         job fragile 10h",
        &expect![[r#"
            kept: rtx-4090 x1 a spot used 10.0 h paid 11.1 h cost ¥6.67
            fragile: rtx-4090 x1 a on_demand used 10.0 h paid 10.0 h cost ¥20.00
            Rent ¥26.67
            Storage ¥0.00
            Egress ¥0.00
            Trial ¥0.00
            DataMoving unknown
            Operations unknown
            Tax unknown
            Margin ¥0.00
            total ¥26.67 idle ¥0.00
            Spot plan-fallback-spot job=fragile saves ¥13.27
            Postpone plan-fallback-postpone job=fragile saves ¥20.00
            Postpone plan-fallback-postpone job=kept saves ¥6.67
            wait 4 h longer: rent ¥26.67
            wait 12 h longer: rent ¥26.67
            wait 24 h longer: rent ¥26.67
            wait 72 h longer: rent ¥26.67
        "#]],
    );
}

#[test]
fn a_cap_is_met_by_the_least_painful_actions() {
    scenario(
        "days 30
         cap 700
         offer a rtx-4090 on_demand 2
         offer a rtx-4090 spot 0.8
         job train 20h x10/month
         job report 20h x10/month",
        &expect![[r#"
            train: rtx-4090 x1 a on_demand used 200.0 h paid 200.0 h cost ¥400.00
            report: rtx-4090 x1 a on_demand used 200.0 h paid 200.0 h cost ¥400.00
            Rent ¥800.00
            Storage ¥0.00
            Egress ¥0.00
            Trial ¥0.00
            DataMoving unknown
            Operations unknown
            Tax unknown
            Margin ¥0.00
            total ¥800.00 idle ¥0.00
            Spot plan-fallback-spot job=train saves ¥220.72
            Spot plan-fallback-spot job=report saves ¥220.72
            Postpone plan-fallback-postpone job=train saves ¥400.00
            Postpone plan-fallback-postpone job=report saves ¥400.00
            FewerRuns plan-fallback-fewer-runs job=train saves ¥200.00
            FewerRuns plan-fallback-fewer-runs job=report saves ¥200.00
            wait 4 h longer: rent ¥800.00
            wait 12 h longer: rent ¥800.00
            wait 24 h longer: rent ¥800.00
            wait 72 h longer: rent ¥800.00
            cap ¥700.00 met true: Spot -> ¥579.28
        "#]],
    );
}

#[test]
fn a_job_waits_for_the_one_before_it() {
    let (workload, catalogue) = read(
        "offer a rtx-4090 on_demand 2
         job clean 10h x2/month
         job train 5h x2/month after=clean",
    );
    let plan = check(&workload, &catalogue);
    let of = |name: &str| plan.calendar.iter().filter(|e| e.job == name).collect::<Vec<_>>();
    for (clean, train) in of("clean").iter().zip(of("train")) {
        assert!(clean.end <= train.start, "{clean:?} {train:?}");
    }
    assert_eq!(of("train").len(), 2);
    assert!(plan.jobs.iter().all(|job| {
        job.choice.as_ref().is_some_and(|choice| choice.mode == BillingMode::OnDemand)
    }));
}

#[test]
fn all_is_rented_at_one_provider_where_copies_of_the_data_would_cost_more() {
    use kasuan_market::{
        CardNames, Catalogue, Terms,
        terms::{StorageKind, StoragePer},
    };
    use kasuan_model::{Bytes, Currency};
    use kasuan_plan::workload::StorageNeed;
    let shipped = Catalogue::shipped().unwrap();
    let terms = |provider: &str, price: &str| {
        let mut terms = Terms::unstated(provider, Currency::CNY);
        terms.storage = vec![StorageKind {
            id: "disk".to_owned(),
            name: Default::default(),
            price: Some(money(price)),
            per: StoragePer::Month,
            free: Bytes::ZERO,
            binary: false,
            charged_when_stopped: Some(true),
            packages: None,
            note: String::new(),
        }];
        terms
    };
    let offers = vec![
        offer("dear-disk", "rtx-4090", BillingMode::OnDemand, "1.9"),
        offer("cheap-disk", "rtx-4090", BillingMode::OnDemand, "2"),
    ];
    let both = vec![terms("dear-disk", "1"), terms("cheap-disk", "0.1")];
    let catalogue = Catalogue::new(shipped.cards().to_vec(), CardNames::default(), offers, both);
    let mut workload = workload(vec![runs("job", "10", Runs::PerMonth(1))]);
    let provider = |workload: &Workload| {
        check(workload, &catalogue).jobs[0].choice.as_ref().unwrap().provider.clone()
    };
    assert_eq!(provider(&workload), "dear-disk");
    workload.storage = vec![StorageNeed {
        name: "data".to_owned(),
        size: Bytes::from_gb(100),
        price_per_gb_month: None,
    }];
    assert_eq!(provider(&workload), "cheap-disk");
    let plan = check(&workload, &catalogue);
    assert_eq!(amount(&plan, kasuan_plan::outcome::CostKind::Storage), Some(money("10").rounded()));
}

#[test]
fn several_runs_between_two_days_are_spread_over_them_and_done_in_time() {
    let catalogue = catalogue(vec![offer("a", "rtx-4090", BillingMode::OnDemand, "2")]);
    let mut job = runs("burst", "20", Runs::PerMonth(5));
    job.window.not_before = Some(date(2026, 12, 10).at(0, 0, 0, 0));
    job.window.deadline = Some(date(2026, 12, 15).at(0, 0, 0, 0));
    let plan = check(&workload(vec![job]), &catalogue);
    let entries = &plan.calendar;
    assert_eq!(entries.len(), 5);
    assert!(entries.iter().all(|entry| entry.start >= date(2026, 12, 10).at(0, 0, 0, 0)));
    assert!(entries.iter().all(|entry| entry.end <= date(2026, 12, 15).at(0, 0, 0, 0)));
    let days: std::collections::BTreeSet<_> = entries.iter().map(|one| one.start.date()).collect();
    assert_eq!(days.len(), 5, "one a day: {entries:?}");
}
