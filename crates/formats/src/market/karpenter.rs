//! Karpenter's generated price maps: Go sources of AWS and Azure, JSON of Google Cloud and
//! Alibaba. They name instance types only; card and count are those of the same type in the
//! catalogue, and types without a card are counted.

use super::{
    ImportError,
    taker::{Raw, Taker},
};
use kasuan_model::{BillingMode, Currency, Phrase};
use rust_decimal::Decimal;
use serde_json::Value;

/// Reads `zz_generated.pricing*.go`: `"region": { "type": price, ... }`.
pub(super) fn read_go(text: &str, taker: &mut Taker<'_>) -> Result<(), ImportError> {
    taker.report.format = "karpenter";
    let azure = text.contains("Standard_");
    let currency = if text.contains("\"cn-north-1\"") { Currency::CNY } else { Currency::USD };
    let provider = provider(taker, if azure { "azure" } else { "aws" });
    let mut region = String::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("//") {
            continue;
        }
        // A region opens a map; a line of the AWS file holds several types, one of Azure's one.
        if let Some((head, _)) = line.split_once("map[string]float64{").or(line.split_once(": {")) {
            if let Some(name) = quoted(head) {
                name.clone_into(&mut region);
            }
            continue;
        }
        for entry in line.split(',') {
            let Some((name, number)) = entry.split_once(':') else { continue };
            let Some(name) = quoted(name) else { continue };
            taker.report.rows += 1;
            let Ok(price) = number.trim().parse::<Decimal>() else {
                let why = Phrase::new("import-not-a-price").with("text", number.trim());
                taker.refuse(at as u64 + 1, name, why);
                continue;
            };
            taker.take(Raw {
                line: at as u64 + 1,
                provider: &provider,
                region: &region,
                product: name,
                price,
                count: None,
                currency: Some(currency),
                host_included: Some(true),
                ..Raw::default()
            });
        }
    }
    Ok(())
}

/// Reads Google Cloud's `initial-prices.json`:
/// `{prices: {region: {on_demand: {type: price}, spot: {...}}}}`.
pub(super) fn read_gcp(file: &Value, taker: &mut Taker<'_>) -> Result<(), ImportError> {
    taker.report.format = "karpenter";
    let provider = provider(taker, "gcp");
    for (region, modes) in file.get("prices").and_then(Value::as_object).into_iter().flatten() {
        for (word, mode) in [("on_demand", BillingMode::OnDemand), ("spot", BillingMode::Spot)] {
            if let Some(prices) = modes.get(word) {
                take_map(taker, &provider, region, mode, Currency::USD, prices);
            }
        }
    }
    Ok(())
}

/// Reads `{region: {type: price}}`, as Alibaba's `initial-on-demand-prices.json`, whose currency is
/// not stated in the file.
pub(super) fn read_regions(file: &Value, taker: &mut Taker<'_>) -> Result<(), ImportError> {
    taker.report.format = "karpenter";
    let Some(provider) = taker.stated.provider.clone() else {
        return Err(ImportError::NotStated { what: "provider" });
    };
    let Some(currency) = taker.stated.currency else {
        return Err(ImportError::NotStated { what: "currency" });
    };
    for (region, prices) in file.as_object().into_iter().flatten() {
        take_map(taker, &provider, region, BillingMode::OnDemand, currency, prices);
    }
    Ok(())
}

fn take_map(
    taker: &mut Taker<'_>,
    provider: &str,
    region: &str,
    mode: BillingMode,
    currency: Currency,
    prices: &Value,
) {
    for (product, value) in prices.as_object().into_iter().flatten() {
        taker.report.rows += 1;
        let row_of_file = Raw {
            line: taker.report.rows as u64,
            provider,
            region,
            product,
            mode,
            count: None,
            currency: Some(currency),
            host_included: Some(true),
            ..Raw::default()
        };
        taker.take_at(row_of_file, Some(value));
    }
}

fn provider(taker: &Taker<'_>, usual: &str) -> String {
    taker.stated.provider.clone().unwrap_or_else(|| usual.to_owned())
}

fn quoted(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('"')?;
    rest.split_once('"').map(|(name, _)| name)
}
