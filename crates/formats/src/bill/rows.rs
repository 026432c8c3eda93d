//! From cells to charges, by a layout.

use super::{
    BillError, BillOptions,
    decode::{CellTable, Line},
    layout::Chosen,
    time,
};
use jiff::{Timestamp, tz::Offset};
use kasuan_model::{Charge, ChargeCategory, Currency, Money, Payment, Phrase, PricingCategory};
use rust_decimal::Decimal;
use sha2::{Digest as _, Sha256};
use std::{cell::Cell, collections::BTreeMap};

/// Words with which exports begin a line that sums the others.
const TOTAL_WORDS: [&str; 5] = ["合计", "总计", "小计", "total", "sum"];

/// A span of time; the end is exclusive.
type Period = (Timestamp, Timestamp);

/// What was read.
pub(super) struct Read {
    pub(super) charges: Vec<Charge>,
    pub(super) warnings: Vec<Phrase>,
    pub(super) stated_total: Option<Money>,
}

struct Reader<'a> {
    file: &'a str,
    chosen: &'a Chosen,
    header: &'a [String],
    zone: Offset,
    currency: Option<Currency>,
    /// Whether any time stood without a zone, so that one had to be assumed.
    zoneless: Cell<bool>,
}

/// Reads all rows, or fails with the first line that cannot be read.
pub(super) fn read(
    file: &str,
    chosen: &Chosen,
    table: &CellTable,
    options: &BillOptions,
) -> Result<Read, BillError> {
    let reader = Reader {
        file,
        chosen,
        header: &table.header,
        zone: options.zone.unwrap_or(chosen.layout.zone),
        currency: options.currency.or(chosen.layout.currency_default),
        zoneless: Cell::new(false),
    };
    let mut charges: Vec<Charge> = Vec::with_capacity(table.lines.len());
    let mut by_key: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut stated: Option<Decimal> = None;
    let (mut repeated, mut unpaid) = (0_u64, 0_u64);
    // How often rows of the same content came before, for rows without an id.
    let mut equals: BTreeMap<[u8; 16], u64> = BTreeMap::new();
    for line in &table.lines {
        reader.check_width(line)?;
        if is_total(line) {
            stated = chosen.cell("billed", &line.cells).and_then(|(_, text)| amount(text));
            continue;
        }
        let charge = reader.charge(line, &mut equals)?;
        let key = (charge.provider.clone(), charge.key.clone());
        if let Some(earlier) = by_key.get(&key) {
            if charges.get(*earlier) != Some(&charge) {
                let key = charge.key;
                return Err(BillError::DoubleRow { file: file.to_owned(), line: line.number, key });
            }
            repeated += 1;
            continue;
        }
        if charge.payment == Payment::Unpaid {
            unpaid += 1;
        }
        by_key.insert(key, charges.len());
        charges.push(charge);
    }
    reader.check_currencies(table, &charges)?;
    reader.check_invoices(&charges)?;
    let stated_total = reader.check_total(stated, &charges)?;
    let mut warnings = Vec::new();
    if repeated > 0 {
        warnings.push(Phrase::new("bill-warning-repeated").with("rows", repeated));
    }
    if unpaid > 0 {
        warnings.push(Phrase::new("bill-warning-unpaid").with("rows", unpaid));
    }
    if options.zone.is_none() && reader.zoneless.get() {
        let zone = reader.zone;
        warnings.push(Phrase::new("bill-warning-zone").with("zone", zone));
    }
    Ok(Read { charges, warnings, stated_total })
}

fn is_total(line: &Line) -> bool {
    let first = line.cells.iter().find(|cell| !cell.is_empty());
    let first = first.map(|cell| cell.to_lowercase()).unwrap_or_default();
    TOTAL_WORDS.iter().any(|word| first.trim_end_matches([':', '：']) == *word)
}

/// Reads `1,234.50`, `¥12.3`, `-0.5`, `(0.5)`.
fn amount(text: &str) -> Option<Decimal> {
    let text = text.trim();
    let (negative, text) = match text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => (true, inner),
        None => (false, text),
    };
    let plain: String =
        text.chars().filter(|c| !matches!(c, ',' | '¥' | '￥' | '$' | ' ')).collect();
    let value: Decimal = plain.parse().or_else(|_| Decimal::from_scientific(&plain)).ok()?;
    Some(if negative { -value } else { value })
}

impl Reader<'_> {
    fn check_width(&self, line: &Line) -> Result<(), BillError> {
        let (found, expected) = (line.cells.len(), self.header.len());
        let extra_is_empty = line.cells.iter().skip(expected).all(String::is_empty);
        if found == expected || (found > expected && extra_is_empty) || is_total(line) {
            return Ok(());
        }
        let file = self.file.to_owned();
        Err(BillError::Ragged { file, line: line.number, found, expected })
    }

    fn unread(&self, line: &Line, place: usize, text: &str, expected: &'static str) -> BillError {
        BillError::Cell {
            file: self.file.to_owned(),
            line: line.number,
            column: self.header.get(place).cloned().unwrap_or_default(),
            text: text.to_owned(),
            expected,
        }
    }

    fn parsed<T>(
        &self,
        field: &str,
        line: &Line,
        expected: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, BillError> {
        match self.chosen.cell(field, &line.cells) {
            None => Ok(None),
            Some((place, text)) => {
                read(text).map(Some).ok_or_else(|| self.unread(line, place, text, expected))
            }
        }
    }

    fn text(&self, field: &str, line: &Line) -> Option<String> {
        self.chosen.cell(field, &line.cells).map(|(_, text)| text.to_owned())
    }

    fn charge(
        &self,
        line: &Line,
        equals: &mut BTreeMap<[u8; 16], u64>,
    ) -> Result<Charge, BillError> {
        let currency = self.parsed("currency", line, "currency", |text| text.parse().ok())?;
        let currency = currency
            .or(self.currency)
            .ok_or_else(|| BillError::NoCurrency { file: self.file.to_owned() })?;
        let money = |amount| Money::new(amount, currency);
        let billed = self.parsed("billed", line, "amount", amount)?.unwrap_or_default();
        let effective = self.parsed("effective", line, "amount", amount)?.unwrap_or(billed);
        let category_word = self.text("category", line).unwrap_or_default();
        let (charge_period, billing_period) = self.periods(line)?;
        Ok(Charge {
            key: self.key(line, equals),
            provider: self.provider(line),
            account: self.text("account", line).unwrap_or_default(),
            billing_period,
            charge_period,
            category: self.category(line, &category_word)?,
            pricing: self.pricing(line, &category_word)?,
            payment: self.payment(line, &category_word)?,
            description: self.text("description", line).unwrap_or_default(),
            service: self.text("service", line).unwrap_or_default(),
            resource: self.text("resource", line),
            region: self.text("region", line),
            card: None,
            cards: self
                .parsed("cards", line, "count", |text| text.parse().ok())?
                .or_else(|| self.detail(line, "GpuCount")?.parse().ok()),
            quantity: self.parsed("quantity", line, "amount", amount)?,
            unit: self.text("unit", line),
            billed: money(billed),
            effective: money(effective),
            list: self.parsed("list", line, "amount", amount)?.map(money),
            invoice: self.text("invoice", line),
            tags: self.tags(line),
        })
    }

    /// A row without an id of its own is known by its content and its place among equal rows: the
    /// digest alone would swallow the second of two equal hours, and a place in the file would make
    /// another row of it when the month is exported again with more days.
    fn key(&self, line: &Line, equals: &mut BTreeMap<[u8; 16], u64>) -> String {
        let own = self.chosen.cell("key", &line.cells).map(|(_, text)| text);
        if let Some(own) = own {
            let more = self.chosen.cells("key_more", &line.cells);
            let parts = std::iter::once(own).chain(more);
            return parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("|");
        }
        let mut digest = Sha256::new();
        for cell in &line.cells {
            digest.update(cell.as_bytes());
            digest.update([0]);
        }
        let mut content = [0; 16];
        content.copy_from_slice(&digest.finalize()[..16]);
        let before = equals.entry(content).or_default();
        *before += 1;
        match *before {
            1 => super::hexadecimal(&content),
            nth => format!("{}-{nth}", super::hexadecimal(&content)),
        }
    }

    fn provider(&self, line: &Line) -> String {
        let stated = self.text("provider", line).map(|name| name.to_lowercase());
        self.chosen.layout.provider.map(str::to_owned).or(stated).unwrap_or_default()
    }

    fn periods(&self, line: &Line) -> Result<(Period, Period), BillError> {
        let zone = self.zone;
        let moment = |text: &str| {
            let (read, stated) = time::moment_and_zone(text, zone)?;
            self.zoneless.set(self.zoneless.get() || !stated);
            Some(read)
        };
        let range = self.parsed("charge_range", line, "time", |text| time::range(text, zone))?;
        let day = self.parsed("day", line, "time", moment)?;
        let start = self.parsed("charge_start", line, "time", moment)?;
        let end = self.parsed("charge_end", line, "time", moment)?;
        let month = self.parsed("bill_period", line, "time", |text| time::month(text, zone))?;
        let bill_start = self.parsed("bill_start", line, "time", moment)?;
        let bill_end = self.parsed("bill_end", line, "time", moment)?;
        let stated_month = bill_start.zip(bill_end).or(month);
        let start = range.map(|(start, _)| start).or(start).or(day);
        let (charge, bill) = match (start, stated_month) {
            (Some(start), stated) => {
                let end = range.map(|(_, end)| end).or(end).unwrap_or(start);
                let own = || time::month_of(start, zone).unwrap_or((start, end));
                ((start, end), stated.unwrap_or_else(own))
            }
            (None, Some(month)) => (month, month),
            (None, None) => {
                return Err(self.unread(line, 0, "", "time"));
            }
        };
        for (start, end) in [charge, bill] {
            if end < start {
                return Err(BillError::Backwards {
                    file: self.file.to_owned(),
                    line: line.number,
                    start: start.to_string(),
                    end: end.to_string(),
                });
            }
        }
        Ok((charge, bill))
    }

    fn category(&self, line: &Line, word: &str) -> Result<ChargeCategory, BillError> {
        let known = &self.chosen.layout.categories;
        let found = known.get(word).or_else(|| known.get("default"));
        match found {
            Some(category) => Ok(*category),
            None if word.is_empty() => Ok(ChargeCategory::Usage),
            None => {
                let place = self.chosen.cell("category", &line.cells).map_or(0, |(place, _)| place);
                Err(self.unread(line, place, word, "word"))
            }
        }
    }

    fn pricing(&self, line: &Line, category: &str) -> Result<PricingCategory, BillError> {
        let layout = self.chosen.layout;
        let special = self.text("pricing_override", line);
        if let Some(pricing) = special.and_then(|word| layout.pricings.get(&word)) {
            return Ok(*pricing);
        }
        if let Some(pricing) = layout.pricings_by_category.get(category) {
            return Ok(*pricing);
        }
        match self.chosen.cell("pricing", &line.cells) {
            None => Ok(PricingCategory::Standard),
            Some((place, word)) => match layout.pricings.get(word) {
                Some(pricing) => Ok(*pricing),
                None => Err(self.unread(line, place, word, "word")),
            },
        }
    }

    fn payment(&self, line: &Line, category: &str) -> Result<Payment, BillError> {
        let layout = self.chosen.layout;
        if layout.refunds.iter().any(|word| word == category) {
            return Ok(Payment::Refunded);
        }
        match self.chosen.cell("payment", &line.cells) {
            None => Ok(Payment::Due),
            Some((place, word)) => match layout.payments.get(word) {
                Some(payment) => Ok(*payment),
                None => Err(self.unread(line, place, word, "word")),
            },
        }
    }

    /// Tags as JSON, or as `key:value;key:value`; the machine type is kept as a tag.
    fn tags(&self, line: &Line) -> BTreeMap<String, String> {
        let mut tags = BTreeMap::new();
        if let Some(text) = self.text("tags", line) {
            match serde_json::from_str::<BTreeMap<String, serde_json::Value>>(&text) {
                Ok(stated) => tags.extend(stated.into_iter().map(|(key, value)| match value {
                    serde_json::Value::String(value) => (key, value),
                    other => (key, other.to_string()),
                })),
                Err(_) => tags.extend(text.split(';').filter_map(|pair| {
                    let (key, value) = pair.split_once([':', '='])?;
                    Some((key.trim().to_owned(), value.trim().to_owned()))
                })),
            }
        }
        let spec = self
            .text("spec", line)
            .or_else(|| self.detail(line, "x_GpuModel"))
            .or_else(|| self.detail(line, "InstanceType"));
        if let Some(spec) = spec {
            tags.insert("spec".to_owned(), spec);
        }
        tags
    }

    /// Returns a value of FOCUS' `SkuPriceDetails`, a JSON object.
    fn detail(&self, line: &Line, key: &str) -> Option<String> {
        let (_, text) = self.chosen.cell("details", &line.cells)?;
        let details: serde_json::Value = serde_json::from_str(text).ok()?;
        match details.get(key)? {
            serde_json::Value::String(value) => Some(value.clone()),
            serde_json::Value::Number(value) => Some(value.to_string()),
            _ => None,
        }
    }

    /// Layouts of one provider have one currency; FOCUS files may hold several.
    fn check_currencies(&self, table: &CellTable, charges: &[Charge]) -> Result<(), BillError> {
        if self.chosen.layout.provider.is_none() {
            return Ok(());
        }
        let Some(first) = charges.first().map(|charge| charge.billed.currency()) else {
            return Ok(());
        };
        let other = charges.iter().position(|charge| charge.billed.currency() != first);
        match other {
            None => Ok(()),
            Some(at) => Err(BillError::MixedCurrencies {
                file: self.file.to_owned(),
                line: table.lines.get(at).map_or(0, |line| line.number),
                first: first.to_string(),
                found: charges[at].billed.currency().to_string(),
            }),
        }
    }

    /// An invoice has one account, one currency and one period (FOCUS 1.2, `InvoiceId`): the same
    /// id in two of them is a duplicated id, and sums by invoice would be wrong.
    fn check_invoices(&self, charges: &[Charge]) -> Result<(), BillError> {
        // Elsewhere the column holds orders, and an order may be renewed for months.
        if self.chosen.layout.provider.is_some() {
            return Ok(());
        }
        let mut first: BTreeMap<(&str, &str), &Charge> = BTreeMap::new();
        for charge in charges {
            let Some(invoice) = charge.invoice.as_deref() else { continue };
            let known = first.entry((&charge.provider, invoice)).or_insert(charge);
            let same = known.account == charge.account
                && known.billing_period == charge.billing_period
                && known.billed.currency() == charge.billed.currency();
            if !same {
                let (file, invoice) = (self.file.to_owned(), invoice.to_owned());
                return Err(BillError::DoubleInvoice { file, invoice });
            }
        }
        Ok(())
    }

    /// A provider rounds each row of up to eight decimals on its own, so a stated total may be off
    /// by one coin for each row and not by more.
    fn check_total(
        &self,
        stated: Option<Decimal>,
        charges: &[Charge],
    ) -> Result<Option<Money>, BillError> {
        let (Some(stated), Some(first)) = (stated, charges.first()) else { return Ok(None) };
        let currency = first.billed.currency();
        let paid = charges.iter().filter(|charge| charge.payment != Payment::Unpaid);
        let summed = Money::sum(currency, paid.map(|charge| charge.billed));
        let stated = Money::new(stated, currency);
        let summed = summed.unwrap_or(Money::zero(currency));
        let tolerance = Decimal::new(1, 2) * Decimal::from(charges.len());
        if (stated.amount() - summed.amount()).abs() > tolerance {
            return Err(BillError::WrongTotal {
                file: self.file.to_owned(),
                stated: stated.to_string(),
                summed: summed.to_string(),
            });
        }
        Ok(Some(stated))
    }
}
