//! The plan as a spreadsheet whose totals live: change a price, and everything below follows.
//!
//! Each formula is written with its result, so that viewers that do not calculate show it too.

mod book;
mod cost;
mod layout;
mod lists;
mod margin;
mod page;
mod summary;
mod tables;
mod template;

pub use book::WorkbookError;
pub use tables::tables_workbook;
pub use template::workload_template;
