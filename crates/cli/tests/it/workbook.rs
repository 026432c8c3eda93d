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

/// Recalculates every formula of workbooks, in one start of the program.
fn recalculated(program: &Path, books: &[Vec<u8>]) -> Vec<Vec<u8>> {
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
    let names: Vec<_> = (0..books.len()).map(|at| format!("plan{at}.xlsx")).collect();
    for (name, bytes) in names.iter().zip(books) {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let installation = format!("-env:UserInstallation=file://{}/profile", folder.path().display());
    let output = Command::new(program)
        .args([&installation, "--headless", "--convert-to", "xlsx", "--outdir", "out"])
        .args(&names)
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .output()
        .unwrap();
    let read = |name: &String| {
        fs::read(folder.path().join("out").join(name)).unwrap_or_else(|error| {
            panic!("{error}: {}", String::from_utf8_lossy(&output.stderr));
        })
    };
    names.iter().map(read).collect()
}

/// Multiplies a number in a sheet's XML, as a person does who types over it.
fn with_changed_price(bytes: &[u8], sheet_file: &str, cell: &str, factor: f64) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let mut changed = false;
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
            content = format!("{}{}{}", &text[..value], old * factor, &text[end..]).into_bytes();
            changed = true;
        }
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(&content).unwrap();
    }
    assert!(changed, "no {sheet_file}");
    writer.finish().unwrap().into_inner()
}

/// Checks that every number of a recalculated book is what was written.
fn same_numbers(written: &[u8], recalculated: Vec<u8>) {
    let written_numbers = numbers(&mut read(written.to_vec()));
    let recalculated_numbers = numbers(&mut read(recalculated));
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
}

#[test]
fn libreoffice_computes_what_the_plan_of_every_example_says() {
    let Some(program) = libreoffice() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut books = Vec::new();
    for entry in fs::read_dir(repository().join("examples")).unwrap() {
        let example = entry.unwrap().path();
        if example.extension().is_none_or(|extension| extension != "yaml") {
            continue;
        }
        let path = folder.path().join(example.file_name().unwrap()).with_extension("xlsx");
        let (example, to) = (example.to_str().unwrap(), path.to_str().unwrap());
        let said = kasuan(&repository(), &["plan", example, "--output", to, "--lang", "zh"]);
        assert!(said.ends_with("[0]\n"), "{said}");
        books.push(fs::read(&path).unwrap());
    }
    assert!(books.len() >= 5);
    for (written, again) in books.iter().zip(recalculated(&program, &books)) {
        same_numbers(written, again);
    }
}

/// A month with rent on demand and by the month, spot, data, traffic and tax, all from one
/// provider whose prices are the user's.
const WORKLOAD: &str = "
currency: CNY
month: 2026-11
jobs:
  - {name: service, task: batch, memory: 8GiB, hours: 12, runs: 1/day, daily: '06:00-18:00', modes: [monthly]}
  - {name: weekly, task: batch, memory: 30GiB, hours: 5.3, runs: 1/week}
  - {name: bulk, task: batch, memory: 30GiB, hours: 31, modes: [spot], interruptible: true}
storage:
  - {name: data, size: 640GB}
  - {name: archive, size: 1TB, price: 0.12 CNY/GB}
transfer: {egress: 333GB}
team: {engineer: 120 CNY/h, ops_hours: 6.5}
policy: {providers: [mine], trial: 10%, margin: 25%, tax: 6%}
";

/// Writes the price card with one price multiplied.
fn price_card(changed: usize, factor: f64) -> String {
    let rows = [
        ("offer,mine,RTX 4090,1,monthly", 611.0, "month,,,,"),
        ("offer,mine,A100 80G,1,on_demand", 7.25, "hour,1s,,,"),
        ("offer,mine,A100 80G,1,spot", 2.9, "hour,1s,,,"),
        ("storage,mine,,,", 0.35, "gb_month,,,50GB,yes"),
        ("egress,mine,,,", 0.8, "gb,,,,"),
    ];
    let mut card = "kind,provider,card,count,mode,price,currency,per,granularity,minimum,free,\
                    charged_when_stopped,observed,source,notes\n"
        .to_owned();
    for (at, (what, price, rest)) in rows.into_iter().enumerate() {
        let price = if at == changed { price * factor } else { price };
        card.push_str(&format!("{what},{price},CNY,{rest},2026-11-20,console,\n"));
    }
    card
}

/// What the sheet totals after a price is changed in it is what a plan with that price totals.
#[test]
fn a_price_that_is_changed_in_the_sheet_totals_to_the_fen_as_a_plan_with_that_price() {
    let Some(program) = libreoffice() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("jobs.yaml"), WORKLOAD).unwrap();
    let plan = |more: &[&str]| {
        let arguments = ["plan", "jobs.yaml", "--prices", "card.csv", "--lang", "en"];
        let said = kasuan(folder.path(), &[&arguments[..], more].concat());
        assert!(said.ends_with("[0]\n"), "{said}");
        said
    };
    let total = || {
        let said = plan(&["--format", "json"]);
        let (start, end) = (said.find('{').unwrap(), said.rfind('}').unwrap());
        let json: serde_json::Value = serde_json::from_str(&said[start..=end]).unwrap();
        json["total"].as_str().unwrap().parse::<f64>().unwrap()
    };
    fs::write(path("card.csv"), price_card(usize::MAX, 1.0)).unwrap();
    plan(&["--output", "plan.xlsx"]);
    let written = fs::read(path("plan.xlsx")).unwrap();
    let unchanged = total();
    let mut book = read(written.clone());
    assert!((named(&mut book, "Plan_Total") - unchanged).abs() < 0.005);
    // Which row of the sheet holds which price of the card.
    let prices = book.worksheet_range("Prices").unwrap();
    let row_of = |price: f64| {
        let cells = prices.used_cells();
        let mut at = cells.filter(|(_, column, cell)| *column == 5 && **cell == Data::Float(price));
        at.next().unwrap_or_else(|| panic!("{price} is not on the sheet")).0 + 1
    };
    let changes = [(0, 611.0, 0.7), (1, 7.25, 0.9), (2, 2.9, 1.1), (3, 0.35, 2.0), (4, 0.8, 1.5)];
    let mut books = Vec::new();
    let mut totals = Vec::new();
    for (at, price, factor) in changes {
        let cell = format!("F{}", row_of(price));
        books.push(with_changed_price(&written, "xl/worksheets/sheet4.xml", &cell, factor));
        fs::write(path("card.csv"), price_card(at, factor)).unwrap();
        totals.push(total());
    }
    for ((change, again), total) in changes.iter().zip(recalculated(&program, &books)).zip(totals) {
        let sheet = named(&mut read(again), "Plan_Total");
        assert!((total - unchanged).abs() > 1.0, "{change:?} changes nothing");
        assert!((sheet - total).abs() < 0.005, "{change:?}: sheet {sheet}, plan {total}");
    }
}
