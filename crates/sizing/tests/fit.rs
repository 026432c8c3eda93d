//! Whether jobs fit cards: feasibility, cards needed, and how far a setup can be stretched.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

use kasuan_model::{Bytes, Card, CardId, Source};
use kasuan_sizing::{
    Architecture, Catalogue, Inference, Method, Parallelism, Recipe, Setup, Sharding, Training,
    WeightFormat, Work,
    fit::{self, Axis, Need},
};

/// A card with what these tests look at; the memory is what the driver reports.
fn card(name: &str, mib: u32, capability: (u32, u32)) -> Card {
    Card {
        id: CardId::new(name),
        display: name.to_owned(),
        vendor: "nvidia".to_owned(),
        architecture: String::new(),
        memory: Bytes::from_mib(mib),
        usable_memory: Some(Bytes::from_mib(mib)),
        bandwidth: None,
        fp32_flops: None,
        tensor_flops: None,
        fp8_flops: None,
        bf16: Some(capability >= (8, 0)),
        compute_capability: Some(capability),
        nvlink: None,
        pcie: None,
        power_watts: None,
        ecc: None,
        source: Source::stated("a test"),
    }
}

fn rtx_4090() -> Card {
    card("rtx-4090", 24_564, (8, 9))
}

fn a100_80() -> Card {
    card("a100-80", 81_152, (8, 0))
}

fn t4() -> Card {
    card("t4", 14_912, (7, 5))
}

fn model(id: &str) -> &'static Architecture {
    Catalogue::shipped().find(id).unwrap()
}

fn serving(prompt: u32, generated: u32, concurrency: u32) -> Work {
    Work::Inference(Inference { prompt, generated, concurrency, ..Inference::default() })
}

fn full() -> Work {
    Work::Training(Training { method: Method::Full, ..Training::default() })
}

#[test]
fn a_7b_service_fits_a_24_gib_card_and_a_70b_does_not() {
    let need = Need::new(serving(1536, 512, 8));
    let small = fit::setups(model("qwen2.5-7b"), &need, &rtx_4090()).unwrap();
    assert_eq!(small[0].setup.weights, WeightFormat::Bf16);
    assert_eq!(small[0].cards(), 1);
    let large = fit::setups(model("llama-3.1-70b"), &need, &rtx_4090()).unwrap();
    assert!(large.iter().all(|found| found.cards() > 1), "70B in 4 bits is 37 GiB alone");
    let in_16_bits = large.iter().find(|found| found.setup.weights == WeightFormat::Bf16).unwrap();
    assert_eq!(in_16_bits.cards(), 8, "131.4 GiB of weights leave no room on 4 cards of 24 GiB");
}

#[test]
fn a_card_without_bf16_computes_in_fp16_and_says_so() {
    let setup = Setup { work: serving(512, 512, 1), ..Setup::default() };
    let found = fit::fits(model("qwen2.5-1.5b"), &setup, &t4(), 0.0).unwrap();
    assert!(found.fits);
    assert_eq!(found.setup.weights, WeightFormat::Fp16);
    assert!(found.reasons.iter().any(|reason| reason.key() == "sizing-fit-fp16-in-place"));

    let pure = Setup { work: full(), ..Setup::default() };
    let found = fit::fits(model("qwen2.5-0.5b"), &pure, &t4(), 0.0).unwrap();
    let Work::Training(training) = &found.setup.work else { panic!("a training run") };
    assert_eq!(training.recipe, Recipe::Autocast);
}

#[test]
fn fp8_is_refused_before_ada_whatever_the_memory() {
    let setup =
        Setup { work: serving(512, 512, 1), weights: WeightFormat::Fp8, ..Setup::default() };
    let found = fit::fits(model("qwen2.5-1.5b"), &setup, &a100_80(), 0.0).unwrap();
    assert!(!found.fits && !found.possible);
    assert!(found.missing() == Bytes::ZERO);
}

#[test]
fn tensor_parallelism_must_divide_the_heads() {
    // Qwen2.5-7B has 28 query heads and 4 key heads: 8 does not divide 28.
    let parallelism = Parallelism { tensor: 8, ..Parallelism::SINGLE };
    let setup = Setup { work: serving(512, 512, 1), parallelism, ..Setup::default() };
    let found = fit::fits(model("qwen2.5-7b"), &setup, &rtx_4090(), 0.0).unwrap();
    assert!(!found.possible);
    let need = Need { cards: Some(8), ..Need::new(serving(512, 512, 1)) };
    let found = fit::setups(model("qwen2.5-7b"), &need, &rtx_4090()).unwrap();
    assert_eq!(found[0].setup.parallelism.tensor, 4);
    assert_eq!(found[0].setup.parallelism.pipeline, 2);
}

#[test]
fn copies_of_a_quantised_base_do_not_get_smaller_with_more_cards() {
    let nf4 = WeightFormat::Nf4 { double_quant: true };
    let at = |data: u32| {
        let parallelism = Parallelism { data, ..Parallelism::SINGLE };
        let setup = Setup {
            work: Work::Training(Training::default()),
            weights: nf4,
            parallelism,
            ..Setup::default()
        };
        fit::fits(model("llama-3.1-70b"), &setup, &rtx_4090(), 0.0).unwrap()
    };
    assert!(!at(1).fits && !at(8).fits);
    assert!(at(8).memory.breakdown.weights >= at(1).memory.breakdown.weights);
    let need = Need { weights: Some(nf4), ..Need::new(Work::Training(Training::default())) };
    let a6000 = card("rtx-a6000", 48_550, (8, 6));
    let found = fit::setups(model("llama-3.1-70b"), &need, &a6000).unwrap();
    assert!(
        !found.is_empty()
            && found.iter().all(|found| found.setup.parallelism.sharding == Sharding::Fsdp)
    );
}

#[test]
fn more_memory_never_needs_more_cards() {
    for id in ["qwen2.5-7b", "qwen2.5-32b", "llama-3.1-70b", "qwen3-30b-a3b"] {
        let mut before = u32::MAX;
        for gib in [16, 24, 40, 48, 80, 141] {
            let card = card("a card", gib * 1024, (8, 9));
            let need =
                Need { weights: Some(WeightFormat::Bf16), ..Need::new(serving(1536, 512, 8)) };
            let found = fit::setups(model(id), &need, &card).unwrap();
            let cards = found.first().map_or(u32::MAX, fit::Fit::cards);
            assert!(cards <= before, "{id}: {cards} cards of {gib} GiB after {before}");
            before = cards;
        }
    }
}

#[test]
fn the_largest_value_fits_and_the_next_does_not() {
    let setup = Setup { work: serving(1536, 512, 8), ..Setup::default() };
    let model = model("qwen2.5-7b");
    let most = fit::largest(model, &setup, &rtx_4090(), 0.1, Axis::Concurrency).unwrap().unwrap();
    let at = |concurrency| {
        let setup = Setup { work: serving(1536, 512, concurrency), ..Setup::default() };
        fit::fits(model, &setup, &rtx_4090(), 0.1).unwrap().fits
    };
    assert!(at(most) && !at(most + 1), "{most}");
    assert_eq!(fit::largest(model, &setup, &rtx_4090(), 0.1, Axis::MicroBatch).unwrap(), None);
    let too_large = Setup { weights: WeightFormat::Fp32, ..setup };
    assert_eq!(fit::largest(model, &too_large, &t4(), 0.0, Axis::Concurrency).unwrap(), None);
}

#[test]
fn headroom_is_kept_free() {
    let setup = Setup { work: serving(1536, 512, 8), ..Setup::default() };
    let all = fit::kv_tokens_left(model("qwen2.5-7b"), &setup, &rtx_4090(), 0.0).unwrap().unwrap();
    let less = fit::kv_tokens_left(model("qwen2.5-7b"), &setup, &rtx_4090(), 0.2).unwrap().unwrap();
    // A fifth of 24,564 MiB in tokens of 57,344 bytes.
    let fifth = 24_564.0 * 1_048_576.0 * 0.2 / 57_344.0;
    assert!(((all - less) as f64 - fifth).abs() < 2.0, "{all} {less}");
}

#[test]
fn what_to_change_comes_cheapest_first_and_ends_where_it_fits() {
    use kasuan_sizing::{AttentionKernel, Checkpointing};
    let training = Training {
        micro_batch: 8,
        accumulation: 1,
        checkpointing: Checkpointing::Off,
        attention: AttentionKernel::Eager,
        ..Training::default()
    };
    let setup = Setup { work: Work::Training(training), ..Setup::default() };
    let model = model("llama-3.1-8b");
    let found = fit::remedies(model, &setup, &rtx_4090(), 0.05, 8).unwrap();
    let keys: Vec<&str> = found.changes.iter().map(|remedy| remedy.change.key()).collect();
    assert_eq!(keys[0], "sizing-remedy-checkpointing", "{keys:?}");
    let last = found.changes.last().unwrap();
    assert!(last.fit.fits, "{keys:?}");
    let uppers: Vec<Bytes> = found.changes.iter().map(|remedy| remedy.fit.memory.upper).collect();
    assert!(uppers.is_sorted_by(|before, after| before > after), "{uppers:?}");
    assert!(found.changes[..found.changes.len() - 1].iter().all(|remedy| !remedy.fit.fits));
    let fitting = Setup { work: serving(512, 512, 1), ..Setup::default() };
    let nothing = fit::remedies(model, &fitting, &a100_80(), 0.0, 8).unwrap();
    assert_eq!(nothing, fit::Remedies::default());
}

#[test]
fn a_service_that_is_too_large_is_offered_fewer_bits_more_cards_and_fewer_requests() {
    let setup = Setup { work: serving(1536, 512, 64), ..Setup::default() };
    let found = fit::remedies(model("qwen2.5-14b"), &setup, &rtx_4090(), 0.0, 8).unwrap();
    assert!(found.changes.iter().any(|r| r.change.key() == "sizing-remedy-four-bit-weights"));
    assert!(found.more_cards.as_ref().is_some_and(|remedy| remedy.fit.fits));
    // 27.5 GiB of weights alone: no number of requests makes it fit.
    assert_eq!(found.less, None);
}

#[test]
fn the_answer_for_a_card_names_the_setup_with_the_fewest_cards_too() {
    let need = Need::new(serving(1536, 512, 8));
    let found = fit::answer(model("qwen2.5-32b"), &need, &rtx_4090()).unwrap();
    assert!(!found.asked.fits);
    let (best, fewest) = (found.best.unwrap(), found.fewest.unwrap());
    assert_eq!(best.setup.weights, WeightFormat::Bf16);
    assert!(fewest.cards() < best.cards() && fewest.setup.weights != WeightFormat::Bf16);
    assert!(found.capacity.concurrency.is_some_and(|most| most >= 8));
}
