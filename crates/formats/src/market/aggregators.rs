//! Two collections of public prices, both in US dollars for one card and hour: gpurentalprices.com
//! (github.com/adriannutiu/gpu-rental-prices) and github.com/tardellirs/gpu-pricing.

use super::{
    json::{number, text},
    taker::{Raw, Taker},
};
use kasuan_model::{BillingMode, Currency, Interconnect, Phrase};
use serde_json::Value;

/// Reads a snapshot of gpurentalprices.com; rows of a provider whose fetch failed are refused.
pub(super) fn gpurentalprices(file: &Value, taker: &mut Taker<'_>) {
    taker.report.format = "gpurentalprices";
    let day = text(file, "date").parse().ok();
    for (at, row) in file.get("offers").and_then(Value::as_array).into_iter().flatten().enumerate()
    {
        let line = at as u64 + 1;
        taker.report.rows += 1;
        let provider = text(row, "provider");
        let stale = file
            .pointer(&format!("/providers/{provider}/stale"))
            .and_then(Value::as_bool)
            .unwrap_or(false);
        if stale {
            taker.refuse(line, text(row, "gpu"), Phrase::new("import-carried-forward"));
            continue;
        }
        let kind = text(row, "kind");
        let fetched = text(row, "fetched_at").get(..10).and_then(|day| day.parse().ok());
        let row_of_file = Raw {
            line,
            provider,
            product: text(row, "gpu"),
            tier: if matches!(kind, "on-demand" | "spot") { "" } else { kind },
            card: text(row, "gpu"),
            card_gb: number(row.get("vram_gb")),
            mode: if kind == "spot" { BillingMode::Spot } else { BillingMode::OnDemand },
            per_card: true,
            currency: Some(Currency::USD),
            observed: fetched.or(day),
            source: text(row, "source_url"),
            ..Raw::default()
        };
        taker.take_at(row_of_file, row.get("usd_hr"));
    }
}

/// Reads `offerings.json` of tardellirs/gpu-pricing.
pub(super) fn tardellirs(file: &Value, taker: &mut Taker<'_>) {
    taker.report.format = "tardellirs";
    for (at, row) in file.as_array().into_iter().flatten().enumerate() {
        taker.report.rows += 1;
        let tier = text(row, "tier");
        let spot = row.get("is_spot").and_then(Value::as_bool).unwrap_or(tier == "spot");
        let caveats: Vec<&str> = row
            .get("caveats")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let notes = caveats.join("; ");
        let apart = notes.contains("billed separately");
        // `NVIDIA A100` says its form factor in a column of its own.
        let interconnect = text(row, "interconnect");
        let name = format!("{} {interconnect}", text(row, "gpu_model"));
        if text(row, "gpu_model").is_empty() {
            let why = Phrase::new("import-no-card-name");
            taker.refuse(at as u64 + 1, text(row, "id"), why);
            continue;
        }
        let row_of_file = Raw {
            line: at as u64 + 1,
            provider: text(row, "provider_id"),
            product: text(row, "id"),
            tier: if matches!(tier, "on-demand" | "spot") { "" } else { tier },
            card: name.trim(),
            card_gb: number(row.get("vram_gb")),
            vcpus: number(row.get("vcpu")),
            memory_gib: number(row.get("ram_gb")),
            interconnect: match interconnect.to_lowercase().as_str() {
                "pcie" => Interconnect::Pcie,
                "sxm" | "sxm4" | "sxm5" | "nvlink" => Interconnect::NvLink,
                _ => Interconnect::Unknown,
            },
            mode: if spot { BillingMode::Spot } else { BillingMode::OnDemand },
            per_card: true,
            host_included: apart.then_some(false),
            currency: Some(Currency::USD),
            observed: text(row, "collected_at").parse().ok(),
            source: text(row, "source_url"),
            notes: &notes,
            ..Raw::default()
        };
        taker.take_at(row_of_file, row.get("price_usd_hour"));
    }
}
