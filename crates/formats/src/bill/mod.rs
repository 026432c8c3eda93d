//! Bills: from a provider's export to [`Charge`]s, whole or not at all.
//!
//! The layouts stand in `data/bills/layouts.toml`. A column that nobody knows is a warning, a
//! required one that is missing is an error, and a row that cannot be read stops the import with
//! its line, because half a bill is worse than none.

mod decode;
mod error;
mod layout;
mod rows;
mod time;

pub use error::BillError;
pub use layout::{Layout, layouts};

use jiff::tz::Offset;
use kasuan_model::{Charge, Money, Phrase};
use sha2::{Digest as _, Sha256};

/// How to read a bill.
#[derive(Clone, Debug, Default)]
pub struct BillOptions {
    /// Reads by this layout instead of choosing by the headers.
    pub layout: Option<String>,
    /// The zone of times that state none; the layout's own when not given.
    pub zone: Option<Offset>,
    /// The currency of a bill that states none, where the layout has no default.
    pub currency: Option<kasuan_model::Currency>,
}

/// A bill as read.
#[derive(Clone, Debug)]
pub struct Bill {
    /// The layout it was read by.
    pub layout: &'static str,
    /// SHA-256 of the file's bytes, in hexadecimal: the same file has the same one.
    pub fingerprint: String,
    /// The rows.
    pub charges: Vec<Charge>,
    /// What the reader should look at; nothing that changes a total.
    pub warnings: Vec<Phrase>,
    /// The total that the file states itself, when it does; it equals that of the rows.
    pub stated_total: Option<Money>,
}

/// Reads a bill. `name` is the file's name, for messages.
pub fn read(name: &str, bytes: &[u8], options: &BillOptions) -> Result<Bill, BillError> {
    let text = decode::text(name, bytes)?;
    let table = decode::table(name, &text)?;
    let chosen = layout::choose(name, &table.header, options.layout.as_deref())?;
    let mut warnings = chosen.warnings(&table.header);
    let read = rows::read(name, &chosen, &table, options)?;
    warnings.extend(read.warnings);
    Ok(Bill {
        layout: chosen.layout.id,
        fingerprint: hexadecimal(&Sha256::digest(bytes)),
        charges: read.charges,
        warnings,
        stated_total: read.stated_total,
    })
}

/// Writes bytes as hexadecimal digits.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
