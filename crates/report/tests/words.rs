//! Every message that any room speaks has its words, in both languages, with the same variables.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

use fluent_syntax::{
    ast::{self, Entry, Expression, InlineExpression, PatternElement},
    parser,
};
use kasuan_report::{Language, sources};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Keys that are put together at run time, by their beginning; each is checked where it is used.
const FAMILIES: &[&str] = &[
    "mode-",
    "import-format-",
    "price-column-",
    "cmd-",
    "web-",
    "cost-",
    "task-",
    "baseline-",
    "confidence-",
    "field-",
    "section-",
    "storage-kind-",
    "driver-",
    "template-",
    "io-",
    "syntax-",
];

type Variables = BTreeSet<String>;

/// Reads every key of a language with its variables.
fn keys(language: Language) -> BTreeMap<String, Variables> {
    let mut keys = BTreeMap::new();
    for (file, text) in sources(language) {
        let resource = parser::parse(*text).unwrap_or_else(|(_, errors)| {
            panic!("{}/{file} does not parse: {errors:?}", language.tag())
        });
        for entry in resource.body {
            let Entry::Message(message) = entry else { continue };
            let name = message.id.name.to_owned();
            let mut variables = Variables::new();
            let value = message.value.unwrap_or_else(|| panic!("{file}: `{name}` has no words"));
            collect(&value, &mut variables);
            let before = keys.insert(name.clone(), variables);
            assert!(before.is_none(), "{}/{file}: `{name}` stands twice", language.tag());
        }
    }
    keys
}

fn collect(pattern: &ast::Pattern<&str>, variables: &mut Variables) {
    for element in &pattern.elements {
        let PatternElement::Placeable { expression } = element else { continue };
        collect_expression(expression, variables);
    }
}

fn collect_expression(expression: &Expression<&str>, variables: &mut Variables) {
    match expression {
        Expression::Inline(inline) => collect_inline(inline, variables),
        Expression::Select { selector, variants } => {
            collect_inline(selector, variables);
            for variant in variants {
                collect(&variant.value, variables);
            }
        }
    }
}

fn collect_inline(inline: &InlineExpression<&str>, variables: &mut Variables) {
    match inline {
        InlineExpression::VariableReference { id } => {
            variables.insert(id.name.to_owned());
        }
        InlineExpression::Placeable { expression } => collect_expression(expression, variables),
        InlineExpression::FunctionReference { arguments, .. } => {
            for argument in &arguments.positional {
                collect_inline(argument, variables);
            }
        }
        _ => {}
    }
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the source text of every room, without the tests that stand in separate folders.
fn rooms() -> Vec<(PathBuf, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        let source = entry.unwrap().path().join("src");
        if source.is_dir() {
            rust_files(&source, &mut files);
        }
    }
    files.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// Reads a string literal at the start of a text; returns it and the rest.
fn literal(text: &str) -> Option<(&str, &str)> {
    text.trim_start().strip_prefix('"')?.split_once('"')
}

/// Returns the rest behind the bracket that closes the one already open.
fn behind_bracket(text: &str) -> &str {
    let mut depth = 1;
    let mut in_string = false;
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            '(' if !in_string => depth += 1,
            ')' if !in_string => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[at + 1..];
        }
    }
    ""
}

/// Returns each `Phrase::new("key")` of a source with the names that are chained to it.
fn spoken(source: &str) -> Vec<(String, Variables)> {
    let mut found = Vec::new();
    for (at, mark) in source.match_indices("Phrase::new(") {
        let Some((key, rest)) = literal(&source[at + mark.len()..]) else { continue };
        let mut rest = behind_bracket(rest);
        let mut variables = Variables::new();
        loop {
            let next = rest.trim_start();
            let call = [".with(", ".with_word(", ".with_io("]
                .into_iter()
                .find_map(|call| next.strip_prefix(call));
            let Some((name, behind)) = call.and_then(literal) else { break };
            variables.insert(name.to_owned());
            rest = behind_bracket(behind);
        }
        found.push((key.to_owned(), variables));
    }
    found
}

#[test]
fn both_languages_have_the_same_keys_with_the_same_variables() {
    let chinese = keys(Language::Chinese);
    let english = keys(Language::English);
    let mut wrong = Vec::new();
    for key in chinese.keys().chain(english.keys()).collect::<BTreeSet<_>>() {
        match (chinese.get(key), english.get(key)) {
            (Some(zh), Some(en)) if zh == en => {}
            (Some(zh), Some(en)) => wrong.push(format!("`{key}`: zh-CN uses {zh:?}, en {en:?}")),
            (None, _) => wrong.push(format!("`{key}` is missing in zh-CN")),
            (_, None) => wrong.push(format!("`{key}` is missing in en")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_phrase_has_words_with_exactly_its_variables() {
    let known = keys(Language::Chinese);
    let mut wrong = Vec::new();
    let mut count = 0;
    for (path, source) in rooms() {
        for (key, given) in spoken(&source) {
            count += 1;
            let path = path.display();
            match known.get(&key) {
                None => wrong.push(format!("{path}: `{key}` has no words")),
                Some(wanted) if *wanted != given => {
                    wrong.push(format!("{path}: `{key}` is given {given:?} but says {wanted:?}"));
                }
                Some(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 20, "the walk found only {count} phrases");
}

#[test]
fn no_key_is_left_over() {
    let code: String = rooms().into_iter().map(|(_, source)| source).collect();
    let unused: Vec<String> = keys(Language::Chinese)
        .into_keys()
        .filter(|key| !FAMILIES.iter().any(|family| key.starts_with(family)))
        .filter(|key| !code.contains(&format!("\"{key}\"")))
        .collect();
    assert!(unused.is_empty(), "keys that nothing says: {}", unused.join(", "));
}

#[test]
fn every_column_of_a_price_card_has_a_name_in_both_languages() {
    for language in Language::ALL {
        let words = kasuan_report::Words::new(language);
        for column in kasuan_formats::market::price_card::COLUMNS {
            assert!(words.has(&format!("price-column-{}", column.name)), "{}", column.name);
        }
    }
}
