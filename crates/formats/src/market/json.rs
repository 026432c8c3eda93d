//! JSON price lists: which one it is, by its keys, and ways to read values leniently.

use super::{
    ImportError, aggregators, azure, chinese, karpenter, marketplaces,
    taker::{Taker, decimal},
};
use rust_decimal::Decimal;
use serde_json::Value;

/// Reads a JSON file of any known source. Several documents one after another are read as a list.
pub(super) fn read(text: &str, taker: &mut Taker<'_>) -> Result<(), ImportError> {
    let documents = serde_json::Deserializer::from_str(text)
        .into_iter::<Value>()
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| ImportError::Json { line: error.line(), column: error.column() })?;
    let mut documents = documents.into_iter();
    let (first, rest) = (documents.next(), documents.len());
    let value = match first {
        None => return Err(ImportError::Empty),
        Some(only) if rest == 0 => only,
        Some(first) => Value::Array(std::iter::once(first).chain(documents).collect()),
    };
    let rows = value.as_array();
    let first_row = rows.and_then(|rows| rows.first());
    let row_has = |key: &str| first_row.is_some_and(|row| row.get(key).is_some());
    let has = |key: &str| value.get(key).is_some();
    let inner = |outer: &str, key: &str| {
        value
            .get(outer)
            .and_then(Value::as_array)
            .and_then(|rows| rows.first())
            .is_some_and(|row| row.get(key).is_some())
    };
    if has("offers") && inner("offers", "usd_hr") {
        aggregators::gpurentalprices(&value, taker);
    } else if row_has("price_usd_hour") {
        aggregators::tardellirs(&value, taker);
    } else if has("Items") && (has("BillingCurrency") || inner("Items", "armSkuName")) {
        azure::read(&value, taker);
    } else if has("offers") && inner("offers", "dph_total") {
        marketplaces::vast(&value, taker);
    } else if value.pointer("/data/gpuTypes").is_some() || row_has("securePrice") || has("gpuTypes")
    {
        marketplaces::runpod(&value, taker);
    } else if has("prices") && value.pointer("/prices").is_some_and(Value::is_object) {
        karpenter::read_gcp(&value, taker)?;
    } else if has("PriceDetails") || row_has("GpuType") || has("PriceSet") {
        chinese::compshare(&value, taker)?;
    } else if value.pointer("/data/list").is_some() || row_has("payg_price") {
        chinese::autodl(&value, taker);
    } else if is_region_map(&value) {
        karpenter::read_regions(&value, taker)?;
    } else {
        let keys = match (&value, first_row) {
            (_, Some(Value::Object(row))) => row.keys().take(6).cloned().collect(),
            (Value::Object(whole), _) => whole.keys().take(6).cloned().collect(),
            _ => Vec::new(),
        };
        return Err(ImportError::Unknown { seen: keys.join(", ") });
    }
    Ok(())
}

/// Says whether a value is `{region: {instance: price}}`.
fn is_region_map(value: &Value) -> bool {
    let first = value.as_object().and_then(|map| map.values().next());
    let inner = first.and_then(Value::as_object).and_then(|map| map.values().next());
    inner.is_some_and(|price| number(Some(price)).is_some())
}

/// Returns a text, empty when there is none.
pub(super) fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row.get(key).and_then(Value::as_str).unwrap_or("").trim()
}

/// Returns a number, also when it stands as a text.
pub(super) fn number(value: Option<&Value>) -> Option<f64> {
    match value? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// Returns a price as the decimal it was written as.
pub(super) fn price(value: Option<&Value>) -> Option<Decimal> {
    match value? {
        Value::Number(number) => {
            let text = number.to_string();
            let read = text.parse().or_else(|_| Decimal::from_scientific(&text));
            Some(read.unwrap_or_else(|_| decimal(number.as_f64().unwrap_or(0.0))))
        }
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}
