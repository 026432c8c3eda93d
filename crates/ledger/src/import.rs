//! Imports of bills: all files or none, never twice, and a report of every row's fate.

use crate::{
    Ledger, LedgerError,
    charges::{COLUMNS, row},
    driver::{Driver, KEEP, Row, Value},
    ledger::{count, seconds},
};
use jiff::Timestamp;
use kasuan_model::{Charge, Money};
use std::collections::{BTreeMap, BTreeSet};

/// The most refusals that are told one by one.
const TOLD: usize = 20;

/// A bill to import.
#[derive(Clone, Debug)]
pub struct BillFile {
    /// A digest of the file's bytes.
    pub fingerprint: String,
    /// The file's name.
    pub name: String,
    /// Its rows.
    pub charges: Vec<Charge>,
    /// Whether an invoice has one account, currency and period, as FOCUS promises; elsewhere the
    /// column may hold an order that is renewed for months.
    pub strict_invoices: bool,
}

/// What happens to what is there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Equal rows are merged; a row that differs from the one under its key stops the import.
    #[default]
    Merge,
    /// The files stand for their whole bills: what the ledger has of these bills goes first.
    Replace,
    /// As `Merge`, and nothing stays: only the report is wanted.
    Rehearse,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileImport {
    /// The file.
    pub name: String,
    /// Rows of the file.
    pub rows: u64,
    /// Rows that are new.
    pub new: u64,
    /// Rows that the ledger had, equal in every cell.
    pub merged: u64,
    /// Whether the very same file was imported before; nothing was read of it again.
    pub seen_before: bool,
}

/// Why a row stops an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The ledger has another row under this key.
    Differs {
        /// The file.
        file: String,
        /// The row's key.
        key: String,
        /// What the ledger has.
        before: String,
        /// What the file has.
        now: Money,
    },
    /// The invoice id belongs to another account, currency or period already.
    Invoice {
        /// The file.
        file: String,
        /// The invoice.
        invoice: String,
    },
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BillImport {
    /// The files, in order.
    pub files: Vec<FileImport>,
    /// Rows removed by [`Mode::Replace`].
    pub replaced: u64,
    /// Rows of the same bills that earlier files brought and these files do not have.
    pub others: u64,
    /// Why nothing was imported; empty when everything was. The first ones only.
    pub refused: Vec<Refusal>,
    /// How many refusals there are in all.
    pub refusals: u64,
}

/// What makes a bill: who bills whom for which period.
type BillId<'a> = (&'a str, &'a str, i64, i64);

fn bill_of(charge: &Charge) -> BillId<'_> {
    let (start, end) = charge.billing_period;
    (&charge.provider, &charge.account, start.as_second(), end.as_second())
}

const OF_BILL: &str = "provider = $1 AND account = $2 AND bill_start_s = $3 AND bill_end_s = $4";

fn bill_values((provider, account, start, end): BillId<'_>) -> [Value; 4] {
    [Value::text(provider), Value::text(account), Value::Integer(start), Value::Integer(end)]
}

fn first_count(rows: &[Row]) -> u64 {
    let number = rows.first().and_then(|row| row.first()).and_then(Value::as_integer);
    number.and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
}

impl Ledger {
    /// Imports bills in one transaction: when one row of one file is refused, nothing of any file
    /// stays.
    pub fn import_bills(
        &mut self,
        files: &[BillFile],
        at: Timestamp,
        mode: Mode,
    ) -> Result<BillImport, LedgerError> {
        self.atomically_if(|driver| {
            let done = import(driver, files, at, mode)?;
            let stays = done.refusals == 0 && mode != Mode::Rehearse;
            Ok((done, stays))
        })
    }
}

fn import(
    driver: &mut dyn Driver,
    files: &[BillFile],
    at: Timestamp,
    mode: Mode,
) -> Result<BillImport, LedgerError> {
    let mut done = BillImport::default();
    if mode == Mode::Replace {
        let bills: BTreeSet<BillId<'_>> =
            files.iter().flat_map(|file| &file.charges).map(bill_of).collect();
        for bill in &bills {
            let sql = format!("DELETE FROM charges WHERE {OF_BILL}");
            done.replaced += driver.execute(&sql, &bill_values(*bill))?;
        }
    }
    let mut fresh = Vec::new();
    for file in files {
        let known = "SELECT COUNT(*) FROM imports WHERE fingerprint = $1";
        let known = driver.query(known, &[Value::text(&file.fingerprint)])?;
        let seen_before = first_count(&known) > 0 && mode != Mode::Replace;
        let rows = file.charges.len() as u64;
        let mut told =
            FileImport { name: file.name.clone(), rows, new: 0, merged: rows, seen_before };
        if !seen_before {
            // Keys are digests where a bill has none: in their order each page of the table is filled
            // once, and not touched again and again.
            let mut order: Vec<&Charge> = file.charges.iter().collect();
            order.sort_unstable_by(|a, b| (&a.provider, &a.key).cmp(&(&b.provider, &b.key)));
            let mut rows = order.into_iter().map(row);
            told.new = driver.insert_many("charges", &COLUMNS, KEEP, &mut rows)?;
            told.merged = told.rows.saturating_sub(told.new);
            if told.merged > 0 {
                compare(driver, file, &mut done)?;
            }
            if file.strict_invoices {
                invoices(driver, file, &mut done)?;
            }
            record(driver, file, at, told.new)?;
            fresh.push(file);
        }
        done.files.push(told);
    }
    done.others = others(driver, &fresh)?;
    Ok(done)
}

fn refuse(done: &mut BillImport, refusal: Refusal) {
    done.refusals += 1;
    if done.refused.len() < TOLD {
        done.refused.push(refusal);
    }
}

/// Compares rows that were not new with what the ledger has under their keys.
fn compare(
    driver: &mut dyn Driver,
    file: &BillFile,
    done: &mut BillImport,
) -> Result<(), LedgerError> {
    let columns = COLUMNS.join(", ");
    let mut kept: BTreeMap<(String, String), Row> = BTreeMap::new();
    let bills: BTreeSet<BillId<'_>> = file.charges.iter().map(bill_of).collect();
    for bill in bills {
        let sql = format!("SELECT {columns} FROM charges WHERE {OF_BILL}");
        for row in driver.query(&sql, &bill_values(bill))? {
            if let [Value::Text(provider), Value::Text(key), ..] = row.as_slice() {
                kept.insert((provider.clone(), key.clone()), row);
            }
        }
    }
    for charge in &file.charges {
        let before = match kept.get(&(charge.provider.clone(), charge.key.clone())) {
            Some(before) => before.clone(),
            // The key stands in another bill.
            None => {
                let sql =
                    format!("SELECT {columns} FROM charges WHERE provider = $1 AND row_key = $2");
                let key = [Value::text(&charge.provider), Value::text(&charge.key)];
                driver.query(&sql, &key)?.into_iter().next().unwrap_or_default()
            }
        };
        if before == row(charge) {
            continue;
        }
        let amount = COLUMNS.iter().position(|column| *column == "billed");
        let amount = amount.and_then(|at| before.get(at)).and_then(Value::as_text);
        let refusal = Refusal::Differs {
            file: file.name.clone(),
            key: charge.key.clone(),
            before: amount.unwrap_or_default().to_owned(),
            now: charge.billed,
        };
        refuse(done, refusal);
    }
    Ok(())
}

/// Refuses invoice ids that stand in several accounts, currencies or periods.
fn invoices(
    driver: &mut dyn Driver,
    file: &BillFile,
    done: &mut BillImport,
) -> Result<(), LedgerError> {
    let with_invoice = file.charges.iter().filter(|charge| charge.invoice.is_some());
    let providers: BTreeSet<&str> = with_invoice.map(|charge| charge.provider.as_str()).collect();
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for provider in providers {
        let sql = "SELECT DISTINCT invoice, account, currency, bill_start_s, bill_end_s
             FROM charges WHERE provider = $1 AND invoice IS NOT NULL";
        for row in driver.query(sql, &[Value::text(provider)])? {
            if let Some(invoice) = row.first().and_then(Value::as_text) {
                *seen.entry(format!("{provider} {invoice}")).or_default() += 1;
            }
        }
    }
    let mut told: BTreeSet<(&str, &str)> = BTreeSet::new();
    for charge in &file.charges {
        let Some(invoice) = charge.invoice.as_deref() else { continue };
        let twice = seen.get(&format!("{} {invoice}", charge.provider)).is_some_and(|n| *n > 1);
        if twice && told.insert((&charge.provider, invoice)) {
            let (file, invoice) = (file.name.clone(), invoice.to_owned());
            refuse(done, Refusal::Invoice { file, invoice });
        }
    }
    Ok(())
}

fn record(
    driver: &mut dyn Driver,
    file: &BillFile,
    at: Timestamp,
    new: u64,
) -> Result<(), LedgerError> {
    let sql = "INSERT INTO imports (fingerprint, file, kind, at_s, row_count, new_count)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (fingerprint) DO UPDATE SET at_s = excluded.at_s";
    let values = [
        Value::text(&file.fingerprint),
        Value::text(&file.name),
        Value::text("charges"),
        seconds(at),
        count(file.charges.len()),
        count(new),
    ];
    driver.execute(sql, &values).map(drop)
}

/// Counts rows of the files' bills that are in the ledger and in none of the files.
fn others(driver: &mut dyn Driver, files: &[&BillFile]) -> Result<u64, LedgerError> {
    let mut keys: BTreeMap<BillId<'_>, BTreeSet<&str>> = BTreeMap::new();
    for charge in files.iter().flat_map(|file| &file.charges) {
        keys.entry(bill_of(charge)).or_default().insert(&charge.key);
    }
    let mut others = 0;
    for (bill, keys) in keys {
        let sql = format!("SELECT COUNT(*) FROM charges WHERE {OF_BILL}");
        let there = first_count(&driver.query(&sql, &bill_values(bill))?);
        others += there.saturating_sub(keys.len() as u64);
    }
    Ok(others)
}
