//! `kasuan market history`: how the price of a card moved, as `kasuan offers --history` shows it.

use crate::{
    commands::offers::{
        families,
        past::{self, Wanted},
    },
    context::Context,
    error::{CommandError, Exit},
    market, price_store,
};
use kasuan_market::Catalogue;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct History {
    #[arg(long, value_name = "CARD")]
    card: Option<String>,
    #[arg(long, value_name = "PROVIDER")]
    provider: Option<String>,
    #[arg(long, value_name = "N", default_value_t = 30)]
    limit: usize,
    #[arg(long, value_name = "FILE")]
    prices: Vec<PathBuf>,
    #[arg(long, value_name = "PLACE")]
    store: Vec<String>,
    #[command(flatten)]
    ages: market::Ages,
}

/// Runs the command.
pub(super) fn run(arguments: &History, context: &Context) -> Result<Exit, CommandError> {
    let catalogue = Catalogue::shipped()?;
    let wanted = Wanted {
        cards: families(arguments.card.as_slice(), &catalogue, context)?,
        providers: arguments.provider.iter().cloned().collect(),
        modes: Vec::new(),
        serverless: true,
        currency: None,
        limit: arguments.limit,
        bands: arguments.ages.bands()?,
    };
    let history = price_store::history(&arguments.store, &arguments.prices, context)?;
    past::show(&history, &wanted, context)
}
