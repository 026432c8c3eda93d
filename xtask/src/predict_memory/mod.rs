//! `cargo xtask predict memory TRUTH.csv`: `id,pred_gib,upper_gib` for a file of measured values.
//!
//! A row of the truth file becomes a model and a setup, the estimate's total of
//! the measured kind becomes the prediction.
//!
//! What a row says in free text is read by the rules in `words`, `serving` and `training`. A row
//! whose model or length cannot be understood is declined.

mod cards;
mod model;
mod row;
mod serving;
mod stacks;
mod training;
mod words;

use kasuan_sizing::{Engine, MemoryEstimate, Setup, Work, memory};
use row::{Row, Rows};

/// Engines that take a share of the card at their start.
const PREALLOCATING: [Engine; 4] =
    [Engine::Vllm, Engine::Sglang, Engine::LmDeploy, Engine::TensorRtLlm];

/// A prediction in GiB: the likely value and the bound.
struct Prediction {
    likely: f64,
    upper: f64,
    estimate: MemoryEstimate,
}

/// Prints a prediction for every row of a truth file; an empty one means declined.
///
/// With `parts`, what the estimate is made of stands beside it, in GiB. With `unnamed`, every training
/// program is taken as one that is not known, to see what estimates of new ones are worth.
pub(crate) fn run(path: &str, parts: bool, unnamed: bool) -> Result<(), String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read `{path}`: {error}"))?;
    let rows = Rows::read(&bytes)?;
    let mut out = csv::Writer::from_writer(std::io::stdout());
    let failed = |error: csv::Error| format!("cannot write: {error}");
    let mut head = vec!["id", "pred_gib", "upper_gib"];
    if parts {
        head.extend(PARTS);
    }
    out.write_record(&head).map_err(failed)?;
    for row in rows.iter() {
        let mut cells = vec![row.get("id").to_owned()];
        match predict(&row, unnamed) {
            Some(Prediction { likely, upper, estimate }) => {
                cells.extend([likely, upper].map(|gib| format!("{gib:.4}")));
                if parts {
                    cells.extend(part_cells(&estimate));
                }
            }
            None => cells.resize(head.len(), String::new()),
        }
        out.write_record(&cells).map_err(failed)?;
    }
    out.flush().map_err(|error| format!("cannot write: {error}"))
}

/// The columns of `--parts`.
const PARTS: [&str; 7] =
    ["allocated", "reserved", "nvidia_smi", "activations", "logits", "framework", "binding"];

fn part_cells(e: &MemoryEstimate) -> Vec<String> {
    let parts = &e.breakdown;
    let mut cells: Vec<String> =
        [e.allocated, e.reserved, e.nvidia_smi, parts.activations, parts.logits, parts.framework]
            .iter()
            .map(|bytes| format!("{:.4}", bytes.gib()))
            .collect();
    cells.push(e.binding.to_owned());
    cells
}

/// Predicts what was measured in a row, or declines.
fn predict(row: &Row<'_>, unnamed: bool) -> Option<Prediction> {
    let card = cards::card(row);
    let measured = row.get("what_is_measured");
    let (model, setup) = setup(row, unnamed)?;
    let estimate = memory::estimate(&model, &setup, card.as_ref()).ok()?;
    let (likely, upper) = total(measured, &setup, &estimate)?;
    let cards = if row.get("scope") == "sum_all_gpus" { row.number("n_gpus")? } else { 1.0 };
    Some(Prediction { likely: likely * cards, upper: upper * cards, estimate })
}

/// Maps a row to a model and a setup.
fn setup(row: &Row<'_>, unnamed: bool) -> Option<(kasuan_sizing::Architecture, Setup)> {
    let model = training::enlarged(row, model::architecture(row)?);
    let weights = words::weight_format(row)?;
    let cards = words::parallelism(row)?;
    let framework = stacks::framework(row, unnamed);
    let (work, parallelism) = match row.get("kind") {
        "inference" => (Work::Inference(serving::inference(row, model.max_context)?), cards),
        _ => {
            let (training, cards) = training::training(row, &framework, cards)?;
            (Work::Training(training), cards)
        }
    };
    let exact_weights = words::file_size(row)
        .or_else(|| words::mixed_fp8(row, &model))
        .or_else(|| words::wide_rest(row, &model, weights));
    let setup = Setup { work, weights, parallelism, exact_weights };
    Some((model, framework.apply(&setup)))
}

/// Picks the figure of the kind that was measured.
fn total(measured: &str, setup: &Setup, e: &MemoryEstimate) -> Option<(f64, f64)> {
    let gib = |likely: kasuan_model::Bytes| likely.gib();
    let part = |bytes: kasuan_model::Bytes| Some((bytes.gib(), bytes.gib() * 1.05));
    // The bound is stated for the driver's figure; what stands between it and the allocator's is
    // taken off again. Tensors have a tighter bound of their own.
    let bounded = |likely: kasuan_model::Bytes| {
        Some((gib(likely), gib(e.upper) - (gib(e.nvidia_smi) - gib(likely))))
    };
    // A server that pre-allocates is profiled before its cache exists, and caches in what remains.
    if matches!(&setup.work, Work::Inference(i) if PREALLOCATING.contains(&i.engine)) {
        match measured {
            "peak_allocated" => return part(e.allocated.saturating_sub(e.breakdown.kv_cache)),
            "kv_cache" => return part(e.reservation?.cache),
            "nvidia_smi" => return part(e.reservation?.taken),
            _ => {}
        }
    }
    match measured {
        "peak_allocated" | "peak_active" => Some((gib(e.allocated), gib(e.allocated_upper))),
        "peak_reserved" | "steady_reserved_p99" => bounded(e.reserved),
        "nvidia_smi" => bounded(e.nvidia_smi),
        "weights_loaded" => part(e.breakdown.weights),
        "kv_cache" => part(e.breakdown.kv_cache),
        "activation_peak" => {
            part(e.breakdown.activations + e.breakdown.logits + e.breakdown.framework)
        }
        _ => None,
    }
}
