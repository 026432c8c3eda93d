//! Azure's Retail Prices API: `{Items: [{armSkuName, retailPrice, unitOfMeasure, ...}]}`.

use super::{
    json::text,
    taker::{Raw, Taker},
};
use kasuan_model::{BillingMode, Phrase, PricePer};
use serde_json::Value;

/// Reads a page of the API; Windows, low-priority and non-hourly meters are refused with a reason.
pub(super) fn read(file: &Value, taker: &mut Taker<'_>) {
    taker.report.format = "azure_retail";
    for (at, row) in file.get("Items").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let line = at as u64 + 1;
        taker.report.rows += 1;
        let product = text(row, "armSkuName");
        let sku = text(row, "skuName");
        if text(row, "productName").contains("Windows") {
            taker.refuse(line, product, Phrase::new("import-azure-windows"));
            continue;
        }
        if sku.contains("Low Priority") {
            taker.refuse(line, product, Phrase::new("import-azure-low-priority"));
            continue;
        }
        let (mode, per) = match (text(row, "type"), text(row, "reservationTerm")) {
            ("Reservation", "1 Year") => (BillingMode::Reserved { months: 12 }, PricePer::Term),
            ("Reservation", "3 Years") => (BillingMode::Reserved { months: 36 }, PricePer::Term),
            ("Reservation", other) => {
                taker.refuse(line, product, Phrase::new("import-term").with("term", other));
                continue;
            }
            _ if sku.contains("Spot") => (BillingMode::Spot, PricePer::Hour),
            _ => (BillingMode::OnDemand, PricePer::Hour),
        };
        let unit = text(row, "unitOfMeasure");
        if unit != "1 Hour" {
            taker.refuse(line, product, Phrase::new("import-unit").with("unit", unit));
            continue;
        }
        let provider = taker.stated.provider.clone().unwrap_or_else(|| "azure".to_owned());
        let row_of_file = Raw {
            line,
            provider: &provider,
            region: text(row, "armRegionName"),
            product,
            mode,
            per,
            count: None,
            currency: text(row, "currencyCode").parse().ok(),
            host_included: Some(true),
            observed: taker.stated.observed,
            source: "https://prices.azure.com/api/retail/prices",
            ..Raw::default()
        };
        taker.take_at(row_of_file, row.get("retailPrice"));
    }
}
