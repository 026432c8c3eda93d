//! What a parser of YAML, JSON or TOML stumbled over, as a word of ours: their own messages are
//! English only, and say what the parser wanted rather than what the writer did.

/// What the messages of the parsers have in common, and the word for it; the first that fits.
const CAUSES: &[(&[&str], &str)] = &[
    (&["missing field", "missing configuration field"], "syntax-missing"),
    (&["unknown field", "unknown variant"], "syntax-unknown"),
    (&["invalid type", "invalid value", "not an object"], "syntax-type"),
    (&["found record with"], "syntax-columns"),
    (&["utf-8"], "syntax-utf8"),
    (&["tab"], "syntax-tab"),
    (&["must be quoted"], "syntax-value"),
    (&["unknown anchor", "unknown alias"], "syntax-alias"),
    (
        &["quoted scalar", "basic string", "literal string", "eof while parsing a string"],
        "syntax-quote",
    ),
    (&["control character", "escape", "surrogate"], "syntax-escape"),
    (&["trailing comma", "key must be a string"], "syntax-json-key"),
    (&["duplicate key"], "syntax-twice"),
    (&["flow mapping", "flow sequence", "eof while parsing", "unexpected eof"], "syntax-bracket"),
    (&["unclosed", "inline table", "array"], "syntax-bracket"),
    (
        &["mapping values are not allowed", "simple key expected", "illegal placement"],
        "syntax-mapping",
    ),
    (&["block collection", "block mapping", "block sequence", "indent"], "syntax-indent"),
    (&["expected `,`", "expected `:`", "trailing characters"], "syntax-separator"),
    (&["key with no value", "expected `=`", "missing value", "expected value"], "syntax-value"),
    (&["not allowed in this context", "plain scalar", "node content"], "syntax-character"),
];

/// Returns the key of the word for what a parser says.
pub fn cause(message: &str) -> &'static str {
    let message = message.to_lowercase();
    CAUSES
        .iter()
        .find(|(parts, _)| parts.iter().any(|part| message.contains(part)))
        .map_or("syntax-other", |(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::super::tree::{Notation, parse};

    #[test]
    fn common_slips_are_named_by_what_the_writer_did() {
        let mut wrong = Vec::new();
        for (notation, text, word) in [
            (Notation::Yaml, "jobs:\n\t- name: a\n", "syntax-tab"),
            (Notation::Yaml, "jobs: [a, b\n", "syntax-bracket"),
            (Notation::Yaml, "name: \"open\njobs: 1\n", "syntax-bracket"),
            (Notation::Yaml, "a: b: c\n", "syntax-mapping"),
            (Notation::Yaml, "jobs:\n  - name: a\n task: b\n", "syntax-indent"),
            (Notation::Yaml, "a: *nobody\n", "syntax-alias"),
            (Notation::Json, "{\"a\": 1,}", "syntax-json-key"),
            (Notation::Json, "{\"a\": 1", "syntax-bracket"),
            (Notation::Json, "{\"a\" 1}", "syntax-separator"),
            (Notation::Json, "{\"a\": }", "syntax-value"),
            (Notation::Json, "{\"a\": \"open}", "syntax-quote"),
            (Notation::Toml, "a = \"open\n", "syntax-quote"),
            (Notation::Toml, "a = [1, 2\n", "syntax-bracket"),
            (Notation::Toml, "a =\n", "syntax-value"),
            (Notation::Toml, "a = 1\na = 2\n", "syntax-twice"),
        ] {
            let error = parse(text, notation).unwrap_err();
            let said = error.to_string();
            if !said.contains(word) {
                wrong.push(format!("{text:?}: {said}, not {word}"));
            }
        }
        assert_eq!(wrong, Vec::<String>::new());
    }
}
