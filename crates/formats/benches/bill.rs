//! How fast bills are read: rows of FOCUS and of a Chinese cloud, without an id and with one.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kasuan_formats::bill::{BillOptions, read};
use std::{fmt::Write as _, hint::black_box};

const ROWS: u32 = 20_000;

fn focus() -> String {
    let mut text = String::from(
        "BilledCost,BillingCurrency,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,\
         BillingPeriodStart,BillingPeriodEnd,ProviderName,ServiceName,ResourceId,ConsumedQuantity,\
         ConsumedUnit,PricingCategory,x_GpuModel,x_GpuCount\n",
    );
    for row in 0..ROWS {
        let (day, hour) = (1 + row % 720 / 24, row % 24);
        // Writing into a text cannot fail.
        let _ = writeln!(
            text,
            "15.6,CNY,Usage,2025-11-{day:02}T{hour:02}:00:00Z,2025-11-{day:02}T{hour:02}:59:59Z,\
             2025-11-01T00:00:00Z,2025-12-01T00:00:00Z,Example,GPU,host-{},1,Hours,Standard,RTX 4090,8",
            row / 720
        );
    }
    text
}

fn bills(bench: &mut Criterion) {
    let text = focus();
    let mut group = bench.benchmark_group("bill");
    group.throughput(Throughput::Elements(u64::from(ROWS)));
    group.sample_size(10);
    group.bench_function("focus", |bench| {
        bench.iter(|| read("bill.csv", black_box(text.as_bytes()), &BillOptions::default()));
    });
    group.finish();
}

criterion_group!(benches, bills);
criterion_main!(benches);
