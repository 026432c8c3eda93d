//! A reader's way through the pages in a real Chromium, in both languages, by mouse and by keys.

use crate::{
    driver::{Browser, start},
    server::{Running, agent, ledger, serve},
    usage::CARDS,
};
use calamine::{Data, Reader as _, Xlsx};
use serde_json::Value;
use std::{fs, io::Cursor, sync::Mutex};

/// The accessibility rules of WCAG A and AA, by Deque; a tool of the tests only.
const AXE: &str = include_str!("../../../web/tests/vendor/axe.min.js");

/// One browser at a time: several would starve each other on a small machine.
static TURN: Mutex<()> = Mutex::new(());

/// The server with a ledger, and an agent that it asks.
struct House {
    _folder: tempfile::TempDir,
    _agent: Running,
    server: Running,
}

impl House {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = ledger(folder.path());
        let library = kasuan_testkit::install(folder.path(), CARDS).unwrap();
        let agent = agent(folder.path(), &library, "12.5");
        let arguments = ["--ledger", place.to_str().unwrap(), "--agent", &agent.address];
        let server = serve(folder.path(), &arguments);
        Self { _folder: folder, _agent: agent, server }
    }

    fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.server.address)
    }
}

/// Waits until dragging has changed a job's patience.
fn drag_a_row(browser: &Browser) {
    browser.run(
        "document.querySelector('.gantt').scrollIntoView({block: 'center', behavior: 'instant'})",
    );
    let place = browser.run(
        "const b = document.querySelector('.gantt tr[data-row=\"1\"] svg.strip').getBoundingClientRect();\
         return [Math.round(b.x + b.width / 3), Math.round(b.y + b.height / 2)]",
    );
    let at = |n: usize| place[n].as_i64().unwrap();
    browser.drag((at(0), at(1)), (at(0) + 40, at(1)));
    browser.until("a job that may wait", || {
        let waits = browser
            .run("return document.querySelector('tr[data-row=\"1\"] [name=job-may_wait]').value");
        waits.as_str().filter(|text| text.ends_with('h')).map(str::to_owned)
    });
}

fn amount(text: &str) -> f64 {
    let plain: String = text.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
    plain.parse().unwrap_or_else(|_| panic!("{text} is no amount"))
}

/// Waits until the total is another than before and returns it.
fn other_total(browser: &Browser, before: &str) -> String {
    browser.until("another total", || {
        let total = browser.run("return document.getElementById('total')?.textContent || ''");
        total.as_str().filter(|total| !total.is_empty() && *total != before).map(str::to_owned)
    })
}

/// Runs axe over the page and returns what it finds serious or worse.
fn barriers(browser: &Browser) -> Vec<String> {
    browser.run(AXE);
    let found = browser.run_later(
        "const done = arguments[0]; axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']})\
         .then(r => done(r.violations), e => done([{impact: 'critical', id: String(e), nodes: []}]));",
    );
    found
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| matches!(one["impact"].as_str(), Some("serious" | "critical")))
        .map(|one| {
            let nodes = one["nodes"].as_array().unwrap().iter().take(4);
            let nodes: Vec<String> = nodes
                .map(|node| format!("{} {}", node["html"], node["any"][0]["message"]))
                .collect();
            format!("{}: {}", one["id"], nodes.join(" | "))
        })
        .collect()
}

fn nothing_wrong(browser: &Browser) {
    let barriers = barriers(browser);
    assert!(barriers.is_empty(), "{}", barriers.join("\n"));
    let complaints = browser.complaints();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    let wider = browser.run("return document.documentElement.scrollWidth - window.innerWidth");
    assert!(wider.as_i64().unwrap() <= 0, "the page is {wider} pixels wider than the window");
}

/// What a new user does first, from opening the page to holding the workbook.
fn first_visit(language: &str, word: &str) {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let Some(browser) = start(1360, 1000) else { return };
    let house = House::new();
    browser.open(&house.at(&format!("/?lang={language}")));
    let first = browser.text("#total");
    let tag = browser.run("return document.documentElement.lang");
    assert!(tag.as_str().unwrap().starts_with(language), "{tag}");
    assert!(browser.text("main").contains(word));

    browser.resize(1280, 1480);
    browser.picture(&format!("guide-{language}"));
    browser.resize(1360, 1000);

    browser.click("details.menu > summary");
    browser.click("button[value='example=image-burst']");
    let example = other_total(&browser, &first);
    browser.fill("tr[data-row='2'] input[name='job-hours']", "40");
    let cheaper = other_total(&browser, &example);
    assert!(amount(&cheaper) < amount(&example), "{cheaper} after {example}");
    let kept = browser.run("return document.activeElement.name");
    assert_eq!(kept, "job-hours", "typing must not lose the field");

    browser.resize(1360, 5200);
    browser.picture(&format!("whole-{language}"));
    browser.resize(1360, 1000);

    browser.fill("#cap", "100");
    browser.until("the cap's answer", || {
        let text = browser.run("return document.querySelector('#answer p.bad')?.textContent || ''");
        text.as_str().filter(|text| text.contains("100")).map(str::to_owned)
    });
    browser.picture(&format!("plan-{language}"));
    nothing_wrong(&browser);

    browser.fill("#cap", "");
    browser.fill("tr[data-row='1'] input[name='job-hours']", "many");
    browser.until("the wrong field", || {
        let marked = browser.run(
            "return document.querySelector('tr[data-row=\"1\"] [name=job-hours][aria-invalid]') !== null",
        );
        (marked == true).then_some(())
    });
    browser.fill("tr[data-row='1'] input[name='job-hours']", "3");
    browser.until("a plan again", || {
        let total = browser.run("return document.getElementById('total')?.textContent || ''");
        (total == cheaper.as_str()).then_some(())
    });

    drag_a_row(&browser);
    browser.fill("tr[data-row='1'] input[name='job-may_wait']", "\u{e003}");
    browser.until("the plan of before", || {
        let total = browser.run("return document.getElementById('total')?.textContent || ''");
        (total == cheaper.as_str()).then_some(())
    });

    browser.click("#xlsx");
    let book = browser.until("the workbook", || {
        let mut files = fs::read_dir(browser.downloads.path()).unwrap();
        let path = files.find_map(|file| {
            let path = file.unwrap().path();
            path.extension().is_some_and(|extension| extension == "xlsx").then_some(path)
        })?;
        Xlsx::new(Cursor::new(fs::read(path).unwrap())).ok()
    });
    assert!(holds(book, amount(&cheaper)), "the workbook says another total than {cheaper}");
    browser.click("#save");
    browser.click("nav.contents a[href='#compare']");
    nothing_wrong(&browser);

    browser.open(&house.at("/doctor"));
    let tag = browser.run("return document.documentElement.lang");
    assert!(tag.as_str().unwrap().starts_with(language), "the language is forgotten: {tag}");
    browser.fill("input[name=card]", "RTX 5090");
    browser.fill("input[name=torch]", "2.5.1");
    browser.click("form.rules button");
    assert!(!browser.text("#verdict").is_empty());
    browser.picture(&format!("doctor-{language}"));
    nothing_wrong(&browser);
    let report = browser.downloads.path().join("verify.json");
    let told = r#"{"version": 1, "at": "2026-12-01T09:00:00Z", "verdict": "fail", "checks": [
        {"part": "memory", "outcome": "fail", "evidence": "1 byte of 2^33 wrong", "fix": null}]}"#;
    fs::write(&report, told).unwrap();
    browser.choose("input[type=file]", &report);
    browser.click("form[action='/doctor/report'] button");
    assert!(!browser.text("#report").is_empty());
    nothing_wrong(&browser);
    browser.open(&house.at("/market?card=h100-sxm5-80"));
    browser.text("#count");
    browser.picture(&format!("market-{language}"));
    nothing_wrong(&browser);
    prices(&browser, &house);
    looking_back(&browser, &house, language);
}

/// A price list is imported, its rows are accounted for, and the plan uses it.
fn prices(browser: &Browser, house: &House) {
    browser.open(&house.at("/market"));
    let list = browser.downloads.path().join("list.csv");
    fs::write(&list, include_str!("../../../../examples/prices-guide.csv")).unwrap();
    browser.choose("#import-file", &list);
    browser.click("#import-read");
    let said = browser.text("#imported");
    assert!(said.chars().any(|c| c.is_ascii_digit()), "{said}");
    nothing_wrong(browser);
    browser.click("#use-prices");
    browser.text("#total");
    let laid = browser.run("return document.getElementById('prices').value.length");
    assert!(laid.as_u64().unwrap() > 100, "the plan has no price card");
    nothing_wrong(browser);
    let book = browser.downloads.path().join("jobs.xlsx");
    fs::write(&book, jobs_workbook()).unwrap();
    browser.choose("form.upload input[type=file]", &book);
    browser.click("form.upload button");
    browser.until("the workbook's job", || {
        let name = browser.run("return document.querySelector('[name=job-name]')?.value || ''");
        (name == "晚间批处理").then_some(())
    });
    browser.text("#total");
}

/// A sheet as people make them: a title, headings in Chinese, one job.
fn jobs_workbook() -> Vec<u8> {
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    sheet.write(0, 0, "十二月的任务").unwrap();
    for (column, (heading, value)) in
        [("任务", "晚间批处理"), ("类型", "batch"), ("次数", "3/week"), ("其他", "memory: 20GiB")]
            .into_iter()
            .enumerate()
    {
        let column = u16::try_from(column).unwrap();
        sheet.write(2, column, heading).unwrap();
        sheet.write(3, column, value).unwrap();
    }
    sheet.write(2, 4, "每次小时").unwrap();
    sheet.write(3, 4, 6.5).unwrap();
    book.save_to_buffer().unwrap()
}

/// What agents see and what the month cost, on a real agent and a real ledger.
fn looking_back(browser: &Browser, house: &House, language: &str) {
    browser.open(&house.at("/usage"));
    let live = browser.text("#live");
    assert!(live.contains("97") && live.contains("¥6.25"), "{live}");
    // The page follows the agent: its cost since the start grows without a reload.
    browser.until("a later figure", || {
        let now = browser.run("return document.getElementById('live').textContent");
        (now.as_str() != Some(live.as_str()) && now.as_str()?.contains("¥6.25")).then_some(())
    });
    browser.picture(&format!("usage-{language}"));
    nothing_wrong(browser);
    browser.open(&house.at("/review?month=2026-11"));
    let billed = amount(&browser.text("#billed"));
    assert!((billed - 1436.5).abs() < 1e-9, "{billed}");
    browser.picture(&format!("review-{language}"));
    nothing_wrong(browser);
}

fn holds(mut book: Xlsx<Cursor<Vec<u8>>>, total: f64) -> bool {
    let first = book.sheet_names()[0].clone();
    let range = book.worksheet_range(&first).unwrap();
    range
        .used_cells()
        .any(|(_, _, cell)| matches!(cell, Data::Float(number) if (number - total).abs() < 0.005))
}

#[test]
fn a_new_user_plans_in_chinese() {
    first_visit("zh", "这个月要跑的任务");
}

#[test]
fn a_new_user_plans_in_english() {
    first_visit("en", "This month's jobs");
}

#[test]
fn everything_can_be_reached_and_changed_by_keys_alone() {
    const TAB: &str = "\u{e004}";
    const ENTER: &str = "\u{e007}";
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let Some(browser) = start(1360, 1000) else { return };
    let house = House::new();
    browser.open(&house.at("/?lang=en"));
    let first = browser.text("#total");
    let focus = || -> Value {
        browser.run("const e = document.activeElement; return e.name || e.id || e.tagName")
    };
    browser.press(TAB);
    assert_eq!(browser.run("return document.activeElement.className"), "skip");
    browser.press(ENTER);
    for _ in 0..40 {
        browser.press(TAB);
        if focus() == "job-hours" {
            break;
        }
    }
    assert_eq!(focus(), "job-hours");
    let outline = browser.run("return getComputedStyle(document.activeElement).outlineStyle");
    assert_eq!(outline, "solid", "the focus must be seen");
    // Coming into a field by the tab key selects what it holds.
    browser.press("44");
    let changed = other_total(&browser, &first);
    assert!(amount(&changed) > amount(&first));
    for _ in 0..80 {
        browser.press(TAB);
        if browser.run("return document.activeElement.id") == "add" {
            break;
        }
    }
    browser.press(ENTER);
    browser.until("a row more", || {
        let rows = browser.run("return document.querySelectorAll('[name=job-name]').length");
        (rows == 4).then_some(())
    });
}

#[test]
fn a_phone_in_the_dark_and_a_printer_show_it_too() {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let Some(browser) = start(520, 900) else { return };
    browser.prefer("prefers-color-scheme", "dark");
    let house = House::new();
    browser.open(&house.at("/?lang=zh"));
    browser.text("#total");
    browser.picture("phone-dark");
    nothing_wrong(&browser);
    browser.resize(1360, 1000);
    browser.picture("plan-dark");
    nothing_wrong(&browser);
}
