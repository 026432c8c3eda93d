//! Builds the shipped model table from the configurations beside it, so that each row is what the
//! reader of config.json makes of its source.

use kasuan_formats::hf_config;
use kasuan_model::{Grade, Source};
use kasuan_sizing::{Architecture, Attention, Kind, Mlp, Norm};
use serde_json::Value;
use std::{fs, path::Path};

/// One configuration a line, with its source and the published total.
const SOURCES: &str = "data/models/configs.jsonl";

/// The table that ships inside the binary.
const TABLE: &str = "data/models/models.csv";

/// Writes the table.
pub(crate) fn run() -> Result<(), String> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let text = fs::read_to_string(workspace.join(SOURCES)).map_err(|error| error.to_string())?;
    let table = table(&text)?;
    fs::write(workspace.join(TABLE), table).map_err(|error| error.to_string())
}

/// Returns the table that the configurations make.
fn table(lines: &str) -> Result<String, String> {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let mut head = false;
    for (at, line) in lines.lines().enumerate() {
        let row = row(line).map_err(|error| format!("{SOURCES} line {}: {error}", at + 1))?;
        if !head {
            let names: Vec<&str> = row.iter().map(|(name, _)| *name).collect();
            writer.write_record(names).map_err(|error| error.to_string())?;
            head = true;
        }
        let cells: Vec<&str> = row.iter().map(|(_, cell)| cell.as_str()).collect();
        writer.write_record(cells).map_err(|error| error.to_string())?;
    }
    let bytes = writer.into_inner().map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

/// Returns the cells of one configuration, with their columns.
fn row(line: &str) -> Result<Vec<(&'static str, String)>, String> {
    let entry: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let text = |name: &str| entry[name].as_str().unwrap_or("").to_owned();
    let number = |name: &str| entry[name].as_u64().map_or(String::new(), |n| n.to_string());
    let id = text("id");
    let source = Source { text: text("source"), date: None, licence: None, grade: Grade::B };
    let read = hf_config::read(&entry["config"].to_string(), &id, source)
        .map_err(|error| format!("{id}: {error}"))?;
    let mut model = read.architecture;
    // What the publisher states beside the file: an embedding model saved with the class of its
    // generating parent.
    if entry["kind"] == "encoder" {
        (model.kind, model.tied) = (Kind::Encoder, true);
    }
    for field in entry["unverified"].as_array().into_iter().flatten() {
        model.unverified.extend(field.as_str().map(str::to_owned));
    }
    let mut cells = vec![("id", id), ("aliases", text("aliases"))];
    cells.extend(shape(&model));
    cells.extend([
        ("published_parameters", number("published")),
        ("published_source", text("published_source")),
        ("unverified", model.unverified.join("; ")),
        ("source", text("source")),
        ("seen", text("seen")),
        ("licence", text("licence")),
        ("grade", text("grade")),
    ]);
    Ok(cells)
}

fn shape(model: &Architecture) -> Vec<(&'static str, String)> {
    let flags = [
        ("tied", model.tied),
        ("plain_mlp", model.mlp == Mlp::Plain),
        ("qkv_bias", model.qkv_bias),
        ("output_bias", model.output_bias),
        ("mlp_bias", model.mlp_bias),
        ("qk_norm", model.qk_norm),
        ("gate", model.attention_gate),
    ];
    let flags: Vec<&str> = flags.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
    let kind = match model.kind {
        Kind::Generator => "generator",
        Kind::Encoder => "encoder",
    };
    let norm = match model.norm {
        Norm::Rms => "rms",
        Norm::Layer => "layer",
        Norm::Bare => "bare",
    };
    let (kv_rank, q_rank, rope, nope, v) = match model.attention {
        Attention::Grouped => (None, None, None, None, None),
        Attention::Latent { kv_rank, q_rank, rope_dim, nope_dim, v_dim } => {
            (Some(kv_rank), q_rank, Some(rope_dim), Some(nope_dim), Some(v_dim))
        }
    };
    let (experts, recurrent) = (model.experts, model.recurrent);
    vec![
        ("family", model.family.clone()),
        ("kind", kind.to_owned()),
        ("layers", model.layers.to_string()),
        ("hidden", model.hidden.to_string()),
        ("heads", model.heads.to_string()),
        ("kv_heads", model.kv_heads.to_string()),
        ("head_dim", model.head_dim.to_string()),
        ("intermediate", model.intermediate.to_string()),
        ("vocab", model.vocab.to_string()),
        ("flags", flags.join(" ")),
        ("norm", norm.to_owned()),
        ("norms", model.norms_per_layer.to_string()),
        ("sliding_window", cell(model.sliding_window)),
        ("full_attention_layers", cell(model.full_attention_layers)),
        ("attention_layer_count", cell(model.attention_layer_count)),
        ("feed_forward_layers", cell(model.feed_forward_layers)),
        ("experts", cell(experts.map(|e| e.experts))),
        ("experts_active", cell(experts.map(|e| e.active))),
        ("expert_intermediate", cell(experts.map(|e| e.intermediate))),
        ("shared_intermediate", cell(experts.map(|e| e.shared_intermediate))),
        ("dense_layers", cell(experts.map(|e| e.dense_layers))),
        ("mla_kv_rank", cell(kv_rank)),
        ("mla_q_rank", cell(q_rank)),
        ("mla_rope", cell(rope)),
        ("mla_nope", cell(nope)),
        ("mla_v", cell(v)),
        ("recurrent_layers", cell(recurrent.map(|r| r.layers))),
        ("recurrent_state_bytes", cell(recurrent.map(|r| r.state_bytes))),
        ("recurrent_parameters", cell(recurrent.map(|r| r.parameters))),
        ("vision_parameters", cell(Some(model.vision_parameters).filter(|n| *n > 0))),
        ("other_parameters", cell(Some(model.other_parameters).filter(|n| *n > 0))),
        ("draft_parameters", cell(Some(model.draft_parameters).filter(|n| *n > 0))),
        ("learned_positions", cell(Some(model.learned_positions).filter(|n| *n > 0))),
        ("max_context", cell(model.max_context)),
    ]
}

fn cell(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_model_table_is_what_its_sources_say() {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let sources = fs::read_to_string(workspace.join(SOURCES)).unwrap();
        let shipped = fs::read_to_string(workspace.join(TABLE)).unwrap();
        assert!(table(&sources).unwrap() == shipped, "run `cargo xtask models`");
    }
}
