//! Times one query in process on the rows of a gpuhunt catalogue: `benches/vs_gpuhunt.py` runs it
//! beside gpuhunt itself, on the same files and with the same question.
//!
//!     cargo run --release -p kasuan-formats --example time_query -- FOLDER

#![expect(clippy::print_stdout, reason = "what it measures is its output")]

use jiff::civil::date;
use kasuan_formats::market::{Stated, import};
use kasuan_market::{Bands, CardNames, Catalogue, Query};
use kasuan_model::{BillingMode, Bytes, Rates};
use std::{hint::black_box, path::PathBuf, time::Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name the folder of the catalogue")?);
    let today = date(2026, 12, 1);
    let shipped = Catalogue::shipped()?;
    let mut offers = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let bytes = std::fs::read(&path)?;
        let provider = path.file_stem().map(|name| name.to_string_lossy().into_owned());
        let stated = Stated { provider, ..Stated::default() };
        offers.extend(import(&bytes, &stated, &shipped, today)?.card.offers);
    }
    let rows = offers.len();
    let cards = shipped.cards().to_vec();
    let catalogue = Catalogue::new(cards, CardNames::default(), offers, Vec::new());
    // One card of 80 GB or more, on demand, for at most 5 dollars an hour.
    let query = Query {
        min_card_memory: Some(Bytes::from_gib(80)),
        max_count: Some(1),
        modes: vec![BillingMode::OnDemand],
        max_price: Some(5.into()),
        ..Query::default()
    };
    let rates = Rates::default();
    let mut times = Vec::new();
    let mut found = 0;
    for _ in 0..2_000 {
        let start = Instant::now();
        found = black_box(query.run(&catalogue, &rates, Bands::default(), today)).hits.len();
        times.push(start.elapsed().as_nanos());
    }
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    println!("{{\"rows\": {rows}, \"found\": {found}, \"median_ns\": {median}}}");
    Ok(())
}
