//! Reads the catalogue's tables: cards, sources and offers.

use super::{packed::Table, terms_file::grade};
use crate::{CatalogueError, history::Stretch, resolve::CardNames};
use kasuan_model::{
    Bytes, Card, CardId, Grade, Interconnect, Money, Offer, PricePer, Seconds, Source,
};
use rust_decimal::{Decimal, prelude::ToPrimitive as _};
use std::{collections::BTreeMap, str::FromStr};

/// A table that names its file and row when a cell cannot be read.
struct Row<'a> {
    file: &'static str,
    columns: &'static [&'static str],
    table: &'a Table<'a>,
    row: usize,
}

impl<'a> Row<'a> {
    fn text(&self, column: usize) -> &'a str {
        self.table.cell(self.row, column)
    }

    fn wrong(&self, column: usize) -> CatalogueError {
        CatalogueError::Cell {
            file: self.file,
            line: self.row as u64 + 2,
            column: self.columns.get(column).copied().unwrap_or("?"),
            text: self.text(column).to_owned(),
        }
    }

    fn read<T: FromStr>(&self, column: usize) -> Result<T, CatalogueError> {
        self.text(column).parse().map_err(|_| self.wrong(column))
    }

    fn maybe<T: FromStr>(&self, column: usize) -> Result<Option<T>, CatalogueError> {
        if self.text(column).is_empty() { Ok(None) } else { self.read(column).map(Some) }
    }

    fn bytes(&self, column: usize, unit: u64) -> Result<Option<Bytes>, CatalogueError> {
        let Some(amount) = self.maybe::<Decimal>(column)? else { return Ok(None) };
        let bytes = amount.checked_mul(Decimal::from(unit)).and_then(|b| b.ceil().to_u64());
        Ok(Some(Bytes::new(bytes.ok_or_else(|| self.wrong(column))?)))
    }
}

/// Walks the rows of a table whose header must be `columns`.
fn rows<T>(
    file: &'static str,
    bytes: &[u8],
    columns: &'static [&'static str],
    mut each: impl FnMut(Row<'_>) -> Result<T, CatalogueError>,
) -> Result<Vec<T>, CatalogueError> {
    let table = Table::read(bytes).ok_or(CatalogueError::Packed { file })?;
    if table.headings().ne(columns.iter().copied()) {
        let what = format!("the header must be {}", columns.join(","));
        return Err(CatalogueError::Table { file, what });
    }
    (0..table.rows()).map(|row| each(Row { file, columns, table: &table, row })).collect()
}

const SOURCE_COLUMNS: &[&str] = &["id", "text", "date", "licence", "grade"];

/// Reads the sources by their key.
pub(super) fn sources(
    file: &'static str,
    bytes: &[u8],
) -> Result<BTreeMap<String, Source>, CatalogueError> {
    let all = rows(file, bytes, SOURCE_COLUMNS, |row| {
        let source = Source {
            text: row.text(1).to_owned(),
            date: row.maybe(2)?,
            licence: Some(row.text(3)).filter(|text| !text.is_empty()).map(str::to_owned),
            grade: grade(row.text(4)).ok_or_else(|| row.wrong(4))?,
        };
        Ok((row.text(0).to_owned(), source))
    })?;
    Ok(all.into_iter().collect())
}

const CARD_COLUMNS: &[&str] = &[
    "id",
    "display",
    "vendor",
    "arch",
    "memory_gib",
    "usable_mib",
    "usable_mib_source",
    "mem_bandwidth_gb_s",
    "fp32_tflops",
    "fp16_bf16_dense_tflops",
    "bf16_native",
    "fp8_dense_tflops",
    "tensor_source",
    "compute_capability",
    "sm_arch",
    "nvlink_gb_s_bidir",
    "nvlink_source",
    "pcie",
    "tdp_w",
    "ecc",
    "release_date",
    "base_source",
    "default",
    "aliases",
];

/// Reads the card table, and by which names people call the cards.
pub(super) fn cards(
    file: &'static str,
    bytes: &[u8],
) -> Result<(Vec<Card>, CardNames), CatalogueError> {
    let mut names = CardNames::default();
    let cards = rows(file, bytes, CARD_COLUMNS, |row| {
        let id = CardId::new(row.text(0));
        if row.text(22) == "yes" {
            names.usual.insert(id.clone());
        }
        let aliases = row.text(23).split('|').filter(|alias| !alias.is_empty());
        names.aliases.extend(aliases.map(|alias| (alias.to_owned(), id.clone())));
        let scaled = |column, unit: f64| Ok(row.maybe::<f64>(column)?.map(|value| value * unit));
        let capability = match row.text(13).split_once('.') {
            Some((major, minor)) => {
                let part = |text: &str| text.parse().map_err(|_| row.wrong(13));
                Some((part(major)?, part(minor)?))
            }
            // AMD writes `gfx942`, which is no CUDA capability.
            None if row.text(13).is_empty() || row.text(13).starts_with("gfx") => None,
            None => return Err(row.wrong(13)),
        };
        let yes = |column: usize| match row.text(column) {
            "" => Ok(None),
            "no" => Ok(Some(false)),
            text if text.starts_with("yes") => Ok(Some(true)),
            _ => Err(row.wrong(column)),
        };
        Ok(Card {
            id,
            display: row.text(1).to_owned(),
            vendor: row.text(2).to_owned(),
            architecture: row.text(3).to_owned(),
            memory: row.bytes(4, 1 << 30)?.ok_or_else(|| row.wrong(4))?,
            usable_memory: row.bytes(5, 1 << 20)?,
            bandwidth: scaled(7, 1e9)?,
            fp32_flops: scaled(8, 1e12)?,
            tensor_flops: scaled(9, 1e12)?,
            fp8_flops: scaled(11, 1e12)?,
            bf16: yes(10)?,
            compute_capability: capability,
            nvlink: scaled(15, 1e9)?,
            pcie: Some(row.text(17)).filter(|text| !text.is_empty()).map(str::to_owned),
            power_watts: row.maybe(18)?,
            ecc: yes(19)?,
            source: Source {
                text: row.text(21).to_owned(),
                date: None,
                licence: Some("MIT".to_owned()),
                grade: Grade::B,
            },
        })
    })?;
    Ok((cards, names))
}

/// The columns of an offer table, in order.
const OFFER_COLUMNS: &[&str] = &[
    "id",
    "provider",
    "region",
    "country",
    "product",
    "tier",
    "card",
    "card_raw",
    "count",
    "slices",
    "vcpus",
    "memory_gib",
    "disk_gb",
    "interconnect",
    "mode",
    "price",
    "currency",
    "per",
    "host",
    "granularity_s",
    "minimum_s",
    "source",
    "notes",
];

/// Reads an offer table; each row names one of `sources`.
pub(super) fn offers(
    file: &'static str,
    bytes: &[u8],
    sources: &BTreeMap<String, Source>,
) -> Result<Vec<Offer>, CatalogueError> {
    rows(file, bytes, OFFER_COLUMNS, |row| {
        let above_zero = |column| match row.read::<u32>(column)? {
            0 => Err(row.wrong(column)),
            count => Ok(count),
        };
        Ok(Offer {
            id: row.text(0).to_owned(),
            provider: row.text(1).to_owned(),
            region: row.text(2).to_owned(),
            country: row.text(3).to_owned(),
            product: row.text(4).to_owned(),
            tier: row.text(5).to_owned(),
            card: CardId::new(row.text(6)),
            card_raw: row.text(7).to_owned(),
            count: above_zero(8)?,
            slices: above_zero(9)?,
            vcpus: row.maybe(10)?,
            memory: row.bytes(11, 1 << 30)?,
            disk: row.bytes(12, 1_000_000_000)?,
            interconnect: match row.text(13) {
                "nvlink" => Interconnect::NvLink,
                "pcie" => Interconnect::Pcie,
                "" => Interconnect::Unknown,
                _ => return Err(row.wrong(13)),
            },
            mode: row.read(14)?,
            price: Money::new(row.read(15)?, row.read(16)?),
            per: match row.text(17) {
                "hour" => PricePer::Hour,
                "term" => PricePer::Term,
                _ => return Err(row.wrong(17)),
            },
            host_included: match row.text(18) {
                "" => None,
                "yes" => Some(true),
                "no" => Some(false),
                _ => return Err(row.wrong(18)),
            },
            granularity: row.maybe(19)?.map(Seconds::new),
            minimum: row.maybe(20)?.map(Seconds::new),
            stock: None,
            source: sources.get(row.text(21)).cloned().ok_or_else(|| row.wrong(21))?,
            notes: row.text(22).to_owned(),
        })
    })
}

const HISTORY_COLUMNS: &[&str] =
    &["provider", "card", "tier", "mode", "from", "until", "price", "currency", "source"];

/// Reads prices of the past; each row is a stretch of unchanged price.
pub(super) fn history(
    file: &'static str,
    bytes: &[u8],
    sources: &BTreeMap<String, Source>,
) -> Result<Vec<Stretch>, CatalogueError> {
    rows(file, bytes, HISTORY_COLUMNS, |row| {
        Ok(Stretch {
            provider: row.text(0).to_owned(),
            card: CardId::new(row.text(1)),
            product: String::new(),
            tier: row.text(2).to_owned(),
            mode: row.read(3)?,
            from: row.read(4)?,
            until: row.read(5)?,
            price: Money::new(row.read(6)?, row.read(7)?),
            source: sources.get(row.text(8)).cloned().ok_or_else(|| row.wrong(8))?,
        })
    })
}
