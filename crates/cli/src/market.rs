//! What the market commands share: the catalogue with a user's prices, rates, and words for them.

use crate::{context::Context, error::CommandError, files};
use jiff::civil::Date;
use kasuan_formats::market::price_card;
use kasuan_market::{
    Bands, Catalogue, Doubt, Freshness, Tariff,
    bill::{LineKind, Unit},
};
use kasuan_model::{Currency, FxRate, Money, Phrase, Rates, Source};
use kasuan_report::{Cell, Column, Language, Tone};
use rust_decimal::Decimal;
use std::path::{Path, PathBuf};

/// Reads the shipped catalogue and lays the user's price cards over it, the later over the earlier.
pub(crate) fn catalogue(prices: &[PathBuf], context: &Context) -> Result<Catalogue, CommandError> {
    let mut catalogue = Catalogue::shipped()?;
    for path in prices {
        let read = read_price_card(path, &catalogue)?;
        for note in &read.notes {
            context.warn(&note.what);
        }
        catalogue = catalogue.with_price_card(read.card).0;
    }
    Ok(catalogue)
}

/// Reads a price card; errors name its file.
pub(crate) fn read_price_card(
    path: &Path,
    catalogue: &Catalogue,
) -> Result<price_card::ReadPriceCard, CommandError> {
    let text = files::read_text(path)?;
    let name =
        path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(price_card::read(&text, &name, catalogue)?)
}

/// Reads `USD=7.1` or `USD=7.1@2026-12-01`: one unit of the first in the wished currency.
pub(crate) fn rates(texts: &[String], to: Option<Currency>) -> Result<Rates, CommandError> {
    let mut rates = Vec::new();
    for text in texts {
        let wrong = || {
            CommandError::user(Phrase::new("error-rate").with("text", text))
                .hint(Phrase::new("hint-rate"))
        };
        let Some(to) = to else {
            return Err(CommandError::user(Phrase::new("error-rate-currency")));
        };
        let (pair, day) = match text.split_once('@') {
            Some((pair, day)) => (pair, Some(day.trim().parse::<Date>().map_err(|_| wrong())?)),
            None => (text.as_str(), None),
        };
        let (from, rate) = pair.split_once('=').ok_or_else(wrong)?;
        let from: Currency = from.trim().parse().map_err(|_| wrong())?;
        let rate: Decimal = rate.trim().parse().map_err(|_| wrong())?;
        if rate <= Decimal::ZERO {
            return Err(wrong());
        }
        let source = Source { date: day, ..Source::stated("--rate") };
        rates.push(FxRate { from, to, rate, source });
    }
    Ok(Rates::new(rates))
}

/// Returns a cell with the age of a price and its band.
pub(crate) fn age(source: &Source, bands: Bands, context: &Context) -> Cell {
    let today = context.settings.today;
    let (band, tone) = match bands.of(source, today) {
        Freshness::Fresh => (Phrase::new("fresh-fresh"), Tone::Good),
        Freshness::Ageing => (Phrase::new("fresh-ageing"), Tone::Plain),
        Freshness::Stale => (Phrase::new("fresh-stale"), Tone::Warn),
        Freshness::Undated => (Phrase::new("fresh-undated"), Tone::Warn),
    };
    let band = context.say(&band);
    let shown = match source.age_days(today) {
        Some(days) => context.say(&Phrase::new("fresh-days").with("days", days).with("band", band)),
        None => band,
    };
    let mut cell = Cell::new(shown).toned(tone);
    cell.raw = source.date.map(|date| date.to_string());
    cell
}

/// Returns a cell with money as a person reads it, and its exact amount for programs.
pub(crate) fn money(amount: Money) -> Cell {
    Cell::with_raw(small(amount), amount.amount().round_dp(8).normalize().to_string())
}

/// Writes money with as many decimals as a small price needs: 0.0005 a GB and hour is not 0.00.
pub(crate) fn small(amount: Money) -> String {
    let digits = amount.currency().minor_digits();
    let rounded = amount.rounded();
    if amount.is_zero()
        || rounded.amount() == amount.amount()
        || amount.amount().abs() >= Decimal::ONE
    {
        return amount.to_string();
    }
    let significant = amount.amount().round_sf(3).unwrap_or(amount.amount()).normalize();
    let decimals = significant.scale().max(digits) as usize;
    format!("{}{significant:.decimals$}", amount.currency().sign())
}

/// Returns the error for an offer id that does not exist, with ids that look like it.
pub(crate) fn unknown_offer(id: &str, catalogue: &Catalogue) -> CommandError {
    let mut error = CommandError::user(Phrase::new("error-offer-unknown").with("id", id));
    let nearest = catalogue
        .offers()
        .iter()
        .filter(|offer| offer.id.starts_with(id) || offer.id.contains(id))
        .take(3)
        .map(|offer| offer.id.as_str());
    let nearest: Vec<&str> = nearest.collect();
    if nearest.is_empty() {
        error = error.hint(Phrase::new("hint-offer-list"));
    } else {
        error = error.hint(Phrase::new("hint-offer-nearest").with("ids", nearest.join(", ")));
    }
    error
}

/// Says in a few words how a tariff counts time.
pub(crate) fn metering(tariff: &Tariff, context: &Context) -> String {
    let phrase = match tariff.term {
        Some(term) => {
            Phrase::new("metering-package").with("hours", term.decimal_hours().normalize())
        }
        None if tariff.step.low == tariff.step.high => {
            Phrase::new("metering-step").with("seconds", tariff.step.likely.get())
        }
        None => Phrase::new("metering-unknown"),
    };
    let mut text = context.say(&phrase);
    if tariff.term.is_none() && tariff.minimum > tariff.step.likely {
        let least = Phrase::new("metering-minimum").with("seconds", tariff.minimum.get());
        text.push_str(&context.say(&least));
    }
    text
}

/// Returns a column of ids, which are copied and must not be broken into lines.
pub(crate) fn id_column(key: &'static str, heading: String) -> Column {
    Column { wraps: false, ..Column::words(key, heading) }
}

/// Joins messages into one line.
pub(crate) fn join(phrases: &[Phrase], context: &Context) -> String {
    let said: Vec<String> = phrases.iter().map(|phrase| context.say(phrase)).collect();
    said.join(if context.words.language() == Language::Chinese { "；" } else { "; " })
}

/// Returns the name of what a bill's line is for.
pub(crate) const fn line_kind(kind: LineKind) -> Phrase {
    match kind {
        LineKind::Compute => Phrase::new("bill-kind-compute"),
        LineKind::Package => Phrase::new("bill-kind-package"),
        LineKind::Refund => Phrase::new("bill-kind-refund"),
        LineKind::WithoutCard => Phrase::new("bill-kind-without_card"),
        LineKind::Stopped => Phrase::new("bill-kind-stopped"),
        LineKind::Storage => Phrase::new("bill-kind-storage"),
        LineKind::Egress => Phrase::new("bill-kind-egress"),
    }
}

/// Returns the name of what a bill's line counts.
pub(crate) const fn unit(unit: Unit) -> Phrase {
    match unit {
        Unit::InstanceHour => Phrase::new("bill-unit-instance_hour"),
        Unit::Package => Phrase::new("bill-unit-package"),
        Unit::GbHour => Phrase::new("bill-unit-gb_hour"),
        Unit::GbDay => Phrase::new("bill-unit-gb_day"),
        Unit::GbMonth => Phrase::new("bill-unit-gb_month"),
        Unit::Gb => Phrase::new("bill-unit-gb"),
    }
}

/// Returns the name of a doubt about a price.
pub(crate) const fn doubt(doubt: Doubt) -> Phrase {
    match doubt {
        Doubt::NoPrice => Phrase::new("doubt-no_price"),
        Doubt::UnknownCard => Phrase::new("doubt-unknown_card"),
        Doubt::SpotNotCheaper => Phrase::new("doubt-spot_not_cheaper"),
        Doubt::LongerTermDearer => Phrase::new("doubt-longer_term_dearer"),
        Doubt::Outlier => Phrase::new("doubt-outlier"),
        Doubt::PerCardMixUp => Phrase::new("doubt-per_card_mix_up"),
        Doubt::Duplicate => Phrase::new("doubt-duplicate"),
        Doubt::Stale => Phrase::new("doubt-stale"),
        Doubt::Undated => Phrase::new("doubt-undated"),
    }
}
