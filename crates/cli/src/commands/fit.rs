//! `kasuan fit`: whether a model and a task fit a card, on how many, how fast, at what price.

mod ask;
mod gather;

use crate::{
    context::Context,
    error::{CommandError, Exit},
    settings::Format,
};
use ask::Ask;
pub(super) use gather::prices;
use kasuan_formats::{fit as document, local_model};
use kasuan_model::{Currency, Phrase};
use kasuan_report::fit as tables;
use kasuan_sizing::{Architecture, Catalogue, WeightFormat, parse_size};
use std::path::Path;

#[derive(Debug, clap::Args)]
pub(crate) struct Fit {
    #[arg(value_name = "MODEL")]
    model: String,
    #[command(flatten)]
    ask: ask::Options,
    #[arg(long, value_name = "CARD")]
    card: Vec<String>,
    #[arg(long, value_name = "SETTINGS")]
    compare: Vec<String>,
    #[arg(long, value_name = "CODE", default_value = "CNY")]
    currency: String,
    #[arg(long)]
    all_cards: bool,
}

/// The model that was asked about.
pub(super) struct Subject {
    pub(super) architecture: Architecture,
    stored: Option<WeightFormat>,
    weights: Option<kasuan_model::Bytes>,
    notes: Vec<Phrase>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Fit, context: &mut Context) -> Result<Exit, CommandError> {
    let subject = subject(&arguments.model)?;
    let currency: Currency = arguments.currency.parse().map_err(|_| {
        CommandError::user(
            Phrase::new("error-argument-value")
                .with("value", &arguments.currency)
                .with("argument", "--currency"),
        )
    })?;
    let mut ask = Ask::new(&arguments.ask)?;
    if ask.weights.is_none() && !ask.quantises() && subject.stored.is_some() {
        ask.weights = subject.stored;
    }
    let mut report =
        gather::report(&subject, &ask, &arguments.card, currency, arguments.all_cards, context)?;
    for settings in &arguments.compare {
        let other = ask.with(settings)?;
        report.compared.push(gather::compared(&subject, &other, settings, &report)?);
    }
    match context.settings.format {
        Format::Json => {
            let words = &context.words;
            context.print_json(&document::json(&report, &|phrase| words.say(phrase)))?;
        }
        Format::Csv => context.print_table(&tables::cards(&report, &context.words))?,
        Format::Markdown => context.print(&tables::markdown(&report, &context.words))?,
        Format::Table => {
            let text = tables::text(
                &report,
                &context.words,
                context.paint(),
                context.settings.width,
                context.settings.explain,
            );
            context.print(&text)?;
        }
    }
    let named = !arguments.card.is_empty();
    let none = report.rows.iter().all(|row| row.answer.best.is_none());
    Ok(if named && none { Exit::AnswerIsNo } else { Exit::Done })
}

/// Finds the model: a path, a size, or a name in the catalogue.
pub(super) fn subject(text: &str) -> Result<Subject, CommandError> {
    let path = Path::new(text);
    let file = [".json", ".gguf", ".safetensors"].iter().any(|end| text.ends_with(end));
    if file || path.is_dir() {
        let model = local_model::open(path)?;
        return Ok(Subject {
            architecture: model.architecture,
            stored: model.stored,
            weights: model.weights,
            notes: model.notes,
        });
    }
    let (architecture, notes) = match parse_size(text) {
        Some(size) => {
            let model = Architecture::counted(size);
            let note = Phrase::new("sizing-model-counted").with("size", &model.id);
            (model, vec![note])
        }
        None => (Catalogue::shipped().find(text)?.clone(), Vec::new()),
    };
    Ok(Subject { architecture, stored: None, weights: None, notes })
}
