//! SkyPilot's catalogue CSV (`vms.csv`, schemas v7 and v8): one row for each zone, on-demand and
//! spot price side by side, in US dollars an hour for the instance.

use super::{
    ImportError,
    taker::{Raw, Taker},
    text::Records,
};
use csv::StringRecord;
use kasuan_model::{BillingMode, Currency, Phrase};
use rust_decimal::Decimal;

/// Reads a `vms.csv`; the provider is in its path and must be stated.
pub(super) fn read(text: &str, taker: &mut Taker<'_>) -> Result<(), ImportError> {
    taker.report.format = "skypilot";
    if taker.stated.provider.is_none() {
        return Err(ImportError::NotStated { what: "provider" });
    }
    let mut records = Records::new(text);
    let Some((_, Ok(header))) = records.next() else { return Err(ImportError::Empty) };
    let header = header.clone();
    let at = |name: &str| header.iter().position(|cell| cell.trim().eq_ignore_ascii_case(name));
    let columns = [
        "InstanceType",
        "vCPUs",
        "MemoryGiB",
        "AcceleratorName",
        "AcceleratorCount",
        "GpuInfo",
        "Region",
        "Price",
        "SpotPrice",
    ]
    .map(at);
    let [product, vcpus, memory, card, count, info, region, price, spot] = columns;
    while let Some((line, record)) = records.next() {
        let record = match record {
            Ok(record) => record,
            Err(what) => {
                taker.refuse(line, "", Phrase::new("import-line").with("what", what));
                continue;
            }
        };
        taker.report.rows += 1;
        if *record == header {
            taker.refuse(line, "", Phrase::new("import-header-again"));
            continue;
        }
        if card.is_some_and(|at| at >= record.len()) {
            let why = Phrase::new("import-row-short")
                .with("cells", record.len())
                .with("columns", header.len());
            taker.refuse(line, record.get(0).unwrap_or(""), why);
            continue;
        }
        let cell = |column: Option<usize>| cell(record, column);
        if cell(card).is_empty() {
            taker.report.no_card += 1;
            continue;
        }
        let number = |column| cell(column).parse::<f64>().ok();
        let row = Raw {
            line,
            region: cell(region),
            product: cell(product),
            card: cell(card),
            card_gb: memory_of(cell(info)),
            count: number(count),
            vcpus: number(vcpus),
            memory_gib: number(memory),
            currency: Some(Currency::USD),
            host_included: Some(true),
            ..Raw::default()
        };
        let prices = [(price, BillingMode::OnDemand), (spot, BillingMode::Spot)];
        if prices.iter().all(|(column, _)| cell(*column).is_empty()) {
            taker.refuse(line, row.product, Phrase::new("import-price-missing"));
            continue;
        }
        for (column, mode) in prices {
            let text = cell(column);
            if text.is_empty() {
                continue;
            }
            match text.parse::<Decimal>().or_else(|_| Decimal::from_scientific(text)) {
                Ok(price) => taker.take(Raw { mode, price, ..row }),
                Err(_) => taker.refuse(
                    line,
                    row.product,
                    Phrase::new("import-not-a-price").with("text", text),
                ),
            }
        }
    }
    Ok(())
}

fn cell(record: &StringRecord, column: Option<usize>) -> &str {
    column.and_then(|at| record.get(at)).unwrap_or("").trim()
}

/// Finds the memory of one card in the Python-like `GpuInfo` cell:
/// `{'Gpus': [{'Name': 'H200', 'MemoryInfo': {'SizeInMiB': 81920}}]}`.
fn memory_of(info: &str) -> Option<f64> {
    let (_, rest) = info.split_once("SizeInMiB")?;
    let digits = rest.trim_start_matches(['\'', '"', ':', ' ']);
    let end = digits.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(digits.len());
    let size: f64 = digits[..end].parse().ok()?;
    // Some rows put GB where MiB are announced.
    Some(if size < 1000.0 { size } else { size / 1024.0 })
}
