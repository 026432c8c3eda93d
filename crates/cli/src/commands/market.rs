//! `kasuan market`: looks after price lists (check, template, import).

mod doctor;
mod export;
mod history;
mod import;
mod template;

use crate::{
    context::Context,
    error::{CommandError, Exit},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Market {
    #[command(subcommand)]
    command: Below,
}

#[derive(Debug, clap::Subcommand)]
enum Below {
    Doctor(doctor::Doctor),
    Template(template::Template),
    Import(import::Import),
    History(history::History),
    Export(export::Export),
}

/// Runs the command.
pub(crate) fn run(arguments: &Market, context: &Context) -> Result<Exit, CommandError> {
    match &arguments.command {
        Below::Doctor(arguments) => doctor::run(arguments, context),
        Below::Template(arguments) => template::run(arguments, context),
        Below::Import(arguments) => import::run(arguments, context),
        Below::History(arguments) => history::run(arguments, context),
        Below::Export(arguments) => export::run(arguments, context),
    }
}
