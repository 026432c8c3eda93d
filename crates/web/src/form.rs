//! The plan page's form: a table of jobs, the rules, and everything else as it is written in a
//! workload file. It becomes the same tree as a file, so that the same reader reads both.

mod flow;
#[cfg(test)]
mod tests;

use crate::problem::Problem;
use axum::http::StatusCode;
use kasuan_formats::workload::{Node, Notation, Place, Value, parse};
use kasuan_model::Phrase;

/// The columns of the table, in order; each is a field of a job, but for the last, which holds
/// every other field as `name: value, name: value`.
pub(crate) const COLUMNS: [&str; 10] = [
    "name",
    "task",
    "model",
    "runs",
    "hours",
    "daily",
    "concurrency",
    "may_wait",
    "interruptible",
    "more",
];
/// The rules that have fields of their own; each is a field of `policy`.
pub(crate) const RULES: [&str; 4] = ["cap", "margin", "regions", "spot_mtbf"];
/// Rows that a page can show; a longer workload is for the command line or the API.
pub(crate) const MOST_ROWS: usize = 500;
/// Plans that are compared with the current one.
pub(crate) const MOST_SAVED: usize = 4;
/// Added to the lines of the text below the table, to tell them from rows.
const REST: usize = 1_000_000;

/// A row of the table: one text for each column.
pub(crate) type Row = [String; COLUMNS.len()];

/// What a reader has typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Form {
    /// The currency of the plan.
    pub(crate) currency: String,
    /// The month.
    pub(crate) month: String,
    /// The rules, in the order of [`RULES`].
    pub(crate) rules: [String; RULES.len()],
    /// The jobs.
    pub(crate) rows: Vec<Row>,
    /// The other sections of a workload file, as YAML.
    pub(crate) rest: String,
    /// A price card, as CSV.
    pub(crate) prices: String,
    /// Other plans to compare with, each as it would be sent.
    pub(crate) saved: Vec<String>,
    /// The proof that our own page sent it.
    pub(crate) proof: String,
    /// The button that was pressed.
    pub(crate) act: String,
    /// Rows to add, as they were copied from a spreadsheet.
    pub(crate) pasted: String,
}

/// Where in a form something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// A row, counted from 1, and the column's name where it is known.
    Row(usize, Option<&'static str>),
    /// A line of the text below the table, counted from 1.
    Rest(usize),
    /// A field above the table or nothing in particular.
    Whole,
}

impl Form {
    /// Reads pairs as a browser sends them; unknown names are left alone.
    pub(crate) fn from_pairs(
        pairs: impl Iterator<Item = (String, String)>,
    ) -> Result<Self, Problem> {
        let mut form = Self::default();
        let mut columns: [Vec<String>; COLUMNS.len()] = Default::default();
        for (name, value) in pairs {
            if let Some(at) = COLUMNS.iter().position(|column| name == format!("job-{column}")) {
                columns[at].push(value);
            } else if let Some(at) = RULES.iter().position(|rule| name == format!("rule-{rule}")) {
                form.rules[at] = value;
            } else {
                match name.as_str() {
                    "currency" => form.currency = value,
                    "month" => form.month = value,
                    "rest" => form.rest = value.replace("\r\n", "\n"),
                    "prices" => form.prices = value,
                    "saved" => form.saved.push(value),
                    "proof" => form.proof = value,
                    "act" => form.act = value,
                    "pasted" => form.pasted = value,
                    _ => {}
                }
            }
        }
        form.saved.truncate(MOST_SAVED);
        let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
        check_rows(rows)?;
        for at in 0..rows {
            let mut row = Row::default();
            for (cell, column) in row.iter_mut().zip(&mut columns) {
                *cell = column.get_mut(at).map(std::mem::take).unwrap_or_default();
            }
            form.rows.push(row);
        }
        Ok(form)
    }

    /// Reads a workload file into the form.
    pub(crate) fn from_text(text: &str, notation: Notation) -> Result<Self, Problem> {
        let root = parse(text, notation)?;
        let mut form = Self::default();
        let Value::Fields(fields) = root.value else {
            return Err(Problem::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                Phrase::new("web-not-a-workload"),
            ));
        };
        for (name, _, node) in fields {
            match (name.as_str(), node.value) {
                ("currency", value) => form.currency = flow::plain(&value),
                ("month", value) => form.month = flow::plain(&value),
                ("jobs", Value::List(jobs)) => {
                    check_rows(jobs.len())?;
                    form.rows = jobs.into_iter().map(row_of).collect();
                }
                ("policy", Value::Fields(policy)) => {
                    let mut other = Vec::new();
                    for (name, place, node) in policy {
                        match RULES.iter().position(|rule| name == *rule) {
                            Some(at) => form.rules[at] = flow::listed(&node.value),
                            None => other.push((name, place, node)),
                        }
                    }
                    if !other.is_empty() {
                        form.rest.push_str(&flow::section("policy", &Value::Fields(other)));
                    }
                }
                (_, value) => form.rest.push_str(&flow::section(&name, &value)),
            }
        }
        Ok(form)
    }

    /// Adds an empty job.
    pub(crate) fn add_row(&mut self) {
        if self.rows.len() < MOST_ROWS {
            let mut row = Row::default();
            "batch".clone_into(&mut row[1]);
            self.rows.push(row);
        }
    }

    /// Adds rows that were copied from a spreadsheet: a line each, cells divided by tabs.
    pub(crate) fn paste(&mut self, heading: &dyn Fn(&str) -> Option<usize>) -> Result<(), Problem> {
        let text = std::mem::take(&mut self.pasted);
        let rows = text.lines().filter(|line| !line.trim().is_empty());
        let rows = rows.map(|line| line.split('\t').map(str::to_owned).collect());
        self.add_rows(rows.collect(), heading)
    }

    /// Adds rows of a table, in the order of our own or under headings that name its columns; lines
    /// above the headings are a title.
    pub(crate) fn add_rows(
        &mut self,
        rows: Vec<Vec<String>>,
        heading: &dyn Fn(&str) -> Option<usize>,
    ) -> Result<(), Problem> {
        let columns = |row: &[String]| -> Vec<Option<usize>> {
            row.iter().map(|cell| heading(cell)).collect()
        };
        // A row of headings names the job and something about it.
        let named = rows.iter().take(20).position(|row| {
            let columns = columns(row);
            columns.contains(&Some(0)) && columns.iter().flatten().count() > 1
        });
        let order = match named.and_then(|at| rows.get(at)) {
            Some(row) => columns(row),
            None => (0..COLUMNS.len()).map(Some).collect(),
        };
        let skipped = named.map_or(0, |at| at + 1);
        check_rows(self.rows.len().saturating_add(rows.len().saturating_sub(skipped)))?;
        for cells in rows.into_iter().skip(skipped) {
            let mut row = Row::default();
            for (cell, column) in cells.iter().zip(&order) {
                if let Some(place) = column.and_then(|column| row.get_mut(column)) {
                    cell.trim().clone_into(place);
                }
            }
            if row.iter().any(|cell| !cell.is_empty()) {
                self.rows.push(row);
            }
        }
        Ok(())
    }

    /// Returns the tree that a workload file of the same contents would have.
    pub(crate) fn tree(&self) -> Result<Node, Problem> {
        let nowhere = Place { line: 0, column: 0 };
        let mut fields = match self.rest.trim() {
            "" => Vec::new(),
            _ => {
                let mut rest = parse(&self.rest, Notation::Yaml).map_err(|mut error| {
                    error.place = error.place.map(below);
                    Problem::from(error)
                })?;
                flow::move_places(&mut rest, &below);
                match rest.value {
                    Value::Fields(fields) => fields,
                    _ => {
                        return Err(Problem {
                            place: Some(below(Place { line: 1, column: 1 })),
                            ..Problem::new(
                                StatusCode::UNPROCESSABLE_ENTITY,
                                Phrase::new("web-not-sections"),
                            )
                        });
                    }
                }
            }
        };
        let mut put = |name: &str, node: Node| {
            fields.retain(|(other, _, _): &(String, Place, Node)| other != name);
            fields.push((name.to_owned(), nowhere, node));
        };
        for (name, text) in [("currency", &self.currency), ("month", &self.month)] {
            if !text.trim().is_empty() {
                put(name, Node { place: nowhere, value: Value::Text(text.trim().to_owned()) });
            }
        }
        let mut jobs = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            jobs.push(job_of(at + 1, row)?);
        }
        put("jobs", Node { place: nowhere, value: Value::List(jobs) });
        for (rule, text) in RULES.iter().zip(&self.rules) {
            if !text.trim().is_empty() {
                self.put_rule(&mut fields, rule, text.trim());
            }
        }
        Ok(Node { place: nowhere, value: Value::Fields(fields) })
    }

    fn put_rule(&self, fields: &mut Vec<(String, Place, Node)>, rule: &str, text: &str) {
        let place = Place { line: 0, column: 0 };
        let value = match rule {
            "regions" => Value::List(
                text.split([',', '，', '、'])
                    .map(|one| Node { place, value: Value::Text(one.trim().to_owned()) })
                    .collect(),
            ),
            _ => flow::scalar(text, place).value,
        };
        let entry = (rule.to_owned(), place, Node { place, value });
        match fields.iter_mut().find(|(name, _, _)| name == "policy") {
            Some((_, _, Node { value: Value::Fields(policy), .. })) => {
                policy.retain(|(name, _, _)| name != rule);
                policy.push(entry);
            }
            Some(_) => {}
            None => {
                let policy = Node { place, value: Value::Fields(vec![entry]) };
                fields.push(("policy".to_owned(), place, policy));
            }
        }
    }

    /// Says where in the form a place of its tree is.
    pub(crate) fn spot(&self, place: Option<Place>) -> Spot {
        match place {
            Some(Place { line, .. }) if line > REST => Spot::Rest(line - REST),
            Some(Place { line, column }) if (1..=self.rows.len()).contains(&line) => {
                Spot::Row(line, column.checked_sub(1).and_then(|at| COLUMNS.get(at).copied()))
            }
            _ => Spot::Whole,
        }
    }

    /// Writes everything that decides the plan as a browser would send it.
    pub(crate) fn encoded(&self) -> String {
        let mut text = form_urlencoded::Serializer::new(String::new());
        text.append_pair("currency", &self.currency).append_pair("month", &self.month);
        for (rule, value) in RULES.iter().zip(&self.rules) {
            text.append_pair(&format!("rule-{rule}"), value);
        }
        for row in &self.rows {
            for (column, value) in COLUMNS.iter().zip(row) {
                text.append_pair(&format!("job-{column}"), value);
            }
        }
        text.append_pair("rest", &self.rest).append_pair("prices", &self.prices);
        text.finish()
    }

    /// Reads what [`Form::encoded`] wrote.
    pub(crate) fn decode(text: &str) -> Result<Self, Problem> {
        Self::from_pairs(form_urlencoded::parse(text.as_bytes()).into_owned())
    }
}

const fn below(place: Place) -> Place {
    Place { line: place.line + REST, column: place.column }
}

fn check_rows(rows: usize) -> Result<(), Problem> {
    if rows > MOST_ROWS {
        let phrase = Phrase::new("web-too-many-rows").with("rows", rows).with("limit", MOST_ROWS);
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, phrase)
            .hint(Phrase::new("web-hint-too-many-rows")));
    }
    Ok(())
}

/// Spreads a job of a file over the columns.
fn row_of(job: Node) -> Row {
    let mut row = Row::default();
    let Value::Fields(fields) = job.value else {
        row[0] = flow::written(&job.value);
        return row;
    };
    let last = COLUMNS.len() - 1;
    let mut more = Vec::new();
    for (name, _, node) in fields {
        match COLUMNS[..last].iter().position(|column| name == *column) {
            Some(at) => row[at] = flow::plain(&node.value),
            None => more.push(format!("{name}: {}", flow::written(&node.value))),
        }
    }
    row[last] = more.join(", ");
    row
}

/// Gathers a row into a job.
fn job_of(number: usize, row: &Row) -> Result<Node, Problem> {
    let place = Place { line: number, column: 0 };
    let last = COLUMNS.len() - 1;
    let mut fields = Vec::new();
    for (at, (column, text)) in COLUMNS.iter().zip(row).enumerate() {
        let text = text.trim();
        let here = Place { line: number, column: at + 1 };
        if text.is_empty() {
            continue;
        }
        if at < last {
            // A name or a model is text, whatever it looks like; the rest is read as in a file.
            let is_text = *column == "name" || (*column == "model" && !text.starts_with('{'));
            let node = if is_text {
                Node { place: here, value: Value::Text(text.to_owned()) }
            } else {
                flow::scalar(text, here)
            };
            fields.push(((*column).to_owned(), here, node));
            continue;
        }
        let parsed = parse(&format!("{{{text}}}"), Notation::Yaml);
        let mut more = parsed.map_err(|mut error| {
            error.place = Some(here);
            Problem::from(error)
        })?;
        flow::move_places(&mut more, &|_| here);
        if let Value::Fields(more) = more.value {
            for (name, place, node) in more {
                if fields.iter().any(|(other, _, _): &(String, Place, Node)| *other == name) {
                    let phrase = Phrase::new("workload-field-twice").with("field", name);
                    return Err(Problem {
                        place: Some(here),
                        ..Problem::new(StatusCode::UNPROCESSABLE_ENTITY, phrase)
                    });
                }
                fields.push((name, place, node));
            }
        }
    }
    Ok(Node { place, value: Value::Fields(fields) })
}
