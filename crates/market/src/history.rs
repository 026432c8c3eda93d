//! Prices as they were: what moved, how far, and how sure a planned price can be.
//!
//! A series is one card of a provider in one tier, billing mode and currency, and where the
//! observations name it, one product in one region. The shipped observations name no product: of
//! two prices of a card on one day the lower counts there, and sizes of memory that a source mixes
//! under one name are series of their own.

mod volatility;

pub use volatility::{MonthlyMove, Volatility};

use jiff::civil::Date;
use kasuan_model::{BillingMode, CardId, Currency, Grade, Money, PriceObservation, Source};
use rust_decimal::Decimal;
use std::collections::BTreeMap;

/// A price that stood unchanged from one day to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// The provider's id.
    pub provider: String,
    /// The card.
    pub card: CardId,
    /// Region and product; empty where the observations name the card only.
    pub product: String,
    /// The provider's tier.
    pub tier: String,
    /// How it was paid for.
    pub mode: BillingMode,
    /// First day it was seen.
    pub from: Date,
    /// Last day it was seen.
    pub until: Date,
    /// Price of one card for one hour.
    pub price: Money,
    /// Who saw it.
    pub source: Source,
}

/// Prices of one product over time, in the order of days.
#[derive(Clone, Debug)]
pub struct Series<'a> {
    /// The provider's id.
    pub provider: &'a str,
    /// The card.
    pub card: &'a CardId,
    /// Region and product; empty where the observations name the card only.
    pub product: &'a str,
    /// The provider's tier.
    pub tier: &'a str,
    /// How it was paid for.
    pub mode: BillingMode,
    /// The currency of its prices.
    pub currency: Currency,
    /// The stretches of unchanged price.
    pub stretches: Vec<&'a Stretch>,
}

/// The observations.
#[derive(Clone, Debug, Default)]
pub struct History {
    stretches: Vec<Stretch>,
}

impl History {
    /// Creates a history.
    pub fn new(mut stretches: Vec<Stretch>) -> Self {
        stretches.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.from.cmp(&b.from)));
        Self { stretches }
    }

    /// Returns every stretch, by product and day.
    pub fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// Adds prices that were seen on days; of two prices of one series on one day the lower counts.
    pub fn with_observations(self, observations: &[PriceObservation]) -> Self {
        let mut days: BTreeMap<(Key<'_>, Date), &PriceObservation> = BTreeMap::new();
        for seen in observations {
            let of_day = days.entry((key_of(seen), seen.day)).or_insert(seen);
            if seen.price.amount() < of_day.price.amount() {
                *of_day = seen;
            }
        }
        let mut stretches = self.stretches;
        let mut last: Option<Key<'_>> = None;
        for ((key, day), seen) in days {
            match stretches.last_mut().filter(|_| last == Some(key)) {
                Some(before) if before.price == seen.price => before.until = day,
                _ => stretches.push(stretch(seen)),
            }
            last = Some(key);
        }
        Self::new(stretches)
    }

    /// Returns the series of a card and a provider; `None` means any.
    pub fn series(&self, card: Option<&CardId>, provider: Option<&str>) -> Vec<Series<'_>> {
        let wanted = |stretch: &&Stretch| {
            card.is_none_or(|card| stretch.card == *card)
                && provider.is_none_or(|provider| stretch.provider == provider)
        };
        let mut found: BTreeMap<Key<'_>, Vec<&Stretch>> = BTreeMap::new();
        for stretch in self.stretches.iter().filter(wanted) {
            found.entry(key(stretch)).or_default().push(stretch);
        }
        found
            .into_iter()
            .map(|((provider, card, product, tier, mode, currency), stretches)| Series {
                provider,
                card,
                product,
                tier,
                mode,
                currency,
                stretches,
            })
            .collect()
    }
}

/// What makes a series.
type Key<'a> = (&'a str, &'a CardId, &'a str, &'a str, BillingMode, Currency);

fn key(stretch: &Stretch) -> Key<'_> {
    (
        &stretch.provider,
        &stretch.card,
        &stretch.product,
        &stretch.tier,
        stretch.mode,
        stretch.price.currency(),
    )
}

fn key_of(seen: &PriceObservation) -> Key<'_> {
    (&seen.provider, &seen.card, &seen.product, &seen.tier, seen.mode, seen.price.currency())
}

fn stretch(seen: &PriceObservation) -> Stretch {
    Stretch {
        provider: seen.provider.clone(),
        card: seen.card.clone(),
        product: seen.product.clone(),
        tier: seen.tier.clone(),
        mode: seen.mode,
        from: seen.day,
        until: seen.day,
        price: seen.price,
        source: Source {
            text: seen.source.clone(),
            date: Some(seen.day),
            licence: None,
            grade: Grade::B,
        },
    }
}

impl Series<'_> {
    /// Returns the first and the last day.
    pub fn span(&self) -> Option<(Date, Date)> {
        let last = self.stretches.iter().map(|stretch| stretch.until).max()?;
        Some((self.stretches.first()?.from, last))
    }

    /// Returns the prices in force on each day from the first to the last.
    pub fn daily(&self) -> Vec<Decimal> {
        let Some((first, last)) = self.span() else { return Vec::new() };
        let mut days = Vec::new();
        let mut stretches = self.stretches.iter().peekable();
        let mut price = Decimal::ZERO;
        for day in first.series(jiff::Span::new().days(1)).take_while(|day| *day <= last) {
            while let Some(stretch) = stretches.next_if(|stretch| stretch.from <= day) {
                price = stretch.price.amount();
            }
            days.push(price);
        }
        days
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn days_between_stretches_keep_the_price_before() {
        let stretch = |from, until, price: i64| Stretch {
            provider: "a".to_owned(),
            card: CardId::new("t4"),
            product: String::new(),
            tier: String::new(),
            mode: BillingMode::OnDemand,
            from,
            until,
            price: Money::new(Decimal::from(price), Currency::USD),
            source: Source::stated("test"),
        };
        let history = History::new(vec![
            stretch(date(2026, 7, 4), date(2026, 7, 5), 3),
            stretch(date(2026, 7, 1), date(2026, 7, 2), 2),
        ]);
        let series = history.series(None, None);
        let daily: Vec<String> = series[0].daily().iter().map(Decimal::to_string).collect();
        assert_eq!(daily, ["2", "2", "2", "3", "3"]);
        assert_eq!(history.volatility(None, None), None, "five days are no month");
    }

    fn seen(day: i8, price: i64, product: &str) -> PriceObservation {
        PriceObservation {
            provider: "a".to_owned(),
            product: product.to_owned(),
            card: CardId::new("t4"),
            tier: String::new(),
            mode: BillingMode::OnDemand,
            day: date(2026, 7, day),
            dated: true,
            price: Money::new(Decimal::from(price), Currency::USD),
            source: "test".to_owned(),
        }
    }

    #[test]
    fn observations_of_days_become_stretches_and_the_lower_of_one_day_counts() {
        let days =
            [seen(4, 3, ""), seen(1, 2, ""), seen(2, 2, ""), seen(4, 5, ""), seen(2, 9, "x")];
        let history = History::default().with_observations(&days);
        let series = history.series(None, None);
        assert_eq!(series.len(), 2, "a product of its own is a series of its own");
        let daily: Vec<String> = series[0].daily().iter().map(Decimal::to_string).collect();
        assert_eq!(daily, ["2", "2", "2", "3"]);
        assert_eq!(series[0].stretches.len(), 2);
        // What is imported later goes on with the series that is there.
        let longer = history.with_observations(&[seen(6, 4, "")]);
        let daily: Vec<String> =
            longer.series(None, None)[0].daily().iter().map(Decimal::to_string).collect();
        assert_eq!(daily, ["2", "2", "2", "3", "3", "4"]);
    }
}
