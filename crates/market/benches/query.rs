//! The speed of loading, querying and pricing, beside the naive way of each, in one run.

use criterion::{Criterion, criterion_group, criterion_main};
use jiff::civil::date;
use kasuan_market::{Bands, Catalogue, Query, Sort, Tariff, Usage, bill, bill::Run};
use kasuan_model::{BillingMode, Bytes, Rates, Seconds};
use std::hint::black_box;

/// The query that peers are measured with: at least 80 GB, at most 5 an hour and card, no spot.
fn query() -> Query {
    Query {
        min_card_memory: Some(Bytes::from_gib(80)),
        modes: vec![BillingMode::OnDemand],
        max_price: Some(5.into()),
        sort: Sort::Card,
        ..Query::default()
    }
}

fn speed(criterion: &mut Criterion) {
    let catalogue = Catalogue::shipped().expect("tests hold that the shipped catalogue reads");
    let rates = Rates::default();
    let today = date(2026, 12, 1);
    criterion.bench_function("load the shipped catalogue", |bench| {
        bench.iter(|| black_box(Catalogue::shipped()));
    });
    criterion.bench_function("query every offer", |bench| {
        bench.iter(|| {
            black_box(query().run(&catalogue, &rates, Bands::default(), today).hits.len())
        });
    });
    criterion.bench_function("load and query, as a tool without a catalogue does", |bench| {
        bench.iter(|| {
            let catalogue = Catalogue::shipped().expect("checked above");
            black_box(query().run(&catalogue, &rates, Bands::default(), today).hits.len())
        });
    });
    let tariffs: Vec<Tariff> = catalogue
        .offers()
        .iter()
        .map(|offer| Tariff::new(offer, catalogue.terms(&offer.provider, None)))
        .collect();
    criterion.bench_function("price one run on every offer, fast path", |bench| {
        bench.iter(|| {
            for tariff in &tariffs {
                let _ = black_box(tariff.run(black_box(Seconds::from_minutes(481))));
            }
        });
    });
    criterion.bench_function("price one run on every offer, as a whole bill", |bench| {
        let start = date(2026, 12, 1).at(9, 0, 0, 0);
        let runs = vec![Run::new(start, date(2026, 12, 1).at(17, 1, 0, 0))];
        let usage = Usage { runs, ..Usage::default() };
        bench.iter(|| {
            for offer in catalogue.offers() {
                let terms = catalogue.terms(&offer.provider, None);
                let _ = black_box(bill(&usage, offer, terms));
            }
        });
    });
}

criterion_group!(benches, speed);
criterion_main!(benches);
