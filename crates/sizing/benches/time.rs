//! Speed of the time model: a thousand estimates, and a day of traffic in the simulation.

use criterion::{Criterion, criterion_group, criterion_main};
use kasuan_model::{Bytes, Card, CardId, Interconnect, Source};
use kasuan_sizing::{
    Architecture, Inference, Setup, Training, Work,
    capacity::{Request, Server, simulate},
    time,
};
use std::hint::black_box;

fn model() -> Architecture {
    Architecture {
        layers: 32,
        hidden: 4096,
        heads: 32,
        kv_heads: 8,
        head_dim: 128,
        intermediate: 14336,
        vocab: 128_256,
        ..Architecture::default()
    }
}

fn card(tenths_of_terabytes: u32) -> Card {
    Card {
        id: CardId::new("bench"),
        display: "bench".into(),
        vendor: "nvidia".into(),
        architecture: "Ampere".into(),
        memory: Bytes::from_gib(80),
        usable_memory: None,
        bandwidth: Some(f64::from(tenths_of_terabytes) * 1e11),
        fp32_flops: Some(19.5e12),
        tensor_flops: Some(312e12),
        fp8_flops: None,
        bf16: Some(true),
        compute_capability: Some((8, 0)),
        nvlink: Some(6e11),
        pcie: None,
        power_watts: Some(400),
        ecc: None,
        source: Source::stated("bench"),
    }
}

fn estimates(c: &mut Criterion) {
    let model = model();
    let cards: Vec<Card> = (10..60).map(card).collect();
    let training = Setup { work: Work::Training(Training::default()), ..Setup::default() };
    let service = Setup { work: Work::Inference(Inference::default()), ..Setup::default() };
    c.bench_function("1000 time estimates", |b| {
        b.iter(|| {
            let mut sum = 0.0;
            for card in cards.iter().cycle().take(500) {
                let link = Interconnect::Unknown;
                sum += time::training_rate(&model, &training, card, link)
                    .map_or(0.0, |r| r.tokens_per_second.likely);
                sum += time::serving(&model, &service, card, link)
                    .map_or(0.0, |s| s.rate.tokens_per_second.likely);
            }
            black_box(sum)
        });
    });
}

fn day(c: &mut Criterion) {
    let service = Setup { work: Work::Inference(Inference::default()), ..Setup::default() };
    let Ok(server) = Server::of(&model(), &service, &card(20), Interconnect::Unknown) else {
        return;
    };
    // 5 requests a second for a day, lengths from a small linear congruence.
    let mut state = 1_u32;
    let log: Vec<Request> = (0..432_000_u32)
        .map(|n| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            Request {
                arrival: f64::from(n) / 5.0,
                prompt: 200 + state % 2000,
                generated: 20 + (state >> 8) % 400,
            }
        })
        .collect();
    c.bench_function("a day of 432,000 requests", |b| {
        b.iter(|| black_box(simulate(&server, &log, 4)));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = estimates, day
}
criterion_main!(benches);
