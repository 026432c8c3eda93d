//! Charges as a FOCUS 1.2 file.

use kasuan_model::{Charge, ChargeCategory, Payment, PricingCategory};
use rust_decimal::Decimal;

/// The columns, in the order that they are written.
const COLUMNS: [&str; 36] = [
    "BilledCost",
    "BillingAccountId",
    "BillingAccountName",
    "BillingCurrency",
    "BillingPeriodEnd",
    "BillingPeriodStart",
    "ChargeCategory",
    "ChargeClass",
    "ChargeDescription",
    "ChargeFrequency",
    "ChargePeriodEnd",
    "ChargePeriodStart",
    "ConsumedQuantity",
    "ConsumedUnit",
    "ContractedCost",
    "EffectiveCost",
    "InvoiceId",
    "InvoiceIssuerName",
    "ListCost",
    "PricingCategory",
    "PricingQuantity",
    "PricingUnit",
    "ProviderName",
    "PublisherName",
    "RegionId",
    "RegionName",
    "ResourceId",
    "ResourceName",
    "ServiceCategory",
    "ServiceName",
    "ServiceSubcategory",
    "Tags",
    "x_GpuCount",
    "x_GpuModel",
    "x_ListCostUnknown",
    "x_RowId",
];

/// Writes charges as FOCUS 1.2 CSV. Orders that were never paid are no charges and stay out.
///
/// FOCUS wants a list cost in every row; where the bill had none, the effective cost stands there
/// and `x_ListCostUnknown` says so. An account that the bill does not name is `unknown`.
pub fn write(charges: &[Charge]) -> String {
    let mut text = COLUMNS.join(",");
    text.push('\n');
    for charge in charges.iter().filter(|charge| charge.payment != Payment::Unpaid) {
        let cells = row(charge);
        let quoted: Vec<String> = cells.iter().map(|cell| quote(cell)).collect();
        text.push_str(&quoted.join(","));
        text.push('\n');
    }
    text
}

fn quote(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

/// Returns a unit in the words of FOCUS.
fn unit(charge: &Charge) -> String {
    match charge.unit.as_deref().unwrap_or_default() {
        "小时" | "时" | "hour" | "Hour" | "hours" => "Hours".to_owned(),
        "秒" | "seconds" => "Seconds".to_owned(),
        "GB" | "GiB" => charge.unit.clone().unwrap_or_default(),
        "卡时" => "Card-Hours".to_owned(),
        "月" | "个月" => "Months".to_owned(),
        "天" | "日" => "Days".to_owned(),
        other if !other.is_empty() && other.is_ascii() => other.to_owned(),
        _ => "Units".to_owned(),
    }
}

fn service(charge: &Charge) -> (&'static str, &'static str) {
    let text = format!("{} {}", charge.service, charge.description).to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if charge.card.is_some() || charge.cards.is_some() || has(&["gpu", "算力", "云主机", "ecs"])
    {
        ("Compute", "Virtual Machines")
    } else if has(&["storage", "disk", "snapshot", "存储", "云盘", "硬盘", "快照"]) {
        ("Storage", "Other (Storage)")
    } else if has(&["network", "traffic", "egress", "bandwidth", "流量", "带宽", "公网"]) {
        ("Networking", "Other (Networking)")
    } else {
        ("Other", "Other (Other)")
    }
}

fn row(charge: &Charge) -> Vec<String> {
    let moment = |time: jiff::Timestamp| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let plain = |amount: Decimal| amount.normalize().to_string();
    let or_unknown =
        |text: &str| if text.is_empty() { "unknown".to_owned() } else { text.to_owned() };
    let has_price = matches!(charge.category, ChargeCategory::Usage | ChargeCategory::Purchase);
    let is_usage = charge.category == ChargeCategory::Usage;
    let quantity = has_price.then(|| charge.quantity.unwrap_or(Decimal::ONE));
    let unit = if charge.quantity.is_some() { unit(charge) } else { "Units".to_owned() };
    let shown = |wanted: bool, text: String| if wanted { text } else { String::new() };
    let tags = if charge.tags.is_empty() {
        String::new()
    } else {
        serde_json::to_string(&charge.tags).unwrap_or_default()
    };
    let (category, subcategory) = service(charge);
    let region = charge.region.clone().unwrap_or_default();
    let resource = charge.resource.clone().unwrap_or_default();
    let list = charge.list.unwrap_or(charge.effective).amount();
    vec![
        plain(charge.billed.amount()),
        or_unknown(&charge.account),
        charge.account.clone(),
        charge.billed.currency().code().to_owned(),
        moment(charge.billing_period.1),
        moment(charge.billing_period.0),
        match charge.category {
            ChargeCategory::Usage => "Usage",
            ChargeCategory::Purchase => "Purchase",
            ChargeCategory::Tax => "Tax",
            ChargeCategory::Credit => "Credit",
            ChargeCategory::Adjustment => "Adjustment",
        }
        .to_owned(),
        String::new(),
        charge.description.clone(),
        if is_usage { "Usage-Based" } else { "One-Time" }.to_owned(),
        moment(charge.charge_period.1),
        moment(charge.charge_period.0),
        shown(is_usage, plain(quantity.unwrap_or_default())),
        shown(is_usage, unit.clone()),
        plain(charge.effective.amount()),
        plain(charge.effective.amount()),
        charge.invoice.clone().unwrap_or_default(),
        or_unknown(&charge.provider),
        plain(list),
        shown(
            has_price,
            match charge.pricing {
                PricingCategory::Standard => "Standard",
                PricingCategory::Committed => "Committed",
                PricingCategory::Dynamic => "Dynamic",
                PricingCategory::Other => "Other",
            }
            .to_owned(),
        ),
        shown(has_price, plain(quantity.unwrap_or_default())),
        shown(has_price, unit),
        or_unknown(&charge.provider),
        or_unknown(&charge.provider),
        region.clone(),
        region,
        resource.clone(),
        resource,
        category.to_owned(),
        or_unknown(&charge.service),
        subcategory.to_owned(),
        tags,
        charge.cards.map(|cards| cards.to_string()).unwrap_or_default(),
        charge.card.as_ref().map(ToString::to_string).unwrap_or_default(),
        shown(charge.list.is_none(), "true".to_owned()),
        charge.key.clone(),
    ]
}
