//! `kasuan capacity`: replicas and cost of a service at a latency, on every card.

use crate::{
    commands::fit,
    context::Context,
    error::{CommandError, Exit},
    files, market,
    settings::Format,
};
use kasuan_formats::{
    capacity::{Report, Row, json},
    requests,
    workload::words,
};
use kasuan_model::{Currency, Money, Phrase};
use kasuan_plan::service::{self, Demand, Question};
use kasuan_report::capacity as pages;
use kasuan_sizing::{
    Inference, Work,
    capacity::{DayShape, LONG_PROMPT, PaidInterface, Request, Target, Traffic},
};
use rust_decimal::Decimal;
use std::{path::PathBuf, str::FromStr};

/// Cards that are shown when none is named.
const SHOWN: usize = 12;

/// Cards whose requests are replayed.
const REPLAYED: usize = 3;

#[derive(Debug, clap::Args)]
pub(crate) struct Capacity {
    #[arg(value_name = "MODEL")]
    model: String,
    #[arg(long, value_name = "N", conflicts_with_all = ["concurrency", "trace"])]
    rate: Option<f64>,
    #[arg(long, value_name = "N", conflicts_with = "trace")]
    concurrency: Option<f64>,
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    #[arg(long, value_name = "MEAN[/P90]", default_value = "1024")]
    input: String,
    #[arg(long, value_name = "TOKENS", default_value_t = 256.0)]
    output: f64,
    #[arg(long, value_name = "TIME", default_value = "2s")]
    ttft: String,
    #[arg(long, value_name = "TIME", default_value = "60ms")]
    tpot: String,
    #[arg(long, value_name = "TIMES", default_value_t = 1.5)]
    burst: f64,
    #[arg(long, value_name = "HOURS")]
    day: Option<String>,
    #[arg(long)]
    spare: bool,
    #[arg(long, value_name = "FORMAT")]
    weights: Option<String>,
    #[arg(long, value_name = "ENGINE")]
    engine: Option<String>,
    #[arg(long, value_name = "CARD")]
    card: Vec<String>,
    #[arg(long, value_name = "CODE", default_value = "CNY")]
    currency: String,
    #[arg(long, value_name = "PRICE", requires = "api_output")]
    api_input: Option<Decimal>,
    #[arg(long, value_name = "PRICE", requires = "api_input")]
    api_output: Option<Decimal>,
    #[arg(long, value_name = "FILE")]
    prices: Vec<PathBuf>,
}

/// What comes, as words or as a log.
struct Load {
    demand: Demand,
    prompt: (f64, f64),
    generated: f64,
    log: Vec<Request>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Capacity, context: &Context) -> Result<Exit, CommandError> {
    let model = fit::subject(&arguments.model)?.architecture;
    let currency: Currency =
        arguments.currency.parse().map_err(|_| wrong("--currency", &arguments.currency))?;
    let load = load(arguments)?;
    let target =
        Target { ttft: limit("--ttft", &arguments.ttft)?, tpot: limit("--tpot", &arguments.tpot)? };
    let shape = day(arguments.day.as_deref())?;
    let interface = interface(arguments, currency)?;
    let inference = Inference {
        prompt: load.prompt.0.round().max(1.0) as u32,
        generated: load.generated.round().max(1.0) as u32,
        concurrency: 1,
        engine: one_of("--engine", arguments.engine.as_deref(), words::ENGINES)?
            .unwrap_or(Inference::default().engine),
        ..Inference::default()
    };
    let mut need = kasuan_sizing::fit::Need::new(Work::Inference(inference));
    need.weights = one_of("--weights", arguments.weights.as_deref(), words::WEIGHTS)?;
    let question = Question {
        model: &model,
        need,
        demand: load.demand,
        prompt: load.prompt,
        generated: load.generated,
        shape,
        target,
        spare: arguments.spare,
        interface,
    };
    let report = report(arguments, context, &question, &load, currency)?;
    match context.settings.format {
        Format::Json => context.print_json(&json(&report))?,
        Format::Csv => context.print_table(&pages::cards(&report, &context.words))?,
        Format::Markdown => {
            let page = pages::document(&report, &context.words, context.settings.explain);
            context.print(&page.to_markdown())?;
        }
        Format::Table => {
            let page = pages::document(&report, &context.words, context.settings.explain);
            context.print(&page.to_text(context.paint(), context.settings.width))?;
        }
    }
    let none = report.rows.iter().all(|row| row.service.is_none());
    Ok(if none { Exit::AnswerIsNo } else { Exit::Done })
}

fn report(
    arguments: &Capacity,
    context: &Context,
    question: &Question<'_>,
    load: &Load,
    currency: Currency,
) -> Result<Report, CommandError> {
    let catalogue = market::catalogue(&arguments.prices, context)?;
    let prices = fit::prices(&catalogue, currency, context).of_card;
    let mut wanted = Vec::new();
    for text in &arguments.card {
        wanted.push(catalogue.find_card(text)?.card);
    }
    let mut rows = Vec::new();
    let mut left_out = 0;
    for card in catalogue.cards() {
        if !wanted.is_empty() && !wanted.contains(&card.id) {
            continue;
        }
        let Some(price) = prices.get(card.id.as_str()) else {
            if !wanted.is_empty() {
                return Err(CommandError::user(
                    Phrase::new("capacity-error-no-price")
                        .with("card", &card.display)
                        .with("currency", currency),
                )
                .hint(Phrase::new("capacity-hint-price")));
            }
            continue;
        };
        let service = service::on_card(question, card, price.per_card)
            .map_err(|_| CommandError::user(Phrase::new("capacity-error-money")))?;
        if service.is_none() && wanted.is_empty() {
            left_out += 1;
            continue;
        }
        rows.push(Row {
            card: card.clone(),
            offer: price.offer.clone(),
            provider: price.provider.clone(),
            card_hour: price.per_card,
            service,
            replayed: None,
        });
    }
    let cost = |row: &Row| row.service.as_ref().map(|s| s.month.amount());
    rows.sort_by(|a, b| match (cost(a), cost(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    });
    if wanted.is_empty() {
        rows.truncate(SHOWN);
    }
    if !load.log.is_empty() {
        for row in rows.iter_mut().take(REPLAYED) {
            row.replayed =
                row.service.as_ref().map(|service| service.replay(&load.log, &question.target));
        }
    }
    let (rate, in_flight) = match question.demand {
        Demand::PerSecond { rate, burst } => (Some((rate, rate * burst)), None),
        Demand::InFlight(count) => (None, Some(count)),
    };
    Ok(Report {
        model: question.model.id.clone(),
        prompt: question.prompt,
        generated: question.generated,
        rate,
        in_flight,
        shape: question.shape,
        target: question.target,
        rows,
        left_out,
    })
}

fn load(arguments: &Capacity) -> Result<Load, CommandError> {
    if let Some(path) = &arguments.trace {
        let log = requests::read(&files::read_text(path)?)?;
        let Some(traffic) = Traffic::of(&log) else {
            return Err(requests::RequestsError::Short.into());
        };
        return Ok(Load {
            demand: service::demand_of(&traffic),
            prompt: traffic.prompt,
            generated: traffic.generated,
            log,
        });
    }
    let demand = match (arguments.rate, arguments.concurrency) {
        (Some(rate), _) => {
            let burst = positive("--burst", arguments.burst)?;
            Demand::PerSecond { rate: positive("--rate", rate)?, burst: burst.max(1.0) }
        }
        (None, Some(count)) => Demand::InFlight(positive("--concurrency", count)?),
        (None, None) => {
            return Err(CommandError::user(Phrase::new("capacity-error-no-load"))
                .hint(Phrase::new("capacity-hint-load")));
        }
    };
    let (mean, long) = match arguments.input.split_once('/') {
        Some((mean, long)) => (mean, Some(long)),
        None => (arguments.input.as_str(), None),
    };
    let tokens = |text: &str| -> Result<f64, CommandError> {
        let number = text.trim().parse().map_err(|_| wrong("--input", &arguments.input))?;
        positive("--input", number)
    };
    let mean = tokens(mean)?;
    let long = long.map(tokens).transpose()?.unwrap_or(mean * LONG_PROMPT);
    if long < mean {
        return Err(wrong("--input", &arguments.input));
    }
    Ok(Load {
        demand,
        prompt: (mean, long),
        generated: positive("--output", arguments.output)?,
        log: Vec::new(),
    })
}

/// The largest number of requests or tokens that is taken for meant.
const LARGEST: f64 = 1e7;

fn positive(argument: &str, value: f64) -> Result<f64, CommandError> {
    if value > 0.0 && value <= LARGEST {
        Ok(value)
    } else {
        Err(wrong(argument, &value.to_string()))
    }
}

/// Reads `2s`, `60ms` or `none`.
fn limit(argument: &str, text: &str) -> Result<Option<f64>, CommandError> {
    let lower = text.trim().to_lowercase();
    if lower == "none" {
        return Ok(None);
    }
    let (number, scale) = match (lower.strip_suffix("ms"), lower.strip_suffix('s')) {
        (Some(number), _) => (number, 1e-3),
        (None, Some(number)) => (number, 1.0),
        (None, None) => {
            return Err(wrong(argument, text).hint(Phrase::new("capacity-hint-time")));
        }
    };
    let number = f64::from_str(number.trim())
        .map_err(|_| wrong(argument, text).hint(Phrase::new("capacity-hint-time")))?;
    Ok(Some(positive(argument, number * scale)?))
}

/// Reads a day: `08:00-18:00`, which is flat in these hours and empty outside, or 24 loads.
fn day(text: Option<&str>) -> Result<DayShape, CommandError> {
    let Some(text) = text else { return Ok(DayShape::FLAT) };
    let refused = || wrong("--day", text).hint(Phrase::new("capacity-hint-day"));
    let hour = |text: &str| -> Option<usize> {
        let (hour, minute) = text.trim().split_once(':').unwrap_or((text.trim(), "00"));
        (minute == "00").then_some(())?;
        hour.parse().ok().filter(|hour| *hour <= 24)
    };
    let mut hours = [0.0; 24];
    if let Some((from, to)) = text.split_once('-') {
        let (from, to) = (hour(from).ok_or_else(refused)?, hour(to).ok_or_else(refused)?);
        for (at, load) in hours.iter_mut().enumerate() {
            // A span over midnight wraps around.
            let inside = if from < to { from <= at && at < to } else { at >= from || at < to };
            *load = if inside { 1.0 } else { 0.0 };
        }
    } else {
        let loads: Vec<&str> = text.split(',').collect();
        if loads.len() != 24 {
            return Err(refused());
        }
        for (load, text) in hours.iter_mut().zip(loads) {
            *load = text.trim().parse().map_err(|_| refused())?;
        }
    }
    DayShape::new(hours).ok_or_else(refused)
}

fn interface(
    arguments: &Capacity,
    currency: Currency,
) -> Result<Option<PaidInterface>, CommandError> {
    let (Some(input), Some(output)) = (arguments.api_input, arguments.api_output) else {
        return Ok(None);
    };
    for (argument, price) in [("--api-input", input), ("--api-output", output)] {
        if price < Decimal::ZERO {
            return Err(wrong(argument, &price.to_string()));
        }
    }
    Ok(Some(PaidInterface {
        input: Money::new(input, currency),
        output: Money::new(output, currency),
    }))
}

fn one_of<T: Copy>(
    argument: &str,
    value: Option<&str>,
    table: words::Table<T>,
) -> Result<Option<T>, CommandError> {
    let Some(value) = value else { return Ok(None) };
    let known: Vec<&str> = table.iter().map(|(word, _)| *word).collect();
    words::find(table, value).map(Some).ok_or_else(|| {
        wrong(argument, value)
            .hint(Phrase::new("hint-possible-values").with("values", known.join(", ")))
    })
}

fn wrong(argument: &str, value: &str) -> CommandError {
    CommandError::user(
        Phrase::new("error-argument-value").with("value", value).with("argument", argument),
    )
}
