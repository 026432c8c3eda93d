//! Budgets out of a plan: its JSON file, or a workload that is planned now.

use crate::{commands::Loaded, context::Context, error::CommandError, files};
use kasuan_formats::plan_json;
use kasuan_ledger::BudgetScope;
use kasuan_model::{Currency, Money, Phrase};
use rust_decimal::Decimal;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// A sum that was planned for something.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) scope: BudgetScope,
    pub(crate) name: String,
    pub(crate) amount: Money,
    pub(crate) quantity: Option<f64>,
}

/// Reads a plan, or makes it from a workload file.
///
/// A workload is planned as `kasuan plan` would, with the user's prices and rates laid over it.
pub(crate) fn of_file(
    path: &Path,
    prices: &[PathBuf],
    rates: &[String],
    all_prices: bool,
    context: &Context,
) -> Result<Vec<Part>, CommandError> {
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    let text = if is_json { Some(files::read_text(path)?) } else { None };
    if let Some(plan) = text.and_then(|text| serde_json::from_str::<Value>(&text).ok())
        && plan.get("budget").is_some()
    {
        return of_plan(&plan).ok_or_else(|| {
            CommandError::user(Phrase::new("budget-error-plan").with("path", path.display()))
                .hint(Phrase::new("budget-hint-plan"))
        });
    }
    let loaded = Loaded::read(path, prices, rates, all_prices, context)?;
    let plan = loaded.plan(&loaded.workload, &[], context)?;
    let say = |phrase: &Phrase| context.say(phrase);
    let plan = plan_json::v1::plan(&plan, loaded.workload.month, &say);
    let value = serde_json::to_value(plan).unwrap_or_default();
    of_plan(&value).ok_or_else(|| {
        CommandError::user(Phrase::new("budget-error-plan").with("path", path.display()))
            .hint(Phrase::new("budget-hint-plan"))
    })
}

fn of_plan(plan: &Value) -> Option<Vec<Part>> {
    let currency: Currency = plan.get("currency")?.as_str()?.parse().ok()?;
    let decimal = |value: Option<&Value>| value?.as_str()?.parse::<Decimal>().ok();
    let money = |value: Option<&Value>| Some(Money::new(decimal(value)?, currency));
    let mut parts = vec![Part {
        scope: BudgetScope::Total,
        name: String::new(),
        amount: money(plan.get("total"))?,
        quantity: None,
    }];
    for line in plan.get("budget")?.get("lines")?.as_array()? {
        // A line whose price is unknown is no budget.
        let Some(amount) = money(line.get("amount")) else { continue };
        let name = line.get("kind")?.as_str()?.to_owned();
        parts.push(Part { scope: BudgetScope::Line, name, amount, quantity: None });
    }
    let mut sums: BTreeMap<(BudgetScope, String), (Decimal, f64)> = BTreeMap::new();
    for job in plan.get("jobs")?.as_array()? {
        let name = job.get("name")?.as_str()?.to_owned();
        let Some(amount) = decimal(job.get("cost")) else { continue };
        let hours = job.get("paid_hours").and_then(Value::as_str).and_then(|t| t.parse().ok());
        let mut add = |scope, name: Option<&str>| {
            if let Some(name) = name {
                let sum = sums.entry((scope, name.to_owned())).or_default();
                *sum = (sum.0 + amount, sum.1 + hours.unwrap_or(0.0));
            }
        };
        add(BudgetScope::Job, Some(&name));
        add(BudgetScope::Card, job.get("card").and_then(Value::as_str));
        add(BudgetScope::Provider, job.get("provider").and_then(Value::as_str));
    }
    parts.extend(sums.into_iter().map(|((scope, name), (amount, hours))| Part {
        scope,
        name,
        amount: Money::new(amount, currency),
        quantity: (scope == BudgetScope::Card && hours > 0.0).then_some(hours),
    }));
    Some(parts)
}
