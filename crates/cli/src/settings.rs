//! Arguments and environment, read once into one plain struct. Nothing else reads the environment.

use crate::{arguments::Global, error::CommandError};
use jiff::civil::Date;
use kasuan_model::Phrase;
use kasuan_report::Language;
use std::{
    collections::BTreeMap,
    ffi::OsString,
    io::IsTerminal as _,
    path::{Path, PathBuf},
};

/// Overrides every locale category; the first that is set and not empty decides the language.
const LC_ALL: &str = "LC_ALL";
/// The locale of messages.
const LC_MESSAGES: &str = "LC_MESSAGES";
/// The locale where no category is set.
const LANG: &str = "LANG";
/// Switches colour off when set to anything (<https://no-color.org>).
const NO_COLOR: &str = "NO_COLOR";
/// A terminal named `dumb` gets no colour.
const TERM: &str = "TERM";

/// Where the ledger is: a file, or `postgres://...`.
const KASUAN_LEDGER: &str = "KASUAN_LEDGER";
/// The folder of users' data (XDG base directory specification 0.8).
const XDG_DATA_HOME: &str = "XDG_DATA_HOME";
/// The user's home.
const HOME: &str = "HOME";

/// Variables that begin like this hold secrets that a file of channels may name.
const KASUAN_SECRET: &str = "KASUAN_SECRET_";

/// Keys and places of an S3-compatible store, as its own tools read them.
const AWS: [&str; 6] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_ENDPOINT_URL",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
];

/// Columns of a report where there is no terminal to ask.
const DEFAULT_WIDTH: usize = 100;
/// Lines longer than this are hard to read, however wide the terminal is.
const WIDEST: usize = 140;

/// What the environment says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment {
    locale: Option<String>,
    no_color: bool,
    terminal_out: bool,
    terminal_err: bool,
    width: Option<usize>,
    ledger: Option<String>,
    data: Option<PathBuf>,
    secrets: Secrets,
}

/// Secrets by the names of their variables; never shown.
#[derive(Clone, Default)]
pub(crate) struct Secrets(BTreeMap<String, String>);

impl Secrets {
    /// Returns a secret.
    pub(crate) fn get(&self, name: &str) -> Option<&String> {
        self.0.get(name)
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Environment {
    /// Reads the environment, once.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that may")]
    pub(crate) fn read() -> Self {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let dumb = set(TERM).is_some_and(|term| term == "dumb");
        Self {
            locale: set(LC_ALL).or_else(|| set(LC_MESSAGES)).or_else(|| set(LANG)),
            no_color: set(NO_COLOR).is_some() || dumb,
            terminal_out: std::io::stdout().is_terminal(),
            terminal_err: std::io::stderr().is_terminal(),
            width: terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)),
            ledger: set(KASUAN_LEDGER),
            secrets: Secrets(
                std::env::vars_os()
                    .filter_map(|(name, value)| {
                        Some((name.into_string().ok()?, value.into_string().ok()?))
                    })
                    .filter(|(name, value)| {
                        name.starts_with(KASUAN_SECRET)
                            || (AWS.contains(&name.as_str()) && !value.is_empty())
                    })
                    .collect(),
            ),
            data: set(XDG_DATA_HOME)
                .map(PathBuf::from)
                .filter(|folder| folder.is_absolute())
                .or_else(|| Some(Path::new(&set(HOME)?).join(".local/share"))),
        }
    }

    /// Says whether messages on stderr may be coloured.
    pub(crate) const fn colour_on_stderr(&self) -> bool {
        self.terminal_err && !self.no_color
    }
}

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Tables for people.
    #[default]
    Table,
    /// A stable contract for programs.
    Json,
    /// Comma-separated values.
    Csv,
    /// Markdown.
    Markdown,
}

/// The value of `--lang`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LanguageChoice {
    /// 简体中文.
    #[value(alias = "zh-CN", alias = "zh_CN", alias = "cn")]
    Zh,
    /// English.
    En,
}

/// Returns the language, before the arguments are parsed, so that even their errors are said in it.
pub(crate) fn language(arguments: &[OsString], environment: &Environment) -> Language {
    let mut stated = None;
    let mut texts = arguments.iter().skip(1).filter_map(|argument| argument.to_str());
    while let Some(text) = texts.next() {
        match text.strip_prefix("--lang") {
            Some("") => stated = texts.next(),
            Some(rest) => stated = rest.strip_prefix('=').or(stated),
            None if text == "--" => break,
            None => {}
        }
    }
    match stated {
        Some(stated) if stated.starts_with("zh") || stated == "cn" => Language::Chinese,
        Some("en") => Language::English,
        _ => Language::from_locale(environment.locale.as_deref().unwrap_or_default()),
    }
}

/// Everything that changes how any command behaves.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// How results are printed.
    pub(crate) format: Format,
    /// Whether each figure is explained.
    pub(crate) explain: bool,
    /// The day that counts as today.
    pub(crate) today: Date,
    /// The same, where the user stated it; a server that runs for weeks asks the clock instead.
    pub(crate) stated_today: Option<Date>,
    /// Whether results may be coloured.
    pub(crate) colour: bool,
    /// Columns that a report may take.
    pub(crate) width: usize,
    /// The ledger that the environment names.
    pub(crate) ledger: Option<String>,
    /// The folder of the user's data.
    pub(crate) data: Option<PathBuf>,
    /// Secrets that the environment holds.
    pub(crate) secrets: Secrets,
}

impl Settings {
    /// Joins arguments and environment.
    pub(crate) fn new(global: &Global, environment: &Environment) -> Result<Self, CommandError> {
        let stated_today = stated_today(global)?;
        Ok(Self {
            format: global.format,
            explain: global.explain,
            today: stated_today.unwrap_or_else(|| jiff::ZonedDateTime::now().date()),
            stated_today,
            colour: environment.terminal_out && !environment.no_color,
            width: environment.width.unwrap_or(DEFAULT_WIDTH).clamp(40, WIDEST),
            ledger: environment.ledger.clone(),
            data: environment.data.clone(),
            secrets: environment.secrets.clone(),
        })
    }

    /// Returns the settings of a call that is made long after the program started, as JSON.
    pub(crate) fn of_call(&self, global: &Global) -> Result<Self, CommandError> {
        let stated_today = stated_today(global)?.or(self.stated_today);
        let today = stated_today.unwrap_or_else(|| jiff::ZonedDateTime::now().date());
        Ok(Self { format: Format::Json, colour: false, stated_today, today, ..self.clone() })
    }
}

fn stated_today(global: &Global) -> Result<Option<Date>, CommandError> {
    let stated = global.today.as_ref().map(|text| {
        text.parse().map_err(|_| {
            CommandError::user(Phrase::new("error-today").with("text", text))
                .hint(Phrase::new("hint-today"))
        })
    });
    stated.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(arguments: &[&str], locale: &str) -> Language {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let locale = Some(locale.to_owned()).filter(|locale| !locale.is_empty());
        language(&arguments, &Environment { locale, ..Environment::default() })
    }

    #[test]
    fn the_flag_beats_the_locale_and_no_locale_means_english() {
        assert_eq!(said(&["kasuan", "plan"], "zh_CN.UTF-8"), Language::Chinese);
        assert_eq!(said(&["kasuan", "plan"], ""), Language::English);
        assert_eq!(said(&["kasuan", "--lang", "en"], "zh_CN.UTF-8"), Language::English);
        assert_eq!(said(&["kasuan", "--lang=zh"], "C"), Language::Chinese);
        assert_eq!(said(&["kasuan", "run", "--", "--lang=zh"], "C"), Language::English);
    }
}
