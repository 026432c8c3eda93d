//! Why a config.json cannot be read, and what can still be said from the rest of it.

use crate::workload::syntax::cause;
use kasuan_model::{Phrase, Phrased};

/// Why a config.json cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HfConfigError {
    /// The text is not JSON.
    #[error("not JSON: {reason} at line {line}, column {column}")]
    NotJson {
        /// What the parser stumbled over.
        reason: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// The JSON is not an object with fields.
    #[error("a config.json is an object with fields, this is {found}")]
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
    /// A field that the size depends on is missing.
    #[error("`{field}` is missing")]
    Missing {
        /// The field's usual name.
        field: &'static str,
        /// Other names it is known by.
        also: &'static [&'static str],
        /// What the rest of the file still says.
        still: Vec<Phrase>,
    },
    /// A field holds something other than a count.
    #[error("`{field}` is {value}, which is not a whole number above zero")]
    NotACount {
        /// The field.
        field: String,
        /// What it holds.
        value: String,
    },
    /// A count is larger than any model's.
    #[error("`{field}` is {value}, above the largest that makes sense ({most})")]
    TooLarge {
        /// The field.
        field: String,
        /// What it holds.
        value: u64,
        /// The largest that makes sense.
        most: u64,
    },
    /// Two fields cannot both be right.
    #[error("`{left}` is {left_value} but `{right}` is {right_value}: {rule}")]
    Contradiction {
        /// One field.
        left: String,
        /// What it holds.
        left_value: u64,
        /// The other.
        right: String,
        /// What it holds.
        right_value: u64,
        /// What should hold between them.
        rule: Rule,
    },
    /// Layers differ in a way that the normal form cannot hold.
    #[error("`{family}` describes each layer by itself (`{field}`)")]
    LayerByLayer {
        /// The family.
        family: String,
        /// The field that describes them.
        field: &'static str,
    },
}

/// What should hold between two fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The first must be a multiple of the second.
    Multiple,
    /// The first must not be above the second.
    AtMost,
    /// The first must be as many as the second.
    AsMany,
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Multiple => "the first must be a multiple of the second",
            Self::AtMost => "the first must not be above the second",
            Self::AsMany => "the first must be as many as the second",
        })
    }
}

impl Phrased for HfConfigError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::NotJson { reason, line, column } => Phrase::new("sizing-config-not-json")
                .with_word("reason", cause(reason))
                .with("line", line)
                .with("column", column),
            Self::NotAnObject { found } => {
                Phrase::new("sizing-config-not-an-object").with("found", found)
            }
            Self::Missing { field, .. } => {
                Phrase::new("sizing-config-missing").with("field", field)
            }
            Self::NotACount { field, value } => {
                Phrase::new("sizing-config-not-a-count").with("field", field).with("value", value)
            }
            Self::TooLarge { field, value, most } => Phrase::new("sizing-config-too-large")
                .with("field", field)
                .with("value", value)
                .with("most", most),
            Self::Contradiction { left, left_value, right, right_value, rule } => match rule {
                Rule::Multiple => Phrase::new("sizing-config-not-a-multiple")
                    .with("left", left)
                    .with("left_value", left_value)
                    .with("right", right)
                    .with("right_value", right_value),
                Rule::AtMost => Phrase::new("sizing-config-above")
                    .with("left", left)
                    .with("left_value", left_value)
                    .with("right", right)
                    .with("right_value", right_value),
                Rule::AsMany => Phrase::new("sizing-config-not-as-many")
                    .with("left", left)
                    .with("left_value", left_value)
                    .with("right", right)
                    .with("right_value", right_value),
            },
            Self::LayerByLayer { family, field } => Phrase::new("sizing-config-layer-by-layer")
                .with("family", family)
                .with("field", field),
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        match self {
            Self::Missing { field, also, still } => {
                let mut hints = Vec::new();
                let names: Vec<&str> = also.iter().copied().filter(|name| name != field).collect();
                if !names.is_empty() {
                    hints.push(
                        Phrase::new("sizing-config-also-known-as").with("names", names.join(", ")),
                    );
                }
                hints.extend(still.iter().cloned());
                hints.push(Phrase::new("sizing-config-give-size"));
                hints
            }
            Self::LayerByLayer { .. } => vec![Phrase::new("sizing-config-give-size")],
            Self::NotJson { .. } | Self::NotAnObject { .. } => {
                vec![Phrase::new("sizing-config-which-file")]
            }
            _ => Vec::new(),
        }
    }
}
