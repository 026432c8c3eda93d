//! Help texts in the reader's language, put over the arguments that clap derives.
//!
//! Keys: `cmd-plan` for a command, `cmd-plan--output` for its argument, `cmd-advise-spot` for a
//! command below another, `cmd-global--format` for what every command takes.

use crate::arguments::Cli;
use clap::{Arg, Command, CommandFactory as _};
use kasuan_model::Phrase;
use kasuan_report::Words;

/// Returns the command line with every help text in the reader's language.
pub(crate) fn command(words: &Words) -> Command {
    let command = localised(Cli::command(), "cmd-kasuan", words);
    command.version(env!("CARGO_PKG_VERSION")).after_help(words.word("help-more"))
}

fn localised(command: Command, key: &str, words: &Words) -> Command {
    let template = format!(
        "{{about-with-newline}}\n{} {{usage}}\n\n{{all-args}}{{after-help}}\n",
        words.word("help-usage")
    );
    command
        .about(words.word(key))
        .help_template(template)
        .subcommand_help_heading(words.word("help-commands"))
        .subcommand_value_name(words.word("help-command-name"))
        .mut_args(|argument| {
            let heading = words.word(heading(&argument));
            let text = text(&argument, key, words);
            let takes_value = argument.get_action().takes_values();
            let argument = argument.help(text).help_heading(heading);
            if takes_value {
                argument.hide_possible_values(true).hide_default_value(true)
            } else {
                argument
            }
        })
        .mut_subcommands(|below| {
            let name = below.get_name().to_owned();
            let parent = if key == "cmd-kasuan" { "cmd" } else { key };
            localised(below, &format!("{parent}-{name}"), words)
        })
}

/// Returns an argument's help with its possible values and its default, which clap only says in
/// English.
fn text(argument: &Arg, command: &str, words: &Words) -> String {
    let mut text = words.word(&argument_key(command, argument));
    if !argument.get_action().takes_values() {
        return text;
    }
    let values = argument.get_possible_values();
    let values: Vec<_> = values.iter().map(|value| value.get_name().to_owned()).collect();
    if !values.is_empty() {
        let values = Phrase::new("help-values").with("values", values.join(" | "));
        text.push_str(&words.say(&values));
    }
    let default: Vec<_> =
        argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if !default.is_empty() {
        let default = Phrase::new("help-default").with("value", default.join(" "));
        text.push_str(&words.say(&default));
    }
    text
}

fn heading(argument: &Arg) -> &'static str {
    if argument.is_positional() {
        "help-arguments"
    } else if argument.is_global_set() {
        "help-global"
    } else {
        "help-options"
    }
}

fn argument_key(command: &str, argument: &Arg) -> String {
    let owner = if argument.is_global_set() { "cmd-global" } else { command };
    format!("{owner}--{}", argument.get_id())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasuan_report::Language;

    fn keys(command: &Command, key: &str, found: &mut Vec<String>) {
        found.push(key.to_owned());
        found.extend(command.get_arguments().map(|argument| argument_key(key, argument)));
        for below in command.get_subcommands() {
            let parent = if key == "cmd-kasuan" { "cmd" } else { key };
            keys(below, &format!("{parent}-{}", below.get_name()), found);
        }
    }

    #[test]
    fn every_command_and_argument_has_help_in_both_languages() {
        let mut wanted = Vec::new();
        keys(&Cli::command(), "cmd-kasuan", &mut wanted);
        wanted.sort();
        wanted.dedup();
        for language in Language::ALL {
            let words = Words::new(language);
            let missing: Vec<_> = wanted.iter().filter(|key| !words.has(key)).collect();
            assert!(missing.is_empty(), "no help text in {}: {missing:?}", language.tag());
            for (file, text) in kasuan_report::sources(language) {
                for line in text.lines().filter(|line| line.starts_with("cmd-")) {
                    let key = line.split(' ').next().unwrap_or_default().to_owned();
                    assert!(wanted.contains(&key), "{file}: `{key}` belongs to no command");
                }
            }
        }
    }

    #[test]
    fn the_command_line_is_well_formed() {
        command(&Words::new(Language::English)).debug_assert();
    }
}
