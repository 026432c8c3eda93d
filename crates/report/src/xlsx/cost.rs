//! The sheets of prices and of cost: every amount is a quantity times a price that may be changed.

use super::{
    layout::{FIRST, Layout, Rule},
    page::{Page, Style, Value, reference},
};
use crate::Words;
use kasuan_formats::plan_json::v1::cost_word;
use kasuan_model::{Currency, Money, Phrase};
use kasuan_plan::outcome::CostKind;
use rust_decimal::Decimal;
use rust_xlsxwriter::{Worksheet, XlsxError};

/// The column of prices on their sheet.
const PRICE: char = 'F';
/// The column of amounts on the sheet of cost.
pub(super) const AMOUNT: char = 'D';

/// Writes the sheet of prices.
pub(super) fn prices(
    sheet: &mut Worksheet,
    layout: &Layout,
    currency: Currency,
    words: &Words,
) -> Result<(), XlsxError> {
    let mut page = Page::new(sheet, &layout.names.prices)?;
    page.line(words.word("sheet-prices-note"), Style::Faint)?;
    let headings = [
        "report-offer-id",
        "report-provider",
        "sheet-what",
        "report-mode",
        "sheet-unit",
        "sheet-price",
        "report-currency",
        "sheet-seen",
        "sheet-source",
    ];
    page.headings(&headings, words, true)?;
    for price in &layout.prices {
        let date = price.date.map(|date| date.to_string()).unwrap_or_default();
        page.row(vec![
            (Value::text(&price.id), Style::Words),
            (Value::text(&price.provider), Style::Words),
            (Value::text(&price.what), Style::Words),
            (Value::text(&price.mode), Style::Words),
            (Value::text(&price.unit), Style::Words),
            (Value::decimal(price.price), Style::PriceInput),
            (Value::text(currency.code()), Style::Words),
            (Value::text(date), Style::Words),
            (Value::text(&price.source), Style::Words),
        ])?;
    }
    page.finish()
}

/// Writes the sheet of cost.
pub(super) fn cost(
    sheet: &mut Worksheet,
    layout: &Layout,
    total: Money,
    words: &Words,
) -> Result<(), XlsxError> {
    let mut page = Page::new(sheet, &layout.names.cost)?;
    let title = Phrase::new("sheet-cost-note").with("currency", total.currency());
    page.line(words.say(&title), Style::Faint)?;
    let headings = ["report-rent", "sheet-quantity", "sheet-price", "report-amount", "sheet-unit"];
    page.headings(&headings, words, true)?;
    for (index, item) in layout.rent.iter().enumerate() {
        let price = &layout.prices[item.price];
        let row = Layout::rent_row(index);
        page.row(vec![
            (Value::text(&item.what), Style::Words),
            (Value::decimal(item.quantity), Style::NumberInput),
            (Value::formula(price_at(layout, item.price), price.price), Style::Price),
            (Value::formula(format!("=B{row}*C{row}"), item.amount), Style::Money),
            (Value::text(&price.unit), Style::Words),
        ])?;
    }
    page.gap();
    let headings = [
        "report-line",
        "sheet-quantity",
        "sheet-price",
        "report-amount",
        "sheet-unit",
        "report-share",
    ];
    page.headings(&headings, words, false)?;
    for (index, (line, rule)) in layout.lines.iter().enumerate() {
        let row = layout.line_row(index);
        let name = words.word(&format!("cost-{}", cost_word(line.kind)));
        let amount = line.amount.map_or(Decimal::ZERO, Money::amount);
        let mut cells = vec![(Value::text(name), Style::Words)];
        cells.extend(line_cells(layout, row, rule, amount, total.currency(), words));
        if line.amount.is_some() && line.kind != CostKind::Margin {
            let before = before_margin(layout);
            let share = Value::formula(
                format!("=IF({before}=0,0,{AMOUNT}{row}/{before})"),
                amount.checked_div(layout.before_margin()).unwrap_or_default().round_dp(12),
            );
            cells.push((share, Style::Share));
        }
        page.row(cells)?;
    }
    let first = layout.line_row(0);
    let sum = format!("=SUM({AMOUNT}{first}:{AMOUNT}{})", layout.total_row() - 1);
    page.row(vec![
        (Value::text(words.word("report-sum")), Style::Total),
        (Value::Blank, Style::Total),
        (Value::Blank, Style::Total),
        (Value::formula(sum, total.amount()), Style::Total),
    ])?;
    page.finish()
}

fn price_at(layout: &Layout, index: usize) -> String {
    format!("={}", reference(&layout.names.prices, PRICE, Layout::price_row(index)))
}

/// Writes the cells that add up everything before the margin.
pub(super) fn before_margin(layout: &Layout) -> String {
    let rows: Vec<_> = (0..layout.lines.len())
        .filter(|index| layout.lines[*index].0.kind != CostKind::Margin)
        .map(|index| layout.line_row(index))
        .collect();
    match (rows.first(), rows.last()) {
        (Some(first), Some(last)) => format!("SUM({AMOUNT}{first}:{AMOUNT}{last})"),
        _ => "0".to_owned(),
    }
}

/// Returns the cells behind the name of a line: quantity, price or share, amount, unit.
fn line_cells(
    layout: &Layout,
    row: u32,
    rule: &Rule,
    amount: Decimal,
    currency: Currency,
    words: &Words,
) -> Vec<(Value, Style)> {
    let digits = currency.minor_digits();
    let rounded = |formula: String| Value::formula(format!("=ROUND({formula},{digits})"), amount);
    let blank = || (Value::Blank, Style::Words);
    let unit = |key: &str| (Value::text(words.word(key)), Style::Words);
    let rent = if layout.rent.is_empty() {
        "0".to_owned()
    } else {
        let last = Layout::rent_row(layout.rent.len()) - 1;
        format!("SUM({AMOUNT}{FIRST}:{AMOUNT}{last})")
    };
    match rule {
        Rule::Rent => {
            vec![blank(), blank(), (rounded(rent), Style::Money), unit("sheet-sum-above")]
        }
        Rule::Item(item) => {
            let price = &layout.prices[item.price];
            vec![
                (Value::decimal(item.quantity), Style::NumberInput),
                (Value::formula(price_at(layout, item.price), price.price), Style::Price),
                (rounded(format!("B{row}*C{row}")), Style::Money),
                (Value::text(&price.unit), Style::Words),
            ]
        }
        Rule::ShareOfRent(share) => vec![
            (Value::decimal(*share), Style::ShareInput),
            blank(),
            (rounded(format!("{rent}*B{row}")), Style::Money),
            unit("sheet-of-rent"),
        ],
        Rule::ShareOfBill(share) => {
            let billed = [CostKind::Rent, CostKind::Storage, CostKind::Egress];
            let rows = billed.iter().filter_map(|kind| layout.row_of(*kind));
            let sum: Vec<_> = rows.map(|row| format!("N({AMOUNT}{row})")).collect();
            vec![
                (Value::decimal(*share), Style::ShareInput),
                blank(),
                (rounded(format!("({})*B{row}", sum.join("+"))), Style::Money),
                unit("sheet-of-bill"),
            ]
        }
        Rule::Margin(share) => {
            let at = reference(&layout.names.margin, super::margin::VALUE, super::margin::RATE_ROW);
            let before = before_margin(layout);
            vec![
                (Value::formula(format!("={at}"), share.round_dp(15)), Style::Share),
                blank(),
                (rounded(format!("{before}*B{row}")), Style::Money),
                unit("sheet-of-all"),
            ]
        }
        Rule::Stated => vec![
            blank(),
            blank(),
            (Value::decimal(amount), Style::NumberInput),
            unit("sheet-stated"),
        ],
        Rule::Unknown => vec![
            blank(),
            blank(),
            (Value::text(words.word("report-unknown")), Style::Faint),
            unit("report-not-counted"),
        ],
    }
}
