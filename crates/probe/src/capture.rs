//! Telemetry that other tools wrote: recognised by its content, read strictly in units.
//!
//! Unknown is not zero: `[N/A]`, `-`, the parents of MIG slices, WDDM, unified memory and DCGM's
//! blank values all become `None`.

mod cell;
mod csv;
mod json;
mod monitor;
mod prometheus;
mod records;
mod slurm;
mod table;
mod xml;

pub(crate) use prometheus::gauges;
pub use records::{
    Capture, CaptureError, CaptureKind, GpuOwner, GpuSample, JobRecord, PodGpus, ProcessSample,
    Snapshot,
};

/// Reads a capture. `columns` names the columns of a CSV file that has no header, in nvidia-smi's
/// words (`utilization.gpu`, `memory.used`...).
pub fn read(text: &str, columns: Option<&[&str]>) -> Result<Capture, CaptureError> {
    let text = text.trim_start_matches('\u{feff}');
    let start = text.trim_start();
    if start.is_empty() {
        return Err(CaptureError::Empty);
    }
    if start.starts_with('<') {
        let snapshot = xml::read(start).ok_or(CaptureError::Truncated("XML"))?;
        return Ok(Capture::of(CaptureKind::SmiXml, vec![snapshot]));
    }
    if start.starts_with('{') || start.starts_with('[') && !table::is_gpustat(start) {
        return json::read(start);
    }
    if let Some(columns) = columns {
        return csv::with_columns(start, columns);
    }
    if table::is_smi(start) {
        return table::smi(start);
    }
    if table::is_gpustat(start) {
        return Ok(table::gpustat(start));
    }
    if monitor::is(start) {
        return monitor::read(start);
    }
    if slurm::is_map(start) {
        return Ok(slurm::map(start));
    }
    if slurm::is(start) {
        return slurm::read(start);
    }
    if csv::has_header(start) {
        return csv::with_header(start);
    }
    if prometheus::is(start) {
        return prometheus::text(start);
    }
    csv::without_header(start)
}
