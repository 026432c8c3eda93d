//! The licence check: every dependency under a licence we accept, from the public registry, and
//! not too many of them.

use serde_json::Value;
use std::process::Command;

/// Licences that may be linked into an Apache-2.0 program and that ask for no more than credit.
const ACCEPTED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// The most packages that the lock file may name; raising it is a decision, not a side effect.
/// It was 300 before the web pages, whose server (axum, hyper) and templates bring 28.
const MOST_PACKAGES: usize = 340;

/// Checks every package that cargo resolves.
pub(crate) fn check() -> Result<(), String> {
    println!("== licences: cargo metadata");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--format-version", "1"])
        .output()
        .map_err(|error| format!("licences: cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("licences: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("licences: cargo metadata is not JSON: {error}"))?;
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let wrong: Vec<String> = packages.iter().filter_map(complaint).collect();
    println!("{} packages in the lock file, {MOST_PACKAGES} allowed", packages.len());
    if packages.len() > MOST_PACKAGES {
        return Err(format!("licences: more than {MOST_PACKAGES} packages"));
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("licences:\n  {}", wrong.join("\n  "))) }
}

fn complaint(package: &Value) -> Option<String> {
    let name = package["name"].as_str().unwrap_or("?");
    match package["source"].as_str() {
        // Our own rooms have no source.
        None => return None,
        Some(source) if source.starts_with("registry+") => {}
        Some(source) => return Some(format!("{name} does not come from a registry: {source}")),
    }
    match package["license"].as_str() {
        Some(licence) if accepts(licence) => None,
        Some(licence) => Some(format!("{name} is under `{licence}`, which is not accepted")),
        None => Some(format!("{name} states no licence")),
    }
}

/// Evaluates an SPDX expression of `OR`, `AND` and brackets: one side of an `OR` is enough.
fn accepts(expression: &str) -> bool {
    // The old form `MIT/Apache-2.0` means `OR`.
    let expression = expression.replace('/', " OR ");
    let spaced = expression.replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let accepted = any_of(&words, &mut at);
    accepted && at == words.len()
}

fn any_of(words: &[&str], at: &mut usize) -> bool {
    let mut accepted = all_of(words, at);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        // Not short-circuited: the words have to be read in any case.
        let right = all_of(words, at);
        accepted = accepted || right;
    }
    accepted
}

fn all_of(words: &[&str], at: &mut usize) -> bool {
    let mut accepted = one(words, at);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        let right = one(words, at);
        accepted = accepted && right;
    }
    accepted
}

fn one(words: &[&str], at: &mut usize) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let accepted = any_of(words, at);
        let closed = words.get(*at) == Some(&")");
        *at += 1;
        return accepted && closed;
    }
    if words.get(*at) == Some(&"WITH") {
        let with = format!("{word} WITH {}", words.get(*at + 1).unwrap_or(&""));
        *at += 2;
        return ACCEPTED.contains(&with.as_str());
    }
    ACCEPTED.contains(word)
}

#[cfg(test)]
mod tests {
    use super::accepts;

    #[test]
    fn an_expression_is_accepted_when_some_choice_is() {
        assert!(accepts("MIT OR GPL-3.0"));
        assert!(accepts("Unlicense/MIT"));
        assert!(accepts("(Apache-2.0 OR MIT) AND BSD-3-Clause"));
        assert!(accepts("Apache-2.0 WITH LLVM-exception OR GPL-2.0"));
        assert!(!accepts("MIT AND GPL-3.0"));
        assert!(!accepts("AGPL-3.0"));
        assert!(!accepts("(MIT"));
        assert!(!accepts(""));
    }
}
