//! The sheets of prices and of cost: every amount is a quantity times a price that may be changed.

use super::{
    layout::{Layout, Quantity, Rate, Rule},
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
    let headings = [
        "sheet-item",
        "sheet-quantity",
        "sheet-price",
        "report-amount",
        "sheet-unit",
        "report-provider",
        "sheet-size",
        "sheet-free",
        "sheet-times",
        "sheet-tier-from",
        "sheet-tier-to",
    ];
    page.headings(&headings, words, true)?;
    for index in 0..layout.items.len() {
        page.row(item_cells(layout, index))?;
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
        cells.extend(line_cells(layout, row, (line.kind, rule), amount, total.currency(), words));
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

/// Returns the cells of an item: quantity and price as formulas over what the reader may change.
fn item_cells(layout: &Layout, index: usize) -> Vec<(Value, Style)> {
    let item = &layout.items[index];
    let row = Layout::item_row(index);
    let blank = || (Value::Blank, Style::Words);
    let input = |number: Decimal| (Value::decimal(number), Style::NumberInput);
    let formula = |text: String| (Value::formula(text, item.amount_of), Style::Number);
    let mut inputs = Vec::new();
    let quantity = match item.quantity {
        Quantity::Stated(number) => input(number),
        Quantity::Share(share) => (Value::decimal(share), Style::ShareInput),
        Quantity::Kept { size, free, times } => {
            inputs.extend([input(size), input(free), input(times)]);
            formula(format!("=MAX(0,G{row}-H{row})*I{row}"))
        }
        Quantity::Sent { size, free, from, to } => {
            // The size of the month's traffic is changed once, in the row of the first tier.
            let first = layout.items_of(item.kind).map_or(row, |(first, _)| first);
            if first == row {
                inputs.extend([input(size), input(free)]);
            } else {
                for (column, number) in [('G', size), ('H', free)] {
                    let same = Value::formula(format!("={column}{first}"), number);
                    inputs.push((same, Style::Number));
                }
            }
            inputs.extend([blank(), input(from)]);
            let charged = format!("MAX(0,G{row}-H{row})");
            match to {
                Some(to) => {
                    inputs.push(input(to));
                    formula(format!("=MAX(0,MIN({charged},K{row})-J{row})"))
                }
                None => formula(format!("=MAX(0,{charged}-J{row})")),
            }
        }
    };
    let price = match item.rate {
        Rate::Price(index) => {
            let price = layout.prices[index].price;
            (Value::formula(price_at(layout, index), price), Style::Price)
        }
        Rate::Bill { base, with_data } => {
            (Value::formula(bill(layout, row, with_data), base), Style::Money)
        }
    };
    let mut cells = vec![
        (Value::text(&item.what), Style::Words),
        quantity,
        price,
        (Value::formula(format!("=B{row}*C{row}"), item.amount), Style::Money),
        (Value::text(&item.unit), Style::Words),
        (Value::text(&item.provider), Style::Words),
    ];
    cells.extend(inputs);
    cells
}

/// Returns the formula of what the provider of a row bills.
fn bill(layout: &Layout, row: u32, with_data: bool) -> String {
    let mut sum = match layout.items_of(CostKind::Rent) {
        Some((first, last)) => {
            format!("=SUMIF($F${first}:$F${last},F{row},${AMOUNT}${first}:${AMOUNT}${last})")
        }
        None => "=0".to_owned(),
    };
    if with_data {
        let data = [CostKind::Storage, CostKind::Egress];
        for row in data.iter().filter_map(|kind| layout.row_of(*kind)) {
            sum.push_str(&format!("+N({AMOUNT}{row})"));
        }
    }
    sum
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
    (kind, rule): (CostKind, &Rule),
    amount: Decimal,
    currency: Currency,
    words: &Words,
) -> Vec<(Value, Style)> {
    let digits = currency.minor_digits();
    let rounded = |formula: String| Value::formula(format!("=ROUND({formula},{digits})"), amount);
    let blank = || (Value::Blank, Style::Words);
    let unit = |key: &str| (Value::text(words.word(key)), Style::Words);
    let sum = |kind: CostKind| match layout.items_of(kind) {
        Some((first, last)) => format!("SUM({AMOUNT}{first}:{AMOUNT}{last})"),
        None => "0".to_owned(),
    };
    match rule {
        Rule::Items => {
            vec![blank(), blank(), (rounded(sum(kind)), Style::Money), unit("sheet-sum-above")]
        }
        Rule::Labour { hours, price: index } => {
            let price = &layout.prices[*index];
            vec![
                (Value::decimal(*hours), Style::NumberInput),
                (Value::formula(price_at(layout, *index), price.price), Style::Price),
                (rounded(format!("B{row}*C{row}")), Style::Money),
                (Value::text(&price.unit), Style::Words),
            ]
        }
        Rule::ShareOfRent(share) => vec![
            (Value::decimal(*share), Style::ShareInput),
            blank(),
            (rounded(format!("{}*B{row}", sum(CostKind::Rent))), Style::Money),
            unit("sheet-of-rent"),
        ],
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
        Rule::Fixed => {
            vec![blank(), blank(), (Value::decimal(amount), Style::Money), unit("sheet-from-plan")]
        }
        Rule::Unknown => vec![
            blank(),
            blank(),
            (Value::text(words.word("report-unknown")), Style::Faint),
            unit("report-not-counted"),
        ],
    }
}
