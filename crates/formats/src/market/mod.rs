//! Price lists of others, read into offers with a report of what happened to each row.
//!
//! Each source is a file here; all of them hand their rows to [`taker::Taker`], which maps card
//! names, refuses what has no price or currency, merges repeats, and never drops a row silently.

mod aggregators;
mod azure;
mod chinese;
pub mod export;
mod gpuhunt;
mod json;
mod karpenter;
mod marketplaces;
pub mod price_card;
mod report;
mod skypilot;
mod taker;
mod text;
pub(crate) mod workbook;

pub use report::{Noted, Refused, Report};
pub use workbook::sheet_rows;

use jiff::civil::Date;
use kasuan_market::{Bands, Catalogue, PriceCard, validate_new};
use kasuan_model::{BillingMode, Currency, Phrase, Phrased};
use price_card::PriceCardError;
use taker::Taker;
use text::Content;

/// What the user states about a file that the file itself may not say.
#[derive(Clone, Debug, Default)]
pub struct Stated {
    /// The file's name, which becomes the source.
    pub name: String,
    /// The provider, for files of one provider that do not name it.
    pub provider: Option<String>,
    /// The card, for answers about one card that do not name it.
    pub card: Option<String>,
    /// The currency, for files that do not name it.
    pub currency: Option<Currency>,
    /// The day of the prices, for files without one.
    pub observed: Option<Date>,
}

/// What an import gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Import {
    /// The prices.
    pub card: PriceCard,
    /// What happened to each row.
    pub report: Report,
}

/// Why a file cannot be imported at all.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ImportError {
    /// There is nothing in it.
    #[error("the file is empty")]
    Empty,
    /// It is a web page, as a blocked or expired download is.
    #[error("the file is a web page, not a price list")]
    Html,
    /// It is neither UTF-8 nor GBK text.
    #[error("the file is neither UTF-8 nor GBK text")]
    Unreadable,
    /// It looks like JSON but is not.
    #[error("the file is no JSON: line {line}, column {column}")]
    Json {
        /// The line, from 1.
        line: usize,
        /// The character in it.
        column: usize,
    },
    /// It is no price list that is known.
    #[error("the format of the file is not known")]
    Unknown {
        /// What it starts with: columns or keys.
        seen: String,
    },
    /// The file does not say something that must be stated.
    #[error("the file does not say the {what}; state it with --{what}")]
    NotStated {
        /// The missing word: `provider`, `card` or `currency`.
        what: &'static str,
    },
    /// A workbook that cannot be read.
    #[error("the workbook cannot be read: {what}")]
    Workbook {
        /// What is wrong.
        what: String,
    },
    /// An archive that unpacks to more than a price list can hold.
    #[error("the workbook unpacks to more than {limit} MiB")]
    Large {
        /// The limit, in MiB.
        limit: u64,
    },
    /// A price card whose header is wrong.
    #[error(transparent)]
    PriceCard(#[from] PriceCardError),
}

impl Phrased for ImportError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Empty => Phrase::new("import-empty"),
            Self::Html => Phrase::new("import-html"),
            Self::Unreadable => Phrase::new("import-unreadable"),
            Self::Json { line, column } => {
                Phrase::new("import-json").with("line", line).with("column", column)
            }
            Self::Unknown { seen } => Phrase::new("import-unknown").with("seen", seen),
            Self::NotStated { what } => Phrase::new("import-not-stated").with("what", what),
            Self::Workbook { what } => Phrase::new("import-workbook").with("what", what),
            Self::Large { limit } => Phrase::new("import-large").with("limit", limit),
            Self::PriceCard(error) => error.phrase(),
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        match self {
            Self::Html => vec![Phrase::new("import-html-hint")],
            Self::Unknown { .. } => vec![Phrase::new("import-formats")],
            Self::NotStated { what } => {
                vec![Phrase::new("import-not-stated-hint").with("what", what)]
            }
            Self::PriceCard(error) => error.hints(),
            _ => Vec::new(),
        }
    }
}

/// Reads a file of any known format. The catalogue maps names and tells doubts; nothing of it is
/// changed. `today` only dates doubts.
pub fn import(
    bytes: &[u8],
    stated: &Stated,
    catalogue: &Catalogue,
    today: Date,
) -> Result<Import, ImportError> {
    let (text, encoding) = match text::content(bytes) {
        Content::Empty => return Err(ImportError::Empty),
        Content::Html => return Err(ImportError::Html),
        Content::Unreadable => return Err(ImportError::Unreadable),
        Content::Zip => (workbook::as_csv(bytes)?, None),
        Content::Text(text, encoding) => (text, encoding),
    };
    let mut import = read(&text, stated, catalogue)?;
    if let Some(encoding) = encoding {
        let what = Phrase::new("import-encoding").with("encoding", encoding);
        import.report.noted.insert(0, Noted { line: 1, what });
    }
    import.report.doubts = validate_new(catalogue, &import.card.offers, Bands::default(), today);
    import.report.taken = import.card.offers.len();
    Ok(import)
}

fn read(text: &str, stated: &Stated, catalogue: &Catalogue) -> Result<Import, ImportError> {
    let mut taker = Taker::new(catalogue, stated);
    let start = text.trim_start();
    if start.starts_with(['{', '[']) {
        json::read(start, &mut taker)?;
    } else if start.contains("map[string]float64") || start.starts_with("package ") {
        karpenter::read_go(text, &mut taker)?;
    } else {
        let Some((_, Ok(header))) = text::csv_records(text).next() else {
            return Err(ImportError::Empty);
        };
        let has = |names: &[&str]| {
            names.iter().all(|name| header.iter().any(|cell| cell.trim() == *name))
        };
        if has(&["InstanceType", "AcceleratorName", "Price"]) {
            skypilot::read(text, &mut taker)?;
        } else if has(&["instance_name", "gpu_name", "price"]) {
            gpuhunt::read(text, &mut taker)?;
        } else {
            return price_card(text, stated, catalogue, &header.iter().collect::<Vec<_>>());
        }
    }
    Ok(taker.finish())
}

/// Reads a price card leniently; a file that has none of its columns is of an unknown format.
fn price_card(
    text: &str,
    stated: &Stated,
    catalogue: &Catalogue,
    header: &[&str],
) -> Result<Import, ImportError> {
    let known = header.iter().filter(|cell| {
        let same = |name: &str| name.eq_ignore_ascii_case(cell.trim());
        price_card::COLUMNS
            .iter()
            .any(|column| same(column.name) || column.aliases.iter().any(|alias| same(alias)))
    });
    if known.count() < 2 {
        let seen: String = header.join(",").chars().take(80).collect();
        return Err(ImportError::Unknown { seen });
    }
    let mut read = price_card::read_leniently(text, &stated.name, catalogue)?;
    let every = read.card.offers.len();
    // As when it is laid over prices: of two rows with one id the later stays.
    let offers = std::mem::take(&mut read.card.offers);
    read.card.lay(PriceCard { offers, terms: Vec::new() });
    let report = Report {
        format: "price_card",
        rows: read.rows,
        terms: read.terms,
        merged: every - read.card.offers.len(),
        refused: read.refused,
        noted: read.notes,
        ..Report::default()
    };
    Ok(Import { card: read.card, report })
}

/// Returns the id of an offer: provider, region, product with its tier, mode.
pub(crate) fn offer_id(
    provider: &str,
    region: &str,
    product: &str,
    tier: &str,
    mode: BillingMode,
) -> String {
    let mut id = String::with_capacity(64);
    write_offer_id(&mut id, [provider, region, product, tier], mode);
    id
}

/// Writes the id of an offer over a buffer: provider, region, product, tier, and the mode.
fn write_offer_id(
    id: &mut String,
    [provider, region, product, tier]: [&str; 4],
    mode: BillingMode,
) {
    id.clear();
    push_slug(id, provider);
    if !region.is_empty() {
        id.push('/');
        push_slug(id, region);
    }
    id.push('/');
    push_slug(id, product);
    if !tier.is_empty() {
        id.push('.');
        push_slug(id, tier);
    }
    id.push('/');
    match mode {
        BillingMode::OnDemand => id.push_str("on_demand"),
        BillingMode::Spot => id.push_str("spot"),
        other => id.push_str(&other.word()),
    }
}

/// Appends a text in lower case with single hyphens for everything that is no letter or digit.
fn push_slug(id: &mut String, text: &str) {
    let mut gap = false;
    let start = id.len();
    let mut push = |c: char, is_part: bool| {
        if is_part {
            if gap && id.len() > start {
                id.push('-');
            }
            gap = false;
            id.push(c);
        } else {
            gap = true;
        }
    };
    for c in text.chars() {
        if c.is_ascii() {
            let is_part = c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
            push(c.to_ascii_lowercase(), is_part);
        } else {
            c.to_lowercase().for_each(|c| push(c, c.is_alphanumeric()));
        }
    }
}

#[cfg(test)]
mod tests;
