//! The whole workload file.

use super::{
    Document, Names,
    error::{Trouble, WorkloadError},
    fields, foreign, job,
    section::{Fields, nearest, not_of_form},
    tree::{Node, Notation, Value, empty, parse},
    values, words,
};
use jiff::civil::Date;
use kasuan_market::Buyer;
use kasuan_model::{Currency, FxRate, Grade, Money, Phrase, Rates, Seconds, Source};
use kasuan_plan::workload::{
    HeldCommitment, Margin, Policy, StorageNeed, Tax, Team, Transfer, Trial, Workload,
};
use rust_decimal::prelude::ToPrimitive as _;
use std::collections::BTreeMap;

/// More jobs than this are a fleet's log, not a plan that a person reads.
const MOST_JOBS: usize = 5_000;
/// More runs than this in one month cannot be put into a calendar.
const MOST_RUNS: u64 = 200_000;

/// Reads a file's tree.
pub(super) fn read(root: &Node, today: Date, names: &dyn Names) -> Result<Document, WorkloadError> {
    if root.value == Value::Null {
        return Err(empty().into());
    }
    if let Some(job) = foreign::job(root, "task") {
        // A task file of another tool alone is a workload of one job.
        let place = root.place;
        let job_node = Node { place, value: Value::Fields(job.fields) };
        let jobs = Node { place, value: Value::List(vec![job_node]) };
        let fields = vec![("jobs".to_owned(), place, jobs)];
        let mut document = read(&Node { place, value: Value::Fields(fields) }, today, names)?;
        document.notes = job.notes;
        return Ok(document);
    }
    let at = Fields::new(root, &fields::FILE)?;
    let currency = at.read("currency", |node| {
        let text = values::text(node)?;
        text.parse::<Currency>().map_err(|_| {
            Trouble::new(Phrase::new("workload-currency-unknown").with("text", text))
                .hint(Phrase::new("workload-hint-currency"))
        })
    })?;
    let currency = currency.unwrap_or(Currency::CNY);
    let month = at.read("month", values::month)?.unwrap_or_else(|| today.first_of_month());
    let rates = rates(&at, currency)?;
    let mut jobs = Vec::new();
    let mut models = Vec::new();
    let items = at.items("jobs");
    if items.len() > MOST_JOBS {
        let phrase = Phrase::new("workload-too-many-jobs")
            .with("jobs", items.len())
            .with("limit", MOST_JOBS);
        return Err(Trouble::new(phrase)
            .hint(Phrase::new("workload-hint-many-jobs"))
            .at(at.node("jobs").map_or(at.place(), |node| node.place)));
    }
    let mut notes = Vec::new();
    for node in items {
        let taken = taken(node, names, &mut notes)?;
        let node = taken.as_ref().unwrap_or(node);
        jobs.push(job::read(node, month, names)?);
        models.push(job::written_model(node));
    }
    if jobs.is_empty() {
        let place = at.node("jobs").map_or(at.place(), |node| node.place);
        return Err(Trouble::new(Phrase::new("workload-no-jobs"))
            .hint(Phrase::new("workload-hint-init"))
            .at(place));
    }
    let runs: u64 = jobs.iter().map(|job| job::runs_in_month(job.runs)).sum();
    if runs > MOST_RUNS {
        let phrase =
            Phrase::new("workload-too-many-runs").with("runs", runs).with("limit", MOST_RUNS);
        return Err(Trouble::new(phrase)
            .hint(Phrase::new("workload-hint-many-runs"))
            .at(at.place()));
    }
    check_names(items, &jobs)?;
    let money = MoneyReader { currency, rates: &rates };
    let mut storage = Vec::new();
    for (number, node) in at.items("storage").iter().enumerate() {
        let need = Fields::new(node, &fields::STORAGE)?;
        let size = need.read("size", values::bytes)?;
        storage.push(StorageNeed {
            name: need.read("name", values::text)?.unwrap_or_else(|| format!("{}", number + 1)),
            size: size.ok_or_else(|| {
                Trouble::new(Phrase::new("workload-empty-value")).at(need.place())
            })?,
            price_per_gb_month: money.read(&need, "price", "gb")?,
        });
    }
    let workload = Workload {
        currency,
        month,
        days: at.read("days", values::whole(1, 366))?,
        jobs,
        storage,
        transfer: transfer(&at)?,
        team: team(&at, &money)?,
        policy: policy(&at, &money)?,
        held: held(&at, names)?,
        rates: rates.clone(),
    };
    Ok(Document { workload, prices: at.read("prices", values::text)?, models, notes })
}

/// Takes a job from the task file that it names; what the job itself says goes first. `None` where
/// it names none.
fn taken(
    node: &Node,
    names: &dyn Names,
    notes: &mut Vec<Phrase>,
) -> Result<Option<Node>, WorkloadError> {
    let Value::Fields(own) = &node.value else { return Ok(None) };
    let Some((_, _, from)) = own.iter().find(|(name, _, _)| name == "from") else {
        return Ok(None);
    };
    let path = values::text(from).map_err(|trouble| trouble.at(from.place))?;
    let text = names.task_file(&path).map_err(|trouble| trouble.at(from.place))?;
    let notation = Notation::from_extension(path.rsplit('.').next().unwrap_or_default());
    let inside = |error: WorkloadError| {
        let line = error.place.map_or(1, |place| place.line);
        let phrase = Phrase::new("workload-from-broken").with("path", &path).with("line", line);
        Trouble { phrase, hints: error.trouble.hints }.at(from.place)
    };
    let root = parse(&text, notation).map_err(inside)?;
    let stem = path.rsplit(['/', '\\']).next().unwrap_or(&path);
    let stem = stem.split('.').next().unwrap_or(stem);
    let Some(job) = foreign::job(&root, stem) else {
        return Err(Trouble::new(Phrase::new("workload-from-unknown").with("path", &path))
            .hint(Phrase::new("workload-hint-from"))
            .at(from.place));
    };
    let says = |name: &str| own.iter().any(|(known, _, _)| known == name);
    // What is said here of the amount of work answers what the file leaves open.
    let amount = ["hours", "data", "requests"].iter().any(|name| says(name));
    notes.extend(job.notes.into_iter().filter(|note| {
        let of_hours = ["workload-foreign-no-hours", "workload-foreign-longest"];
        !amount || !of_hours.contains(&note.key())
    }));
    let mut fields: Vec<_> = own.iter().filter(|(name, _, _)| name != "from").cloned().collect();
    for (name, _, mut value) in job.fields {
        if !says(&name) && (!amount || name != "hours") {
            // Places within the other file would be looked for in this one.
            value.place = from.place;
            fields.push((name, from.place, value));
        }
    }
    Ok(Some(Node { place: node.place, value: Value::Fields(fields) }))
}

/// Reads sums, each of which must be convertible into the plan's currency.
struct MoneyReader<'a> {
    currency: Currency,
    rates: &'a Rates,
}

impl MoneyReader<'_> {
    fn read(
        &self,
        at: &Fields<'_>,
        name: &str,
        per: &'static str,
    ) -> Result<Option<Money>, WorkloadError> {
        at.read(name, |node| {
            let stated = values::money(self.currency, per)(node)?;
            self.rates.convert(stated, self.currency).map_err(|_| no_rate(stated, self.currency))
        })
    }
}

fn no_rate(stated: Money, currency: Currency) -> Trouble {
    let from = stated.currency();
    Trouble::new(Phrase::new("workload-no-rate").with("from", from).with("to", currency))
        .hint(Phrase::new("workload-hint-rate").with("from", from).with("to", currency))
}

fn rates(at: &Fields<'_>, currency: Currency) -> Result<Rates, WorkloadError> {
    let Some(node) = at.node("rates") else { return Ok(Rates::default()) };
    let Value::Fields(stated) = &node.value else {
        return Err(Trouble::new(Phrase::new("workload-rates"))
            .hint(Phrase::new("workload-hint-rate").with("from", "USD").with("to", currency))
            .at(node.place));
    };
    let mut rates = Vec::new();
    for (code, place, node) in stated {
        let from = code.parse::<Currency>().map_err(|_| {
            Trouble::new(Phrase::new("workload-currency-unknown").with("text", code))
                .hint(Phrase::new("workload-hint-currency"))
                .at(*place)
        })?;
        let rate = |node: &Node| {
            let text = values::text(node)?;
            let (rate, day) = text.split_once('@').unwrap_or((&text, ""));
            let scalar = Node { place: node.place, value: Value::Text(rate.trim().to_owned()) };
            let rate = values::positive(&scalar)?;
            let mut source = Source::stated("rates");
            if !day.trim().is_empty() {
                source.date = Some(day.trim().parse().map_err(|_| not_of_form())?);
            }
            Ok((rate, source))
        };
        let (rate, source) = rate(node).map_err(|trouble: Trouble| {
            let hint = Phrase::new("workload-hint-rate").with("from", from).with("to", currency);
            let phrase = Phrase::new("workload-rates");
            Trouble { phrase, hints: trouble.hints }.hint(hint).at(node.place)
        })?;
        rates.push(FxRate { from, to: currency, rate, source });
    }
    Ok(Rates::new(rates))
}

fn check_names(nodes: &[Node], jobs: &[kasuan_plan::workload::Job]) -> Result<(), WorkloadError> {
    let mut seen = BTreeMap::new();
    for (node, job) in nodes.iter().zip(jobs) {
        if let Some(first) = seen.insert(job.name.as_str(), node.place) {
            let phrase =
                Phrase::new("workload-name-twice").with("name", &job.name).with("line", first.line);
            return Err(Trouble::new(phrase).at(node.place));
        }
    }
    for (node, job) in nodes.iter().zip(jobs) {
        let Some(after) = &job.window.after else { continue };
        if after == &job.name || !seen.contains_key(after.as_str()) {
            let phrase = Phrase::new("workload-after").with("name", after);
            let mut trouble = Trouble::new(phrase);
            let others = seen.keys().copied().filter(|name| *name != job.name);
            if let Some(near) = nearest(after, others) {
                trouble = trouble.hint(Phrase::new("hint-did-you-mean").with("suggestion", near));
            }
            return Err(trouble.at(node.place));
        }
    }
    Ok(())
}

fn transfer(at: &Fields<'_>) -> Result<Transfer, WorkloadError> {
    let Some(node) = at.node("transfer") else { return Ok(Transfer::default()) };
    let transfer = Fields::new(node, &fields::TRANSFER)?;
    Ok(Transfer {
        egress: transfer.read("egress", values::bytes)?.unwrap_or_default(),
        ingress: transfer.read("ingress", values::bytes)?.unwrap_or_default(),
        line: transfer.read("line", values::line_speed)?,
    })
}

fn team(at: &Fields<'_>, money: &MoneyReader<'_>) -> Result<Team, WorkloadError> {
    let Some(node) = at.node("team") else { return Ok(Team::default()) };
    let team = Fields::new(node, &fields::TEAM)?;
    Ok(Team {
        engineer_hour: money.read(&team, "engineer", "h")?,
        ops_hours: team.read("ops_hours", values::number)?,
        data_hours: team.read("data_hours", values::number)?,
        people: team.read("people", values::whole(1, 1_000_000))?,
    })
}

fn policy(at: &Fields<'_>, money: &MoneyReader<'_>) -> Result<Policy, WorkloadError> {
    let mut policy = Policy::default();
    let Some(node) = at.node("policy") else { return Ok(policy) };
    let at = Fields::new(node, &fields::POLICY)?;
    let any = |names: Vec<String>| -> Vec<String> {
        let is_any = |name: &String| matches!(name.as_str(), "any" | "all" | "不限");
        if names.iter().any(is_any) { Vec::new() } else { names }
    };
    policy.margin = at.read("margin", margin)?.unwrap_or(policy.margin);
    policy.cap = money.read(&at, "cap", "")?;
    policy.hourly_cap = money.read(&at, "hourly_cap", "h")?;
    policy.cards_cap = at.read("cards_cap", values::whole(1, 1_000_000))?;
    policy.providers = any(at.several("providers", provider)?);
    policy.exclude_providers = at.several("exclude_providers", provider)?;
    for region in any(at.several("regions", values::text)?) {
        let is_country = region.len() == 2 && region.bytes().all(|b| b.is_ascii_alphabetic());
        if is_country {
            policy.countries.push(region.to_ascii_uppercase());
        } else {
            policy.regions.push(region);
        }
    }
    policy.modes = at.several("modes", values::mode)?;
    policy.max_price_age_days = at.read("price_age", price_age)?.flatten();
    policy.undated = at.read("undated", values::flag)?.unwrap_or(policy.undated);
    policy.lowest_grade = at.read("grade", grade)?.unwrap_or(policy.lowest_grade);
    policy.outliers = at.read("outliers", values::flag)?.unwrap_or(policy.outliers);
    if let Some(node) = at.node("trial") {
        let is_share =
            matches!(&node.value, Value::Text(text) if text.trim().ends_with(['%', '％']));
        policy.trial = if is_share {
            let share = at.read("trial", values::share)?;
            Trial::ShareOfRent(share.and_then(|share| share.to_f64()).unwrap_or_default())
        } else {
            let amount = money.read(&at, "trial", "")?;
            Trial::Amount(amount.unwrap_or_else(|| Money::zero(money.currency)))
        };
    }
    let headroom = at.read("headroom", values::share)?.and_then(|share| share.to_f64());
    policy.headroom = headroom.unwrap_or(policy.headroom);
    policy.trust_hours = at.read("trust_hours", values::flag)?.unwrap_or(policy.trust_hours);
    let share = at.read("share_machines", values::flag)?;
    policy.share_machines = share.unwrap_or(policy.share_machines);
    policy.tax = at.read("tax", tax)?.unwrap_or(policy.tax);
    let mtbf = at.read("spot_mtbf", |node| match values::span(node)? {
        Seconds::ZERO => Err(Trouble::new(Phrase::new("workload-zero"))),
        span => Ok(span),
    })?;
    policy.spot_mtbf = mtbf.unwrap_or(policy.spot_mtbf);
    Ok(policy)
}

fn provider(node: &Node) -> Result<String, Trouble> {
    Ok(words::provider(&values::text(node)?))
}

fn tax(node: &Node) -> Result<Tax, Trouble> {
    Ok(match values::text(node)?.as_str() {
        "included" | "含税" => Tax::Included,
        "small" | "小规模" | "小规模纳税人" => Tax::Buyer(Buyer::Small),
        "general" | "一般" | "一般纳税人" => Tax::Buyer(Buyer::General),
        _ => Tax::Rate(values::share(node)?),
    })
}

/// Reads the oldest price in days; `None` is the usual rule.
fn price_age(node: &Node) -> Result<Option<u32>, Trouble> {
    Ok(match values::text(node)?.to_lowercase().as_str() {
        "usual" | "默认" => None,
        "any" | "不限" => Some(u32::MAX),
        _ => Some(u32::try_from(values::span(node)?.get() / 86_400).unwrap_or(u32::MAX)),
    })
}

fn grade(node: &Node) -> Result<Grade, Trouble> {
    Ok(match values::text(node)?.to_uppercase().as_str() {
        "A" => Grade::A,
        "B" => Grade::B,
        "C" => Grade::C,
        "D" => Grade::D,
        _ => return Err(not_of_form()),
    })
}

fn margin(node: &Node) -> Result<Margin, Trouble> {
    Ok(match values::text(node)?.to_lowercase().as_str() {
        "p80" => Margin::P80,
        "p90" => Margin::P90,
        "none" | "0" | "0%" | "无" => Margin::Nothing,
        _ => Margin::Flat(values::share(node)?.to_f64().unwrap_or_default()),
    })
}

fn held(at: &Fields<'_>, names: &dyn Names) -> Result<Vec<HeldCommitment>, WorkloadError> {
    let mut held = Vec::new();
    for node in at.items("held") {
        let one = Fields::new(node, &fields::HELD)?;
        let missing = || Trouble::new(Phrase::new("workload-empty-value")).at(one.place());
        held.push(HeldCommitment {
            card: one.read("card", |node| names.card(&values::text(node)?))?.ok_or_else(missing)?,
            count: one.read("count", values::whole(1, 100_000))?.unwrap_or(1),
            until: one.read("until", values::moment(true))?.ok_or_else(missing)?,
        });
    }
    Ok(held)
}
