//! Bills: from a provider's export to [`Charge`]s, whole or not at all.
//!
//! The layouts stand in `data/bills/layouts.toml`. A column that nobody knows is a warning, a
//! required one that is missing is an error, and a row that cannot be read stops the import with
//! its line, because half a bill is worse than none.

mod decode;
mod error;
mod layout;
mod period;
mod rows;
mod time;

pub use error::BillError;
pub use layout::{Layout, layouts, own_layout};
pub use time::{moment, month, states_zone};

use crate::columnar;
use jiff::tz::Offset;
use kasuan_model::{Charge, Money, Phrase};
use sha2::{Digest as _, Sha256};

/// How to read a bill.
#[derive(Clone, Debug, Default)]
pub struct BillOptions {
    /// Reads by this layout, or one of this provider, instead of choosing by the headers alone.
    pub layout: Option<String>,
    /// Reads by this layout of the user's own; see [`own_layout`].
    pub own: Option<&'static Layout>,
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
    /// Whether an invoice has one account, currency and period, as FOCUS promises.
    pub strict_invoices: bool,
}

/// Reads a bill. `name` is the file's name, for messages.
pub fn read(name: &str, bytes: &[u8], options: &BillOptions) -> Result<Bill, BillError> {
    let table = if columnar::is(bytes) {
        decode::columns(name, bytes)?
    } else {
        decode::table(name, &decode::text(name, bytes)?)?
    };
    let chosen = layout::choose(name, &table.header, options)?;
    let mut warnings = chosen.warnings(&table.header);
    let read = rows::read(name, &chosen, &table, options)?;
    warnings.extend(read.warnings);
    warnings.extend(period::cut(&read.charges));
    Ok(Bill {
        strict_invoices: chosen.layout.provider.is_none(),
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
