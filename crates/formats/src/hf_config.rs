//! Reads a Hugging Face `config.json` into an [`Architecture`], of any family, text or with vision.

mod attention;
mod error;
mod experts;
mod extras;
mod family;
mod fields;
mod recurrent;
mod stored;
#[cfg(test)]
mod tests;
mod vision;

pub use error::{HfConfigError, Rule};

use family::Family;
use fields::Fields;
use kasuan_model::{Phrase, Source};
use kasuan_sizing::{Architecture, Kind, Mlp, WeightFormat, memory};
use serde_json::Value;

/// A config.json that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct HfConfig {
    /// The configuration in the normal form.
    pub architecture: Architecture,
    /// How the weights beside it are stored, where the file says.
    pub stored: Option<WeightFormat>,
    /// What the reader should know: assumed fields, unknown families.
    pub notes: Vec<Phrase>,
}

/// What the parts of the reader share.
struct Reading<'a> {
    /// The whole file.
    root: Fields<'a>,
    /// The language model's part of it.
    body: Fields<'a>,
    /// Whether that part is nested, where files leave out what the class has as default.
    nested: bool,
    /// The family's name.
    name: &'a str,
    /// What the family does where the file is silent.
    family: Family,
}

/// Where files of models with vision or speech keep the language model.
const NESTED: &[&str] = &["text_config", "llm_config", "language_config", "language_model"];

/// More layers than any model has.
const MOST_LAYERS: u64 = 4096;

/// Reads the text of a config.json; `id` names the model, `source` says where the file is from.
///
/// A family that is not known is read as if it were built like LLaMA, which the result says in
/// `unverified` and in a note. Layers that are described one by one are read as if all had the shape
/// that the file states for the model, which is said too; sizes of weights are then best taken from
/// their headers.
///
/// # Errors
/// The one thing that stands against reading it, with the field's name and what can still be said.
pub fn read(text: &str, id: &str, source: Source) -> Result<HfConfig, HfConfigError> {
    let value: Value =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| {
            let reason = error.to_string();
            let reason = reason.split(" at line").next().unwrap_or(&reason).to_owned();
            HfConfigError::NotJson { reason, line: error.line(), column: error.column() }
        })?;
    let root = match &value {
        Value::Object(map) => Fields(map),
        Value::Array(_) => return Err(HfConfigError::NotAnObject { found: "[...]" }),
        Value::String(_) => return Err(HfConfigError::NotAnObject { found: "\"...\"" }),
        _ => return Err(HfConfigError::NotAnObject { found: "a single value" }),
    };
    let reading = Reading::new(root);
    let mut notes = Vec::new();
    let by_layer = reading.layer_by_layer();
    let mut model = match (reading.architecture(id, source), by_layer) {
        (Ok(model), _) => model,
        (Err(_), Some(field)) => {
            return Err(HfConfigError::LayerByLayer { family: reading.name.to_owned(), field });
        }
        (Err(error), None) => return Err(error),
    };
    if let Some(field) = by_layer {
        model.shape_assumed = true;
        model.unverified.push(field.to_owned());
        notes.push(
            Phrase::new("sizing-config-one-shape")
                .with("family", reading.name)
                .with("field", field),
        );
    }
    if family::known(reading.name).is_none() {
        model.unverified.insert(0, "family".to_owned());
        notes.push(Phrase::new("sizing-config-family-unknown").with("family", reading.name));
    }
    let assumed: Vec<&str> = model.unverified.iter().map(String::as_str).collect();
    let assumed: Vec<&str> = assumed
        .into_iter()
        .filter(|field| *field != "family" && by_layer != Some(*field))
        .collect();
    if !assumed.is_empty() {
        notes.push(Phrase::new("sizing-config-assumed").with("fields", assumed.join(", ")));
    }
    Ok(HfConfig { stored: stored::format(root), architecture: model, notes })
}

impl<'a> Reading<'a> {
    fn new(root: Fields<'a>) -> Self {
        let thinker = root.object("thinker_config");
        let outer = thinker.unwrap_or(root);
        let inner = NESTED.iter().find_map(|name| outer.object(name));
        let body = inner.unwrap_or(outer);
        let name = body
            .text("model_type")
            .filter(|name| !name.is_empty())
            .or_else(|| outer.text("model_type"))
            .unwrap_or("unknown");
        let family = family::known(name).unwrap_or_else(family::assumed);
        Self { root: outer, body, nested: inner.is_some(), name, family }
    }

    /// Returns the field by which a file describes layers that differ in ways that one shape for all
    /// of them gets only about right.
    fn layer_by_layer(&self) -> Option<&'static str> {
        [
            "block_configs",
            "global_head_dim",
            "hidden_size_per_layer_input",
            "swa_head_dim",
            "compress_ratios",
            "linear_attn_config",
            "moe_latent_size",
            "routed_expert_hidden_size",
        ]
        .into_iter()
        .find(|field| self.body.get(field).is_some())
    }

    fn architecture(&self, id: &str, source: Source) -> Result<Architecture, HfConfigError> {
        let mut model = Architecture {
            id: id.to_owned(),
            family: self.name.to_owned(),
            kind: self.kind(),
            tied: self.tied(),
            mlp: self.mlp(),
            norm: self.family.norm,
            norms_per_layer: self.family.norms,
            source,
            ..Architecture::default()
        };
        self.dimensions(&mut model)?;
        attention::read(self, &mut model)?;
        experts::read(self, &mut model)?;
        recurrent::read(self, &mut model)?;
        self.feed_forward(&mut model)?;
        attention::windows(self, &mut model)?;
        extras::read(self, &mut model)?;
        vision::read(self, &mut model)?;
        Ok(model)
    }

    /// Reads layers, width, vocabulary and positions.
    fn dimensions(&self, model: &mut Architecture) -> Result<(), HfConfigError> {
        let names = &["num_hidden_layers", "n_layer", "n_layers", "num_layers"];
        model.layers = self.required(model, "num_hidden_layers", names)?;
        if u64::from(model.layers) > MOST_LAYERS {
            let value = u64::from(model.layers);
            return Err(HfConfigError::TooLarge {
                field: "num_hidden_layers".to_owned(),
                value,
                most: MOST_LAYERS,
            });
        }
        let names = &["hidden_size", "n_embd", "d_model", "dim", "inner_hidden_size"];
        model.hidden = self.required(model, "hidden_size", names)?;
        // ChatGLM pads the table of tokens and says so in a field of its own.
        let names = &["padded_vocab_size", "vocab_size", "n_vocab"];
        model.vocab = self.required(model, "vocab_size", names)?;
        let names = &[
            "max_position_embeddings",
            "n_positions",
            "seq_length",
            "max_sequence_length",
            "max_seq_len",
            "model_max_length",
            "n_ctx",
        ];
        let positions = self.body.first(names)?.map(|(count, _)| count);
        model.max_context = positions;
        if let (Some(extra), Some(positions)) = (self.family.positions, positions) {
            model.learned_positions = positions.saturating_add(extra);
        }
        Ok(())
    }

    /// Reads the width of the dense feed-forward blocks.
    fn feed_forward(&self, model: &mut Architecture) -> Result<(), HfConfigError> {
        let names = &[
            "intermediate_size_mlp",
            "intermediate_size",
            "ffn_hidden_size",
            "n_inner",
            "ffn_dim",
            "d_ff",
            "hidden_dim",
            "encoder_ffn_dim",
            "mlp_hidden_size",
        ];
        let found = self.body.first(names)?.map(|(width, _)| width);
        let four_times = model.hidden.saturating_mul(4);
        model.intermediate = match (self.name, found) {
            // Qwen 1 counts both halves of the gate.
            ("qwen", Some(width)) => width / 2,
            ("mpt", None) => {
                let ratio = self.body.count_or(&["expansion_ratio"], 4)?;
                model.hidden.saturating_mul(ratio)
            }
            (_, Some(width)) => width,
            (
                "gpt2" | "gptj" | "gpt_neo" | "bloom" | "falcon" | "RefinedWeb" | "RefinedWebModel"
                | "gpt_bigcode" | "codegen",
                None,
            ) => four_times,
            _ if model.feed_forward_layers == Some(0) => 0,
            (_, None) => match (model.experts, self.class_default("intermediate_size")) {
                (Some(experts), _) if experts.dense_layers == 0 => experts.intermediate,
                (_, Some(width)) => {
                    model.unverified.push("intermediate_size".to_owned());
                    width
                }
                _ => self.required(model, "intermediate_size", names)?,
            },
        };
        Ok(())
    }

    /// Returns a field that must be there, or the error that says what the rest still tells.
    fn required(
        &self,
        model: &mut Architecture,
        field: &'static str,
        names: &'static [&'static str],
    ) -> Result<u32, HfConfigError> {
        if let Some((count, _)) = self.body.first(names)? {
            return Ok(count);
        }
        if let Some((count, _)) = self.root.first(names)? {
            return Ok(count);
        }
        if let Some(count) = self.class_default(field) {
            model.unverified.push(field.to_owned());
            return Ok(count);
        }
        let also = names.split_first().map_or(&[][..], |(_, others)| others);
        Err(HfConfigError::Missing { field, also, still: self.still(model) })
    }

    /// Returns what transformers fills in where a nested part leaves a field out because it is the
    /// class's default.
    fn class_default(&self, field: &str) -> Option<u32> {
        if !self.nested {
            return None;
        }
        let defaults: &[(&str, u32)] = match self.name {
            "gemma3_text" | "gemma3" => &[
                ("num_attention_heads", 8),
                ("num_key_value_heads", 4),
                ("head_dim", 256),
                ("vocab_size", 262_208),
            ],
            "llama" => &[
                ("num_hidden_layers", 32),
                ("hidden_size", 4096),
                ("num_attention_heads", 32),
                ("intermediate_size", 11_008),
                ("vocab_size", 32_000),
            ],
            "mistral" => &[
                ("num_hidden_layers", 32),
                ("hidden_size", 4096),
                ("num_attention_heads", 32),
                ("num_key_value_heads", 8),
                ("intermediate_size", 14_336),
                ("vocab_size", 32_000),
            ],
            _ => &[],
        };
        defaults.iter().find(|(name, _)| *name == field).map(|(_, value)| *value)
    }

    /// Returns what can be said although a field is missing: the cache for each token, the
    /// embedding's size.
    fn still(&self, model: &Architecture) -> Vec<Phrase> {
        let mut still = Vec::new();
        let mut known = model.clone();
        if known.vocab > 0 && known.hidden > 0 {
            let parameters = u64::from(known.vocab) * u64::from(known.hidden);
            let millions = format!("{:.0}", parameters as f64 / 1e6);
            still.push(Phrase::new("sizing-config-still-embedding").with("millions", millions));
        }
        // Only where the heads are there: their absence is what may have led here.
        let heads = self.body.first(attention::HEADS).ok().flatten().is_some();
        if known.layers > 0
            && heads
            && attention::read(self, &mut known).is_ok()
            && known.kv_heads > 0
        {
            let bytes = memory::kv_bytes_per_token(&known, kasuan_sizing::KvFormat::Bits16);
            let bytes = format!("{bytes:.0}");
            still.push(Phrase::new("sizing-config-still-cache").with("bytes", bytes));
        }
        still
    }

    /// Says what the model is for: the family's kind, or that of the class that was saved.
    fn kind(&self) -> Kind {
        let class = self
            .root
            .list("architectures")
            .and_then(|classes| classes.first())
            .and_then(Value::as_str)
            .unwrap_or("");
        let headless = class.ends_with("Model") && !class.ends_with("LMHeadModel");
        let scores = class.ends_with("ForSequenceClassification")
            || class.ends_with("ForTokenClassification");
        if headless && self.name != "chatglm" || scores { Kind::Encoder } else { self.family.kind }
    }

    /// Says whether a head of its own exists beside the embedding.
    fn tied(&self) -> bool {
        let stated =
            self.root.flag("tie_word_embeddings").or_else(|| self.body.flag("tie_word_embeddings"));
        self.kind() == Kind::Encoder || stated.unwrap_or(self.family.tied)
    }

    fn mlp(&self) -> Mlp {
        let gated_t5 =
            self.body.text("feed_forward_proj").is_some_and(|text| text.starts_with("gated"));
        let plain = matches!(self.body.text("hidden_act"), Some("relu2"))
            || matches!(self.body.text("mlp_hidden_act"), Some("relu2"));
        match (gated_t5, plain) {
            (true, _) => Mlp::Gated,
            (_, true) => Mlp::Plain,
            _ => self.family.mlp,
        }
    }
}
