//! Resolves the names in a workload file: models, configurations on disk, cards.

use crate::files;
use kasuan_formats::{
    local_model,
    workload::{Names, Trouble},
};
use kasuan_market::Catalogue as Market;
use kasuan_model::{CardId, Phrase};
use kasuan_sizing::{Architecture, Catalogue as Models};
use std::{
    cell::RefCell,
    path::{Path, PathBuf},
};

/// Looks models up in the shipped catalogue, cards in the market, and files beside the workload.
#[derive(Debug)]
pub(crate) struct Shelf<'a> {
    market: &'a Market,
    folder: PathBuf,
    notes: RefCell<Vec<Phrase>>,
}

impl<'a> Shelf<'a> {
    /// Creates a shelf for a workload file.
    pub(crate) fn new(market: &'a Market, workload: &Path) -> Self {
        Self {
            market,
            folder: workload.parent().unwrap_or(Path::new("")).to_owned(),
            notes: RefCell::default(),
        }
    }

    /// Returns what had to be guessed or assumed to resolve the names, each thing once.
    pub(crate) fn notes(&self) -> Vec<Phrase> {
        self.notes.borrow().clone()
    }

    fn note(&self, note: Phrase) {
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// Returns a path as it is meant in the workload file: beside that file.
    pub(crate) fn path(&self, written: &str) -> PathBuf {
        // `./` inside of a path says nothing and only gets in the reader's way.
        self.folder.join(written).components().collect()
    }
}

impl Names for Shelf<'_> {
    fn model(&self, text: &str) -> Result<Architecture, Trouble> {
        Models::shipped().find(text).cloned().map_err(|error| Trouble::of(&error))
    }

    fn configuration(&self, written: &str) -> Result<Architecture, Trouble> {
        let path = self.path(written);
        if !path.exists() {
            return Err(files::missing(&path).into_trouble());
        }
        let model = local_model::open(&path).map_err(|error| Trouble::of(&error))?;
        model.notes.into_iter().for_each(|note| self.note(note));
        // The id is the path as it is written, which names the model wherever the file is read.
        Ok(Architecture { id: written.to_owned(), ..model.architecture })
    }

    fn task_file(&self, written: &str) -> Result<String, Trouble> {
        files::read_text(&self.path(written)).map_err(|error| error.into_trouble())
    }

    fn card(&self, text: &str) -> Result<CardId, Trouble> {
        let found = self.market.find_card(text).map_err(|error| Trouble::of(&error))?;
        if found.guessed_form || found.guessed_memory {
            let phrase = Phrase::new("card-guessed").with("text", text).with("card", &found.card);
            self.note(phrase);
        }
        Ok(found.card)
    }
}
