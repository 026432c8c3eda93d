//! Rows of measured runs: their settings, and apart from them what was measured.

use serde::Deserialize;
use std::path::Path;

/// The settings of a run as they stand in the file.
///
/// A column that a table lacks is empty in every row of it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) model: String,
    pub(crate) params_b: String,
    pub(crate) layers: String,
    pub(crate) hidden: String,
    pub(crate) heads: String,
    pub(crate) kv_heads: String,
    pub(crate) vocab: String,
    pub(crate) precision: String,
    pub(crate) gpu: String,
    pub(crate) n_gpus: String,
    pub(crate) parallelism: String,
    pub(crate) interconnect: String,
    pub(crate) seq_in: String,
    pub(crate) seq_out: String,
    pub(crate) batch: String,
    pub(crate) act_ckpt: String,
    pub(crate) framework: String,
    pub(crate) metric: String,
}

/// What was measured in a run; only calibration and scoring read it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Measured {
    pub(crate) source: String,
    pub(crate) value: Option<f64>,
    pub(crate) confidence: String,
}

impl Measured {
    /// The independent source: what stands before the commit.
    pub(crate) fn publisher(&self) -> &str {
        self.source.split('@').next().unwrap_or("")
    }
}

/// Reads the settings of a file. The measured columns are never looked at.
pub(crate) fn settings(path: &Path) -> Result<Vec<Row>, String> {
    read(path)
}

/// Reads settings and measurements of a file.
pub(crate) fn measured(path: &Path) -> Result<Vec<(Row, Measured)>, String> {
    let rows: Vec<Row> = read(path)?;
    let values: Vec<Measured> = read(path)?;
    Ok(rows.into_iter().zip(values).collect())
}

fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<Vec<T>, String> {
    let mut reader =
        csv::Reader::from_path(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    reader
        .deserialize()
        .enumerate()
        .map(|(at, row)| row.map_err(|e| format!("{}, row {}: {e}", path.display(), at + 1)))
        .collect()
}

/// Reads a number that may be missing.
pub(crate) fn number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|n| n.is_finite())
}
