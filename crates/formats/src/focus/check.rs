//! Checks a table against the rules.

use super::{
    FocusTable, Level, ModelError,
    model::{Check, Model, Rule, model},
};
use rust_decimal::Decimal;
use std::collections::{BTreeMap, BTreeSet};

/// Decimals of a product may be rounded by whoever wrote it: a millionth is no difference.
const PRODUCT_TOLERANCE: f64 = 1e-6;

/// A rule that is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule's id in the model.
    pub rule: String,
    /// How strict it is.
    pub level: Level,
    /// The column.
    pub column: String,
    /// The rule's own words (English, from the specification).
    pub told: String,
    /// How many rows break it; 0 where it is about the whole file.
    pub rows: u64,
    /// The first line that does.
    pub line: Option<u64>,
    /// What stands there.
    pub found: Option<String>,
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Rules that were checked.
    pub checked: usize,
    /// Rules of the model that are about what the file does not have or no file can show.
    pub skipped: usize,
    /// Broken rules, errors first.
    pub violations: Vec<Violation>,
}

impl Verdict {
    /// Says whether no MUST is broken.
    pub fn conforms(&self) -> bool {
        self.violations.iter().all(|violation| violation.level != Level::Error)
    }
}

struct Checker<'a> {
    model: &'a Model,
    places: BTreeMap<&'a str, usize>,
}

type Row = [Option<String>];

/// Checks a table. `criteria` are the applicability criteria that the provider supports; a column
/// that is there is checked whether or not its criterion is named.
///
/// # Errors
///
/// When the vendored model cannot be read.
pub fn validate(table: &FocusTable, criteria: &BTreeSet<String>) -> Result<Verdict, ModelError> {
    let model = model()?;
    let places = table.columns.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let checker = Checker { model, places };
    let mut verdict = Verdict::default();
    for (id, rule) in &model.rules {
        let Some(level) = rule.level.filter(|_| !rule.composite) else { continue };
        let present = checker.places.contains_key(rule.column.as_str());
        // What the column's very presence supposes is supposed of a file that has it.
        let presence = model.rules.values().filter(
            |other| matches!(&other.requirement, Check::Present(column) if *column == rule.column),
        );
        let supposed: BTreeSet<&String> =
            presence.flat_map(|other| &other.criteria).filter(|_| present).collect();
        let supported = rule.criteria.iter().all(|criterion| {
            criteria.contains(criterion) || !rule.is_dataset && supposed.contains(criterion)
        });
        let applies = supported && (rule.is_dataset || present);
        if !applies || checker.lacks_column(&rule.requirement) && !rule.is_dataset {
            verdict.skipped += 1;
            continue;
        }
        verdict.checked += 1;
        verdict.violations.extend(checker.rule(id, rule, level, table));
    }
    verdict.violations.sort_by(|a, b| a.level.cmp(&b.level).then(a.rule.cmp(&b.rule)));
    Ok(verdict)
}

impl Checker<'_> {
    /// Says whether a check is about a column that the file does not have.
    fn lacks_column(&self, check: &Check) -> bool {
        let lacks = |name: &String| !self.places.contains_key(name.as_str());
        match check {
            Check::Same(a, b) | Check::NotSame(a, b) | Check::Distinct(a, b, _) => {
                lacks(a) || lacks(b)
            }
            Check::Product(a, b, c) => lacks(a) || lacks(b) || lacks(c),
            _ => false,
        }
    }

    fn rule(&self, id: &str, rule: &Rule, level: Level, table: &FocusTable) -> Option<Violation> {
        let mut violation = Violation {
            rule: id.to_owned(),
            level,
            column: rule.column.clone(),
            told: rule.told.clone(),
            rows: 0,
            line: None,
            found: None,
        };
        if let Check::Present(column) = &rule.requirement {
            return (!self.places.contains_key(column.as_str())).then_some(violation);
        }
        if let Check::Distinct(parent, child, count) = &rule.requirement {
            let found = self.distinct(parent, child, *count, table)?;
            violation.rows = 1;
            violation.found = Some(found);
            return Some(violation);
        }
        let of_values = rule.about_value && !mentions_null(&rule.requirement);
        for (line, row) in &table.rows {
            if of_values && self.cell(&rule.column, row).is_none() {
                continue;
            }
            let concerns = rule.condition.as_ref().is_none_or(|check| self.holds(check, row));
            if concerns && !self.holds(&rule.requirement, row) {
                violation.rows += 1;
                if violation.line.is_none() {
                    violation.line = Some(*line);
                    violation.found = self.cell(&rule.column, row).map(str::to_owned);
                }
            }
        }
        (violation.rows > 0).then_some(violation)
    }

    fn cell<'b>(&self, column: &str, row: &'b Row) -> Option<&'b str> {
        row.get(*self.places.get(column)?)?.as_deref()
    }

    /// Returns a parent that has another number of children than it must.
    fn distinct(
        &self,
        parent: &str,
        child: &str,
        count: usize,
        table: &FocusTable,
    ) -> Option<String> {
        let mut children: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (_, row) in &table.rows {
            if let (Some(parent), Some(child)) = (self.cell(parent, row), self.cell(child, row)) {
                children.entry(parent).or_default().insert(child);
            }
        }
        let wrong = children.into_iter().find(|(_, children)| children.len() != count);
        wrong.map(|(parent, _)| parent.to_owned())
    }

    fn holds(&self, check: &Check, row: &Row) -> bool {
        let cell = |column: &String| self.cell(column, row);
        // Null has no format; whether it may stand is another rule.
        let if_any = |column: &String, good: &dyn Fn(&str) -> bool| cell(column).is_none_or(good);
        match check {
            Check::And(all) => all.iter().all(|check| self.holds(check, row)),
            Check::Or(any) => any.iter().any(|check| self.holds(check, row)),
            Check::Present(column) => self.places.contains_key(column.as_str()),
            Check::Equals(column, wanted) => equals(cell(column), wanted.as_deref()),
            Check::NotEquals(column, wanted) => !equals(cell(column), wanted.as_deref()),
            Check::Same(a, b) => cell(a) == cell(b),
            Check::NotSame(a, b) => cell(a) != cell(b),
            Check::Decimal(column) | Check::Numeric(column) => if_any(column, &is_numeric),
            Check::AtLeast(column, least) => {
                if_any(column, &|text| text.parse::<f64>().is_ok_and(|number| number >= *least))
            }
            Check::Rule(id) => self.model.rules.get(id).is_none_or(|rule| {
                rule.condition.as_ref().is_some_and(|check| !self.holds(check, row))
                    || self.holds(&rule.requirement, row)
            }),
            Check::NationalCurrency(column) | Check::Currency(column) => {
                let national = |text: &str| self.model.currencies.iter().any(|code| code == text);
                let own = matches!(check, Check::Currency(_));
                // A virtual currency may have any name that is no lower-case national code.
                let virtual_name = |text: &str| !national(&text.to_uppercase());
                if_any(column, &|text| national(text) || own && virtual_name(text))
            }
            Check::Text => true,
            Check::DateTime(column) | Check::FormatDateTime(column) => if_any(column, &is_moment),
            Check::KeyValue(column) => if_any(column, &is_key_value),
            Check::Unit(column) => if_any(column, &is_unit),
            Check::Product(a, b, result) => {
                let number = |column: &String| cell(column).and_then(|t| t.parse::<f64>().ok());
                match (number(a), number(b), number(result)) {
                    (Some(a), Some(b), Some(result)) => {
                        let room = PRODUCT_TOLERANCE * result.abs().max(1.0);
                        (a * b - result).abs() <= room
                    }
                    _ => true,
                }
            }
            // About the whole table, not about a row.
            Check::Distinct(..) => true,
        }
    }
}

/// Says whether a check speaks of null itself.
fn mentions_null(check: &Check) -> bool {
    match check {
        Check::And(parts) | Check::Or(parts) => parts.iter().any(mentions_null),
        Check::Equals(_, None) | Check::NotEquals(_, None) => true,
        _ => false,
    }
}

fn equals(cell: Option<&str>, wanted: Option<&str>) -> bool {
    match (cell, wanted) {
        (Some(cell), Some(wanted)) => {
            cell == wanted
                || cell
                    .parse::<Decimal>()
                    .ok()
                    .zip(wanted.parse::<Decimal>().ok())
                    .is_some_and(|(a, b)| a == b)
        }
        (cell, wanted) => cell.is_none() && wanted.is_none(),
    }
}

/// FOCUS 1.2, NumericFormat: digits with at most one point, or E notation; no thousands separators,
/// no currency sign, a minus for less than zero.
fn is_numeric(text: &str) -> bool {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    plain && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// FOCUS 1.2, DateTimeFormat: ISO 8601 in UTC, `YYYY-MM-DDTHH:mm:ssZ`.
fn is_moment(text: &str) -> bool {
    text.ends_with('Z') && text.contains('T') && text.parse::<jiff::Timestamp>().is_ok()
}

/// FOCUS 1.2, KeyValueFormat: a JSON object without objects or lists inside.
fn is_key_value(text: &str) -> bool {
    let read: Result<serde_json::Map<String, serde_json::Value>, _> = serde_json::from_str(text);
    read.is_ok_and(|map| map.values().all(|value| !value.is_object() && !value.is_array()))
}

/// FOCUS 1.2, UnitFormat: words joined by dashes, `per` and blanks, with a number before at most.
fn is_unit(text: &str) -> bool {
    let letters = text.chars().any(|c| c.is_ascii_alphabetic());
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '/' | '.');
    letters && text.chars().all(plain)
}

#[cfg(test)]
mod tests;
