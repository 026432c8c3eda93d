//! The rule model: which checks there are, and how strict each is.

use serde::Deserialize;
use serde_json::Value;
use std::{collections::BTreeMap, sync::LazyLock};

const MODEL: &str = include_str!("../../../../data/focus/model-1.2.json");
const OVERRIDES: &str = include_str!("../../../../data/focus/overrides.toml");
const CURRENCIES: &str = include_str!("../../../../data/focus/currency_codes.csv");

/// The vendored model cannot be read; tests hold that it can.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the rule model cannot be read: {0}")]
pub struct ModelError(pub String);

/// How strict a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// MUST or MUST NOT: a file that breaks it is not FOCUS.
    Error,
    /// SHOULD, SHOULD NOT or RECOMMENDED.
    Warning,
}

/// A check over cells.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Check {
    And(Vec<Self>),
    Or(Vec<Self>),
    Present(String),
    Equals(String, Option<String>),
    NotEquals(String, Option<String>),
    Same(String, String),
    NotSame(String, String),
    Decimal(String),
    AtLeast(String, f64),
    Rule(String),
    NationalCurrency(String),
    Currency(String),
    Text,
    DateTime(String),
    FormatDateTime(String),
    Numeric(String),
    KeyValue(String),
    Unit(String),
    Product(String, String, String),
    Distinct(String, String, usize),
}

/// A rule that a machine can check.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) column: String,
    pub(super) is_dataset: bool,
    pub(super) level: Option<Level>,
    pub(super) criteria: Vec<String>,
    pub(super) told: String,
    pub(super) requirement: Check,
    pub(super) condition: Option<Check>,
    /// Made of other rules, which are checked by themselves.
    pub(super) composite: bool,
    /// About the value of its column: whether that may be null is for another rule.
    pub(super) about_value: bool,
}

#[derive(Debug)]
pub(super) struct Model {
    pub(super) rules: BTreeMap<String, Rule>,
    pub(super) currencies: Vec<String>,
}

#[derive(Deserialize)]
struct OverrideFile {
    #[serde(rename = "override")]
    list: Vec<Override>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Override {
    rule: String,
    /// The rule's own text, to the letter.
    text: String,
    #[expect(dead_code, reason = "it is for the reader of the file, who must find one")]
    reason: String,
    requirement: Option<String>,
    condition: Option<String>,
    #[serde(default)]
    skip: bool,
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::to_owned)
}

fn check(value: &Value) -> Option<Check> {
    // Two conditions of the model name their column `CheckCondition`.
    let column = || text(value, "ColumnName").or_else(|| text(value, "CheckCondition"));
    let pair = || Some((text(value, "ColumnAName")?, text(value, "ColumnBName")?));
    let items =
        || -> Option<Vec<Check>> { value.get("Items")?.as_array()?.iter().map(check).collect() };
    let wanted = || match value.get("Value")? {
        Value::Null => Some(None),
        Value::String(text) => Some(Some(text.clone())),
        Value::Number(number) => Some(Some(number.to_string())),
        _ => None,
    };
    // Two other conditions are written `{"AND": ...}`, with one check or a list.
    if let Some(bare) = value.get("AND") {
        return match bare.as_array() {
            Some(list) => list.iter().map(check).collect::<Option<_>>().map(Check::And),
            None => check(bare),
        };
    }
    Some(match value.get("CheckFunction")?.as_str()? {
        "AND" => Check::And(items()?),
        "OR" => Check::Or(items()?),
        "ColumnPresent" => Check::Present(column()?),
        "CheckValue" => Check::Equals(column()?, wanted()?),
        "CheckNotValue" => Check::NotEquals(column()?, wanted()?),
        "CheckSameValue" => pair().map(|(a, b)| Check::Same(a, b))?,
        "CheckNotSameValue" => pair().map(|(a, b)| Check::NotSame(a, b))?,
        "CheckDecimalValue" | "TypeDecimal" => Check::Decimal(column()?),
        "CheckGreaterOrEqualThanValue" => Check::AtLeast(column()?, value.get("Value")?.as_f64()?),
        "CheckModelRule" => Check::Rule(text(value, "ModelRuleId")?),
        "CheckNationalCurrency" => Check::NationalCurrency(column()?),
        "FormatCurrency" => Check::Currency(column()?),
        // Every cell of a CSV file is text.
        "TypeString" | "FormatString" => Check::Text,
        "TypeDateTime" => Check::DateTime(column()?),
        "FormatDateTime" => Check::FormatDateTime(column()?),
        "FormatNumeric" => Check::Numeric(column()?),
        "FormatKeyValue" => Check::KeyValue(column()?),
        "FormatUnit" => Check::Unit(column()?),
        "ColumnByColumnEqualsColumnValue" => {
            let (a, b) = pair()?;
            Check::Product(a, b, text(value, "ResultColumnName")?)
        }
        "CheckDistinctCount" => {
            let (a, b) = pair()?;
            let count = usize::try_from(value.get("ExpectedCount")?.as_u64()?).ok()?;
            Check::Distinct(a, b, count)
        }
        _ => return None,
    })
}

fn load() -> Result<Model, ModelError> {
    let wrong = |what: &str| ModelError(what.to_owned());
    let model: Value =
        serde_json::from_str(MODEL).map_err(|error| ModelError(error.to_string()))?;
    let overrides: OverrideFile =
        toml::from_str(OVERRIDES).map_err(|error| ModelError(error.to_string()))?;
    let listed = model.get("ModelRules").and_then(Value::as_object);
    let listed = listed.ok_or_else(|| wrong("ModelRules"))?;
    let mut rules = BTreeMap::new();
    for (id, rule) in listed {
        // Rules that are not Static are about the world beyond the file.
        if text(rule, "Type").as_deref() != Some("Static") {
            continue;
        }
        let own = overrides.list.iter().find(|one| one.rule == *id);
        let criteria = rule.get("ValidationCriteria").ok_or_else(|| wrong(id))?;
        let says = text(criteria, "MustSatisfy").unwrap_or_default();
        if let Some(own) = own.filter(|own| own.text != says) {
            return Err(ModelError(format!("{} does not say: {}", own.rule, own.text)));
        }
        if own.is_some_and(|own| own.skip) {
            continue;
        }
        let part = |key: &str, replaced: Option<&String>| -> Result<Option<Check>, ModelError> {
            let value = match replaced {
                Some(text) => serde_json::from_str(text).map_err(|e| ModelError(e.to_string()))?,
                None => criteria.get(key).cloned().unwrap_or_default(),
            };
            if value.as_object().is_none_or(serde_json::Map::is_empty) {
                return Ok(None);
            }
            check(&value).map(Some).ok_or_else(|| ModelError(format!("{id}: {key}")))
        };
        let requirement = part("Requirement", own.and_then(|own| own.requirement.as_ref()))?;
        let Some(requirement) = requirement else { continue };
        let level = match text(criteria, "Keyword").as_deref() {
            Some("MUST" | "MUST NOT") => Some(Level::Error),
            Some("SHOULD" | "SHOULD NOT" | "RECOMMENDED") => Some(Level::Warning),
            _ => None,
        };
        let applies = rule.get("ApplicabilityCriteria").and_then(Value::as_array);
        let read = Rule {
            column: text(rule, "Reference").unwrap_or_default(),
            is_dataset: text(rule, "EntityType").as_deref() == Some("Dataset"),
            level,
            criteria: applies
                .map(|all| all.iter().filter_map(Value::as_str).map(str::to_owned).collect())
                .unwrap_or_default(),
            told: says,
            requirement,
            condition: part("Condition", own.and_then(|own| own.condition.as_ref()))?,
            about_value: text(rule, "Function").as_deref() == Some("Validation"),
            composite: text(rule, "Function").as_deref() == Some("Composite"),
        };
        rules.insert(id.clone(), read);
    }
    if let Some(own) = overrides.list.iter().find(|own| !listed.contains_key(&own.rule)) {
        return Err(ModelError(format!("no rule {}", own.rule)));
    }
    let codes = CURRENCIES.lines().skip(1).filter_map(|line| line.split(',').nth(1));
    Ok(Model { rules, currencies: codes.map(|code| code.trim().to_owned()).collect() })
}

/// Returns the model, read once.
pub(super) fn model() -> Result<&'static Model, ModelError> {
    static READ: LazyLock<Result<Model, ModelError>> = LazyLock::new(load);
    READ.as_ref().map_err(Clone::clone)
}
