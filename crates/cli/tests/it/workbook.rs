//! The workbook: what it holds, and that LibreOffice computes the same, also after a price changed.

use crate::{kasuan, repository};
use calamine::{Data, Reader as _, Xlsx};
use std::{
    fs,
    io::{Cursor, Read as _, Write as _},
    path::{Path, PathBuf},
    process::Command,
};

type Book = Xlsx<Cursor<Vec<u8>>>;

fn read(bytes: Vec<u8>) -> Book {
    Xlsx::new(Cursor::new(bytes)).unwrap()
}

fn workbook(folder: &Path, language: &str) -> Vec<u8> {
    let path = folder.join("plan.xlsx");
    let path = path.to_str().unwrap();
    let arguments = ["plan", "examples/qa-team.yaml", "--output", path, "--lang", language];
    let said = kasuan(&repository(), &arguments);
    assert!(said.ends_with("[0]\n"), "{said}");
    fs::read(path).unwrap()
}

/// Returns every number of a book, with the sheet and the cell it stands in.
fn numbers(book: &mut Book) -> Vec<(String, usize, usize, f64)> {
    let mut numbers = Vec::new();
    for sheet in book.sheet_names() {
        let range = book.worksheet_range(&sheet).unwrap();
        for (row, column, cell) in range.used_cells() {
            if let Data::Float(number) = cell {
                numbers.push((sheet.clone(), row, column, *number));
            }
        }
    }
    numbers
}

/// Follows a defined name to the number it stands for.
fn named(book: &mut Book, name: &str) -> f64 {
    let names = book.defined_names().to_vec();
    let (_, target) = names.iter().find(|(known, _)| known == name).unwrap();
    let (sheet, cell) = target.trim_start_matches('=').rsplit_once('!').unwrap();
    let cell = cell.replace('$', "");
    let column = usize::from(cell.as_bytes()[0] - b'A');
    let row: usize = cell[1..].parse().unwrap();
    let range = book.worksheet_range(sheet.trim_matches('\'')).unwrap();
    let at = (u32::try_from(row - 1).unwrap(), u32::try_from(column).unwrap());
    match range.get_value(at) {
        Some(Data::Float(number)) => *number,
        other => panic!("{name} is {other:?}"),
    }
}

fn total_of_json() -> f64 {
    let said = kasuan(&repository(), &["plan", "examples/qa-team.yaml", "--format", "json"]);
    let (_, rest) = said.split_once('\n').unwrap();
    let json: serde_json::Value = serde_json::from_str(rest.trim_end_matches("[0]\n")).unwrap();
    json["total"].as_str().unwrap().parse().unwrap()
}

#[test]
fn the_workbook_has_its_sheets_and_the_plans_total() {
    let folder = tempfile::tempdir().unwrap();
    let mut book = read(workbook(folder.path(), "en"));
    assert_eq!(
        book.sheet_names(),
        ["Summary", "Jobs", "Resources", "Prices", "Cost", "Billing", "Margin", "Sources"]
    );
    assert!((named(&mut book, "Plan_Total") - total_of_json()).abs() < 0.005);
    let chinese = read(workbook(folder.path(), "zh"));
    assert_eq!(
        chinese.sheet_names(),
        ["汇总", "任务", "资源", "价格", "成本", "计费方式", "安全边际", "来源"]
    );
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 1, "a temporary file was left beside the workbook");
}

/// Returns the program that recalculates, or says what is missing.
fn libreoffice() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&path).map(|folder| folder.join("soffice")).find(|p| p.exists());
    if found.is_none() {
        let missing = "LibreOffice Calc is missing: apt-get install --no-install-recommends \
                       libreoffice-calc";
        assert!(std::env::var_os("KASUAN_REQUIRE_TOOLS").is_none(), "{missing}");
        eprintln!("SKIPPED: {missing}");
    }
    found
}

/// Recalculates every formula of a workbook.
fn recalculated(program: &Path, bytes: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("profile/user");
    fs::create_dir_all(&profile).unwrap();
    // Without this setting LibreOffice trusts the results that stand in the file.
    fs::write(
        profile.join("registrymodifications.xcu"),
        r#"<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>"#,
    )
    .unwrap();
    fs::write(folder.path().join("plan.xlsx"), bytes).unwrap();
    let installation = format!("-env:UserInstallation=file://{}/profile", folder.path().display());
    let output = Command::new(program)
        .args([&installation, "--headless", "--convert-to", "xlsx", "--outdir", "out", "plan.xlsx"])
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .output()
        .unwrap();
    fs::read(folder.path().join("out/plan.xlsx")).unwrap_or_else(|error| {
        panic!("{error}: {}", String::from_utf8_lossy(&output.stderr));
    })
}

/// Replaces a number in a sheet's XML, as a person does who types over it; returns how much was
/// added.
fn with_changed_price(bytes: &[u8], sheet_file: &str, cell: &str, factor: f64) -> (Vec<u8>, f64) {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let mut added = None;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        if name == sheet_file {
            let text = String::from_utf8(content).unwrap();
            let start = text.find(&format!("<c r=\"{cell}\"")).unwrap();
            let value = start + text[start..].find("<v>").unwrap() + 3;
            let end = value + text[value..].find("</v>").unwrap();
            let old: f64 = text[value..end].parse().unwrap();
            added = Some(old * factor - old);
            content = format!("{}{}{}", &text[..value], old * factor, &text[end..]).into_bytes();
        }
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(&content).unwrap();
    }
    (writer.finish().unwrap().into_inner(), added.unwrap())
}

#[test]
fn libreoffice_computes_what_the_plan_says_and_follows_a_changed_price() {
    let Some(program) = libreoffice() else { return };
    let folder = tempfile::tempdir().unwrap();
    let written = workbook(folder.path(), "en");
    let mut before = read(written.clone());
    let mut after = read(recalculated(&program, &written));
    let recalculated_numbers = numbers(&mut after);
    let written_numbers = numbers(&mut before);
    assert!(written_numbers.len() > 40, "only {} numbers", written_numbers.len());
    for (sheet, row, column, number) in written_numbers {
        let again = recalculated_numbers
            .iter()
            .find(|(s, r, c, _)| (s, *r, *c) == (&sheet, row, column))
            .map(|(_, _, _, again)| *again);
        let again =
            again.unwrap_or_else(|| panic!("{sheet} row {} column {column}: gone", row + 1));
        assert!(
            (again - number).abs() < 0.005,
            "{sheet} row {} column {column}: the plan says {number}, LibreOffice {again}",
            row + 1
        );
    }
    // The first price belongs to the first item of rent: three times the price, more in total.
    let (changed, added) = with_changed_price(&written, "xl/worksheets/sheet4.xml", "F3", 3.0);
    let mut changed = read(recalculated(&program, &changed));
    let cost = before.worksheet_range("Cost").unwrap();
    let quantity = match cost.get_value((2, 1)) {
        Some(Data::Float(quantity)) => *quantity,
        other => panic!("no quantity: {other:?}"),
    };
    let rent = named(&mut changed, "Rent_Total") - named(&mut before, "Rent_Total");
    assert!((rent - added * quantity).abs() < 0.011, "rent rose by {rent}");
    let total = named(&mut changed, "Plan_Total") - named(&mut before, "Plan_Total");
    assert!(total >= rent, "the total rose by {total}, the rent by {rent}");
}
