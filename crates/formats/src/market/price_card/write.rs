//! Writes price cards: a user's prices as a file, and a template to start from.

use super::columns::{self as column, COLUMNS};
use kasuan_market::{PriceCard, Terms, terms::Rounding, terms::StoragePer};
use kasuan_model::{Bytes, Interconnect, Offer, PricePer, Seconds, Source};
use std::borrow::Cow;

/// The columns that a person fills in, in the template's order.
const TEMPLATE: &[usize] = &[
    column::KIND,
    column::PROVIDER,
    column::CARD,
    column::COUNT,
    column::MODE,
    column::PRICE,
    column::CURRENCY,
    column::PER,
    column::GRANULARITY,
    column::MINIMUM,
    column::FREE,
    column::STOPPED,
    column::OBSERVED,
    column::SOURCE,
    column::NOTES,
];

/// Returns a template with an example of each kind of row; every figure is to be replaced.
pub fn template(chinese: bool) -> String {
    let mut table = Table::new(TEMPLATE, chinese);
    let source = if chinese { "控制台" } else { "console" };
    let example =
        if chinese { "示例，改成你的价格" } else { "example, put your own price" };
    let mut row = |cells: &[(usize, &str)]| {
        let mut all = vec![(column::PROVIDER, "my-provider"), (column::CURRENCY, "CNY")];
        all.extend_from_slice(cells);
        all.extend([
            (column::OBSERVED, "2026-12-01"),
            (column::SOURCE, source),
            (column::NOTES, example),
        ]);
        table.row(&all);
    };
    let offer = [(column::KIND, "offer"), (column::CARD, "RTX 4090"), (column::COUNT, "1")];
    let with = |more: &[(usize, &'static str)]| [&offer[..], more].concat();
    row(&with(&[
        (column::MODE, "on_demand"),
        (column::PRICE, "2.00"),
        (column::PER, "hour"),
        (column::GRANULARITY, "1s"),
    ]));
    row(&with(&[(column::MODE, "spot"), (column::PRICE, "1.40"), (column::PER, "hour")]));
    row(&with(&[(column::MODE, "monthly"), (column::PRICE, "1200"), (column::PER, "month")]));
    row(&[
        (column::KIND, "storage"),
        (column::PRICE, "0.30"),
        (column::PER, "gb_month"),
        (column::FREE, "50GB"),
        (column::STOPPED, "yes"),
    ]);
    row(&[(column::KIND, "egress"), (column::PRICE, "0.80"), (column::PER, "gb")]);
    table.text
}

/// Writes a price card that [`super::read`] reads back.
pub fn write(card: &PriceCard) -> String {
    let every: Vec<usize> = (0..COLUMNS.len()).collect();
    let mut table = Table::new(&every, false);
    for offer in &card.offers {
        let of_provider = card.terms.iter().find(|terms| terms.provider == offer.provider);
        let rounding = of_provider.and_then(|terms| terms.metering.rounding);
        write_offer(&mut table, offer, rounding);
    }
    for terms in &card.terms {
        write_terms(&mut table, terms);
    }
    table.text
}

/// Returns a cell that is there already.
const fn text(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}

fn write_offer(table: &mut Table<'_>, offer: &Offer, rounding: Option<Rounding>) {
    let number = |number: Option<u32>| number.map_or(text(""), |it| Cow::Owned(it.to_string()));
    let source = &offer.source;
    let currency = offer.price.currency();
    let day = source.date.map_or(text(""), |date| Cow::Owned(date.to_string()));
    // One of each column, in the order of `COLUMNS`.
    let cells: [Cow<'_, str>; COLUMNS.len()] = [
        text("offer"),
        text(&offer.provider),
        text(offer.card.as_str()),
        Cow::Owned(offer.count.to_string()),
        Cow::Owned(offer.mode.word()),
        Cow::Owned(offer.price.amount().normalize().to_string()),
        text(currency.code()),
        text(if offer.per == PricePer::Hour { "hour" } else { "term" }),
        Cow::Owned(span(offer.granularity)),
        Cow::Owned(span(offer.minimum)),
        text(rounding.map_or("", rounding_word)),
        text(""),
        text(""),
        text(""),
        number(offer.vcpus),
        Cow::Owned(bytes(offer.memory)),
        Cow::Owned(bytes(offer.disk)),
        text(&offer.region),
        text(&offer.country),
        text(&offer.product),
        text(&offer.tier),
        Cow::Owned(offer.slices.to_string()),
        text(match offer.interconnect {
            Interconnect::NvLink => "nvlink",
            Interconnect::Pcie => "pcie",
            Interconnect::Unknown => "",
        }),
        text(yes_no(offer.host_included)),
        day,
        text(&source.text),
        text(source.licence.as_deref().unwrap_or("")),
        Cow::Owned(source.grade.to_string()),
        text(&offer.notes),
        text(&offer.card_raw),
        text(&offer.id),
        number(offer.stock),
    ];
    table.line(&cells);
}

fn write_terms(table: &mut Table<'_>, terms: &Terms) {
    for kind in &terms.storage {
        let Some(price) = kind.price else { continue };
        let per = match kind.per {
            StoragePer::Hour => "gb_hour",
            StoragePer::Day => "gb_day",
            StoragePer::Month => "gb_month",
        };
        let mut cells = vec![
            (column::KIND, "storage".to_owned()),
            (column::PROVIDER, terms.provider.clone()),
            (column::PRODUCT, kind.id.clone()),
            (column::PRICE, price.amount().normalize().to_string()),
            (column::CURRENCY, price.currency().code().to_owned()),
            (column::PER, per.to_owned()),
            (column::FREE, bytes(Some(kind.free).filter(|free| *free > Bytes::ZERO))),
            (column::STOPPED, yes_no(kind.charged_when_stopped).to_owned()),
            (column::NOTES, kind.note.clone()),
        ];
        cells.extend(source_cells(&terms.source));
        table.owned_row(&cells);
    }
    for tier in &terms.traffic.egress {
        let mut cells = vec![
            (column::KIND, "egress".to_owned()),
            (column::PROVIDER, terms.provider.clone()),
            (column::PRICE, tier.price.amount().normalize().to_string()),
            (column::CURRENCY, tier.price.currency().code().to_owned()),
            (column::PER, "gb".to_owned()),
            (column::UP_TO, bytes(tier.up_to)),
        ];
        cells.extend(source_cells(&terms.source));
        table.owned_row(&cells);
    }
}

fn source_cells(source: &Source) -> [(usize, String); 4] {
    [
        (column::OBSERVED, source.date.map_or_else(String::new, |date| date.to_string())),
        (column::SOURCE, source.text.clone()),
        (column::LICENCE, source.licence.clone().unwrap_or_default()),
        (column::GRADE, source.grade.to_string()),
    ]
}

const fn rounding_word(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::Exact => "exact",
        Rounding::HalfUp => "half_up",
        Rounding::Up => "up",
        Rounding::Down => "down",
    }
}

const fn yes_no(value: Option<bool>) -> &'static str {
    match value {
        Some(true) => "yes",
        Some(false) => "no",
        None => "",
    }
}

fn span(time: Option<Seconds>) -> String {
    time.map_or_else(String::new, |time| format!("{}s", time.get()))
}

fn bytes(amount: Option<Bytes>) -> String {
    amount.map_or_else(String::new, |amount| format!("{}B", amount.get()))
}

/// A CSV being written.
struct Table<'a> {
    columns: &'a [usize],
    text: String,
}

impl<'a> Table<'a> {
    fn new(columns: &'a [usize], chinese: bool) -> Self {
        let mut table = Self { columns, text: String::new() };
        let heads: Vec<&str> = columns
            .iter()
            .filter_map(|at| COLUMNS.get(*at))
            .map(
                |of| if chinese { of.aliases.first().copied().unwrap_or(of.name) } else { of.name },
            )
            .collect();
        table.line(&heads);
        table
    }

    fn row(&mut self, cells: &[(usize, &str)]) {
        let in_order: Vec<&str> = self
            .columns
            .iter()
            .map(|at| cells.iter().find(|(of, _)| of == at).map_or("", |(_, text)| *text))
            .collect();
        self.line(&in_order);
    }

    fn owned_row(&mut self, cells: &[(usize, String)]) {
        let cells: Vec<(usize, &str)> =
            cells.iter().map(|(at, text)| (*at, text.as_str())).collect();
        self.row(&cells);
    }

    fn line(&mut self, cells: &[impl AsRef<str>]) {
        for (at, cell) in cells.iter().enumerate() {
            let cell = cell.as_ref();
            if at > 0 {
                self.text.push(',');
            }
            if cell.contains([',', '"', '\n', '\r']) {
                self.text.push('"');
                self.text.push_str(&cell.replace('"', "\"\""));
                self.text.push('"');
            } else {
                self.text.push_str(cell);
            }
        }
        self.text.push('\n');
    }
}
