//! Gathers what `kasuan fit` prints: for each card whether it fits, how fast, at what price.

use super::{Subject, ask::Ask};
use crate::{context::Context, error::CommandError};
use kasuan_formats::fit::{Compared, Larger, Price, Report, Row, Speed};
use kasuan_market::{Bands, Catalogue, Query, Standards, Standing};
use kasuan_model::{BillingMode, Card, Currency, Interconnect, Phrase, Rates};
use kasuan_plan::unit_cost;
use kasuan_sizing::{
    Architecture, Kind, Parallelism, WeightFormat, Work,
    fit::{self, CardAnswer, Need},
    memory, time,
};
use std::collections::{BTreeMap, BTreeSet};

/// Gathers the report.
pub(super) fn report(
    subject: &Subject,
    ask: &Ask,
    named: &[String],
    currency: Currency,
    all: bool,
    context: &Context,
) -> Result<Report, CommandError> {
    let market = Catalogue::shipped()?;
    let need = reading(&subject.architecture, ask.need(subject.weights));
    let model = &subject.architecture;
    let Prices { of_card: prices, other_currency, doubtful } = prices(&market, currency, context);
    let mut notes = subject.notes.clone();
    let mut cards: Vec<&Card> = Vec::new();
    for text in named {
        let found = market.find_card(text)?;
        if let Some(card) = market.card(&found.card) {
            cards.push(card);
        }
    }
    if named.is_empty() {
        cards =
            market.cards().iter().filter(|c| all || prices.contains_key(c.id.as_str())).collect();
    }
    let mut rows = Vec::new();
    for card in cards {
        let answer = fit::answer(model, &need, card)?;
        let speed = speed(subject, &answer, card);
        let price = prices.get(card.id.as_str()).map(|listed| {
            let cards = answer.best.as_ref().map_or(1, fit::Fit::cards);
            price(listed.clone(), cards, speed.as_ref().and_then(|s| s.as_ref().ok()), ask.tokens)
        });
        let remedies = match (&answer.best, named.is_empty()) {
            (_, true) => None,
            _ if answer.asked.fits => None,
            _ => Some(fit::ways_to_fit(model, &need, &answer, card)?),
        };
        let larger = match &remedies {
            Some(_) => larger(model, &need, card, &market, &prices)?,
            None => None,
        };
        rows.push(Row { card: card.clone(), answer, speed, price, remedies, larger });
    }
    if named.is_empty() {
        rows.sort_by(|a, b| order(a).total_cmp(&order(b)));
    }
    if other_currency > 0 {
        notes.push(
            Phrase::new("fit-note-other-currency")
                .with("count", other_currency)
                .with("currency", currency),
        );
    }
    if doubtful > 0 {
        notes.push(Phrase::new("fit-note-doubtful").with("count", doubtful));
    }
    let format = need.weights.unwrap_or(WeightFormat::Bf16);
    let setup = need.setup(format, Parallelism::SINGLE);
    let first = rows.first().map(|row| &row.card).filter(|_| !named.is_empty());
    let memory = memory::estimate(model, &setup, first)?;
    Ok(Report {
        guide: memory::guide_rule(model, &setup),
        model: model.clone(),
        memory,
        need,
        rows,
        notes,
        compared: Vec::new(),
    })
}

/// Returns the memory of another setup, and which of the report's cards it fits alone.
pub(super) fn compared(
    subject: &Subject,
    ask: &Ask,
    settings: &str,
    report: &Report,
) -> Result<Compared, CommandError> {
    let need = reading(&subject.architecture, ask.need(subject.weights));
    let model = &subject.architecture;
    let format = need.weights.unwrap_or(WeightFormat::Bf16);
    let memory = memory::estimate(model, &need.setup(format, Parallelism::SINGLE), None)?;
    let mut cards = Vec::new();
    for row in &report.rows {
        let answer = fit::answer(model, &need, &row.card)?;
        cards.push((row.card.display.clone(), answer.best.as_ref().map(fit::Fit::cards)));
    }
    Ok(Compared { settings: settings.to_owned(), memory, cards })
}

/// Returns the cheapest card that holds the job as asked, the smallest where none has a price.
fn larger(
    model: &Architecture,
    need: &Need,
    card: &Card,
    market: &Catalogue,
    prices: &BTreeMap<String, Price>,
) -> Result<Option<Larger>, CommandError> {
    let here = prices.get(card.id.as_str()).map(|price| price.per_card);
    let format = need.weights.unwrap_or(WeightFormat::Bf16);
    let cards = need.cards.unwrap_or(1);
    let mut found: Vec<Larger> = Vec::new();
    for other in market.cards().iter().filter(|other| other.memory > card.memory) {
        let Some(way) = need.ways(model, format, cards).first().copied() else { continue };
        if fit::fits(model, &need.setup(format, way), other, need.headroom)?.fits {
            let hour = prices.get(other.id.as_str()).map(|price| price.per_card);
            let more = hour.zip(here).and_then(|(hour, here)| hour.checked_sub(here).ok());
            found.push(Larger { card: other.clone(), hour, more });
        }
    }
    let priced = found.iter().filter(|larger| larger.hour.is_some()).min_by(|a, b| {
        let amount = |larger: &Larger| larger.hour.map(kasuan_model::Money::amount);
        amount(a).cmp(&amount(b))
    });
    Ok(priced.or_else(|| found.iter().min_by_key(|larger| larger.card.memory)).cloned())
}

/// Turns a request to a model that returns vectors into one that only reads.
fn reading(model: &Architecture, mut need: Need) -> Need {
    if let (Kind::Encoder, Work::Inference(inference)) = (model.kind, &mut need.work) {
        inference.prompt = inference.prompt.saturating_add(inference.generated);
        inference.generated = 0;
    }
    need
}

/// Cheapest first by what a unit of work costs, then by the price of an hour; what does not fit
/// last.
fn order(row: &Row) -> f64 {
    let cost = row.price.as_ref().and_then(|price| {
        let money = price.million.map_or(price.hour, |million| million.likely);
        f64::try_from(money.amount()).ok()
    });
    match (&row.answer.best, cost) {
        (None, _) => f64::INFINITY,
        (Some(_), None) => 1e12,
        (Some(_), Some(cost)) => cost,
    }
}

/// The cheapest on-demand offer of each card, and how many were left out.
pub(in crate::commands) struct Prices {
    /// By the card's id.
    pub(in crate::commands) of_card: BTreeMap<String, Price>,
    /// Offers in another currency.
    pub(in crate::commands) other_currency: usize,
    /// Offers in this currency that are not good enough to choose by, as in a plan.
    pub(in crate::commands) doubtful: usize,
}

/// Finds the cheapest on-demand offer of each card in a currency, among those that a plan would
/// choose among: dated, recent, believable.
pub(in crate::commands) fn prices(
    market: &Catalogue,
    currency: Currency,
    context: &Context,
) -> Prices {
    let query =
        Query { modes: vec![BillingMode::OnDemand], currency: Some(currency), ..Query::default() };
    let found = query.run(market, &Rates::default(), Bands::default(), context.settings.today);
    let standing = Standing::new(market, Standards::default());
    let doubtful: BTreeSet<&str> = market
        .offers()
        .iter()
        .enumerate()
        .filter(|(index, offer)| standing.lack(*index, offer).is_some())
        .map(|(_, offer)| offer.id.as_str())
        .collect();
    let mut prices =
        Prices { of_card: BTreeMap::new(), other_currency: found.other_currency, doubtful: 0 };
    for hit in found.hits {
        if doubtful.contains(hit.offer.id.as_str()) {
            prices.doubtful += 1;
            continue;
        }
        prices.of_card.entry(hit.card.id.as_str().to_owned()).or_insert_with(|| Price {
            provider: hit.offer.provider.clone(),
            offer: hit.offer.id.clone(),
            seen: hit.offer.source.date,
            per_card: hit.per_card,
            hour: hit.per_card,
            million: None,
            run: None,
        });
    }
    prices
}

/// Returns what the best setup does in a second; `None` when nothing fits.
fn speed(
    subject: &Subject,
    answer: &CardAnswer,
    card: &Card,
) -> Option<Result<Speed, time::Declined>> {
    let best = answer.best.as_ref()?;
    let links = match card.nvlink {
        Some(rate) if rate > 0.0 => Interconnect::NvLink,
        Some(_) => Interconnect::Pcie,
        None => Interconnect::Unknown,
    };
    let model = &subject.architecture;
    let rate = match &best.setup.work {
        // A model that returns vectors only reads.
        Work::Inference(_) if model.kind == Kind::Encoder => {
            time::prefill(model, &best.setup, card, links)
        }
        Work::Inference(_) => time::serving(model, &best.setup, card, links).map(|s| s.rate),
        Work::Training(_) => time::training_rate(model, &best.setup, card, links),
    };
    Some(rate.map(|rate| Speed {
        tokens_per_second: rate.tokens_per_second,
        limit: rate.limit,
        confidence: rate.confidence,
        rate,
    }))
}

/// Returns the price with what a unit of work costs.
fn price(mut price: Price, cards: u32, speed: Option<&Speed>, tokens: Option<u64>) -> Price {
    price.hour = unit_cost::hour(price.per_card, cards).unwrap_or(price.per_card);
    if let Some(speed) = speed {
        price.million = unit_cost::million_tokens(price.hour, speed.tokens_per_second).ok();
        price.run = tokens.and_then(|tokens| {
            let time = time::job_time(&speed.rate, tokens as f64, 1.0).ok()?;
            Some((time.seconds, unit_cost::run(price.hour, time.seconds).ok()?))
        });
    }
    price
}
