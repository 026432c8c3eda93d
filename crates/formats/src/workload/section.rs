//! Walks a group of fields: refuses unknown names with the nearest known one, and hands out values.

use super::{
    error::{Place, Trouble, WorkloadError},
    fields::{Kind, Section},
    tree::{Node, Value, has_full_width_colon},
};
use kasuan_model::Phrase;

/// The result of reading one value, before its place is known.
pub(super) type Reading<T> = Result<T, Trouble>;

/// The fields of one group, checked against the table.
pub(super) struct Fields<'a> {
    section: &'static Section,
    place: Place,
    fields: &'a [(String, Place, Node)],
}

impl<'a> Fields<'a> {
    /// Takes a node as a group of fields.
    pub(super) fn new(node: &'a Node, section: &'static Section) -> Result<Self, WorkloadError> {
        let Value::Fields(fields) = &node.value else {
            let names: Vec<_> = section.fields.iter().take(4).map(|field| field.name).collect();
            let mut trouble =
                Trouble::new(Phrase::new("workload-not-fields").with("found", show(node)));
            if matches!(&node.value, Value::Text(text) if has_full_width_colon(text)) {
                trouble = trouble.hint(Phrase::new("workload-hint-full-width"));
            }
            return Err(trouble
                .hint(Phrase::new("workload-hint-fields").with("fields", names.join(", ")))
                .at(node.place));
        };
        for (at, (name, place, _)) in fields.iter().enumerate() {
            if !section.fields.iter().any(|field| field.name == name) {
                return Err(unknown_field(name, section).at(*place));
            }
            if fields[..at].iter().any(|(other, _, _)| other == name) {
                let phrase = Phrase::new("workload-field-twice").with("field", name);
                return Err(Trouble::new(phrase).at(*place));
            }
        }
        for field in section.fields.iter().filter(|field| field.required) {
            if !fields.iter().any(|(name, _, _)| name == field.name) {
                let phrase = Phrase::new("workload-field-missing").with("field", field.name);
                let mut trouble = Trouble::new(phrase);
                if let Some(example) = example(&field.kind) {
                    trouble = trouble.hint(
                        Phrase::new("workload-hint-example")
                            .with("example", format!("{}: {example}", field.name)),
                    );
                }
                return Err(trouble.at(node.place));
            }
        }
        Ok(Self { section, place: node.place, fields })
    }

    /// Returns where the group stands.
    pub(super) const fn place(&self) -> Place {
        self.place
    }

    /// Returns a field's node; `None` when absent or left empty.
    pub(super) fn node(&self, name: &str) -> Option<&'a Node> {
        debug_assert!(
            self.section.fields.iter().any(|field| field.name == name),
            "`{name}` is not in the table of `{}`",
            self.section.name
        );
        let (_, _, node) = self.fields.iter().find(|(other, _, _)| other == name)?;
        (node.value != Value::Null).then_some(node)
    }

    /// Reads a field with one of the readers of `values`.
    pub(super) fn read<T>(
        &self,
        name: &str,
        reader: impl FnOnce(&Node) -> Reading<T>,
    ) -> Result<Option<T>, WorkloadError> {
        let Some(node) = self.node(name) else { return Ok(None) };
        reader(node).map(Some).map_err(|trouble| self.wrong(name, node, trouble))
    }

    /// Reads a field that holds several values, or one alone.
    pub(super) fn several<T>(
        &self,
        name: &str,
        reader: impl Fn(&Node) -> Reading<T>,
    ) -> Result<Vec<T>, WorkloadError> {
        let mut values = Vec::new();
        for node in self.items(name) {
            let value = reader(node).map_err(|trouble| self.wrong(name, node, trouble))?;
            values.push(value);
        }
        Ok(values)
    }

    /// Returns the nodes of a list, or the one node that stands in its place.
    pub(super) fn items(&self, name: &str) -> &'a [Node] {
        match self.node(name) {
            None => &[],
            Some(Node { value: Value::List(nodes), .. }) => nodes,
            Some(node) => std::slice::from_ref(node),
        }
    }

    fn wrong(&self, name: &str, node: &Node, mut trouble: Trouble) -> WorkloadError {
        if trouble.phrase.key() == NOT_OF_FORM {
            trouble.phrase =
                Phrase::new("workload-wrong-value").with("field", name).with("value", show(node));
            let kind = self.section.fields.iter().find(|field| field.name == name);
            let hint = kind.and_then(|field| {
                forms(&field.kind)
                    .map(|forms| Phrase::new("workload-hint-forms").with("forms", forms))
            });
            trouble.hints.extend(hint);
        }
        trouble.at(node.place)
    }
}

const NOT_OF_FORM: &str = "workload-wrong-value";

/// Says that a value has not the form of its field; the walker adds which forms it may have.
pub(super) fn not_of_form() -> Trouble {
    Trouble::new(Phrase::new("workload-wrong-value").with("field", "").with("value", ""))
}

fn unknown_field(name: &str, section: &Section) -> Trouble {
    let phrase = Phrase::new("workload-field-unknown").with("field", name);
    let names = section.fields.iter().map(|field| field.name);
    let trouble = Trouble::new(phrase);
    match nearest(name, names.clone()) {
        Some(near) => trouble.hint(Phrase::new("hint-did-you-mean").with("suggestion", near)),
        None => trouble.hint(
            Phrase::new("workload-hint-fields")
                .with("fields", names.collect::<Vec<_>>().join(", ")),
        ),
    }
}

/// Returns the known word that is nearest to a text, if any is near enough.
pub(super) fn nearest<'a>(text: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let text = text.to_lowercase();
    let scored = known.map(|word| (strsim::jaro_winkler(&text, word), word));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= 0.8).then_some(best.1)
}

/// Writes a value as the user will recognise it, shortened.
pub(super) fn show(node: &Node) -> String {
    let text = match &node.value {
        Value::Null => return "~".to_owned(),
        Value::Flag(flag) => return flag.to_string(),
        Value::Number(text) | Value::Text(text) => text,
        Value::List(_) => return "[…]".to_owned(),
        Value::Fields(_) => return "{…}".to_owned(),
    };
    // Control characters must not reach a terminal.
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if clean.chars().count() > 60 {
        format!("{}…", clean.chars().take(60).collect::<String>())
    } else {
        clean
    }
}

/// Writes what a field may hold, for a hint.
fn forms(kind: &Kind) -> Option<String> {
    Some(match kind {
        Kind::Text | Kind::Inside(_) | Kind::Each(_) => return None,
        Kind::Number => "8 | 0.5".to_owned(),
        Kind::Whole(least) => format!("{least} | {} | …", least + 1),
        Kind::Flag => "true | false".to_owned(),
        Kind::OneOf(words) => words.join(" | "),
        Kind::Form(examples) => examples.join(" | "),
        Kind::Several(kind) | Kind::Named(kind) => return forms(kind),
        Kind::Either(kinds) => {
            let forms: Vec<_> = kinds.iter().filter_map(forms).collect();
            if forms.is_empty() {
                return None;
            }
            forms.join(" | ")
        }
    })
}

fn example(kind: &Kind) -> Option<String> {
    match kind {
        Kind::OneOf(words) => words.first().map(|word| (*word).to_owned()),
        Kind::Form(examples) => examples.first().map(|text| (*text).to_owned()),
        _ => None,
    }
}
