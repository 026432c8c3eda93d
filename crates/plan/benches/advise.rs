//! How long the answers take that a person waits for: ten thousand simulated months, a decision
//! between spot and on demand, and a commitment advice.

use criterion::{Criterion, criterion_group, criterion_main};
use kasuan_model::{Currency, Estimate, Money, Seconds};
use kasuan_plan::{
    commitment::{self, Observed, Term},
    simulate::{DRAWS, JobRisk, Month, Risks, months},
    spot::{self, Machine, Rule, Situation},
};
use rust_decimal::Decimal;
use std::hint::black_box;

fn money(amount: i64) -> Money {
    Money::new(Decimal::from(amount), Currency::CNY)
}

fn answers(c: &mut Criterion) {
    let job = JobRisk {
        hourly: Estimate::new(money(80), money(100), money(180)),
        runs: 8,
        spot: false,
        moves: None,
        market: 0,
        reclaims: (0.0, money(0)),
    };
    let others = vec![Estimate::new(money(50), money(60), money(90)); 4];
    let (currency, fixed, jobs) = (Currency::CNY, money(2000), vec![job; 20]);
    let month = Month { currency, fixed, others, jobs, risks: Risks::default() };
    c.bench_function("months/10,000 draws of 20 jobs", |b| {
        b.iter(|| months(black_box(&month), 1, DRAWS));
    });

    let history: Vec<bool> = (0..1300).map(|step| step % 48 < 20 || step % 7 == 0).collect();
    let situation = Situation {
        remaining: Seconds::from_hours(48),
        left: Seconds::from_hours(70),
        restart: Seconds::new(720),
        step: Seconds::from_minutes(30),
        spot_price: 0.317,
        on_demand_price: 1.0,
        now: Machine::Idle,
        whole: None,
    };
    c.bench_function("spot/48 h of work in 70 h", |b| {
        b.iter(|| spot::advise(black_box(&situation), &history, Rule::Programme));
    });

    let demand: Vec<u32> = (0..8760).map(|hour| 20 + hour % 24 + hour / 500).collect();
    let terms = [Term { hours: 720, price: Decimal::from(360) }];
    let observed = Observed { demand: &demand, on_demand: Decimal::ONE, terms: &terms, held: &[] };
    c.bench_function("commit/a year of hours", |b| {
        b.iter(|| commitment::advise(black_box(&observed)));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(std::time::Duration::from_secs(2));
    targets = answers
}
criterion_main!(benches);
