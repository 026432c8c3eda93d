//! Coefficients as a list of logarithms, each with its prior and how firmly it is held to it.

use kasuan_sizing::time::Coefficients;
use std::collections::BTreeSet;

/// A coefficient's place in the file, its prior, and its value now.
#[derive(Clone, Debug)]
struct Parameter {
    path: Vec<String>,
    prior: f64,
    width: f64,
    value: f64,
}

/// All coefficients that are fitted, with the table that holds the others.
#[derive(Clone, Debug)]
pub(crate) struct Parameters {
    table: toml::Table,
    list: Vec<Parameter>,
}

/// How far a coefficient may go from its prior: the standard deviation of its logarithm.
///
/// Shares of peak are known to a fifth from matrix-multiplication benchmarks; a card is nearly its
/// family; an engine is nearly its peers; overheads are known by their order of size.
fn width(path: &[String]) -> f64 {
    let words: Vec<&str> = path.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["compute", "card", _] => 0.10,
        // Fewer multiprocessors for a bandwidth read it less well (H20 against H100).
        ["bandwidth", "card", _] => 0.15,
        ["compute", "family", _] => 0.20,
        ["bandwidth", "family", _] => 0.12,
        ["compute", _] => 0.20,
        // An engine adds starting a kernel and waiting for the slowest card.
        ["interconnect", "nvlink_latency" | "pcie_latency"] => 0.70,
        ["interconnect", _] => 0.30,
        ["training", "family", _] => 0.20,
        ["training", "stack", _] => 0.15,
        ["training", "host_layer", _] => 0.50,
        ["training", "zero3_hooks"] => 0.50,
        ["training", "lora" | "moe" | "fp8"] => 0.10,
        ["training", _] => 0.40,
        ["prefill", "half_tokens" | "layer"] => 0.70,
        ["prefill", _] => 0.30,
        ["engine", _, "layer" | "fp8_host"] => 0.50,
        ["engine", _, "sequence" | "step" | "expert" | "unfused"] => 0.70,
        ["engine", _, "reading"] => 0.10,
        ["engine", _, "four_bit"] => 0.30,
        ["engine", _, "cache"] => 0.30,
        ["engine", _, _] => 0.25,
        ["network", "power_exponent"] => 0.50,
        ["network", "latency_bound"] | ["latency_bound"] => 0.10,
        ["network", _, _] => 0.50,
        _ => 0.20,
    }
}

impl Parameters {
    /// Takes the priors apart, with a multiplier of one for every card that was measured.
    pub(crate) fn of(priors: &str, cards: &[String]) -> Result<Self, String> {
        let mut table: toml::Table = priors.parse().map_err(|e| format!("priors: {e}"))?;
        for section in ["compute", "bandwidth"] {
            let multipliers = table
                .get_mut(section)
                .and_then(|t| t.get_mut("card"))
                .and_then(toml::Value::as_table_mut)
                .ok_or_else(|| format!("priors: no [{section}.card]"))?;
            for card in cards {
                multipliers.insert(card.clone(), toml::Value::Float(1.0));
            }
        }
        let mut list = Vec::new();
        for (name, value) in &table {
            if name != "provenance" && name != "range" && name != "front_end" {
                collect(&mut vec![name.clone()], value, &mut list)?;
            }
        }
        Ok(Self { table, list })
    }

    pub(crate) const fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn width(&self, i: usize) -> f64 {
        self.list[i].width
    }

    /// How far a coefficient has gone from its prior.
    pub(crate) fn distance(&self, i: usize) -> f64 {
        self.list[i].value - self.list[i].prior
    }

    pub(crate) fn prior_cost(&self) -> f64 {
        self.list.iter().map(|p| ((p.value - p.prior) / p.width).powi(2)).sum()
    }

    pub(crate) fn nudged(&self, i: usize, by: f64) -> Self {
        let mut moved = self.clone();
        moved.list[i].value += by;
        moved
    }

    /// Moves all coefficients, none of them by more than a factor of e^0.7 in one step.
    pub(crate) fn moved(&self, step: &[f64]) -> Self {
        let mut moved = self.clone();
        for (parameter, by) in moved.list.iter_mut().zip(step) {
            parameter.value += by.clamp(-0.7, 0.7);
        }
        moved
    }

    /// Forgets the multipliers of other cards, and says which engines and stacks were measured.
    pub(crate) fn knowing(&self, cards: &BTreeSet<&str>, stacks: &BTreeSet<&str>) -> Self {
        let mut known = self.clone();
        for section in ["compute", "bandwidth"] {
            if let Some(multipliers) = known
                .table
                .get_mut(section)
                .and_then(|t| t.get_mut("card"))
                .and_then(toml::Value::as_table_mut)
            {
                multipliers.retain(|card, _| {
                    let card: &str = card;
                    cards.contains(card)
                });
            }
        }
        known.list.retain(|p| match p.path.as_slice() {
            [_, group, card] if group == "card" => cards.contains(card.as_str()),
            _ => true,
        });
        if let Some(provenance) =
            known.table.get_mut("provenance").and_then(toml::Value::as_table_mut)
        {
            let words = stacks.iter().map(|s| toml::Value::String((*s).to_owned())).collect();
            provenance.insert("stacks".to_owned(), toml::Value::Array(words));
        }
        known
    }

    /// Returns the table with the values of now, rounded to four digits.
    pub(crate) fn table(&self) -> toml::Table {
        let mut table = self.table.clone();
        for parameter in &self.list {
            put(&mut table, &parameter.path, rounded(parameter.value.exp()));
        }
        table
    }

    pub(crate) fn coefficients(&self) -> Result<Coefficients, String> {
        let mut table = self.table.clone();
        for parameter in &self.list {
            put(&mut table, &parameter.path, parameter.value.exp());
        }
        table.try_into().map_err(|e: toml::de::Error| e.to_string())
    }
}

fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

fn put(table: &mut toml::Table, path: &[String], value: f64) {
    match path {
        [] => {}
        [last] => {
            table.insert(last.clone(), toml::Value::Float(value));
        }
        [first, rest @ ..] => {
            if let Some(inner) = table.get_mut(first).and_then(toml::Value::as_table_mut) {
                put(inner, rest, value);
            }
        }
    }
}

fn collect(
    path: &mut Vec<String>,
    value: &toml::Value,
    list: &mut Vec<Parameter>,
) -> Result<(), String> {
    match value {
        // Nought is no cost at all and stays so.
        toml::Value::Float(number) if *number == 0.0 => Ok(()),
        toml::Value::Float(number) if *number > 0.0 => {
            let log = number.ln();
            list.push(Parameter { path: path.clone(), prior: log, width: width(path), value: log });
            Ok(())
        }
        toml::Value::Table(table) => {
            for (name, inner) in table {
                path.push(name.clone());
                collect(path, inner, list)?;
                path.pop();
            }
            Ok(())
        }
        other => Err(format!("priors: {} is {other}, not a positive number", path.join("."))),
    }
}
