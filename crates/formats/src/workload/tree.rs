//! YAML, JSON and TOML as one tree of values that know where they stand.

use super::{
    error::{Place, Trouble, WorkloadError},
    syntax::cause,
};
use kasuan_model::Phrase;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Error as YamlError, Spanned};
use std::fmt;

/// The notation of a workload file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// YAML 1.2.
    Yaml,
    /// JSON.
    Json,
    /// TOML 1.0.
    Toml,
}

impl Notation {
    /// Returns the notation for a file's extension: JSON, TOML, and YAML for anything else.
    pub fn from_extension(extension: &str) -> Self {
        match extension.to_ascii_lowercase().as_str() {
            "json" => Self::Json,
            "toml" => Self::Toml,
            _ => Self::Yaml,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Yaml => "YAML",
            Self::Json => "JSON",
            Self::Toml => "TOML",
        }
    }
}

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where.
    pub place: Place,
    /// What.
    pub value: Value,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// True or false.
    Flag(bool),
    /// A number as it is written.
    Number(String),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// Fields, each with the place of its name.
    Fields(Vec<(String, Place, Node)>),
}

impl Node {
    /// Puts a value into a section of the root, in front of what stands there under the same name.
    pub fn put(&mut self, section: &str, name: &str, value: &str) {
        let place = self.place;
        let Value::Fields(fields) = &mut self.value else { return };
        let node = Self { place, value: Value::Text(value.to_owned()) };
        let entry = (name.to_owned(), place, node);
        match fields.iter_mut().find(|(other, _, _)| other == section) {
            Some((_, _, Self { value: Value::Fields(inner), .. })) => {
                inner.retain(|(other, _, _)| other != name);
                inner.push(entry);
            }
            Some(_) => {}
            None => {
                let inner = Self { place, value: Value::Fields(vec![entry]) };
                fields.push((section.to_owned(), place, inner));
            }
        }
    }
}

/// The largest workload file, in bytes: 10,000 jobs written out take about 3 MB.
const LARGEST: usize = 16 << 20;

/// Reads a text.
pub fn parse(text: &str, notation: Notation) -> Result<Node, WorkloadError> {
    if text.len() > LARGEST {
        let phrase = Phrase::new("workload-text-too-long")
            .with("size", kasuan_model::Bytes::new(text.len() as u64))
            .with("limit", kasuan_model::Bytes::new(LARGEST as u64));
        return Err(Trouble::new(phrase).into());
    }
    match notation {
        Notation::Toml => toml_tree(text),
        Notation::Yaml => yaml_tree(text),
        Notation::Json => {
            // YAML 1.2 contains JSON and knows where values stand; what is no JSON is refused first.
            if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
                let place = Place { line: error.line(), column: error.column().max(1) };
                let reason = error.to_string();
                let reason = reason.split(" at line ").next().unwrap_or_default();
                return Err(syntax(Notation::Json, text, Some(place), reason));
            }
            yaml_tree(text)
        }
    }
}

fn syntax(notation: Notation, text: &str, place: Option<Place>, reason: &str) -> WorkloadError {
    let mut trouble = Trouble::new(
        Phrase::new("workload-syntax")
            .with("notation", notation.name())
            .with_word("reason", cause(reason)),
    );
    let line = place.and_then(|place| text.lines().nth(place.line.checked_sub(1)?));
    let line = line.unwrap_or_default();
    if notation == Notation::Yaml {
        if text.lines().any(has_full_width_colon) {
            trouble = trouble.hint(Phrase::new("workload-hint-full-width"));
        }
        if line.starts_with('\t') || line.trim_start_matches(' ').starts_with('\t') {
            trouble = trouble.hint(Phrase::new("workload-hint-tab"));
        }
        if trouble.hints.is_empty() {
            trouble = trouble.hint(Phrase::new("workload-hint-yaml"));
        }
    }
    WorkloadError { place, trouble }
}

/// Says whether a Chinese input method put its own colon behind a field's name.
pub(super) fn has_full_width_colon(line: &str) -> bool {
    let name = line.trim_start().trim_start_matches(['-', '{', '[', ' ', '"', '\'']);
    let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(0);
    end > 0 && name.get(end..).is_some_and(|rest| rest.starts_with('：'))
}

fn yaml_tree(text: &str) -> Result<Node, WorkloadError> {
    let mut budget = serde_saphyr::Budget::default();
    budget.max_events = 3_000_000;
    budget.max_nodes = 1_500_000;
    budget.max_aliases = 1_000;
    budget.max_recorded_anchor_events = 50_000;
    let options = serde_saphyr::options! {
        budget: Some(budget),
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        non_finite_float_policy: serde_saphyr::NonFiniteFloatPolicy::AsString,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options::<Node>(text, options).map_err(|error| {
        let error = error.without_snippet();
        let place = error.location().map(|at| Place {
            line: usize::try_from(at.line()).unwrap_or(0),
            column: usize::try_from(at.column()).unwrap_or(0),
        });
        yaml_error(text, error, place.filter(|place| place.line > 0))
    })
}

fn yaml_error(text: &str, error: &YamlError, place: Option<Place>) -> WorkloadError {
    let trouble = match error {
        YamlError::AliasError { error, .. } => return yaml_error(text, error, place),
        YamlError::Budget { .. }
        | YamlError::AliasReplayLimitExceeded { .. }
        | YamlError::AliasExpansionLimitExceeded { .. }
        | YamlError::AliasReplayStackDepthExceeded { .. } => {
            Trouble::new(Phrase::new("workload-too-much"))
                .hint(Phrase::new("workload-hint-aliases"))
        }
        YamlError::DuplicateMappingKey { key, .. } => Trouble::new(
            Phrase::new("workload-field-twice").with("field", key.as_deref().unwrap_or("?")),
        ),
        YamlError::Eof { .. } => empty(),
        other => {
            let reason = other.to_string();
            let reason = reason.lines().next().unwrap_or_default();
            let reason = match reason.rsplit_once(" at line ") {
                Some((reason, _)) => reason,
                None => reason.strip_prefix("error: ").unwrap_or(reason),
            };
            return syntax(Notation::Yaml, text, place, reason);
        }
    };
    WorkloadError { place, trouble }
}

/// Says that there is nothing in the file.
pub(super) fn empty() -> Trouble {
    Trouble::new(Phrase::new("workload-empty")).hint(Phrase::new("workload-hint-init"))
}

struct Scalar(Value);

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Scalar>::deserialize(deserializer)?;
        Ok(Self { place: place_of(&spanned.referenced), value: spanned.value.0 })
    }
}

fn place_of(location: &serde_saphyr::Location) -> Place {
    Place {
        line: usize::try_from(location.line()).unwrap_or(0),
        column: usize::try_from(location.column()).unwrap_or(0),
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor).map(Self)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Flag(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number.to_string()))
    }

    fn visit_i128<E>(self, number: i128) -> Result<Value, E> {
        Ok(Value::Number(number.to_string()))
    }

    fn visit_u128<E>(self, number: u128) -> Result<Value, E> {
        Ok(Value::Number(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Number(number.to_string()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = list.next_element()? {
            nodes.push(node);
        }
        Ok(Value::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Vec::new();
        while let Some((name, node)) = map.next_entry::<Spanned<String>, Node>()? {
            fields.push((name.value, place_of(&name.referenced), node));
        }
        Ok(Value::Fields(fields))
    }
}

fn toml_tree(text: &str) -> Result<Node, WorkloadError> {
    let table = toml::de::DeTable::parse(text).map_err(|error| {
        let place = error.span().map(|span| place_in(text, span.start));
        let reason = error.message().lines().next().unwrap_or_default().to_owned();
        syntax(Notation::Toml, text, place, &reason)
    })?;
    if table.get_ref().is_empty() {
        return Err(empty().into());
    }
    Ok(Node { place: Place { line: 1, column: 1 }, value: toml_fields(text, table.get_ref()) })
}

fn toml_fields(text: &str, table: &toml::de::DeTable<'_>) -> Value {
    let fields = table.iter().map(|(name, value)| {
        let node = Node {
            place: place_in(text, value.span().start),
            value: toml_value(text, value.get_ref()),
        };
        (name.get_ref().to_string(), place_in(text, name.span().start), node)
    });
    Value::Fields(fields.collect())
}

fn toml_value(text: &str, value: &toml::de::DeValue<'_>) -> Value {
    use toml::de::DeValue;
    match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::Number(number.to_string()),
            Err(_) => Value::Number(number.as_str().to_owned()),
        },
        DeValue::Float(number) => Value::Number(number.as_str().to_owned()),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(moment) => Value::Text(moment.to_string()),
        DeValue::Array(list) => Value::List(
            list.iter()
                .map(|value| Node {
                    place: place_in(text, value.span().start),
                    value: toml_value(text, value.get_ref()),
                })
                .collect(),
        ),
        DeValue::Table(table) => toml_fields(text, table),
    }
}

/// Turns a byte offset into a line and a column.
fn place_in(text: &str, offset: usize) -> Place {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Place { line, column }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str, notation: Notation) -> String {
        fn write(node: &Node) -> String {
            match &node.value {
                Value::List(list) => {
                    format!("[{}]", list.iter().map(write).collect::<Vec<_>>().join(" "))
                }
                Value::Fields(fields) => {
                    let fields = fields.iter().map(|(name, at, node)| {
                        format!("{name}@{}:{}={}", at.line, at.column, write(node))
                    });
                    format!("{{{}}}", fields.collect::<Vec<_>>().join(" "))
                }
                other => format!("{other:?}@{}", node.place.line),
            }
        }
        write(&parse(text, notation).unwrap())
    }

    #[test]
    fn three_notations_give_one_tree() {
        let yaml = shape("a: 8\nb: [x, 1.50]\nc:  {d: true}\n", Notation::Yaml);
        let toml = shape("a = 8\nb = ['x', 1.5]\nc = {d = true}\n", Notation::Toml);
        let json = shape("{\"a\": 8,\n\"b\": [\"x\", 1.5],\n\"c\": {\"d\": true}}", Notation::Json);
        assert_eq!(yaml, toml);
        assert_eq!(
            yaml,
            "{a@1:1=Number(\"8\")@1 b@2:1=[Text(\"x\")@2 Number(\"1.5\")@2] \
             c@3:1={d@3:6=Flag(true)@3}}"
        );
        assert!(json.contains("b@2:1="), "{json}");
    }

    #[test]
    fn aliases_that_grow_without_end_are_refused() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let below = format!("*a{}", level - 1);
            let list = vec![below; 10].join(", ");
            text.push_str(&format!("a{level}: &a{level} [{list}]\n"));
        }
        let error = parse(&text, Notation::Yaml).unwrap_err();
        assert_eq!(error.trouble.phrase.key(), "workload-too-much", "{error}");
    }
}
