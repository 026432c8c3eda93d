//! Versions as people state them: often partial (`driver 525`), sometimes a pre-release.

use std::{cmp::Ordering, fmt, str::FromStr};

/// A dotted version; `550`, `550.142` and `2.7.0.dev` are all versions, of different depth.
#[derive(Clone, Debug)]
pub struct Version {
    parts: Vec<u32>,
    pre: bool,
    /// The numbers as written: drivers are written with leading zeros, 580.65.06.
    written: String,
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}

/// A text that does not start like a version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a version")]
pub struct VersionError(pub String);

impl Version {
    /// Creates a version of two numbers.
    pub fn pair(major: u32, minor: u32) -> Self {
        Self { parts: vec![major, minor], pre: false, written: format!("{major}.{minor}") }
    }

    /// Returns the first number.
    pub fn major(&self) -> u32 {
        self.parts.first().copied().unwrap_or(0)
    }

    /// Returns the first two numbers, where two were stated.
    pub fn major_minor(&self) -> Option<(u32, u32)> {
        Some((*self.parts.first()?, *self.parts.get(1)?))
    }

    /// Returns whether this is a nightly, a development build or a release candidate.
    pub fn is_pre_release(&self) -> bool {
        self.pre
    }

    /// Returns whether every stated number of `self` agrees with `other` (`2.2` matches `2.2.1`).
    pub fn is_prefix_of(&self, other: &Self) -> bool {
        self.parts.len() <= other.parts.len()
            && self.parts.iter().zip(&other.parts).all(|(mine, theirs)| mine == theirs)
    }

    /// Returns whether both name the same release line (`2.14.1` and `2.14.0`).
    pub fn same_minor(&self, other: &Self) -> bool {
        matches!((self.major_minor(), other.major_minor()), (Some(a), Some(b)) if a == b)
    }

    /// Returns whether this version is at least `floor`, or `None` where too little was stated:
    /// driver `525` may or may not be at least 525.60.13.
    pub fn at_least(&self, floor: &Self) -> Option<bool> {
        for (place, wanted) in floor.parts.iter().enumerate() {
            match self.parts.get(place) {
                Some(have) => match have.cmp(wanted) {
                    Ordering::Less => return Some(false),
                    Ordering::Greater => return Some(true),
                    Ordering::Equal => {}
                },
                None if *wanted == 0 => {}
                None => return None,
            }
        }
        Some(!self.pre)
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    /// Orders by the numbers, absent ones counting as zero; a pre-release comes before its release.
    fn cmp(&self, other: &Self) -> Ordering {
        let depth = self.parts.len().max(other.parts.len());
        for place in 0..depth {
            let mine = self.parts.get(place).copied().unwrap_or(0);
            let theirs = other.parts.get(place).copied().unwrap_or(0);
            match mine.cmp(&theirs) {
                Ordering::Equal => {}
                unequal => return unequal,
            }
        }
        other.pre.cmp(&self.pre)
    }
}

impl FromStr for Version {
    type Err = VersionError;

    /// Reads the leading numbers; `+cu121` and the like are dropped, `.dev`, `rc`, `a0` and
    /// `nightly` mark a pre-release, `.post1` does not.
    fn from_str(text: &str) -> Result<Self, VersionError> {
        let error = || VersionError(text.to_owned());
        let trimmed = text.trim().trim_start_matches(['v', 'V', 'R', 'r']);
        let plain = trimmed.split('+').next().unwrap_or("");
        if plain.contains("..") {
            return Err(error());
        }
        let mut parts = Vec::new();
        let mut written = String::new();
        let mut pre = false;
        for piece in plain.split('.') {
            let end = piece.find(|c: char| !c.is_ascii_digit()).unwrap_or(piece.len());
            let (digits, rest) = piece.split_at(end);
            if !digits.is_empty() {
                parts.push(digits.parse().map_err(|_| error())?);
                if !written.is_empty() {
                    written.push('.');
                }
                written.push_str(digits);
            }
            if !rest.is_empty() {
                let word = rest.trim_start_matches(['-', '_']).to_ascii_lowercase();
                pre = ["dev", "rc", "a", "b", "nightly", "alpha", "beta", "git"]
                    .iter()
                    .any(|mark| word.starts_with(mark));
                break;
            }
        }
        if parts.is_empty() { Err(error()) } else { Ok(Self { parts, pre, written }) }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)?;
        if self.pre { f.write_str(".dev") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::Version;
    use proptest::prelude::*;

    fn v(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn a_partly_stated_version_is_compared_only_as_far_as_it_goes() {
        assert_eq!(v("525").at_least(&v("525.60.13")), None);
        assert_eq!(v("535").at_least(&v("525.60.13")), Some(true));
        assert_eq!(v("450").at_least(&v("525.60.13")), Some(false));
        assert_eq!(v("550.142").at_least(&v("550.54.15")), Some(true));
        assert_eq!(v("12").at_least(&v("12.0")), Some(true));
    }

    #[test]
    fn a_nightly_comes_before_its_release_and_a_post_release_does_not() {
        assert!(v("2.7.0.dev") < v("2.7.0"));
        assert!(v("2.7.0.dev20250310+cu128").is_pre_release());
        assert!(!v("2.6.0.post1").is_pre_release());
        assert_eq!(v("v0.15.1"), v("0.15.1"));
        assert!("latest".parse::<Version>().is_err());
    }

    proptest! {
        #[test]
        fn a_version_is_at_least_itself_and_survives_printing(a in 0..900_u32, b in 0..200_u32, c in 0..99_u32) {
            let version = v(&format!("{a}.{b}.{c}"));
            prop_assert_eq!(version.at_least(&version), Some(true));
            prop_assert_eq!(v(&version.to_string()), version);
            prop_assert_eq!(v("580.65.06").to_string(), "580.65.06");
        }
    }
}
