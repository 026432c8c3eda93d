//! Named offers side by side: what the whole instance is, and what it costs for a way of use.

use super::Offers;
use crate::{
    context::Context,
    error::{CommandError, Exit},
    market,
    settings::Format,
};
use kasuan_market::{Bands, Catalogue, Pattern, Tariff, bill::money_phrase};
use kasuan_model::{Bytes, Estimate, Money, Offer, Phrase, Rates};
use kasuan_report::{Cell, Column, Table, Tone};
use rust_decimal::Decimal;

/// Shows the offers of `--compare`, cheapest bill first.
pub(super) fn run(
    arguments: &Offers,
    catalogue: &Catalogue,
    rates: &Rates,
    context: &Context,
) -> Result<Exit, CommandError> {
    let bands = arguments.ages.bands()?;
    let pattern = arguments.pattern()?;
    let mut rows = Vec::new();
    for id in &arguments.compare {
        let Some(offer) = catalogue.offer(id) else {
            return Err(market::unknown_offer(id, catalogue));
        };
        let currency = arguments.currency.unwrap_or(offer.price.currency());
        let (bill, complete) =
            pattern.bill(offer, catalogue, rates, currency, context.settings.today).map_err(
                |error| CommandError::user(money_phrase(&error)).hint(Phrase::new("hint-rate")),
            )?;
        rows.push((offer, bill, complete));
    }
    rows.sort_by_key(|(_, bill, _)| (bill.likely.currency(), bill.likely.amount()));
    let table = table(&rows, pattern, catalogue, rates, bands, context);
    context.print_table(&table)?;
    context.tell(
        &Phrase::new("offers-pattern")
            .with("runs", pattern.runs)
            .with("hours", pattern.run.decimal_hours().round_dp(2).normalize())
            .with("storage", format!("{} GB", pattern.storage.gb().round_dp(2).normalize())),
    );
    if rows.iter().any(|(_, _, complete)| !complete) {
        context.warn(&Phrase::new("offers-storage-unknown"));
    }
    Ok(Exit::Done)
}

type Row<'a> = (&'a Offer, Estimate<Money>, bool);

fn table(
    rows: &[Row<'_>],
    pattern: Pattern,
    catalogue: &Catalogue,
    rates: &Rates,
    bands: Bands,
    context: &Context,
) -> Table {
    let word = |key: &str| context.words.word(key);
    // How time is counted explains the bill; a narrow terminal has no room for it otherwise.
    let with_metering = context.settings.explain || context.settings.format != Format::Table;
    let mut columns = vec![
        market::id_column("offer", word("offers-offer")),
        market::id_column("card", word("offers-card")),
        Column::figures("count", word("offers-count")),
        Column::figures("vcpus", word("offers-vcpus")),
        Column::figures("memory_gib", word("offers-ram")),
        Column::figures("disk_gb", word("offers-disk")),
        Column::figures("card_hour", word("offers-card-hour")),
        Column::figures("instance_hour", word("offers-instance-hour")),
        Column::figures("bill", word("offers-key-bill")),
        Column::figures("card_hour_used", word("offers-used-card-hour")),
    ];
    if with_metering {
        columns.push(Column::words("metering", word("offers-metering")));
    }
    columns.push(Column::words("seen", word("offers-age")));
    let mut table = Table::new(columns);
    let least = rows.first().map(|(_, bill, _)| bill.likely);
    for (offer, bill, complete) in rows {
        let unknown = || Cell::unknown("?");
        let size = |size: Option<Bytes>, unit: u64| {
            size.map_or_else(unknown, |size| Cell::new((size.get() / unit).to_string()))
        };
        let plus = if *complete { "" } else { "+?" };
        let cheapest = least == Some(bill.likely);
        let shown = format!("{}{plus}", market::small(bill.likely));
        let amount = bill.likely.amount().round_dp(8).normalize().to_string();
        let to = bill.likely.currency();
        let price =
            |money: Money| rates.convert(money, to).map_or_else(|_| unknown(), market::money);
        let tariff = Tariff::new(offer, catalogue.terms(&offer.provider, None));
        let mut row = vec![
            Cell::new(&offer.id).toned(Tone::Name),
            Cell::new(offer.card.as_str()),
            Cell::new(match offer.slices {
                1 => offer.count.to_string(),
                slices => format!("{}/{slices}", offer.count),
            }),
            offer.vcpus.map_or_else(unknown, |vcpus| Cell::new(vcpus.to_string())),
            size(offer.memory, 1 << 30),
            size(offer.disk, 1_000_000_000),
            price(offer.hourly_per_card()),
            price(offer.hourly()),
            Cell::with_raw(shown, amount).toned(if cheapest { Tone::Good } else { Tone::Strong }),
            used(offer, *bill, pattern),
        ];
        if with_metering {
            row.push(Cell::new(market::metering(&tariff, context)));
        }
        row.push(market::age(&offer.source, bands, context));
        table.push(row);
    }
    table
}

/// Returns what a card-hour of use comes to when the whole bill is spread over it.
fn used(offer: &Offer, bill: Estimate<Money>, pattern: Pattern) -> Cell {
    let time = pattern.run.saturating_mul(u64::from(pattern.runs));
    let card_hours =
        time.decimal_hours() * Decimal::from(offer.count) / Decimal::from(offer.slices);
    if card_hours.is_zero() {
        return Cell::unknown("?");
    }
    bill.likely.over(card_hours).map_or_else(|_| Cell::unknown("?"), market::money)
}
