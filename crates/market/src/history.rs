//! Prices as they were: what moved, how far, and how sure a planned price can be.

use jiff::civil::Date;
use kasuan_model::{BillingMode, CardId, Money, Source};
use rust_decimal::{Decimal, prelude::ToPrimitive as _};
use std::collections::BTreeMap;

/// A price that stood unchanged from one day to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// The provider's id.
    pub provider: String,
    /// The card.
    pub card: CardId,
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
    /// The provider's tier.
    pub tier: &'a str,
    /// How it was paid for.
    pub mode: BillingMode,
    /// The stretches of unchanged price.
    pub stretches: Vec<&'a Stretch>,
}

/// How far prices moved within the time that was watched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volatility {
    /// Series that were watched long enough.
    pub series: usize,
    /// Share of them whose price changed at all, 0 to 1.
    pub moved: f64,
    /// Highest over lowest price less 1: the median of those that moved; 0 when none did.
    pub median_range: f64,
    /// Last over first price: a tenth of the series fell below this.
    pub low: f64,
    /// Last over first price: a tenth of the series rose above this.
    pub high: f64,
    /// Days that the series were watched, on average.
    pub days: f64,
}

/// A series says nothing of volatility before it was watched for a month.
const FEWEST_DAYS: i32 = 30;

/// Fewer series than these say nothing of a class.
const FEWEST_SERIES: usize = 8;

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
            .map(|((provider, card, tier, mode), stretches)| Series {
                provider,
                card,
                tier,
                mode,
                stretches,
            })
            .collect()
    }

    /// Returns how far prices moved, of the narrowest class that has enough series: this card at
    /// this provider, this card anywhere, this provider's cards, or everything. `None` without any
    /// series of a month.
    pub fn volatility(&self, card: Option<&CardId>, provider: Option<&str>) -> Option<Volatility> {
        let classes = [(card, provider), (card, None), (None, provider), (None, None)];
        let enough = |(card, provider)| {
            let found = volatility(&self.series(card, provider))?;
            (found.series >= FEWEST_SERIES).then_some(found)
        };
        classes.into_iter().find_map(enough).or_else(|| volatility(&self.series(None, None)))
    }
}

type Key<'a> = (&'a str, &'a CardId, &'a str, BillingMode);

fn key(stretch: &Stretch) -> Key<'_> {
    (&stretch.provider, &stretch.card, &stretch.tier, stretch.mode)
}

impl Series<'_> {
    /// Returns the first and the last day.
    pub fn span(&self) -> Option<(Date, Date)> {
        Some((self.stretches.first()?.from, self.stretches.last()?.until))
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

/// Measures series of at least a month.
fn volatility(series: &[Series<'_>]) -> Option<Volatility> {
    let mut ranges = Vec::new();
    let mut factors = Vec::new();
    let mut days = 0.0;
    for one in series {
        let Some((from, until)) = one.span() else { continue };
        let Ok(span) = until.since(from) else { continue };
        if span.get_days() + 1 < FEWEST_DAYS {
            continue;
        }
        let prices = || one.stretches.iter().filter_map(|stretch| stretch.price.amount().to_f64());
        let (first, last) = (prices().next(), prices().next_back());
        let (Some(first), Some(last)) = (first, last) else { continue };
        if first <= 0.0 {
            continue;
        }
        let lowest = prices().fold(f64::INFINITY, f64::min);
        let highest = prices().fold(0.0, f64::max);
        if highest > lowest {
            ranges.push(highest / lowest - 1.0);
        }
        factors.push(last / first);
        days += f64::from(span.get_days() + 1);
    }
    let count = factors.len();
    if count == 0 {
        return None;
    }
    factors.sort_by(f64::total_cmp);
    ranges.sort_by(f64::total_cmp);
    Some(Volatility {
        series: count,
        moved: ranges.len() as f64 / count as f64,
        median_range: quantile(&ranges, 0.5),
        low: quantile(&factors, 0.1),
        high: quantile(&factors, 0.9),
        days: days / count as f64,
    })
}

/// Returns a quantile of sorted numbers by linear interpolation, 0 of none.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1) as f64;
    let at = share * last;
    let value = |index: f64| sorted.get(index as usize).copied().unwrap_or(0.0);
    value(at.floor()) + (value(at.ceil()) - value(at.floor())) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;
    use jiff::civil::date;
    use kasuan_model::Currency;

    fn shipped() -> History {
        Catalogue::shipped_history().unwrap()
    }

    /// 2026-07-05 to 2026-08-22, gpurentalprices.com: about a fifth of the series moved in 49 days.
    #[test]
    fn the_shipped_history_moves_as_the_raw_table_does() {
        let history = shipped();
        let all = history.volatility(None, None).unwrap();
        assert!(all.series > 240, "{all:?}");
        assert!((0.18..0.26).contains(&all.moved), "{all:?}");
        assert!((0.12..0.28).contains(&all.median_range), "{all:?}");
        assert!(all.low <= 1.0 && all.high >= 1.0, "{all:?}");
    }

    #[test]
    fn a_class_with_few_series_borrows_from_a_wider_one() {
        let history = shipped();
        let all = history.volatility(None, None).unwrap();
        let unseen = history.volatility(Some(&CardId::new("k80")), Some("nobody"));
        assert_eq!(unseen, Some(all));
        let h100 = history.volatility(Some(&CardId::new("h100-sxm5-80")), None).unwrap();
        assert!(h100.series >= FEWEST_SERIES && h100.series < all.series);
    }

    #[test]
    fn days_between_stretches_keep_the_price_before() {
        let stretch = |from, until, price: i64| Stretch {
            provider: "a".to_owned(),
            card: CardId::new("t4"),
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
}
