//! Memory questions that people asked, with the answer that maintainers, vendors or arithmetic gave.
//!
//! Each test is named by the number of its case; the source stands beside it.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

use kasuan_model::{Bytes, Card, CardId, Source};
use kasuan_sizing::{
    Architecture, Catalogue, Checkpointing, Engine, Inference, KvFormat, LoraTarget,
    MemoryEstimate, Method, Optimizer, Parallelism, Recipe, Setup, Sharding, Training,
    WeightFormat, Work, memory,
};

fn model(id: &str) -> &'static Architecture {
    Catalogue::shipped().find(id).unwrap()
}

fn card(id: &str, gib: u32) -> Card {
    Card {
        id: CardId::new(id),
        display: id.to_owned(),
        vendor: "nvidia".to_owned(),
        architecture: "Ampere".to_owned(),
        memory: Bytes::from_gib(gib),
        usable_memory: None,
        bandwidth: None,
        fp32_flops: None,
        tensor_flops: None,
        fp8_flops: None,
        bf16: None,
        compute_capability: None,
        nvlink: None,
        pcie: None,
        power_watts: None,
        ecc: None,
        source: Source::stated("test"),
    }
}

fn gib(bytes: Bytes) -> f64 {
    bytes.gib()
}

fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value / expected - 1.0).abs() <= tolerance, "{value} is not near {expected}");
}

fn estimate(a: &Architecture, setup: &Setup) -> MemoryEstimate {
    memory::estimate(a, setup, None).unwrap()
}

fn full(recipe: Recipe, cards: Parallelism) -> Setup {
    let training =
        Training { method: Method::Full, recipe, accumulation: 1, ..Training::default() };
    Setup { work: Work::Training(training), parallelism: cards, ..Setup::default() }
}

fn sharded(sharding: Sharding, data: u32) -> Parallelism {
    Parallelism { sharding, data, ..Parallelism::SINGLE }
}

fn states(e: &MemoryEstimate) -> f64 {
    let b = &e.breakdown;
    gib(b.weights + b.gradients + b.optimizer)
}

fn served(engine: Engine, concurrency: u32, length: u32) -> Inference {
    Inference { engine, prompt: length, generated: 0, concurrency, ..Inference::default() }
}

fn parameters(id: &str) -> f64 {
    kasuan_sizing::parameters::count(model(id)).total as f64
}

/// The founding guide, section 2.2: its formula gives 8.00 GiB for full heads, 2.0 for 8 KV heads.
#[test]
fn fx_001_the_cache_of_a_7b_at_2048_x_8_is_8_gib_with_full_heads_and_2_with_grouped() {
    let bytes = |id: &str| {
        memory::kv_bytes_per_token(model(id), KvFormat::Bits16) * 2048.0 * 8.0
            / (1_u64 << 30) as f64
    };
    near(bytes("meta-llama/Llama-2-7b-hf"), 8.0, 1e-9);
    near(bytes("meta-llama/Llama-3.1-8B"), 2.0, 1e-9);
    let setup = Setup { work: Work::Inference(served(Engine::Vllm, 8, 2048)), ..Setup::default() };
    let need = estimate(model("meta-llama/Llama-2-7b-hf"), &setup);
    assert!(gib(need.allocated) > 20.5, "weights and cache alone are 20.55 GiB, not 18");
}

/// The founding guide, section 2.2: the formula gives 16 bytes a parameter; 60 to 80 GB is pure bf16.
#[test]
fn fx_002_full_training_of_a_7b_fits_80_gib_only_in_pure_bf16() {
    let a = model("meta-llama/Llama-2-7b-hf");
    let mixed = estimate(a, &full(Recipe::Autocast, Parallelism::SINGLE));
    near(states(&mixed) * 1.073_741_824, 6.738 * 16.0, 0.01);
    assert!(gib(mixed.nvidia_smi) > 80.0);
    assert!(gib(estimate(a, &full(Recipe::PureBf16, Parallelism::SINGLE)).upper) < 79.0);
}

/// The founding guide, section 2.2, against LLaMA-Factory's table: 16 GB and a little.
#[test]
fn fx_003_lora_of_a_7b_fits_24_gib_with_checkpointing() {
    let setup = Setup {
        work: Work::Training(Training { accumulation: 1, ..Training::default() }),
        ..Setup::default()
    };
    let e = estimate(model("meta-llama/Llama-2-7b-hf"), &setup);
    assert!(gib(e.nvidia_smi) > 14.0 && gib(e.upper) < 22.8, "{:?}", e.upper);
}

/// hiyouga/LlamaFactory issue 94: one 80 GB card is not enough; three with ZeRO-2 are.
#[test]
fn fx_010_full_training_of_a_7b_needs_three_cards_with_zero_2() {
    let a = model("baichuan-inc/Baichuan2-7B-Chat");
    let on = |cards| estimate(a, &full(Recipe::MasterFp32, sharded(Sharding::Zero2, cards)));
    assert!(gib(on(1).allocated) > 80.0);
    assert!(gib(on(3).allocated) < 80.0);
}

/// QwenLM/Qwen-VL issue 242: about 112 GB for the language model before the vision tower.
#[test]
fn fx_012_full_training_of_qwen_vl_counts_the_tower_and_does_not_fit_80_gb() {
    // Qwen-7B with the 1.9 billion parameters of its tower and resampler (its model card: 9.6 in all).
    let language = model("Qwen/Qwen-7B-Chat");
    let seeing = Architecture { vision_parameters: 1_935_000_000, ..language.clone() };
    let run = full(Recipe::Autocast, Parallelism::SINGLE);
    let (without, with) = (estimate(language, &run), estimate(&seeing, &run));
    assert!(states(&without) * 1.073_741_824 > 112.0, "{}", states(&without));
    near(states(&with) - states(&without), 1.935 * 16.0 / 1.073_741_824, 0.01);
    assert!(gib(with.needed) > 80.0);
}

/// Yuliang-Liu/Monkey issue 24: 9.7B on four A100 of 40 GB with ZeRO-2 and the optimiser on the host;
/// 18.08 GB a card are the weights alone, which a states-only tool prints.
#[test]
fn fx_037_states_alone_are_not_what_a_run_needs() {
    let cards = Parallelism { offload_optimizer: true, ..sharded(Sharding::Zero2, 4) };
    let monkey = Architecture::counted(9_700_000_000);
    let run = full(Recipe::MasterFp32, cards);
    let e = estimate(&monkey, &run);
    near(gib(e.breakdown.weights), 18.08, 0.01);
    let Work::Training(training) = &run.work else { panic!("a training run") };
    // 448 image tokens a tile and the text, several tiles an image.
    let long = Training { sequence: 8192, checkpointing: Checkpointing::Off, ..training.clone() };
    let long = estimate(&monkey, &Setup { work: Work::Training(long), ..run });
    assert!(gib(long.needed) > 40.0 && long.host.is_some(), "{}", long.needed);
    assert!(e.breakdown.activations > Bytes::ZERO && e.allocated > e.breakdown.weights);
}

/// meta-llama/llama-cookbook issue 413: 6.74e9 * 16 B = 107.8 GB of states.
#[test]
fn fx_013_states_of_llama_2_7b_are_107_8_gb() {
    let a = model("meta-llama/Llama-2-7b-hf");
    let e = estimate(a, &full(Recipe::Autocast, Parallelism::SINGLE));
    near(states(&e) * 1.073_741_824, 107.8, 0.005);
}

/// hiyouga/LlamaFactory issue 1158: 13B on four 80 GB cards fails with ZeRO-2, works with ZeRO-3.
#[test]
fn fx_014_a_13b_on_four_cards_needs_zero_3() {
    let a = model("baichuan-inc/Baichuan2-13B-Chat");
    let on =
        |sharding| gib(estimate(a, &full(Recipe::MasterFp32, sharded(sharding, 4))).nvidia_smi);
    assert!(on(Sharding::Zero2) > 80.0);
    assert!(on(Sharding::Zero3) < 80.0);
}

/// hiyouga/LlamaFactory issue 6999: 32.5e9 * 18 B = 585 GB on 560 GB of cards.
#[test]
fn fx_015_a_32b_with_fp32_masters_is_over_560_gb() {
    let a = model("Qwen/Qwen2.5-32B-Instruct");
    let e = estimate(a, &full(Recipe::MasterFp32, sharded(Sharding::Zero3, 7)));
    assert!(states(&e) * 7.0 * 1.073_741_824 > 560.0);
    near(parameters("Qwen/Qwen2.5-32B-Instruct") * 18.0, 585e9, 0.01);
}

/// hiyouga/LlamaFactory issue 6755: 744 GB of host memory were not enough for a 32B.
#[test]
fn fx_016_offloading_a_32b_needs_more_host_memory_than_744_gb() {
    let cards = Parallelism {
        offload_optimizer: true,
        offload_weights: true,
        ..sharded(Sharding::Zero3, 1)
    };
    let e = estimate(model("Qwen/Qwen2.5-32B-Instruct"), &full(Recipe::MasterFp32, cards));
    assert!(e.host.unwrap() > Bytes::from_gb(744));
}

/// PaddlePaddle/PaddleNLP issue 9293: LoRA of an 8B is 17.63 GB with the frozen weights, full
/// training does not fit four cards of 24 GB.
#[test]
fn fx_019_lora_counts_the_frozen_weights() {
    let a = model("meta-llama/Llama-3.1-8B");
    let lora = Setup {
        work: Work::Training(Training { accumulation: 1, ..Training::default() }),
        ..Setup::default()
    };
    let e = estimate(a, &lora);
    assert!(e.breakdown.weights >= Bytes::from_gb(16));
    let states_of_training = parameters("meta-llama/Llama-3.1-8B") * 16.0;
    assert!(states_of_training > 4.0 * 24e9);
}

/// zyushun/Adam-mini issue 13: 5.7B does not fit 24 GB with Adam-mini, 2.5B does.
#[test]
fn fx_024_adam_mini_fits_a_2_5b_in_24_gb_and_no_5_7b() {
    let on = |id: &str| {
        let training = Training {
            method: Method::Full,
            recipe: Recipe::PureBf16,
            optimizer: Optimizer::AdamMini,
            sequence: 512,
            accumulation: 1,
            ..Training::default()
        };
        let setup = Setup { work: Work::Training(training), ..Setup::default() };
        gib(estimate(model(id), &setup).nvidia_smi)
    };
    assert!(on("google/gemma-2b") < 24.0);
    assert!(on("01-ai/Yi-6B-Chat") > 24.0);
}

/// QwenLM/Qwen3 issue 295: 0.5 MiB a token, so that 7,344 tokens are 3.59 GiB and 32,768 are 16.
#[test]
fn fx_027_qwen_1_5_7b_caches_half_a_mebibyte_a_token() {
    let per_token = memory::kv_bytes_per_token(model("Qwen/Qwen1.5-7B-Chat-AWQ"), KvFormat::Bits16);
    near(per_token, 524_288.0, 1e-9);
    near(per_token * 7344.0 / (1_u64 << 30) as f64, 3.59, 0.002);
    near(per_token * 32_768.0 / (1_u64 << 30) as f64, 16.0, 1e-9);
}

/// vllm-project/vllm issue 2418: 229 blocks of 16 tokens hold 3,664, and a context of 4,096 is refused;
/// a shorter context, a larger share of the card or quantised weights are the maintainers' answers.
#[test]
fn fx_029_a_server_says_how_many_tokens_remain_and_each_answer_makes_room() {
    let a = model("meta-llama/Llama-2-7b-hf");
    let block = 16;
    let tokens = |usable: u64, share: f64, weights: WeightFormat| {
        let work = Inference { memory_share: Some(share), ..served(Engine::Vllm, 1, 4096) };
        let setup = Setup { work: Work::Inference(work), weights, ..Setup::default() };
        let card = Card { usable_memory: Some(Bytes::new(usable)), ..card("a card", 16) };
        memory::estimate(a, &setup, Some(&card)).unwrap().reservation.unwrap().tokens
    };
    // The card on which 229 blocks remain: every token takes 524,288 bytes of nine tenths of it.
    let (usable, token) = (16_u64 << 30, 524_288.0);
    let more = 3664.0 - tokens(usable, 0.9, WeightFormat::Fp16) as f64;
    let usable = (usable as f64 + more * token / 0.9) as u64;
    let stated = tokens(usable, 0.9, WeightFormat::Fp16);
    assert!(stated.abs_diff(229 * block) <= 1, "{stated}");
    // 12.55 GiB of weights, 1.79 of cache, 0.44 beside them, in nine tenths of the card.
    assert!((15.5..17.0).contains(&(usable as f64 / (1_u64 << 30) as f64)), "{usable}");
    assert!(stated < 4096);
    let missing = (4096 - stated) as f64 * token / usable as f64;
    assert!(tokens(usable, 0.9 + missing * 1.01, WeightFormat::Fp16) >= 4096);
    assert!(tokens(usable, 0.9 + missing * 0.9, WeightFormat::Fp16) < 4096);
    assert!(tokens(usable, 0.9, WeightFormat::Awq4 { group: 128 }) > 4 * 4096);
}

/// vllm-project/vllm issue 10517: 70B in 16 bits with 4 x 20,000 tokens does not fit two 80 GB cards.
#[test]
fn fx_030_a_70b_in_16_bits_with_4_x_20000_tokens_does_not_fit_two_cards() {
    let a = model("meta-llama/Llama-3.1-70B");
    near(memory::kv_bytes_per_token(a, KvFormat::Bits16), 320.0 * 1024.0, 1e-9);
    let on = |weights, tensor| {
        let work = Work::Inference(served(Engine::Vllm, 4, 20_000));
        let parallelism = Parallelism { tensor, ..Parallelism::SINGLE };
        let setup = Setup { work, weights, parallelism, ..Setup::default() };
        gib(estimate(a, &setup).allocated)
    };
    assert!(on(WeightFormat::Bf16, 2) > 0.9 * 79.2);
    assert!(on(WeightFormat::Fp8, 2) < 0.9 * 79.2);
    assert!(on(WeightFormat::Bf16, 4) < 0.9 * 79.2);
}

/// A page that prints 25.6 GB for 80 layers, 8 KV heads, 32 x 4,096 tokens: it is 40.0 GiB.
#[test]
fn fx_031_the_cache_of_a_70b_at_32_x_4096_is_40_gib() {
    let per_token =
        memory::kv_bytes_per_token(model("meta-llama/Llama-2-70b-hf"), KvFormat::Bits16);
    near(per_token * 32.0 * 4096.0, 42_949_672_960.0, 1e-9);
}

/// vllm-project/vllm issue 1512: the server takes nine tenths of each card whatever it needs.
#[test]
fn fx_032_what_a_server_takes_is_not_what_it_needs() {
    let a = model("Qwen/Qwen-7B-Chat");
    let setup = Setup { work: Work::Inference(served(Engine::Vllm, 1, 512)), ..Setup::default() };
    let a10 = Card { usable_memory: Some(Bytes::from_mib(22_731)), ..card("a10", 24) };
    let e = memory::estimate(a, &setup, Some(&a10)).unwrap();
    near(e.reservation.unwrap().taken.get() as f64, 0.9 * 22_731.0 * 1_048_576.0, 1e-6);
    assert!(e.nvidia_smi < e.reservation.unwrap().taken);
}

/// vllm-project/vllm-ascend issue 89: a fifth of 64 GB is under the weights, so nothing is cached.
#[test]
fn fx_036_a_share_under_the_weights_caches_nothing() {
    let a = model("Qwen/Qwen2.5-7B-Instruct");
    let with = |share| {
        let inference = Inference { memory_share: Some(share), ..served(Engine::Vllm, 1, 512) };
        let setup = Setup { work: Work::Inference(inference), ..Setup::default() };
        memory::estimate(a, &setup, Some(&card("npu", 64))).unwrap().reservation.unwrap()
    };
    assert_eq!(with(0.2).tokens, 0);
    assert!(with(0.9).tokens > 100_000);
}

/// InternLM/xtuner issue 842: 70B on 16 x 80 GB with ZeRO-3 leaves too little; 32 cards do.
#[test]
fn fx_017_a_70b_with_zero_3_is_tight_on_16_cards_and_fits_32() {
    let a = model("meta-llama/Llama-3.1-70B");
    let on =
        |cards| states(&estimate(a, &full(Recipe::MasterFp32, sharded(Sharding::Zero3, cards))));
    assert!(on(16) > 70.0);
    assert!(on(32) < 48.0);
}

/// Adapters on Q, K, V and O of Llama 2 7B at rank 16: 4 * 2 * 4096 * 16 * 32 parameters, 12 bytes
/// each beside their gradients.
#[test]
fn adapters_are_kept_in_32_bits() {
    let training = Training {
        method: Method::Lora { rank: 16, targets: LoraTarget::ATTENTION.to_vec(), dora: false },
        accumulation: 1,
        ..Training::default()
    };
    let setup = Setup { work: Work::Training(training), ..Setup::default() };
    let e = estimate(model("meta-llama/Llama-2-7b-hf"), &setup);
    assert_eq!(e.breakdown.adapters, Bytes::new(4 * 2 * 4096 * 16 * 32 * 12));
}
