//! The workbook as a whole: its sheets, its names, its properties.

use super::{
    cost::{self, AMOUNT},
    layout::Layout,
    lists,
    margin::{self, RATE_ROW, VALUE},
    page::reference,
    summary,
};
use crate::{PlanReport, Words};
use kasuan_model::{Phrase, Phrased};
use kasuan_plan::outcome::CostKind;
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Workbook, XlsxError};

/// The workbook cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("the workbook cannot be written")]
pub struct WorkbookError(#[from] XlsxError);

impl Phrased for WorkbookError {
    fn phrase(&self) -> Phrase {
        Phrase::new("sheet-error").with("reason", &self.0)
    }
}

impl PlanReport<'_> {
    /// Writes the plan as an XLSX workbook in the reader's language.
    ///
    /// # Errors
    ///
    /// When the plan is larger than a spreadsheet can be.
    pub fn workbook(&self, words: &Words) -> Result<Vec<u8>, WorkbookError> {
        let layout = Layout::new(self, words);
        let mut book = Workbook::new();
        let month = self.workload.month;
        let title = Phrase::new("report-title")
            .with("year", month.year().to_string())
            .with("month", month.month());
        let made = ExcelDateTime::from_ymd(
            u16::try_from(self.today.year()).unwrap_or(2000),
            self.today.month().unsigned_abs(),
            self.today.day().unsigned_abs(),
        )?;
        book.set_properties(
            &DocProperties::new()
                .set_title(words.say(&title))
                .set_author("kasuan")
                .set_creation_datetime(&made),
        );
        summary::summary(book.add_worksheet(), &layout, self, words)?;
        lists::jobs(book.add_worksheet(), &layout, self, words)?;
        lists::resources(book.add_worksheet(), &layout, self, words)?;
        cost::prices(book.add_worksheet(), &layout, self.plan.total.currency(), words)?;
        cost::cost(book.add_worksheet(), &layout, self.plan.total, words)?;
        lists::billing(book.add_worksheet(), &layout, self, words)?;
        margin::margin(book.add_worksheet(), &layout, self, words)?;
        lists::sources(book.add_worksheet(), &layout, self, words)?;
        let names = &layout.names;
        let total = reference(&names.cost, AMOUNT, layout.total_row());
        book.define_name("Plan_Total", &format!("={total}"))?;
        let rate = reference(&names.margin, VALUE, RATE_ROW);
        book.define_name("Margin_Rate", &format!("={rate}"))?;
        if let Some(row) = layout.row_of(CostKind::Rent) {
            let rent = reference(&names.cost, AMOUNT, row);
            book.define_name("Rent_Total", &format!("={rent}"))?;
        }
        if !layout.prices.is_empty() {
            let first = reference(&names.prices, 'F', Layout::price_row(0));
            let last = Layout::price_row(layout.prices.len() - 1);
            book.define_name("Prices", &format!("={first}:$F${last}"))?;
        }
        Ok(book.save_to_buffer()?)
    }
}
