//! gpuhunt's catalogue CSV, version 2: one file a provider, US dollars an hour for the instance.

use super::{
    ImportError,
    taker::{Raw, Taker},
    text::csv_records,
};
use kasuan_model::{BillingMode, Currency, Phrase};
use rust_decimal::Decimal;

/// Reads `<provider>.csv`; the provider is the file's name unless it is stated.
pub(super) fn read(text: &str, taker: &mut Taker<'_>) -> Result<(), ImportError> {
    taker.report.format = "gpuhunt";
    if taker.stated.provider.is_none() {
        return Err(ImportError::NotStated { what: "provider" });
    }
    let mut records = csv_records(text);
    let Some((_, Ok(header))) = records.next() else { return Err(ImportError::Empty) };
    let at = |name: &str| header.iter().position(|cell| cell.trim() == name);
    let columns = [
        "instance_name",
        "location",
        "price",
        "cpu",
        "memory",
        "gpu_count",
        "gpu_name",
        "gpu_memory",
        "spot",
        "disk_size",
    ]
    .map(at);
    let [product, region, price, vcpus, memory, count, card, card_gb, spot, disk] = columns;
    for (line, record) in records {
        let record = match record {
            Ok(record) => record,
            Err(what) => {
                taker.refuse(line, "", Phrase::new("import-line").with("what", what));
                continue;
            }
        };
        taker.report.rows += 1;
        if record == header {
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
        let cell =
            |column: Option<usize>| column.and_then(|at| record.get(at)).unwrap_or("").trim();
        let number = |column| cell(column).parse::<f64>().ok();
        if cell(card).is_empty() || number(count) == Some(0.0) {
            taker.report.no_card += 1;
            continue;
        }
        let text = cell(price);
        let Ok(amount) = text.parse().or_else(|_| Decimal::from_scientific(text)) else {
            let why = Phrase::new("import-not-a-price").with("text", text);
            taker.refuse(line, cell(product), why);
            continue;
        };
        let is_spot = matches!(cell(spot), "True" | "true" | "1");
        taker.take(Raw {
            line,
            region: cell(region),
            product: cell(product),
            card: cell(card),
            card_gb: number(card_gb),
            count: number(count),
            vcpus: number(vcpus),
            memory_gib: number(memory),
            disk_gb: number(disk),
            mode: if is_spot { BillingMode::Spot } else { BillingMode::OnDemand },
            price: amount,
            currency: Some(Currency::USD),
            host_included: Some(true),
            ..Raw::default()
        });
    }
    Ok(())
}
