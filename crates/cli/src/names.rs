//! Resolves the names in a workload file: models, configurations on disk, cards.

use crate::{error::CommandError, files};
use kasuan_formats::workload::{Names, Trouble};
use kasuan_market::Catalogue as Market;
use kasuan_model::CardId;
use kasuan_sizing::{Architecture, Catalogue as Models};
use std::path::{Path, PathBuf};

/// Looks models up in the shipped catalogue, cards in the market, and files beside the workload.
#[derive(Debug)]
pub(crate) struct Shelf<'a> {
    market: &'a Market,
    folder: PathBuf,
}

impl<'a> Shelf<'a> {
    /// Creates a shelf for a workload file.
    pub(crate) fn new(market: &'a Market, workload: &Path) -> Self {
        Self { market, folder: workload.parent().unwrap_or(Path::new("")).to_owned() }
    }

    /// Returns a path as it is meant in the workload file: beside that file.
    pub(crate) fn path(&self, written: &str) -> PathBuf {
        self.folder.join(written)
    }
}

impl Names for Shelf<'_> {
    fn model(&self, text: &str) -> Result<Architecture, Trouble> {
        Models::shipped().find(text).cloned().map_err(|error| Trouble::of(&error))
    }

    fn configuration(&self, path: &str) -> Result<Architecture, Trouble> {
        let text = files::read_text(&self.path(path)).map_err(CommandError::into_trouble)?;
        let _ = text;
        todo!()
    }

    fn card(&self, text: &str) -> Result<CardId, Trouble> {
        self.market.find_card(text).map(|found| found.card).map_err(|error| Trouble::of(&error))
    }
}
