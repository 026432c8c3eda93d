//! Writes a workload back with every default explicit; reading it again gives the same workload.

use super::{Document, words};
use jiff::civil::{DateTime, Time, Weekday};
use kasuan_market::Buyer;
use kasuan_model::{Bytes, Money, Seconds};
use kasuan_plan::workload::{Amount, Job, Load, Margin, Model, Policy, Runs, Tax, Trial, Workload};
use kasuan_sizing::{LoraTarget, Method};
use rust_decimal::Decimal;
use std::fmt::Write as _;

/// A value to be written.
enum Shown {
    Plain(String),
    List(Vec<Self>),
    Fields(Vec<(&'static str, Self)>),
}

impl Shown {
    #[expect(clippy::needless_pass_by_value, reason = "callers pass temporaries")]
    fn plain(text: impl ToString) -> Self {
        Self::Plain(text.to_string())
    }

    fn list(texts: impl IntoIterator<Item = impl ToString>) -> Self {
        Self::List(texts.into_iter().map(Self::plain).collect())
    }
}

/// Fields in the making; what is absent is left out.
#[derive(Default)]
struct Writer(Vec<(&'static str, Shown)>);

impl Writer {
    fn put(&mut self, name: &'static str, value: impl ToString) {
        self.0.push((name, Shown::plain(value)));
    }

    fn maybe(&mut self, name: &'static str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }

    fn list(&mut self, name: &'static str, values: impl IntoIterator<Item = impl ToString>) {
        let list = Shown::list(values);
        if !matches!(&list, Shown::List(values) if values.is_empty()) {
            self.0.push((name, list));
        }
    }

    fn inside(&mut self, name: &'static str, inner: Self) {
        if !inner.0.is_empty() {
            self.0.push((name, Shown::Fields(inner.0)));
        }
    }

    fn each(&mut self, name: &'static str, each: impl Iterator<Item = Self>) {
        let list: Vec<_> = each.map(|one| Shown::Fields(one.0)).collect();
        if !list.is_empty() {
            self.0.push((name, Shown::List(list)));
        }
    }
}

/// Writes a workload as YAML.
pub(super) fn yaml(document: &Document) -> String {
    let workload = &document.workload;
    let mut file = Writer::default();
    file.put("currency", workload.currency);
    file.put("month", workload.month.strftime("%Y-%m"));
    file.maybe("days", workload.days);
    let models = document.models.iter().map(Some).chain(std::iter::repeat(None));
    file.each(
        "jobs",
        workload
            .jobs
            .iter()
            .zip(models)
            .map(|(one, model)| job(one, model.and_then(Option::as_deref))),
    );
    file.each(
        "storage",
        workload.storage.iter().map(|need| {
            let mut at = Writer::default();
            at.put("name", &need.name);
            at.put("size", bytes(need.size));
            at.maybe("price", need.price_per_gb_month.map(|price| format!("{}/GB", money(price))));
            at
        }),
    );
    let mut transfer = Writer::default();
    transfer.put("egress", bytes(workload.transfer.egress));
    transfer.put("ingress", bytes(workload.transfer.ingress));
    transfer.maybe("line", workload.transfer.line.map(|line| format!("{} Mbps", line * 8.0 / 1e6)));
    file.inside("transfer", transfer);
    let mut team = Writer::default();
    team.maybe("engineer", workload.team.engineer_hour.map(|hour| format!("{}/h", money(hour))));
    team.maybe("ops_hours", workload.team.ops_hours);
    team.maybe("data_hours", workload.team.data_hours);
    team.maybe("people", workload.team.people);
    file.inside("team", team);
    file.inside("policy", policy(&workload.policy));
    file.each(
        "held",
        workload.held.iter().map(|held| {
            let mut at = Writer::default();
            at.put("card", &held.card);
            at.put("count", held.count);
            at.put("until", moment(held.until));
            at
        }),
    );
    file.maybe("prices", document.prices.as_ref());
    let mut text = String::new();
    fields(&mut text, &file.0, 0);
    rates(&mut text, workload);
    text
}

/// The names of rates are the user's own, so they are written apart.
fn rates(text: &mut String, workload: &Workload) {
    if workload.rates.stated().is_empty() {
        return;
    }
    text.push_str("rates:\n");
    for rate in workload.rates.stated() {
        let day = rate.source.date.map(|day| format!(" @ {day}")).unwrap_or_default();
        let _ = writeln!(text, "  {}: {}{day}", rate.from, rate.rate);
    }
}

fn job(job: &Job, model: Option<&str>) -> Writer {
    let mut at = Writer::default();
    at.put("name", &job.name);
    at.put("task", words::word(words::TASKS, &job.task));
    match &job.model {
        Some(Model::Counted { parameters }) => {
            let mut counted = Writer::default();
            counted.put("params", parameters);
            at.inside("model", counted);
        }
        Some(Model::Known(known)) => at.put("model", model.unwrap_or(&known.id)),
        None => {}
    }
    at.put(
        "runs",
        match job.runs {
            Runs::PerMonth(runs) => format!("{runs}/month"),
            Runs::PerWeek(runs) => format!("{runs}/week"),
            Runs::PerDay(runs) => format!("{runs}/day"),
        },
    );
    amount(&mut at, &job.amount);
    if let Some((start, end)) = job.window.daily {
        let end = if end == Time::midnight() { "24:00".to_owned() } else { clock(end) };
        at.put("daily", format!("{}-{end}", clock(start)));
    }
    at.list("weekdays", job.window.weekdays.iter().map(|day| weekday(*day)));
    if let Some(Load::PerSecond(rate)) = job.load {
        at.put("rate", format!("{rate}/s"));
    }
    if let Some(inference) = &job.inference {
        at.put("concurrency", inference.concurrency);
        at.put("prompt", inference.prompt);
        at.put("generated", inference.generated);
        let mut latency = Writer::default();
        latency.maybe("ttft", job.latency.ttft.map(|seconds| format!("{seconds}s")));
        latency.maybe("tpot", job.latency.tpot.map(|seconds| format!("{seconds}s")));
        at.inside("latency", latency);
        at.put("engine", words::word(words::ENGINES, &inference.engine));
        at.put("kv", words::word(words::CACHES, &inference.kv));
    }
    at.maybe("weights", job.weights.map(|format| words::word(words::WEIGHTS, &format)));
    at.maybe("memory", job.memory.map(bytes));
    at.list("card", &job.only_cards);
    at.maybe("cards", job.cards);
    at.maybe("replicas", job.replicas);
    if let Some(training) = &job.training {
        at.put("batch", training.micro_batch);
        at.put("seq", training.sequence);
        at.put("accumulation", training.accumulation);
        if let Method::Lora { rank, targets, .. } = &training.method {
            at.put("rank", rank);
            let all = targets.len() == LoraTarget::ALL_LINEAR.len()
                && LoraTarget::ALL_LINEAR.iter().all(|target| targets.contains(target));
            if all {
                at.list("targets", ["all"]);
            } else {
                at.list("targets", targets.iter().map(|one| words::word(words::TARGETS, one)));
            }
        }
        at.put("optimizer", words::word(words::OPTIMIZERS, &training.optimizer));
        at.put("recipe", words::word(words::RECIPES, &training.recipe));
        at.put("checkpointing", words::word(words::CHECKPOINTING, &training.checkpointing));
        at.put("attention", words::word(words::KERNELS, &training.attention));
        at.put("loss", words::word(words::LOSSES, &training.loss));
        at.put("packed", training.packed);
        at.maybe("framework", training.framework.map(|known| known.stack.id.as_str()));
    }
    at.maybe("sharding", job.sharding.map(|sharding| words::word(words::SHARDINGS, &sharding)));
    match job.interruptible {
        None => at.put("interruptible", false),
        Some(checkpoints) => {
            let mut detail = Writer::default();
            detail.put("checkpoint", span(checkpoints.write));
            detail.put("restart", span(checkpoints.restart));
            detail.maybe("every", checkpoints.interval.map(span));
            at.inside("interruptible", detail);
        }
    }
    at.list("modes", &job.modes);
    at.maybe("start", job.window.not_before.map(moment));
    at.maybe("deadline", job.window.deadline.map(moment));
    at.put("may_wait", span(job.window.may_wait));
    at.maybe("after", job.window.after.as_ref());
    at.put("share_card", job.share_card);
    at.put("priority", job.priority);
    at
}

fn amount(at: &mut Writer, amount: &Amount) {
    let mut data = Writer::default();
    match amount {
        Amount::Hours { hours, measured_on } => {
            let exact = hours.low == hours.high;
            at.put(
                "hours",
                if exact {
                    hours.likely.to_string()
                } else {
                    format!("{}-{}-{}", hours.low, hours.likely, hours.high)
                },
            );
            let card = measured_on.as_ref();
            at.maybe("hours_measured_on", card.map(|(card, count)| format!("{count}x {card}")));
        }
        Amount::Tokens { tokens, epochs } => {
            data.put("tokens", tokens);
            data.put("epochs", epochs);
        }
        Amount::Samples { samples, mean_tokens, epochs } => {
            data.put("samples", samples);
            data.put("mean_tokens", mean_tokens);
            data.put("epochs", epochs);
        }
        Amount::Requests { requests } => at.put("requests", requests),
        Amount::Service | Amount::Unknown => {}
    }
    at.inside("data", data);
}

fn policy(policy: &Policy) -> Writer {
    let mut at = Writer::default();
    at.put(
        "margin",
        match policy.margin {
            Margin::Flat(share) => percent(share),
            Margin::P80 => "p80".to_owned(),
            Margin::P90 => "p90".to_owned(),
            Margin::Nothing => "none".to_owned(),
        },
    );
    at.maybe("cap", policy.cap.map(money));
    at.maybe("hourly_cap", policy.hourly_cap.map(money));
    at.maybe("cards_cap", policy.cards_cap);
    let any = vec!["any".to_owned()];
    at.list("providers", if policy.providers.is_empty() { &any } else { &policy.providers });
    at.list("exclude_providers", &policy.exclude_providers);
    let regions: Vec<_> = policy.countries.iter().chain(&policy.regions).cloned().collect();
    at.list("regions", if regions.is_empty() { any } else { regions });
    at.list("modes", &policy.modes);
    at.put(
        "price_age",
        match policy.max_price_age_days {
            None => "usual".to_owned(),
            Some(u32::MAX) => "any".to_owned(),
            Some(days) => format!("{days} days"),
        },
    );
    at.put("undated", policy.undated);
    at.put("grade", policy.lowest_grade);
    at.put("outliers", policy.outliers);
    at.put(
        "trial",
        match policy.trial {
            Trial::Amount(amount) => money(amount),
            Trial::ShareOfRent(share) => percent(share),
        },
    );
    at.put("headroom", percent(policy.headroom));
    at.put("trust_hours", policy.trust_hours);
    at.put("share_machines", policy.share_machines);
    match policy.tax {
        Tax::Unsaid => {}
        Tax::Included => at.put("tax", "included"),
        Tax::Rate(tax) => at.put("tax", format!("{}%", (tax * Decimal::ONE_HUNDRED).normalize())),
        Tax::Buyer(Buyer::Small) => at.put("tax", "small"),
        Tax::Buyer(Buyer::General) => at.put("tax", "general"),
    }
    at.put("spot_mtbf", span(policy.spot_mtbf));
    at
}

fn percent(share: f64) -> String {
    let exact: Decimal = share.to_string().parse().unwrap_or_default();
    format!("{}%", (exact * Decimal::ONE_HUNDRED).normalize())
}

fn money(money: Money) -> String {
    format!("{} {}", money.amount(), money.currency())
}

fn bytes(amount: Bytes) -> String {
    let units: [(&str, u64); 5] =
        [("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20), ("MB", 1_000_000), ("B", 1)];
    let amount = amount.get();
    let unit = units.iter().find(|(_, size)| amount.is_multiple_of(*size) && amount > 0);
    unit.map_or_else(|| "0 GB".to_owned(), |(unit, size)| format!("{} {unit}", amount / size))
}

fn span(span: Seconds) -> String {
    let units: [(&str, u64); 3] = [("h", 3_600), (" min", 60), ("s", 1)];
    let seconds = span.get();
    let unit = units.iter().find(|(_, size)| seconds.is_multiple_of(*size) && seconds > 0);
    unit.map_or_else(|| "0s".to_owned(), |(unit, size)| format!("{}{unit}", seconds / size))
}

fn clock(time: Time) -> String {
    time.strftime("%H:%M").to_string()
}

fn moment(moment: DateTime) -> String {
    moment.strftime("%Y-%m-%d %H:%M").to_string()
}

const fn weekday(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "mon",
        Weekday::Tuesday => "tue",
        Weekday::Wednesday => "wed",
        Weekday::Thursday => "thu",
        Weekday::Friday => "fri",
        Weekday::Saturday => "sat",
        Weekday::Sunday => "sun",
    }
}

fn fields(text: &mut String, fields: &[(&'static str, Shown)], indent: usize) {
    for (at, (name, value)) in fields.iter().enumerate() {
        // The first field of a list's entry stands behind its dash.
        if at > 0 || !text.ends_with("- ") {
            text.push_str(&" ".repeat(indent));
        }
        text.push_str(name);
        text.push(':');
        match value {
            Shown::Plain(value) => {
                let _ = writeln!(text, " {}", scalar(value));
            }
            Shown::Fields(inner) => {
                text.push('\n');
                self::fields(text, inner, indent + 2);
            }
            Shown::List(items) => list(text, items, indent),
        }
    }
}

fn list(text: &mut String, items: &[Shown], indent: usize) {
    let plain: Vec<String> = items
        .iter()
        .filter_map(|item| match item {
            Shown::Plain(value) => Some(scalar(value)),
            _ => None,
        })
        .collect();
    if plain.len() == items.len() {
        let _ = writeln!(text, " [{}]", plain.join(", "));
        return;
    }
    text.push('\n');
    for item in items {
        if let Shown::Fields(inner) = item {
            text.push_str(&" ".repeat(indent + 2));
            text.push_str("- ");
            fields(text, inner, indent + 4);
        }
    }
}

/// Writes a scalar plainly where YAML reads it back as it is, quoted otherwise.
fn scalar(text: &str) -> String {
    let is_safe =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '%' | ' ' | '+');
    let keyword = ["true", "false", "null", "~", "yes", "no", "on", "off"]
        .contains(&text.to_lowercase().as_str());
    let is_bool = matches!(text, "true" | "false");
    let starts_well = text.starts_with(char::is_alphanumeric) && !text.ends_with(' ');
    if text.chars().all(is_safe) && starts_well && (!keyword || is_bool) {
        return text.to_owned();
    }
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_and_spans_are_written_in_the_largest_unit_that_is_exact() {
        assert_eq!(bytes(Bytes::from_gib(24)), "24 GiB");
        assert_eq!(bytes(Bytes::from_gb(200)), "200 GB");
        assert_eq!(bytes(Bytes::new(1_000_001)), "1000001 B");
        assert_eq!(span(Seconds::from_minutes(90)), "90 min");
        assert_eq!(span(Seconds::ZERO), "0s");
        assert_eq!(scalar("08:00-18:00"), "\"08:00-18:00\"");
        assert_eq!(scalar("在线问答"), "在线问答");
        assert_eq!(scalar("a: b"), "\"a: b\"");
    }
}
