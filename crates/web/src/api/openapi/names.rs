//! What can be asked in an address, by question: the names that the command line gives its options.

use serde_json::{Value, json};

/// What a value has to look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Any text.
    Text,
    /// A whole number from 1.
    Count,
    /// A number.
    Number,
    /// `1` or `0`.
    Flag,
    /// One of these words.
    OneOf(&'static [&'static str]),
}

/// A name in the query, whether it must be there, whether it may stand several times, what it says.
pub(crate) type Name = (&'static str, bool, bool, &'static str);

/// Names whose values are no free text.
const KINDS: &[(&str, Kind)] = &[
    ("count", Kind::Count),
    ("min_count", Kind::Count),
    ("limit", Kind::Count),
    ("context", Kind::Count),
    ("generate", Kind::Count),
    ("concurrency", Kind::Count),
    ("batch", Kind::Count),
    ("seq", Kind::Count),
    ("rank", Kind::Count),
    ("eval_batch", Kind::Count),
    ("cards", Kind::Count),
    ("headroom", Kind::Number),
    ("max_price", Kind::Number),
    ("gb_month", Kind::Number),
    ("by_card", Kind::Flag),
    ("windows", Kind::Flag),
    ("all_cards", Kind::Flag),
    ("sort", Kind::OneOf(&["card", "instance", "gib", "tflop", "bandwidth"])),
    ("oldest", Kind::OneOf(&["fresh", "ageing", "stale"])),
];

/// Writes the schema of a name's value; `rate` of the review is a text, so kinds go by name alone.
pub(super) fn value(name: &str) -> Value {
    let kind = KINDS.iter().find(|(other, _)| *other == name).map_or(Kind::Text, |(_, kind)| *kind);
    match kind {
        // An empty value counts as not given: that is how a form sends it.
        Kind::Text => json!({"type": "string"}),
        Kind::Count => json!({"type": "integer", "minimum": 1, "maximum": u32::MAX}),
        Kind::Number => json!({"type": "number", "minimum": 0}),
        Kind::Flag => json!({"type": "string", "enum": ["0", "1", "false", "true", "on"]}),
        Kind::OneOf(words) => json!({"type": "string", "enum": words}),
    }
}

/// `/offers`.
pub(crate) const OFFERS: &[Name] = &[
    ("card", false, true, "A card, as people call it: `RTX 4090`, `A100 80G`."),
    ("provider", false, true, "A provider's id."),
    ("region", false, true, "A provider's region."),
    ("country", false, true, "A country, as two letters."),
    ("mode", false, true, "How it is paid: on_demand, spot, daily, weekly, monthly, yearly."),
    ("currency", false, false, "Only prices in this currency."),
    ("count", false, false, "Cards of an instance."),
    ("min_count", false, false, "Fewest cards of an instance."),
    ("memory", false, false, "Least memory of a card: `24GiB`."),
    ("max_price", false, false, "Most that a card may cost for an hour."),
    ("oldest", false, false, "Oldest band of age: fresh, ageing, stale."),
    ("sort", false, false, "card, instance, gib, tflop, bandwidth."),
    ("by_card", false, false, "`1` shows the market card by card."),
    ("limit", false, false, "Most rows."),
];
/// `/bill`.
pub(crate) const BILL: &[Name] = &[
    ("offer", true, false, "The offer's id."),
    ("from", true, false, "When it starts: `2026-12-01T09:00`."),
    ("to", true, false, "When it is given back."),
    ("storage", false, false, "Data kept meanwhile: `200GB`."),
    ("egress", false, false, "Traffic out: `50GB`."),
];
/// `/doctor`.
pub(crate) const DOCTOR: &[Name] = &[
    ("card", false, false, "The card; needed unless `capability` or `offer` is given."),
    ("capability", false, false, "Its compute capability: `8.9`."),
    ("driver", false, false, "The driver: `550.54`."),
    ("driver_cuda", false, false, "The CUDA that the driver reports."),
    ("image_cuda", false, false, "The CUDA of the container image."),
    ("torch", false, false, "PyTorch: `2.5.1`."),
    ("cuda", false, false, "The CUDA that PyTorch was built with."),
    ("python", false, false, "Python."),
    ("needs", false, true, "What it must be able to do: `vllm==0.10.0`."),
    ("windows", false, false, "`1` for Windows or WSL."),
    ("offer", false, false, "An offer's id, for its card and its price."),
];
/// `/fit`.
pub(crate) const FIT: &[Name] = &[
    (
        "model",
        true,
        false,
        "A model of the catalogue, or a size: `Qwen/Qwen2.5-7B-Instruct`, `7B`.",
    ),
    ("card", false, true, "A card; all that have a price when none is named."),
    ("task", false, false, "inference, batch, lora, qlora, full, pretrain."),
    ("weights", false, false, "Weight format: bf16, fp8, awq4..."),
    ("context", false, false, "Tokens of a request, its answer included."),
    ("generate", false, false, "Tokens of its answer."),
    ("concurrency", false, false, "Requests at once."),
    ("kv", false, false, "Format of the key-value cache."),
    ("engine", false, false, "What serves the model."),
    ("batch", false, false, "Sequences of a training step on a card."),
    ("seq", false, false, "Tokens of a sequence."),
    ("rank", false, false, "Rank of LoRA."),
    ("recipe", false, false, "Numbers that training keeps."),
    ("optimizer", false, false, "Optimizer."),
    ("checkpointing", false, false, "Which activations are computed again."),
    ("attention", false, false, "Attention kernel."),
    ("loss", false, false, "How the loss is computed."),
    ("framework", false, false, "Training program."),
    ("eval_batch", false, false, "Sequences of an evaluation."),
    ("sharding", false, false, "What is spread over cards."),
    ("cards", false, false, "Cards, where they are given."),
    ("headroom", false, false, "Per cent of memory to keep free."),
    ("tokens", false, false, "Tokens of a whole training run: `20M`."),
    ("compare", false, true, "The same with other settings: `weights=awq4,concurrency=32`."),
    ("currency", false, false, "Prices in this currency."),
    ("all_cards", false, false, "`1` also shows cards without a price."),
];
/// `/review`.
pub(crate) const REVIEW: &[Name] = &[
    ("month", false, false, "The month: `2026-11`; the one before this when left out."),
    ("zone", false, false, "Where a month begins: `+08:00`."),
    ("currency", false, false, "The currency of the review."),
    ("rate", false, true, "A rate: `USD=7.1`."),
    ("gb_month", false, false, "What a GB of storage costs a month."),
];
