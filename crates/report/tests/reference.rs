//! The published reference of the workload file is what the table of fields says.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

use kasuan_report::{Language, Words, workload_page, workload_schema};
use std::{fs, path::Path};

/// Compares a published file; `UPDATE_DOCS=1` writes it anew.
fn published(path: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(path);
    #[expect(clippy::disallowed_methods, reason = "a test's own switch, as other snapshots have")]
    if std::env::var("UPDATE_DOCS").is_ok() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let now = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        now == text,
        "{} is out of date; run the tests once with UPDATE_DOCS=1",
        path.display()
    );
}

#[test]
fn the_schema_and_the_pages_are_up_to_date() {
    for (language, schema, page) in [
        (Language::English, "schema/workload.schema.json", "workload.md"),
        (Language::Chinese, "schema/workload.zh-CN.schema.json", "workload.zh-CN.md"),
    ] {
        let words = Words::new(language);
        published(schema, &format!("{:#}\n", workload_schema(&words)));
        published(page, &workload_page(&words));
    }
}

#[test]
fn every_field_has_a_description_in_both_languages() {
    for language in Language::ALL {
        let words = Words::new(language);
        for section in kasuan_formats::workload::fields::SECTIONS {
            assert!(words.has(&format!("section-{}", section.name)), "section-{}", section.name);
            for field in section.fields {
                let key = format!("field-{}-{}", section.name, field.name);
                assert!(words.has(&key), "{key} is missing in {}", language.tag());
            }
        }
    }
}
