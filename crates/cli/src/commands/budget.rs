//! `kasuan budget set|show`: what a month may cost, kept in the ledger.

use crate::{
    budgets,
    context::Context,
    error::{CommandError, Exit},
    month::Month,
    store::{self, Store},
};
use kasuan_ledger::{Budget as Kept, BudgetScope};
use kasuan_model::{Currency, Money, Phrase};
use kasuan_report::{Cell, Column, Table};
use rust_decimal::Decimal;
use std::{path::PathBuf, str::FromStr};

#[derive(Debug, clap::Args)]
pub(crate) struct Budget {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Set(Box<Set>),
    Show(Show),
}

#[derive(Debug, clap::Args)]
struct Set {
    #[arg(long, value_name = "MONTH")]
    month: Month,
    #[arg(long, value_name = "PLAN")]
    from: Option<PathBuf>,
    #[arg(long, value_name = "CSV", requires = "from")]
    prices: Vec<PathBuf>,
    #[arg(long, value_name = "CODE=RATE", requires = "from")]
    rate: Vec<String>,
    #[arg(long, requires = "from")]
    all_prices: bool,
    #[arg(long, value_name = "AMOUNT")]
    total: Option<Decimal>,
    #[arg(long, value_name = "NAME=AMOUNT")]
    line: Vec<Named>,
    #[arg(long, value_name = "NAME=AMOUNT")]
    job: Vec<Named>,
    #[arg(long, value_name = "NAME=AMOUNT")]
    person: Vec<Named>,
    #[arg(long, value_name = "NAME=AMOUNT")]
    card: Vec<Named>,
    #[arg(long, value_name = "NAME=AMOUNT")]
    provider: Vec<Named>,
    #[arg(long, value_name = "CODE", default_value = "CNY")]
    currency: Currency,
    #[command(flatten)]
    store: Store,
}

#[derive(Debug, clap::Args)]
struct Show {
    #[arg(long, value_name = "MONTH")]
    month: Month,
    #[command(flatten)]
    store: Store,
}

/// `lora=500`.
#[derive(Clone, Debug)]
struct Named(String, Decimal);

impl FromStr for Named {
    type Err = crate::month::Malformed;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, amount) = text.rsplit_once('=').ok_or(crate::month::Malformed)?;
        let amount: Decimal = amount.trim().parse().map_err(|_| crate::month::Malformed)?;
        if name.trim().is_empty() || amount < Decimal::ZERO {
            return Err(crate::month::Malformed);
        }
        Ok(Self(name.trim().to_owned(), amount))
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Budget, context: &Context) -> Result<Exit, CommandError> {
    match &arguments.action {
        Action::Set(set) => self::set(set, context),
        Action::Show(show) => {
            let mut ledger = show.store.open_existing(context)?;
            let month = show.month.to_string();
            let kept = ledger.budgets(&month).map_err(|error| store::failed(&error))?;
            if kept.is_empty() {
                let phrase = Phrase::new("budget-none").with("month", month);
                return Err(CommandError::user(phrase).hint(Phrase::new("budget-hint-none")));
            }
            context.print_table(&table(&kept, context))?;
            Ok(Exit::Done)
        }
    }
}

fn set(set: &Set, context: &Context) -> Result<Exit, CommandError> {
    let month = set.month.to_string();
    let budget = |scope, name: &str, amount, quantity| Kept {
        month: month.clone(),
        scope,
        name: name.to_owned(),
        amount,
        quantity,
    };
    let mut wanted = Vec::new();
    if let Some(path) = &set.from {
        for part in budgets::of_file(path, &set.prices, &set.rate, set.all_prices, context)? {
            wanted.push(budget(part.scope, &part.name, part.amount, part.quantity));
        }
    }
    let money = |amount| Money::new(amount, set.currency);
    if let Some(total) = set.total {
        if total < Decimal::ZERO {
            return Err(CommandError::user(Phrase::new("budget-error-negative")));
        }
        wanted.push(budget(BudgetScope::Total, "", money(total), None));
    }
    for (scope, named) in [
        (BudgetScope::Line, &set.line),
        (BudgetScope::Job, &set.job),
        (BudgetScope::Person, &set.person),
        (BudgetScope::Card, &set.card),
        (BudgetScope::Provider, &set.provider),
    ] {
        for Named(name, amount) in named {
            wanted.push(budget(scope, name, money(*amount), None));
        }
    }
    if wanted.is_empty() {
        return Err(CommandError::user(Phrase::new("budget-error-nothing"))
            .hint(Phrase::new("budget-hint-none")));
    }
    let (mut ledger, _) = set.store.open(context)?;
    ledger.set_budgets(&wanted).map_err(|error| store::failed(&error))?;
    let kept = ledger.budgets(&month).map_err(|error| store::failed(&error))?;
    context.print_table(&table(&kept, context))?;
    Ok(Exit::Done)
}

fn scope(scope: BudgetScope) -> (&'static str, Phrase) {
    match scope {
        BudgetScope::Total => ("total", Phrase::new("review-scope-total")),
        BudgetScope::Line => ("line", Phrase::new("review-scope-line")),
        BudgetScope::Job => ("job", Phrase::new("review-scope-job")),
        BudgetScope::Person => ("person", Phrase::new("review-scope-person")),
        BudgetScope::Card => ("card", Phrase::new("review-scope-card")),
        BudgetScope::Provider => ("provider", Phrase::new("review-scope-provider")),
    }
}

fn table(kept: &[Kept], context: &Context) -> Table {
    let word = |key: &str| context.words.word(key);
    let mut table = Table::new(vec![
        Column::words("scope", word("review-column-scope")),
        Column::words("name", word("review-column-name")),
        Column::figures("amount", word("review-column-planned")),
        Column::figures("card_hours", word("review-column-card_hours")),
    ]);
    let mut kept: Vec<&Kept> = kept.iter().collect();
    kept.sort_by_key(|budget| (budget.scope, &budget.name));
    for budget in kept {
        let (raw, phrase) = scope(budget.scope);
        let key = format!("cost-{}", budget.name);
        let shown = if budget.scope == BudgetScope::Line && context.words.has(&key) {
            word(&key)
        } else {
            budget.name.clone()
        };
        let hours = budget.quantity.map(|hours| format!("{hours:.1}"));
        table.push(vec![
            Cell::with_raw(context.say(&phrase), raw),
            Cell::with_raw(shown, budget.name.clone()),
            Cell::with_raw(
                budget.amount.to_string(),
                budget.amount.amount().normalize().to_string(),
            ),
            hours.map_or_else(|| Cell::unknown("—"), Cell::new),
        ]);
    }
    table
}
