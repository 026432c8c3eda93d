//! `kasuan market export`: writes a chosen offer for another tool.

use crate::{
    context::Context,
    error::{CommandError, Exit},
    market,
};
use kasuan_formats::market::export::{Target, export};
use kasuan_model::Phrase;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Export {
    #[arg(long, value_name = "ID")]
    offer: String,
    #[arg(long = "as", value_enum, value_name = "TOOL")]
    tool: Tool,
    #[arg(long, default_value = "kasuan-job", value_name = "NAME")]
    name: String,
    #[arg(long, value_name = "FILE")]
    prices: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Tool {
    Skypilot,
    Dstack,
    Slurm,
    Kubernetes,
    Opencost,
}

/// Runs the command.
pub(super) fn run(arguments: &Export, context: &Context) -> Result<Exit, CommandError> {
    let catalogue = market::catalogue(&arguments.prices, context)?;
    let Some(offer) = catalogue.offer(&arguments.offer) else {
        return Err(market::unknown_offer(&arguments.offer, &catalogue));
    };
    let Some(card) = catalogue.card(&offer.card) else {
        return Err(CommandError::user(
            Phrase::new("market-card-unknown").with("text", &offer.card_raw),
        ));
    };
    let target = match arguments.tool {
        Tool::Skypilot => Target::SkyPilot,
        Tool::Dstack => Target::Dstack,
        Tool::Slurm => Target::Slurm,
        Tool::Kubernetes => Target::Kubernetes,
        Tool::Opencost => Target::OpenCost,
    };
    context.print(&export(offer, card, &arguments.name, target)?)?;
    Ok(Exit::Done)
}
