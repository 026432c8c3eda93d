//! The model configurations that ship inside the binary, and how a name that people type finds one.

mod names;
mod rows;
#[cfg(test)]
mod tests;

use crate::Architecture;
use csv::StringRecord;
use kasuan_model::{Phrase, Phrased};
use names::Name;
use std::{
    collections::BTreeMap,
    sync::{LazyLock, OnceLock},
};

/// The shipped table; its columns are those of `rows::Row`.
const SHIPPED: &str = include_str!("../../../data/models/models.csv");

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    Catalogue::names_of(SHIPPED).expect("a test reads the shipped table before it ships")
});

/// How many near names an unknown name is answered with.
const SUGGESTIONS: usize = 4;

/// Names less alike than this (Jaro-Winkler, 0 to 1) are not worth suggesting.
const ALIKE: f64 = 0.8;

/// Model configurations by id, alias and the names that people type.
///
/// The names are read at once, a row when its model is first asked for: most runs ask for one or
/// two of hundreds.
#[derive(Clone, Debug)]
pub struct Catalogue {
    headers: StringRecord,
    rows: Vec<StringRecord>,
    /// One for each row.
    read: Vec<OnceLock<Architecture>>,
    all: OnceLock<Vec<Architecture>>,
    ids: Vec<String>,
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
        let catalogue = Self::names_of(text)?;
        let rows = 0..catalogue.rows.len();
        let all = rows.map(|at| catalogue.row(at)).collect::<Result<Vec<_>, _>>()?;
        // A table whose rows were all read is complete.
        let _ = catalogue.all.set(all);
        Ok(catalogue)
    }

    /// Reads the ids and the names of a table, and leaves its rows for later.
    fn names_of(text: &str) -> Result<Self, CatalogueError> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let broken = |row| move |cause| CatalogueError::Row { row, cause };
        let headers = reader.headers().map_err(broken(0))?.clone();
        let column = |name| headers.iter().position(|heading| heading == name);
        let (id, aliases) = (column("id"), column("aliases"));
        let mut catalogue = Self {
            headers,
            rows: Vec::new(),
            read: Vec::new(),
            all: OnceLock::new(),
            ids: Vec::new(),
            exact: BTreeMap::new(),
            loose: BTreeMap::new(),
        };
        for (at, record) in reader.into_records().enumerate() {
            let record = record.map_err(broken(at + 1))?;
            let cell = |column: Option<usize>| column.and_then(|at| record.get(at)).unwrap_or("");
            let (id, aliases) = (cell(id), cell(aliases));
            catalogue.add(id, aliases.split(' ').filter(|alias| !alias.is_empty()))?;
            catalogue.rows.push(record);
            catalogue.read.push(OnceLock::new());
        }
        Ok(catalogue)
    }

    /// Reads a row.
    fn row(&self, at: usize) -> Result<Architecture, CatalogueError> {
        let broken = |cause| CatalogueError::Row { row: at + 1, cause };
        let empty = StringRecord::new();
        let record = self.rows.get(at).unwrap_or(&empty);
        let row: rows::Row = record.deserialize(Some(&self.headers)).map_err(broken)?;
        row.into_architecture()
    }

    /// Returns a row of a table that is known to be well formed, read once.
    fn entry(&self, at: usize) -> Option<&Architecture> {
        let read = || self.row(at).expect("a test reads every row of the shipped table");
        self.read.get(at).map(|entry| entry.get_or_init(read))
    }

    fn add<'a>(
        &mut self,
        id: &str,
        aliases: impl Iterator<Item = &'a str>,
    ) -> Result<(), CatalogueError> {
        let at = self.ids.len();
        let name = Name::new(id);
        if self.exact.insert(name.full.clone(), at).is_some_and(|old| {
            self.ids.get(old).is_some_and(|known| known.eq_ignore_ascii_case(id))
        }) {
            return Err(CatalogueError::Twice { id: id.to_owned() });
        }
        let plainer = self
            .loose
            .get(&name.loose)
            .and_then(|old| self.ids.get(*old))
            .is_none_or(|old| name.without_owner.len() < Name::new(old).without_owner.len());
        if plainer {
            self.loose.insert(name.loose, at);
        }
        self.exact.entry(name.without_owner).or_insert(at);
        for alias in aliases {
            self.exact.insert(Name::new(alias).full, at);
        }
        self.ids.push(id.to_owned());
        Ok(())
    }

    /// Returns all configurations in the order of the table.
    pub fn entries(&self) -> &[Architecture] {
        self.all
            .get_or_init(|| (0..self.rows.len()).filter_map(|at| self.entry(at).cloned()).collect())
    }

    /// Returns the configuration with exactly this id.
    pub fn get(&self, id: &str) -> Option<&Architecture> {
        self.entry(self.ids.iter().position(|known| known == id)?)
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
        match at.and_then(|at| self.entry(*at)) {
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
            .filter_map(|(_, at)| self.ids.get(at).cloned())
            .collect()
    }
}
