//! `kasuan serve`: the same answers in a browser, and as a JSON API.

use crate::{
    context::Context,
    error::{CommandError, Exit},
    files, market,
    month::Zone,
    store::Store,
    tools::Tools,
};
use kasuan_formats::workload::Notation;
use kasuan_market::Catalogue;
use kasuan_model::Phrase;
use kasuan_report::Language;
use kasuan_web::{Desk, Refused, ServeError, Settings};
use serde_json::{Map, Value};
use std::{net::SocketAddr, path::PathBuf, sync::Arc};

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
    #[arg(long, value_name = "HOST:PORT")]
    agent: Vec<String>,
    #[arg(long, value_name = "ZONE", default_value = "+08:00")]
    zone: Zone,
    #[command(flatten)]
    store: Store,
}

/// The commands themselves, for the pages and the API.
impl Desk for Tools {
    fn answer(
        &self,
        command: &str,
        arguments: &Map<String, Value>,
        language: Language,
    ) -> Result<String, Refused> {
        let mut arguments = arguments.clone();
        let word = match language {
            Language::Chinese => "zh",
            Language::English => "en",
        };
        arguments.insert("lang".to_owned(), Value::String(word.to_owned()));
        match self.call(command, &arguments) {
            Ok(answer) => Ok(answer.printed),
            Err(refused) => {
                let (error, _) = *refused;
                let of_surroundings = error.is_of_surroundings();
                Err(Refused { of_surroundings, trouble: error.into_trouble() })
            }
        }
    }
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
    for agent in &arguments.agent {
        let port = agent.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
        if port.is_none() {
            let phrase = Phrase::new("serve-agent-wrong").with("text", agent);
            return Err(CommandError::user(phrase).hint(Phrase::new("serve-hint-agent")));
        }
    }
    settings.agents.clone_from(&arguments.agent);
    settings.zone = arguments.zone.0;
    settings.ledger = arguments.store.place_to_read(context);
    settings.desk = Some(Arc::new(Tools::new(context)));
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
