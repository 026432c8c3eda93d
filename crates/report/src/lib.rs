//! Words and pictures for people, in Chinese and English: terminal, Markdown, CSV, SVG, XLSX.
//!
//! The only room that knows a language. Everything below it speaks in `Phrase`s.

pub mod capacity;
mod chart;
mod document;
pub mod fit;
mod gantt;
pub mod market;
mod paint;
mod plan;
mod reference;
mod review;
mod table;
mod width;
mod words;
mod xlsx;

pub use chart::{Chart, ChartLine, sparkline};
pub use document::{Document, Line, Part, Section};
pub use gantt::gantt;
pub use paint::{Paint, Tone};
pub use plan::PlanReport;
pub use reference::{workload_page, workload_schema};
pub use review::ReviewReport;
pub use table::{Align, Cell, Column, Table};
pub use width::{display_width, pad_end, pad_start, wrap};
pub use words::{Language, Words, sources};
pub use xlsx::{WorkbookError, tables_workbook, workload_template};

/// The words of what memory is made of, in the order of [`kasuan_formats::fit::causes`].
pub const MEMORY_CAUSES: [&str; 8] = [
    "report-weights",
    "report-kv-cache",
    "report-activations",
    "report-logits",
    "report-gradients",
    "report-optimizer",
    "report-adapters",
    "report-framework",
];
