//! Real questions of users whose right answer says whether a job fits, and on how many cards.
//!
//! Each test is named by the question's number; the source is the issue or page in its first line.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

use kasuan_model::{Bytes, Card, CardId, Source};
use kasuan_sizing::{
    Architecture, Catalogue, Checkpointing, Inference, KvFormat, Method, Optimizer, Parallelism,
    Recipe, Setup, Sharding, Training, WeightFormat, Work,
    fit::{self, Axis, Need},
    memory, parameters,
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

fn a100_80() -> Card {
    card("a100-80", 81_152, (8, 0))
}

fn rtx_4090() -> Card {
    card("rtx-4090", 24_564, (8, 9))
}

fn model(name: &str) -> &'static Architecture {
    Catalogue::shipped().find(name).unwrap()
}

/// Mixed-precision AdamW over every parameter, as DeepSpeed and the common scripts run it.
fn full(recipe: Recipe) -> Training {
    Training { method: Method::Full, recipe, ..Training::default() }
}

fn on(cards: u32, sharding: Sharding, training: Training) -> Setup {
    let parallelism = Parallelism { data: cards, sharding, ..Parallelism::SINGLE };
    Setup { work: Work::Training(training), parallelism, ..Setup::default() }
}

fn fits(name: &str, setup: &Setup, card: &Card) -> bool {
    fit::fits(model(name), setup, card, 0.0).unwrap().fits
}

#[test]
fn fx_002_full_training_of_7b_fits_80_gib_in_pure_bf16_only() {
    // The guide's own formula gives 112 GB for 7 billion parameters, not its 60 to 80.
    let seven = Architecture::counted(7_000_000_000);
    let guide = memory::guide_rule(&seven, &on(1, Sharding::None, full(Recipe::Autocast)));
    assert_eq!(guide.get(), 112_000_000_000);
    let llama = "llama-2-7b";
    assert!(!fits(llama, &on(1, Sharding::None, full(Recipe::Autocast)), &a100_80()));
    assert!(!fits(llama, &on(1, Sharding::None, full(Recipe::MasterFp32)), &a100_80()));
    assert!(fits(llama, &on(1, Sharding::None, full(Recipe::PureBf16)), &a100_80()));
}

#[test]
fn fx_010_baichuan_7b_in_full_does_not_fit_one_a100_80_but_lora_fits_24_gib() {
    // hiyouga/LlamaFactory #94.
    let name = "baichuan2-7b";
    assert!(!fits(name, &on(1, Sharding::None, full(Recipe::MasterFp32)), &a100_80()));
    assert!(fits(name, &on(1, Sharding::None, Training::default()), &rtx_4090()));
}

#[test]
fn fx_013_llama_2_7b_in_full_is_refused_on_one_80_gib_card() {
    // meta-llama/llama-cookbook #413: 6.74 billion parameters of 16 bytes are 107.8 GB of states.
    let setup = on(1, Sharding::None, full(Recipe::Autocast));
    let found = fit::fits(model("llama-2-7b"), &setup, &a100_80(), 0.0).unwrap();
    assert!(!found.fits && found.memory.allocated.get() > 107_000_000_000);
}

#[test]
fn fx_014_baichuan2_13b_needs_zero3_on_four_a800_and_zero2_on_four_is_out_of_memory() {
    // hiyouga/LlamaFactory #1158: ZeRO-2 does not shard the weights.
    let run = full(Recipe::MasterFp32);
    let at = |cards, sharding| fits("baichuan2-13b", &on(cards, sharding, run.clone()), &a100_80());
    assert!(!at(4, Sharding::Zero2), "the report says out of memory at 77.65 GiB");
    assert!(at(8, Sharding::Zero2) && at(4, Sharding::Zero3));
}

#[test]
fn fx_015_qwen2_5_32b_in_mixed_precision_does_not_fit_seven_80_gib_cards() {
    // hiyouga/LlamaFactory #6999: 32.5 billion x 18 bytes are 585 GB, more than 560.
    let run = full(Recipe::MasterFp32);
    assert!(!fits("qwen2.5-32b", &on(7, Sharding::Zero3, run.clone()), &a100_80()));
    assert!(fits("qwen2.5-32b", &on(16, Sharding::Zero3, run), &a100_80()));
}

#[test]
fn fx_018_the_true_count_is_used_not_the_name() {
    // QwenLM/Qwen #504: Qwen-7B has 7.7 billion parameters.
    let total = parameters::count(model("Qwen/Qwen-7B-Chat")).total;
    assert_eq!(total, 7_721_324_544);
}

#[test]
fn fx_019_llama_3_1_8b_is_too_large_for_four_4090_in_full_and_lora_includes_the_frozen_base() {
    // PaddlePaddle/PaddleNLP #9293: LoRA needs 17.63 GB and activations, not 4.62.
    let run = full(Recipe::MasterFp32);
    assert!(!fits("llama-3.1-8b", &on(4, Sharding::Zero3, run), &rtx_4090()));
    let lora = on(1, Sharding::None, Training::default());
    let found = fit::fits(model("llama-3.1-8b"), &lora, &rtx_4090(), 0.0).unwrap();
    assert!(found.memory.breakdown.weights.get() > 16_000_000_000);
    assert!(found.memory.allocated.get() > 16_700_000_000, "{}", found.memory.allocated);
}

#[test]
fn fx_023_v100_has_no_bf16_so_the_pure_bf16_figure_does_not_hold() {
    // hiyouga/LlamaFactory #3422: 14B in full on 4 x V100-32G.
    let v100 = card("v100-32", 32_510, (7, 0));
    let setup = on(4, Sharding::Zero3, full(Recipe::PureBf16));
    let found = fit::fits(model("qwen1.5-14b"), &setup, &v100, 0.0).unwrap();
    assert!(!found.fits);
    assert!(found.reasons.iter().any(|reason| reason.key() == "sizing-fit-autocast-in-place"));
}

#[test]
fn fx_024_no_5_7b_model_trains_in_full_on_24_gib_whatever_adam_mini_saves() {
    // zyushun/Adam-mini #13: at most about 2.5 billion parameters on 24 GiB.
    let mini = |size: &str| {
        let total = kasuan_sizing::parse_size(size).unwrap();
        let run =
            Training { optimizer: Optimizer::AdamMini, sequence: 512, ..full(Recipe::PureBf16) };
        let model = Architecture::counted(total);
        fit::fits(&model, &on(1, Sharding::None, run), &rtx_4090(), 0.0).unwrap().fits
    };
    assert!(!mini("5.7B") && mini("2.5B"));
}

#[test]
fn fx_025_of_mixed_cards_the_smallest_decides() {
    // modelscope/ms-swift #860: an A100 with three 3090s runs out on the 24 GiB cards first.
    let setup = on(4, Sharding::Zero3, full(Recipe::MasterFp32));
    let small = card("rtx-3090", 24_576, (8, 6));
    let spare = |card: &Card| fit::fits(model("qwen2-7b"), &setup, card, 0.0).unwrap();
    assert!(!spare(&small).fits && spare(&a100_80()).fits);
}

#[test]
fn fx_027_and_fx_029_the_longest_context_is_what_the_cache_holds_beside_the_weights() {
    // QwenLM/Qwen3 #295: 0.5 MiB a token, so that 32,768 tokens take 16 GiB.
    let qwen = model("Qwen/Qwen1.5-7B-Chat");
    assert_eq!(memory::kv_bytes_per_token(qwen, KvFormat::Bits16), 524_288.0);
    let serve = Inference { prompt: 1536, generated: 512, concurrency: 1, ..Inference::default() };
    let setup = Setup { work: Work::Inference(serve), ..Setup::default() };
    let a10 = card("a10", 22_731, (8, 6));
    let most = fit::largest(qwen, &setup, &a10, 0.0, Axis::Context).unwrap().unwrap();
    let left = fit::kv_tokens_left(qwen, &setup, &a10, 0.0).unwrap().unwrap();
    assert!(most < 32_768, "{most} tokens on a 24 GB card");
    assert!(u64::from(most) <= left + left / 10, "{most} against {left} in the cache");
    let a100 = fit::largest(qwen, &setup, &a100_80(), 0.0, Axis::Context).unwrap();
    assert_eq!(a100, Some(32_768), "an 80 GiB card holds what the model was made for");
}

#[test]
fn fx_030_llama_3_1_70b_in_16_bits_for_four_times_20000_tokens_needs_four_h100() {
    // vllm-project/vllm #10517: 320 KiB a token; 2 x 80 GiB refuse, FP8 on 2 or 16 bits on 4 fit.
    let llama = model("llama-3.1-70b");
    assert_eq!(memory::kv_bytes_per_token(llama, KvFormat::Bits16), 327_680.0);
    let h100 = card("h100-80", 81_080, (9, 0));
    let work = Work::Inference(Inference {
        prompt: 19_488,
        generated: 512,
        concurrency: 4,
        ..Inference::default()
    });
    let cards = |weights| {
        let need = Need { weights: Some(weights), ..Need::new(work.clone()) };
        fit::setups(llama, &need, &h100).unwrap().first().map(fit::Fit::cards)
    };
    assert_eq!(cards(WeightFormat::Bf16), Some(4));
    assert_eq!(cards(WeightFormat::Fp8), Some(2));
}

#[test]
fn fx_031_the_cache_of_a_70b_for_32_times_4096_tokens_is_40_gib() {
    // codesprintpro.com prints 25.6; 2 x 80 x 8 x 128 x 4096 x 32 x 2 bytes are 40.0 GiB.
    let per_token = memory::kv_bytes_per_token(model("llama-2-70b"), KvFormat::Bits16);
    assert_eq!(per_token * 4096.0 * 32.0, 42_949_672_960.0);
}

#[test]
fn fx_017_a_70b_in_full_on_16_cards_of_80_gib_leaves_no_room_and_32_do() {
    // InternLM/xtuner #842: 70 GB of states on each of 16 cards, out of memory.
    let run = Training { checkpointing: Checkpointing::Full, ..full(Recipe::MasterFp32) };
    assert!(!fits("llama-3-70b", &on(16, Sharding::Zero3, run.clone()), &a100_80()));
    assert!(fits("llama-3-70b", &on(32, Sharding::Zero3, run), &a100_80()));
}
