//! Layouts of bills: which column means what. Data, not code; see `data/bills/layouts.toml`.

use super::{BillError, BillOptions};
use jiff::tz::Offset;
use kasuan_model::{ChargeCategory, Currency, Payment, Phrase, PricingCategory};
use serde::Deserialize;
use std::{collections::BTreeMap, sync::LazyLock};

const SHIPPED: &str = include_str!("../../../../data/bills/layouts.toml");

/// How one kind of bill is laid out.
#[derive(Debug)]
pub struct Layout {
    /// The stable id.
    pub id: &'static str,
    /// What people call the file.
    pub title: &'static str,
    /// The provider; `None` when a column says.
    pub provider: Option<&'static str>,
    /// Where the column names come from.
    pub source: &'static str,
    pub(super) zone: Offset,
    pub(super) currency_default: Option<Currency>,
    required: &'static [String],
    ignored: &'static [String],
    columns: &'static BTreeMap<String, Vec<String>>,
    pub(super) categories: BTreeMap<String, ChargeCategory>,
    pub(super) pricings: BTreeMap<String, PricingCategory>,
    pub(super) pricings_by_category: BTreeMap<String, PricingCategory>,
    pub(super) payments: BTreeMap<String, Payment>,
    pub(super) refunds: &'static [String],
}

#[derive(Deserialize)]
struct File {
    layout: Vec<Raw>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    id: String,
    title: String,
    provider: Option<String>,
    #[serde(default)]
    provider_column: bool,
    #[serde(default = "utc")]
    zone: String,
    currency_default: Option<String>,
    required: Vec<String>,
    #[serde(default)]
    source: String,
    #[serde(default)]
    ignored: Vec<String>,
    columns: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    category: BTreeMap<String, String>,
    #[serde(default)]
    pricing: BTreeMap<String, String>,
    #[serde(default)]
    pricing_by_category: BTreeMap<String, String>,
    #[serde(default)]
    payment: BTreeMap<String, String>,
    #[serde(default)]
    refund_by_category: Refunds,
}

fn utc() -> String {
    "+00:00".to_owned()
}

#[derive(Default, Deserialize)]
struct Refunds {
    words: Vec<String>,
}

fn category(word: &str) -> Option<ChargeCategory> {
    Some(match word {
        "Usage" => ChargeCategory::Usage,
        "Purchase" => ChargeCategory::Purchase,
        "Tax" => ChargeCategory::Tax,
        "Credit" => ChargeCategory::Credit,
        "Adjustment" => ChargeCategory::Adjustment,
        _ => return None,
    })
}

fn pricing(word: &str) -> Option<PricingCategory> {
    Some(match word {
        "Standard" => PricingCategory::Standard,
        "Committed" => PricingCategory::Committed,
        "Dynamic" => PricingCategory::Dynamic,
        "Other" => PricingCategory::Other,
        _ => return None,
    })
}

fn payment(word: &str) -> Option<Payment> {
    Some(match word {
        "due" => Payment::Due,
        "unpaid" => Payment::Unpaid,
        "refunded" => Payment::Refunded,
        _ => return None,
    })
}

/// Turns the words of a table into values; `None` when one is not known.
fn table<T>(
    words: &BTreeMap<String, String>,
    read: impl Fn(&str) -> Option<T>,
) -> Option<BTreeMap<String, T>> {
    words.iter().map(|(from, to)| Some((from.clone(), read(to)?))).collect()
}

/// Reads a layout of the user's own, written like one of `data/bills/layouts.toml`.
pub fn own_layout(file: &str, text: &str) -> Result<&'static Layout, BillError> {
    let wrong = |reason: String| BillError::Map { file: file.to_owned(), reason };
    let read: File = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
    let mut read = read.layout.into_iter();
    let (Some(raw), None) = (read.next(), read.next()) else {
        return Err(wrong("one [[layout]] is needed".to_owned()));
    };
    let unknown = raw.required.iter().find(|field| !raw.columns.contains_key(*field));
    if let Some(field) = unknown {
        return Err(wrong(format!("`{field}` is required and has no columns")));
    }
    if let Some(field) = raw.columns.keys().find(|field| !FIELDS.contains(&field.as_str())) {
        return Err(wrong(format!("`{field}` is none of: {}", FIELDS.join(", "))));
    }
    let layout = layout(raw).ok_or_else(|| {
        wrong("a zone, currency, category, pricing or payment is not known".to_owned())
    })?;
    Ok(Box::leak(Box::new(layout)))
}

/// What a column may be.
const FIELDS: [&str; 30] = [
    "key",
    "key_more",
    "provider",
    "account",
    "bill_period",
    "bill_start",
    "bill_end",
    "charge_range",
    "charge_start",
    "charge_end",
    "day",
    "category",
    "pricing",
    "pricing_override",
    "payment",
    "description",
    "service",
    "resource",
    "region",
    "spec",
    "cards",
    "details",
    "quantity",
    "unit",
    "currency",
    "billed",
    "effective",
    "list",
    "invoice",
    "tags",
];

fn layout(raw: Raw) -> Option<Layout> {
    // The layouts live as long as the program; leaking them once gives plain references.
    let raw: &'static Raw = Box::leak(Box::new(raw));
    if raw.provider.is_none() && !raw.provider_column {
        return None;
    }
    let zone: jiff::civil::Time = raw.zone.get(1..)?.parse().ok()?;
    let sign = if raw.zone.starts_with('-') { -1 } else { 1 };
    Some(Layout {
        id: &raw.id,
        title: &raw.title,
        provider: raw.provider.as_deref(),
        source: &raw.source,
        zone: Offset::from_seconds(sign * i32::from(zone.hour()) * 3600).ok()?,
        currency_default: match &raw.currency_default {
            Some(code) => Some(code.parse().ok()?),
            None => None,
        },
        required: &raw.required,
        ignored: &raw.ignored,
        columns: &raw.columns,
        categories: table(&raw.category, category)?,
        pricings: table(&raw.pricing, pricing)?,
        pricings_by_category: table(&raw.pricing_by_category, pricing)?,
        payments: table(&raw.payment, payment)?,
        refunds: &raw.refund_by_category.words,
    })
}

static LAYOUTS: LazyLock<Vec<Layout>> = LazyLock::new(|| {
    let file: File = toml::from_str(SHIPPED).unwrap_or(File { layout: Vec::new() });
    file.layout.into_iter().filter_map(layout).collect()
});

/// Returns every known layout.
pub fn layouts() -> &'static [Layout] {
    &LAYOUTS
}

/// A layout bound to the columns of a file.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) layout: &'static Layout,
    places: BTreeMap<&'static str, Vec<usize>>,
}

/// Brings a header to one form: full-width brackets, no spaces, and without its group.
fn normal(header: &str) -> String {
    let plain: String = header
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| match c {
            '(' => '（',
            ')' => '）',
            other => other,
        })
        .collect();
    plain.to_lowercase()
}

fn answers(header: &str, name: &str) -> bool {
    let (header, name) = (normal(header), normal(name));
    header == name || header.rsplit_once('/').is_some_and(|(_, last)| last == name)
}

impl Layout {
    /// Says whether the layout is meant by its id or its provider.
    fn answers(&self, asked: &str) -> bool {
        self.id == asked || self.provider == Some(asked)
    }

    fn places(&'static self, header: &[String]) -> BTreeMap<&'static str, Vec<usize>> {
        let mut places = BTreeMap::new();
        for (field, names) in self.columns {
            let found: Vec<usize> = names
                .iter()
                .filter_map(|name| header.iter().position(|column| answers(column, name)))
                .collect();
            if !found.is_empty() {
                places.insert(field.as_str(), found);
            }
        }
        places
    }

    fn missing(&self, places: &BTreeMap<&'static str, Vec<usize>>) -> Vec<&'static str> {
        let lacking = self.required.iter().filter(|field| !places.contains_key(field.as_str()));
        lacking
            .map(|field| {
                let names = self.columns.get(field);
                names.and_then(|names| names.first()).map_or(field.as_str(), String::as_str)
            })
            .collect()
    }
}

/// Chooses the layout whose required columns are all there and that explains most columns.
pub(super) fn choose(
    file: &str,
    header: &[String],
    options: &BillOptions,
) -> Result<Chosen, BillError> {
    let asked = options.layout.as_deref();
    let candidates: Vec<&'static Layout> = match options.own {
        Some(own) => vec![own],
        None => {
            layouts().iter().filter(|layout| asked.is_none_or(|id| layout.answers(id))).collect()
        }
    };
    if candidates.is_empty() {
        let known: Vec<&str> = layouts().iter().map(|layout| layout.id).collect();
        return Err(BillError::NoSuchLayout {
            layout: asked.unwrap_or_default().to_owned(),
            known: known.join(", "),
        });
    }
    let bound =
        candidates.into_iter().map(|layout| Chosen { layout, places: layout.places(header) });
    let mut bound: Vec<Chosen> = bound.collect();
    bound.sort_by_key(|chosen| {
        (!chosen.layout.missing(&chosen.places).is_empty(), std::cmp::Reverse(chosen.places.len()))
    });
    let best =
        bound.into_iter().next().ok_or_else(|| BillError::Empty { file: file.to_owned() })?;
    let missing = best.layout.missing(&best.places);
    if !missing.is_empty() {
        return Err(BillError::UnknownLayout {
            file: file.to_owned(),
            nearest: best.layout.title.to_owned(),
            missing: missing.join(", "),
        });
    }
    for place in best.places.values().filter_map(|found| found.first()) {
        let column = &header[*place];
        if header.iter().filter(|other| *other == column).count() > 1 {
            return Err(BillError::DoubleColumn { file: file.to_owned(), column: column.clone() });
        }
    }
    Ok(best)
}

impl Chosen {
    /// Returns the first non-empty cell of a field and its column's place.
    pub(super) fn cell<'a>(&self, field: &str, cells: &'a [String]) -> Option<(usize, &'a str)> {
        let places = self.places.get(field)?;
        places.iter().find_map(|place| {
            let text = cells.get(*place)?.as_str();
            // A dash, NULL and N/A are how exports write nothing.
            let nothing = matches!(text, "" | "-" | "--" | "NULL" | "null" | "N/A");
            (!nothing).then_some((*place, text))
        })
    }

    /// Returns every non-empty cell of a field.
    pub(super) fn cells<'a>(&self, field: &str, cells: &'a [String]) -> Vec<&'a str> {
        let places = self.places.get(field).map(Vec::as_slice).unwrap_or_default();
        places.iter().filter_map(|place| cells.get(*place).map(String::as_str)).collect()
    }

    /// Returns a warning for the columns that no layout knows.
    pub(super) fn warnings(&self, header: &[String]) -> Vec<Phrase> {
        let unknown: Vec<&str> = header
            .iter()
            .enumerate()
            .filter(|(place, column)| {
                let used = self.places.values().any(|places| places.contains(place));
                let ignored = self.layout.ignored.iter().any(|name| answers(column, name));
                // FOCUS lets everybody add columns that begin with `x_`.
                !used && !ignored && !column.starts_with("x_") && !column.is_empty()
            })
            .map(|(_, column)| column.as_str())
            .collect();
        if unknown.is_empty() {
            return Vec::new();
        }
        vec![Phrase::new("bill-warning-unknown-columns").with("columns", unknown.join(", "))]
    }
}
