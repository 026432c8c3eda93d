//! `kasuan market template`: writes a price card to fill in.

use crate::{
    context::Context,
    error::{CommandError, Exit},
    files::{self, Existing},
};
use kasuan_formats::market::price_card;
use kasuan_model::Phrase;
use kasuan_report::Language;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Template {
    #[arg(default_value = "prices.csv", value_name = "FILE")]
    file: PathBuf,
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub(super) fn run(arguments: &Template, context: &Context) -> Result<Exit, CommandError> {
    let chinese = context.words.language() == Language::Chinese;
    let mut text = price_card::template(chinese);
    if chinese {
        // Spreadsheets on Windows read a CSV as GBK unless it starts with a byte order mark.
        text.insert(0, '\u{feff}');
    }
    let existing = if arguments.force { Existing::Replace } else { Existing::Keep };
    files::write(&arguments.file, text.as_bytes(), existing)?;
    let path = arguments.file.display();
    context.print_line(&Phrase::new("market-template-written").with("path", path))?;
    Ok(Exit::Done)
}
