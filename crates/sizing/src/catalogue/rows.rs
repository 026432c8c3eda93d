//! One row of the model table, and how it becomes a configuration.

use super::CatalogueError;
use crate::{Architecture, Attention, Experts, Kind, Mlp, Norm, RecurrentLayers};
use kasuan_model::{Grade, Source};

/// A row as it stands in the file; empty cells are unknown or absent.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    id: String,
    #[expect(dead_code, reason = "read with the names, before the row")]
    aliases: String,
    family: String,
    kind: String,
    layers: u32,
    hidden: u32,
    heads: u32,
    kv_heads: u32,
    head_dim: u32,
    intermediate: u32,
    vocab: u32,
    flags: String,
    norm: String,
    norms: u32,
    sliding_window: Option<u32>,
    full_attention_layers: Option<u32>,
    attention_layer_count: Option<u32>,
    feed_forward_layers: Option<u32>,
    experts: Option<u32>,
    experts_active: Option<u32>,
    expert_intermediate: Option<u32>,
    shared_intermediate: Option<u32>,
    dense_layers: Option<u32>,
    mla_kv_rank: Option<u32>,
    mla_q_rank: Option<u32>,
    mla_rope: Option<u32>,
    mla_nope: Option<u32>,
    mla_v: Option<u32>,
    recurrent_layers: Option<u32>,
    recurrent_state_bytes: Option<u64>,
    recurrent_parameters: Option<u64>,
    vision_parameters: Option<u64>,
    other_parameters: Option<u64>,
    draft_parameters: Option<u64>,
    learned_positions: Option<u32>,
    max_context: Option<u32>,
    published_parameters: Option<u64>,
    #[expect(dead_code, reason = "for readers of the table and for the tests over it")]
    published_source: String,
    unverified: String,
    source: String,
    seen: String,
    licence: String,
    grade: String,
}

impl Row {
    /// Turns the row into a configuration.
    pub(super) fn into_architecture(self) -> Result<Architecture, CatalogueError> {
        let mut model = Architecture {
            kind: self.kind()?,
            norm: self.norm()?,
            attention: self.attention(),
            experts: self.experts(),
            recurrent: self.recurrent(),
            source: self.source()?,
            id: self.id,
            family: self.family,
            layers: self.layers,
            hidden: self.hidden,
            heads: self.heads,
            kv_heads: self.kv_heads,
            head_dim: self.head_dim,
            intermediate: self.intermediate,
            vocab: self.vocab,
            norms_per_layer: self.norms,
            sliding_window: self.sliding_window,
            full_attention_layers: self.full_attention_layers,
            attention_layer_count: self.attention_layer_count,
            feed_forward_layers: self.feed_forward_layers,
            vision_parameters: self.vision_parameters.unwrap_or(0),
            other_parameters: self.other_parameters.unwrap_or(0),
            draft_parameters: self.draft_parameters.unwrap_or(0),
            learned_positions: self.learned_positions.unwrap_or(0),
            published_parameters: self.published_parameters,
            max_context: self.max_context,
            unverified: words(&self.unverified, ';'),
            ..Architecture::default()
        };
        for flag in words(&self.flags, ' ') {
            match flag.as_str() {
                "tied" => model.tied = true,
                "plain_mlp" => model.mlp = Mlp::Plain,
                "qkv_bias" => model.qkv_bias = true,
                "output_bias" => model.output_bias = true,
                "mlp_bias" => model.mlp_bias = true,
                "qk_norm" => model.qk_norm = true,
                "gate" => model.attention_gate = true,
                _ => return Err(wrong(&model.id, "flags", &flag)),
            }
        }
        Ok(model)
    }

    fn kind(&self) -> Result<Kind, CatalogueError> {
        match self.kind.as_str() {
            "generator" => Ok(Kind::Generator),
            "encoder" => Ok(Kind::Encoder),
            other => Err(wrong(&self.id, "kind", other)),
        }
    }

    fn norm(&self) -> Result<Norm, CatalogueError> {
        match self.norm.as_str() {
            "rms" => Ok(Norm::Rms),
            "layer" => Ok(Norm::Layer),
            "bare" => Ok(Norm::Bare),
            other => Err(wrong(&self.id, "norm", other)),
        }
    }

    fn attention(&self) -> Attention {
        match (self.mla_kv_rank, self.mla_rope, self.mla_nope, self.mla_v) {
            (Some(kv_rank), Some(rope_dim), Some(nope_dim), Some(v_dim)) => {
                Attention::Latent { kv_rank, q_rank: self.mla_q_rank, rope_dim, nope_dim, v_dim }
            }
            _ => Attention::Grouped,
        }
    }

    fn experts(&self) -> Option<Experts> {
        Some(Experts {
            experts: self.experts?,
            active: self.experts_active?,
            intermediate: self.expert_intermediate?,
            shared_intermediate: self.shared_intermediate.unwrap_or(0),
            dense_layers: self.dense_layers.unwrap_or(0),
        })
    }

    fn recurrent(&self) -> Option<RecurrentLayers> {
        Some(RecurrentLayers {
            layers: self.recurrent_layers?,
            state_bytes: self.recurrent_state_bytes?,
            parameters: self.recurrent_parameters?,
        })
    }

    fn source(&self) -> Result<Source, CatalogueError> {
        let grade = match self.grade.as_str() {
            "A" => Grade::A,
            "B" => Grade::B,
            "C" => Grade::C,
            "D" => Grade::D,
            other => return Err(wrong(&self.id, "grade", other)),
        };
        let date = match self.seen.as_str() {
            "" => None,
            day => Some(day.parse().map_err(|_| wrong(&self.id, "seen", day))?),
        };
        let licence = (!self.licence.is_empty()).then(|| self.licence.clone());
        Ok(Source { text: self.source.clone(), date, licence, grade })
    }
}

fn words(text: &str, separator: char) -> Vec<String> {
    text.split(separator)
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn wrong(id: &str, field: &'static str, value: &str) -> CatalogueError {
    CatalogueError::Field { id: id.to_owned(), field, value: value.to_owned() }
}
