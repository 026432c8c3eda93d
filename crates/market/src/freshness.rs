//! How old a price is, in bands that a reader can act on.

use jiff::civil::Date;
use kasuan_model::Source;

/// A band of age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Freshness {
    /// Young enough to order by.
    Fresh,
    /// Check before ordering: a fifth of the price series kept here moved within 49 days.
    Ageing,
    /// A hint at most.
    Stale,
    /// The source has no date.
    Undated,
}

impl Freshness {
    /// Returns the stable word used in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Ageing => "ageing",
            Self::Stale => "stale",
            Self::Undated => "undated",
        }
    }
}

/// Where the bands end, in days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bands {
    /// The oldest fresh price.
    pub fresh: u32,
    /// The oldest ageing price.
    pub ageing: u32,
}

impl Default for Bands {
    /// A month and half a year.
    fn default() -> Self {
        Self { fresh: 30, ageing: 180 }
    }
}

impl Bands {
    /// Returns the band that a source is in on a day.
    pub fn of(self, source: &Source, today: Date) -> Freshness {
        match source.age_days(today) {
            None => Freshness::Undated,
            Some(days) if days <= self.fresh => Freshness::Fresh,
            Some(days) if days <= self.ageing => Freshness::Ageing,
            Some(_) => Freshness::Stale,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn fx_139_bands_are_closed_at_their_older_end_and_can_be_moved() {
        let mut source = Source::stated("page");
        let today = date(2026, 12, 1);
        assert_eq!(Bands::default().of(&source, today), Freshness::Undated);
        source.date = Some(date(2026, 11, 1));
        assert_eq!(Bands::default().of(&source, today), Freshness::Fresh);
        source.date = Some(date(2026, 10, 31));
        assert_eq!(Bands::default().of(&source, today), Freshness::Ageing);
        source.date = Some(date(2024, 10, 10));
        assert_eq!(Bands::default().of(&source, today), Freshness::Stale);
        assert_eq!(Bands { fresh: 2000, ageing: 3000 }.of(&source, today), Freshness::Fresh);
    }
}
