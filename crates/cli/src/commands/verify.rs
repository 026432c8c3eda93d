//! `kasuan verify`: the first validation of a rented box, before a job is trusted to it.

mod history;

use super::checks;
use crate::{
    context::Context,
    error::{CommandError, Exit},
    files::{self, Existing},
    settings::Format,
    store::Store,
};
use kasuan_market::Catalogue;
use kasuan_model::{Bytes, Phrase, Phrased as _};
use kasuan_probe::{
    machine::{self, Health, MachineCheck},
    verify::{
        self as first, DataPath, Effort, Outcome, Promise, judge_data, judge_promise, judge_steps,
        judge_store,
    },
};
use serde_json::{Value, json};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// What is read of the data, twice.
const DATA_LIMIT: Duration = Duration::from_secs(20);
const DATA_MOST: Bytes = Bytes::from_gib(4);
/// What is written to the result store, in MiB.
const STORE_MEBIBYTES: u32 = 64;

#[derive(Debug, clap::Args)]
pub(crate) struct Verify {
    #[arg(long, default_value = "python3", value_name = "PROGRAM")]
    python: String,
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    #[arg(long, value_name = "DIR")]
    keep_at: Option<PathBuf>,
    #[arg(long, value_name = "ID", conflicts_with_all = ["card", "count"])]
    offer: Option<String>,
    #[arg(long, value_name = "CARD")]
    card: Option<String>,
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    #[arg(long, default_value_t = 4096, value_name = "64..32768", value_parser = clap::value_parser!(u32).range(64..=32768))]
    size: u32,
    #[arg(long, default_value_t = 1.0, value_name = "SECONDS")]
    seconds: f64,
    #[arg(long, default_value_t = 300, value_name = "SECONDS")]
    limit: u64,
    #[arg(long, default_value = ".kasuan/verify", value_name = "DIR")]
    records: PathBuf,
    #[command(flatten)]
    store: Store,
}

/// Runs the command.
pub(crate) fn run(arguments: &Verify, context: &Context) -> Result<Exit, CommandError> {
    let catalogue = Catalogue::shipped().map_err(|error| {
        CommandError::surroundings(Phrase::new("doctor-error-tables").with("reason", error))
    })?;
    let promise = promise(arguments, &catalogue)?;
    if !(arguments.seconds.is_finite() && (0.01..=60.0).contains(&arguments.seconds)) {
        let phrase = Phrase::new("verify-error-seconds").with("text", arguments.seconds);
        return Err(CommandError::user(phrase));
    }
    let effort = Effort {
        size: arguments.size,
        seconds: arguments.seconds,
        limit: Duration::from_secs(arguments.limit),
    };
    // A ledger that cannot be opened is told before a minute is spent on measuring.
    let ledger = match arguments.store.is_named(context) {
        true => Some(arguments.store.open(context)?),
        false => None,
    };
    context.tell(&Phrase::new("verify-begins").with("python", &arguments.python));
    let mut found = script(&arguments.python, effort, &catalogue);
    if let (Some(promise), Some(outcome)) = (&promise, &found.outcome) {
        let same = |promised: &str, name: &str| same_card(&catalogue, promised, name);
        let broken = first::compare(&outcome.steps, promise, same);
        found.checks.extend(judge_promise(promise, &broken));
    }
    if let Some(folder) = &arguments.data {
        let seen = first::look_at_data(folder, DATA_LIMIT, DATA_MOST).map_err(|error| {
            CommandError::user(
                Phrase::new("verify-error-data")
                    .with("path", folder.display())
                    .with("reason", error),
            )
        })?;
        found.checks.extend(judge_data(&seen, cores(), found.cards()));
        found.data = Some(seen);
    }
    if let Some(folder) = &arguments.keep_at {
        found.checks.push(judge_store(&first::try_store(folder, STORE_MEBIBYTES)));
    }
    if let (Some((mut ledger, place)), Some(outcome)) = (ledger, &found.outcome) {
        // A ledger that fails now must not hide what was found.
        match history::compare_and_keep(&mut ledger, outcome) {
            Ok(checks) => {
                found.checks.extend(checks);
                context.tell(&Phrase::new("verify-in-ledger").with("place", place));
            }
            Err(error) => {
                let reason = context.say(&error.phrase());
                context.warn(&Phrase::new("verify-not-in-ledger").with("reason", reason));
            }
        }
    }
    answer(arguments, context, &found)
}

/// Everything that was found.
#[derive(Debug, Default)]
struct Found {
    checks: Vec<MachineCheck>,
    outcome: Option<Outcome>,
    data: Option<DataPath>,
}

impl Found {
    fn cards(&self) -> usize {
        let steps = self.outcome.iter().flat_map(|outcome| &outcome.steps);
        steps.filter(|step| step.step == "device" && step.card.is_some()).count()
    }

    fn count(&self, health: Health) -> usize {
        self.checks.iter().filter(|check| check.health == health).count()
    }
}

fn script(python: &str, effort: Effort, catalogue: &Catalogue) -> Found {
    match first::run(python, effort) {
        Ok(outcome) => {
            let card_of = |name: &str| {
                let found = catalogue.find_card(name).ok()?;
                catalogue.card(&found.card).cloned()
            };
            let checks = judge_steps(&outcome, card_of);
            Found { checks, outcome: Some(outcome), data: None }
        }
        Err(error) => {
            let check = MachineCheck {
                part: "PYTHON",
                health: Health::Bad,
                evidence: Phrase::new("verify-no-python")
                    .with("python", python)
                    .with("reason", error),
                fix: Some(Phrase::new("verify-no-python-fix")),
            };
            Found { checks: vec![check], ..Found::default() }
        }
    }
}

/// Returns what was promised; `None` where nothing was said.
fn promise(arguments: &Verify, catalogue: &Catalogue) -> Result<Option<Promise>, CommandError> {
    if let Some(id) = &arguments.offer {
        let offer = catalogue
            .offer(id)
            .ok_or_else(|| CommandError::user(Phrase::new("doctor-error-offer").with("id", id)))?;
        let card = catalogue.card(&offer.card);
        return Ok(Some(Promise {
            card: card.map(|card| card.display.clone()),
            memory: card.map(|card| card.memory),
            count: Some(u64::from(offer.count)),
        }));
    }
    let Some(text) = &arguments.card else {
        return Ok(arguments
            .count
            .map(|count| Promise { count: Some(count), ..Promise::default() }));
    };
    let found = catalogue.find_card(text).map_err(|error| CommandError::user(error.phrase()))?;
    let card = catalogue.card(&found.card);
    Ok(Some(Promise {
        card: card.map(|card| card.display.clone()),
        memory: card.map(|card| card.memory),
        count: arguments.count,
    }))
}

/// Says whether two names mean one card; a name that the table does not know means itself.
fn same_card(catalogue: &Catalogue, promised: &str, name: &str) -> bool {
    let of = |text: &str| catalogue.find_card(text).ok().map(|found| found.card);
    match (of(promised), of(name)) {
        (Some(promised), Some(found)) => promised == found,
        _ => promised.eq_ignore_ascii_case(name),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cores of a machine, rounded down"
)]
fn cores() -> Option<usize> {
    machine::host(Path::new("/")).cores.map(|cores| cores.max(0.0) as usize)
}

fn answer(arguments: &Verify, context: &Context, found: &Found) -> Result<Exit, CommandError> {
    let document = json(context, found);
    let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let path = arguments.records.join(format!("{now}.json"));
    // A report that cannot be kept must not hide what was found.
    let kept = std::fs::create_dir_all(&arguments.records)
        .map_err(|error| error.to_string())
        .and_then(|()| {
            files::write(&path, format!("{document:#}\n").as_bytes(), Existing::Replace)
                .map_err(|error| context.say(error.message()))
        });
    match context.settings.format {
        Format::Json => context.print_json(&document)?,
        format => {
            let mut table = checks::table(context);
            found.checks.iter().for_each(|check| checks::push(context, &mut table, check));
            match format {
                Format::Csv => context.print(&table.to_csv())?,
                Format::Markdown => context.print(&table.to_markdown())?,
                _ => print(context, found)?,
            }
        }
    }
    match kept {
        Ok(()) => context.tell(&Phrase::new("verify-kept").with("path", path.display())),
        Err(reason) => context.warn(&Phrase::new("verify-not-kept").with("reason", reason)),
    }
    Ok(if found.count(Health::Bad) == 0 { Exit::Done } else { Exit::AnswerIsNo })
}

fn print(context: &Context, found: &Found) -> Result<(), CommandError> {
    checks::print(context, &found.checks)?;
    let (bad, watch) = (found.count(Health::Bad), found.count(Health::Watch));
    let verdict = if bad > 0 {
        Phrase::new("verify-verdict-bad").with("count", bad)
    } else if watch > 0 {
        Phrase::new("verify-verdict-watch").with("count", watch)
    } else {
        Phrase::new("verify-verdict-good")
    };
    context.print_line(&verdict)
}

fn json(context: &Context, found: &Found) -> Value {
    let steps = found.outcome.iter().flat_map(|outcome| &outcome.steps);
    let checks = found.checks.iter().map(|check| checks::to_json(context, check));
    json!({
        "version": 1,
        "at": jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        "verdict": if found.count(Health::Bad) > 0 { "fail" }
            else if found.count(Health::Watch) > 0 { "warn" } else { "pass" },
        "checks": checks.collect::<Vec<_>>(),
        "steps": steps.map(|step| step.figures.clone()).collect::<Vec<_>>(),
        "data": found.data.as_ref().map(|seen| json!({
            "files": seen.files,
            "files_below_1_mib": seen.small,
            "bytes": seen.bytes,
            "more_files": seen.more,
            "unreadable": seen.unreadable,
            "cold_bytes_per_second": seen.cold,
            "warm_bytes_per_second": seen.warm,
            "cold_files_per_second": seen.files_per_second,
        })),
    })
}
