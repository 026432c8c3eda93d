//! How fast a SQLite ledger takes charges and gives back a month of hours.

#![allow(clippy::unwrap_used, reason = "a bench stops at once")]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use jiff::Timestamp;
use kasuan_ledger::{BillFile, Ledger, Mode};
use kasuan_model::{
    CardId, Charge, ChargeCategory, Currency, Money, Payment, PricingCategory, UsageHour,
};
use std::hint::black_box;

const CHARGES: u64 = 200_000;
const HOURS: u64 = 200_000;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_761_955_200 + seconds).unwrap()
}

fn charge(row: u64) -> Charge {
    let billed = Money::new("15.60000000".parse().unwrap(), Currency::CNY);
    let hour = i64::try_from(row % 720).unwrap() * 3600;
    Charge {
        // As rows without an id are named: by a digest, in no order.
        key: format!(
            "{:032x}",
            u128::from(row).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835)
        ),
        provider: "example".to_owned(),
        account: "team".to_owned(),
        billing_period: (at(0), at(2_592_000)),
        charge_period: (at(hour), at(hour + 3600)),
        category: ChargeCategory::Usage,
        pricing: PricingCategory::Standard,
        payment: Payment::Due,
        description: "GPU instance by the hour".to_owned(),
        service: "GPU".to_owned(),
        resource: Some(format!("host-{}", row / 720)),
        region: None,
        card: Some(CardId::new("rtx-4090")),
        cards: Some(8),
        quantity: Some("1".parse().unwrap()),
        unit: Some("Hours".to_owned()),
        billed,
        effective: billed,
        list: None,
        invoice: None,
        tags: [("spec".to_owned(), "RTX 4090".to_owned())].into(),
    }
}

fn import(bench: &mut Criterion) {
    let charges: Vec<Charge> = (0..CHARGES).map(charge).collect();
    let mut group = bench.benchmark_group("ledger");
    group.sample_size(10);
    group.throughput(Throughput::Elements(CHARGES));
    group.bench_function("import charges", |bench| {
        let fresh = || {
            let folder = tempfile::tempdir().unwrap();
            let ledger = Ledger::open_file(&folder.path().join("ledger.db")).unwrap();
            let file = BillFile {
                fingerprint: "x".to_owned(),
                name: "bill.csv".to_owned(),
                charges: charges.clone(),
                strict_invoices: true,
            };
            (folder, ledger, file)
        };
        bench.iter_batched(
            fresh,
            |(folder, mut ledger, file)| {
                let done = ledger.import_bills(&[file], at(0), Mode::Merge).unwrap();
                assert_eq!(done.files[0].new, CHARGES);
                (folder, ledger)
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn hours(bench: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::open_file(&folder.path().join("ledger.db")).unwrap();
    let hours = (0..HOURS).map(|row| UsageHour {
        hour: at(i64::try_from(row / 280).unwrap() * 3600),
        host: format!("host-{}", row % 280 / 8).into(),
        device: format!("GPU-{:08}", row % 280).into(),
        card: Some(CardId::new("rtx-4090")),
        job: format!("job-{}", row % 40).into(),
        person: format!("person-{}", row % 20).into(),
        seen: 3600.0,
        busy_known: 3600.0,
        busy: 1800.5,
        ..UsageHour::default()
    });
    ledger.import_page("bench", at(0), hours).unwrap();
    let mut group = bench.benchmark_group("ledger");
    group.sample_size(10);
    group.throughput(Throughput::Elements(HOURS));
    group.bench_function("read a month of hours", |bench| {
        bench.iter(|| black_box(ledger.usage_hours(at(0), at(9_000_000)).unwrap()));
    });
    group.finish();
}

criterion_group!(benches, import, hours);
criterion_main!(benches);
