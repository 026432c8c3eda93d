//! The workload file: a month's jobs as a person writes them, in YAML, JSON or TOML.

mod error;
pub mod fields;
mod file;
pub mod foreign;
mod job;
mod section;
pub mod sheets;
mod show;
pub(crate) mod syntax;
mod tree;
mod values;
pub mod words;

pub use error::{Place, Trouble, WorkloadError};
pub use tree::{Node, Notation, Value, parse};

use jiff::civil::Date;
use kasuan_model::{CardId, Phrase};
use kasuan_plan::workload::Workload;
use kasuan_sizing::Architecture;

/// What a workload file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The jobs and the rules, every default explicit.
    pub workload: Workload,
    /// The path of the user's own prices, as it is written.
    pub prices: Option<String>,
    /// How the model of each job is written, where it is written as a name or a path.
    pub models: Vec<Option<String>>,
    /// What the reader should know of task files that were read as jobs.
    pub notes: Vec<Phrase>,
}

impl Document {
    /// Writes the workload as YAML with every default explicit.
    pub fn to_yaml(&self) -> String {
        show::yaml(self)
    }
}

/// Resolves the names in a workload file; what is unknown is answered with the nearest known ones.
pub trait Names {
    /// Finds a model by its id or alias.
    fn model(&self, text: &str) -> Result<Architecture, Trouble>;

    /// Reads the configuration of a model from a path as it is written in the file.
    fn configuration(&self, path: &str) -> Result<Architecture, Trouble>;

    /// Finds a card by what people call it.
    fn card(&self, text: &str) -> Result<CardId, Trouble>;

    /// Reads the text of a task file that a job is taken from, by its path as it is written.
    fn task_file(&self, path: &str) -> Result<String, Trouble>;
}

/// Reads a workload file; `today` decides the month where the file names none.
pub fn read(
    text: &str,
    notation: Notation,
    today: Date,
    names: &dyn Names,
) -> Result<Document, WorkloadError> {
    read_tree(&parse(text, notation)?, today, names)
}

/// Reads the tree of a workload file.
pub fn read_tree(root: &Node, today: Date, names: &dyn Names) -> Result<Document, WorkloadError> {
    file::read(root, today, names)
}

#[cfg(test)]
mod tests;
