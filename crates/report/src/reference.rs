//! The reference of the workload file, from the one table of its fields: JSON Schema and page.

use crate::Words;
use kasuan_formats::workload::fields::{FILE, Field, Kind, SECTIONS, Section};
use kasuan_model::Phrase;
use serde_json::{Map, Value, json};

/// Writes the JSON Schema of the workload file, with descriptions in the reader's language.
pub fn workload_schema(words: &Words) -> Value {
    let mut definitions = Map::new();
    for section in SECTIONS.iter().filter(|section| section.name != FILE.name) {
        definitions.insert(section.name.to_owned(), section_schema(section, words));
    }
    let mut schema = section_schema(&FILE, words);
    if let Value::Object(root) = &mut schema {
        root.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        root.insert("title".to_owned(), json!(words.word("reference-title")));
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    schema
}

fn section_schema(section: &Section, words: &Words) -> Value {
    let mut properties = Map::new();
    for field in section.fields {
        let mut schema = kind_schema(&field.kind);
        if let Value::Object(map) = &mut schema {
            map.insert("description".to_owned(), json!(description(section, field, words)));
        }
        properties.insert(field.name.to_owned(), schema);
    }
    let required: Vec<_> =
        section.fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    let mut schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    });
    // A job that is taken from a task file needs nothing else.
    let from = section.fields.iter().any(|field| field.name == "from");
    if let Value::Object(map) = &mut schema {
        if from {
            let either = json!([{"required": required}, {"required": ["from"]}]);
            map.insert("anyOf".to_owned(), either);
        } else {
            map.insert("required".to_owned(), json!(required));
        }
    }
    schema
}

fn kind_schema(kind: &Kind) -> Value {
    match kind {
        Kind::Text => json!({"type": ["string", "number"]}),
        Kind::Number => json!({"type": ["number", "string"]}),
        Kind::Whole(least) => json!({"type": "integer", "minimum": least}),
        Kind::Flag => json!({"type": "boolean"}),
        // Aliases and other cases are read too, so that words are examples and no bound.
        Kind::OneOf(words) => json!({"anyOf": [{"enum": words}, {"type": "string"}]}),
        Kind::Form(examples) => json!({"type": ["string", "number"], "examples": examples}),
        Kind::Several(kind) => {
            let one = kind_schema(kind);
            json!({"anyOf": [one, {"type": "array", "items": one}]})
        }
        Kind::Inside(section) => json!({"$ref": format!("#/$defs/{}", section.name)}),
        Kind::Each(section) => {
            json!({"type": "array", "items": {"$ref": format!("#/$defs/{}", section.name)}})
        }
        Kind::Named(kind) => json!({"type": "object", "additionalProperties": kind_schema(kind)}),
        Kind::Either(kinds) => {
            json!({"anyOf": kinds.iter().map(kind_schema).collect::<Vec<_>>()})
        }
    }
}

fn description(section: &Section, field: &Field, words: &Words) -> String {
    words.word(&format!("field-{}-{}", section.name, field.name))
}

/// Writes the page that tells every field of the workload file, as Markdown.
pub fn workload_page(words: &Words) -> String {
    let mut page =
        format!("# {}\n\n{}\n", words.word("reference-title"), words.word("reference-intro"));
    for section in SECTIONS {
        let heading = words.word(&format!("section-{}", section.name));
        page.push_str(&format!("\n## {heading}\n\n"));
        page.push_str(&format!(
            "| {} | {} | {} |\n| --- | --- | --- |\n",
            words.word("reference-field"),
            words.word("reference-value"),
            words.word("reference-meaning"),
        ));
        for field in section.fields {
            let must =
                if field.required { words.word("reference-required") } else { String::new() };
            page.push_str(&format!(
                "| `{}`{must} | {} | {} |\n",
                field.name,
                value(&field.kind, words).replace('|', "\\|"),
                description(section, field, words).replace('|', "\\|"),
            ));
        }
    }
    page
}

fn value(kind: &Kind, words: &Words) -> String {
    let code =
        |texts: &[&str]| texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(" ");
    match kind {
        Kind::Text => words.word("reference-text"),
        Kind::Number => words.word("reference-number"),
        Kind::Whole(least) => words.say(&Phrase::new("reference-whole").with("least", least)),
        Kind::Flag => code(&["true", "false"]),
        Kind::OneOf(choices) => code(choices),
        Kind::Form(examples) => code(examples),
        Kind::Several(kind) => {
            let one = value(kind, words);
            words.say(&Phrase::new("reference-several").with("value", one))
        }
        Kind::Inside(section) => {
            let name = words.word(&format!("section-{}", section.name));
            words.say(&Phrase::new("reference-inside").with("section", name))
        }
        Kind::Each(section) => {
            let name = words.word(&format!("section-{}", section.name));
            words.say(&Phrase::new("reference-each").with("section", name))
        }
        Kind::Named(kind) => {
            let one = value(kind, words);
            words.say(&Phrase::new("reference-named").with("value", one))
        }
        Kind::Either(kinds) => {
            let kinds: Vec<_> = kinds.iter().map(|kind| value(kind, words)).collect();
            kinds.join(&words.word("reference-or"))
        }
    }
}
