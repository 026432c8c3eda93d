//! Commands as tools for programs: named arguments become a command line, and what the command
//! prints is taken instead of shown. Assistants (`kasuan mcp`) and the API (`kasuan serve`) use the
//! same way, so that neither can say another thing than the command line.

use crate::{
    arguments, commands,
    context::Context,
    error::{CommandError, Refusal},
    help,
    settings::Settings,
};
use clap::{Arg, ArgAction, Command};
use kasuan_model::Phrase;
use kasuan_report::{Language, Words};
use serde_json::{Map, Value, json};
use std::{any::TypeId, ffi::OsString};

/// The commands that are tools: questions, which change nothing.
pub(crate) const TOOLS: [&str; 6] = ["plan", "fit", "offers", "bill", "doctor", "review"];

/// Arguments that write a file, or that print something else than the JSON contract.
const NOT_ASKED: &[(&str, &str)] = &[
    ("plan", "output"),
    ("plan", "calendar"),
    ("plan", "time_zone"),
    ("plan", "show_defaults"),
    ("review", "output"),
];
/// Arguments that every tool takes beside its own.
const GLOBAL: [&str; 2] = ["lang", "today"];
/// The argument that holds a workload's text, instead of a file's name.
const WORKLOAD: &str = "workload";

/// What a tool answered.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The JSON document, as the command line prints it.
    pub(crate) printed: String,
    /// What was said beside it.
    pub(crate) said: Vec<String>,
}

/// Calls commands.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    settings: Settings,
    /// The language where a call names none.
    language: Language,
}

impl Tools {
    /// Prepares calls in the surroundings of a command.
    pub(crate) fn new(context: &Context) -> Self {
        Self { settings: context.settings.clone(), language: context.words.language() }
    }

    /// Returns each tool's name, what it does, and the schema of its arguments.
    pub(crate) fn described(&self) -> Vec<(&'static str, String, Map<String, Value>)> {
        let words = Words::new(self.language);
        let whole = help::command(&words);
        let one = |name: &'static str| {
            let command = whole.find_subcommand(name)?;
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            Some((name, about, schema(name, command, &whole, &words)))
        };
        TOOLS.into_iter().filter_map(one).collect()
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// What the command line would say, exit codes 2 and 3.
    pub(crate) fn call(
        &self,
        name: &str,
        given: &Map<String, Value>,
    ) -> Result<Answer, Box<(CommandError, Words)>> {
        let stated = given.get("lang").and_then(Value::as_str);
        let language = match stated {
            Some("en") => Language::English,
            Some(text) if text.starts_with("zh") => Language::Chinese,
            _ => self.language,
        };
        let words = Words::new(language);
        let failed = |error| Box::new((error, Words::new(language)));
        let line = line(name, given, &words).map_err(failed)?;
        let workload = given.get(WORKLOAD).and_then(Value::as_str).unwrap_or_default();
        let cli = arguments::parse(&line, &words).map_err(|refusal| match refusal {
            Refusal::Wrong(error) => failed(error),
            Refusal::Asked(_) => failed(CommandError::user(Phrase::new("error-command-missing"))),
        })?;
        let settings = self.settings.of_call(&cli.global).map_err(failed)?;
        let mut context = Context::taking(settings, words, workload.to_owned());
        // An answer that is no (over budget, does not fit) is an answer.
        commands::run(&cli.command, &mut context).map_err(failed)?;
        let (printed, said) = context.into_taken();
        Ok(Answer { printed, said })
    }
}

/// Puts named arguments into a command line.
fn line(
    name: &str,
    given: &Map<String, Value>,
    words: &Words,
) -> Result<Vec<OsString>, CommandError> {
    let whole = help::command(words);
    let known = || Phrase::new("hint-possible-values").with("values", TOOLS.join(", "));
    let command =
        whole.find_subcommand(name).filter(|_| TOOLS.contains(&name)).ok_or_else(|| {
            CommandError::user(Phrase::new("error-command-unknown").with("command", name))
                .hint(known())
        })?;
    let mut line = vec!["kasuan".to_owned()];
    let mut last = Vec::new();
    let mut options = Vec::new();
    for (key, value) in given {
        if key == WORKLOAD && name == "plan" {
            if given.contains_key("file") {
                return Err(CommandError::user(
                    Phrase::new("error-argument-conflict")
                        .with("argument", "file")
                        .with("other", WORKLOAD),
                ));
            }
            last.push("-".to_owned());
            continue;
        }
        if GLOBAL.contains(&key.as_str()) {
            line.push(format!("--{key}={}", text(key, value)?));
            continue;
        }
        let argument =
            asked(name, command).find(|one| one.get_id() == key.as_str()).ok_or_else(|| {
                let names: Vec<&str> =
                    asked(name, command).map(|one| one.get_id().as_str()).collect();
                CommandError::user(Phrase::new("error-argument-unknown").with("argument", key))
                    .hint(Phrase::new("hint-possible-values").with("values", names.join(", ")))
            })?;
        put(argument, value, &mut options, &mut last)?;
    }
    line.push(name.to_owned());
    line.append(&mut options);
    line.push("--".to_owned());
    line.append(&mut last);
    Ok(line.into_iter().map(OsString::from).collect())
}

/// Returns the arguments of a command that a tool may be asked with.
fn asked<'a>(name: &'a str, command: &'a Command) -> impl Iterator<Item = &'a Arg> {
    command.get_arguments().filter(move |argument| {
        let id = argument.get_id().as_str();
        !argument.is_global_set()
            && !matches!(argument.get_action(), ArgAction::Help | ArgAction::Version)
            && !NOT_ASKED.contains(&(name, id))
    })
}

/// Adds an argument to the command line.
fn put(
    argument: &Arg,
    value: &Value,
    options: &mut Vec<String>,
    last: &mut Vec<String>,
) -> Result<(), CommandError> {
    let id = argument.get_id().as_str();
    if value.is_null() {
        return Ok(());
    }
    if matches!(argument.get_action(), ArgAction::SetTrue) {
        return match value {
            Value::Bool(true) => {
                options.push(format!("--{}", argument.get_long().unwrap_or(id)));
                Ok(())
            }
            Value::Bool(false) => Ok(()),
            other => Err(wrong(id, other)),
        };
    }
    let values = match value {
        Value::Array(values) if matches!(argument.get_action(), ArgAction::Append) => {
            values.clone()
        }
        one => vec![one.clone()],
    };
    for value in values {
        let text = text(id, &value)?;
        match argument.get_long() {
            Some(long) => options.push(format!("--{long}={text}")),
            None => last.push(text),
        }
    }
    Ok(())
}

/// Returns a value as it stands on a command line; `-` would read the stream of the calls.
fn text(key: &str, value: &Value) -> Result<String, CommandError> {
    match value {
        Value::String(text) if text != "-" => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(truth) => Ok(truth.to_string()),
        other => Err(wrong(key, other)),
    }
}

fn wrong(key: &str, value: &Value) -> CommandError {
    CommandError::user(
        Phrase::new("error-argument-value").with("value", value).with("argument", key),
    )
}

/// Writes the JSON Schema of a tool's arguments.
fn schema(name: &str, command: &Command, whole: &Command, words: &Words) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    if name == "plan" {
        let says = words.word("mcp-workload");
        properties.insert(WORKLOAD.to_owned(), json!({"type": "string", "description": says}));
    }
    let global = whole.get_arguments().filter(|one| GLOBAL.contains(&one.get_id().as_str()));
    for argument in asked(name, command).chain(global) {
        let id = argument.get_id().as_str();
        properties.insert(id.to_owned(), property(argument));
        if argument.is_required_set() && !(name == "plan" && id == "file") {
            required.push(id);
        }
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("required".to_owned(), json!(required));
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

fn property(argument: &Arg) -> Value {
    let parser = argument.get_value_parser().type_id();
    let is = |kinds: &[TypeId]| kinds.iter().any(|kind| parser == *kind);
    let whole = [TypeId::of::<u32>(), TypeId::of::<u64>(), TypeId::of::<usize>()];
    let values: Vec<String> =
        argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let kind = if matches!(argument.get_action(), ArgAction::SetTrue) || is(&[TypeId::of::<bool>()])
    {
        json!({"type": "boolean"})
    } else if is(&whole) {
        json!({"type": "integer"})
    } else if is(&[TypeId::of::<f64>()]) {
        json!({"type": "number"})
    } else if values.is_empty() {
        json!({"type": "string"})
    } else {
        json!({"type": "string", "enum": values})
    };
    let mut property = match argument.get_action() {
        ArgAction::Append => json!({"type": "array", "items": kind}),
        _ => kind,
    };
    let says = argument.get_help().map(ToString::to_string).unwrap_or_default();
    property["description"] = json!(says);
    property
}
