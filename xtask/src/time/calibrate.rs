//! `cargo xtask calibrate time`: fits the coefficients to measured runs and writes the shipped file.
//!
//! The fit is the same every time: no randomness, rows in the order of the file.

use super::{
    cards::Cards,
    case::Case,
    fit::{self, Point},
    parameters::Parameters,
    root,
    score::{Figures, Scored, figures, median, quantile},
    truth,
};
use kasuan_model::Confidence;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// Rows of small sources weigh more: a source of n rows has the weight of n^0.4 sources of one row.
const SOURCE_POWER: f64 = 0.4;

/// Share of left-out errors that a range is made to cover on each side.
const SIDE: f64 = 0.955;

/// The widest range (high over low) of a run whose surroundings were measured.
const WIDEST_KNOWN: f64 = 2.45;

const HEADER: &str = "\
# The coefficients of the time model. Written by `cargo xtask calibrate time`; do not edit.
# Priors and what they rest on: priors.toml beside this file. Shares are parts of a card's peak,
# times are seconds, rates bytes per second.

";

fn load(path: &str) -> Result<(Vec<Point>, Vec<String>), String> {
    let cards = Cards::load()?;
    let mut points = Vec::new();
    let mut seen = BTreeSet::new();
    for (row, measured) in truth::measured(Path::new(path))? {
        let Some(value) = measured.value.filter(|v| *v > 0.0) else { continue };
        let Ok(case) = Case::of(&row, &cards) else { continue };
        seen.insert(case.card.id.as_str().to_owned());
        let certain = measured.confidence != "low";
        points.push(Point {
            publisher: measured.publisher().to_owned(),
            family: family(&row.model),
            kind: row.kind.clone(),
            log_value: value.ln(),
            weight: if certain { 1.0 } else { 0.1 },
            scored: certain,
            case,
        });
    }
    let mut rows = BTreeMap::<(String, String), f64>::new();
    for p in &points {
        *rows.entry((p.kind.clone(), p.publisher.clone())).or_default() += 1.0;
    }
    for p in &mut points {
        let n = rows.get(&(p.kind.clone(), p.publisher.clone())).copied().unwrap_or(1.0);
        p.weight *= n.powf(SOURCE_POWER) / n;
    }
    Ok((points, seen.into_iter().collect()))
}

fn scored(points: &[Point], at: &Parameters) -> Result<Vec<Scored>, String> {
    Ok(points
        .iter()
        .zip(fit::errors(points, at)?)
        .filter(|(p, _)| p.scored)
        .filter_map(|(p, e)| {
            e.map(|(error, confidence)| Scored {
                kind: p.kind.clone(),
                publisher: p.publisher.clone(),
                error,
                confidence,
            })
        })
        .collect())
}

/// The letters that a model's name begins with.
fn family(model: &str) -> String {
    model.chars().take_while(char::is_ascii_alphabetic).collect::<String>().to_lowercase()
}

/// What is left out of a fit, so that its rows are predicted by one that has not seen them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    Source,
    Card,
    Family,
}

impl Left {
    /// Reads the word of the command line.
    pub(crate) fn of(word: &str) -> Option<Self> {
        match word {
            "source" => Some(Self::Source),
            "card" => Some(Self::Card),
            "model" => Some(Self::Family),
            _ => None,
        }
    }

    fn group(self, point: &Point) -> &str {
        match self {
            Self::Source => &point.publisher,
            Self::Card => point.case.card.id.as_str(),
            Self::Family => &point.family,
        }
    }
}

/// Predicts every group of rows by a fit that has not seen it, nor knows its card or its engine if
/// no other row has it.
fn left_out(
    points: &[Point],
    left: Left,
    fitted: &Parameters,
    touched: &fit::Touched,
) -> Result<Vec<Scored>, String> {
    let groups: BTreeSet<&str> = points.iter().map(|p| left.group(p)).collect();
    let mut outside = Vec::new();
    for group in groups {
        let mut rest = points.to_vec();
        for point in rest.iter_mut().filter(|p| left.group(p) == group) {
            point.weight = 0.0;
        }
        let (seen, unseen): (Vec<&Point>, Vec<&Point>) =
            points.iter().partition(|p| left.group(p) != group);
        let cards = seen.iter().map(|p| p.case.card.id.as_str()).collect();
        let stacks = seen.iter().filter_map(|p| p.case.stack()).collect();
        let known = fit::from_near(&rest, fitted, touched)?.knowing(&cards, &stacks);
        let unseen: Vec<Point> = unseen.into_iter().cloned().collect();
        outside.extend(scored(&unseen, &known)?);
    }
    Ok(outside)
}

/// Fits, and prints how well cards or families of models are predicted that the fit has not seen.
pub(crate) fn leave_out(path: &str, left: Left) -> Result<(), String> {
    let (points, cards) = load(path)?;
    let priors_text = std::fs::read_to_string(root().join("data/time/priors.toml"))
        .map_err(|e| format!("data/time/priors.toml: {e}"))?;
    let (fitted, touched) = fit::from_priors(&points, &Parameters::of(&priors_text, &cards)?)?;
    let outside = left_out(&points, left, &fitted, &touched)?;
    print("each left out of the fit that predicts it", &figures(&outside), &outside);
    let shipped = std::fs::read_to_string(root().join("data/time/coefficients.toml"))
        .map_err(|e| e.to_string())?;
    let table: toml::Table = shipped.parse().map_err(|e| format!("coefficients: {e}"))?;
    covered(&outside, table.get("range").and_then(toml::Value::as_table).unwrap_or(&table));
    Ok(())
}

/// Prints how many of the rows lie within the ranges.
fn covered(rows: &[Scored], ranges: &toml::Table) {
    let kinds: BTreeSet<&str> = rows.iter().map(|r| r.kind.as_str()).collect();
    for kind in kinds {
        let widths: Vec<(bool, f64)> = rows
            .iter()
            .filter(|r| r.kind == kind)
            .filter_map(|row| {
                let range = ranges.get(&format!("{}.{}", word(kind), ground(row.confidence)))?;
                let side = |name| range.get(name).and_then(toml::Value::as_float);
                let (low, high) = (side("low")?, side("high")?);
                Some((row.within(low, high), low * high))
            })
            .collect();
        let inside = widths.iter().filter(|(inside, _)| *inside).count();
        let mut high_over_low: Vec<f64> = widths.iter().map(|(_, width)| *width).collect();
        println!(
            "  {kind:18} range covers {:5.1} %, high over low {:.2}",
            100.0 * inside as f64 / widths.len().max(1) as f64,
            median(&mut high_over_low)
        );
    }
}

/// The word of a kind of row in the ranges.
fn word(kind: &str) -> &str {
    match kind {
        "train_full" => "training",
        "inference_prefill" => "prefill",
        "inference_decode" => "decode",
        other => other,
    }
}

const fn ground(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::High => "known",
        Confidence::Medium => "new",
        _ => "hard",
    }
}

/// Fits, prints the errors, and writes (or with `check` compares) the shipped file.
pub(crate) fn calibrate(path: &str, check: bool) -> Result<(), String> {
    let (points, cards) = load(path)?;
    let priors_text = std::fs::read_to_string(root().join("data/time/priors.toml"))
        .map_err(|e| format!("data/time/priors.toml: {e}"))?;
    let priors = Parameters::of(&priors_text, &cards)?;
    let (fitted, touched) = fit::from_priors(&points, &priors)?;
    let inside = scored(&points, &fitted)?;
    print("on the rows of the fit", &figures(&inside), &inside);

    let publishers: BTreeSet<&str> = points.iter().map(|p| p.publisher.as_str()).collect();
    let outside = left_out(&points, Left::Source, &fitted, &touched)?;
    print("each source left out of the fit that predicts it", &figures(&outside), &outside);

    let mut table = fitted.table();
    let ranges = ranges(&outside);
    covered(&outside, &ranges);
    table.insert("range".to_owned(), toml::Value::Table(ranges));
    table.insert(
        "provenance".to_owned(),
        toml::Value::Table(provenance(&points, &publishers, &inside, &outside)),
    );
    let text = format!("{HEADER}{}", toml::to_string_pretty(&table).map_err(|e| e.to_string())?);
    let target = root().join("data/time/coefficients.toml");
    if check {
        let shipped = std::fs::read_to_string(&target).map_err(|e| e.to_string())?;
        return if shipped == text {
            Ok(())
        } else {
            Err("data/time/coefficients.toml is not what the fit gives".to_owned())
        };
    }
    std::fs::write(target, text).map_err(|e| e.to_string())
}

fn provenance(
    points: &[Point],
    publishers: &BTreeSet<&str>,
    inside: &[Scored],
    outside: &[Scored],
) -> toml::Table {
    let mut residuals = toml::Table::new();
    let left_out = figures(outside);
    let cents = |x: f64| toml::Value::Float((x * 1000.0).round() / 10.0);
    for (kind, f) in figures(inside) {
        let mut entry = toml::Table::new();
        entry.insert("rows".into(), i64::from(f.rows).into());
        entry.insert("sources".into(), i64::from(f.sources).into());
        entry.insert("fitted".into(), cents(f.median));
        entry.insert("left_out".into(), cents(left_out.get(&kind).map_or(0.0, |f| f.median)));
        residuals.insert(kind, toml::Value::Table(entry));
    }
    let mut table = toml::Table::new();
    table.insert("command".into(), "cargo xtask calibrate time throughput-dev.csv".into());
    table.insert(
        "truth".into(),
        "published measurements of training and inference rates; the tables themselves do not \
         ship, since some sources state no licence"
            .into(),
    );
    table.insert("date".into(), "2026-12-01".into());
    table.insert("rows".into(), (points.len() as i64).into());
    table.insert("sources".into(), (publishers.len() as i64).into());
    let stacks: BTreeSet<&str> = points.iter().filter_map(|p| p.case.stack()).collect();
    let stacks = stacks.into_iter().map(|stack| toml::Value::String(stack.to_owned())).collect();
    table.insert("stacks".into(), toml::Value::Array(stacks));
    table.insert("residuals".into(), toml::Value::Table(residuals));
    table
}

/// Ranges that cover the errors on sources that the fit has not seen, by kind and ground. Where a
/// ground has few rows it is at least as wide as the one before.
fn ranges(outside: &[Scored]) -> toml::Table {
    let mut table = toml::Table::new();
    for (word, kinds) in [
        ("training", &["train_full"][..]),
        ("lora", &["lora", "train_full"]),
        ("qlora", &["qlora", "lora"]),
        ("prefill", &["inference_prefill"]),
        ("decode", &["inference_decode"]),
        ("serving", &["serving"]),
    ] {
        let mut before: (f64, f64) = (1.25, 1.25);
        for (ground, confidence, widest) in [
            ("known", Confidence::High, WIDEST_KNOWN),
            ("new", Confidence::Medium, 4.0),
            ("hard", Confidence::Low, 8.0),
        ] {
            let mut errors: Vec<f64> = outside
                .iter()
                .filter(|s| kinds.contains(&s.kind.as_str()) && s.confidence == confidence)
                .map(|s| s.error)
                .collect();
            let (mut low, mut high) = before;
            if errors.len() >= 15 {
                low = low.max(quantile(&mut errors, SIDE).exp());
                high = high.max((-quantile(&mut errors, 1.0 - SIDE)).exp());
            } else if confidence != Confidence::High {
                (low, high) = (low * 1.15, high * 1.1);
            }
            let width = low * high;
            if width > widest {
                let shrink = widest.ln() / width.ln();
                (low, high) = (low.powf(shrink), high.powf(shrink));
            }
            before = (low, high);
            let mut entry = toml::Table::new();
            let rounded = |x: f64| toml::Value::Float((x * 100.0).round() / 100.0);
            entry.insert("low".into(), rounded(low));
            entry.insert("high".into(), rounded(high));
            table.insert(format!("{word}.{ground}"), toml::Value::Table(entry));
        }
    }
    table
}

fn print(title: &str, kinds: &BTreeMap<String, Figures>, rows: &[Scored]) {
    println!("{title}");
    for (kind, f) in kinds {
        println!(
            "  {kind:18} {:3} sources {:5} rows  median {:5.1} %  within a quarter {:5.1} %",
            f.sources,
            f.rows,
            100.0 * f.median,
            100.0 * f.within_quarter
        );
        let publishers: BTreeSet<&str> =
            rows.iter().filter(|r| r.kind == *kind).map(|r| r.publisher.as_str()).collect();
        for publisher in publishers {
            let own: Vec<Scored> = rows
                .iter()
                .filter(|r| r.kind == *kind && r.publisher == publisher)
                .cloned()
                .collect();
            let median = figures(&own).values().map(|f| f.median).sum::<f64>();
            println!("      {publisher:68.68} {:4} rows {:6.1} %", own.len(), 100.0 * median);
        }
    }
}
