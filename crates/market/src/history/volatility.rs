//! How far prices move: of a class of series over the time it was watched, and within a month.

use super::{History, Series};
use kasuan_model::{BillingMode, CardId};
use rust_decimal::prelude::ToPrimitive as _;

/// How far prices moved within the time that was watched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volatility {
    /// Whether the series are those of the card that was asked for, or of every card.
    pub of_card: bool,
    /// Whether the series are those of the provider that was asked for, or of every provider.
    pub of_provider: bool,
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

/// How a price moves within 30 days.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MonthlyMove {
    /// Chance that it is another one 30 days later.
    pub chance: f64,
    /// Root mean square of the logarithm of the change where there is one.
    pub deviation: f64,
    /// Series of this card at this provider that were watched long enough.
    pub own: usize,
    /// Series of this billing mode that were watched long enough.
    pub all: usize,
}

/// The span of a monthly change, in days.
const MONTH: usize = 30;

/// A class of this many series counts as much as the wider class that it is part of: with fewer of
/// its own, the wider class says more.
const PRIOR_SERIES: f64 = 8.0;

impl History {
    /// Returns how far prices moved, of the narrowest class that has enough series: this card at
    /// this provider, this card anywhere, this provider's cards, or everything. `None` without any
    /// series of a month.
    pub fn volatility(&self, card: Option<&CardId>, provider: Option<&str>) -> Option<Volatility> {
        let classes = [(card, provider), (card, None), (None, provider), (None, None)];
        let enough = |(card, provider)| {
            let found = measure(&self.series(card, provider))?;
            let (of_card, of_provider) = (card.is_some(), provider.is_some());
            (found.series >= FEWEST_SERIES).then_some(Volatility { of_card, of_provider, ..found })
        };
        classes.into_iter().find_map(enough).or_else(|| measure(&self.series(None, None)))
    }

    /// Returns how a price of a card at a provider moves within a month, for a billing mode.
    ///
    /// Each series gives the share of its 30-day changes that are any, and their mean square. What
    /// a narrow class says is pooled with the wider one, by the number of series: every series of
    /// the mode, those of the card, of the provider, of the card at the provider. `None` when no
    /// series of the mode was watched for more than a month.
    pub fn monthly_move(
        &self,
        card: &CardId,
        provider: &str,
        mode: BillingMode,
    ) -> Option<MonthlyMove> {
        let series = self.series(None, None);
        let of_mode = series.iter().filter(|one| one.mode == mode);
        let seen: Vec<(bool, bool, Changes)> = of_mode
            .filter_map(|one| Some((one.card == card, one.provider == provider, Changes::of(one)?)))
            .collect();
        if seen.is_empty() {
            return None;
        }
        let class = |wanted: fn(bool, bool) -> bool| -> Vec<Changes> {
            let of_class = seen.iter().filter(|(card, provider, _)| wanted(*card, *provider));
            of_class.map(|(_, _, changes)| *changes).collect()
        };
        let every = class(|_, _| true);
        let own = class(|card, provider| card && provider);
        let (all, seen) = (every.len(), own.len());
        let pooled = [class(|card, _| card), class(|_, provider| provider), own]
            .iter()
            .fold(Changes::mean(&every, None), |wider, class| Changes::mean(class, Some(wider)));
        let deviation =
            if pooled.chance > 0.0 { (pooled.square / pooled.chance).sqrt() } else { 0.0 };
        Some(MonthlyMove { chance: pooled.chance, deviation, own: seen, all })
    }
}

/// The 30-day changes of a series, or of a class of series.
#[derive(Clone, Copy)]
struct Changes {
    /// Share of them that are any.
    chance: f64,
    /// Mean square of the logarithm of the change, those that are none included.
    square: f64,
}

impl Changes {
    /// Returns the changes of a series; `None` when it was watched for no more than a month.
    fn of(series: &Series<'_>) -> Option<Self> {
        let days: Vec<f64> = series.daily().iter().filter_map(|price| price.to_f64()).collect();
        let (mut count, mut moved, mut square) = (0.0, 0.0, 0.0);
        for (before, after) in days.iter().zip(days.iter().skip(MONTH)) {
            if *before > 0.0 && *after > 0.0 {
                count += 1.0;
                let change = (after / before).ln();
                moved += f64::from(before < after || after < before);
                square += change * change;
            }
        }
        (count > 0.0).then(|| Self { chance: moved / count, square: square / count })
    }

    /// Returns the mean of a class, in which each series counts as one and the wider class as
    /// [`PRIOR_SERIES`].
    fn mean(class: &[Self], wider: Option<Self>) -> Self {
        let weight = if wider.is_some() { PRIOR_SERIES } else { 0.0 };
        let wider = wider.unwrap_or(Self { chance: 0.0, square: 0.0 });
        let number = (class.len() as f64 + weight).max(1.0);
        let mean = |prior: f64, sum: f64| (prior * weight + sum) / number;
        Self {
            chance: mean(wider.chance, class.iter().map(|one| one.chance).sum()),
            square: mean(wider.square, class.iter().map(|one| one.square).sum()),
        }
    }
}

/// Measures series of at least a month.
fn measure(series: &[Series<'_>]) -> Option<Volatility> {
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
        of_card: false,
        of_provider: false,
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

    fn shipped() -> History {
        Catalogue::shipped_history().unwrap()
    }

    /// 2026-07-05 to 2026-08-22, gpurentalprices.com: 62 of 279 series (22 %) moved, by 21.1 % in
    /// the median. The raw table, counted without memory in the key and with every row of a day,
    /// has 66 of 287 (23 %) and 22.2 %: a card listed with 40 and 80 GB, or twice a day at two
    /// prices, then jumps to and fro. Keyed by memory, with the lower of two prices of a day, it has
    /// 61 of 287 and 17.6 %. What is left between that and this is spellings of one card that are
    /// joined here: the middle of the 62 ranges is thin, and one more moves it by 3 points.
    #[test]
    fn the_shipped_history_moves_as_the_raw_table_does() {
        let all = shipped().volatility(None, None).unwrap();
        assert_eq!(all.series, 279, "{all:?}");
        assert_eq!((all.moved * 279.0).round() as u32, 62, "{all:?}");
        assert!((all.median_range - 0.2108).abs() < 0.0001, "{all:?}");
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

    /// Providers that changed their list within the watched weeks move more than those that did
    /// not; the card at a provider without series has what all series have.
    #[test]
    fn a_month_moves_as_the_provider_has_moved() {
        let history = shipped();
        let card = CardId::new("h100-sxm5-80");
        let chance =
            |provider: &str, mode| history.monthly_move(&card, provider, mode).unwrap().chance;
        let nobody = chance("nobody", BillingMode::OnDemand);
        assert!(chance("spheron", BillingMode::OnDemand) > 2.0 * nobody);
        assert!(chance("crusoe", BillingMode::OnDemand) < nobody);
        assert!(chance("nobody", BillingMode::Spot) > nobody, "spot moves more often");
        assert_eq!(history.monthly_move(&card, "nobody", BillingMode::Monthly), None);
        let of_all = Changes::mean(
            &history
                .series(None, None)
                .iter()
                .filter(|one| one.mode == BillingMode::OnDemand)
                .filter_map(Changes::of)
                .collect::<Vec<_>>(),
            None,
        );
        assert!((0.10..0.17).contains(&of_all.chance), "{}", of_all.chance);
        assert!((0.2..0.3).contains(&(of_all.square / of_all.chance).sqrt()));
    }
}
