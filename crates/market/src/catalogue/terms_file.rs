//! Reads `terms.toml` into [`Terms`].

use crate::{
    CatalogueError,
    terms::{
        Arrears, Discount, DiscountKind, Metering, Names, PackageTerms, Rounding, Settlement,
        SpotTerms, Stopping, StorageKind, StoragePer, TaxTerms, Terms, Tier, Traffic,
    },
};
use jiff::civil::{Date, Time};
use kasuan_model::{Bytes, CardId, Currency, Grade, Money, Seconds, Source};
use rust_decimal::Decimal;
use serde::Deserialize;
use std::str::FromStr;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    provider: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    name: NamesRow,
    country: String,
    currency: String,
    valid_from: Option<String>,
    valid_to: Option<String>,
    source: String,
    date: Option<String>,
    grade: String,
    #[serde(default)]
    metering: MeteringRow,
    #[serde(default)]
    stopping: StoppingRow,
    #[serde(default)]
    arrears: Vec<ArrearsRow>,
    #[serde(default)]
    spot: SpotRow,
    #[serde(default)]
    packages: PackagesRow,
    #[serde(default)]
    storage: Vec<StorageRow>,
    #[serde(default)]
    traffic: TrafficRow,
    #[serde(default)]
    discounts: Vec<DiscountRow>,
    no_card_hour: Option<String>,
    #[serde(default)]
    tax: TaxRow,
    #[serde(default)]
    notes: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamesRow {
    en: String,
    zh: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct MeteringRow {
    granularity: Option<String>,
    minimum: Option<String>,
    minimum_charge: Option<String>,
    rounding: Option<String>,
    settlement: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoppingRow {
    compute_free: Option<bool>,
    card_kept: Option<bool>,
    delete_after: Option<String>,
    stopped_hour: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArrearsRow {
    mode: String,
    stop_after: Option<String>,
    delete_after: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpotRow {
    notice: Option<String>,
    protection: Option<String>,
    free_if_reclaimed_within: Option<String>,
    price_ratio: Option<String>,
    stoppable: Option<bool>,
    kept_after_reclaim: Option<String>,
    convertible: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PackagesRow {
    #[serde(default)]
    refund: Vec<RefundRow>,
    early_exit: Option<bool>,
    convertible: Option<bool>,
    falls_to_on_demand: Option<bool>,
    recycle_after_expiry: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RefundRow {
    mode: String,
    factor: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StorageRow {
    id: String,
    name: NamesRow,
    price: Option<String>,
    per: String,
    #[serde(default)]
    free_gb: u32,
    #[serde(default)]
    binary: bool,
    charged_when_stopped: Option<bool>,
    packages: Option<bool>,
    #[serde(default)]
    note: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrafficRow {
    #[serde(default)]
    egress: Vec<TierRow>,
    free_times_stored: Option<String>,
    ingress: Option<String>,
    intra_region: Option<String>,
    inter_region: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TierRow {
    up_to_gb: Option<u32>,
    price: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DiscountRow {
    kind: String,
    from: Option<String>,
    to: Option<String>,
    off: String,
    #[serde(default)]
    cards: Vec<String>,
    #[serde(default)]
    since: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct TaxRow {
    included: Option<bool>,
    rate: Option<String>,
    vat_invoice: Option<bool>,
    #[serde(default)]
    invoice: String,
}

/// Reads the terms of all providers.
pub(super) fn read(text: &str) -> Result<Vec<Terms>, CatalogueError> {
    let file: File = toml::from_str(text).map_err(|error| CatalogueError::Terms {
        provider: String::new(),
        what: error.to_string(),
    })?;
    file.provider.iter().map(terms).collect()
}

/// Reads values of one provider's row, naming it when one cannot be read.
struct Reader<'a> {
    provider: &'a str,
    currency: Currency,
}

impl Reader<'_> {
    fn wrong(&self, what: impl std::fmt::Display) -> CatalogueError {
        CatalogueError::Terms { provider: self.provider.to_owned(), what: what.to_string() }
    }

    fn read<T: FromStr<Err: std::fmt::Display>>(&self, text: &str) -> Result<T, CatalogueError> {
        text.parse().map_err(|error: T::Err| self.wrong(format!("`{text}`: {error}")))
    }

    fn maybe<T: FromStr<Err: std::fmt::Display>>(
        &self,
        text: Option<&String>,
    ) -> Result<Option<T>, CatalogueError> {
        text.map(|text| self.read(text)).transpose()
    }

    fn money(&self, text: &str) -> Result<Money, CatalogueError> {
        let amount: Decimal = self.read(text)?;
        if amount.is_sign_negative() {
            return Err(self.wrong(format!("`{text}` is negative")));
        }
        Ok(Money::new(amount, self.currency))
    }

    fn maybe_money(&self, text: Option<&String>) -> Result<Option<Money>, CatalogueError> {
        text.map(|text| self.money(text)).transpose()
    }
}

fn terms(row: &Row) -> Result<Terms, CatalogueError> {
    let fail = |what: String| CatalogueError::Terms { provider: row.id.clone(), what };
    let currency: Currency = row.currency.parse().map_err(|e| fail(format!("{e}")))?;
    let reader = Reader { provider: &row.id, currency };
    let storage = row.storage.iter().map(|kind| storage(&reader, kind));
    let discounts = row.discounts.iter().map(|discount| self::discount(&reader, discount));
    let mut arrears = Vec::new();
    for rule in &row.arrears {
        arrears.push(Arrears {
            mode: reader.read(&rule.mode)?,
            stop_after: reader.maybe(rule.stop_after.as_ref())?,
            delete_after: reader.maybe(rule.delete_after.as_ref())?,
        });
    }
    Ok(Terms {
        provider: row.id.clone(),
        name: names(&row.name),
        country: row.country.clone(),
        currency,
        valid_from: reader.maybe::<Date>(row.valid_from.as_ref())?,
        valid_to: reader.maybe::<Date>(row.valid_to.as_ref())?,
        metering: metering(&reader, &row.metering)?,
        stopping: Stopping {
            compute_free: row.stopping.compute_free,
            card_kept: row.stopping.card_kept,
            delete_after: reader.maybe(row.stopping.delete_after.as_ref())?,
            stopped_hour: reader.maybe_money(row.stopping.stopped_hour.as_ref())?,
        },
        arrears,
        spot: SpotTerms {
            notice: reader.maybe(row.spot.notice.as_ref())?,
            protection: reader.maybe(row.spot.protection.as_ref())?,
            free_if_reclaimed_within: reader.maybe(row.spot.free_if_reclaimed_within.as_ref())?,
            price_ratio: reader.maybe(row.spot.price_ratio.as_ref())?,
            stoppable: row.spot.stoppable,
            kept_after_reclaim: reader.maybe(row.spot.kept_after_reclaim.as_ref())?,
            convertible: row.spot.convertible,
        },
        packages: packages(&reader, &row.packages)?,
        storage: storage.collect::<Result<_, _>>()?,
        traffic: traffic(&reader, &row.traffic)?,
        discounts: discounts.collect::<Result<_, _>>()?,
        no_card_hour: reader.maybe_money(row.no_card_hour.as_ref())?,
        tax: TaxTerms {
            included: row.tax.included,
            rate: reader.maybe(row.tax.rate.as_ref())?,
            vat_invoice: row.tax.vat_invoice,
            invoice: row.tax.invoice.clone(),
        },
        notes: row.notes.clone(),
        source: Source {
            text: row.source.clone(),
            date: reader.maybe(row.date.as_ref())?,
            licence: None,
            grade: grade(&row.grade).ok_or_else(|| fail(format!("grade `{}`", row.grade)))?,
        },
    })
}

/// Reads a grade of a source.
pub(super) fn grade(text: &str) -> Option<Grade> {
    Some(match text {
        "A" => Grade::A,
        "B" => Grade::B,
        "C" => Grade::C,
        "D" => Grade::D,
        _ => return None,
    })
}

fn names(row: &NamesRow) -> Names {
    Names { en: row.en.clone(), zh: row.zh.clone() }
}

fn metering(reader: &Reader<'_>, row: &MeteringRow) -> Result<Metering, CatalogueError> {
    let rounding = match row.rounding.as_deref() {
        None => None,
        Some("exact") => Some(Rounding::Exact),
        Some("half_up") => Some(Rounding::HalfUp),
        Some("up") => Some(Rounding::Up),
        Some("down") => Some(Rounding::Down),
        Some(other) => return Err(reader.wrong(format!("rounding `{other}`"))),
    };
    let settlement = match row.settlement.as_deref() {
        None => None,
        Some("clock_hour") => Some(Settlement::ClockHour),
        Some("hour") => Some(Settlement::Hour),
        Some("minute") => Some(Settlement::Minute),
        Some("at_stop") => Some(Settlement::AtStop),
        Some(other) => return Err(reader.wrong(format!("settlement `{other}`"))),
    };
    Ok(Metering {
        granularity: reader.maybe::<Seconds>(row.granularity.as_ref())?,
        minimum: reader.maybe::<Seconds>(row.minimum.as_ref())?,
        minimum_charge: reader.maybe_money(row.minimum_charge.as_ref())?,
        rounding,
        settlement,
    })
}

fn packages(reader: &Reader<'_>, row: &PackagesRow) -> Result<PackageTerms, CatalogueError> {
    let mut refund = Vec::new();
    for rule in &row.refund {
        refund.push((reader.read(&rule.mode)?, reader.read(&rule.factor)?));
    }
    Ok(PackageTerms {
        refund,
        early_exit: row.early_exit,
        convertible: row.convertible,
        falls_to_on_demand: row.falls_to_on_demand,
        recycle_after_expiry: reader.maybe(row.recycle_after_expiry.as_ref())?,
    })
}

fn storage(reader: &Reader<'_>, row: &StorageRow) -> Result<StorageKind, CatalogueError> {
    let per = match row.per.as_str() {
        "hour" => StoragePer::Hour,
        "day" => StoragePer::Day,
        "month" => StoragePer::Month,
        other => return Err(reader.wrong(format!("storage per `{other}`"))),
    };
    Ok(StorageKind {
        id: row.id.clone(),
        name: names(&row.name),
        price: reader.maybe_money(row.price.as_ref())?,
        per,
        free: if row.binary { Bytes::from_gib(row.free_gb) } else { Bytes::from_gb(row.free_gb) },
        binary: row.binary,
        charged_when_stopped: row.charged_when_stopped,
        packages: row.packages,
        note: row.note.clone(),
    })
}

fn traffic(reader: &Reader<'_>, row: &TrafficRow) -> Result<Traffic, CatalogueError> {
    let mut egress: Vec<Tier> = Vec::new();
    for tier in &row.egress {
        let up_to = tier.up_to_gb.map(Bytes::from_gb);
        if egress
            .last()
            .is_some_and(|last| last.up_to.is_none() || last.up_to >= up_to && up_to.is_some())
        {
            return Err(reader.wrong("egress tiers must rise, the last without `up_to_gb`"));
        }
        egress.push(Tier { up_to, price: reader.money(&tier.price)? });
    }
    if egress.last().is_some_and(|last| last.up_to.is_some()) {
        return Err(reader.wrong("the last egress tier must have no `up_to_gb`"));
    }
    Ok(Traffic {
        egress,
        free_times_stored: reader.maybe(row.free_times_stored.as_ref())?,
        ingress: reader.maybe_money(row.ingress.as_ref())?,
        intra_region: reader.maybe_money(row.intra_region.as_ref())?,
        inter_region: reader.maybe_money(row.inter_region.as_ref())?,
    })
}

fn discount(reader: &Reader<'_>, row: &DiscountRow) -> Result<Discount, CatalogueError> {
    let kind = match (row.kind.as_str(), &row.from, &row.to) {
        ("night", Some(from), Some(to)) => {
            DiscountKind::Night(reader.read::<Time>(from)?, reader.read::<Time>(to)?)
        }
        ("member", None, None) => DiscountKind::Member,
        ("holiday", None, None) => DiscountKind::Holiday,
        (other, _, _) => return Err(reader.wrong(format!("discount `{other}`"))),
    };
    let off: Decimal = reader.read(&row.off)?;
    if off.is_sign_negative() || off > Decimal::ONE {
        return Err(reader.wrong(format!("discount of `{off}`")));
    }
    let cards = row.cards.iter().map(|card| CardId::new(card)).collect();
    Ok(Discount { kind, off, cards, since: row.since.clone() })
}
