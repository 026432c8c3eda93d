//! Takes rows of any source: maps the card, checks the price, merges repeats, reports the rest.

use super::{Import, Noted, Refused, Report, Stated, json::price, write_offer_id};
use indexmap::IndexMap;
use jiff::civil::Date;
use kasuan_market::{CardError, CardMatch, Catalogue, PriceCard};
use kasuan_model::{
    BillingMode, Bytes, CardId, Currency, Grade, Interconnect, Money, Offer, Phrase, PricePer,
    Seconds, Source,
};
use rust_decimal::{Decimal, prelude::FromPrimitive as _};
use serde_json::Value;
use std::{borrow::Cow, collections::BTreeMap};

/// A row as a source states it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw<'a> {
    pub(super) line: u64,
    pub(super) provider: &'a str,
    pub(super) region: &'a str,
    pub(super) country: &'a str,
    pub(super) product: &'a str,
    pub(super) tier: &'a str,
    /// The card's name; empty takes the card of the same product in the catalogue.
    pub(super) card: &'a str,
    /// Memory of one card in GB, as the source states it.
    pub(super) card_gb: Option<f64>,
    /// Cards; a fraction is a slice. `None` takes the count of the same product in the catalogue.
    pub(super) count: Option<f64>,
    pub(super) vcpus: Option<f64>,
    pub(super) memory_gib: Option<f64>,
    pub(super) disk_gb: Option<f64>,
    pub(super) interconnect: Interconnect,
    pub(super) mode: BillingMode,
    /// The price as it stands in the source.
    pub(super) price: Decimal,
    pub(super) currency: Option<Currency>,
    pub(super) per: PricePer,
    /// Whether the price is for one card.
    pub(super) per_card: bool,
    pub(super) host_included: Option<bool>,
    pub(super) granularity: Option<Seconds>,
    pub(super) observed: Option<Date>,
    pub(super) source: &'a str,
    pub(super) notes: &'a str,
}

impl Default for Raw<'_> {
    fn default() -> Self {
        Self {
            line: 0,
            provider: "",
            region: "",
            country: "",
            product: "",
            tier: "",
            card: "",
            card_gb: None,
            count: Some(1.0),
            vcpus: None,
            memory_gib: None,
            disk_gb: None,
            interconnect: Interconnect::Unknown,
            mode: BillingMode::OnDemand,
            price: Decimal::ZERO,
            currency: None,
            per: PricePer::Hour,
            per_card: false,
            host_included: None,
            granularity: None,
            observed: None,
            source: "",
            notes: "",
        }
    }
}

/// What a spelling stood for, by the memory that its row stated.
type Resolved = (u64, Result<CardMatch, CardError>);

/// Collects rows.
pub(super) struct Taker<'a> {
    catalogue: &'a Catalogue,
    pub(super) stated: &'a Stated,
    offers: IndexMap<String, Offer>,
    cards: BTreeMap<String, Vec<Resolved>>,
    products: BTreeMap<(&'a str, &'a str), &'a Offer>,
    /// The id of the row at hand.
    id: String,
    pub(super) report: Report,
}

impl<'a> Taker<'a> {
    /// Creates a taker.
    pub(super) fn new(catalogue: &'a Catalogue, stated: &'a Stated) -> Self {
        let products = catalogue
            .offers()
            .iter()
            .map(|offer| ((offer.provider.as_str(), offer.product.as_str()), offer))
            .collect();
        Self {
            catalogue,
            stated,
            offers: IndexMap::new(),
            cards: BTreeMap::new(),
            products,
            id: String::new(),
            report: Report::default(),
        }
    }

    /// Refuses a row.
    pub(super) fn refuse(&mut self, line: u64, what: &str, why: Phrase) {
        self.report.refused.push(Refused { line, what: what.to_owned(), why });
    }

    /// Takes a row, or says why not.
    pub(super) fn take(&mut self, raw: Raw<'_>) {
        if let Err(why) = self.try_take(raw) {
            self.refuse(raw.line, raw.product, why);
        }
    }

    /// Takes a row with the price that stands in a JSON document.
    pub(super) fn take_at(&mut self, raw: Raw<'_>, stated: Option<&Value>) {
        match (price(stated), stated) {
            (Some(price), _) => self.take(Raw { price, ..raw }),
            (None, None | Some(Value::Null)) => {
                self.refuse(raw.line, raw.product, Phrase::new("import-price-missing"));
            }
            (None, Some(other)) => {
                let text = other.as_str().map_or_else(|| other.to_string(), str::to_owned);
                let why = Phrase::new("import-not-a-price").with("text", text);
                self.refuse(raw.line, raw.product, why);
            }
        }
    }

    fn try_take(&mut self, raw: Raw<'_>) -> Result<(), Phrase> {
        let provider = if raw.provider.is_empty() {
            self.stated.provider.as_deref().unwrap_or_default()
        } else {
            raw.provider
        };
        let provider = if provider.chars().any(char::is_uppercase) {
            Cow::Owned(provider.to_lowercase())
        } else {
            Cow::Borrowed(provider)
        };
        let known = self.products.get(&(provider.as_ref(), raw.product)).copied();
        let (card, raw_name) = match (raw.card.is_empty(), known) {
            (true, Some(known)) => (known.card.clone(), known.card_raw.as_str()),
            (true, None) => {
                self.report.no_card += 1;
                return Ok(());
            }
            (false, _) => (self.card(&raw)?, raw.card),
        };
        if raw.price <= Decimal::ZERO {
            return Err(Phrase::new("import-no-price").with("price", raw.price));
        }
        let Some(currency) = raw.currency.or(self.stated.currency) else {
            return Err(Phrase::new("import-no-currency"));
        };
        let stated_count = raw
            .count
            .or_else(|| known.map(|known| f64::from(known.count) / f64::from(known.slices.max(1))));
        let (count, slices) = count_of(stated_count)?;
        let price = if raw.per_card { raw.price * Decimal::from(count) } else { raw.price };
        let parts = [provider.as_ref(), raw.region, raw.product, raw.tier];
        write_offer_id(&mut self.id, parts, raw.mode);
        // Of two rows with one id the cheaper stays.
        if let Some(old) = self.offers.get(self.id.as_str()) {
            self.report.merged += 1;
            if price >= old.price.amount() {
                return Ok(());
            }
        }
        let offer = Offer {
            id: self.id.clone(),
            provider: provider.into_owned(),
            region: raw.region.to_owned(),
            country: raw.country.to_owned(),
            product: raw.product.to_owned(),
            card,
            card_raw: raw_name.to_owned(),
            count,
            slices,
            tier: raw.tier.to_owned(),
            host_included: raw.host_included,
            vcpus: whole(raw.vcpus).or_else(|| known.and_then(|known| known.vcpus)),
            memory: raw.memory_gib.map(|gib| Bytes::from_estimate(gib * f64::from(1 << 30))),
            disk: raw.disk_gb.map(|gb| Bytes::from_estimate(gb * 1e9)),
            interconnect: match raw.interconnect {
                Interconnect::Unknown => known.map_or(Interconnect::Unknown, |k| k.interconnect),
                stated => stated,
            },
            mode: raw.mode,
            price: Money::new(price, currency),
            per: raw.per,
            granularity: raw.granularity,
            minimum: None,
            stock: None,
            source: Source {
                text: if raw.source.is_empty() { &self.stated.name } else { raw.source }.to_owned(),
                date: raw.observed.or(self.stated.observed),
                licence: None,
                grade: Grade::B,
            },
            notes: raw.notes.to_owned(),
        };
        self.offers.insert(offer.id.clone(), offer);
        Ok(())
    }

    /// Finds the card, by its name and the memory beside it.
    fn card(&mut self, raw: &Raw<'_>) -> Result<CardId, Phrase> {
        let gb = raw.card_gb.filter(|gb| *gb > 0.0 && gb.is_finite());
        let size = gb.map_or(0, |gb| (gb * 100.0) as u64);
        let seen = self.cards.get(raw.card).and_then(|found| {
            found.iter().find(|(of, _)| *of == size).map(|(_, found)| found.clone())
        });
        let found = seen.unwrap_or_else(|| {
            let found = self.look_up(raw, gb);
            self.cards.entry(raw.card.to_owned()).or_default().push((size, found.clone()));
            found
        });
        found.map(|found| found.card).map_err(|error| {
            let CardError::Unknown { nearest, .. } = &error else {
                return Phrase::new("import-card").with("name", raw.card);
            };
            match nearest.first() {
                Some(nearest) => Phrase::new("import-card-nearest")
                    .with("name", raw.card)
                    .with("nearest", nearest),
                None => Phrase::new("import-card").with("name", raw.card),
            }
        })
    }

    /// Looks a name up once; what had to be guessed is noted once for each name.
    fn look_up(&mut self, raw: &Raw<'_>, gb: Option<f64>) -> Result<CardMatch, CardError> {
        let plain = self.catalogue.find_card(raw.card);
        let Some(gb) = gb else { return self.noted_guess(raw, plain) };
        // A driver's MiB read as GB, such as 22.35 for 24, is within the tenth that is allowed.
        match self.catalogue.find_card(&format!("{} {gb}GB", raw.card)) {
            Ok(found) => self.noted_guess(raw, Ok(found)),
            Err(CardError::Memory { known, without, .. }) => {
                let found = plain.or(Ok(CardMatch {
                    card: without,
                    guessed_form: false,
                    guessed_memory: false,
                    count: None,
                }));
                let what = Phrase::new("import-memory")
                    .with("name", raw.card)
                    .with("stated", shown(gb))
                    .with("known", known.join(" / "));
                self.report.noted.push(Noted { line: raw.line, what });
                found
            }
            // The name says one memory and the column beside it another: the name counts.
            Err(error @ CardError::Unknown { .. }) => {
                let found = plain.map_err(|_| error)?;
                let memory = self.catalogue.card(&found.card).map_or(0.0, |card| card.memory.gib());
                if (memory - gb).abs() > memory * 0.1 {
                    let what = Phrase::new("import-memory")
                        .with("name", raw.card)
                        .with("stated", shown(gb))
                        .with("known", memory);
                    self.report.noted.push(Noted { line: raw.line, what });
                }
                Ok(found)
            }
        }
    }

    fn noted_guess(
        &mut self,
        raw: &Raw<'_>,
        found: Result<CardMatch, CardError>,
    ) -> Result<CardMatch, CardError> {
        if let Ok(found) = &found
            && (found.guessed_form || found.guessed_memory)
        {
            let what =
                Phrase::new("price-card-guessed").with("text", raw.card).with("card", &found.card);
            self.report.noted.push(Noted { line: raw.line, what });
        }
        found
    }

    /// Returns what was taken, with the report.
    pub(super) fn finish(self) -> Import {
        let card = PriceCard { offers: self.offers.into_values().collect(), terms: Vec::new() };
        Import { card, report: self.report }
    }
}

/// Writes GB with at most one decimal.
fn shown(gb: f64) -> f64 {
    (gb * 10.0).round() / 10.0
}

/// Splits a count into whole cards, or one slice of `1/n`.
fn count_of(count: Option<f64>) -> Result<(u32, u32), Phrase> {
    let count = count.unwrap_or(1.0);
    let wrong = || Phrase::new("import-count").with("count", count);
    if !(count.is_finite() && count > 0.0 && count <= 1024.0) {
        return Err(wrong());
    }
    if count < 1.0 {
        let slices = (1.0 / count).round();
        // 0.3333 is a third.
        return if (slices * count - 1.0).abs() < 0.01 {
            Ok((1, slices as u32))
        } else {
            Err(wrong())
        };
    }
    if (count - count.round()).abs() > 1e-6 {
        return Err(wrong());
    }
    Ok((count.round() as u32, 1))
}

fn whole(number: Option<f64>) -> Option<u32> {
    number.filter(|number| *number >= 1.0 && *number < 1e6).map(|number| number as u32)
}

/// Reads a number of a JSON or CSV source as the decimal it was written as.
pub(super) fn decimal(number: f64) -> Decimal {
    Decimal::from_f64(number).unwrap_or_default()
}
