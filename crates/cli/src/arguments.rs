//! The arguments that every command takes, and parsing with errors in the reader's language.

use crate::{
    commands::Command,
    error::{CommandError, Refusal},
    help,
    settings::{Format, LanguageChoice},
};
use clap::{
    ArgAction, CommandFactory as _, FromArgMatches as _, Parser,
    error::{ContextKind, ContextValue, ErrorKind},
};
use kasuan_model::Phrase;
use kasuan_report::Words;
use std::ffi::OsString;

// Help texts stand in the Fluent files (`cmd-NAME`, `cmd-NAME--argument`), not here.
#[derive(Debug, Parser)]
#[command(name = "kasuan", disable_help_flag = true, disable_version_flag = true)]
#[command(disable_help_subcommand = true, subcommand_required = true, args_override_self = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[arg(short = 'V', long, action = ArgAction::Version)]
    version: Option<bool>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Global {
    #[arg(long, global = true, value_enum, default_value_t)]
    pub(crate) format: Format,
    #[arg(long, global = true, value_enum)]
    pub(crate) lang: Option<LanguageChoice>,
    #[arg(long, global = true)]
    pub(crate) explain: bool,
    #[arg(long, global = true, value_name = "DATE")]
    pub(crate) today: Option<String>,
    #[arg(short, long, global = true, action = ArgAction::Help)]
    help: Option<bool>,
}

/// Parses the arguments.
///
/// Help texts in the reader's language are only put over the command line when they are needed:
/// for help, and for what is wrong.
pub(crate) fn parse(arguments: &[OsString], words: &Words) -> Result<Cli, Refusal> {
    let plain = Cli::command().version(env!("CARGO_PKG_VERSION"));
    if let Ok(matches) = plain.try_get_matches_from(arguments)
        && let Ok(cli) = Cli::from_arg_matches(&matches)
    {
        return Ok(cli);
    }
    let mut command = help::command(words);
    command
        .try_get_matches_from_mut(arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches))
        .map_err(|error| refuse(&error, words))
}

/// Says in the reader's language what clap found.
fn refuse(error: &clap::Error, words: &Words) -> Refusal {
    let options = |text: &str| text.replace("[OPTIONS]", &words.word("help-usage-options"));
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => Some(texts.join(", ")),
        Some(ContextValue::StyledStr(text)) => Some(text.to_string()),
        Some(ContextValue::StyledStrs(texts)) => {
            Some(texts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        }
        _ => None,
    };
    let argument = || text(ContextKind::InvalidArg).unwrap_or_default();
    let value = || text(ContextKind::InvalidValue).unwrap_or_default();
    let phrase = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            return Refusal::Asked(options(&error.render().to_string()));
        }
        ErrorKind::UnknownArgument => {
            Phrase::new("error-argument-unknown").with("argument", argument())
        }
        ErrorKind::InvalidSubcommand => Phrase::new("error-command-unknown")
            .with("command", text(ContextKind::InvalidSubcommand).unwrap_or_default()),
        ErrorKind::InvalidValue if value().is_empty() => {
            Phrase::new("error-argument-empty").with("argument", argument())
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            Phrase::new("error-argument-value").with("value", value()).with("argument", argument())
        }
        ErrorKind::MissingRequiredArgument => {
            Phrase::new("error-argument-missing").with("argument", argument())
        }
        ErrorKind::ArgumentConflict => Phrase::new("error-argument-conflict")
            .with("argument", argument())
            .with("other", text(ContextKind::PriorArg).unwrap_or_default()),
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            Phrase::new("error-command-missing")
        }
        other => Phrase::new("error-arguments").with("reason", other),
    };
    let mut refused = CommandError::user(phrase);
    if error.kind() == ErrorKind::ValueValidation
        && let Some(hint) = by_name(&argument())
    {
        refused = refused.hint(hint);
    }
    let suggested =
        [ContextKind::SuggestedArg, ContextKind::SuggestedValue, ContextKind::SuggestedSubcommand];
    for suggestion in suggested.into_iter().filter_map(text) {
        refused = refused.hint(Phrase::new("hint-did-you-mean").with("suggestion", suggestion));
    }
    for values in
        [ContextKind::ValidValue, ContextKind::ValidSubcommand].into_iter().filter_map(text)
    {
        if !values.is_empty() {
            refused = refused.hint(Phrase::new("hint-possible-values").with("values", values));
        }
    }
    if let Some(expected) = expected(error) {
        refused = refused.hint(Phrase::new(expected));
    }
    if let Some(usage) = text(ContextKind::Usage) {
        let usage = options(usage.trim_start_matches("Usage:").trim());
        refused = refused.hint(Phrase::new("hint-see-help").with("usage", usage));
    }
    Refusal::Wrong(refused)
}

/// Returns the key of what a value should have been, where its parser says no more than that.
fn expected(error: &clap::Error) -> Option<&'static str> {
    let cause = std::error::Error::source(error)?;
    if cause.is::<std::num::ParseIntError>() {
        Some("hint-whole-number")
    } else if cause.is::<std::num::ParseFloatError>() || cause.is::<rust_decimal::Error>() {
        Some("hint-number")
    } else if cause.is::<kasuan_model::CurrencyParseError>() {
        Some("workload-hint-currency")
    } else {
        None
    }
}

/// Says what an argument (`--settle <TIME>`) takes, where the name of its value tells it.
fn by_name(argument: &str) -> Option<Phrase> {
    /// Arguments that take a span of time; elsewhere TIME is a moment.
    const SPANS: [&str; 5] =
        ["--idle-stop", "--notice", "--say-every", "--settle", "--stall-after"];
    let (name, value) = argument.split_once(" <")?;
    let value = value.trim_end_matches(['>', '.']);
    if value == "TIME" && SPANS.contains(&name) {
        return Some(Phrase::new("hint-value-span"));
    }
    let (least, most) = value.split_once("..")?;
    let whole = |text: &str| text.parse::<u64>().is_ok();
    (whole(least) && whole(most))
        .then(|| Phrase::new("hint-value-range").with("least", least).with("most", most))
}
