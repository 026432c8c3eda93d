//! `kasuan doctor`: will this environment run on that card, before renting or on the box?

use super::checks;
use crate::{
    context::Context,
    error::{CommandError, Exit},
    settings::Format,
};
use kasuan_model::{Currency, Money, Phrase};
use kasuan_probe::{
    doctor::{self, Diagnosis, Environment, Outcome, Stated, Tables, Verdict, diagnose, find_card},
    machine::{self, Health, Installed, Machine, MachineCheck},
};
use kasuan_report::{Cell, Table, Tone};
use rust_decimal::Decimal;
use serde_json::Value;
use std::path::Path;

#[derive(Debug, clap::Args)]
pub(crate) struct Doctor {
    #[arg(long, value_name = "CARD")]
    card: Option<String>,
    #[arg(long, value_name = "CC")]
    capability: Option<String>,
    #[arg(long, value_name = "VERSION")]
    driver: Option<String>,
    #[arg(long, value_name = "VERSION")]
    driver_cuda: Option<String>,
    #[arg(long, value_name = "VERSION")]
    image_cuda: Option<String>,
    #[arg(long, value_name = "VERSION")]
    torch: Option<String>,
    #[arg(long, value_name = "VERSION")]
    cuda: Option<String>,
    #[arg(long, value_name = "VERSION")]
    python: Option<String>,
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    needs: Vec<String>,
    #[arg(long)]
    windows: bool,
    #[arg(long, value_name = "ID", conflicts_with = "price")]
    offer: Option<String>,
    #[arg(long, value_name = "AMOUNT")]
    price: Option<Decimal>,
    #[arg(long, default_value = "CNY", value_name = "CODE")]
    currency: String,
}

/// Runs the command.
pub(crate) fn run(arguments: &Doctor, context: &Context) -> Result<Exit, CommandError> {
    let tables = Tables::embedded().map_err(|error| {
        CommandError::surroundings(Phrase::new("doctor-error-tables").with("reason", error))
    })?;
    let (hourly, offered) = price(arguments)?;
    let card = arguments.card.clone().or(offered);
    let here = (card.is_none() && arguments.capability.is_none())
        .then(|| machine::inspect(Path::new("/"), &Installed));
    let mut environment = here.as_ref().map_or_else(
        || Environment { uses_torch: true, ..Environment::default() },
        Machine::environment,
    );
    stated(arguments, card).put_over(&mut environment)?;
    let looked = here.as_ref().map(machine::check).unwrap_or_default();
    let diagnosis = diagnose(&environment, &tables);
    let answer = Answer { environment, diagnosis, here, looked, hourly };
    match context.settings.format {
        Format::Json => context.print_json(&answer.json(context, &tables))?,
        Format::Csv => context.print(&answer.table(context).to_csv())?,
        Format::Markdown => context.print(&answer.table(context).to_markdown())?,
        Format::Table => answer.print(context, &tables)?,
    }
    Ok(answer.exit())
}

/// Gathers what was stated.
fn stated(arguments: &Doctor, card: Option<String>) -> Stated {
    Stated {
        card,
        capability: arguments.capability.clone(),
        driver: arguments.driver.clone(),
        driver_cuda: arguments.driver_cuda.clone(),
        image_cuda: arguments.image_cuda.clone(),
        torch: arguments.torch.clone(),
        cuda: arguments.cuda.clone(),
        python: arguments.python.clone(),
        needs: arguments.needs.clone(),
        windows: arguments.windows,
    }
}

/// Returns the price of an hour, and the card of the offer.
fn price(arguments: &Doctor) -> Result<(Option<Money>, Option<String>), CommandError> {
    if let Some(id) = &arguments.offer {
        let catalogue = kasuan_market::Catalogue::shipped().map_err(|error| {
            CommandError::surroundings(Phrase::new("doctor-error-tables").with("reason", error))
        })?;
        let offer = catalogue
            .offer(id)
            .ok_or_else(|| CommandError::user(Phrase::new("doctor-error-offer").with("id", id)))?;
        let card = catalogue.card(&offer.card).map(|card| card.display.clone());
        return Ok((Some(offer.hourly()), card));
    }
    let Some(amount) = arguments.price else { return Ok((None, None)) };
    let currency: Currency = arguments.currency.parse().map_err(|_| {
        CommandError::user(Phrase::new("doctor-error-currency").with("text", &arguments.currency))
    })?;
    Ok((Some(Money::new(amount, currency)), None))
}

struct Answer {
    environment: Environment,
    diagnosis: Diagnosis,
    here: Option<Machine>,
    looked: Vec<MachineCheck>,
    hourly: Option<Money>,
}

impl Answer {
    /// The answer is no when something fails; an open question is not a no.
    fn exit(&self) -> Exit {
        let broken = self.looked.iter().any(|check| check.health == Health::Bad);
        if self.diagnosis.verdict == Verdict::Fail || broken {
            Exit::AnswerIsNo
        } else {
            Exit::Done
        }
    }

    /// Nothing about versions can be said of a machine without a driver and without torch.
    fn asks_nothing(&self) -> bool {
        self.here.is_some() && self.environment.card.is_none() && self.environment.driver.is_none()
    }

    fn table(&self, context: &Context) -> Table {
        let words = &context.words;
        let mut table = checks::table(context);
        for check in &self.looked {
            checks::push(context, &mut table, check);
        }
        for check in self.diagnosis.checks.iter().filter(|_| !self.asks_nothing()) {
            let (word, tone) = outcome_word(check.outcome);
            table.push(vec![
                Cell::with_raw(words.word(word), check.outcome.as_str()).toned(tone),
                Cell::new(check.rule.clone()),
                Cell::new(context.say(&check.evidence)),
                check
                    .fix
                    .as_ref()
                    .map_or_else(|| Cell::unknown(""), |fix| Cell::new(context.say(fix))),
                Cell::new(check.source.clone()),
            ]);
        }
        table
    }

    fn print(&self, context: &Context, tables: &Tables) -> Result<(), CommandError> {
        let paint = context.paint();
        if self.here.is_some() {
            context.print_line(&Phrase::new("doctor-here"))?;
        }
        checks::print(context, &self.looked)?;
        if self.asks_nothing() {
            return context.print_line(&Phrase::new("doctor-try-card"));
        }
        if self.here.is_some() {
            context.print("\n")?;
        }
        let named = find_card(&self.environment, tables);
        match &named {
            Some(card) => context.print_line(
                &Phrase::new("doctor-card")
                    .with("card", &card.name)
                    .with("capability", card.capability),
            )?,
            None => context.print_line(&Phrase::new("doctor-card-unknown"))?,
        }
        for check in &self.diagnosis.checks {
            let word = outcome_word(check.outcome);
            checks::print_line(context, word, &check.rule, &check.evidence, check.fix.as_ref())?;
            if context.settings.explain {
                let source = Phrase::new("doctor-source").with("source", &check.source);
                context
                    .print(&format!("    {}\n", paint.paint(Tone::Faint, &context.say(&source))))?;
            }
        }
        let (word, tone) = verdict_word(self.diagnosis.verdict);
        context.print(&format!("{}\n", paint.paint(tone, &context.words.word(word))))?;
        if let Some(remedy) = &self.diagnosis.remedy {
            let remedy = context.say(remedy);
            let fix = match self.diagnosis.verdict {
                Verdict::Fail => Phrase::new("doctor-remedy").with("remedy", remedy),
                _ => Phrase::new("doctor-suggestion").with("remedy", remedy),
            };
            context.print_line(&fix)?;
        }
        if let Some(cost) = self.cost() {
            context.print_line(&cost)?;
        }
        Ok(())
    }

    /// What finding out on the box would cost: every hour of looking for the reason is billed.
    fn cost(&self) -> Option<Phrase> {
        let hourly = self.hourly?;
        if self.diagnosis.verdict == Verdict::Ok {
            return None;
        }
        let day = hourly.times(Decimal::from(24)).ok()?;
        Some(Phrase::new("doctor-cost").with("hour", hourly).with("day", day))
    }

    fn json(&self, context: &Context, tables: &Tables) -> Value {
        let verdict = if self.asks_nothing() { Verdict::Unknown } else { self.diagnosis.verdict };
        let say = |phrase: &Phrase| context.say(phrase);
        let mut answer =
            doctor::json(&self.environment, &self.diagnosis, tables, self.hourly, verdict, &say);
        if self.here.is_some() {
            let looked: Vec<Value> =
                self.looked.iter().map(|check| checks::to_json(context, check)).collect();
            answer["machine"] = Value::Array(looked);
        }
        answer
    }
}

fn outcome_word(outcome: Outcome) -> (&'static str, Tone) {
    match outcome {
        Outcome::Pass => ("doctor-pass", Tone::Good),
        Outcome::Assumed => ("doctor-assumed", Tone::Warn),
        Outcome::Fail => ("doctor-fail", Tone::Bad),
        Outcome::Unknown => ("doctor-unknown", Tone::Warn),
    }
}

fn verdict_word(verdict: Verdict) -> (&'static str, Tone) {
    match verdict {
        Verdict::Ok => ("doctor-verdict-ok", Tone::Good),
        Verdict::Fail => ("doctor-verdict-fail", Tone::Bad),
        Verdict::Unknown => ("doctor-verdict-unknown", Tone::Warn),
    }
}
