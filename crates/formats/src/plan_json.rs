//! The JSON contract of `kasuan plan --format json`.
//!
//! Sums, prices, hours, shares and other decimals are strings, so that no reader rounds them;
//! bytes, seconds and counts are whole numbers; what is unknown is `null`. Fields may be added to a
//! version, never renamed or removed.

pub mod v1;
