//! `kasuan plan`: a month's jobs become a priced and explained plan.

mod text;

use crate::{
    calendar::{self, CalendarKind},
    context::Context,
    error::{CommandError, Exit},
    files::{self, Existing},
    market,
    names::Shelf,
    settings::Format,
};
use kasuan_formats::{plan_json, workload};
use kasuan_market::Catalogue;
use kasuan_model::{Grade, Phrase};
use kasuan_plan::{
    World, outcome,
    workload::{Policy, Workload},
};
use kasuan_report::{Paint, PlanReport};
use std::path::{Path, PathBuf};
use text::Text;

/// The seed of simulated months where none is given.
const SEED: u64 = 1;

#[derive(Debug, clap::Args)]
pub(crate) struct Plan {
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[arg(long, value_name = "CSV")]
    prices: Vec<PathBuf>,
    #[arg(long, value_name = "CODE=RATE")]
    rate: Vec<String>,
    #[arg(long)]
    all_prices: bool,
    #[arg(long, default_value_t = SEED)]
    seed: u64,
    #[arg(long)]
    show_defaults: bool,
    #[arg(long, value_name = "MONEY")]
    cap: Option<String>,
    #[arg(long, value_name = "KIND", value_enum)]
    calendar: Option<CalendarKind>,
    #[arg(long, value_name = "ZONE")]
    time_zone: Option<String>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Plan, context: &Context) -> Result<Exit, CommandError> {
    let zone = arguments.time_zone.as_deref().map(calendar::zone).transpose()?;
    let kind = match arguments.calendar {
        Some(calendar) => arguments.output.as_ref().map(|_| OutputKind::Calendar(calendar)),
        None => arguments.output.as_deref().map(output_kind).transpose()?,
    };
    let text = Text::read(&arguments.file, context)?;
    let shipped = Catalogue::shipped()?;
    let shelf = Shelf::new(&shipped, &arguments.file);
    let given = Given {
        file: &arguments.file,
        prices: &arguments.prices,
        rates: &arguments.rate,
        cap: arguments.cap.as_deref(),
    };
    let mut document = given.read(&text, context, &shelf)?;
    if arguments.all_prices {
        let_in_all_prices(&mut document.workload.policy);
    }
    for note in shelf.notes().iter().chain(&document.notes) {
        context.warn(note);
    }
    if arguments.show_defaults {
        context.print(&document.to_yaml())?;
        return Ok(Exit::Done);
    }
    let prices = given.cards(&document, &shelf);
    drop(shelf);
    let market = market::for_planning(shipped, &prices, context)?;
    let today = context.settings.today;
    let world = World { catalogue: &market, today, seed: arguments.seed, measured: &[] };
    let workload = &document.workload;
    let plan = kasuan_plan::plan(workload, &world)?;
    let report = PlanReport {
        plan: &plan,
        workload,
        catalogue: &market,
        today,
        explain: context.settings.explain,
    };
    let feasible = plan.jobs.iter().all(|job| job.choice.is_some());
    let written =
        kind.filter(|_| feasible).map(|kind| bytes(kind, &zone, &report, context)).transpose()?;
    if let (Some(path), Some(bytes)) = (&arguments.output, written) {
        files::write(path, &bytes, Existing::Replace)?;
    }
    match arguments.calendar {
        Some(kind) if arguments.output.is_none() => {
            context.print(&calendar::written(kind, zone.as_ref(), &report, context))?;
        }
        _ => context.print(&shown(&report, context))?,
    }
    if let Some(path) = arguments.output.as_ref().filter(|_| feasible) {
        context.tell(&Phrase::new("plan-output-written").with("path", path.display()));
    }
    finish(&plan, workload)
}

/// Lets prices take part that are undated, old, weakly sourced or implausibly low.
fn let_in_all_prices(policy: &mut Policy) {
    policy.undated = true;
    policy.max_price_age_days = Some(u32::MAX);
    policy.lowest_grade = Grade::D;
    policy.outliers = true;
}

/// A workload file and the market that it is planned on, for the commands that plan beside
/// `kasuan plan`.
pub(crate) struct Loaded {
    /// What the file says.
    pub(crate) workload: Workload,
    /// The offers, with the user's prices and the past prices.
    pub(crate) market: Catalogue,
}

impl Loaded {
    /// Reads the file, and the price cards that it and the user name.
    pub(crate) fn read(
        file: &Path,
        prices: &[PathBuf],
        rates: &[String],
        all_prices: bool,
        context: &Context,
    ) -> Result<Self, CommandError> {
        let text = Text::read(file, context)?;
        let shipped = Catalogue::shipped()?;
        let shelf = Shelf::new(&shipped, file);
        let given = Given { file, prices, rates, cap: None };
        let mut document = given.read(&text, context, &shelf)?;
        if all_prices {
            let_in_all_prices(&mut document.workload.policy);
        }
        let cards = given.cards(&document, &shelf);
        drop(shelf);
        let market = market::for_planning(shipped, &cards, context)?;
        Ok(Self { workload: document.workload, market })
    }

    /// Plans what the file says, or a change of it, with what was measured.
    pub(crate) fn plan(
        &self,
        workload: &Workload,
        measured: &[kasuan_plan::Measured],
        context: &Context,
    ) -> Result<outcome::Plan, CommandError> {
        let today = context.settings.today;
        let world = World { catalogue: &self.market, today, seed: SEED, measured };
        Ok(kasuan_plan::plan(workload, &world)?)
    }
}

/// Decides the exit code: a job without any feasible offer is for the user to mend, a plan over its
/// cap is an answer.
fn finish(plan: &outcome::Plan, workload: &Workload) -> Result<Exit, CommandError> {
    if let Some(job) = plan.jobs.iter().find(|job| job.choice.is_none()) {
        let mut error = CommandError::user(Phrase::new("plan-infeasible").with("job", &job.name));
        for why in &job.why {
            error = error.hint(why.clone());
        }
        return Err(error);
    }
    let policy = &workload.policy;
    let over =
        policy.cap.is_some_and(|cap| plan.total.compare(cap).is_ok_and(std::cmp::Ordering::is_gt));
    let at_once = plan.peak.is_some_and(|peak| {
        policy.hourly_cap.is_some_and(|cap| peak.breaks_hourly(cap))
            || policy.cards_cap.is_some_and(|cap| peak.cards > cap)
    });
    Ok(if over || at_once { Exit::AnswerIsNo } else { Exit::Done })
}

/// A workload file and what the command line lays over it.
struct Given<'a> {
    file: &'a Path,
    prices: &'a [PathBuf],
    rates: &'a [String],
    cap: Option<&'a str>,
}

impl Given<'_> {
    /// Returns the price cards: those of the command line go before those that the file names.
    fn cards(&self, document: &workload::Document, shelf: &Shelf<'_>) -> Vec<PathBuf> {
        let of_file = document.prices.iter().map(|prices| shelf.path(prices));
        of_file.chain(self.prices.iter().cloned()).collect()
    }

    fn read(
        &self,
        text: &Text,
        context: &Context,
        shelf: &Shelf<'_>,
    ) -> Result<workload::Document, CommandError> {
        let read = || {
            let mut tree = text.tree(self.file)?;
            for rate in self.rates {
                let (code, value) = rate.split_once('=').ok_or_else(|| {
                    workload::Trouble::new(Phrase::new("plan-rate-wrong").with("text", rate))
                        .hint(Phrase::new("plan-hint-rate"))
                })?;
                tree.put("rates", code, value);
            }
            if let Some(cap) = self.cap {
                tree.put("policy", "cap", cap);
            }
            workload::read_tree(&tree, context.settings.today, shelf)
        };
        read().map_err(|error| text.refused(self.file, &error, context))
    }
}

/// What a file is written as.
#[derive(Clone, Copy, Debug)]
enum OutputKind {
    Shown(Format),
    Workbook,
    Calendar(CalendarKind),
}

fn output_kind(path: &Path) -> Result<OutputKind, CommandError> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    Ok(match extension.as_str() {
        "xlsx" => OutputKind::Workbook,
        "md" | "markdown" => OutputKind::Shown(Format::Markdown),
        "json" => OutputKind::Shown(Format::Json),
        "csv" => OutputKind::Shown(Format::Csv),
        "txt" => OutputKind::Shown(Format::Table),
        other => {
            if let Some(kind) = CalendarKind::from_extension(other) {
                return Ok(OutputKind::Calendar(kind));
            }
            let phrase = Phrase::new("plan-output-unknown").with("path", path.display());
            return Err(CommandError::user(phrase).hint(Phrase::new("plan-hint-output")));
        }
    })
}

fn bytes(
    kind: OutputKind,
    zone: &Option<jiff::tz::TimeZone>,
    report: &PlanReport<'_>,
    context: &Context,
) -> Result<Vec<u8>, CommandError> {
    Ok(match kind {
        OutputKind::Shown(format) => {
            written(report, context, format, Paint::default()).into_bytes()
        }
        OutputKind::Workbook => report.workbook(&context.words)?,
        OutputKind::Calendar(kind) => {
            calendar::written(kind, zone.as_ref(), report, context).into_bytes()
        }
    })
}

fn shown(report: &PlanReport<'_>, context: &Context) -> String {
    written(report, context, context.settings.format, context.paint())
}

fn written(report: &PlanReport<'_>, context: &Context, format: Format, paint: Paint) -> String {
    let words = &context.words;
    match format {
        Format::Table => report.document(words).to_text(paint, context.settings.width),
        Format::Markdown => report.document(words).to_markdown(),
        Format::Csv => report.table(words).to_csv(),
        Format::Json => {
            let say = |phrase: &Phrase| words.say(phrase);
            let plan = plan_json::v1::plan(report.plan, report.workload.month, &say);
            let mut json = serde_json::to_string_pretty(&plan).unwrap_or_default();
            json.push('\n');
            json
        }
    }
}
