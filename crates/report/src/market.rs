//! The market as tables: offers with their age, cards across the market, the lines of a bill.

use crate::{Cell, Column, Language, Table, Tone, Words};
use jiff::civil::{Date, DateTime};
use kasuan_market::{
    Bands, Bill, Found, Freshness, Hit, Sort,
    bill::{BillLine, LineKind, Unit},
};
use kasuan_model::{Bytes, Estimate, Interconnect, Money, Offer, Phrase, Rates, Source};
use rust_decimal::Decimal;
use serde_json::{Value, json};

/// Returns a cell with the age of a price and its band.
pub fn age(source: &Source, bands: Bands, today: Date, words: &Words) -> Cell {
    let (band, tone) = match bands.of(source, today) {
        Freshness::Fresh => (Phrase::new("fresh-fresh"), Tone::Good),
        Freshness::Ageing => (Phrase::new("fresh-ageing"), Tone::Plain),
        Freshness::Stale => (Phrase::new("fresh-stale"), Tone::Warn),
        Freshness::Undated => (Phrase::new("fresh-undated"), Tone::Warn),
    };
    let band = words.say(&band);
    let shown = match source.age_days(today) {
        Some(days) => words.say(&Phrase::new("fresh-days").with("days", days).with("band", band)),
        None => band,
    };
    let mut cell = Cell::new(shown).toned(tone);
    cell.raw = source.date.map(|date| date.to_string());
    cell
}

/// Returns the age of a price for programs: its day, its age in days, and the band.
pub fn age_json(source: &Source, bands: Bands, today: Date) -> Value {
    json!({
        "date": source.date.map(|date| date.to_string()),
        "days": source.age_days(today),
        "band": bands.of(source, today).word(),
    })
}

/// Returns a cell with money as a person reads it, and its exact amount for programs.
pub fn money(amount: Money) -> Cell {
    Cell::with_raw(small(amount), amount.amount().round_dp(8).normalize().to_string())
}

/// Writes money with as many decimals as a small price needs: 0.0005 a GB and hour is not 0.00.
pub fn small(amount: Money) -> String {
    let digits = amount.currency().minor_digits();
    let rounded = amount.rounded();
    if amount.is_zero()
        || rounded.amount() == amount.amount()
        || amount.amount().abs() >= Decimal::ONE
    {
        return amount.to_string();
    }
    let significant = amount.amount().round_sf(3).unwrap_or(amount.amount()).normalize();
    let decimals = significant.scale().max(digits) as usize;
    format!("{}{significant:.decimals$}", amount.currency().sign())
}

/// Returns a column of ids, which are copied and must not be broken into lines.
pub fn id_column(key: &'static str, heading: String) -> Column {
    Column { wraps: false, ..Column::words(key, heading) }
}

/// Joins messages into one line.
pub fn join(phrases: &[Phrase], words: &Words) -> String {
    let said: Vec<String> = phrases.iter().map(|phrase| words.say(phrase)).collect();
    said.join(if words.language() == Language::Chinese { "；" } else { "; " })
}

/// Returns the name of what a bill's line is for.
pub const fn line_kind(kind: LineKind) -> Phrase {
    match kind {
        LineKind::Compute => Phrase::new("bill-kind-compute"),
        LineKind::Package => Phrase::new("bill-kind-package"),
        LineKind::Refund => Phrase::new("bill-kind-refund"),
        LineKind::WithoutCard => Phrase::new("bill-kind-without_card"),
        LineKind::Stopped => Phrase::new("bill-kind-stopped"),
        LineKind::Storage => Phrase::new("bill-kind-storage"),
        LineKind::Egress => Phrase::new("bill-kind-egress"),
    }
}

/// Returns the name of what a bill's line counts.
pub const fn unit(unit: Unit) -> Phrase {
    match unit {
        Unit::InstanceHour => Phrase::new("bill-unit-instance_hour"),
        Unit::Package => Phrase::new("bill-unit-package"),
        Unit::GbHour => Phrase::new("bill-unit-gb_hour"),
        Unit::GbDay => Phrase::new("bill-unit-gb_day"),
        Unit::GbMonth => Phrase::new("bill-unit-gb_month"),
        Unit::Gb => Phrase::new("bill-unit-gb"),
    }
}

/// How offers are shown.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// By what they are sorted, which may be a column of its own.
    pub sort: Sort,
    /// Where the bands of age end.
    pub bands: Bands,
    /// Most rows.
    pub limit: usize,
    /// Whether the source is a column.
    pub with_source: bool,
    /// Whether what the rest of the instance is, and its place, are columns.
    pub with_box: bool,
    /// The day by which prices age.
    pub today: Date,
}

/// Returns the cards of an answer, each with its prices across the market.
pub fn cards(found: &Found<'_>, bands: Bands, today: Date, words: &Words) -> Table {
    let word = |key: &str| words.word(key);
    let mut table = Table::new(vec![
        Column::words("card", word("offers-card")),
        Column::figures("memory_gib", word("offers-memory")),
        Column::figures("offers", word("offers-offers")),
        Column::figures("low", word("offers-low")),
        Column::figures("median", word("offers-median")),
        Column::figures("high", word("offers-high")),
        Column::words("currency", word("offers-currency")),
        Column::words("seen", word("offers-low-age")),
    ]);
    for group in found.by_card() {
        table.push(vec![
            Cell::new(group.card.id.as_str()).toned(Tone::Name),
            Cell::with_raw(group.card.memory.to_string(), format!("{}", group.card.memory.gib())),
            Cell::new(group.offers.to_string()),
            money(group.low),
            money(group.median),
            money(group.high),
            Cell::new(group.currency.code()),
            age(&group.cheapest.source, bands, today, words),
        ]);
    }
    table
}

/// Returns the offers of an answer.
pub fn offers(found: &Found<'_>, how: &Shown, words: &Words) -> Table {
    let word = |key: &str| words.word(key);
    let key_heading = match how.sort {
        Sort::Card | Sort::Instance => None,
        Sort::Gib => Some("offers-key-gib"),
        Sort::Tflop => Some("offers-key-tflop"),
        Sort::Bandwidth => Some("offers-key-bandwidth"),
        Sort::Bill(_) => Some("offers-key-bill"),
    };
    let mut columns = vec![
        id_column("offer", word("offers-offer")),
        Column::words("card", word("offers-card")),
        Column::figures("count", word("offers-count")),
        Column::words("mode", word("offers-mode")),
        Column::figures("card_hour", word("offers-card-hour")),
        Column::figures("instance_hour", word("offers-instance-hour")),
    ];
    if let Some(heading) = key_heading {
        columns.push(Column::figures("key", word(heading)));
    }
    columns.push(Column::words("currency", word("offers-currency")));
    columns.push(Column::words("seen", word("offers-age")));
    columns.push(Column::words("grade", word("offers-grade")));
    if how.with_source {
        columns.push(Column::words("source", word("offers-source")));
    }
    if how.with_box {
        for key in BOX {
            columns.push(Column::words(key, *key));
        }
    }
    let mut table = Table::new(columns);
    for hit in found.hits.iter().take(how.limit) {
        let mut row = vec![
            Cell::new(&hit.offer.id).toned(Tone::Name),
            Cell::new(hit.card.id.as_str()),
            count(hit),
            Cell::with_raw(words.mode(hit.offer.mode), hit.offer.mode.word()),
            money(hit.per_card),
            money(hit.instance),
        ];
        if key_heading.is_some() {
            row.push(key(hit, how.sort));
        }
        row.push(Cell::new(hit.instance.currency().code()));
        row.push(age(&hit.offer.source, how.bands, how.today, words));
        row.push(Cell::new(hit.offer.source.grade.to_string()));
        if how.with_source {
            row.push(Cell::new(&hit.offer.source.text));
        }
        if how.with_box {
            row.extend(the_box(hit));
        }
        table.push(row);
    }
    table
}

/// What is said of the whole instance, for programs.
const BOX: &[&str] = &[
    "band",
    "provider",
    "region",
    "country",
    "product",
    "tier",
    "vcpus",
    "memory_gib",
    "disk_gb",
    "interconnect",
];

/// Returns the cells of [`BOX`]; what the source does not state is unknown.
fn the_box(hit: &Hit<'_>) -> [Cell; 10] {
    let stated = |text: &str| if text.is_empty() { Cell::unknown("") } else { Cell::new(text) };
    let size = |size: Option<Bytes>, unit: u64| {
        size.map_or_else(|| Cell::unknown(""), |size| Cell::new((size.get() / unit).to_string()))
    };
    let offer = hit.offer;
    [
        Cell::new(hit.freshness.word()),
        Cell::new(&offer.provider),
        stated(&offer.region),
        stated(&offer.country),
        Cell::new(&offer.product),
        stated(&offer.tier),
        offer.vcpus.map_or_else(|| Cell::unknown(""), |vcpus| Cell::new(vcpus.to_string())),
        size(offer.memory, 1 << 30),
        size(offer.disk, 1_000_000_000),
        match offer.interconnect {
            Interconnect::NvLink => Cell::new("nvlink"),
            Interconnect::Pcie => Cell::new("pcie"),
            Interconnect::Unknown => Cell::unknown(""),
        },
    ]
}

fn count(hit: &Hit<'_>) -> Cell {
    match hit.offer.slices {
        1 => Cell::new(hit.offer.count.to_string()),
        slices => Cell::new(format!("{}/{slices}", hit.offer.count)),
    }
}

fn key(hit: &Hit<'_>, sort: Sort) -> Cell {
    if let (Sort::Bill(_), Some(bill)) = (sort, hit.bill) {
        let plus = if hit.storage_unknown { "+?" } else { "" };
        let shown = format!("{}{plus}", small(bill.likely));
        return Cell::with_raw(shown, bill.likely.amount().normalize().to_string());
    }
    match hit.key {
        Some(key) => Cell::new(format!("{key:.5}")),
        None => Cell::unknown("?"),
    }
}

/// Returns the JSON contract of an answer: its table, what was left out, the stated rates.
pub fn offers_json(table: &Table, found: &Found<'_>, rates: &Rates) -> Value {
    let stated: Vec<Value> = rates
        .stated()
        .iter()
        .map(|rate| {
            json!({
                "from": rate.from.code(),
                "to": rate.to.code(),
                "rate": rate.rate.to_string(),
                "date": rate.source.date.map(|date| date.to_string()),
            })
        })
        .collect();
    json!({
        "offers": table.to_json(),
        "left_out": {
            "other_currency": found.other_currency,
            "not_stated": found.unstated,
        },
        "rates": stated,
    })
}

/// Writes a sum, with its range where it has one.
pub fn range(amount: Estimate<Money>) -> String {
    if amount.low.rounded() == amount.high.rounded() {
        amount.likely.to_string()
    } else {
        format!("{} ({} – {})", amount.likely, amount.low, amount.high)
    }
}

/// Returns the lines of a bill.
pub fn bill(invoice: &Bill, words: &Words) -> Table {
    let word = |key: &str| words.word(key);
    let mut table = Table::new(vec![
        id_column("kind", word("bill-kind")),
        id_column("from", word("bill-from")),
        id_column("to", word("bill-to")),
        Column::figures("quantity", word("bill-quantity")),
        id_column("unit", word("bill-unit")),
        Column::figures("unit_price", word("bill-unit-price")),
        Column::figures("amount", word("bill-amount")),
        Column::words("how", word("bill-how")),
    ]);
    for line in &invoice.lines {
        table.push(vec![
            Cell::with_raw(words.say(&line_kind(line.kind)), line.kind.word()),
            when(line.from),
            when(line.to),
            quantity(line),
            Cell::with_raw(words.say(&unit(line.unit)), line.unit.word()),
            money(line.unit_price),
            Cell::with_raw(range(line.amount), line.amount.likely.amount().normalize().to_string())
                .toned(Tone::Strong),
            Cell::new(join(&line.how, words)),
        ]);
    }
    table
}

fn when(moment: Option<DateTime>) -> Cell {
    match moment {
        None => Cell::new(""),
        Some(moment) => {
            let shown = moment.strftime("%m-%d %H:%M").to_string();
            Cell::with_raw(shown, moment.to_string())
        }
    }
}

fn quantity(line: &BillLine) -> Cell {
    let text = |quantity: Decimal| quantity.round_dp(4).normalize().to_string();
    let Estimate { low, likely, high } = line.quantity;
    let shown =
        if low == high { text(likely) } else { format!("{} – {}", text(low), text(high)) };
    Cell::with_raw(shown, likely.normalize().to_string())
}

/// Returns the JSON contract of a bill.
pub fn bill_json(invoice: &Bill, offer: &Offer, terms_source: &str, words: &Words) -> Value {
    // Eight decimals are what providers keep in their own bill rows.
    let amount = |money: Money| money.amount().round_dp(8).normalize().to_string();
    let estimate = |of: Estimate<Money>| {
        json!({
            "low": amount(of.low), "likely": amount(of.likely), "high": amount(of.high),
        })
    };
    let say = |phrases: &[Phrase]| -> Vec<String> {
        phrases.iter().map(|phrase| words.say(phrase)).collect()
    };
    let lines: Vec<Value> = invoice
        .lines
        .iter()
        .map(|line| {
            json!({
                "kind": line.kind.word(),
                "from": line.from.map(|moment| moment.to_string()),
                "to": line.to.map(|moment| moment.to_string()),
                "quantity": line.quantity.likely.normalize().to_string(),
                "unit": line.unit.word(),
                "unit_price": amount(line.unit_price),
                "currency": line.unit_price.currency().code(),
                "amount": estimate(line.amount),
                "how": say(&line.how),
            })
        })
        .collect();
    json!({
        "offer": offer.id,
        "currency": offer.price.currency().code(),
        "lines": lines,
        "total": estimate(invoice.total),
        "used_hours": invoice.used.decimal_hours().normalize().to_string(),
        "effective_hourly": invoice.effective_hourly().map(amount),
        "listed_hourly": amount(offer.hourly()),
        "warnings": say(&invoice.warnings),
        "unknown": say(&invoice.unknown),
        "sources": { "price": offer.source.text, "terms": terms_source },
    })
}
