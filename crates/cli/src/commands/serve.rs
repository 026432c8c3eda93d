//! `kasuan serve`: the same answers in a browser, and as a JSON API.

use crate::{
    context::Context,
    error::{CommandError, Exit},
    files, market,
};
use kasuan_formats::workload::Notation;
use kasuan_market::Catalogue;
use kasuan_model::Phrase;
use kasuan_web::{ServeError, Settings};
use std::{net::SocketAddr, path::PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Serve {
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8787")]
    listen: String,
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    #[arg(long)]
    read_only: bool,
    #[arg(long, value_name = "CSV")]
    prices: Vec<PathBuf>,
    #[arg(long, value_name = "N", default_value_t = 20)]
    rate: u32,
}

/// Runs the command, until the process is asked to end.
pub(crate) fn run(arguments: &Serve, context: &Context) -> Result<Exit, CommandError> {
    let listen: SocketAddr = arguments.listen.parse().map_err(|_| {
        CommandError::user(Phrase::new("serve-address").with("text", &arguments.listen))
            .hint(Phrase::new("serve-hint-address"))
    })?;
    let catalogue = market::for_planning(Catalogue::shipped()?, &arguments.prices, context)?;
    let mut settings = Settings::new(listen, catalogue);
    settings.read_only = arguments.read_only;
    settings.rate = arguments.rate;
    settings.today = context.settings.stated_today;
    if let Some(path) = &arguments.token_file {
        let token = files::read_text(path)?.trim().to_owned();
        if token.is_empty() {
            let phrase = Phrase::new("serve-token-empty").with("path", path.display());
            return Err(CommandError::user(phrase).hint(Phrase::new("serve-hint-token")));
        }
        settings.token = Some(token);
    }
    if let Some(path) = &arguments.file {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let notation = Notation::from_extension(&extension);
        settings.workload = Some((files::read_text(path)?, notation));
    }
    settings.check()?;
    let needs_token = settings.token.is_some();
    kasuan_web::serve(settings, |address| {
        context.tell(&Phrase::new("serve-started").with("address", address));
        if needs_token {
            context.tell(&Phrase::new("serve-started-token").with("address", address));
        }
    })
    .map_err(|error| match error {
        ServeError::Workload(trouble) => {
            let refused = CommandError::user(trouble.phrase);
            trouble.hints.into_iter().fold(refused, CommandError::hint)
        }
        other => CommandError::from(other).of_surroundings(),
    })?;
    Ok(Exit::Done)
}
