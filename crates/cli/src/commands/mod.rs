//! Every command, one file each. To add one: see CONTRIBUTING.md, "Add a command".

mod doctor;
mod init;
mod plan;

use crate::{
    context::Context,
    error::{CommandError, Exit},
};

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Doctor(doctor::Doctor),
    Plan(plan::Plan),
    Init(init::Init),
}

/// Runs a command.
pub(crate) fn run(command: &Command, context: &mut Context) -> Result<Exit, CommandError> {
    match command {
        Command::Doctor(arguments) => doctor::run(arguments, context),
        Command::Plan(arguments) => plan::run(arguments, context),
        Command::Init(arguments) => init::run(arguments, context),
    }
}
