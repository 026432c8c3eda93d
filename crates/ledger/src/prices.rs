//! Prices as they were seen by day: what imports of price lists leave behind.

use crate::{
    Ledger, LedgerError,
    driver::{Row, Value},
    ledger::Cells,
};
use kasuan_model::{CardId, Currency, Money, PriceObservation};

const COLUMNS: &str =
    "provider, product, card, tier, mode, currency, day, dated, card_hour, source";

/// One statement for both stores: a later import of the same day corrects the earlier one.
const RECORD: &str = "
INSERT INTO prices (provider, product, card, tier, mode, currency, day, dated, card_hour, source)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (provider, product, card, tier, mode, currency, day)
DO UPDATE SET dated = excluded.dated, card_hour = excluded.card_hour, source = excluded.source";

impl Ledger {
    /// Records prices by their day, then does the rest of an import; all or nothing.
    ///
    /// A price of the same product and day replaces the one that is there, so that a corrected
    /// list can be imported again. When `rest` fails, nothing is recorded.
    pub fn record_prices<E: From<LedgerError>>(
        &mut self,
        prices: &[PriceObservation],
        rest: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let mut failed = None;
        let recorded = self.atomically(|driver| {
            // In the order of the key, so that the table grows at its end; the sort is stable, so
            // that of two prices of one day the later still counts.
            let mut in_order: Vec<&PriceObservation> = prices.iter().collect();
            in_order.sort_by(|a, b| key(a).cmp(&key(b)));
            driver.execute_many(RECORD, &mut in_order.into_iter().map(row))?;
            rest().map_err(|error| {
                failed = Some(error);
                LedgerError::Store { doing: "finish the import", source: "rolled back".into() }
            })
        });
        match (failed, recorded) {
            (Some(error), _) => Err(error),
            (None, recorded) => Ok(recorded?),
        }
    }

    /// Returns every recorded price, by product and day.
    pub fn prices(&mut self) -> Result<Vec<PriceObservation>, LedgerError> {
        let rows = self.driver.query(
            &format!(
                "SELECT {COLUMNS} FROM prices
                 ORDER BY provider, card, product, tier, mode, currency, day"
            ),
            &[],
        )?;
        rows.iter().map(observation).collect()
    }
}

/// What the store sorts by first; the rest decides among few.
fn key(seen: &PriceObservation) -> (&str, &str, &str) {
    (&seen.provider, &seen.product, seen.card.as_str())
}

fn row(seen: &PriceObservation) -> Row {
    vec![
        Value::text(&seen.provider),
        Value::text(&seen.product),
        Value::text(seen.card.as_str()),
        Value::text(&seen.tier),
        Value::text(seen.mode.word()),
        Value::text(seen.price.currency().code()),
        Value::text(seen.day.to_string()),
        Value::Integer(i64::from(seen.dated)),
        Value::text(seen.price.amount().normalize().to_string()),
        Value::text(&seen.source),
    ]
}

fn observation(row: &Row) -> Result<PriceObservation, LedgerError> {
    let mut cells = Cells::of(row);
    let provider = cells.text("a provider")?;
    let product = cells.text("a product")?;
    let card = CardId::new(&cells.text("a card")?);
    let tier = cells.text("a tier")?;
    let mode = cells.parsed("a billing mode")?;
    let currency: Currency = cells.parsed("a currency")?;
    let day = cells.parsed("a day")?;
    let dated = cells.integer("whether the price is dated")? != 0;
    let price = Money::new(cells.parsed("a price")?, currency);
    let source = cells.text("a source")?;
    Ok(PriceObservation { provider, product, card, tier, mode, day, dated, price, source })
}
