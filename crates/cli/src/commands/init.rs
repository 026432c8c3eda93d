//! `kasuan init`: writes a commented workload file to start from.

use crate::{
    context::Context,
    error::{CommandError, Exit},
    files::{self, Existing},
};
use kasuan_model::Phrase;
use kasuan_report::Language;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Init {
    #[arg(default_value = "jobs.yaml", value_name = "FILE")]
    file: PathBuf,
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: &Init, context: &Context) -> Result<Exit, CommandError> {
    let text = match context.words.language() {
        Language::Chinese => include_str!("../../templates/jobs.zh-CN.yaml"),
        Language::English => include_str!("../../templates/jobs.en.yaml"),
    };
    let existing = if arguments.force { Existing::Replace } else { Existing::Keep };
    files::write(&arguments.file, text.as_bytes(), existing)?;
    let path = arguments.file.display();
    context.print_line(&Phrase::new("init-written").with("path", &path))?;
    context.print_line(&Phrase::new("init-next").with("path", &path))?;
    Ok(Exit::Done)
}
