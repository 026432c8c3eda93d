//! Answers of Chinese providers' APIs: Compshare (优云智算) in yuan, AutoDL in thousandths of a yuan.

use super::{
    ImportError,
    json::{number, price, text},
    taker::{Raw, Taker},
};
use kasuan_model::{BillingMode, Currency, Phrase, PricePer};
use rust_decimal::Decimal;
use serde_json::Value;

/// Reads `GetCompShareInstancePrice`: either its answers joined with the question (`GpuType`,
/// `ChargeType`, `Price`), or the bare answer with `PriceDetails`, for which the card is stated.
pub(super) fn compshare(file: &Value, taker: &mut Taker<'_>) -> Result<(), ImportError> {
    taker.report.format = "compshare";
    let rows: Vec<&Value> = match file {
        Value::Array(rows) => rows.iter().collect(),
        one => ["PriceDetails", "PriceSet"]
            .iter()
            .find_map(|key| one.get(*key).and_then(Value::as_array))
            .map_or_else(|| vec![one], |rows| rows.iter().collect()),
    };
    let provider = taker.stated.provider.clone().unwrap_or_else(|| "compshare".to_owned());
    let stated_card = taker.stated.card.clone();
    for (at, row) in rows.into_iter().enumerate() {
        let line = at as u64 + 1;
        taker.report.rows += 1;
        let card = match (text(row, "GpuType"), &stated_card) {
            ("", Some(card)) => card.as_str(),
            ("", None) => return Err(ImportError::NotStated { what: "card" }),
            (card, _) => card,
        };
        let (mode, per) = match text(row, "ChargeType") {
            "Postpay" | "Dynamic" | "" => (BillingMode::OnDemand, PricePer::Hour),
            "Spot" => (BillingMode::Spot, PricePer::Hour),
            "Day" => (BillingMode::Daily, PricePer::Term),
            "Month" => (BillingMode::Monthly, PricePer::Term),
            "Year" => (BillingMode::Yearly, PricePer::Term),
            other => {
                taker.refuse(line, card, Phrase::new("import-charge-type").with("text", other));
                continue;
            }
        };
        let amount = row.get("Price").or_else(|| row.get("Instance"));
        // Memory comes in MiB, in questions and in answers.
        let mib = number(row.get("Memory"));
        let card_mib = number(row.get("GraphicsMemory"));
        let row_of_file = Raw {
            line,
            provider: &provider,
            region: text(row, "Region"),
            country: "CN",
            product: card,
            card,
            card_gb: card_mib.map(|mib| if mib < 1000.0 { mib } else { mib / 1024.0 }),
            count: number(row.get("Gpu")).or(Some(1.0)),
            vcpus: number(row.get("Cpu")),
            memory_gib: mib.map(|mib| mib / 1024.0),
            mode,
            per,
            currency: Some(Currency::CNY),
            host_included: Some(true),
            ..Raw::default()
        };
        taker.take_at(row_of_file, amount);
    }
    Ok(())
}

/// Reads AutoDL's machine or instance list; prices are thousandths of a yuan for one card.
pub(super) fn autodl(file: &Value, taker: &mut Taker<'_>) {
    taker.report.format = "autodl";
    let rows = file.pointer("/data/list").unwrap_or(file);
    for (at, row) in rows.as_array().into_iter().flatten().enumerate() {
        let line = at as u64 + 1;
        taker.report.rows += 1;
        let name = ["gpu_name", "gpu_type_name", "snapshot_gpu_alias_name", "gpu_alias_name"]
            .iter()
            .map(|key| text(row, key))
            .find(|name| !name.is_empty())
            .unwrap_or("");
        if name.is_empty() {
            taker.refuse(line, "", Phrase::new("import-no-card-name"));
            continue;
        }
        let region = [text(row, "region_sign"), text(row, "region_name")];
        let region = region.into_iter().find(|name| !name.is_empty()).unwrap_or("");
        let modes = [
            ("payg_price", BillingMode::OnDemand, PricePer::Hour),
            ("daily_price", BillingMode::Daily, PricePer::Term),
            ("weekly_price", BillingMode::Weekly, PricePer::Term),
            ("monthly_price", BillingMode::Monthly, PricePer::Term),
        ];
        let stated = modes.iter().filter(|(key, _, _)| row.get(*key).is_some_and(|v| !v.is_null()));
        let stated: Vec<_> = stated.collect();
        if stated.is_empty() {
            taker.refuse(line, name, Phrase::new("import-price-missing"));
        }
        for (key, mode, per) in stated {
            let thousandths = price(row.get(*key)).unwrap_or_default();
            taker.take(Raw {
                line,
                provider: "autodl",
                region,
                country: "CN",
                product: name,
                card: name,
                mode: *mode,
                per: *per,
                per_card: true,
                price: thousandths / Decimal::ONE_THOUSAND,
                currency: Some(Currency::CNY),
                ..Raw::default()
            });
        }
    }
}
