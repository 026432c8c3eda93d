//! `kasuan offers`: who rents which card, on what terms, for how much.

mod apply;
mod compare;
pub(crate) mod past;

use crate::{
    context::Context,
    error::{CommandError, Exit},
    market, price_store,
    settings::Format,
};
use kasuan_market::{Catalogue, Form, Found, Freshness, Pattern, Query, Sort};
use kasuan_model::{BillingMode, Bytes, CardId, Currency, Interconnect, Phrase, Rates, Seconds};
use kasuan_report::{Table, market as tables};
use rust_decimal::Decimal;
use std::{collections::BTreeSet, path::PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Offers {
    #[arg(long, value_name = "CARD")]
    card: Vec<String>,
    #[arg(long, value_name = "SIZE")]
    memory: Option<Bytes>,
    #[arg(long, value_name = "N")]
    count: Option<u32>,
    #[arg(long, value_name = "N")]
    min_count: Option<u32>,
    #[arg(long, value_name = "X.Y")]
    capability: Option<String>,
    #[arg(long, value_enum)]
    interconnect: Option<InterconnectChoice>,
    #[arg(long, value_enum)]
    form: Option<FormChoice>,
    #[arg(long, value_name = "PROVIDER")]
    provider: Vec<String>,
    #[arg(long, value_name = "REGION")]
    region: Vec<String>,
    #[arg(long, value_name = "CC")]
    country: Vec<String>,
    #[arg(long, value_name = "MODE")]
    mode: Vec<BillingMode>,
    #[arg(long, value_name = "PRICE")]
    max_price: Option<Decimal>,
    #[arg(long)]
    ecc: Option<bool>,
    #[arg(long, value_name = "N")]
    vcpus: Option<u32>,
    #[arg(long, value_name = "SIZE")]
    ram: Option<Bytes>,
    #[arg(long, value_name = "SIZE")]
    disk: Option<Bytes>,
    #[arg(long)]
    slices: bool,
    #[arg(long)]
    serverless: bool,
    #[arg(long, value_enum)]
    oldest: Option<FreshnessChoice>,
    #[command(flatten)]
    ages: market::Ages,
    #[arg(long, value_name = "CODE")]
    currency: Option<Currency>,
    #[arg(long, value_name = "CODE=RATE@DATE")]
    rate: Vec<String>,
    #[arg(long, value_enum)]
    sort: Option<SortChoice>,
    #[arg(long, value_name = "TIME")]
    run: Option<Seconds>,
    #[arg(long, value_name = "N")]
    runs: Option<u32>,
    #[arg(long, value_name = "SIZE")]
    storage: Option<Bytes>,
    #[arg(long, value_name = "ID")]
    compare: Vec<String>,
    #[arg(long)]
    history: bool,
    #[arg(long, value_name = "PLACE")]
    store: Vec<String>,
    #[arg(long)]
    by_card: bool,
    #[arg(long, value_name = "N", default_value_t = 30)]
    limit: usize,
    #[arg(long, value_name = "FILE")]
    prices: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum InterconnectChoice {
    Nvlink,
    Pcie,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum FormChoice {
    Sxm,
    Pcie,
    Nvl,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum FreshnessChoice {
    Fresh,
    Ageing,
    Stale,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum SortChoice {
    #[default]
    Card,
    Instance,
    Gib,
    Tflop,
    Bandwidth,
    Bill,
}

/// The way of use that bills are compared by where none is stated: 20 working days of 8 hours.
const USUAL_RUN: Seconds = Seconds::from_hours(8);
const USUAL_RUNS: u32 = 20;

impl Offers {
    /// Returns the way of use that bills are compared by; it must fit into a month.
    fn pattern(&self) -> Result<Pattern, CommandError> {
        let month = Seconds::from_hours(kasuan_model::HOURS_PER_30_DAYS);
        let (run, runs) = (self.run.unwrap_or(USUAL_RUN), self.runs.unwrap_or(USUAL_RUNS));
        let used = run.saturating_mul(u64::from(runs));
        if used == Seconds::ZERO || used > month {
            let hours = |time: Seconds| time.decimal_hours().round_dp(2).normalize();
            let phrase = Phrase::new("error-pattern")
                .with("runs", runs)
                .with("hours", hours(run))
                .with("all", hours(used))
                .with("month", hours(month));
            return Err(CommandError::user(phrase).hint(Phrase::new("hint-pattern")));
        }
        Ok(Pattern { run, runs, storage: self.storage.unwrap_or_default(), month })
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Offers, context: &Context) -> Result<Exit, CommandError> {
    apply::check(arguments)?;
    let catalogue = market::catalogue(&arguments.prices, context)?;
    let rates = market::rates(&arguments.rate, arguments.currency)?;
    let bands = arguments.ages.bands()?;
    if !arguments.compare.is_empty() {
        return compare::run(arguments, &catalogue, &rates, context);
    }
    let query = query(arguments, &catalogue, context)?;
    if arguments.history {
        let history = price_store::history(&arguments.store, &arguments.prices, context)?;
        let wanted = past::Wanted {
            cards: query.cards,
            providers: query.providers,
            modes: query.modes,
            serverless: query.serverless,
            currency: query.currency,
            limit: arguments.limit,
            bands,
        };
        return past::show(&history, &wanted, context);
    }
    let found = query.run(&catalogue, &rates, bands, context.settings.today);
    // Without a card, a provider or an order in mind, the market is shown card by card.
    let anything = query.cards.is_empty() && arguments.provider.is_empty();
    if arguments.by_card || (anything && arguments.sort.is_none()) {
        let table = tables::cards(&found, bands, context.settings.today, &context.words);
        show(&table, &found, &rates, context)?;
    } else {
        let limit = if arguments.limit == 0 { usize::MAX } else { arguments.limit };
        let how = tables::Shown {
            sort: query.sort,
            bands,
            limit,
            with_source: context.settings.explain || context.settings.format != Format::Table,
            with_box: context.settings.format != Format::Table,
            today: context.settings.today,
        };
        let table = tables::offers(&found, &how, &context.words);
        show(&table, &found, &rates, context)?;
        let more = found.hits.len().saturating_sub(limit);
        if more > 0 {
            context.warn(&Phrase::new("offers-more").with("count", more));
        }
        if !matches!(arguments.sort, Some(SortChoice::Instance | SortChoice::Bill)) {
            tied_to_more(&found, context);
        }
    }
    Ok(if found.hits.is_empty() { Exit::AnswerIsNo } else { Exit::Done })
}

/// Finds the cards that texts mean: someone who asks for an A100 wants to see every one of them.
pub(crate) fn families(
    texts: &[String],
    catalogue: &Catalogue,
    context: &Context,
) -> Result<Vec<CardId>, CommandError> {
    let mut cards = Vec::new();
    for text in texts {
        let found = catalogue.find_card(text)?;
        if !(found.guessed_form || found.guessed_memory) {
            cards.push(found.card);
            continue;
        }
        let family = |id: &str| id.split('-').next().unwrap_or(id).to_owned();
        let name = family(found.card.as_str());
        let form_only = !found.guessed_memory;
        let memory = catalogue.card(&found.card).map(|card| card.memory);
        let same = catalogue.cards().iter().filter(|card| {
            family(card.id.as_str()) == name && (!form_only || Some(card.memory) == memory)
        });
        let before = cards.len();
        cards.extend(same.map(|card| card.id.clone()));
        let names: Vec<&str> = cards.iter().skip(before).map(CardId::as_str).collect();
        context
            .warn(&Phrase::new("offers-family").with("text", text).with("cards", names.join(", ")));
    }
    Ok(cards)
}

/// Returns the error for a provider without any offer, with names that begin alike.
fn unknown_provider(name: &str, catalogue: &Catalogue) -> CommandError {
    let error = CommandError::user(Phrase::new("error-provider-unknown").with("name", name));
    let start: String = name.to_lowercase().chars().take(2).collect();
    let offers = catalogue.offers().iter();
    let near: BTreeSet<&str> = offers
        .map(|offer| offer.provider.as_str())
        .filter(|provider| provider.starts_with(&start))
        .collect();
    let near: Vec<&str> = near.into_iter().take(5).collect();
    if near.is_empty() {
        return error.hint(Phrase::new("hint-provider-list"));
    }
    error.hint(Phrase::new("market-card-nearest").with("names", near.join(", ")))
}

fn query(
    arguments: &Offers,
    catalogue: &Catalogue,
    context: &Context,
) -> Result<Query, CommandError> {
    let cards = families(&arguments.card, catalogue, context)?;
    for name in &arguments.provider {
        let known = |offer: &kasuan_model::Offer| offer.provider.eq_ignore_ascii_case(name);
        if !arguments.history && !catalogue.offers().iter().any(known) {
            return Err(unknown_provider(name, catalogue));
        }
    }
    let capability = arguments.capability.as_deref().map(|text| {
        text.split_once('.')
            .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)))
            .or_else(|| text.parse().ok().map(|major| (major, 0)))
            .ok_or_else(|| CommandError::user(Phrase::new("error-capability").with("text", text)))
    });
    Ok(Query {
        cards,
        min_card_memory: arguments.memory,
        min_count: arguments.count.or(arguments.min_count),
        max_count: arguments.count,
        min_capability: capability.transpose()?,
        interconnect: arguments.interconnect.map(|choice| match choice {
            InterconnectChoice::Nvlink => Interconnect::NvLink,
            InterconnectChoice::Pcie => Interconnect::Pcie,
        }),
        form: arguments.form.map(|choice| match choice {
            FormChoice::Sxm => Form::Sxm,
            FormChoice::Pcie => Form::Pcie,
            FormChoice::Nvl => Form::Nvl,
        }),
        providers: arguments.provider.clone(),
        regions: arguments.region.clone(),
        countries: arguments.country.clone(),
        modes: arguments.mode.clone(),
        max_price: arguments.max_price,
        ecc: arguments.ecc,
        min_vcpus: arguments.vcpus,
        min_memory: arguments.ram,
        min_disk: arguments.disk,
        slices: arguments.slices,
        serverless: arguments.serverless,
        oldest: arguments.oldest.map(|choice| match choice {
            FreshnessChoice::Fresh => Freshness::Fresh,
            FreshnessChoice::Ageing => Freshness::Ageing,
            FreshnessChoice::Stale => Freshness::Stale,
        }),
        currency: arguments.currency,
        sort: match arguments.sort.unwrap_or_default() {
            SortChoice::Card => Sort::Card,
            SortChoice::Instance => Sort::Instance,
            SortChoice::Gib => Sort::Gib,
            SortChoice::Tflop => Sort::Tflop,
            SortChoice::Bandwidth => Sort::Bandwidth,
            SortChoice::Bill => Sort::Bill(arguments.pattern()?),
        },
    })
}

/// Says when the cheapest card comes only with an instance that costs much more than another one:
/// a cheap card that is tied to a huge machine is not cheap.
fn tied_to_more(found: &Found<'_>, context: &Context) {
    let Some(first) = found.hits.first() else { return };
    let same = found.hits.iter().filter(|hit| {
        hit.instance.currency() == first.instance.currency() && hit.card.id == first.card.id
    });
    let Some(least) = same.min_by_key(|hit| hit.instance.amount()) else { return };
    if first.instance.amount() > least.instance.amount() {
        context.tell(
            &Phrase::new("offers-tied")
                .with("offer", &first.offer.id)
                .with("instance", market::small(first.instance))
                .with("count", first.offer.count)
                .with("other", &least.offer.id)
                .with("price", market::small(least.instance)),
        );
    }
}

/// Prints a table with what was left out; JSON carries both in one document.
fn show(
    table: &Table,
    found: &Found<'_>,
    rates: &Rates,
    context: &Context,
) -> Result<(), CommandError> {
    if context.settings.format == Format::Json {
        return context.print_json(&tables::offers_json(table, found, rates));
    }
    if found.hits.is_empty() {
        context.warn(&Phrase::new("offers-none"));
    } else {
        context.print_table(table)?;
    }
    if found.other_currency > 0 {
        context.warn(&Phrase::new("offers-other-currency").with("count", found.other_currency));
    }
    if found.unstated > 0 {
        context.warn(&Phrase::new("offers-unstated").with("count", found.unstated));
    }
    Ok(())
}
