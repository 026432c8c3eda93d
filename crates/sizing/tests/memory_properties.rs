//! What every memory estimate must obey, whatever the model and the setup.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

use kasuan_sizing::{
    Architecture, AttentionKernel, Checkpointing, Engine, Experts, Inference, KvFormat, LogitsPath,
    LoraTarget, Loss, MemoryEstimate, Method, Optimizer, Parallelism, PromptLogits, Recipe, Setup,
    Sharding, Training, TrainingDetails, WeightFormat, Work, memory,
};
use proptest::prelude::*;

fn architecture() -> impl Strategy<Value = Architecture> {
    (1_u32..100, 1_u32..80, prop::sample::select(vec![64_u32, 128]), 0_u32..3, any::<bool>())
        .prop_flat_map(|(layers, kv_heads, head_dim, ratio, tied)| {
            (
                Just((layers, kv_heads, head_dim, ratio, tied)),
                64_u32..20_000,
                100_u32..300_000,
                prop::option::of((2_u32..200, 1_u32..8, 64_u32..4000)),
            )
        })
        .prop_map(|((layers, kv_heads, head_dim, ratio, tied), intermediate, vocab, experts)| {
            let heads = kv_heads << ratio;
            Architecture {
                layers,
                hidden: heads * head_dim,
                heads,
                kv_heads,
                head_dim,
                intermediate,
                vocab,
                tied,
                experts: experts.map(|(experts, active, intermediate)| Experts {
                    experts,
                    active: active.min(experts),
                    intermediate,
                    shared_intermediate: 0,
                    dense_layers: 0,
                }),
                ..Architecture::default()
            }
        })
}

fn weights() -> impl Strategy<Value = WeightFormat> {
    prop::sample::select(vec![
        WeightFormat::Fp32,
        WeightFormat::Bf16,
        WeightFormat::Fp8,
        WeightFormat::Int8,
        WeightFormat::Nf4 { double_quant: true },
        WeightFormat::Gptq { bits: 4, group: 128 },
        WeightFormat::Awq4 { group: 64 },
        WeightFormat::Mxfp4,
    ])
}

fn inference() -> impl Strategy<Value = Work> {
    let engines = vec![
        Engine::Transformers,
        Engine::Vllm,
        Engine::Sglang,
        Engine::LlamaCpp,
        Engine::Exllama,
        Engine::StaticTorch,
    ];
    let logits = vec![PromptLogits::All, PromptLogits::Plain, PromptLogits::Last];
    let formats = vec![KvFormat::Bits16, KvFormat::Fp8, KvFormat::Q8_0, KvFormat::Q4_0];
    (
        prop::sample::select(engines),
        prop::sample::select(logits),
        prop::sample::select(formats),
        1_u32..100_000,
        0_u32..10_000,
        1_u32..300,
        any::<bool>(),
    )
        .prop_map(|(engine, prompt_logits, kv, prompt, generated, concurrency, eager)| {
            Work::Inference(Inference {
                engine,
                prompt_logits,
                kv,
                prompt,
                generated,
                concurrency,
                attention: if eager { AttentionKernel::Eager } else { AttentionKernel::Flash },
                static_cache: engine == Engine::StaticTorch,
                ..Inference::default()
            })
        })
}

fn training() -> impl Strategy<Value = Work> {
    let methods = vec![
        Method::Full,
        Method::Lora { rank: 16, targets: LoraTarget::ALL_LINEAR.to_vec(), dora: false },
        Method::GaLore { rank: 128 },
        Method::Lisa { layers: 2 },
        Method::BAdam,
        Method::Freeze { layers: 2 },
    ];
    let recipes = vec![Recipe::Fp32, Recipe::Autocast, Recipe::PureBf16, Recipe::MasterFp32];
    let recomputed = vec![Checkpointing::Off, Checkpointing::Selective, Checkpointing::Full];
    let losses = vec![Loss::Eager, Loss::Fused, Loss::Chunked(1024)];
    let paths = vec![LogitsPath::UpcastInLoss, LogitsPath::Autocast, LogitsPath::InPlace];
    (
        prop::sample::select(methods),
        prop::sample::select(recipes),
        prop::sample::select(recomputed),
        prop::sample::select(losses),
        prop::sample::select(paths),
        (1_u32..32, 1_u32..16_384, 1_u32..4, any::<bool>()),
    )
        .prop_map(
            |(method, recipe, checkpointing, loss, logits, (batch, sequence, steps, eight))| {
                Work::Training(Training {
                    method,
                    recipe,
                    checkpointing,
                    loss,
                    optimizer: if eight { Optimizer::AdamW8bit } else { Optimizer::AdamW },
                    micro_batch: batch,
                    sequence,
                    accumulation: steps,
                    details: TrainingDetails { logits, ..TrainingDetails::default() },
                    ..Training::default()
                })
            },
        )
}

fn setup() -> impl Strategy<Value = Setup> {
    let shardings = vec![Sharding::None, Sharding::Zero2, Sharding::Zero3, Sharding::Fsdp];
    (
        prop_oneof![inference(), training()],
        weights(),
        prop::sample::select(shardings),
        1_u32..9,
        1_u32..9,
    )
        .prop_map(|(work, weights, sharding, tensor, data)| Setup {
            work,
            weights,
            parallelism: Parallelism { tensor, data, sharding, ..Parallelism::SINGLE },
            ..Setup::default()
        })
}

fn estimate(a: &Architecture, setup: &Setup) -> MemoryEstimate {
    memory::estimate(a, setup, None).unwrap()
}

/// Doubles the sequences that are in flight.
fn with_more_sequences(setup: &Setup) -> Setup {
    let mut more = setup.clone();
    match &mut more.work {
        Work::Inference(i) => i.concurrency *= 2,
        Work::Training(t) => t.micro_batch *= 2,
    }
    more
}

/// Doubles the length of each sequence.
fn with_longer_sequences(setup: &Setup) -> Setup {
    let mut longer = setup.clone();
    match &mut longer.work {
        Work::Inference(i) => i.prompt *= 2,
        Work::Training(t) => t.sequence *= 2,
    }
    longer
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn totals_stand_in_order_and_causes_add_up(a in architecture(), setup in setup()) {
        let e = estimate(&a, &setup);
        prop_assert_eq!(e.breakdown.total(), e.allocated);
        prop_assert!(e.allocated <= e.reserved);
        prop_assert!(e.reserved <= e.nvidia_smi);
        prop_assert!(e.nvidia_smi <= e.upper);
        prop_assert!(e.allocated <= e.allocated_upper);
    }

    #[test]
    fn more_sequences_never_need_less(a in architecture(), setup in setup()) {
        let (one, two) = (estimate(&a, &setup), estimate(&a, &with_more_sequences(&setup)));
        prop_assert!(two.allocated >= one.allocated);
        prop_assert!(two.upper >= one.upper);
    }

    #[test]
    fn longer_sequences_never_need_less(a in architecture(), setup in setup()) {
        let (one, two) = (estimate(&a, &setup), estimate(&a, &with_longer_sequences(&setup)));
        prop_assert!(two.allocated >= one.allocated);
        prop_assert!(two.upper >= one.upper);
    }

    #[test]
    fn more_layers_never_need_less(a in architecture(), setup in setup()) {
        let deeper = Architecture { layers: a.layers * 2, ..a.clone() };
        prop_assert!(estimate(&deeper, &setup).allocated >= estimate(&a, &setup).allocated);
    }

    #[test]
    fn recomputing_layers_never_needs_more(a in architecture(), setup in setup()) {
        let Work::Training(t) = &setup.work else { return Ok(()) };
        let with = |checkpointing| {
            let work = Work::Training(Training { checkpointing, ..t.clone() });
            estimate(&a, &Setup { work, ..setup.clone() }).allocated
        };
        // One layer's recomputation stands on top of the kept inputs, so that a model of a few
        // layers may gain nothing; from eight layers on it must.
        if a.layers >= 8 && t.recipe != Recipe::Autocast {
            prop_assert!(with(Checkpointing::Full) <= with(Checkpointing::Off));
        }
    }

    #[test]
    fn no_size_is_too_absurd(
        (layers, hidden, heads, kv_heads, head_dim, intermediate, vocab) in
            any::<(u32, u32, u32, u32, u32, u32, u32)>(),
        (prompt, generated, concurrency) in any::<(u32, u32, u32)>(),
        setup in setup(),
    ) {
        let a = Architecture {
            layers, hidden, heads, kv_heads, head_dim, intermediate, vocab,
            ..Architecture::default()
        };
        let mut setup = setup;
        match &mut setup.work {
            Work::Inference(i) => {
                (i.prompt, i.generated, i.concurrency) = (prompt, generated, concurrency);
            }
            Work::Training(t) => {
                (t.micro_batch, t.sequence, t.accumulation) = (prompt, generated, concurrency);
            }
        }
        // An answer or an error, never a panic.
        if let Ok(e) = memory::estimate(&a, &setup, None) {
            prop_assert!(e.allocated <= e.upper);
        }
    }
}

#[test]
fn a_run_without_a_size_is_refused_by_the_field_that_is_zero() {
    let a = Architecture { layers: 2, hidden: 64, vocab: 10, ..Architecture::default() };
    let error = memory::estimate(&a, &Setup::default(), None).unwrap_err();
    assert_eq!(error.to_string(), "`heads` is zero, which no model or run can have");
}
