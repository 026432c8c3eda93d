//! `cargo xtask ci`: everything that has to hold before a change lands, fast checks first.

use crate::{licences, packages};
use std::{
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
};

/// Runs all steps and returns whether every one passed.
pub(crate) fn run() -> Result<(), String> {
    packages::ensure()?;
    step("formatting", &["fmt", "--all", "--check"])?;
    licences::check()?;
    step(
        "lints",
        &["clippy", "--locked", "--workspace", "--all-targets", "--", "--deny", "warnings"],
    )?;
    tests()
}

fn step(name: &str, args: &[&str]) -> Result<(), String> {
    println!("== {name}: cargo {}", args.join(" "));
    let status = Command::new(env!("CARGO")).args(args).status();
    let status = status.map_err(|error| format!("{name}: cannot start cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} failed")) }
}

/// Runs the tests, passing their output through, and closes with one line of totals.
fn tests() -> Result<(), String> {
    let args = ["test", "--locked", "--workspace", "--no-fail-fast"];
    println!("== tests: cargo {}", args.join(" "));
    // A test that finds its tool missing fails here instead of passing without having looked.
    let mut child = Command::new(env!("CARGO"))
        .args(args)
        .env("KASUAN_REQUIRE_TOOLS", "1")
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("tests: cannot start cargo: {error}"))?;
    let (mut passed, mut failed, mut ignored) = (0_u64, 0_u64, 0_u64);
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if let Some(counts) = line.strip_prefix("test result: ") {
                passed += count(counts, "passed");
                failed += count(counts, "failed");
                ignored += count(counts, "ignored");
            }
            println!("{line}");
        }
    }
    let status = child.wait().map_err(|error| format!("tests: {error}"))?;
    println!("kasuan: {passed} passed, {failed} failed, {ignored} skipped");
    if passed == 0 {
        return Err("no test ran".to_owned());
    }
    if status.success() { Ok(()) } else { Err("tests failed".to_owned()) }
}

/// Reads the number before `word` in `ok. 12 passed; 0 failed; ...`.
fn count(counts: &str, word: &str) -> u64 {
    let before = counts.split(word).next().unwrap_or("").trim_end();
    before.rsplit([' ', ';']).next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn totals_are_read_from_the_test_runner() {
        let line = "FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out";
        assert_eq!(
            (count(line, "passed"), count(line, "failed"), count(line, "ignored")),
            (12, 3, 1)
        );
    }
}
