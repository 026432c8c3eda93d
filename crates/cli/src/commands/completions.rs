//! `kasuan completions`: what a shell needs to complete commands and options.

use crate::{
    context::Context,
    error::{CommandError, Exit},
    help,
};
use clap_complete::Shell;

#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Runs the command.
pub(crate) fn run(arguments: &Completions, context: &Context) -> Result<Exit, CommandError> {
    let mut script = Vec::new();
    let mut command = help::command(&context.words);
    clap_complete::generate(arguments.shell, &mut command, "kasuan", &mut script);
    context.print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
