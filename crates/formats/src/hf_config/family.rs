//! What each family of models does where its config.json is silent, from the families' own code in
//! Hugging Face `transformers` (5.24) and in the publishers' repositories.

use kasuan_sizing::{Kind, Mlp, Norm};

/// What a family does where its config.json is silent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Family {
    /// The names in `model_type`.
    pub(super) names: &'static [&'static str],
    /// What it is for.
    pub(super) kind: Kind,
    /// Whether head and embedding share weights when `tie_word_embeddings` is missing.
    pub(super) tied: bool,
    /// Biases on Q, K and V.
    pub(super) qkv_bias: bool,
    /// Bias on the output projection.
    pub(super) output_bias: bool,
    /// Biases in the feed-forward block.
    pub(super) mlp_bias: bool,
    /// Norms of Q and K per head.
    pub(super) qk_norm: bool,
    /// The form of the norms.
    pub(super) norm: Norm,
    /// Norms in a block.
    pub(super) norms: u32,
    /// The form of the feed-forward block.
    pub(super) mlp: Mlp,
    /// Rows of learned positions beyond `max_position_embeddings`; `None` for rotary or ALiBi.
    pub(super) positions: Option<u32>,
}

/// LLaMA: RMSNorm twice a block, gated feed-forward, no bias, rotary, separate head.
const LLAMA: Family = Family {
    names: &[
        "llama",
        "yi",
        "Yi",
        "mistral",
        "ministral",
        "ministral3",
        "mixtral",
        "phi3",
        "baichuan",
        "internlm2",
        "internlm3",
        "olmoe",
        "granite",
        "granitemoe",
        "granitemoeshared",
        "granitemoehybrid",
        "jamba",
        "bamba",
        "mimo",
        "deepseek",
        "deepseek_v2",
        "deepseek_v3",
        "deepseek_v32",
        "kimi_k2",
        "glm4_moe",
        "glm4_moe_lite",
        "glm_moe_dsa",
        "arcee",
        "llama4_text",
        "minimax_m2",
        "ernie4_5",
        "ernie4_5_moe",
        "hunyuan_v1_dense",
        "exaone",
        "smollm3",
        "nemotron_h",
        "step3p5",
        "mamba",
        "mamba2",
        "falcon_mamba",
        "dots1",
        "xverse",
        "aquila",
        "orion",
        "skywork",
    ],
    kind: Kind::Generator,
    tied: false,
    qkv_bias: false,
    output_bias: false,
    mlp_bias: false,
    qk_norm: false,
    norm: Norm::Rms,
    norms: 2,
    mlp: Mlp::Gated,
    positions: None,
};

/// BERT: LayerNorm, all biases, learned positions, no head of its own.
const BERT: Family = Family {
    names: &["bert", "electra", "distilbert", "ernie", "mpnet"],
    kind: Kind::Encoder,
    tied: true,
    qkv_bias: true,
    output_bias: true,
    mlp_bias: true,
    norm: Norm::Layer,
    mlp: Mlp::Plain,
    positions: Some(0),
    ..LLAMA
};

/// GPT-2 and what follows its blocks: LayerNorm, all biases, plain feed-forward, tied head.
const GPT2: Family = Family { names: &["gpt2", "gpt_bigcode"], kind: Kind::Generator, ..BERT };

/// Every family that is known; the first that has the name counts.
const FAMILIES: &[Family] = &[
    LLAMA,
    BERT,
    GPT2,
    Family { names: &["roberta", "xlm-roberta", "camembert"], ..BERT },
    Family {
        names: &["nomic_bert"],
        mlp: Mlp::Gated,
        qkv_bias: false,
        output_bias: false,
        mlp_bias: false,
        positions: None,
        ..BERT
    },
    Family { names: &["new", "gte"], mlp: Mlp::Gated, mlp_bias: false, positions: None, ..BERT },
    Family { names: &["modernbert"], kind: Kind::Encoder, tied: true, ..LLAMA },
    Family {
        names: &[
            "qwen",
            "qwen2",
            "qwen2_moe",
            "qwen2_vl",
            "qwen2_5_vl",
            "qwen2_vl_text",
            "qwen2_5_vl_text",
            "qwen2_5_omni_text",
        ],
        qkv_bias: true,
        ..LLAMA
    },
    Family {
        names: &[
            "qwen3",
            "qwen3_moe",
            "qwen3_next",
            "qwen3_vl_text",
            "qwen3_vl_moe_text",
            "qwen3_5_text",
            "qwen3_5_moe_text",
            "qwen3_omni_moe_text",
            "exaone4",
            "hunyuan_v1_moe",
        ],
        qk_norm: true,
        ..LLAMA
    },
    Family { names: &["chatglm", "glm"], qkv_bias: true, ..LLAMA },
    Family { names: &["glm4", "glm4v_text"], qkv_bias: true, norms: 4, ..LLAMA },
    Family { names: &["gpt_oss"], qkv_bias: true, output_bias: true, mlp_bias: true, ..LLAMA },
    Family { names: &["seed_oss"], qkv_bias: true, ..LLAMA },
    Family { names: &["internlm"], qkv_bias: true, output_bias: true, ..LLAMA },
    Family { names: &["minicpm", "minicpm3", "smollm", "apertus_tied"], tied: true, ..LLAMA },
    Family { names: &["gemma"], tied: true, ..LLAMA },
    Family { names: &["gemma2"], tied: true, norms: 4, ..LLAMA },
    Family { names: &["gemma3", "gemma3_text"], tied: true, norms: 4, qk_norm: true, ..LLAMA },
    Family { names: &["cohere", "cohere2"], tied: true, norms: 1, ..LLAMA },
    Family { names: &["olmo"], norm: Norm::Bare, ..LLAMA },
    Family { names: &["olmo2", "olmo3"], ..LLAMA },
    Family { names: &["stablelm"], norm: Norm::Layer, ..LLAMA },
    Family { names: &["phimoe"], norm: Norm::Layer, ..LLAMA },
    Family { names: &["nemotron"], norm: Norm::Layer, mlp: Mlp::Plain, ..LLAMA },
    Family { names: &["mpt"], tied: true, mlp: Mlp::Plain, ..LLAMA },
    Family { names: &["dbrx"], ..LLAMA },
    Family { names: &["starcoder2"], positions: None, kind: Kind::Generator, ..BERT },
    Family { names: &["chatglm1"], positions: None, tied: false, kind: Kind::Generator, ..BERT },
    Family { names: &["bloom"], positions: None, kind: Kind::Generator, ..BERT },
    Family { names: &["opt"], positions: Some(2), kind: Kind::Generator, ..BERT },
    Family { names: &["gpt_neo"], qkv_bias: false, ..GPT2 },
    Family { names: &["gpt_neox"], positions: None, tied: false, ..GPT2 },
    Family { names: &["phi"], positions: None, tied: false, norms: 1, ..GPT2 },
    Family {
        names: &["gptj", "codegen"],
        positions: None,
        tied: false,
        norms: 1,
        qkv_bias: false,
        output_bias: false,
        ..GPT2
    },
    Family {
        names: &["falcon", "RefinedWeb", "RefinedWebModel"],
        tied: true,
        norm: Norm::Layer,
        mlp: Mlp::Plain,
        ..LLAMA
    },
    Family { names: &["t5", "mt5", "umt5"], tied: true, mlp: Mlp::Plain, ..LLAMA },
];

/// Returns a family by its `model_type`.
pub(super) fn known(model_type: &str) -> Option<Family> {
    FAMILIES.iter().find(|family| family.names.contains(&model_type)).copied()
}

/// Returns what is assumed of a family that is not known: that it is built like LLaMA, as most are.
pub(super) const fn assumed() -> Family {
    LLAMA
}
