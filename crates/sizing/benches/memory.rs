//! How long a thousand memory estimates take, against the guide's rule of thumb in the same run; the
//! bar is 10 ms. Plain timing without a harness, so that the room needs no further dependency.

#![expect(clippy::print_stdout, reason = "a bench talks to its terminal")]

use kasuan_sizing::{Architecture, Catalogue, Setup, Training, Work, memory};
use std::{hint::black_box, time::Instant};

const ROUNDS: u32 = 20;

/// Returns the milliseconds that a thousand calls take, the best of several rounds.
fn a_thousand(cases: &[(&Architecture, &Setup)], call: impl Fn(&Architecture, &Setup)) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for (model, setup) in cases {
            call(black_box(model), black_box(setup));
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    best * 1000.0 / cases.len().max(1) as f64
}

fn main() {
    let models = Catalogue::shipped().entries();
    let serving = Setup::default();
    let training = Setup { work: Work::Training(Training::default()), ..Setup::default() };
    let cases: Vec<_> = models
        .iter()
        .flat_map(|model| [(model, &serving), (model, &training)])
        .cycle()
        .take(1000)
        .collect();
    let ours = a_thousand(&cases, |model, setup| {
        let _ = black_box(memory::estimate(model, setup, None));
    });
    let rule = a_thousand(&cases, |model, setup| {
        black_box(memory::guide_rule(model, setup));
    });
    println!(
        "1,000 estimates: {ours:.3} ms; the guide's rule: {rule:.3} ms; ratio {:.1}",
        ours / rule
    );
}
