//! `kasuan init`: writes a commented workload file, or a workbook to fill in, to start from.

use crate::{
    context::Context,
    error::{CommandError, Exit},
    files::{self, Existing},
};
use kasuan_model::Phrase;
use kasuan_report::{Language, workload_template};
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
    let extension = arguments.file.extension().unwrap_or_default().to_ascii_lowercase();
    let bytes = match (extension.to_str(), context.words.language()) {
        (Some("xlsx"), _) => workload_template(&context.words)?,
        (_, Language::Chinese) => include_bytes!("../../templates/jobs.zh-CN.yaml").to_vec(),
        (_, Language::English) => include_bytes!("../../templates/jobs.en.yaml").to_vec(),
    };
    let existing = if arguments.force { Existing::Replace } else { Existing::Keep };
    files::write(&arguments.file, &bytes, existing)?;
    let path = arguments.file.display();
    context.print_line(&Phrase::new("init-written").with("path", &path))?;
    context.print_line(&Phrase::new("init-next").with("path", &path))?;
    Ok(Exit::Done)
}
