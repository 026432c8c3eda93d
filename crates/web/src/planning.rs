//! From a question to a plan: the same calls that `kasuan plan` makes.

use crate::{form::Form, kept::Key, problem::Problem, state::AppState};
use axum::http::StatusCode;
use jiff::civil::Date;
use kasuan_formats::{
    market::price_card,
    workload::{Document, Names, Node, Notation, Trouble, parse, read_tree},
};
use kasuan_market::Catalogue;
use kasuan_model::{CardId, Phrase};
use kasuan_plan::{World, outcome::Plan};
use kasuan_report::PlanReport;
use kasuan_sizing::{Architecture, Catalogue as Models};
use sha2::{Digest as _, Sha256};
use std::{cell::RefCell, sync::Arc};

/// The seed of the simulated months, as on the command line.
pub(crate) const SEED: u64 = 1;
/// Plans that are kept: a reader's own and those it is compared with.
pub(crate) const MOST_PLANS: usize = 64;

/// A plan with everything that it was made from.
#[derive(Debug)]
pub(crate) struct Planned {
    /// What was asked for.
    pub(crate) document: Document,
    /// The plan.
    pub(crate) plan: Plan,
    /// The day on which it was made.
    pub(crate) today: Date,
    /// What had to be guessed.
    pub(crate) guesses: Vec<Phrase>,
    /// The catalogue with the reader's own prices; `None` where there are none.
    own: Option<Catalogue>,
}

impl Planned {
    /// Returns the catalogue that the plan was chosen from.
    pub(crate) fn catalogue<'a>(&'a self, state: &'a AppState) -> &'a Catalogue {
        self.own.as_ref().unwrap_or_else(|| state.catalogue())
    }

    /// Returns the report on it.
    pub(crate) fn report<'a>(&'a self, state: &'a AppState, explain: bool) -> PlanReport<'a> {
        PlanReport {
            plan: &self.plan,
            workload: &self.document.workload,
            catalogue: self.catalogue(state),
            today: self.today,
            explain,
        }
    }
}

/// A plan, or why there is none.
pub(crate) type Made = Result<Arc<Planned>, Problem>;

/// Plans what a reader has typed.
pub(crate) fn plan_form(state: &AppState, form: &Form) -> Made {
    let key = digest(state, &["form", &form.encoded()]);
    state.0.plans.get(key, || Ok(Arc::new(plan_tree(state, &form.tree()?, &form.prices, SEED)?)))
}

/// Plans a workload file.
pub(crate) fn plan_text(state: &AppState, text: &str, notation: Notation, seed: u64) -> Made {
    let key = digest(state, &["file", &format!("{notation:?} {seed}"), text]);
    state.0.plans.get(key, || Ok(Arc::new(plan_tree(state, &parse(text, notation)?, "", seed)?)))
}

/// Returns the digest of a question that is asked today.
pub(crate) fn digest(state: &AppState, parts: &[&str]) -> Key {
    let mut digest = Sha256::new().chain_update(state.today().to_string());
    for part in parts {
        // The length keeps two questions apart whose parts are divided elsewhere.
        digest = digest.chain_update(part.len().to_le_bytes()).chain_update(part);
    }
    digest.finalize().into()
}

/// Plans a workload, with a price card in CSV laid over the catalogue.
pub(crate) fn plan_tree(
    state: &AppState,
    tree: &Node,
    prices: &str,
    seed: u64,
) -> Result<Planned, Problem> {
    let today = state.today();
    let own = own_catalogue(state, prices)?;
    let catalogue = own.as_ref().unwrap_or_else(|| state.catalogue());
    let shelf = Shelf { market: catalogue, notes: RefCell::default() };
    let document = read_tree(tree, today, &shelf)?;
    if let (Some(path), None) = (&document.prices, &own) {
        let phrase = Phrase::new("web-prices-file").with("path", path);
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, phrase)
            .hint(Phrase::new("web-hint-prices")));
    }
    let guesses = shelf.notes.take();
    let world = World { catalogue, today, seed, measured: &[] };
    let plan =
        kasuan_plan::plan(&document.workload, &world).map_err(|error| Problem::of(&error))?;
    Ok(Planned { document, plan, today, guesses, own })
}

fn own_catalogue(state: &AppState, prices: &str) -> Result<Option<Catalogue>, Problem> {
    if prices.trim().is_empty() {
        return Ok(None);
    }
    let read = price_card::read(prices, "prices.csv", state.catalogue())
        .map_err(|error| Problem::of(&error))?;
    Ok(Some(state.catalogue().clone().with_price_card(read.card).0))
}

/// Looks names up in what ships with kasuan: a page never opens a file of the server.
struct Shelf<'a> {
    market: &'a Catalogue,
    notes: RefCell<Vec<Phrase>>,
}

impl Names for Shelf<'_> {
    fn model(&self, text: &str) -> Result<Architecture, Trouble> {
        Models::shipped().find(text).cloned().map_err(|error| Trouble::of(&error))
    }

    fn configuration(&self, path: &str) -> Result<Architecture, Trouble> {
        Err(Trouble::new(Phrase::new("web-no-files").with("path", path))
            .hint(Phrase::new("web-hint-no-files")))
    }

    fn task_file(&self, path: &str) -> Result<String, Trouble> {
        Err(Trouble::new(Phrase::new("web-no-files").with("path", path))
            .hint(Phrase::new("web-hint-no-files")))
    }

    fn card(&self, text: &str) -> Result<CardId, Trouble> {
        let found = self.market.find_card(text).map_err(|error| Trouble::of(&error))?;
        if found.guessed_form || found.guessed_memory {
            let note = Phrase::new("card-guessed").with("text", text).with("card", &found.card);
            let mut notes = self.notes.borrow_mut();
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        Ok(found.card)
    }
}
