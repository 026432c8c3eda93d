//! The chores of the time model: predict a file of settings, and fit the coefficients to a file of
//! measurements.

mod calibrate;
mod cards;
mod case;
mod fit;
mod models;
mod parameters;
mod score;
mod settings;
#[cfg(test)]
mod tests;
mod truth;

pub(crate) use calibrate::{Left, calibrate, leave_out};
use case::Case;
use kasuan_sizing::time::Coefficients;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

/// Writes `id,pred,low,high` for every row of a file; a row that is declined keeps empty figures,
/// and why goes to standard error.
pub(crate) fn predict(path: &str, out: &mut dyn std::io::Write) -> Result<(), String> {
    let cards = cards::Cards::load()?;
    let mut writer = csv::Writer::from_writer(out);
    let failed = |e: csv::Error| e.to_string();
    writer.write_record(["id", "pred", "low", "high"]).map_err(failed)?;
    let mut declined = std::collections::BTreeMap::<String, u32>::new();
    for row in truth::settings(Path::new(path))? {
        let predicted =
            Case::of(&row, &cards).and_then(|case| case.predict(Coefficients::shipped()));
        match predicted {
            Ok((rate, _)) => writer
                .write_record([
                    row.id.clone(),
                    format!("{:.6e}", rate.likely),
                    format!("{:.6e}", rate.low),
                    format!("{:.6e}", rate.high),
                ])
                .map_err(failed)?,
            Err(reason) => {
                *declined.entry(format!("{}: {reason}", row.kind)).or_default() += 1;
                writer.write_record([row.id.as_str(), "", "", ""]).map_err(failed)?;
            }
        }
    }
    writer.flush().map_err(|e| e.to_string())?;
    for (reason, rows) in declined {
        eprintln!("declined {rows} rows: {reason}");
    }
    Ok(())
}
