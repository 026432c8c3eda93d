//! Project chores that are not one `cargo` command: see `cargo xtask help`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a chore talks to its terminal")]

mod ci;
mod licences;
mod models;
mod packages;
mod predict_doctor;
mod predict_memory;
#[cfg(test)]
mod tidy;
mod time;

use std::process::ExitCode;

const HELP: &str = "cargo xtask COMMAND

  ci          install what tests need, then format check, licences, lints, all tests
  predict     KIND FILE.csv: what this version predicts for the rows of a truth file, as CSV;
              KIND is doctor, memory or time; memory with --parts adds what each estimate is made
              of, with --unnamed too, as if no training program were known by its name
  models      build data/models/models.csv from data/models/configs.jsonl
  calibrate   time FILE.csv [--check]: fit the coefficients of the time model to measured runs;
              --check compares with the shipped file instead of writing it;
              --leave-out card (or source, model) predicts each by a fit without it
  help        this text";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["ci"] => ci::run(),
        ["predict", "doctor", path] => predict_doctor::run(path),
        ["predict", "memory", path] => predict_memory::run(path, false, false),
        ["predict", "memory", path, "--parts"] => predict_memory::run(path, true, false),
        ["predict", "memory", path, "--unnamed"] => predict_memory::run(path, true, true),
        ["models"] => models::run(),
        ["calibrate", "time", truth] => time::calibrate(truth, false),
        ["calibrate", "time", truth, "--check"] => time::calibrate(truth, true),
        ["calibrate", "time", truth, "--leave-out", word] => match time::Left::of(word) {
            Some(left) => time::leave_out(truth, left),
            None => Err(format!("--leave-out takes source, card or model, not `{word}`")),
        },
        ["predict", "time", truth] => time::predict(truth, &mut std::io::stdout().lock()),
        ["help"] | [] => {
            println!("{HELP}");
            Ok(())
        }
        _ => Err(format!("`{}` is not a chore\n\n{HELP}", words.join(" "))),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(1)
        }
    }
}
