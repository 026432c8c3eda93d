//! Speed of the memory model: a thousand estimates over the whole catalogue, serving and training, by
//! turns; and the guide's rule of thumb on the same, to compare with. The bar is 10 ms.

use criterion::{Criterion, criterion_group, criterion_main};
use kasuan_sizing::{Architecture, Catalogue, Setup, Training, Work, memory};
use std::hint::black_box;

fn a_thousand<'a>(
    serving: &'a Setup,
    training: &'a Setup,
) -> Vec<(&'static Architecture, &'a Setup)> {
    let models = Catalogue::shipped().entries().iter();
    models.flat_map(|model| [(model, serving), (model, training)]).cycle().take(1000).collect()
}

fn estimates(c: &mut Criterion) {
    let serving = Setup::default();
    let training = Setup { work: Work::Training(Training::default()), ..Setup::default() };
    let cases = a_thousand(&serving, &training);
    c.bench_function("1,000 memory estimates", |b| {
        b.iter(|| {
            for (model, setup) in &cases {
                let _ = black_box(memory::estimate(black_box(model), black_box(setup), None));
            }
        });
    });
    c.bench_function("1,000 times the guide's rule", |b| {
        b.iter(|| {
            for (model, setup) in &cases {
                black_box(memory::guide_rule(black_box(model), black_box(setup)));
            }
        });
    });
}

criterion_group!(benches, estimates);
criterion_main!(benches);
