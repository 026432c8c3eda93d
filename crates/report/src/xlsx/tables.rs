//! Tables as sheets of a workbook: figures as numbers, headings that stay in sight.

use super::WorkbookError;
use crate::{Align, Table, display_width};
use rust_xlsxwriter::{Format, FormatAlign, Workbook};

/// Widest column, in characters.
const WIDEST: usize = 60;

/// Writes each table to a sheet of its name. What a table holds as unknown stays empty.
///
/// # Errors
///
/// When a table is larger than a sheet can be.
pub fn tables_workbook(sheets: &[(String, Table)]) -> Result<Vec<u8>, WorkbookError> {
    let mut book = Workbook::new();
    let left = Format::new().set_bold();
    let right = Format::new().set_bold().set_align(FormatAlign::Right);
    let figure = Format::new().set_num_format("#,##0.00##");
    for (name, table) in sheets {
        let sheet = book.add_worksheet();
        // A sheet's name has at most 31 characters.
        sheet.set_name(name.chars().take(31).collect::<String>())?;
        sheet.set_freeze_panes(1, 0)?;
        for (at, column) in table.columns.iter().enumerate() {
            let at = u16::try_from(at).unwrap_or(u16::MAX);
            let format = if column.align == Align::Right { &right } else { &left };
            sheet.write_string_with_format(0, at, &column.heading, format)?;
            let cells = table.rows.iter().filter_map(|row| row.get(usize::from(at)));
            let widest = cells.map(|cell| display_width(&cell.shown)).max().unwrap_or(0);
            let width = widest.max(display_width(&column.heading)).clamp(8, WIDEST) + 2;
            sheet.set_column_width(at, u32::try_from(width).unwrap_or(20))?;
        }
        for (line, row) in table.rows.iter().enumerate() {
            let line = u32::try_from(line + 1).unwrap_or(u32::MAX);
            for (at, (cell, column)) in row.iter().zip(&table.columns).enumerate() {
                let at = u16::try_from(at).unwrap_or(u16::MAX);
                let number = cell.raw.as_deref().and_then(|raw| raw.parse::<f64>().ok());
                match (number, column.align) {
                    (Some(number), Align::Right) => {
                        sheet.write_number_with_format(line, at, number, &figure)?;
                    }
                    _ if cell.raw.is_none() => {}
                    _ => {
                        sheet.write_string(line, at, &cell.shown)?;
                    }
                }
            }
        }
    }
    Ok(book.save_to_buffer()?)
}
