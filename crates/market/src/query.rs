//! Which offers meet a wish, in which order, and what a card costs across the market.

use crate::{
    Catalogue, Tariff,
    freshness::{Bands, Freshness},
    resolve::Form,
    storage::Stored,
};
use jiff::civil::Date;
use kasuan_model::{
    BillingMode, Bytes, Card, CardId, Currency, Estimate, Interconnect, Money, MoneyError, Offer,
    Rates, Seconds,
};
use rust_decimal::{Decimal, prelude::ToPrimitive as _};

/// What is wished for; the default wishes for nothing and finds everything that is rented by time.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// Cards to choose among; empty means any.
    pub cards: Vec<CardId>,
    /// Least memory of a card, as sold.
    pub min_card_memory: Option<Bytes>,
    /// Fewest cards in the instance.
    pub min_count: Option<u32>,
    /// Most cards in the instance.
    pub max_count: Option<u32>,
    /// Least compute capability.
    pub min_capability: Option<(u32, u32)>,
    /// How the cards must be joined.
    pub interconnect: Option<Interconnect>,
    /// Form factor of the card.
    pub form: Option<Form>,
    /// Providers to choose among; empty means any.
    pub providers: Vec<String>,
    /// Regions to choose among, by the start of their name; empty means any.
    pub regions: Vec<String>,
    /// Countries to choose among; empty means any.
    pub countries: Vec<String>,
    /// Billing modes to choose among; empty means any.
    pub modes: Vec<BillingMode>,
    /// Most that a card may cost for an hour, in the wished currency.
    pub max_price: Option<Decimal>,
    /// Whether the card's memory must have error correction.
    pub ecc: Option<bool>,
    /// Fewest virtual CPUs.
    pub min_vcpus: Option<u32>,
    /// Least host memory.
    pub min_memory: Option<Bytes>,
    /// Least local disk.
    pub min_disk: Option<Bytes>,
    /// Whether slices of cards (vGPU) are wanted too.
    pub slices: bool,
    /// Whether prices for requests (`serverless`) are wanted too.
    pub serverless: bool,
    /// Oldest band of age that is wanted.
    pub oldest: Option<Freshness>,
    /// The currency of the answer; offers in another need a stated rate.
    pub currency: Option<Currency>,
    /// In which order.
    pub sort: Sort,
}

/// The order of an answer, cheapest first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Sort {
    /// Price of a card for an hour.
    #[default]
    Card,
    /// Price of the instance for an hour.
    Instance,
    /// Price of a GiB of card memory for an hour.
    Gib,
    /// Price of a dense FP16/BF16 TFLOP/s for an hour.
    Tflop,
    /// Price of a TB/s of card memory bandwidth for an hour.
    Bandwidth,
    /// The bill for a way of use.
    Bill(Pattern),
}

/// A way of use, to compare bills by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pattern {
    /// Length of one run.
    pub run: Seconds,
    /// Runs in the month.
    pub runs: u32,
    /// Data kept through the month.
    pub storage: Bytes,
    /// Length of the month.
    pub month: Seconds,
}

/// One offer of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Hit<'a> {
    /// The offer.
    pub offer: &'a Offer,
    /// Its card.
    pub card: &'a Card,
    /// Price of the instance for an hour, in the answer's currency where one is wished.
    pub instance: Money,
    /// Price of a whole card for an hour.
    pub per_card: Money,
    /// What it was sorted by; `None` when the card's figure is unknown, which sorts last.
    pub key: Option<f64>,
    /// The bill, when sorted by it; storage of an unknown price is not in it.
    pub bill: Option<Estimate<Money>>,
    /// Whether the bill lacks storage whose price is not stated.
    pub storage_unknown: bool,
    /// How old the price is.
    pub freshness: Freshness,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    /// The offers, in order.
    pub hits: Vec<Hit<'a>>,
    /// Offers that would fit but are priced in a currency without a stated rate.
    pub other_currency: usize,
    /// Offers that were left out because the source does not state what was wished for.
    pub unstated: usize,
}

/// What a card costs across the market.
#[derive(Clone, Debug)]
pub struct CardGroup<'a> {
    /// The card.
    pub card: &'a Card,
    /// The currency of the figures.
    pub currency: Currency,
    /// Offers.
    pub offers: usize,
    /// Lowest price of a card for an hour.
    pub low: Money,
    /// Median price.
    pub median: Money,
    /// Highest price.
    pub high: Money,
    /// The offer with the lowest price.
    pub cheapest: &'a Offer,
}

/// Whether an offer meets a wish.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Yes,
    No,
    /// The source does not say.
    Unstated,
}

fn wish<T>(wanted: Option<T>, stated: Option<T>, meets: impl FnOnce(&T, &T) -> bool) -> Fit {
    match (wanted, stated) {
        (None, _) => Fit::Yes,
        (Some(_), None) => Fit::Unstated,
        (Some(wanted), Some(stated)) if meets(&stated, &wanted) => Fit::Yes,
        _ => Fit::No,
    }
}

impl Query {
    /// Finds the offers, sorted. `today` only dates prices.
    pub fn run<'a>(
        &self,
        catalogue: &'a Catalogue,
        rates: &Rates,
        bands: Bands,
        today: Date,
    ) -> Found<'a> {
        let mut found = Found { hits: Vec::new(), other_currency: 0, unstated: 0 };
        for (offer, card) in catalogue.offers_with_cards() {
            match self.fits(offer, card) {
                Fit::No => continue,
                Fit::Unstated => {
                    found.unstated += 1;
                    continue;
                }
                Fit::Yes => {}
            }
            if self.oldest.is_some_and(|oldest| bands.of(&offer.source, today) > oldest) {
                continue;
            }
            let currency = self.currency.unwrap_or(offer.price.currency());
            let priced = rates.convert(offer.hourly(), currency).and_then(|instance| {
                let per_card = rates.convert(offer.hourly_per_card(), currency)?;
                Ok((instance, per_card))
            });
            let Ok((instance, per_card)) = priced else {
                found.other_currency += 1;
                continue;
            };
            if self.max_price.is_some_and(|most| per_card.amount() > most) {
                continue;
            }
            let mut hit = Hit {
                offer,
                card,
                instance,
                per_card,
                key: None,
                bill: None,
                storage_unknown: false,
                freshness: bands.of(&offer.source, today),
            };
            match self.rank(&mut hit, catalogue, rates, today) {
                Ok(()) => found.hits.push(hit),
                Err(_) => found.other_currency += 1,
            }
        }
        let last = |key: Option<f64>| key.unwrap_or(f64::INFINITY);
        found.hits.sort_by(|a, b| {
            // Amounts of two currencies have no order; without a wished one they stand apart.
            (a.instance.currency().cmp(&b.instance.currency()))
                .then_with(|| last(a.key).total_cmp(&last(b.key)))
                .then_with(|| a.offer.id.cmp(&b.offer.id))
        });
        found
    }

    fn fits(&self, offer: &Offer, card: &Card) -> Fit {
        let among = |list: &[String], text: &str| {
            list.is_empty() || list.iter().any(|item| item.eq_ignore_ascii_case(text))
        };
        let in_region = self.regions.is_empty()
            || self.regions.iter().any(|region| offer.region.starts_with(region.as_str()));
        let plain = (self.cards.is_empty() || self.cards.contains(&offer.card))
            && (self.modes.is_empty() || self.modes.contains(&offer.mode))
            && (self.slices || offer.slices == 1)
            && (self.serverless || offer.tier != "serverless")
            && self.min_count.is_none_or(|count| offer.count >= count)
            && self.max_count.is_none_or(|count| offer.count <= count)
            && self.min_card_memory.is_none_or(|least| {
                card.memory.get() / u64::from(offer.slices.max(1)) >= least.get()
            })
            && among(&self.providers, &offer.provider)
            && among(&self.countries, &offer.country)
            && in_region
            && self.form.is_none_or(|form| Form::of(&card.id) == Some(form));
        if !plain {
            return Fit::No;
        }
        let joined = match offer.interconnect {
            Interconnect::Unknown => None,
            stated => Some(stated),
        };
        let wishes = [
            wish(self.min_capability, card.compute_capability, |have, want| have >= want),
            wish(self.interconnect, joined, |have, want| have == want),
            wish(self.ecc, card.ecc, |have, want| have == want),
            wish(self.min_vcpus, offer.vcpus, |have, want| have >= want),
            wish(self.min_memory, offer.memory, |have, want| have >= want),
            wish(self.min_disk, offer.disk, |have, want| have >= want),
        ];
        if wishes.contains(&Fit::No) {
            Fit::No
        } else if wishes.contains(&Fit::Unstated) {
            Fit::Unstated
        } else {
            Fit::Yes
        }
    }

    /// Sets what a hit is sorted by.
    fn rank(
        &self,
        hit: &mut Hit<'_>,
        catalogue: &Catalogue,
        rates: &Rates,
        today: Date,
    ) -> Result<(), MoneyError> {
        let per_card = hit.per_card.amount().to_f64();
        let per = |figure: Option<f64>, unit: f64| {
            Some(per_card? / (figure.filter(|figure| *figure > 0.0)? / unit))
        };
        hit.key = match self.sort {
            Sort::Card => per_card,
            Sort::Instance => hit.instance.amount().to_f64(),
            Sort::Gib => per(Some(hit.card.memory.gib()), 1.0),
            Sort::Tflop => per(hit.card.tensor_flops, 1e12),
            Sort::Bandwidth => per(hit.card.bandwidth, 1e12),
            Sort::Bill(pattern) => {
                let currency = hit.instance.currency();
                let (bill, complete) =
                    pattern.bill(hit.offer, catalogue, rates, currency, today)?;
                hit.bill = Some(bill);
                hit.storage_unknown = !complete;
                bill.likely.amount().to_f64()
            }
        };
        Ok(())
    }
}

impl Pattern {
    /// Returns the month's bill on an offer in a currency, and whether it is complete (storage may
    /// have no stated price).
    pub fn bill(
        &self,
        offer: &Offer,
        catalogue: &Catalogue,
        rates: &Rates,
        currency: Currency,
        today: Date,
    ) -> Result<(Estimate<Money>, bool), MoneyError> {
        let terms = catalogue.terms(&offer.provider, Some(today));
        let tariff = Tariff::new(offer, terms);
        let rent = match tariff.term {
            // One package serves all runs of the month; shorter ones are bought again.
            Some(term) => {
                let running = self.run.saturating_mul(u64::from(self.runs));
                let spread = if term >= self.month { self.month.min(term) } else { running };
                tariff.run(spread)?
            }
            None => tariff.runs(self.run, self.runs)?,
        };
        let mut total = rent.cost;
        let mut complete = true;
        if self.storage > Bytes::ZERO {
            let stored = Stored {
                size: self.storage,
                kept: self.month,
                running: self.run.saturating_mul(u64::from(self.runs)),
                month: self.month,
            };
            let kind = terms.storage_kind(None, offer.mode);
            match kind.map(|kind| kind.cost(stored)).transpose()?.flatten() {
                Some(kept) => {
                    let kept = Estimate::new(
                        rates.convert(kept.low, total.low.currency())?,
                        rates.convert(kept.likely, total.low.currency())?,
                        rates.convert(kept.high, total.low.currency())?,
                    );
                    total.low = total.low.checked_add(kept.low)?;
                    total.likely = total.likely.checked_add(kept.likely)?;
                    total.high = total.high.checked_add(kept.high)?;
                }
                None => complete = false,
            }
        }
        let total = Estimate::new(
            rates.convert(total.low, currency)?,
            rates.convert(total.likely, currency)?,
            rates.convert(total.high, currency)?,
        );
        Ok((total, complete))
    }
}

impl<'a> Found<'a> {
    /// Groups the hits by card and currency, dearest median last.
    pub fn by_card(&self) -> Vec<CardGroup<'a>> {
        let mut hits: Vec<&Hit<'a>> = self.hits.iter().collect();
        let key = |hit: &&Hit<'a>| (hit.per_card.currency(), &hit.card.id);
        hits.sort_by(|a, b| {
            key(a).cmp(&key(b)).then_with(|| a.per_card.amount().cmp(&b.per_card.amount()))
        });
        let mut groups: Vec<CardGroup<'a>> = hits
            .chunk_by(|a, b| key(a) == key(b))
            .filter_map(|same| {
                let (low, high) = (same.first()?, same.last()?);
                let middle = same.get(same.len() / 2)?;
                Some(CardGroup {
                    card: low.card,
                    currency: low.per_card.currency(),
                    offers: same.len(),
                    low: low.per_card,
                    median: middle.per_card,
                    high: high.per_card,
                    cheapest: low.offer,
                })
            })
            .collect();
        groups.sort_by(|a, b| {
            a.currency.cmp(&b.currency).then_with(|| a.median.amount().cmp(&b.median.amount()))
        });
        groups
    }
}

#[cfg(test)]
mod tests;
