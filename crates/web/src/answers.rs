//! Answers to single questions, for the pages and for the API alike: offers, a bill, a check.

use crate::{
    problem::Problem,
    question::{Question, wrong},
    state::AppState,
};
use jiff::civil::{Date, DateTime};
use kasuan_market::{
    Bands, Bill, Catalogue, Found, Freshness, Query, Sort, Usage, bill,
    bill::{Keep, Run},
};
use kasuan_model::{Bytes, CardId, Currency, Money, Offer, Phrase, Rates};
use kasuan_probe::doctor::{Diagnosis, Environment, Stated, diagnose};
use kasuan_report::{Words, market};
use rust_decimal::Decimal;
use serde_json::Value;

/// Offers that are shown when the question does not say how many.
pub(crate) const OFFERS: usize = 60;
/// Offers that are shown at most.
const MOST_OFFERS: usize = 5_000;

/// What `offers` is asked.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// The query.
    pub(crate) query: Query,
    /// Most rows.
    pub(crate) limit: usize,
    /// Whether the market is shown card by card.
    pub(crate) by_card: bool,
}

/// Reads what is wanted of the market.
pub(crate) fn wanted(question: &Question, catalogue: &Catalogue) -> Result<Wanted, Problem> {
    let mut cards: Vec<CardId> = Vec::new();
    for text in question.all("card") {
        let found = catalogue.find_card(&text).map_err(|error| Problem::of(&error))?;
        cards.push(found.card);
    }
    let modes = question.all("mode");
    let modes = modes.iter().map(|text| text.parse().map_err(|_| wrong("mode", text)));
    let count = question.count("count")?;
    let providers = question.all("provider");
    let sort = match question.text("sort").as_deref() {
        None | Some("card") => Sort::Card,
        Some("instance") => Sort::Instance,
        Some("gib") => Sort::Gib,
        Some("tflop") => Sort::Tflop,
        Some("bandwidth") => Sort::Bandwidth,
        Some(other) => return Err(wrong("sort", other)),
    };
    let oldest = match question.text("oldest").as_deref() {
        None => None,
        Some("fresh") => Some(Freshness::Fresh),
        Some("ageing") => Some(Freshness::Ageing),
        Some("stale") => Some(Freshness::Stale),
        Some(other) => return Err(wrong("oldest", other)),
    };
    let by_card = question.flag("by_card")? || (cards.is_empty() && providers.is_empty());
    let max_price = question.read::<Decimal>("max_price")?;
    if let Some(price) = max_price.filter(Decimal::is_sign_negative) {
        return Err(wrong("max_price", &price.to_string()));
    }
    let query = Query {
        cards,
        min_card_memory: question.read::<Bytes>("memory")?,
        min_count: count.or(question.count("min_count")?),
        max_count: count,
        providers,
        regions: question.all("region"),
        countries: question.all("country"),
        modes: modes.collect::<Result<_, _>>()?,
        max_price,
        oldest,
        currency: question.read::<Currency>("currency")?,
        sort,
        ..Query::default()
    };
    let limit = question.count("limit")?.map_or(OFFERS, |limit| limit as usize).min(MOST_OFFERS);
    Ok(Wanted { query, limit, by_card })
}

/// Asks the market.
pub(crate) fn found<'a>(state: &'a AppState, wanted: &Wanted) -> Found<'a> {
    wanted.query.run(state.catalogue(), &Rates::default(), Bands::default(), state.today())
}

/// Returns the table of an answer.
pub(crate) fn offers_table(
    state: &AppState,
    wanted: &Wanted,
    found: &Found<'_>,
    words: &Words,
) -> kasuan_report::Table {
    if wanted.by_card {
        return market::cards(found, Bands::default(), state.today(), words);
    }
    let how = market::Shown {
        sort: wanted.query.sort,
        bands: Bands::default(),
        limit: wanted.limit,
        with_source: true,
        with_box: false,
        today: state.today(),
    };
    market::offers(found, &how, words)
}

/// A bill with the offer that it is for.
pub(crate) struct Billed<'a> {
    /// The offer.
    pub(crate) offer: &'a Offer,
    /// Where its terms come from.
    pub(crate) terms: &'a str,
    /// The bill.
    pub(crate) invoice: Bill,
}

/// Reads a usage and bills it.
pub(crate) fn billed<'a>(state: &'a AppState, question: &Question) -> Result<Billed<'a>, Problem> {
    let catalogue = state.catalogue();
    let missing = |name: &'static str| {
        Problem::new(
            axum::http::StatusCode::BAD_REQUEST,
            Phrase::new("error-argument-missing").with("argument", name),
        )
    };
    let id = question.text("offer").ok_or_else(|| missing("offer"))?;
    let from = moment("from", &question.text("from").ok_or_else(|| missing("from"))?)?;
    let to = moment("to", &question.text("to").ok_or_else(|| missing("to"))?)?;
    let storage = question.read::<Bytes>("storage")?;
    let egress = question.read::<Bytes>("egress")?;
    question.done()?;
    let offer = catalogue.offer(&id).ok_or_else(|| {
        Problem::new(
            axum::http::StatusCode::UNPROCESSABLE_ENTITY,
            Phrase::new("error-offer-unknown").with("id", id.chars().take(80).collect::<String>()),
        )
        .hint(Phrase::new("hint-offer-list"))
    })?;
    let terms = catalogue.terms(&offer.provider, Some(from.date()));
    let usage = Usage {
        runs: vec![Run::new(from, to)],
        released: Some(to),
        given_back: None,
        storage: storage.map(|size| Keep { kind: None, size, from, to }).into_iter().collect(),
        egress: egress.unwrap_or_default(),
    };
    let invoice = bill(&usage, offer, terms).map_err(|error| Problem::of(&error))?;
    Ok(Billed { offer, terms: &terms.source.text, invoice })
}

/// Reads `2026-12-01T09:00` or a bare date, which is its midnight.
fn moment(name: &str, text: &str) -> Result<DateTime, Problem> {
    text.parse::<DateTime>()
        .or_else(|_| text.replacen(' ', "T", 1).parse())
        .or_else(|_| text.parse::<Date>().map(|date| date.at(0, 0, 0, 0)))
        .map_err(|_| wrong(name, text).hint(Phrase::new("hint-moment")))
}

/// A check of an environment against a card.
pub(crate) struct Checked {
    /// What was asked about.
    pub(crate) environment: Environment,
    /// What came out.
    pub(crate) diagnosis: Diagnosis,
    /// Price of an hour, where an offer was named.
    pub(crate) hourly: Option<Money>,
}

/// Reads an environment and checks it; the server's own machine is never looked at.
pub(crate) fn checked(state: &AppState, question: &Question) -> Result<Checked, Problem> {
    let mut stated = Stated {
        card: question.text("card"),
        capability: question.text("capability"),
        driver: question.text("driver"),
        driver_cuda: question.text("driver_cuda"),
        image_cuda: question.text("image_cuda"),
        torch: question.text("torch"),
        cuda: question.text("cuda"),
        python: question.text("python"),
        needs: question
            .all("needs")
            .iter()
            .flat_map(|list| list.split(','))
            .map(|need| need.trim().to_owned())
            .filter(|need| !need.is_empty())
            .collect(),
        windows: question.flag("windows")?,
    };
    let offer = question.text("offer");
    question.done()?;
    let mut hourly = None;
    if let Some(id) = offer {
        let found = state.catalogue().offer(&id).ok_or_else(|| {
            Problem::new(
                axum::http::StatusCode::UNPROCESSABLE_ENTITY,
                Phrase::new("doctor-error-offer")
                    .with("id", id.chars().take(80).collect::<String>()),
            )
        })?;
        hourly = Some(found.hourly());
        let card = state.catalogue().card(&found.card).map(|card| card.display.clone());
        stated.card = stated.card.or(card);
    }
    if stated.card.is_none() && stated.capability.is_none() {
        return Err(Problem::new(
            axum::http::StatusCode::BAD_REQUEST,
            Phrase::new("error-argument-missing").with("argument", "card"),
        ));
    }
    let mut environment = Environment { uses_torch: true, ..Environment::default() };
    stated.put_over(&mut environment).map_err(|error| Problem::of(&error))?;
    let diagnosis = diagnose(&environment, &state.0.tables);
    Ok(Checked { environment, diagnosis, hourly })
}

impl Checked {
    /// Returns the JSON contract.
    pub(crate) fn json(&self, state: &AppState, words: &Words) -> Value {
        let say = |phrase: &Phrase| words.say(phrase);
        let (tables, verdict) = (&state.0.tables, self.diagnosis.verdict);
        let Self { environment, diagnosis, hourly } = self;
        kasuan_probe::doctor::json(environment, diagnosis, tables, *hourly, verdict, &say)
    }
}
