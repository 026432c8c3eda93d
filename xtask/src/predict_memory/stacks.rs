//! Which of the library's stacks a row names, and what the row says about how it was run.

use super::row::Row;
use kasuan_sizing::{Framework, Parallelism, Sharding, Stack};

/// Returns the stack that a row names, as the row's run used it; with `unnamed` the most common one.
pub(super) fn framework(row: &Row<'_>, unnamed: bool) -> Framework {
    let text = row.lower("framework_version");
    let config = row.note("framework_config").unwrap_or("");
    let stack = Stack::named_in(&text).filter(|_| !unnamed);
    Framework {
        named: stack.is_some(),
        old: old(&text),
        mixed: mixed(row),
        fast: config.contains("foak") || config.contains("accelerated"),
        in_place: config.contains("foak"),
        fused_step: row.lower("optimizer").contains("fused"),
        own_code: row.lower("model").contains("bigcode"),
        ..Framework::new(stack.unwrap_or(Stack::common()))
    }
}

/// Says whether a run was started with a mixed-precision flag; rows that list their flags without one
/// were not.
pub(super) fn mixed(row: &Row<'_>) -> bool {
    let notes = row.lower("notes");
    !notes.contains("bf16 flag=")
        || notes.contains("bf16 flag=true")
        || notes.contains("fp16 flag=true")
}

/// Says whether a row's configuration fuses the loss with the head.
pub(super) fn fuses_loss(row: &Row<'_>) -> bool {
    row.note("framework_config").unwrap_or("").contains("liger")
}

/// Returns the spread over cards that a stack makes of the stated one.
pub(super) fn cards(stack: &Stack, row: &Row<'_>, cards: Parallelism) -> Parallelism {
    let alone = stack.lone_zero2 && cards.sharding == Sharding::None && row.get("kind") != "lora";
    if alone { Parallelism { sharding: Sharding::Zero2, ..cards } } else { cards }
}

/// Says whether a stack is from before transformers 4.46 (October 2024), by the year it names, its
/// own release or that of torch or accelerate beside it. `requirements.txt (...)` says what a file
/// asks for, not what was installed, and dates nothing.
fn old(framework: &str) -> bool {
    const YEARS: [&str; 3] = ["2022", "2023", "2024"];
    // accelerate 1.0 is of early October 2024.
    const RELEASES: [&str; 4] =
        ["torchtune 0.1", "torchtune 0.2", "accelerate 0.", "accelerate 1.0"];
    const TORCH: [&str; 5] = ["torch 2.0", "torch 2.1", "torch 2.2", "torch 2.3", "torch 1."];
    // Pretraining stacks bring their own model code.
    if framework.contains("torchtitan") || framework.contains("requirements.txt") {
        return false;
    }
    YEARS.iter().chain(&RELEASES).any(|word| framework.contains(word))
        || TORCH.iter().any(|version| {
            // `torch 2.13` is not `torch 2.1`.
            framework.find(version).is_some_and(|at| {
                let next = framework.get(at + version.len()..).and_then(|rest| rest.chars().next());
                version.ends_with('.') || !next.is_some_and(|c| c.is_ascii_digit())
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn age_is_read_from_the_year_the_release_or_the_torch_beside_it() {
        assert!(old("llama-factory (2024)") && old("torchtune 0.1/0.2"));
        assert!(
            old("ms-swift 2.x, torch 2.1.1") && old("fsdp_qlora train.py, torch 2.2, bnb 0.43")
        );
        assert!(!old("peft 0.19.2.dev0, transformers 5.13.1, torch 2.13.0+cu130"));
        assert!(old("fms-hf-tuning + accelerate; accelerate 1.0.1"));
        assert!(!old("fms-hf-tuning + accelerate; requirements.txt (accelerate 1.0.1)"));
        assert!(!old("fms-hf-tuning + accelerate; accelerate 1.6.0"));
        assert!(!old("ms-swift 4.x") && !old("torchtune 0.5/0.6"));
    }
}
