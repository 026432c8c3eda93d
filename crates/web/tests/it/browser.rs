//! A reader's way through the pages in a real Chromium, in both languages, by mouse and by keys.

mod driver;

use crate::http::settings;
use calamine::{Data, Reader as _, Xlsx};
use driver::{Browser, start};
use serde_json::Value;
use std::{
    fs,
    io::Cursor,
    sync::{LazyLock, Mutex, mpsc},
};

/// The accessibility rules of WCAG A and AA, by Deque; a tool of the tests only.
const AXE: &str = include_str!("../vendor/axe.min.js");

/// One browser at a time: several would starve each other on a small machine.
static TURN: Mutex<()> = Mutex::new(());

/// The real server, on a port that it picks itself, for all tests of this process.
static ADDRESS: LazyLock<String> = LazyLock::new(|| {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut settings = settings();
        settings.listen = "127.0.0.1:0".parse().unwrap();
        kasuan_web::serve(settings, |address| sender.send(address).unwrap()).unwrap();
    });
    format!("http://{}", receiver.recv().unwrap())
});

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
    browser.open(&format!("{}/?lang={language}", *ADDRESS));
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

    browser.open(&format!("{}/doctor", *ADDRESS));
    let tag = browser.run("return document.documentElement.lang");
    assert!(tag.as_str().unwrap().starts_with(language), "the language is forgotten: {tag}");
    browser.fill("input[name=card]", "RTX 5090");
    browser.fill("input[name=torch]", "2.5.1");
    browser.click("form.rules button");
    assert!(!browser.text("#verdict").is_empty());
    browser.picture(&format!("doctor-{language}"));
    nothing_wrong(&browser);
    browser.open(&format!("{}/market?card=h100-sxm5-80", *ADDRESS));
    browser.text("#count");
    browser.picture(&format!("market-{language}"));
    nothing_wrong(&browser);
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
    browser.open(&format!("{}/?lang=en", *ADDRESS));
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
    browser.open(&format!("{}/?lang=zh", *ADDRESS));
    browser.text("#total");
    browser.picture("phone-dark");
    nothing_wrong(&browser);
    browser.resize(1360, 1000);
    browser.picture("plan-dark");
    nothing_wrong(&browser);
}
