//! A clean and a dirty sample of each price list that is understood, with the whole mapping report.

use crate::kasuan;
use serde_json::Value;
use std::{fs, path::Path};

fn sample(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/imports");
    fs::read(folder.join(name)).unwrap()
}

/// Imports bytes under a name, in a folder of their own.
fn import(name: &str, bytes: &[u8], arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), bytes).unwrap();
    let every = ["market", "import", name, "--limit", "0"];
    kasuan(folder.path(), &[&every[..], arguments].concat())
}

/// The samples, with what must be stated for them: `FORMAT-clean` and `FORMAT-dirty`.
const FORMATS: &[(&str, &str, &[&str])] = &[
    ("skypilot-v8", "csv", &["--provider", "aws"]),
    ("skypilot-v7", "csv", &["--provider", "oci"]),
    ("gpuhunt", "csv", &["--provider", "lambda"]),
    ("gpurentalprices", "json", &[]),
    ("tardellirs", "json", &[]),
    ("karpenter-aws", "go", &[]),
    ("karpenter-gcp", "json", &[]),
    ("karpenter-alibaba", "json", &["--provider", "alibaba", "--currency", "CNY"]),
    ("azure", "json", &[]),
    ("compshare", "json", &[]),
    ("autodl", "json", &[]),
    ("vast", "json", &[]),
    ("runpod", "json", &[]),
    ("price-card", "csv", &[]),
];

#[test]
fn clean_lists_are_taken_whole() {
    for (format, ending, stated) in FORMATS {
        let name = format!("{format}-clean.{ending}");
        let bytes = sample(&name);
        let said = ["zh", "en"].map(|lang| {
            let more = ["--observed", "2026-11-30", "--dry-run", "--lang", lang];
            import(&name, &bytes, &[stated, &more[..]].concat())
        });
        insta::assert_snapshot!(format!("import_{format}_clean"), said.concat());
    }
}

#[test]
fn dirty_lists_are_taken_in_part_and_every_other_row_is_told() {
    for (format, ending, stated) in FORMATS {
        let name = format!("{format}-dirty.{ending}");
        let bytes = sample(&name);
        let said = ["zh", "en"].map(|lang| {
            let more = ["--observed", "2026-11-30", "--dry-run", "--lang", lang];
            import(&name, &bytes, &[stated, &more[..]].concat())
        });
        insta::assert_snapshot!(format!("import_{format}_dirty"), said.concat());
    }
}

/// Of these a row says one price: it is taken, merged, refused, or about no card.
#[test]
fn no_row_is_dropped_silently() {
    for (format, ending, stated) in FORMATS {
        if ["skypilot-v8", "skypilot-v7", "autodl", "vast", "runpod"].contains(format) {
            continue;
        }
        for kind in ["clean", "dirty"] {
            let name = format!("{format}-{kind}.{ending}");
            let arguments = [stated, &["--dry-run", "--format", "json"][..]].concat();
            let said = import(&name, &sample(&name), &arguments);
            let report = json(&said);
            let count = |key: &str| report[key].as_u64().unwrap();
            let told = ["taken", "merged", "no_card", "refused", "terms"].map(count);
            assert_eq!(count("rows"), told.iter().sum::<u64>(), "{said}");
        }
    }
}

fn json(said: &str) -> Value {
    let text = &said[said.find("\n{").unwrap_or_else(|| panic!("{said}"))..];
    serde_json::Deserializer::from_str(text).into_iter().next().unwrap().unwrap()
}

/// A byte order mark, UTF-16 and GBK change nothing but a remark.
#[test]
fn other_encodings_are_read_as_what_they_are() {
    for name in ["price-card-dirty.csv", "price-card-clean.csv"] {
        let text = String::from_utf8(sample(name)).unwrap();
        let arguments = ["--dry-run", "--format", "json"];
        let plain = json(&import(name, text.as_bytes(), &arguments));
        let marked = json(&import(name, format!("\u{feff}{text}").as_bytes(), &arguments));
        assert_eq!(marked, plain);
        let utf_16: Vec<u8> =
            std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        let (gbk, _, _) = encoding_rs::GBK.encode(&text);
        for (bytes, encoding) in [(utf_16.as_slice(), "UTF-16LE"), (&*gbk, "GBK")] {
            let mut other = json(&import(name, bytes, &arguments));
            let lines = other["lines"].as_array_mut().unwrap();
            if !(encoding == "GBK" && text.is_ascii()) {
                let told = lines.iter().position(|line| line.to_string().contains(encoding));
                lines.remove(told.unwrap_or_else(|| panic!("{encoding} is not told")));
            }
            assert_eq!(other, plain, "{encoding}");
        }
    }
}

/// What a blocked download leaves, and files that are no price list at all.
#[test]
fn what_is_no_price_list_is_refused_with_a_way_out_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let files: [(&str, &[u8]); 7] = [
        ("catalog.json", b"<!DOCTYPE html><html><head><title>403</title></head></html>"),
        ("vms.csv", b"\xef\xbb\xbf  <html><body>Sign in</body></html>"),
        ("empty.csv", b""),
        ("cut.json", b"{\"offers\": [{\"gpu_name\": \"RTX"),
        ("other.json", b"{\"hello\": 1}"),
        ("other.csv", b"name,age\nyou,3\n"),
        ("photo.xlsx", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff\xff"),
    ];
    let mut said = String::new();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
        for lang in ["zh", "en"] {
            said += &kasuan(folder.path(), &["market", "import", name, "--lang", lang]);
        }
    }
    insta::assert_snapshot!("import_no_price_list", said);
    assert!(!folder.path().join("prices.csv").exists());
    assert!(!folder.path().join("prices.db").exists());
}

/// The same dirty table as a workbook: the report is that of the CSV.
#[test]
fn a_workbook_is_reported_as_the_table_in_it() {
    let text = String::from_utf8(sample("price-card-dirty.csv")).unwrap();
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    for (row, line) in text.lines().enumerate() {
        for (column, cell) in line.split(',').enumerate() {
            let (row, column) = (u32::try_from(row).unwrap(), u16::try_from(column).unwrap());
            match cell.parse::<f64>() {
                Ok(number) => sheet.write(row, column, number).unwrap(),
                Err(_) => sheet.write(row, column, cell).unwrap(),
            };
        }
    }
    let bytes = book.save_to_buffer().unwrap();
    let arguments = ["--dry-run", "--format", "json"];
    let of_workbook = json(&import("card.xlsx", &bytes, &arguments));
    let of_text = json(&import("card.csv", text.as_bytes(), &arguments));
    assert_eq!(of_workbook, of_text);
}
