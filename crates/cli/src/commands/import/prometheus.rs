//! `kasuan import prometheus`: hours of a fleet's cards, summed by the user's own server, page by page.

use super::Cards;
use crate::{
    context::Context,
    error::{CommandError, Exit},
    month::Zone,
    send::{self, Method, SendError},
    store::{self, Store},
};
use jiff::{Timestamp, civil::Date};
use kasuan_ledger::Ledger;
use kasuan_model::{Phrase, Phrased as _, UsageHour};
use kasuan_probe::fleet::{FleetError, Hours, Labels, Page, known_metrics, questions};
use kasuan_report::{Cell, Column, Table};
use std::collections::BTreeSet;

const HOUR: i64 = 3600;

#[derive(Debug, clap::Args)]
pub(crate) struct PrometheusImport {
    #[arg(long, value_name = "URL")]
    url: String,
    #[arg(long, value_name = "TIME")]
    from: String,
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true, default_value = "+08:00")]
    zone: Zone,
    #[arg(long = "match", value_name = "LABELS", default_value = "")]
    matching: String,
    #[arg(long, value_name = "LABEL")]
    host_label: Option<String>,
    #[arg(long, value_name = "LABEL")]
    job_label: Option<String>,
    #[arg(long, value_name = "LABEL")]
    person_label: Option<String>,
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    resolution: i64,
    #[arg(long, value_name = "HOURS", default_value_t = 24)]
    page: i64,
    #[arg(long)]
    again: bool,
    #[arg(long, value_name = "NAME")]
    token_env: Option<String>,
    #[command(flatten)]
    store: Store,
}

/// What was imported so far.
#[derive(Default)]
struct Done {
    exporters: BTreeSet<&'static str>,
    cards: BTreeSet<String>,
    unknown: BTreeSet<String>,
    rows: u64,
    new: u64,
    seen: f64,
    busy: (f64, f64),
}

/// Runs the command.
pub(crate) fn run(arguments: &PrometheusImport, context: &Context) -> Result<Exit, CommandError> {
    let server = Server::new(arguments, context)?;
    let now = Timestamp::now().as_second();
    let from = moment(&arguments.from, arguments.zone)?.div_euclid(HOUR) * HOUR;
    let to = match &arguments.to {
        Some(text) => moment(text, arguments.zone)?.min(now),
        None => now,
    };
    if from >= to {
        return Err(CommandError::user(
            Phrase::new("fleet-error-span").with("from", time(from)).with("to", time(to)),
        ));
    }
    // Before a ledger is made, the server must have answered once.
    let present = server.metrics(from, to)?;
    if present.is_empty() {
        return Err(CommandError::user(Phrase::new("fleet-error-empty"))
            .hint(Phrase::new("fleet-hint-empty")));
    }
    let cards = Cards::shipped()?;
    let (mut ledger, place) = arguments.store.open(context)?;
    let source = format!("prometheus {} {{{}}} {from}", server.shown, arguments.matching);
    let mut at = from;
    if !arguments.again
        && let Some(until) = ledger.progress(&source).map_err(|error| store::failed(&error))?
    {
        at = until.as_second().clamp(from, to.div_euclid(HOUR) * HOUR);
        if at > from {
            context.tell(&Phrase::new("fleet-resumed").with("from", time(at)));
        }
    }
    let began = at;
    let mut done = Done::default();
    let mut size = arguments.page;
    while at < to {
        let whole = (at + size * HOUR).min(to.div_euclid(HOUR) * HOUR);
        let running = whole <= at;
        let moment = to - to.rem_euclid(arguments.resolution);
        if running && moment <= at {
            break;
        }
        let page = if running { Page::running(at, moment) } else { Page::whole(at, whole) };
        match server.page(&present, page, &cards) {
            Ok((hours, exporters)) => {
                // The hour that runs is read again by the next import.
                let until = if running { at } else { whole };
                done.exporters.extend(exporters);
                write(&mut ledger, &source, until, hours, &mut done)?;
                if running {
                    break;
                }
                at = whole;
            }
            Err(Refused::TooMuch(_)) if size > 1 && !running => size = (size / 2).max(1),
            Err(Refused::TooMuch(error) | Refused::No(error)) => return Err(error),
        }
    }
    print(&done, (began, to), context)?;
    context.tell(&Phrase::new("fleet-done").with("new", done.new).with("place", place));
    Ok(Exit::Done)
}

fn write(
    ledger: &mut Ledger,
    source: &str,
    until: i64,
    hours: Vec<UsageHour>,
    done: &mut Done,
) -> Result<(), CommandError> {
    for hour in &hours {
        done.cards.insert(hour.device.to_string());
        if hour.card.is_none() {
            done.unknown.insert(hour.device.to_string());
        }
        done.seen += hour.seen;
        done.busy = (done.busy.0 + hour.busy, done.busy.1 + hour.busy_known);
    }
    done.rows += hours.len() as u64;
    let until = Timestamp::from_second(until).unwrap_or_default();
    done.new += ledger.import_page(source, until, hours).map_err(|error| store::failed(&error))?;
    Ok(())
}

fn print(done: &Done, (from, to): (i64, i64), context: &Context) -> Result<(), CommandError> {
    let word = |key: &str| context.words.word(key);
    let mut table = Table::new(vec![
        Column::words("from", word("fleet-column-from")),
        Column::words("to", word("fleet-column-to")),
        Column::words("exporters", word("fleet-column-exporters")),
        Column::figures("cards", word("fleet-column-cards")),
        Column::figures("model_unknown", word("fleet-column-unknown")),
        Column::figures("hours", word("import-column-hours")),
        Column::figures("card_hours", word("import-column-card-hours")),
        Column::figures("busy", word("fleet-column-busy")),
    ]);
    let exporters: Vec<&str> = done.exporters.iter().copied().collect();
    let busy = (done.busy.1 > 0.0).then(|| done.busy.0 / done.busy.1);
    table.push(vec![
        Cell::new(time(from)),
        Cell::new(time(to)),
        Cell::new(exporters.join(", ")),
        Cell::new(done.cards.len().to_string()),
        Cell::new(done.unknown.len().to_string()),
        Cell::new(done.rows.to_string()),
        Cell::new(format!("{:.2}", done.seen / 3600.0)),
        Cell::new(busy.map_or_else(|| "—".to_owned(), |busy| format!("{:.1}%", busy * 100.0))),
    ]);
    context.print_table(&table)
}

fn time(second: i64) -> String {
    Timestamp::from_second(second).unwrap_or_default().to_string()
}

fn moment(text: &str, zone: Zone) -> Result<i64, CommandError> {
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Ok(moment.as_second());
    }
    let day: Option<Date> = text.parse().ok().filter(|_| text.len() == 10);
    let midnight = day.and_then(|day| zone.0.to_timestamp(day.at(0, 0, 0, 0)).ok());
    midnight.map(|moment| moment.as_second()).ok_or_else(|| {
        CommandError::user(Phrase::new("fleet-error-time").with("text", text))
            .hint(Phrase::new("fleet-hint-time"))
    })
}

/// Why a page has no hours.
enum Refused {
    /// It was too much at once.
    TooMuch(CommandError),
    /// Asking for less does not help.
    No(CommandError),
}

struct Server<'a> {
    root: String,
    /// The address without a login.
    shown: String,
    token: Option<&'a str>,
    selector: &'a str,
    labels: Labels,
    resolution: i64,
    context: &'a Context,
}

impl<'a> Server<'a> {
    fn new(arguments: &'a PrometheusImport, context: &'a Context) -> Result<Self, CommandError> {
        let labels = Labels {
            host: arguments.host_label.clone(),
            job: arguments.job_label.clone(),
            person: arguments.person_label.clone(),
        };
        if let Some(text) = labels.malformed() {
            return Err(CommandError::user(Phrase::new("fleet-error-label").with("text", text)));
        }
        let even = (1..=300).contains(&arguments.resolution) && HOUR % arguments.resolution == 0;
        if !even || !(1..=744).contains(&arguments.page) {
            return Err(CommandError::user(Phrase::new("fleet-error-resolution")));
        }
        let token = arguments.token_env.as_ref().map(|name| {
            context.settings.secrets.get(name).map(String::as_str).ok_or_else(|| {
                CommandError::user(Phrase::new("fleet-error-token").with("name", name))
            })
        });
        let root = arguments.url.trim_end_matches('/').to_owned();
        Ok(Self {
            shown: without_login(&root),
            root,
            token: token.transpose()?,
            selector: &arguments.matching,
            labels,
            resolution: arguments.resolution,
            context,
        })
    }

    fn ask(&self, method: Method, path: &str, values: &[(&str, &str)]) -> Result<String, Refused> {
        let url = format!("{}{path}", self.root);
        let (status, answer) = send::ask(method, &url, values, self.token).map_err(|error| {
            let error = match error {
                SendError::Curl(code, text) => {
                    SendError::Curl(code, text.replace(&self.root, &self.shown))
                }
                other => other,
            };
            let late = matches!(error, SendError::Curl(28, _));
            let told = CommandError::surroundings(
                Phrase::new("fleet-error-reach")
                    .with("url", &self.shown)
                    .with("reason", self.context.say(&error.phrase())),
            )
            .hint(Phrase::new("fleet-hint-reach"));
            if late { Refused::TooMuch(told) } else { Refused::No(told) }
        })?;
        // Prometheus says what is wrong with a question in a body that the reader looks into.
        if matches!(status, 200 | 400 | 422 | 503) {
            return Ok(answer);
        }
        let phrase =
            Phrase::new("fleet-error-status").with("url", &self.shown).with("status", status);
        let error = CommandError::surroundings(phrase);
        Err(match status {
            401 | 403 => Refused::No(error.hint(Phrase::new("fleet-hint-login"))),
            429 | 502 | 504 => Refused::TooMuch(error.hint(Phrase::new("fleet-hint-reach"))),
            _ => Refused::No(error.hint(Phrase::new("fleet-hint-foreign"))),
        })
    }

    /// Asks which metrics of cards the server has.
    fn metrics(&self, from: i64, to: i64) -> Result<BTreeSet<String>, CommandError> {
        let known = known_metrics(self.selector);
        let (from, to) = (from.to_string(), to.to_string());
        let values = [("match[]", known.as_str()), ("start", &from), ("end", &to)];
        let answer = self.ask(Method::Get, "/api/v1/label/__name__/values", &values);
        let answer = answer.map_err(|(Refused::TooMuch(error) | Refused::No(error))| error)?;
        Hours::names(&answer).map_err(|error| match refused(&error) {
            Refused::TooMuch(error) | Refused::No(error) => error,
        })
    }

    /// Asks for a page of hours.
    fn page(
        &self,
        present: &BTreeSet<String>,
        page: Page,
        cards: &Cards,
    ) -> Result<(Vec<UsageHour>, Vec<&'static str>), Refused> {
        let mut hours = Hours::new(self.labels.clone());
        let (first, last) = (page.first.to_string(), page.last.to_string());
        for question in questions(present, self.selector, &self.labels, page, self.resolution) {
            // VictoriaMetrics moves the times of answers that it caches; Prometheus ignores the word.
            let values = [
                ("query", question.query.as_str()),
                ("start", &first),
                ("end", &last),
                ("step", "3600"),
                ("nocache", "1"),
            ];
            let answer = self.ask(Method::Post, "/api/v1/query_range", &values)?;
            hours.add(&question, &answer).map_err(|error| refused(&error))?;
        }
        let exporters = hours.exporters();
        Ok((hours.finish(&|name| cards.card(name)), exporters))
    }
}

/// Prometheus says `execution` and `timeout` of what was too much, `bad_data` of what was wrong.
fn refused(error: &FleetError) -> Refused {
    let told =
        error.hints().into_iter().fold(CommandError::user(error.phrase()), CommandError::hint);
    match error {
        FleetError::Refused { kind, .. } if kind != "bad_data" => {
            Refused::TooMuch(told.of_surroundings())
        }
        _ => Refused::No(told),
    }
}

fn without_login(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, place))) => format!("{scheme}://{place}"),
        _ => url.to_owned(),
    }
}
