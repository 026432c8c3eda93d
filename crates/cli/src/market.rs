//! What the market commands share: the catalogue with a user's prices, rates, and words for them.

use crate::{context::Context, error::CommandError, files, price_store};
use jiff::civil::Date;
use kasuan_formats::market::price_card;
use kasuan_market::{Bands, Catalogue, Doubt, Tariff};
use kasuan_model::{Currency, FxRate, Phrase, Rates, Source};
use kasuan_report::Cell;
pub(crate) use kasuan_report::market::{id_column, money, small};
use rust_decimal::Decimal;
use std::path::{Path, PathBuf};

/// Where the bands of age end; every command that shows prices takes these.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Ages {
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    fresh_days: u32,
    #[arg(long, value_name = "DAYS", default_value_t = 180)]
    ageing_days: u32,
}

impl Ages {
    /// Returns the bands; they must rise.
    pub(crate) fn bands(self) -> Result<Bands, CommandError> {
        let Self { fresh_days: fresh, ageing_days: ageing } = self;
        if fresh > ageing {
            let phrase = Phrase::new("error-age-bands").with("fresh", fresh).with("ageing", ageing);
            return Err(CommandError::user(phrase));
        }
        Ok(Bands { fresh, ageing })
    }
}

/// Reads the shipped catalogue and lays the user's price cards over it, the later over the earlier.
pub(crate) fn catalogue(prices: &[PathBuf], context: &Context) -> Result<Catalogue, CommandError> {
    with_prices(Catalogue::shipped()?, prices, context)
}

/// Lays the user's price cards over a catalogue, the later over the earlier.
pub(crate) fn with_prices(
    mut catalogue: Catalogue,
    prices: &[PathBuf],
    context: &Context,
) -> Result<Catalogue, CommandError> {
    for path in prices {
        let read = read_price_card(path, &catalogue)?;
        for note in &read.notes {
            context.warn(&note.what);
        }
        catalogue = catalogue.with_price_card(read.card).0;
    }
    Ok(catalogue)
}

/// Lays the user's price cards and the past prices over a catalogue: what every plan is made from.
pub(crate) fn for_planning(
    catalogue: Catalogue,
    prices: &[PathBuf],
    context: &Context,
) -> Result<Catalogue, CommandError> {
    let past = price_store::history(&[], prices, context)?;
    Ok(with_prices(catalogue, prices, context)?.with_history(past))
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
    kasuan_report::market::age(source, bands, context.settings.today, &context.words)
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
