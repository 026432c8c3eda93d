//! `kasuan plan`: a month's jobs become a priced and explained plan.

use crate::{
    calendar::{self, CalendarKind},
    context::Context,
    error::{CommandError, Exit},
    files::{self, Existing},
    market,
    names::Shelf,
    price_store,
    settings::Format,
};
use kasuan_formats::{plan_json, workload};
use kasuan_market::Catalogue;
use kasuan_model::{Grade, Phrase, Phrased as _};
use kasuan_plan::{World, outcome};
use kasuan_report::{Paint, PlanReport};
use std::path::{Path, PathBuf};

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
    #[arg(long, default_value_t = 1)]
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
    let text = files::read_text(&arguments.file)?;
    let shipped = Catalogue::shipped()?;
    let shelf = Shelf::new(&shipped, &arguments.file);
    let mut document = read(arguments, &text, context, &shelf)?;
    if arguments.all_prices {
        let policy = &mut document.workload.policy;
        policy.undated = true;
        policy.max_price_age_days = Some(u32::MAX);
        policy.lowest_grade = Grade::D;
        policy.outliers = true;
    }
    for note in shelf.notes() {
        context.warn(&note);
    }
    if arguments.show_defaults {
        context.print(&document.to_yaml())?;
        return Ok(Exit::Done);
    }
    // What is given on the command line goes before what the file names.
    let mut prices: Vec<_> = document.prices.iter().map(|prices| shelf.path(prices)).collect();
    prices.extend(arguments.prices.iter().cloned());
    let past = price_store::history(&[], &prices, context)?;
    drop(shelf);
    let market = market::with_prices(shipped, &prices, context)?.with_history(past);
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

/// Plans a workload file with what was measured of its jobs; `change` may put measured figures into
/// the workload first.
pub(crate) fn replan(
    file: &Path,
    prices: &[PathBuf],
    rates: &[String],
    measured: &[kasuan_plan::Measured],
    change: &dyn Fn(&mut kasuan_plan::workload::Workload),
    context: &Context,
) -> Result<(kasuan_plan::workload::Workload, outcome::Plan, Catalogue), CommandError> {
    let arguments = Plan {
        file: file.to_owned(),
        output: None,
        prices: prices.to_vec(),
        rate: rates.to_vec(),
        seed: 1,
        show_defaults: false,
        all_prices: false,
        cap: None,
        calendar: None,
        time_zone: None,
    };
    let text = files::read_text(file)?;
    let shipped = Catalogue::shipped()?;
    let shelf = Shelf::new(&shipped, file);
    let document = read(&arguments, &text, context, &shelf)?;
    let mut paths: Vec<_> = document.prices.iter().map(|prices| shelf.path(prices)).collect();
    paths.extend(prices.iter().cloned());
    let market = market::catalogue(&paths, context)?;
    let mut workload = document.workload;
    change(&mut workload);
    let world = World { catalogue: &market, today: context.settings.today, seed: 1, measured };
    let plan = kasuan_plan::plan(&workload, &world)?;
    Ok((workload, plan, market))
}

/// Decides the exit code: a job without any feasible offer is for the user to mend, a plan over its
/// cap is an answer.
fn finish(
    plan: &outcome::Plan,
    workload: &kasuan_plan::workload::Workload,
) -> Result<Exit, CommandError> {
    if let Some(job) = plan.jobs.iter().find(|job| job.choice.is_none()) {
        let mut error = CommandError::user(Phrase::new("plan-infeasible").with("job", &job.name));
        for why in &job.why {
            error = error.hint(why.clone());
        }
        return Err(error);
    }
    let over = workload
        .policy
        .cap
        .is_some_and(|cap| plan.total.compare(cap).is_ok_and(std::cmp::Ordering::is_gt));
    Ok(if over { Exit::AnswerIsNo } else { Exit::Done })
}

fn read(
    arguments: &Plan,
    text: &str,
    context: &Context,
    shelf: &Shelf<'_>,
) -> Result<workload::Document, CommandError> {
    let extension = arguments.file.extension().unwrap_or_default().to_string_lossy();
    let notation = workload::Notation::from_extension(&extension);
    let read = workload::parse(text, notation).and_then(|mut tree| {
        for rate in &arguments.rate {
            let (code, value) = rate.split_once('=').ok_or_else(|| {
                workload::Trouble::new(Phrase::new("plan-rate-wrong").with("text", rate))
                    .hint(Phrase::new("plan-hint-rate"))
            })?;
            tree.put("rates", code, value);
        }
        if let Some(cap) = &arguments.cap {
            tree.put("policy", "cap", cap);
        }
        workload::read_tree(&tree, context.settings.today, shelf)
    });
    read.map_err(|error| {
        let file = arguments.file.display();
        let message = context.say(&error.phrase());
        let phrase = match error.place {
            Some(place) => Phrase::new("workload-at")
                .with("file", file)
                .with("line", place.line)
                .with("column", place.column)
                .with("message", message),
            None => Phrase::new("workload-in").with("file", file).with("message", message),
        };
        let mut refused = CommandError::user(phrase);
        if let Some(place) = error.place {
            refused = refused.excerpt(text, place);
        }
        for hint in error.hints() {
            refused = refused.hint(hint);
        }
        refused
    })
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
