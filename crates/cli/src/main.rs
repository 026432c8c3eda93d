//! The `kasuan` command: parses, calls the rooms, prints. One file a command in `commands/`.

mod arguments;
mod budgets;
mod calendar;
mod commands;
mod context;
mod error;
mod files;
mod help;
mod market;
mod month;
mod names;
mod price_store;
mod samples;
mod send;
mod settings;
mod store;
mod tools;
mod transfer;

use crate::{context::Context, settings::Settings};
use std::process::ExitCode;

fn main() -> ExitCode {
    let environment = settings::Environment::read();
    let arguments: Vec<_> = std::env::args_os().collect();
    let words = kasuan_report::Words::new(settings::language(&arguments, &environment));
    let cli = match arguments::parse(&arguments, &words) {
        Ok(cli) => cli,
        Err(refusal) => return refusal.print(&words, &environment),
    };
    let mut context = match Settings::new(&cli.global, &environment) {
        Ok(settings) => Context::new(settings, words),
        Err(error) => return error.print(&words, &environment),
    };
    match commands::run(&cli.command, &mut context) {
        Ok(exit) => exit.code(),
        Err(error) => error.print(&context.words, &environment),
    }
}
