//! The model configurations that ship inside the binary, and how a name that people type finds one.

mod names;
mod rows;
#[cfg(test)]
mod tests;

use crate::Architecture;
use kasuan_model::{Phrase, Phrased};
use names::Name;
use std::{collections::BTreeMap, sync::LazyLock};

/// The shipped table; its columns are those of `rows::Row`.
const SHIPPED: &str = include_str!("../../../data/models/models.csv");

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    Catalogue::from_csv(SHIPPED).expect("a test reads the shipped table before it ships")
});

/// How many near names an unknown name is answered with.
const SUGGESTIONS: usize = 4;

/// Names less alike than this (Jaro-Winkler, 0 to 1) are not worth suggesting.
const ALIKE: f64 = 0.8;

/// Model configurations by id, alias and the names that people type.
#[derive(Clone, Debug)]
pub struct Catalogue {
    entries: Vec<Architecture>,
    /// Every exact name in its plain form, to its entry.
    exact: BTreeMap<String, usize>,
    /// Every name without words such as `Instruct` or `AWQ`, to the plainest entry that has it.
    loose: BTreeMap<String, usize>,
}

/// A table of configurations cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// A row cannot be read.
    #[error("row {row} of the model table cannot be read")]
    Row {
        /// The row, counted from 1 after the header.
        row: usize,
        /// Why.
        #[source]
        cause: csv::Error,
    },
    /// A field of a row is not what it should be.
    #[error("model `{id}`: `{field}` is `{value}`")]
    Field {
        /// The model's id.
        id: String,
        /// The column.
        field: &'static str,
        /// What stands there.
        value: String,
    },
    /// Two rows have the same id.
    #[error("model `{id}` stands twice in the table")]
    Twice {
        /// The id.
        id: String,
    },
}

/// No configuration has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no built-in model is called `{text}`")]
pub struct UnknownModel {
    /// What was asked for.
    pub text: String,
    /// Ids with the nearest names, nearest first.
    pub suggestions: Vec<String>,
}

impl Phrased for UnknownModel {
    fn phrase(&self) -> Phrase {
        Phrase::new("sizing-model-unknown").with("model", &self.text)
    }

    fn hints(&self) -> Vec<Phrase> {
        let mut hints = Vec::new();
        if !self.suggestions.is_empty() {
            hints.push(
                Phrase::new("sizing-model-nearest").with("models", self.suggestions.join(", ")),
            );
        }
        hints.push(Phrase::new("sizing-model-other-ways"));
        hints
    }
}

impl Catalogue {
    /// Returns the configurations that ship inside the binary.
    pub fn shipped() -> &'static Self {
        &CATALOGUE
    }

    /// Reads a table with the columns of the shipped one.
    pub fn from_csv(text: &str) -> Result<Self, CatalogueError> {
        let mut catalogue =
            Self { entries: Vec::new(), exact: BTreeMap::new(), loose: BTreeMap::new() };
        for (at, row) in csv::Reader::from_reader(text.as_bytes()).deserialize().enumerate() {
            let row: rows::Row = row.map_err(|cause| CatalogueError::Row { row: at + 1, cause })?;
            let aliases = row.aliases.clone();
            let model = row.into_architecture()?;
            catalogue.add(model, aliases.split(' ').filter(|alias| !alias.is_empty()))?;
        }
        Ok(catalogue)
    }

    fn add<'a>(
        &mut self,
        model: Architecture,
        aliases: impl Iterator<Item = &'a str>,
    ) -> Result<(), CatalogueError> {
        let at = self.entries.len();
        let name = Name::new(&model.id);
        if self.exact.insert(name.full.clone(), at).is_some_and(|old| {
            self.entries.get(old).is_some_and(|entry| entry.id.eq_ignore_ascii_case(&model.id))
        }) {
            return Err(CatalogueError::Twice { id: model.id });
        }
        let plainer =
            self.loose.get(&name.loose).and_then(|old| self.entries.get(*old)).is_none_or(|old| {
                name.without_owner.len() < Name::new(&old.id).without_owner.len()
            });
        if plainer {
            self.loose.insert(name.loose, at);
        }
        self.exact.entry(name.without_owner).or_insert(at);
        for alias in aliases {
            self.exact.insert(Name::new(alias).full, at);
        }
        self.entries.push(model);
        Ok(())
    }

    /// Returns all configurations in the order of the table.
    pub fn entries(&self) -> &[Architecture] {
        &self.entries
    }

    /// Returns the configuration with exactly this id.
    pub fn get(&self, id: &str) -> Option<&Architecture> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// Finds a configuration by what people type: an id, an alias (`deepseek-r1:7b`), or a name
    /// with any spacing and case, with or without the owner and words such as `Instruct` or `AWQ`
    /// (`qwen2.5-7b`, `Qwen2.5 7B Instruct`, `llama3-8b`).
    ///
    /// The configuration of a base model and of its chat version is one; what was found is told by
    /// the id of the answer.
    pub fn find(&self, text: &str) -> Result<&Architecture, UnknownModel> {
        let name = Name::new(text);
        let at = self
            .exact
            .get(&name.full)
            .or_else(|| self.exact.get(&name.without_owner))
            .or_else(|| self.loose.get(&name.loose).filter(|_| !name.loose.is_empty()));
        match at.and_then(|at| self.entries.get(*at)) {
            Some(model) => Ok(model),
            None => Err(UnknownModel { text: text.to_owned(), suggestions: self.nearest(&name) }),
        }
    }

    /// Returns the ids whose names are nearest to one, nearest first.
    fn nearest(&self, name: &Name) -> Vec<String> {
        let mut scored: Vec<(f64, usize)> = self
            .loose
            .iter()
            .map(|(other, at)| (strsim::jaro_winkler(&name.loose, other), *at))
            .filter(|(alike, _)| *alike >= ALIKE)
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored
            .into_iter()
            .take(SUGGESTIONS)
            .filter_map(|(_, at)| self.entries.get(at).map(|entry| entry.id.clone()))
            .collect()
    }
}
