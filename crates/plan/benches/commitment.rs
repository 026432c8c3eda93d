//! How long the exact optimum takes: a month and a year of hours, three terms, any start hour.

use criterion::{Criterion, criterion_group, criterion_main};
use kasuan_model::Currency;
use kasuan_plan::commitment::{Horizon, OnDemand, Problem, Starts, Tenor, optimise};
use rust_decimal::Decimal;
use std::hint::black_box;

/// A week-shaped demand with bursts, the same at every run.
fn demand(hours: usize) -> Vec<u32> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut burst = 0_u32;
    (0..hours)
        .map(|hour| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let draw = (state >> 33) as u32;
            if draw.is_multiple_of(37) {
                burst = draw % 40;
            }
            let day = if (9..19).contains(&(hour % 24)) { 20 } else { 6 };
            day + burst + draw % 5
        })
        .collect()
}

fn tenors() -> Vec<Tenor> {
    [(24, 85), (168, 70), (720, 50)]
        .into_iter()
        .map(|(hours, percent)| Tenor {
            hours,
            price: Decimal::new(i64::from(hours) * percent, 2),
            stock: None,
            starts: Starts::Any,
        })
        .collect()
}

fn commitments(c: &mut Criterion) {
    let night: Vec<Decimal> =
        (0..8760).map(|hour| Decimal::new(if hour % 24 < 7 { 90 } else { 100 }, 2)).collect();
    for (name, hours) in [("30 days", 720), ("a year", 8760)] {
        let demand = demand(hours);
        let tenors = tenors();
        let flat = [OnDemand::flat(Decimal::ONE)];
        let profile = [OnDemand { hourly: night.clone(), stock: None }];
        for (prices, on_demand) in [("flat price", &flat), ("night price", &profile)] {
            for (charge, horizon) in [("full", Horizon::Full), ("pro rata", Horizon::ProRata)] {
                let problem = Problem {
                    currency: Currency::CNY,
                    demand: &demand,
                    on_demand,
                    tenors: &tenors,
                    held: &[],
                    horizon,
                };
                c.bench_function(&format!("optimum/{name}/{prices}/{charge}"), |b| {
                    b.iter(|| optimise(black_box(&problem)));
                });
            }
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(std::time::Duration::from_secs(2));
    targets = commitments
}
criterion_main!(benches);
