//! Reads single fields of a config.json by the names that different families give them.

use super::error::HfConfigError;
use serde_json::{Map, Value};

/// No model has a dimension above this (the largest vocabulary known is about a million); products
/// of a few of them stay far from 64 bits.
const MOST: u64 = 1 << 24;

/// An object of a config.json.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a>(pub(super) &'a Map<String, Value>);

impl<'a> Fields<'a> {
    /// Returns a field that is there and not null.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// Returns a nested object.
    pub(super) fn object(&self, name: &str) -> Option<Self> {
        self.get(name)?.as_object().map(Fields)
    }

    /// Returns a text.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.get(name)?.as_str()
    }

    /// Returns a switch.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        self.get(name)?.as_bool()
    }

    /// Returns the first of several switches that is there.
    pub(super) fn any_flag(&self, names: &[&str]) -> Option<bool> {
        names.iter().find_map(|name| self.flag(name))
    }

    /// Returns the items of a list.
    pub(super) fn list(&self, name: &str) -> Option<&'a [Value]> {
        self.get(name)?.as_array().map(Vec::as_slice)
    }

    /// Returns a count, zero included; `None` when the field is missing, null or `-1`.
    pub(super) fn count(&self, name: &str) -> Result<Option<u32>, HfConfigError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        // Some files write 4096.0 for a count, and -1 for "not used".
        let whole = value.as_u64().or_else(|| {
            value
                .as_f64()
                .filter(|number| number.fract() == 0.0 && *number >= 0.0)
                .map(|n| n as u64)
        });
        match whole {
            Some(count) if count <= MOST => Ok(u32::try_from(count).ok()),
            Some(value) => {
                Err(HfConfigError::TooLarge { field: name.to_owned(), value, most: MOST })
            }
            None if value.as_i64() == Some(-1) => Ok(None),
            None => {
                let mut value = value.to_string();
                value.truncate(value.char_indices().nth(40).map_or(value.len(), |(at, _)| at));
                Err(HfConfigError::NotACount { field: name.to_owned(), value })
            }
        }
    }

    /// Returns the first of several counts that is there and above zero, with its name.
    pub(super) fn first<'n>(
        &self,
        names: &[&'n str],
    ) -> Result<Option<(u32, &'n str)>, HfConfigError> {
        for name in names {
            match self.count(name)? {
                Some(0) => {
                    return Err(HfConfigError::NotACount {
                        field: (*name).to_owned(),
                        value: "0".to_owned(),
                    });
                }
                Some(count) => return Ok(Some((count, name))),
                None => {}
            }
        }
        Ok(None)
    }

    /// Returns the first of several counts that is there, or a value in its place.
    pub(super) fn count_or(&self, names: &[&str], other: u32) -> Result<u32, HfConfigError> {
        for name in names {
            if let Some(count) = self.count(name)? {
                return Ok(count);
            }
        }
        Ok(other)
    }
}
