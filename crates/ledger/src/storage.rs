//! Storage items: what a scan found, so that the review can price what nobody needs.

use crate::{
    Ledger, LedgerError,
    driver::{KEEP, Row, Value},
    ledger::{Cells, count, seconds},
};
use jiff::Timestamp;
use kasuan_model::Bytes;

/// A file or folder that costs money while it lies there.
#[derive(Clone, Debug, PartialEq)]
pub struct StorageItem {
    /// Unique in the ledger: the place and path.
    pub id: String,
    /// The disk or bucket it lies on.
    pub place: String,
    /// What it is: `checkpoint`, `dataset`, `cache`...
    pub kind: String,
    /// Its size.
    pub bytes: Bytes,
    /// When it was last used, where known.
    pub last_used: Option<Timestamp>,
    /// When the scan saw it.
    pub seen: Timestamp,
    /// The run that refers to it.
    pub used_by: Option<String>,
}

fn item(row: &Row) -> Result<StorageItem, LedgerError> {
    let mut cells = Cells::of(row);
    Ok(StorageItem {
        id: cells.text("an id")?,
        place: cells.text("a place")?,
        kind: cells.text("a kind")?,
        bytes: Bytes::new(u64::try_from(cells.integer("a size")?).unwrap_or(0)),
        last_used: cells.optional_integer().and_then(|s| Timestamp::from_second(s).ok()),
        seen: cells.time()?,
        used_by: cells.optional_text(),
    })
}

impl Ledger {
    /// Replaces what is known of a place by what a scan found; all or nothing.
    pub fn record_scan(&mut self, place: &str, items: &[StorageItem]) -> Result<(), LedgerError> {
        self.atomically(|driver| {
            driver.execute("DELETE FROM storage_items WHERE place = $1", &[Value::text(place)])?;
            let columns = ["id", "place", "kind", "bytes", "last_used_s", "seen_s", "used_by"];
            let mut rows = items.iter().map(|item| {
                vec![
                    Value::text(&item.id),
                    Value::text(place),
                    Value::text(&item.kind),
                    count(item.bytes.get()),
                    item.last_used.map_or(Value::Null, seconds),
                    seconds(item.seen),
                    Value::optional_text(item.used_by.as_ref()),
                ]
            });
            driver.insert_many("storage_items", &columns, KEEP, &mut rows).map(drop)
        })
    }

    /// Returns everything that scans found, largest first.
    pub fn storage_items(&mut self) -> Result<Vec<StorageItem>, LedgerError> {
        let rows = self.driver.query(
            "SELECT id, place, kind, bytes, last_used_s, seen_s, used_by FROM storage_items
             ORDER BY bytes DESC, id",
            &[],
        )?;
        rows.iter().map(item).collect()
    }
}
