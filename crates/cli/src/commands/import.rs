//! `kasuan import`: bills, runs and use that others recorded, into the ledger.

mod bill;
mod prometheus;
pub(crate) mod runs;
mod usage;

use crate::{
    context::Context,
    error::{CommandError, Exit},
};
use kasuan_market::Catalogue;
use kasuan_model::CardId;
use std::{cell::RefCell, collections::BTreeMap};

#[derive(Debug, clap::Args)]
pub(crate) struct Import {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Bill(bill::BillImport),
    Runs(runs::RunImport),
    Usage(usage::UsageImport),
    Prometheus(prometheus::PrometheusImport),
}

/// Runs the command.
pub(crate) fn run(arguments: &Import, context: &Context) -> Result<Exit, CommandError> {
    match &arguments.what {
        What::Bill(arguments) => bill::run(arguments, context),
        What::Runs(arguments) => runs::run(arguments, context),
        What::Usage(arguments) => usage::run(arguments, context),
        What::Prometheus(arguments) => prometheus::run(arguments, context),
    }
}

/// A card, and how many of it where the text says so.
type Named = (CardId, Option<u32>);

/// Finds cards by what others call them, each name once.
pub(crate) struct Cards {
    catalogue: Catalogue,
    known: RefCell<BTreeMap<String, Option<Named>>>,
}

impl Cards {
    /// Looks in the shipped catalogue.
    pub(crate) fn shipped() -> Result<Self, CommandError> {
        Ok(Self { catalogue: Catalogue::shipped()?, known: RefCell::default() })
    }

    /// Returns the card that a text names, and how many where it says so.
    pub(crate) fn find(&self, text: &str) -> Option<Named> {
        let mut known = self.known.borrow_mut();
        if let Some(found) = known.get(text) {
            return found.clone();
        }
        let found = self.catalogue.card_in(text);
        known.insert(text.to_owned(), found.clone());
        found
    }

    /// Returns the card that a driver's name means.
    pub(crate) fn card(&self, text: &str) -> Option<CardId> {
        self.find(text).map(|(card, _)| card)
    }
}
