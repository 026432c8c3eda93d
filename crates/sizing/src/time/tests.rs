//! Behaviour of the time model that must hold whatever the coefficients are.

use super::*;
use crate::{Architecture, Inference, LoraTarget, Method, Parallelism, Setup, Training, Work};
use kasuan_model::{Bytes, Card, CardId, Confidence, Estimate, Interconnect, Source};

pub(crate) fn llama_8b() -> Architecture {
    Architecture {
        id: "meta-llama/Llama-3.1-8B".into(),
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

pub(crate) fn a100() -> Card {
    Card {
        id: CardId::new("a100-sxm4-80"),
        display: "A100 SXM4 80 GB".into(),
        vendor: "nvidia".into(),
        architecture: "Ampere".into(),
        memory: Bytes::from_gib(80),
        usable_memory: Some(Bytes::from_mib(81_920)),
        bandwidth: Some(2.04e12),
        fp32_flops: Some(19.5e12),
        tensor_flops: Some(312e12),
        fp8_flops: None,
        bf16: Some(true),
        compute_capability: Some((8, 0)),
        nvlink: Some(6e11),
        pcie: Some("4.0 x16".into()),
        power_watts: Some(400),
        ecc: Some(true),
        source: Source::stated("test"),
    }
}

pub(crate) fn served_by(inference: Inference) -> Setup {
    Setup { work: Work::Inference(inference), ..Setup::default() }
}

fn trained_by(training: Training) -> Setup {
    Setup { work: Work::Training(training), ..Setup::default() }
}

#[test]
fn the_shipped_coefficients_can_be_read() {
    assert!(Coefficients::shipped().compute.family.len() > 8);
}

#[test]
fn a_counted_model_has_its_published_size() {
    // Llama 3.1 8B: 8.03 B parameters (model card).
    let work = ModelWork::of(&llama_8b());
    assert!((work.total() / 8.03e9 - 1.0).abs() < 0.01, "{}", work.total());
    // 128 KiB of 16-bit cache a token: 2 x 32 layers x 8 heads x 128 x 2 bytes.
    assert!((work.kv_bytes(crate::KvFormat::Bits16) - 131_072.0).abs() < 0.5);
}

#[test]
fn fx_047_llama_65b_at_380_tokens_a_second_on_2048_cards_takes_20_8_days() {
    // Touvron et al. 2023: 1.4 T tokens, 380 tokens/s/GPU, 2,048 A100: about 21 days.
    let rate = Rate {
        tokens_per_second: Estimate::exact(380.0 * 2048.0),
        limit: Limit::Compute,
        confidence: Confidence::Exact,
    };
    let time = job_time(&rate, 1.4e12, 1.0).unwrap();
    let days = time.seconds.likely.hours() / 24.0;
    assert!((days - 20.8).abs() < 0.05, "{days}");
    let card_hours = time.seconds.likely.hours() * 2048.0;
    assert!((card_hours - 1_023_392.0).abs() < 5.0, "{card_hours}");
}

#[test]
fn more_bandwidth_is_never_slower() {
    let setup = served_by(Inference { concurrency: 16, ..Inference::default() });
    let mut last = 0.0;
    for tenths in 1..40 {
        let mut card = a100();
        card.bandwidth = Some(f64::from(tenths) * 1e11);
        let rate = decode(&llama_8b(), &setup, &card, Interconnect::Unknown).unwrap();
        assert!(rate.tokens_per_second.likely > last);
        last = rate.tokens_per_second.likely;
    }
}

#[test]
fn a_larger_batch_never_lowers_what_all_sequences_get_together() {
    let mut last = 0.0;
    for concurrency in [1, 2, 3, 4, 8, 16, 32, 64, 100, 128, 256, 1000, 5000] {
        let setup = served_by(Inference { concurrency, ..Inference::default() });
        let served = serving(&llama_8b(), &setup, &a100(), Interconnect::Unknown).unwrap();
        let rate = served.rate.tokens_per_second.likely;
        assert!(rate >= last, "{concurrency}: {rate} < {last}");
        last = rate;
    }
}

#[test]
fn the_limit_names_the_cause() {
    let one = served_by(Inference { concurrency: 1, ..Inference::default() });
    let rate = decode(&llama_8b(), &one, &a100(), Interconnect::Unknown).unwrap();
    assert_eq!(rate.limit, Limit::Bandwidth);
    let rate = prefill(&llama_8b(), &one, &a100(), Interconnect::Unknown).unwrap();
    assert_eq!(rate.limit, Limit::Compute);
}

#[test]
fn adapters_train_faster_than_all_weights() {
    let lora = trained_by(Training::default());
    let full = trained_by(Training { method: Method::Full, ..Training::default() });
    let rate = |setup| {
        training_rate(&llama_8b(), setup, &a100(), Interconnect::Unknown)
            .unwrap()
            .tokens_per_second
            .likely
    };
    assert!(rate(&lora) > rate(&full));
}

#[test]
fn weights_that_do_not_fit_are_declined_not_guessed() {
    let mut big = llama_8b();
    big.layers = 320;
    let served = serving(&big, &served_by(Inference::default()), &a100(), Interconnect::Unknown);
    assert!(matches!(served, Err(Declined::DoesNotFit { .. })), "{served:?}");
}

#[test]
fn absurd_sizes_are_declined_without_a_panic() {
    let mut absurd = llama_8b();
    for value in [0, 1, u32::MAX] {
        absurd.layers = value;
        absurd.hidden = value;
        absurd.heads = value;
        absurd.kv_heads = value;
        absurd.head_dim = value;
        absurd.intermediate = value;
        absurd.vocab = value;
        for size in [0, 1, u32::MAX] {
            let inference = Inference {
                prompt: size,
                generated: size,
                concurrency: size,
                batched_tokens: Some(size),
                max_sequences: Some(size),
                ..Inference::default()
            };
            let training = Training {
                micro_batch: size,
                sequence: size,
                accumulation: size,
                method: Method::Lora {
                    rank: size,
                    targets: LoraTarget::ALL_LINEAR.to_vec(),
                    dora: false,
                },
                ..Training::default()
            };
            let mut served = served_by(inference);
            let mut trained = trained_by(training);
            for parallelism in [
                served.parallelism,
                Parallelism { tensor: size, pipeline: size, data: size, ..Parallelism::SINGLE },
            ] {
                served.parallelism = parallelism;
                trained.parallelism = parallelism;
                let finite = |rate: Result<Rate, Declined>| {
                    if let Ok(rate) = rate {
                        assert!(rate.tokens_per_second.likely.is_finite());
                        assert!(rate.tokens_per_second.likely > 0.0);
                    }
                };
                let link = Interconnect::Pcie;
                finite(prefill(&absurd, &served, &a100(), link));
                finite(decode(&absurd, &served, &a100(), link));
                finite(serving(&absurd, &served, &a100(), link).map(|s| s.rate));
                finite(training_rate(&absurd, &trained, &a100(), link));
            }
        }
    }
    let mut blank = a100();
    blank.bandwidth = None;
    let rate = decode(&llama_8b(), &served_by(Inference::default()), &blank, Interconnect::Pcie);
    assert!(matches!(rate, Err(Declined::NoBandwidth { .. })));
}

#[test]
fn a_measured_run_replaces_the_estimate_of_its_card_and_pulls_the_others() {
    let rate = Rate {
        tokens_per_second: Estimate::new(800.0, 1000.0, 1300.0),
        limit: Limit::Compute,
        confidence: Confidence::Medium,
    };
    let measured =
        Measured { card: CardId::new("rtx-4090"), tokens_per_second: 1500.0, predicted: 1000.0 };
    let own = rescale(
        &rate,
        &CardId::new("rtx-4090"),
        RunKind::Training,
        std::slice::from_ref(&measured),
    );
    assert!((own.tokens_per_second.likely - 1500.0).abs() < 1e-9);
    let other = rescale(
        &rate,
        &CardId::new("a100-sxm4-80"),
        RunKind::Training,
        std::slice::from_ref(&measured),
    );
    // Half of the log error with one run and one run's worth of model.
    assert!((other.tokens_per_second.likely - 1000.0 * 1.5_f64.sqrt()).abs() < 1e-9);
    let decode = rescale(&rate, &CardId::new("a100-sxm4-80"), RunKind::Decode, &[measured]);
    assert!(decode.tokens_per_second.likely < other.tokens_per_second.likely);
}

#[test]
fn padding_is_the_longest_over_the_mean_of_each_batch() {
    for (lengths, batch, wanted) in
        [(&[100, 300][..], 2, 1.5), (&[100, 300], 1, 1.0), (&[], 4, 1.0)]
    {
        assert!((padding(lengths, batch) - wanted).abs() < 1e-12);
    }
}

#[test]
fn a_batch_of_requests_ends_with_an_empty_machine() {
    let setup = served_by(Inference { concurrency: 100, ..Inference::default() });
    let served = serving(&llama_8b(), &setup, &a100(), Interconnect::Unknown).unwrap();
    let time = |requests| {
        let job = RequestsJob { requests, generated: 512.0, generated_longest: 1024.0 };
        requests_time(&served, job).unwrap().seconds.likely.hours()
    };
    // Twice the requests take less than twice the time, since the tail comes once.
    assert!(time(2000) < 2.0 * time(1000));
    assert!(time(2000) > time(1000));
}

#[test]
fn fx_048_glm_130b_took_1_105_920_card_hours() {
    // 96 machines of 8 cards for 60 days; 400 G tokens are then 100.5 tokens/s a card.
    let cards: f64 = 96.0 * 8.0;
    let per_card: f64 = 400e9 / (cards * 60.0 * 86_400.0);
    assert!((per_card - 100.5).abs() < 0.1, "{per_card}");
    let rate = Rate {
        tokens_per_second: Estimate::exact(per_card * cards),
        limit: Limit::Compute,
        confidence: Confidence::Exact,
    };
    let time = job_time(&rate, 400e9, 1.0).unwrap();
    let card_hours = time.seconds.likely.hours() * cards;
    assert!((card_hours - 1_105_920.0).abs() < 1.0, "{card_hours}");
}

#[test]
fn an_unmeasured_card_or_engine_has_a_wider_range_than_a_measured_one() {
    let width = |setup: &Setup, card: &Card| {
        let rate = serving(&llama_8b(), setup, card, Interconnect::Unknown).unwrap().rate;
        rate.tokens_per_second.high / rate.tokens_per_second.low
    };
    let setup = served_by(Inference::default());
    let known = Card { id: CardId::new("a100-sxm4-80"), ..a100() };
    let unseen = Card { id: CardId::new("never-measured"), ..a100() };
    assert!(width(&setup, &unseen) > width(&setup, &known));
    let engine = served_by(Inference { engine: crate::Engine::MindIe, ..Inference::default() });
    assert!(width(&engine, &known) > width(&setup, &known));
}

#[test]
fn attention_without_shared_heads_pays_for_every_query_head_of_transformers() {
    let at = |prompt, kv_heads| {
        let inference = Inference {
            engine: crate::Engine::Transformers,
            concurrency: 1,
            prompt,
            ..Inference::default()
        };
        let model = Architecture { kv_heads, ..llama_8b() };
        let rate = decode(&model, &served_by(inference), &a100(), Interconnect::Unknown).unwrap();
        1.0 / rate.tokens_per_second.likely
    };
    // Eight cached heads for 32 query heads are copied out to 32 in each step, so that the longer
    // context costs more than four times less cache suggests.
    let (grouped, full) = (at(30_000, 8) - at(1_000, 8), at(30_000, 32) - at(1_000, 32));
    assert!(grouped > full * 0.5, "{grouped} of {full}");
}

#[test]
fn a_pair_of_bridged_cards_is_linked_by_nvlink_and_four_are_not() {
    let card = Card { display: "H100 NVL 94GB".into(), nvlink: Some(6e11), ..a100() };
    let rate = |tensor: u32, card: &Card| {
        let mut setup = served_by(Inference { concurrency: 64, ..Inference::default() });
        setup.parallelism.tensor = tensor;
        serving(&llama_8b(), &setup, card, Interconnect::Pcie)
            .unwrap()
            .rate
            .tokens_per_second
            .likely
    };
    assert!(rate(2, &card) > 1.05 * rate(2, &Card { nvlink: None, ..a100() }));
    assert!((rate(4, &card) / rate(4, &a100()) - 1.0).abs() < 1e-9);
}
