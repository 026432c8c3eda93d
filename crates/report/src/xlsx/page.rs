//! A sheet in the making: rows of values with a few styles, and column widths that fit.

use crate::{MEMORY_CAUSES, Words, display_width};
use kasuan_model::Money;
use rust_decimal::{Decimal, prelude::ToPrimitive as _};
use rust_xlsxwriter::{Color, Format, FormatAlign, FormatBorder, Formula, Worksheet, XlsxError};

/// How a cell looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Style {
    /// A title.
    Title,
    /// A column's heading.
    Heading,
    /// A column's heading over figures.
    HeadingRight,
    /// Words.
    Words,
    /// Small print.
    Faint,
    /// A sum of money.
    Money,
    /// A sum that is the result of others.
    Total,
    /// A price, with more decimals.
    Price,
    /// A price that the reader may change.
    PriceInput,
    /// A share that the reader may change.
    ShareInput,
    /// An amount that the reader may change.
    NumberInput,
    /// A share.
    Share,
    /// Hours or an amount.
    Number,
    /// A count.
    Whole,
}

impl Style {
    fn format(self) -> Format {
        let base = Format::new().set_font_size(11).set_align(FormatAlign::VerticalCenter);
        let input = |format: Format| {
            format
                .set_font_color(Color::RGB(0x1F_4E_B4))
                .set_background_color(Color::RGB(0xFF_F9_E5))
        };
        match self {
            Self::Title => base.set_bold().set_font_size(16),
            Self::Heading => base
                .set_bold()
                .set_background_color(Color::RGB(0xE7_EE_F7))
                .set_border_bottom(FormatBorder::Thin)
                .set_indent(1)
                .set_text_wrap(),
            Self::HeadingRight => Self::Heading.format().set_align(FormatAlign::Right),
            Self::Words => base.set_text_wrap().set_indent(1),
            Self::Faint => base.set_font_color(Color::RGB(0x6B_72_80)),
            Self::Money => base.set_num_format("#,##0.00"),
            Self::Total => {
                base.set_bold().set_num_format("#,##0.00").set_border_top(FormatBorder::Thin)
            }
            Self::Price => base.set_num_format("#,##0.00######"),
            Self::PriceInput => input(base.set_num_format("#,##0.00######")),
            Self::ShareInput => input(base.set_num_format("0.0%")),
            Self::NumberInput => input(base.set_num_format("#,##0.##")),
            Self::Share => base.set_num_format("0.0%"),
            Self::Number => base.set_num_format("#,##0.0#"),
            Self::Whole => base.set_num_format("#,##0"),
        }
    }
}

/// A cell's content.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Words.
    Text(String),
    /// A number.
    Number(f64),
    /// A formula and its result.
    Formula(String, String),
    /// Nothing.
    Blank,
}

impl Value {
    /// Words.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A decimal.
    pub(super) fn decimal(number: Decimal) -> Self {
        Self::Number(number.to_f64().unwrap_or_default())
    }

    /// A sum of money, unrounded.
    pub(super) fn money(money: Money) -> Self {
        Self::decimal(money.amount())
    }

    /// A formula whose result is a number.
    pub(super) fn formula(formula: impl Into<String>, result: Decimal) -> Self {
        Self::Formula(formula.into(), result.normalize().to_string())
    }
}

/// A sheet in the making.
pub(super) struct Page<'a> {
    /// The sheet.
    pub(super) sheet: &'a mut Worksheet,
    row: u32,
    widths: Vec<usize>,
}

/// Headings that stand over figures.
const FIGURES: &[&str] = &[
    "report-amount",
    "report-share",
    "report-used",
    "report-paid",
    "report-hourly",
    "report-cost",
    "report-cards",
    "report-replica-count",
    "report-break-even",
    "report-saving",
    "report-total-then",
    "sheet-price",
    "sheet-quantity",
    "sheet-size",
    "sheet-free",
    "sheet-times",
    "sheet-tier-from",
    "sheet-tier-to",
    "sheet-plan-saves",
    "sheet-dearer",
    "sheet-package-price",
    "sheet-hour-price",
    "sheet-memory-needed",
    "sheet-run-hours",
];

/// Column widths in characters.
const NARROWEST: usize = 9;
const WIDEST: usize = 60;

impl<'a> Page<'a> {
    /// Starts a sheet.
    pub(super) fn new(sheet: &'a mut Worksheet, name: &str) -> Result<Self, XlsxError> {
        sheet.set_name(name)?;
        sheet.set_landscape();
        sheet.set_paper_size(9);
        sheet.set_print_fit_to_pages(1, 0);
        Ok(Self { sheet, row: 0, widths: Vec::new() })
    }

    /// Returns the next row, counted from 1 as spreadsheets do.
    pub(super) const fn next_row(&self) -> u32 {
        self.row + 1
    }

    /// Writes a row of headings by their keys; `freeze` keeps it in sight.
    pub(super) fn headings(
        &mut self,
        keys: &[&str],
        words: &Words,
        freeze: bool,
    ) -> Result<(), XlsxError> {
        let style = |key: &&str| match FIGURES.contains(key) || MEMORY_CAUSES.contains(key) {
            true => Style::HeadingRight,
            false => Style::Heading,
        };
        self.row(keys.iter().map(|key| (Value::text(words.word(key)), style(key))).collect())?;
        if freeze {
            self.freeze()?;
        }
        Ok(())
    }

    /// Keeps everything above the next row in sight.
    pub(super) fn freeze(&mut self) -> Result<(), XlsxError> {
        self.sheet.set_freeze_panes(self.row, 1)?;
        Ok(())
    }

    /// Writes a row.
    pub(super) fn row(&mut self, cells: Vec<(Value, Style)>) -> Result<(), XlsxError> {
        if cells.first().is_some_and(|(_, style)| *style == Style::Title) {
            self.sheet.set_row_height(self.row, 26)?;
        }
        for (column, (value, style)) in cells.into_iter().enumerate() {
            let at = u16::try_from(column).unwrap_or(u16::MAX);
            let format = style.format();
            let width = match &value {
                Value::Text(text) => display_width(text),
                Value::Formula(_, result) => result.chars().count().min(14),
                Value::Number(_) => 10,
                Value::Blank => 0,
            };
            match value {
                Value::Text(text) => {
                    self.sheet.write_string_with_format(self.row, at, text, &format)?;
                }
                Value::Number(number) => {
                    self.sheet.write_number_with_format(self.row, at, number, &format)?;
                }
                Value::Formula(formula, result) => {
                    let formula = Formula::new(formula).set_result(result);
                    self.sheet.write_formula_with_format(self.row, at, formula, &format)?;
                }
                Value::Blank => {}
            }
            if self.widths.len() <= column {
                self.widths.resize(column + 1, 0);
            }
            // Titles run over their neighbours.
            if style != Style::Title && style != Style::Faint {
                self.widths[column] = self.widths[column].max(width);
            }
        }
        self.row += 1;
        Ok(())
    }

    /// Leaves a row empty.
    pub(super) const fn gap(&mut self) {
        self.row += 1;
    }

    /// Writes one line of words.
    pub(super) fn line(&mut self, text: impl Into<String>, style: Style) -> Result<(), XlsxError> {
        self.row(vec![(Value::text(text), style)])
    }

    /// Sets the widths of the columns.
    pub(super) fn finish(self) -> Result<(), XlsxError> {
        for (column, width) in self.widths.iter().enumerate() {
            let width = (*width).clamp(NARROWEST, WIDEST) + 2;
            self.sheet.set_column_width(u16::try_from(column).unwrap_or(u16::MAX), width as f64)?;
        }
        Ok(())
    }
}

/// Writes a reference to a cell of another sheet: `'价格'!$F$3`.
pub(super) fn reference(sheet: &str, column: char, row: u32) -> String {
    format!("'{}'!${column}${row}", sheet.replace('\'', "''"))
}
