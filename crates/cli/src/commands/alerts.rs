//! `kasuan alerts check`: what the team should hear of, sent once through each channel.

mod channels;

use self::channels::{Channel, Outcome};
use super::review::gather::{self, Asked};
use crate::{
    context::Context,
    error::{CommandError, Exit},
    files, market,
    month::{Month, Zone},
    settings::Format,
    store::{self, Store},
};
use jiff::Timestamp;
use kasuan_ledger::Ledger;
use kasuan_model::{Currency, Money, Phrase};
use kasuan_review::{
    Scope,
    alerts::{Alert, Moment, Watched, alerts},
};
use rust_decimal::Decimal;
use serde_json::json;
use std::path::PathBuf;

/// The same alert is told again after a day, while it lasts.
const AGAIN_SECONDS: i64 = 86_400;
/// The digest's hour, in the zone that was asked for.
const DIGEST_HOUR: i8 = 9;

#[derive(Debug, clap::Args)]
pub(crate) struct Alerts {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Check(Check),
}

#[derive(Debug, clap::Args)]
struct Check {
    #[arg(long, value_name = "TOML")]
    channels: Option<PathBuf>,
    #[arg(long)]
    dry_run: bool,
    #[arg(long, value_name = "AMOUNT", default_value = "5")]
    idle_over: Decimal,
    #[arg(long, value_name = "HH-HH")]
    quiet: Option<Quiet>,
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true, default_value = "+08:00")]
    zone: Zone,
    #[arg(long, value_name = "CODE=RATE")]
    rate: Vec<String>,
    #[command(flatten)]
    store: Store,
}

/// Hours in which nothing is sent: `22-8`.
#[derive(Clone, Copy, Debug)]
struct Quiet(i8, i8);

impl std::str::FromStr for Quiet {
    type Err = crate::month::Malformed;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let hour = |text: &str| {
            text.trim()
                .parse()
                .ok()
                .filter(|hour| (0..24).contains(hour))
                .ok_or(crate::month::Malformed)
        };
        let (from, to) = text.split_once('-').ok_or(crate::month::Malformed)?;
        Ok(Self(hour(from)?, hour(to)?))
    }
}

impl Quiet {
    const fn at(self, hour: i8) -> bool {
        if self.0 <= self.1 {
            self.0 <= hour && hour < self.1
        } else {
            hour >= self.0 || hour < self.1
        }
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Alerts, context: &Context) -> Result<Exit, CommandError> {
    let Action::Check(check) = &arguments.action;
    let channels = match &check.channels {
        Some(path) => channels::read(&files::read_text(path)?, path, context)?,
        None => Vec::new(),
    };
    let mut ledger = check.store.open_existing(context)?;
    let now = Timestamp::now();
    let found = alerts(&moment(check, &mut ledger, now, context)?);
    let said: Vec<(String, &Alert)> = found
        .iter()
        .map(|alert| {
            let text = context.say(&alert.text);
            (format!("{text}\n  → {}", context.say(&alert.remedy)), alert)
        })
        .collect();
    print(&said, context)?;
    let hour = check.zone.0.to_datetime(now).hour();
    if check.quiet.is_some_and(|quiet| quiet.at(hour)) && !check.dry_run {
        context.tell(&Phrase::new("alerts-quiet"));
        return Ok(exit(&found));
    }
    let mut failed = false;
    for channel in &channels {
        failed |= deliver(channel, &said, check, &mut ledger, (now, hour), context)?;
    }
    if failed {
        return Err(CommandError::surroundings(Phrase::new("alerts-error-unsent"))
            .hint(Phrase::new("alerts-hint-unsent")));
    }
    Ok(exit(&found))
}

fn exit(found: &[Alert]) -> Exit {
    if found.iter().any(|alert| alert.urgent) { Exit::AnswerIsNo } else { Exit::Done }
}

fn moment(
    check: &Check,
    ledger: &mut Ledger,
    now: Timestamp,
    context: &Context,
) -> Result<Moment, CommandError> {
    let failed = |error| store::failed(&error);
    let month = Month::of(check.zone.0.to_datetime(now).date());
    let rates = market::rates(&check.rate, Some(Currency::CNY))?;
    let asked = Asked {
        month,
        zone: check.zone,
        currency: None,
        rates: &rates,
        budget: None,
        gb_month: None,
    };
    let gathered = gather::gather(ledger, &asked, context)?;
    let review = kasuan_review::review(&gathered.input)?;
    let total = review.budget.get(&Scope::Total).into_iter().flatten().next();
    let budget = total.and_then(|line| {
        Some((line.planned?, line.actual.unwrap_or(Money::zero(line.planned?.currency()))))
    });
    let watched = ledger.agents().map_err(failed)?.into_iter().map(|agent| {
        let hourly = agent
            .told
            .split_once(' ')
            .and_then(|(amount, code)| Some(Money::new(amount.parse().ok()?, code.parse().ok()?)));
        Watched { host: agent.name, seen: agent.seen, idle: agent.idle, hourly }
    });
    let prepaid = gathered.input.rented.iter().filter(|rented| rented.prepaid);
    Ok(Moment {
        now,
        month: month.to_string(),
        budget,
        watched: watched.collect(),
        prepaid: prepaid.map(|rented| (rented.host.clone(), rented.to)).collect(),
        runs: gathered.input.runs.clone(),
        idle_over: check.idle_over,
    })
}

fn print(said: &[(String, &Alert)], context: &Context) -> Result<(), CommandError> {
    match context.settings.format {
        Format::Json => {
            let list = said.iter().map(|(_, alert)| {
                json!({
                    "key": alert.key,
                    "urgent": alert.urgent,
                    "text": context.say(&alert.text),
                    "remedy": context.say(&alert.remedy),
                })
            });
            context.print_json(&json!({"version": 1, "alerts": list.collect::<Vec<_>>()}))
        }
        // For a comment in a review of code: the mark lets the next run find and edit it.
        Format::Markdown => {
            let mut text = String::from("<!-- kasuan:alerts -->\n");
            for (line, alert) in said {
                let mark = if alert.urgent { "**!** " } else { "" };
                text.push_str(&format!("- {mark}{}\n", line.replace('\n', "<br>")));
            }
            if said.is_empty() {
                text.push_str(&format!("{}\n", context.words.word("alerts-none")));
            }
            context.print(&text)
        }
        Format::Table | Format::Csv => {
            for (line, _) in said {
                context.print(&format!("{line}\n"))?;
            }
            if said.is_empty() {
                context.print_line(&Phrase::new("alerts-none"))?;
            }
            Ok(())
        }
    }
}

/// Sends what this channel has not told within a day; returns whether that failed. Urgent alerts go
/// at once and together, the others with the digest of the morning.
fn deliver(
    channel: &Channel,
    said: &[(String, &Alert)],
    check: &Check,
    ledger: &mut Ledger,
    (now, hour): (Timestamp, i8),
    context: &Context,
) -> Result<bool, CommandError> {
    let mut fresh = Vec::new();
    for (line, alert) in said {
        let sent =
            ledger.alert_sent(&channel.name, &alert.key).map_err(|error| store::failed(&error))?;
        let again = sent.is_none_or(|at| now.as_second() - at.as_second() >= AGAIN_SECONDS);
        if again && (alert.urgent || hour >= DIGEST_HOUR) {
            fresh.push((line.as_str(), alert.key.as_str()));
        }
    }
    if fresh.is_empty() {
        context.tell(&Phrase::new("alerts-nothing-new").with("channel", &channel.name));
        return Ok(false);
    }
    let title = context.words.word("alerts-title");
    let lines: Vec<&str> = fresh.iter().map(|(line, _)| *line).collect();
    let text = format!("{title}\n{}", lines.join("\n"));
    if check.dry_run {
        let body = channel.preview(&text, now);
        context.print(&format!("[{}] {body}\n", channel.name))?;
        return Ok(false);
    }
    match channel.send(&title, &text, now) {
        Outcome::Sent => {
            for (_, key) in fresh {
                ledger
                    .note_alert(&channel.name, key, now)
                    .map_err(|error| store::failed(&error))?;
            }
            context.tell(
                &Phrase::new("alerts-sent")
                    .with("channel", &channel.name)
                    .with("count", lines.len()),
            );
            Ok(false)
        }
        // What was not noted as sent is sent by the next check, together with what is new then.
        Outcome::Failed(reason) => {
            context.warn(
                &Phrase::new("alerts-failed")
                    .with("channel", &channel.name)
                    .with("reason", context.say(&reason)),
            );
            Ok(true)
        }
    }
}
