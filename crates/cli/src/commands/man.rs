//! `kasuan man`: the manual page, made from the same texts as `--help`.

use crate::{
    context::Context,
    error::{CommandError, Exit},
    files::{self, Existing},
    help,
};
use clap::Command;
use kasuan_model::Phrase;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// Runs the command: one page on stdout, or one page a command in a folder.
pub(crate) fn run(arguments: &Man, context: &Context) -> Result<Exit, CommandError> {
    let mut command = help::command(&context.words).name("kasuan").flatten_help(false);
    command.build();
    let Some(folder) = &arguments.output else {
        context.print(&page(&command)?)?;
        return Ok(Exit::Done);
    };
    std::fs::create_dir_all(folder).map_err(|error| {
        CommandError::surroundings(
            Phrase::new("error-file-write").with("path", folder.display()).with("reason", error),
        )
    })?;
    let written = pages(&command, folder)?;
    context.tell(&Phrase::new("man-written").with("count", written).with("path", folder.display()));
    Ok(Exit::Done)
}

fn page(command: &Command) -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    clap_mangen::Man::new(command.clone())
        .render(&mut bytes)
        .map_err(|error| CommandError::output(&error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes the page of a command and of those below it; returns how many.
fn pages(command: &Command, folder: &Path) -> Result<usize, CommandError> {
    // `build` gave every command below its whole name, with dashes.
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let named = command.clone().name(name.clone());
    files::write(&folder.join(format!("{name}.1")), page(&named)?.as_bytes(), Existing::Replace)?;
    let below = command.get_subcommands().filter(|below| !below.is_hide_set());
    below.map(|below| pages(below, folder)).try_fold(1, |sum, count| Ok(sum + count?))
}
