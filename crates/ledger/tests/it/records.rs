//! What is written is read back, what is repeated changes nothing, what is added adds up.

use crate::server::{on_both, open};
use jiff::Timestamp;
use kasuan_ledger::{
    Baseline, BillFile, Budget, BudgetScope, ChargeFilter, Group, Ledger, LedgerError, LoggedHour,
    Mode, Refusal, StorageItem,
};
use kasuan_model::{
    BillingMode, Bytes, CardId, Charge, ChargeCategory, Currency, Money, Payment, PriceObservation,
    PricingCategory, Run, UsageHour,
};
use std::thread;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

pub(crate) fn charge(key: &str, amount: &str) -> Charge {
    let billed = Money::new(amount.parse().unwrap(), Currency::CNY);
    Charge {
        key: key.to_owned(),
        provider: "compshare".to_owned(),
        account: "team".to_owned(),
        billing_period: (at(0), at(2_678_400)),
        charge_period: (at(3_600), at(7_200)),
        category: ChargeCategory::Usage,
        pricing: PricingCategory::Standard,
        payment: Payment::Due,
        description: "按量\t\"4090\"\n".to_owned(),
        service: "GPU".to_owned(),
        resource: Some("uhost-1".to_owned()),
        region: None,
        card: Some(CardId::new("rtx-4090")),
        cards: Some(1),
        quantity: Some("1.00000000".parse().unwrap()),
        unit: Some("Hours".to_owned()),
        billed,
        effective: billed,
        list: None,
        invoice: None,
        tags: [("job".to_owned(), "问答".to_owned())].into(),
    }
}

pub(crate) fn hour(hour: i64, job: &str, busy: f64) -> UsageHour {
    UsageHour {
        hour: at(hour * 3600),
        host: "box".into(),
        device: "GPU-1".into(),
        card: Some(CardId::new("rtx-4090")),
        job: job.into(),
        person: "".into(),
        seen: 3600.0,
        busy_known: 3600.0,
        busy,
        sm_known: 0.0,
        sm: 0.0,
        power_known: 3600.0,
        energy: 1e6,
        memory_known: 3600.0,
        memory: 3.6e12,
        memory_peak: 2e10,
        memory_total: 2.5e10,
    }
}

fn file(name: &str, charges: Vec<Charge>) -> BillFile {
    let (fingerprint, name) = (format!("digest of {name}"), name.to_owned());
    BillFile { fingerprint, name, charges, strict_invoices: true }
}

#[test]
fn a_bill_is_imported_once_and_read_back_to_the_last_decimal() {
    on_both(|place| {
        let mut ledger = open(place);
        let mut unpaid = charge("b", "50.00");
        unpaid.payment = Payment::Unpaid;
        let rows = vec![charge("a", "8.12345678"), unpaid.clone()];
        let mut import = |name: &str, rows: &[Charge], mode| {
            ledger.import_bills(&[file(name, rows.to_vec())], at(9), mode).unwrap()
        };
        let rehearsed = import("bill.csv", &rows, Mode::Rehearse);
        assert_eq!(rehearsed.files[0].new, 2);
        let first = import("bill.csv", &rows, Mode::Merge);
        assert_eq!((first.files[0].new, first.files[0].seen_before), (2, false));
        let again = import("bill.csv", &rows, Mode::Merge);
        assert_eq!((again.files[0].new, again.files[0].seen_before), (0, true));
        let overlapping = [charge("a", "8.12345678"), charge("c", "1")];
        let other = import("more.csv", &overlapping, Mode::Merge);
        assert_eq!((other.files[0].new, other.files[0].merged, other.others), (1, 1, 1));

        let paid = ledger.charges(at(0), at(9_999), &ChargeFilter::default()).unwrap();
        assert_eq!(paid.iter().map(|c| c.key.as_str()).collect::<Vec<_>>(), ["a", "c"]);
        assert_eq!(paid[0], rows[0]);
        let with_unpaid = ChargeFilter { with_unpaid: true, ..ChargeFilter::default() };
        let all = ledger.charges(at(0), at(9_999), &with_unpaid).unwrap();
        assert!(all.contains(&unpaid));
        assert_eq!(ledger.bill_charges(at(0), at(2_678_400)).unwrap(), paid);
        assert_eq!(ledger.bill_charges(at(2_678_400), at(5_000_000)).unwrap(), []);
    });
}

#[test]
fn a_row_that_changed_stops_every_file_and_a_whole_bill_may_be_replaced() {
    on_both(|place| {
        let mut ledger = open(place);
        let kept = |ledger: &mut Ledger| {
            let rows = ledger.charges(at(0), at(9_999), &ChargeFilter::default()).unwrap();
            rows.iter().map(|c| format!("{}={}", c.key, c.billed)).collect::<Vec<_>>()
        };
        let half = file("half.csv", vec![charge("a", "8"), charge("b", "1")]);
        ledger.import_bills(&[half], at(9), Mode::Merge).unwrap();
        let whole = [
            file("other.csv", vec![charge("x", "7")]),
            file("whole.csv", vec![charge("a", "9"), charge("c", "1")]),
        ];
        let refused = ledger.import_bills(&whole, at(10), Mode::Merge).unwrap();
        assert_eq!(refused.refusals, 1);
        assert!(matches!(&refused.refused[0], Refusal::Differs { key, before, .. }
            if key == "a" && before == "8"));
        assert_eq!(kept(&mut ledger), ["a=¥8.00", "b=¥1.00"]);
        let replaced = ledger.import_bills(&whole, at(10), Mode::Replace).unwrap();
        assert_eq!((replaced.replaced, replaced.refusals), (2, 0));
        assert_eq!(kept(&mut ledger), ["a=¥9.00", "c=¥1.00", "x=¥7.00"]);
    });
}

#[test]
fn an_invoice_id_of_two_periods_stops_an_import() {
    on_both(|place| {
        let mut ledger = open(place);
        let invoiced = |key: &str, end| Charge {
            invoice: Some("INV-1".to_owned()),
            billing_period: (at(0), at(end)),
            ..charge(key, "1")
        };
        ledger.import_bills(&[file("a", vec![invoiced("a", 9_000)])], at(9), Mode::Merge).unwrap();
        let next = file("b", vec![invoiced("b", 9_000)]);
        assert_eq!(ledger.import_bills(&[next], at(9), Mode::Merge).unwrap().refusals, 0);
        let other = file("c", vec![invoiced("c", 18_000)]);
        let refused = ledger.import_bills(&[other], at(9), Mode::Merge).unwrap();
        assert!(
            matches!(&refused.refused[..], [Refusal::Invoice { invoice, .. }] if invoice == "INV-1")
        );
    });
}

#[test]
fn a_run_is_completed_without_forgetting_how_it_began() {
    on_both(|place| {
        let mut ledger = open(place);
        let mut run = Run {
            id: "r1".to_owned(),
            job: "lora".to_owned(),
            person: Some("林".to_owned()),
            host: "box".to_owned(),
            card: Some(CardId::new("rtx-4090")),
            cards: 2,
            start: at(1_000),
            end: None,
            exit_code: None,
            work: None,
            work_unit: None,
            peak_memory: None,
            origin: "run".to_owned(),
        };
        ledger.record_run(&run).unwrap();
        assert_eq!(ledger.runs(at(5_000), at(6_000)).unwrap(), [run.clone()], "it still runs");
        run.end = Some(at(2_000));
        run.exit_code = Some(0);
        run.peak_memory = Some(21_000_000_000);
        ledger.record_run(&Run { person: None, ..run.clone() }).unwrap();
        assert_eq!(ledger.runs(at(0), at(3_000)).unwrap(), [run.clone()]);
        assert!(ledger.runs(at(2_001), at(3_000)).unwrap().is_empty());
        assert_eq!(ledger.import_runs([run.clone(), run]).unwrap(), 0);
    });
}

#[test]
fn agents_that_send_again_and_at_once_lose_and_double_nothing() {
    on_both(|place| {
        drop(open(place));
        let agents: Vec<_> = (0..4)
            .map(|agent| {
                let place = place.to_owned();
                thread::spawn(move || {
                    let mut ledger = open(&place);
                    let name = format!("agent-{agent}");
                    for sequence in 0..25 {
                        let batch = [hour(sequence % 5, "serve", 36.0)];
                        assert!(ledger.add_usage(&name, sequence, &batch).unwrap());
                        assert!(!ledger.add_usage(&name, sequence, &batch).unwrap());
                    }
                })
            })
            .collect();
        agents.into_iter().for_each(|agent| agent.join().unwrap());
        let total = open(place).usage(at(0), at(99 * 3600), Group::All).unwrap();
        assert_eq!(total.len(), 1);
        assert!((total[0].seen - 100.0 * 3600.0).abs() < 1e-6);
        assert!((total[0].busy_share().unwrap() - 0.01).abs() < 1e-9);
        assert_eq!(total[0].sm_share(), None, "what nobody measured is unknown, not idle");
    });
}

#[test]
fn usage_is_summed_by_job_and_by_hour_of_the_week() {
    on_both(|place| {
        let mut ledger = open(place);
        // 1970-01-05 was a Monday: hour 96 is Monday 00:00 UTC.
        let hours = [hour(96, "a", 3600.0), hour(97, "b", 0.0), hour(96 + 168, "a", 0.0)];
        let mut page = |until, hours: &[UsageHour]| {
            ledger.import_page("server", at(until), hours.to_vec()).unwrap()
        };
        assert_eq!(page(3600, &hours), 3);
        assert_eq!(page(7200, &hours), 0);
        let longer = UsageHour { seen: 3601.0, ..hours[2].clone() };
        assert_eq!(page(7200, &[longer]), 1, "an hour that was seen for longer takes its place");
        assert_eq!(page(7200, &hours), 0);
        assert_eq!(ledger.progress("server").unwrap(), Some(at(7200)));
        let jobs = ledger.usage(at(0), at(400 * 3600), Group::Job).unwrap();
        let shares: Vec<_> = jobs.iter().map(|j| (j.name.as_str(), j.busy_share())).collect();
        assert_eq!(shares, [("a", Some(0.5)), ("b", Some(0.0))]);
        let week = ledger.usage(at(0), at(400 * 3600), Group::HourOfWeek).unwrap();
        let names: Vec<_> = week.iter().map(|h| (h.name.as_str(), h.seen)).collect();
        assert_eq!(names, [("0", 7201.0), ("1", 3600.0)]);
        assert_eq!(ledger.usage_hours(at(0), at(97 * 3600)).unwrap(), [hours[0].clone()]);
    });
}

#[test]
fn logs_of_one_hour_add_up_by_the_minute_whatever_their_order_and_overlap() {
    let part = |minutes: std::ops::Range<u64>| {
        let seconds = 60.0 * (minutes.end - minutes.start) as f64;
        let mask = minutes.fold(0, |mask, minute| mask | 1 << minute);
        let whole = hour(5, "a", 1800.0);
        let share = seconds / 3600.0;
        let hour = UsageHour {
            seen: seconds,
            busy_known: seconds,
            busy: whole.busy * share,
            ..whole.clone()
        };
        LoggedHour { hour, minutes: mask }
    };
    on_both(|place| {
        let mut ledger = open(place);
        // The first half, what overlaps with it, the first half again, and the whole hour at last.
        let mut seen = |range| {
            let written = ledger.import_logs([part(range)]).unwrap();
            let total = ledger.usage(at(0), at(99 * 3600), Group::All).unwrap();
            (written, total[0].seen, total[0].busy_share().unwrap())
        };
        assert_eq!(seen(0..30), (1, 1800.0, 0.5));
        assert_eq!(seen(20..40), (1, 2400.0, 0.5));
        assert_eq!(seen(0..30), (0, 2400.0, 0.5));
        assert_eq!(seen(0..60), (1, 3600.0, 0.5));
        assert_eq!(seen(59..60), (0, 3600.0, 0.5));
        let agents = hour(9, "b", 0.0);
        assert!(ledger.add_usage("agent", 1, std::slice::from_ref(&agents)).unwrap());
        let log = LoggedHour { hour: hour(9, "b", 3600.0), minutes: 1 };
        assert_eq!(ledger.import_logs([log]).unwrap(), 0, "what an agent wrote stays");
    });
}

#[test]
fn budgets_baselines_and_scans_are_kept() {
    on_both(|place| {
        let mut ledger = open(place);
        let budget = |amount: &str| Budget {
            month: "2026-12".to_owned(),
            scope: BudgetScope::Total,
            name: String::new(),
            amount: Money::new(amount.parse().unwrap(), Currency::CNY),
            quantity: Some(720.0),
        };
        ledger.set_budgets(&[budget("2000")]).unwrap();
        ledger.set_budgets(&[budget("2433.60")]).unwrap();
        assert_eq!(ledger.budgets("2026-12").unwrap(), [budget("2433.60")]);

        let baseline = Baseline {
            job: "lora".to_owned(),
            card: "RTX 4090".to_owned(),
            recorded: at(5),
            environment: "abc".to_owned(),
            figures: [("step_seconds".to_owned(), 1.25)].into(),
        };
        ledger.record_baseline(&baseline).unwrap();
        assert_eq!(ledger.baselines("lora").unwrap(), [baseline]);

        let item = |id: &str| StorageItem {
            id: id.to_owned(),
            place: "/data".to_owned(),
            kind: "checkpoint".to_owned(),
            bytes: Bytes::from_gb(14),
            last_used: None,
            seen: at(7),
            used_by: None,
        };
        ledger.record_scan("/data", &[item("old"), item("both")]).unwrap();
        ledger.record_scan("/data", &[item("both")]).unwrap();
        assert_eq!(ledger.storage_items().unwrap(), [item("both")]);
    });
}

#[test]
fn a_ledger_of_a_later_program_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ledger.db");
    drop(open(file.to_str().unwrap()));
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection.execute("UPDATE schema_version SET version = 99", []).unwrap();
    drop(connection);
    let refused = Ledger::open_file(&file).unwrap_err();
    assert_eq!(refused.to_string(), "the ledger has schema 99, this kasuan knows up to 4");
}

fn seen(day: i8, price: &str) -> PriceObservation {
    PriceObservation {
        provider: "compshare".to_owned(),
        product: "cn-wlcb/4090-24G".to_owned(),
        card: CardId::new("rtx-4090"),
        tier: String::new(),
        mode: BillingMode::Monthly,
        day: jiff::civil::date(2026, 11, day),
        dated: day > 1,
        price: Money::new(price.parse().unwrap(), Currency::CNY),
        source: "价目.csv".to_owned(),
    }
}

/// skypilot#2780: an old run keeps the price of its day, whatever the list says today.
#[test]
fn fx_085_prices_are_kept_by_day_and_a_corrected_import_replaces_its_own_day_only() {
    on_both(|place| {
        let mut ledger = open(place);
        let rest = || Ok::<(), LedgerError>(());
        ledger.record_prices(&[seen(1, "1.66"), seen(2, "1.58")], rest).unwrap();
        ledger.record_prices(&[seen(2, "1.59")], rest).unwrap();
        assert_eq!(ledger.prices().unwrap(), [seen(1, "1.66"), seen(2, "1.59")]);
    });
}

#[test]
fn when_the_rest_of_an_import_fails_no_price_of_it_is_kept() {
    on_both(|place| {
        let mut ledger = open(place);
        let failing = || Err(LedgerError::TooNew { found: 2, known: 1 });
        let error = ledger.record_prices(&[seen(1, "1.66")], failing).unwrap_err();
        assert!(matches!(error, LedgerError::TooNew { .. }), "the first error is told: {error}");
        assert!(ledger.prices().unwrap().is_empty());
        ledger.record_prices(&[seen(1, "1.66")], || Ok::<(), LedgerError>(())).unwrap();
        assert_eq!(ledger.prices().unwrap().len(), 1);
    });
}
