//! `kasuan advise`: whether to commit, to take spot or to measure first, from what was measured.

mod next;
mod share;

use crate::{
    context::Context,
    error::{CommandError, Exit},
    files,
    settings::Format,
};
use kasuan_formats::{advice, series};
use kasuan_model::{Currency, Estimate, Money, MoneyError, Phrase, Seconds};
use kasuan_plan::{
    advise::{Guess, measure_first},
    commitment::{self, Held, Horizon, Observed, OnDemand, Problem, Starts, Tenor, Term},
    spot::{self, Machine, Rule, Situation},
};
use rust_decimal::{Decimal, prelude::ToPrimitive as _};
use serde::Serialize;
use std::{path::PathBuf, str::FromStr};

/// Time between two decisions where the history does not say.
const STEP: Seconds = Seconds::from_minutes(30);

#[derive(Debug, clap::Args)]
pub(crate) struct Advise {
    #[command(subcommand)]
    about: About,
}

#[derive(Debug, clap::Subcommand)]
enum About {
    Commit(Commit),
    Spot(Spot),
    Measure(Measure),
    Share(share::Share),
    Next(next::Next),
}

#[derive(Debug, clap::Args)]
struct Commit {
    #[arg(long, value_name = "FILE")]
    demand: PathBuf,
    #[arg(long, value_name = "PRICE")]
    on_demand: Decimal,
    #[arg(long, value_name = "NAME:HOURS:PRICE", required = true)]
    term: Vec<NamedTerm>,
    #[arg(long, value_name = "COUNT@HOURS")]
    held: Vec<HeldCards>,
    #[arg(long, default_value = "CNY")]
    currency: Currency,
    #[arg(long)]
    hindsight: bool,
    #[arg(long, requires = "hindsight")]
    pro_rata: bool,
}

#[derive(Debug, clap::Args)]
struct Spot {
    #[arg(long, value_name = "TIME")]
    remaining: Seconds,
    #[arg(long, value_name = "TIME")]
    deadline: Seconds,
    #[arg(long, value_name = "TIME", default_value = "10min")]
    restart: Seconds,
    #[arg(long, value_name = "PRICE")]
    spot_price: Decimal,
    #[arg(long, value_name = "PRICE")]
    on_demand_price: Decimal,
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    now: Now,
    #[arg(long, value_enum)]
    available: YesNo,
    #[arg(long, value_name = "TIME")]
    step: Option<Seconds>,
    #[arg(long, value_enum, default_value_t)]
    policy: Policy,
    #[arg(long, value_name = "TIME", requires = "elapsed")]
    work: Option<Seconds>,
    #[arg(long, value_name = "TIME", requires = "work")]
    elapsed: Option<Seconds>,
    #[arg(long, default_value = "CNY")]
    currency: Currency,
}

#[derive(Debug, clap::Args)]
struct Measure {
    #[arg(long, value_name = "LOW,LIKELY,HIGH")]
    hours: Range,
    #[arg(long, value_name = "PRICE")]
    on_demand: Decimal,
    #[arg(long, value_name = "NAME:HOURS:PRICE")]
    term: NamedTerm,
    #[arg(long, value_name = "TIME", default_value = "168h")]
    measure: Seconds,
    #[arg(long, default_value = "CNY")]
    currency: Currency,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Now {
    #[default]
    Idle,
    Spot,
    #[value(name = "on_demand", alias = "on-demand")]
    OnDemand,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum YesNo {
    Yes,
    No,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Policy {
    #[default]
    Programme,
    UniformProgress,
    Greedy,
}

/// A term: `month:720h:360`.
#[derive(Clone, Debug)]
struct NamedTerm {
    name: String,
    term: Term,
}

/// Cards that are held: `3@400h`.
#[derive(Clone, Copy, Debug)]
struct HeldCards(Held);

/// A range: `90,200,300`.
#[derive(Clone, Copy, Debug)]
struct Range(Estimate<Decimal>);

/// The text is none of these.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("not in the form that was asked for")]
struct Malformed;

impl FromStr for NamedTerm {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let mut parts = text.rsplitn(3, ':');
        let (price, hours, name) = (parts.next(), parts.next(), parts.next());
        let price = price.and_then(|price| price.trim().parse().ok()).ok_or(Malformed)?;
        let hours = hours.and_then(whole_hours).ok_or(Malformed)?;
        let name = name.map(str::trim).filter(|name| !name.is_empty()).ok_or(Malformed)?;
        Ok(Self { name: name.to_owned(), term: Term { hours, price } })
    }
}

impl FromStr for HeldCards {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let (count, hours) = text.split_once('@').ok_or(Malformed)?;
        let count = count.trim().parse().map_err(|_| Malformed)?;
        Ok(Self(Held { count, hours: whole_hours(hours).ok_or(Malformed)? }))
    }
}

impl FromStr for Range {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let parts: Result<Vec<Decimal>, _> =
            text.split(',').map(|part| part.trim().trim_end_matches('h').parse()).collect();
        match parts.map_err(|_| Malformed)?.as_slice() {
            [low, likely, high] => Ok(Self(Estimate::new(*low, *likely, *high))),
            _ => Err(Malformed),
        }
    }
}

/// Reads a span and returns it in whole hours, refusing parts of an hour.
fn whole_hours(text: &str) -> Option<u32> {
    let span: Seconds = text.trim().parse().ok()?;
    let hours = span.get() / 3600;
    if span.get().is_multiple_of(3600) { u32::try_from(hours).ok() } else { None }
}

/// Runs the command.
pub(crate) fn run(arguments: &Advise, context: &Context) -> Result<Exit, CommandError> {
    match &arguments.about {
        About::Commit(arguments) if arguments.hindsight => hindsight(arguments, context),
        About::Commit(arguments) => commit(arguments, context),
        About::Spot(arguments) => spot(arguments, context),
        About::Measure(arguments) => measure(arguments, context),
        About::Share(arguments) => share::run(arguments, context),
        About::Next(arguments) => next::run(arguments, context),
    }
}

fn commit(arguments: &Commit, context: &Context) -> Result<Exit, CommandError> {
    let demand = series::read_demand(&files::read_text(&arguments.demand)?)?;
    let (names, terms) = terms_of(&arguments.term);
    let held = held_of(&arguments.held);
    let observed =
        Observed { demand: &demand, on_demand: arguments.on_demand, terms: &terms, held: &held };
    let advice = commitment::advise(&observed)?;
    let reasons = advice.reasons(&names, arguments.currency);
    answer(context, &reasons, |why| advice::Commit::new(&advice, &names, why))?;
    Ok(Exit::Done)
}

fn hindsight(arguments: &Commit, context: &Context) -> Result<Exit, CommandError> {
    let demand = series::read_demand(&files::read_text(&arguments.demand)?)?;
    let (names, terms) = terms_of(&arguments.term);
    let tenors: Vec<Tenor> = terms
        .iter()
        .map(|term| Tenor {
            hours: term.hours,
            price: term.price,
            stock: None,
            starts: Starts::Any,
        })
        .collect();
    let on_demand = [OnDemand::flat(arguments.on_demand)];
    let horizon = if arguments.pro_rata { Horizon::ProRata } else { Horizon::Full };
    let held = held_of(&arguments.held);
    let solution = commitment::optimise(&Problem {
        currency: arguments.currency,
        demand: &demand,
        on_demand: &on_demand,
        tenors: &tenors,
        held: &held,
        horizon,
    })?;
    let hours: u64 = demand.iter().copied().map(u64::from).sum();
    let all = Money::new(arguments.on_demand, arguments.currency)
        .times(Decimal::from(hours))
        .map_err(|error: MoneyError| commitment::CommitmentError::from(error))?;
    let reasons = [Phrase::new("advise-hindsight")
        .with("cost", solution.cost)
        .with("commitments", solution.commitment_cost)
        .with("on_demand", solution.on_demand_cost)
        .with("all", all)];
    answer(context, &reasons, |_| {
        advice::Hindsight::new(&solution, &names, all.amount().normalize().to_string())
    })?;
    Ok(Exit::Done)
}

fn spot(arguments: &Spot, context: &Context) -> Result<Exit, CommandError> {
    let past = match &arguments.history {
        Some(path) => series::read_availability(&files::read_text(path)?)?,
        None => series::AvailabilitySeries::default(),
    };
    let mut up = past.up;
    up.push(matches!(arguments.available, YesNo::Yes));
    let price = |price: Decimal| match price.to_f64() {
        Some(number) if (0.0..=1e9).contains(&number) => Ok(number),
        _ => Err(commitment::CommitmentError::Price { price }),
    };
    let whole = match (arguments.work, arguments.elapsed) {
        (Some(work), Some(elapsed)) => Some((work, elapsed + arguments.deadline)),
        _ if arguments.policy == Policy::UniformProgress => {
            return Err(CommandError::user(Phrase::new("advise-error-uniform")));
        }
        _ => None,
    };
    if arguments.step.is_some_and(|step| step.get() == 0) {
        return Err(CommandError::user(
            Phrase::new("error-argument-value").with("value", "0").with("argument", "--step"),
        ));
    }
    for (argument, time) in
        [("--deadline", arguments.deadline), ("--remaining", arguments.remaining)]
    {
        if time > spot::LONGEST {
            return Err(CommandError::user(
                Phrase::new("advise-error-spot-long")
                    .with("argument", argument)
                    .with("hours", time.decimal_hours().round().normalize())
                    .with("most", spot::LONGEST.get() / 3600),
            )
            .hint(Phrase::new("advise-hint-spot-long")));
        }
    }
    let situation = Situation {
        remaining: arguments.remaining,
        left: arguments.deadline,
        restart: arguments.restart,
        step: arguments.step.or(past.step).unwrap_or(STEP),
        spot_price: price(arguments.spot_price)?,
        on_demand_price: price(arguments.on_demand_price)?,
        now: match arguments.now {
            Now::Idle => Machine::Idle,
            Now::Spot => Machine::Spot,
            Now::OnDemand => Machine::OnDemand,
        },
        whole,
    };
    let rule = match arguments.policy {
        Policy::Programme => Rule::Programme,
        Policy::UniformProgress => Rule::UniformProgress,
        Policy::Greedy => Rule::Greedy,
    };
    let advice = spot::advise(&situation, &up, rule);
    let currency = arguments.currency;
    let reasons = advice.reasons(currency);
    answer(context, &reasons, |why| advice::Spot::new(&advice, currency, why))?;
    let met = advice.deadline_chance.get() >= 1.0;
    Ok(if met { Exit::Done } else { Exit::AnswerIsNo })
}

fn measure(arguments: &Measure, context: &Context) -> Result<Exit, CommandError> {
    let money = |amount| Money::new(amount, arguments.currency);
    let advice = measure_first(&Guess {
        hours: arguments.hours.0,
        hourly: money(arguments.on_demand),
        term_price: money(arguments.term.term.price),
        term_hours: arguments.term.term.hours,
        measure_hours: u32::try_from(arguments.measure.get() / 3600).unwrap_or(u32::MAX),
    })?;
    answer(context, &advice.reasons(), |why| advice::Measure::new(&advice, why))?;
    Ok(Exit::Done)
}

fn terms_of(terms: &[NamedTerm]) -> (Vec<String>, Vec<Term>) {
    terms.iter().map(|named| (named.name.clone(), named.term)).unzip()
}

fn held_of(held: &[HeldCards]) -> Vec<Held> {
    held.iter().map(|held| held.0).collect()
}

/// Prints the reasons for a person, or the contract with the reasons in it for a program.
fn answer<T: Serialize>(
    context: &Context,
    reasons: &[Phrase],
    contract: impl FnOnce(String) -> T,
) -> Result<(), CommandError> {
    let said: Vec<String> = reasons.iter().map(|reason| context.say(reason)).collect();
    if context.settings.format == Format::Json {
        let value = serde_json::to_value(contract(said.join(" "))).map_err(|error| {
            CommandError::surroundings(Phrase::new("error-output").with("reason", error))
        })?;
        return context.print_json(&value);
    }
    let bullet = if context.settings.format == Format::Markdown { "- " } else { "" };
    for line in said {
        context.print(&format!("{bullet}{line}\n"))?;
    }
    Ok(())
}
