//! Charges: how the rows of bills are kept and read back.

use crate::{
    Ledger, LedgerError,
    driver::{Row, Value},
    ledger::{Cells, count, damaged, seconds},
};
use jiff::Timestamp;
use kasuan_model::{CardId, Charge, ChargeCategory, Currency, Money, Payment, PricingCategory};
use std::collections::BTreeMap;

pub(crate) const COLUMNS: [&str; 24] = [
    "provider",
    "row_key",
    "account",
    "bill_start_s",
    "bill_end_s",
    "charge_start_s",
    "charge_end_s",
    "category",
    "pricing",
    "payment",
    "description",
    "service",
    "resource",
    "region",
    "card",
    "cards",
    "quantity",
    "unit",
    "currency",
    "billed",
    "effective",
    "list_price",
    "invoice",
    "tags",
];

/// Which charges to read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChargeFilter {
    /// Only this provider.
    pub provider: Option<String>,
    /// Also rows that were ordered and never paid.
    pub with_unpaid: bool,
}

fn category_word(category: ChargeCategory) -> &'static str {
    match category {
        ChargeCategory::Usage => "Usage",
        ChargeCategory::Purchase => "Purchase",
        ChargeCategory::Tax => "Tax",
        ChargeCategory::Credit => "Credit",
        ChargeCategory::Adjustment => "Adjustment",
    }
}

fn pricing_word(pricing: PricingCategory) -> &'static str {
    match pricing {
        PricingCategory::Standard => "Standard",
        PricingCategory::Committed => "Committed",
        PricingCategory::Dynamic => "Dynamic",
        PricingCategory::Other => "Other",
    }
}

fn payment_word(payment: Payment) -> &'static str {
    match payment {
        Payment::Due => "due",
        Payment::Unpaid => "unpaid",
        Payment::Refunded => "refunded",
    }
}

pub(crate) fn row(charge: &Charge) -> Row {
    let tags = if charge.tags.is_empty() {
        "{}".to_owned()
    } else {
        serde_json::to_string(&charge.tags).unwrap_or_else(|_| "{}".to_owned())
    };
    vec![
        Value::text(&charge.provider),
        Value::text(&charge.key),
        Value::text(&charge.account),
        seconds(charge.billing_period.0),
        seconds(charge.billing_period.1),
        seconds(charge.charge_period.0),
        seconds(charge.charge_period.1),
        Value::text(category_word(charge.category)),
        Value::text(pricing_word(charge.pricing)),
        Value::text(payment_word(charge.payment)),
        Value::text(&charge.description),
        Value::text(&charge.service),
        Value::optional_text(charge.resource.as_ref()),
        Value::optional_text(charge.region.as_ref()),
        Value::optional_text(charge.card.as_ref()),
        charge.cards.map_or(Value::Null, count),
        Value::optional_text(charge.quantity),
        Value::optional_text(charge.unit.as_ref()),
        Value::text(charge.billed.currency().code()),
        Value::text(charge.billed.amount().to_string()),
        Value::text(charge.effective.amount().to_string()),
        Value::optional_text(charge.list.map(Money::amount)),
        Value::optional_text(charge.invoice.as_ref()),
        Value::Text(tags),
    ]
}

fn category(word: &str) -> Result<ChargeCategory, LedgerError> {
    Ok(match word {
        "Usage" => ChargeCategory::Usage,
        "Purchase" => ChargeCategory::Purchase,
        "Tax" => ChargeCategory::Tax,
        "Credit" => ChargeCategory::Credit,
        "Adjustment" => ChargeCategory::Adjustment,
        _ => return Err(damaged(word, "a charge category")),
    })
}

fn pricing(word: &str) -> Result<PricingCategory, LedgerError> {
    Ok(match word {
        "Standard" => PricingCategory::Standard,
        "Committed" => PricingCategory::Committed,
        "Dynamic" => PricingCategory::Dynamic,
        "Other" => PricingCategory::Other,
        _ => return Err(damaged(word, "a pricing category")),
    })
}

fn payment(word: &str) -> Result<Payment, LedgerError> {
    Ok(match word {
        "due" => Payment::Due,
        "unpaid" => Payment::Unpaid,
        "refunded" => Payment::Refunded,
        _ => return Err(damaged(word, "a state of payment")),
    })
}

fn charge(row: &Row) -> Result<Charge, LedgerError> {
    let mut cells = Cells::of(row);
    let provider = cells.text("a provider")?;
    let key = cells.text("a row's key")?;
    let account = cells.text("an account")?;
    let billing_period = (cells.time()?, cells.time()?);
    let charge_period = (cells.time()?, cells.time()?);
    let category = category(&cells.text("a charge category")?)?;
    let pricing = pricing(&cells.text("a pricing category")?)?;
    let payment = payment(&cells.text("a state of payment")?)?;
    let description = cells.text("a description")?;
    let service = cells.text("a service")?;
    let resource = cells.optional_text();
    let region = cells.optional_text();
    let card = cells.optional_text().map(|id| CardId::new(&id));
    let cards = cells.optional_integer().and_then(|cards| u32::try_from(cards).ok());
    let quantity = cells.optional_parsed("a quantity")?;
    let unit = cells.optional_text();
    let currency: Currency = cells.parsed("a currency")?;
    let billed = Money::new(cells.parsed("an amount")?, currency);
    let effective = Money::new(cells.parsed("an amount")?, currency);
    let list = cells.optional_parsed("an amount")?.map(|amount| Money::new(amount, currency));
    let invoice = cells.optional_text();
    let tags = cells.text("tags")?;
    let tags: BTreeMap<String, String> =
        serde_json::from_str(&tags).map_err(|_| damaged(&tags, "tags"))?;
    Ok(Charge {
        key,
        provider,
        account,
        billing_period,
        charge_period,
        category,
        pricing,
        payment,
        description,
        service,
        resource,
        region,
        card,
        cards,
        quantity,
        unit,
        billed,
        effective,
        list,
        invoice,
        tags,
    })
}

impl Ledger {
    /// Returns the charges whose use began from `from` to before `to`, in order of time.
    pub fn charges(
        &mut self,
        from: Timestamp,
        to: Timestamp,
        filter: &ChargeFilter,
    ) -> Result<Vec<Charge>, LedgerError> {
        let mut sql = format!(
            "SELECT {} FROM charges WHERE charge_start_s >= $1 AND charge_start_s < $2",
            COLUMNS.join(", ")
        );
        let mut values = vec![seconds(from), seconds(to)];
        if let Some(provider) = &filter.provider {
            values.push(Value::text(provider));
            sql.push_str(" AND provider = $3");
        }
        if !filter.with_unpaid {
            sql.push_str(" AND payment <> 'unpaid'");
        }
        sql.push_str(" ORDER BY charge_start_s, provider, row_key");
        let rows = self.driver.query(&sql, &values)?;
        rows.iter().map(charge).collect()
    }

    /// Returns the charges of the bills of a month: those whose billing period has its middle from
    /// `from` to before `to`, so that a bill is never torn by the zone it was written in. Rows whose
    /// period is longer than 45 days count where their use began.
    pub fn bill_charges(
        &mut self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<Charge>, LedgerError> {
        let middle = "CASE WHEN bill_end_s - bill_start_s > 3888000 THEN charge_start_s
             ELSE (bill_start_s + bill_end_s) / 2 END";
        let sql = format!(
            "SELECT {} FROM charges WHERE bill_start_s < $2 AND bill_start_s >= $3
               AND {middle} >= $1 AND {middle} < $2 AND payment <> 'unpaid'
             ORDER BY charge_start_s, provider, row_key",
            COLUMNS.join(", ")
        );
        // Nobody bills for longer than five years at once.
        let earliest = Value::Integer(from.as_second() - 5 * 366 * 86_400);
        let rows = self.driver.query(&sql, &[seconds(from), seconds(to), earliest])?;
        rows.iter().map(charge).collect()
    }
}
