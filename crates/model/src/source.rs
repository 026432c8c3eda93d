//! Where a fact comes from: every price, figure and assumption carries one.

use jiff::civil::Date;
use std::fmt;

/// How good a source is, from the provider's own page to hearsay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// The provider's own price list, bill or API.
    A,
    /// A maintained collection that names its own source, or a page read by a third party.
    B,
    /// A third party's table without its own source, or an old list.
    C,
    /// A single mention.
    D,
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
        })
    }
}

/// Where a fact comes from, when it was seen, under which licence, and how good the source is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// A page, file, commit or person.
    pub text: String,
    /// The day the fact was seen; `None` when the source has no date.
    pub date: Option<Date>,
    /// The licence of the data, where one is stated.
    pub licence: Option<String>,
    /// How good the source is.
    pub grade: Grade,
}

impl Source {
    /// Creates a source for something that the user stated, in a file or on the command line.
    pub fn stated(text: impl Into<String>) -> Self {
        Self { text: text.into(), date: None, licence: None, grade: Grade::A }
    }

    /// Returns the age in days on the day `today`; `None` when undated, 0 for the future.
    pub fn age_days(&self, today: Date) -> Option<u32> {
        let span = today.since(self.date?).ok()?;
        u32::try_from(span.get_days().max(0)).ok()
    }
}

/// A value with its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub source: Source,
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn age_is_counted_in_days_and_unknown_without_a_date() {
        let mut source = Source::stated("page");
        assert_eq!(source.age_days(date(2026, 12, 1)), None);
        source.date = Some(date(2026, 6, 26));
        assert_eq!(source.age_days(date(2026, 12, 1)), Some(158));
        assert_eq!(source.age_days(date(2026, 6, 1)), Some(0));
    }
}
