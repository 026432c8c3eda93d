//! Every word that a template or a page asks for exists, and none is left over.

use kasuan_report::{Language, Words, sources};
use std::{collections::BTreeSet, fs, path::Path};

/// Keys that are put together from a column, an example or another name.
const FAMILIES: &[&str] =
    &["web-day-", "web-column-", "web-holder-", "web-example-", "web-doctor-"];

fn read(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(&path, text);
        } else {
            text.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn every_word_of_the_pages_exists_and_none_is_left_over() {
    let room = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut text = String::new();
    read(&room.join("src"), &mut text);
    read(&room.join("templates"), &mut text);
    let asked: BTreeSet<&str> = text
        .split('"')
        .filter(|part| part.starts_with("web-"))
        .filter(|part| part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)))
        .collect();
    assert!(asked.len() > 50, "the walk found only {}", asked.len());
    let words = Words::new(Language::English);
    let missing: Vec<_> = asked.iter().filter(|key| !words.has(key)).collect();
    assert!(missing.is_empty(), "no words for {missing:?}");
    for (file, text) in sources(Language::English) {
        let keys = text.lines().filter_map(|line| line.split(" = ").next());
        for key in keys.filter(|key| key.starts_with("web-")) {
            let is_family = FAMILIES.iter().any(|family| key.starts_with(family));
            assert!(is_family || asked.contains(key), "{file}: nothing asks for `{key}`");
        }
    }
}
