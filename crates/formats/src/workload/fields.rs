//! Every field of the workload file: one table that the reader, the JSON Schema and the reference
//! page all go by.

/// What a field may hold.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Any text.
    Text,
    /// A number.
    Number,
    /// A whole number of at least this much.
    Whole(u32),
    /// True or false.
    Flag,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A text of a form that is shown by examples.
    Form(&'static [&'static str]),
    /// A list of values, or one alone.
    Several(&'static Self),
    /// Fields of another section.
    Inside(&'static Section),
    /// A list of such fields.
    Each(&'static Section),
    /// Names that the user chooses, each with a value.
    Named(&'static Self),
    /// One of several kinds.
    Either(&'static [Self]),
}

/// A field.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it may hold.
    pub kind: Kind,
    /// Whether it must be there.
    pub required: bool,
}

/// A group of fields.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Its name; the words for its fields are `field-SECTION-FIELD`.
    pub name: &'static str,
    /// Its fields, in the order they are shown.
    pub fields: &'static [Field],
}

const fn field(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, required: false }
}

const fn required(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, required: true }
}

/// Amounts of memory, storage and traffic.
const BYTES: Kind = Kind::Form(&["8GiB", "200 GB"]);
/// Spans of time.
const SPAN: Kind = Kind::Form(&["30s", "90 min", "8h", "2 days"]);
/// Sums of money.
const MONEY: Kind = Kind::Either(&[Kind::Number, Kind::Form(&["3000 CNY"])]);
/// Counts with a multiplier.
const COUNT: Kind = Kind::Either(&[Kind::Number, Kind::Form(&["20M", "50k", "100万"])]);
/// Shares.
const SHARE: Kind = Kind::Form(&["20%"]);
/// Days with or without a time.
const MOMENT: Kind = Kind::Form(&["2026-12-20", "2026-12-20 18:00"]);

/// Tasks.
pub const TASKS: &[&str] = &["inference", "lora", "qlora", "full", "pretrain", "batch"];
/// Days of the week.
pub const WEEKDAYS: &[&str] =
    &["mon", "tue", "wed", "thu", "fri", "sat", "sun", "mon-fri", "weekend"];
/// Billing modes, beside `reserved_12m` and its like.
pub const MODES: &[&str] = &["on_demand", "spot", "daily", "weekly", "monthly", "yearly"];
/// Grades of a price's source, best first.
pub const GRADES: &[&str] = &["A", "B", "C", "D"];
/// Weight formats.
pub const WEIGHTS: &[&str] = &[
    "fp32",
    "bf16",
    "fp16",
    "fp8",
    "int8",
    "nf4",
    "nf4_plain",
    "gptq4",
    "awq4",
    "mxfp4",
    "nvfp4",
    "gguf_f16",
    "q8_0",
    "q6_k",
    "q5_k_m",
    "q5_k_s",
    "q5_1",
    "q5_0",
    "q4_k_m",
    "q4_k_s",
    "q4_1",
    "q4_0",
    "q3_k_l",
    "q3_k_m",
    "q3_k_s",
    "q2_k",
    "iq4_xs",
    "iq4_nl",
    "iq3_s",
    "iq3_xxs",
    "iq2_s",
    "iq2_xs",
    "iq2_xxs",
    "iq1_m",
    "iq1_s",
];
/// Cache formats.
pub const CACHES: &[&str] = &["16bit", "fp8", "q8_0", "q4_0", "32bit"];
/// Engines.
pub const ENGINES: &[&str] = &[
    "vllm",
    "sglang",
    "transformers",
    "llama.cpp",
    "tensorrt-llm",
    "lmdeploy",
    "exllama",
    "mindie",
];
/// Optimisers.
pub const OPTIMIZERS: &[&str] = &[
    "adamw",
    "adamw_8bit",
    "paged_adamw_8bit",
    "paged_adamw_32bit",
    "adam_mini",
    "adafactor",
    "sgd",
    "sgd_momentum",
    "lion",
    "muon",
];
/// Number recipes.
pub const RECIPES: &[&str] = &["autocast", "pure_bf16", "master_fp32", "fp32"];
/// Attention kernels.
pub const KERNELS: &[&str] = &["flash", "sdpa", "eager"];
/// Recomputing.
pub const CHECKPOINTING: &[&str] = &["full", "selective", "off"];
/// Losses.
pub const LOSSES: &[&str] = &["eager", "fused"];

/// The programs that train, as `sizing` knows them.
pub const FRAMEWORKS: &[&str] = &[
    "fms-hf-tuning",
    "unsloth",
    "megatron",
    "llama-factory",
    "qwen-script",
    "ms-swift-2",
    "litgpt",
    "torchtune",
    "torchtitan",
    "peft-comparison",
    "fsdp-qlora",
    "ms-swift",
    "hugging-face",
];
/// Sharding.
pub const SHARDINGS: &[&str] = &["none", "zero1", "zero2", "zero3", "fsdp"];
/// Layers that adapters may stand beside.
pub const TARGETS: &[&str] =
    &["all", "attention", "q", "k", "v", "o", "gate", "up", "down", "embedding", "head"];

/// `model: {params: 7B}`.
pub const MODEL: Section =
    Section { name: "model", fields: &[required("params", Kind::Form(&["7B", "70B", "350M"]))] };

/// `data:`.
pub const DATA: Section = Section {
    name: "data",
    fields: &[
        field("tokens", COUNT),
        field("samples", COUNT),
        field("mean_tokens", Kind::Whole(1)),
        field("epochs", Kind::Number),
    ],
};

/// `latency:`.
pub const LATENCY: Section = Section {
    name: "latency",
    fields: &[field("ttft", Kind::Form(&["1s", "500ms"])), field("tpot", Kind::Form(&["60ms"]))],
};

/// `interruptible:` in full.
pub const CHECKPOINTS: Section = Section {
    name: "interruptible",
    fields: &[field("checkpoint", SPAN), field("restart", SPAN), field("every", SPAN)],
};

/// A job.
pub const JOB: Section = Section {
    name: "job",
    fields: &[
        required("name", Kind::Text),
        required("task", Kind::OneOf(TASKS)),
        field("from", Kind::Text),
        field("model", Kind::Either(&[Kind::Text, Kind::Inside(&MODEL)])),
        field("runs", Kind::Either(&[Kind::Whole(1), Kind::Form(&["2/month", "1/week", "3/day"])])),
        field(
            "hours",
            Kind::Either(&[Kind::Number, Kind::Form(&["8h", "90 min", "6-10", "6-8-12"])]),
        ),
        field("hours_measured_on", Kind::Form(&["RTX 4090", "2x A100 80G"])),
        field("data", Kind::Inside(&DATA)),
        field("requests", COUNT),
        field("daily", Kind::Form(&["08:00-18:00", "00:00-24:00"])),
        field("weekdays", Kind::Several(&Kind::OneOf(WEEKDAYS))),
        field("days", Kind::Form(&["5-20", "15"])),
        field("concurrency", Kind::Whole(1)),
        field("rate", Kind::Either(&[Kind::Number, Kind::Form(&["5/s", "300/min"])])),
        field("context", Kind::Whole(1)),
        field("prompt", Kind::Whole(1)),
        field("generated", Kind::Whole(1)),
        field("latency", Kind::Inside(&LATENCY)),
        field("engine", Kind::OneOf(ENGINES)),
        field("kv", Kind::OneOf(CACHES)),
        field("weights", Kind::OneOf(WEIGHTS)),
        field("memory", BYTES),
        field("card", Kind::Several(&Kind::Text)),
        field("cards", Kind::Whole(1)),
        field("replicas", Kind::Whole(1)),
        field("batch", Kind::Whole(1)),
        field("seq", Kind::Whole(1)),
        field("accumulation", Kind::Whole(1)),
        field("rank", Kind::Whole(1)),
        field("targets", Kind::Several(&Kind::OneOf(TARGETS))),
        field("optimizer", Kind::OneOf(OPTIMIZERS)),
        field("recipe", Kind::OneOf(RECIPES)),
        field("checkpointing", Kind::OneOf(CHECKPOINTING)),
        field("attention", Kind::OneOf(KERNELS)),
        field("loss", Kind::OneOf(LOSSES)),
        field("framework", Kind::OneOf(FRAMEWORKS)),
        field("packed", Kind::Flag),
        field("sharding", Kind::OneOf(SHARDINGS)),
        field("interruptible", Kind::Either(&[Kind::Flag, Kind::Inside(&CHECKPOINTS)])),
        field("modes", Kind::Several(&Kind::OneOf(MODES))),
        field("start", MOMENT),
        field("deadline", MOMENT),
        field("may_wait", SPAN),
        field("after", Kind::Text),
        field("share_card", Kind::Flag),
        field("priority", Kind::Whole(0)),
    ],
};

/// An entry of `storage:`.
pub const STORAGE: Section = Section {
    name: "storage",
    fields: &[
        field("name", Kind::Text),
        required("size", BYTES),
        field("price", Kind::Either(&[Kind::Number, Kind::Form(&["0.5 CNY/GB"])])),
    ],
};

/// `transfer:`.
pub const TRANSFER: Section = Section {
    name: "transfer",
    fields: &[
        field("egress", BYTES),
        field("ingress", BYTES),
        field("line", Kind::Form(&["100 Mbps", "1 Gbps"])),
    ],
};

/// `team:`.
pub const TEAM: Section = Section {
    name: "team",
    fields: &[
        field("engineer", Kind::Either(&[Kind::Number, Kind::Form(&["120 CNY/h"])])),
        field("ops_hours", Kind::Number),
        field("data_hours", Kind::Number),
        field("people", Kind::Whole(1)),
    ],
};

/// `policy:`.
pub const POLICY: Section = Section {
    name: "policy",
    fields: &[
        field("margin", Kind::Either(&[SHARE, Kind::OneOf(&["p80", "p90", "none"])])),
        field("cap", MONEY),
        field("hourly_cap", Kind::Either(&[Kind::Number, Kind::Form(&["30 CNY/h"])])),
        field("cards_cap", Kind::Whole(1)),
        field("providers", Kind::Several(&Kind::Text)),
        field("exclude_providers", Kind::Several(&Kind::Text)),
        field("regions", Kind::Several(&Kind::Text)),
        field("modes", Kind::Several(&Kind::OneOf(MODES))),
        field("price_age", Kind::Either(&[SPAN, Kind::OneOf(&["usual", "any"])])),
        field("undated", Kind::Flag),
        field("grade", Kind::OneOf(GRADES)),
        field("outliers", Kind::Flag),
        field("trial", Kind::Either(&[MONEY, SHARE])),
        field("headroom", SHARE),
        field("trust_hours", Kind::Flag),
        field("share_machines", Kind::Flag),
        field("tax", Kind::Either(&[SHARE, Kind::OneOf(&["included", "small", "general"])])),
        field("spot_mtbf", SPAN),
    ],
};

/// An entry of `held:`.
pub const HELD: Section = Section {
    name: "held",
    fields: &[
        required("card", Kind::Text),
        field("count", Kind::Whole(1)),
        required("until", MOMENT),
    ],
};

/// The whole file.
pub const FILE: Section = Section {
    name: "file",
    fields: &[
        field("currency", Kind::Form(&["CNY", "USD"])),
        field("month", Kind::Form(&["2026-12"])),
        field("days", Kind::Whole(1)),
        required("jobs", Kind::Each(&JOB)),
        field("storage", Kind::Each(&STORAGE)),
        field("transfer", Kind::Inside(&TRANSFER)),
        field("team", Kind::Inside(&TEAM)),
        field("policy", Kind::Inside(&POLICY)),
        field(
            "rates",
            Kind::Named(&Kind::Either(&[Kind::Number, Kind::Form(&["7.1 @ 2026-12-01"])])),
        ),
        field("held", Kind::Each(&HELD)),
        field("prices", Kind::Text),
    ],
};

/// Every section, in the order of the reference page.
pub const SECTIONS: &[&Section] = &[
    &FILE,
    &JOB,
    &MODEL,
    &DATA,
    &LATENCY,
    &CHECKPOINTS,
    &STORAGE,
    &TRANSFER,
    &TEAM,
    &POLICY,
    &HELD,
];
