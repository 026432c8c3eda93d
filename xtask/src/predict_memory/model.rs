//! The model of a row: the catalogue's by id, else what the row's own columns say.

use super::row::Row;
use kasuan_sizing::{Architecture, Catalogue};

/// Returns the sliding-window layers alone where a row is about their cache (`SWA 1280 cells x2`).
fn sliding_only(row: &Row<'_>, model: Architecture) -> Architecture {
    let full = model.full_attention_layers.unwrap_or(0);
    if !row.get("context_or_seq_len").starts_with("SWA") || full >= model.layers {
        return model;
    }
    Architecture { layers: model.layers - full, full_attention_layers: None, ..model }
}

/// Returns the model of a row; `None` where neither the catalogue nor the row knows it.
pub(super) fn architecture(row: &Row<'_>) -> Option<Architecture> {
    let id = row.get("model");
    let catalogue = Catalogue::shipped();
    let known = catalogue.get(id).or_else(|| {
        let words = id.split(" (").next().unwrap_or(id);
        catalogue.find(words).ok()
    });
    if let Some(model) = known {
        return Some(sliding_only(row, model.clone()));
    }
    let Some(layers) = row.whole("layers") else {
        // Only the size is stated: a model of usual proportions.
        let billions =
            row.number("params_b").filter(|b| b.is_finite() && (0.001..100_000.0).contains(b))?;
        return Some(Architecture::counted((billions * 1e9) as u64));
    };
    let kv_heads = row.whole("kv_heads")?;
    let head_dim = row.whole("head_dim")?;
    let hidden = row.whole("hidden");
    let heads = row.whole("heads").or_else(|| Some(hidden? / head_dim.max(1)))?;
    Some(Architecture {
        id: id.to_owned(),
        layers,
        hidden: hidden.unwrap_or(heads * head_dim),
        heads,
        kv_heads,
        head_dim,
        intermediate: row.whole("intermediate").unwrap_or(0),
        vocab: row.whole("vocab").unwrap_or(32_000),
        ..Architecture::default()
    })
}
