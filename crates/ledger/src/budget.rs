//! Budgets: what a month may cost, as a whole and for its parts.

use crate::{
    Ledger, LedgerError,
    driver::{Row, Value},
    ledger::{Cells, damaged},
};
use kasuan_model::{Currency, Money};

/// What a budget is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BudgetScope {
    /// The whole month.
    Total,
    /// A line of the plan (rent, storage...).
    Line,
    /// A job.
    Job,
    /// A person.
    Person,
    /// A card model.
    Card,
    /// A provider.
    Provider,
}

impl BudgetScope {
    fn word(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::Line => "line",
            Self::Job => "job",
            Self::Person => "person",
            Self::Card => "card",
            Self::Provider => "provider",
        }
    }

    fn read(word: &str) -> Result<Self, LedgerError> {
        [Self::Total, Self::Line, Self::Job, Self::Person, Self::Card, Self::Provider]
            .into_iter()
            .find(|scope| scope.word() == word)
            .ok_or_else(|| damaged(word, "a budget's scope"))
    }
}

/// A sum that a month, or a part of it, may cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// The month, as `2026-12`.
    pub month: String,
    /// What it is for.
    pub scope: BudgetScope,
    /// Which line, job, person or provider; empty for the total.
    pub name: String,
    /// The sum.
    pub amount: Money,
    /// Units behind it, for example card-hours; `None` when only money was planned.
    pub quantity: Option<f64>,
}

fn budget(row: &Row) -> Result<Budget, LedgerError> {
    let mut cells = Cells::of(row);
    let month = cells.text("a month")?;
    let scope = BudgetScope::read(&cells.text("a budget's scope")?)?;
    let name = cells.text("a name")?;
    let currency: Currency = cells.parsed("a currency")?;
    let amount = Money::new(cells.parsed("an amount")?, currency);
    Ok(Budget { month, scope, name, amount, quantity: cells.optional_real() })
}

impl Ledger {
    /// Sets budgets, replacing those of the same month, scope and name; all or none.
    pub fn set_budgets(&mut self, budgets: &[Budget]) -> Result<(), LedgerError> {
        self.atomically(|driver| {
            for budget in budgets {
                driver.execute(
                    "INSERT INTO budgets (month, scope, name, currency, amount, quantity)
                     VALUES ($1, $2, $3, $4, $5, $6)
                     ON CONFLICT (month, scope, name)
                     DO UPDATE SET currency = excluded.currency, amount = excluded.amount,
                       quantity = excluded.quantity",
                    &[
                        Value::text(&budget.month),
                        Value::text(budget.scope.word()),
                        Value::text(&budget.name),
                        Value::text(budget.amount.currency().code()),
                        Value::text(budget.amount.amount().to_string()),
                        budget.quantity.map_or(Value::Null, Value::Real),
                    ],
                )?;
            }
            Ok(())
        })
    }

    /// Returns the budgets of a month (`2026-12`), by scope and name.
    pub fn budgets(&mut self, month: &str) -> Result<Vec<Budget>, LedgerError> {
        let rows = self.driver.query(
            "SELECT month, scope, name, currency, amount, quantity FROM budgets
             WHERE month = $1 ORDER BY scope, name",
            &[Value::text(month)],
        )?;
        rows.iter().map(budget).collect()
    }
}
