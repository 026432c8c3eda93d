//! Markets of many hosts: Vast.ai's offers and RunPod's card types, in US dollars an hour.

use super::{
    json::{number, price, text},
    taker::{Raw, Taker},
};
use kasuan_model::{BillingMode, Currency, Phrase};
use serde_json::Value;

/// Reads `{offers: [...]}` of Vast.ai; `dph_total` is for the instance with all its cards.
pub(super) fn vast(file: &Value, taker: &mut Taker<'_>) {
    taker.report.format = "vast";
    for (at, row) in file.get("offers").and_then(Value::as_array).into_iter().flatten().enumerate()
    {
        taker.report.rows += 1;
        let line = at as u64 + 1;
        let cards = number(row.get("num_gpus")).unwrap_or(1.0);
        let host = number(row.get("host_id")).or_else(|| number(row.get("machine_id")));
        let product = match host {
            Some(host) => format!("{} x{cards} host {host}", text(row, "gpu_name")),
            None => format!("{} x{cards}", text(row, "gpu_name")),
        };
        let place = text(row, "geolocation");
        let country = place.rsplit(',').next().map_or("", str::trim);
        let base = Raw {
            line,
            provider: "vast-ai",
            country: if country.len() == 2 { country } else { "" },
            product: &product,
            tier: "marketplace",
            card: text(row, "gpu_name"),
            card_gb: number(row.get("gpu_ram")).map(|mib| mib / 1024.0),
            count: Some(cards),
            vcpus: number(row.get("cpu_cores_effective")).or_else(|| number(row.get("cpu_cores"))),
            memory_gib: number(row.get("cpu_ram")).map(|mib| mib / 1024.0),
            disk_gb: number(row.get("disk_space")),
            currency: Some(Currency::USD),
            host_included: Some(true),
            ..Raw::default()
        };
        taker.take_at(base, row.get("dph_total"));
        if let Some(bid) = price(row.get("min_bid")).filter(|bid| !bid.is_zero()) {
            taker.take(Raw { mode: BillingMode::Spot, price: bid, ..base });
        }
    }
}

/// Reads RunPod's `gpuTypes`: a price for one card in each tier; a missing or zero price means
/// that the tier is not sold.
pub(super) fn runpod(file: &Value, taker: &mut Taker<'_>) {
    taker.report.format = "runpod";
    let rows = file.pointer("/data/gpuTypes").or_else(|| file.get("gpuTypes")).unwrap_or(file);
    for (at, row) in rows.as_array().into_iter().flatten().enumerate() {
        taker.report.rows += 1;
        let line = at as u64 + 1;
        let card = [text(row, "displayName"), text(row, "id")];
        let card = card.into_iter().find(|name| !name.is_empty()).unwrap_or("");
        let tiers = [
            ("securePrice", "secure", BillingMode::OnDemand),
            ("communityPrice", "community", BillingMode::OnDemand),
            ("secureSpotPrice", "secure", BillingMode::Spot),
            ("communitySpotPrice", "community", BillingMode::Spot),
        ];
        let mut any = false;
        for (key, tier, mode) in tiers {
            let Some(price) = price(row.get(key)).filter(|price| !price.is_zero()) else {
                continue;
            };
            any = true;
            taker.take(Raw {
                line,
                provider: "runpod",
                product: card,
                tier,
                card,
                card_gb: number(row.get("memoryInGb")),
                mode,
                price,
                per_card: true,
                currency: Some(Currency::USD),
                ..Raw::default()
            });
        }
        if !any {
            taker.refuse(line, card, Phrase::new("import-not-sold"));
        }
    }
}
