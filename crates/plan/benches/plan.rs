//! How long planning takes: the guide's team, and a thousand jobs on part and all of the catalogue.
//!
//! `cargo bench -p kasuan-plan --bench plan`

#![allow(clippy::print_stderr, reason = "a bench tells what it planned")]

use criterion::{Criterion, criterion_group, criterion_main};
use jiff::civil::{date, time};
use kasuan_market::{CardNames, Catalogue};
use kasuan_model::{Currency, Estimate, FxRate, Rates, Seconds, Source};
use kasuan_plan::{
    World, mix_only, plan,
    workload::{
        Amount, Checkpoints, Job, Margin, Policy, Runs, Task, Team, Transfer, Window, Workload,
    },
};
use rust_decimal::Decimal;
use std::{hint::black_box, time::Duration};

/// A thousand different jobs: services, trainings and batches of a company.
fn jobs(count: u32) -> Vec<Job> {
    let mut jobs = Vec::new();
    for index in 0..count {
        // A fixed sequence without a generator: multiplication modulo a prime.
        let seed = (index + 1).wrapping_mul(2_654_435_761) >> 8;
        let task = if seed.is_multiple_of(4) { Task::Inference } else { Task::Batch };
        let mut job = Job::new(format!("job {index}"), task);
        job.memory = Some(kasuan_model::Bytes::from_gib([8, 16, 22, 40, 70][seed as usize % 5]));
        if task == Task::Inference {
            job.amount = Amount::Service;
            let from = (seed % 12) as i8;
            job.window = Window {
                daily: Some((time(from, 0, 0, 0), time(from + 10, 0, 0, 0))),
                ..Window::default()
            };
        } else {
            let hours = Decimal::from(1 + seed % 60);
            job.amount = Amount::Hours { hours: Estimate::exact(hours), measured_on: None };
            job.runs = Runs::PerMonth(1 + seed % 6);
            job.window.may_wait = Seconds::from_hours((seed % 3) * 12);
            if seed.is_multiple_of(5) {
                job.interruptible = Some(Checkpoints {
                    write: Seconds::from_minutes(1),
                    restart: Seconds::from_minutes(3),
                    interval: None,
                });
            }
        }
        jobs.push(job);
    }
    jobs
}

fn workload(jobs: Vec<Job>) -> Workload {
    Workload {
        currency: Currency::CNY,
        month: date(2026, 12, 1),
        days: None,
        jobs,
        storage: Vec::new(),
        transfer: Transfer::default(),
        team: Team::default(),
        policy: Policy { margin: Margin::Flat(0.2), trust_hours: true, ..Policy::default() },
        rates: Rates::new([FxRate {
            from: Currency::USD,
            to: Currency::CNY,
            rate: Decimal::new(71, 1),
            source: Source::stated("bench"),
        }]),
        held: Vec::new(),
    }
}

fn benches(c: &mut Criterion) {
    let all = Catalogue::shipped().expect("the shipped catalogue is tested");
    let some: Vec<_> = all.offers().iter().step_by(all.offers().len() / 500).cloned().collect();
    let part =
        Catalogue::new(all.cards().to_vec(), CardNames::default(), some, all.all_terms().to_vec());
    let mut group = c.benchmark_group("plan");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    let mut run = |name: &str, catalogue: &Catalogue, count: u32, whole: bool| {
        let workload = workload(jobs(count));
        let world = World { catalogue, today: date(2026, 12, 1), seed: 1, measured: &[] };
        let mix = mix_only(&workload, &world).expect("the workload is valid");
        eprintln!(
            "{name}: {} offers, cost {}, lower bound {}, gap {:.2}%",
            catalogue.offers().len(),
            mix.cost,
            mix.lower_bound,
            mix.gap * 100.0
        );
        group.bench_function(name, |b| {
            b.iter(|| {
                if whole {
                    black_box(plan(&workload, &world)).map(|_| ())
                } else {
                    black_box(mix_only(&workload, &world)).map(|_| ())
                }
            });
        });
    };
    run("6 jobs, all offers, whole plan", &all, 6, true);
    run("1000 jobs, 500 offers, mix", &part, 1000, false);
    run("1000 jobs, all offers, mix", &all, 1000, false);
    run("1000 jobs, all offers, whole plan", &all, 1000, true);
    group.finish();
}

criterion_group!(plans, benches);
criterion_main!(plans);
