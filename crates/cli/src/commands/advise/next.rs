//! `kasuan advise next`: next month planned again with what this month measured.

mod told;

use crate::{
    commands::Loaded,
    context::Context,
    error::{CommandError, Exit},
    month::{Month, Zone},
    store::{self, Store},
};
use jiff::Timestamp;
use kasuan_ledger::Ledger;
use kasuan_market::Catalogue;
use kasuan_model::{BillingMode, Bytes, CardId, Currency, Estimate, Money, Phrase, Run, Seconds};
use kasuan_plan::{
    Measured,
    commitment::{self, Observed, Term},
    learn::{Learned, learn},
    outcome,
    workload::{Task, Workload},
};
use rust_decimal::{Decimal, prelude::FromPrimitive as _};
use std::{collections::BTreeMap, path::PathBuf};

/// Measured memory differs from run to run with lengths and batches; a tenth more is asked for.
const MEMORY_ROOM: (u64, u64) = (11, 10);
/// History that the commitment is judged by: three months.
const HISTORY_SECONDS: i64 = 92 * 86_400;
/// Busy share from which an hour of a card without a named job counts as wanted.
const USED: f64 = 0.01;

#[derive(Debug, clap::Args)]
pub(super) struct Next {
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[arg(long, value_name = "MONTH")]
    month: Option<Month>,
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true, default_value = "+08:00")]
    zone: Zone,
    #[arg(long, value_name = "CSV")]
    prices: Vec<PathBuf>,
    #[arg(long, value_name = "CODE=RATE")]
    rate: Vec<String>,
    #[arg(long)]
    all_prices: bool,
    #[command(flatten)]
    store: Store,
}

/// What the month taught about a job on a card.
struct Lesson {
    job: String,
    card: CardId,
    cards: u32,
    learned: Learned,
    estimate: Option<Estimate<Seconds>>,
    memory_estimate: Option<Bytes>,
    memory_peak: Option<Bytes>,
    /// Whether the peak takes the estimate's place in the new plan.
    memory_used: bool,
}

/// What a card-hour and a unit of money brought.
struct Throughput {
    job: String,
    card: CardId,
    unit: String,
    per_card_hour: f64,
    card_hours: f64,
    per_money: Option<f64>,
}

/// What to commit of a card.
struct Billing {
    card: CardId,
    provider: String,
    reasons: Vec<Phrase>,
}

/// Everything that is told.
struct Answer {
    month: Month,
    currency: Currency,
    lessons: Vec<Lesson>,
    unmeasured: Vec<String>,
    before: outcome::Plan,
    after: outcome::Plan,
    workload: Workload,
    throughput: Vec<Throughput>,
    billing: Vec<Billing>,
}

/// Runs the command.
pub(super) fn run(arguments: &Next, context: &Context) -> Result<Exit, CommandError> {
    let month = arguments.month.unwrap_or_else(|| Month::before(context.settings.today));
    let (from, to) = month
        .span(arguments.zone)
        .ok_or_else(|| CommandError::user(Phrase::new("review-error-empty-span")))?;
    let mut ledger = arguments.store.open_existing(context)?;
    let runs = ledger.runs(from, to).map_err(|error| store::failed(&error))?;
    let loaded = Loaded::read(
        &arguments.file,
        &arguments.prices,
        &arguments.rate,
        arguments.all_prices,
        context,
    )?;
    let before = loaded.plan(&loaded.workload, &[], context)?;
    let mut workload = loaded.workload.clone();
    let lessons = lessons(&workload, &before, &runs);
    if lessons.is_empty() {
        let names: Vec<&str> = workload.jobs.iter().map(|job| job.name.as_str()).collect();
        let phrase =
            Phrase::new("next-error-nothing").with("month", month).with("jobs", names.join(", "));
        return Err(CommandError::user(phrase).hint(Phrase::new("next-hint-nothing")));
    }
    let measured = measured(&lessons);
    let peaks: BTreeMap<&str, Bytes> = lessons
        .iter()
        .filter(|lesson| lesson.memory_used)
        .filter_map(|lesson| Some((lesson.job.as_str(), with_room(lesson.memory_peak?))))
        .collect();
    for job in &mut workload.jobs {
        if let Some(peak) = peaks.get(job.name.as_str()) {
            job.memory = Some(*peak);
        }
    }
    let after = loaded.plan(&workload, &measured, context)?;
    let known: Vec<&str> = lessons.iter().map(|lesson| lesson.job.as_str()).collect();
    let unmeasured = workload
        .jobs
        .iter()
        .filter(|job| !known.contains(&job.name.as_str()))
        .map(|job| job.name.clone())
        .collect();
    let currency = after.total.currency();
    let billing = billing(&mut ledger, to, &loaded.market, currency)?;
    let throughput = throughput(&runs, &loaded.market, currency);
    let answer = Answer {
        month,
        currency,
        lessons,
        unmeasured,
        before,
        after,
        workload,
        throughput,
        billing,
    };
    told::print(&answer, context)?;
    Ok(Exit::Done)
}

fn with_room(peak: Bytes) -> Bytes {
    Bytes::new(peak.get().saturating_mul(MEMORY_ROOM.0) / MEMORY_ROOM.1)
}

/// Looks what runs that ended well say of the workload's jobs.
fn lessons(workload: &Workload, before: &outcome::Plan, runs: &[Run]) -> Vec<Lesson> {
    let mut groups: BTreeMap<(&str, &CardId, u32), Vec<&Run>> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.exit_code == Some(0) && run.end.is_some()) {
        if let Some(card) = &run.card {
            groups.entry((&run.job, card, run.cards.max(1))).or_default().push(run);
        }
    }
    let mut lessons = Vec::new();
    for ((name, card, cards), runs) in groups {
        let Some(job) = workload.jobs.iter().find(|job| job.name == name) else { continue };
        let planned = before.jobs.iter().find(|job| job.name == name);
        let choices =
            planned.into_iter().flat_map(|job| job.choice.iter().chain(&job.alternatives));
        let same = choices.into_iter().find(|choice| choice.card == *card && choice.cards == cards);
        let times: Vec<Seconds> = runs.iter().filter_map(|run| lasted(run)).collect();
        let estimate = same.map(|choice| choice.time);
        let Some(learned) = learn(estimate, &times) else { continue };
        let peak = runs.iter().filter_map(|run| run.peak_memory).max().map(Bytes::new);
        // What a server fills by setting says nothing about its need.
        let is_server = job.task == Task::Inference;
        lessons.push(Lesson {
            job: name.to_owned(),
            card: card.clone(),
            cards,
            learned,
            estimate,
            memory_estimate: same.map(|choice| choice.memory_needed),
            memory_peak: peak,
            memory_used: peak.is_some() && !is_server && job.memory.is_none(),
        });
    }
    lessons
}

fn lasted(run: &Run) -> Option<Seconds> {
    let seconds = run.end?.as_second() - run.start.as_second();
    u64::try_from(seconds).ok().filter(|seconds| *seconds > 0).map(Seconds::new)
}

/// A job may have run on several cards; the plan takes the one with most runs.
fn measured(lessons: &[Lesson]) -> Vec<Measured> {
    let mut best: BTreeMap<&str, &Lesson> = BTreeMap::new();
    for lesson in lessons {
        let known = best.entry(&lesson.job).or_insert(lesson);
        if lesson.learned.runs > known.learned.runs {
            *known = lesson;
        }
    }
    let measured = best.into_values().map(|lesson| Measured {
        job: lesson.job.clone(),
        card: lesson.card.clone(),
        cards: lesson.cards,
        time: lesson.learned.time,
    });
    measured.collect()
}

/// Sums work by job and card, and divides it by hours and by what those hours cost on demand.
fn throughput(runs: &[Run], market: &Catalogue, currency: Currency) -> Vec<Throughput> {
    let mut sums: BTreeMap<(&str, &CardId, &str), (f64, f64)> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.exit_code == Some(0)) {
        let (Some(card), Some(work), Some(unit)) = (&run.card, run.work, &run.work_unit) else {
            continue;
        };
        let Some(time) = lasted(run) else { continue };
        let sum = sums.entry((&run.job, card, unit)).or_default();
        #[expect(clippy::cast_precision_loss, reason = "seconds of a run are far below 2^53")]
        let hours = f64::from(run.cards.max(1)) * time.get() as f64 / 3600.0;
        *sum = (sum.0 + work, sum.1 + hours);
    }
    let rows = sums.into_iter().map(|((job, card, unit), (work, card_hours))| {
        let per_card_hour = work / card_hours;
        let price = cheapest(market, card, currency, |mode| mode == BillingMode::OnDemand);
        let price = price
            .and_then(|(_, money)| rust_decimal::prelude::ToPrimitive::to_f64(&money.amount()));
        Throughput {
            job: job.to_owned(),
            card: card.clone(),
            unit: unit.to_owned(),
            per_card_hour,
            card_hours,
            per_money: price.filter(|price| *price > 0.0).map(|price| per_card_hour / price),
        }
    });
    rows.collect()
}

/// Returns the cheapest hour of a card, and who offers it.
fn cheapest(
    market: &Catalogue,
    card: &CardId,
    currency: Currency,
    wanted: impl Fn(BillingMode) -> bool,
) -> Option<(String, Money)> {
    let offers = market.offers().iter().filter(|offer| {
        offer.card == *card && offer.price.currency() == currency && wanted(offer.mode)
    });
    let hourly = offers.map(|offer| (offer.provider.clone(), offer.hourly_per_card()));
    hourly.min_by_key(|(_, money)| money.amount())
}

/// Whether each device, by host and name, was wanted in an hour.
type Devices<'a> = BTreeMap<(&'a str, &'a str), bool>;

/// Asks the adviser of commitments, card by card, what the measured demand deserves. Terms and the
/// hour on demand are those of one provider, the one whose month is cheapest.
fn billing(
    ledger: &mut Ledger,
    to: Timestamp,
    market: &Catalogue,
    currency: Currency,
) -> Result<Vec<Billing>, CommandError> {
    let from = Timestamp::from_second(to.as_second() - HISTORY_SECONDS).unwrap_or(to);
    let usage = ledger.usage_hours(from, to).map_err(|error| store::failed(&error))?;
    let usage = kasuan_review::without_overlap(usage);
    let mut wanted: BTreeMap<&CardId, BTreeMap<i64, Devices<'_>>> = BTreeMap::new();
    for hour in &usage {
        let Some(card) = &hour.card else { continue };
        let busy = hour.busy_known > 0.0 && hour.busy / hour.busy_known >= USED;
        let known = hour.busy_known > 0.0;
        let devices = wanted.entry(card).or_default().entry(hour.hour.as_second()).or_default();
        *devices.entry((&hour.host, &hour.device)).or_default() |= busy || !known;
    }
    let mut found = Vec::new();
    for (card, hours) in wanted {
        let monthly = |mode: BillingMode| mode.term().is_some();
        let Some((provider, _)) = cheapest(market, card, currency, monthly) else { continue };
        let of_provider = |wanted: &dyn Fn(BillingMode) -> bool| {
            let offers = market.offers().iter().filter(|offer| {
                offer.provider == provider
                    && offer.card == *card
                    && offer.price.currency() == currency
                    && wanted(offer.mode)
            });
            offers.min_by_key(|offer| offer.hourly_per_card().amount())
        };
        let Some(on_demand) = of_provider(&|mode| mode == BillingMode::OnDemand) else { continue };
        let mut terms: BTreeMap<u32, Decimal> = BTreeMap::new();
        for offer in market.offers().iter().filter(|offer| {
            offer.provider == provider && offer.card == *card && offer.price.currency() == currency
        }) {
            let Some(term) = offer.mode.term() else { continue };
            let hours = u32::try_from(term.get() / 3600).unwrap_or(u32::MAX);
            let price = offer.hourly_per_card().amount() * Decimal::from(hours);
            let known = terms.entry(hours).or_insert(price);
            *known = (*known).min(price);
        }
        let names: Vec<String> = terms.keys().map(|hours| format!("{} d", hours / 24)).collect();
        let terms: Vec<Term> =
            terms.into_iter().map(|(hours, price)| Term { hours, price }).collect();
        let (Some(first), Some(last)) = (hours.keys().next(), hours.keys().next_back()) else {
            continue;
        };
        let demand: Vec<u32> = (first / 3600..=last / 3600)
            .map(|hour| {
                let devices = hours.get(&(hour * 3600));
                let used = devices.map_or(0, |all| all.values().filter(|used| **used).count());
                u32::try_from(used).unwrap_or(u32::MAX)
            })
            .collect();
        let observed = Observed {
            demand: &demand,
            on_demand: on_demand.hourly_per_card().amount(),
            terms: &terms,
            held: &[],
        };
        let advice = commitment::advise(&observed)?;
        let mean = demand.iter().copied().map(f64::from).sum::<f64>() / demand.len().max(1) as f64;
        let mut reasons = vec![
            Phrase::new("next-demand")
                .with("hours", demand.len())
                .with("mean", Decimal::from_f64(mean).unwrap_or_default().round_dp(2))
                .with("most", demand.iter().max().copied().unwrap_or(0)),
        ];
        reasons.extend(advice.reasons(&names, currency));
        found.push(Billing { card: card.clone(), provider, reasons });
    }
    Ok(found)
}
