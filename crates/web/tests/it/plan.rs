//! The plan page and its API say what the command line says, whatever is sent to them.

use crate::http::{Answer, form, get, post, send, server, settings};
use axum::Router;
use calamine::{Reader as _, Xlsx};
use std::io::{Cursor, Write as _};

const TEAM: &str = include_str!("../../../../examples/qa-team.yaml");

fn total(page: &str) -> String {
    let found = page.split("id=\"total\">").nth(1).unwrap_or_else(|| panic!("no total: {page}"));
    found.split('<').next().unwrap().to_owned()
}

fn job<'a>(name: &'a str, hours: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("currency", "CNY"),
        ("month", "2026-12"),
        ("job-name", name),
        ("job-task", "batch"),
        ("job-model", ""),
        ("job-runs", "2/week"),
        ("job-hours", hours),
        ("job-more", "memory: 8GiB"),
    ]
}

fn ask(server: &Router, pairs: &[(&str, &str)]) -> Answer {
    send(server, form(server, "/plan", pairs))
}

#[test]
fn the_page_the_api_and_the_download_say_the_same_total() {
    let server = server(settings());
    let api = send(&server, post("/api/v1/plan", "application/yaml", TEAM)).json();
    let page = total(&send(&server, get("/?lang=en")).text());
    assert_eq!(page.replace(['¥', ','], ""), api["total"].as_str().unwrap());

    let pairs = job("one", "5");
    let page = total(&ask(&server, &pairs).text()).replace(['¥', ','], "");
    let file = send(&server, form(&server, "/plan/download/xlsx", &pairs));
    assert!(file.header("content-disposition").contains("kasuan-2026-12.xlsx"));
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(file.body.to_vec())).unwrap();
    let sheet = book.sheet_names()[0].clone();
    let cells: Vec<String> = book
        .worksheet_range(&sheet)
        .unwrap()
        .cells()
        .map(|(_, _, cell)| cell.to_string())
        .collect();
    assert!(
        cells.iter().any(|cell| cell.parse::<f64>().ok() == page.parse().ok()),
        "{page}: {cells:?}"
    );
    let json = send(&server, form(&server, "/plan/download/json", &pairs)).json();
    assert_eq!(json["total"].as_str().unwrap(), page);
}

#[test]
fn more_hours_cost_more_and_a_cap_brings_downgrades() {
    let server = server(settings());
    let number = |text: &str| total(text).replace(['¥', ','], "").parse::<f64>().unwrap();
    let (little, much) =
        (ask(&server, &job("a", "2")).text(), ask(&server, &job("a", "20")).text());
    assert!(number(&much) > number(&little));
    let mut pairs = job("a", "20");
    pairs.push(("rule-cap", "1"));
    let capped = send(&server, {
        let mut request = form(&server, "/plan", &pairs);
        request.headers_mut().insert("hx-request", "true".parse().unwrap());
        request
    });
    let text = capped.text();
    assert!(text.starts_with("<div id=\"answer\""), "{text}");
    assert!(text.contains("class=\"bad wide\""), "{text}");
}

#[test]
fn a_mistake_is_told_with_its_row_in_the_language_that_was_asked_for() {
    let server = server(settings());
    let answer = ask(&server, &job("a", "many")).text();
    assert!(answer.contains("data-row=\"1\" data-column=\"hours\""), "{answer}");
    let api = send(&server, post("/api/v1/plan?lang=zh", "application/yaml", "jobs: []\n"));
    assert_eq!(api.status, 422);
    assert_eq!(api.header("content-type"), "application/problem+json");
    let document = api.json();
    assert_eq!(document["line"], 1);
    assert!(document["detail"].as_str().unwrap().chars().any(|c| c > '\u{4e00}'), "{document}");
}

#[test]
fn rows_come_and_go_and_plans_are_kept_for_comparison() {
    let server = server(settings());
    let edit = |pairs: &[(&str, &str)]| send(&server, form(&server, "/plan/edit", pairs)).text();
    let rows = |page: &str| page.matches("name=\"job-name\"").count();
    let mut pairs = job("a", "2");
    pairs.push(("act", "add"));
    assert_eq!(rows(&edit(&pairs)), 2);
    pairs.pop();
    pairs.push(("act", "remove=1"));
    assert_eq!(rows(&edit(&pairs)), 0);
    pairs.pop();
    pairs.push(("act", "example=guide-prices"));
    assert_eq!(total(&edit(&pairs)), "¥2,433.60");
    pairs.pop();
    pairs.push(("act", "save"));
    let page = edit(&pairs);
    assert!(page.contains("name=\"saved\"") && page.contains("id=\"compare\""));
}

#[test]
fn script_in_names_is_shown_as_text_everywhere() {
    let server = server(settings());
    let name = "<script>alert(1)</script>\"'&";
    let page = ask(&server, &job(name, "4")).text();
    assert!(!page.contains("<script>alert"), "{page}");
    assert!(page.contains("&lt;script&gt;alert(1)"));
    let page = ask(&server, &job("a", "<img src=x onerror=alert(1)>")).text();
    assert!(!page.contains("<img src=x"), "{page}");
}

#[test]
fn hostile_bodies_are_refused_with_a_clear_error_and_the_server_lives_on() {
    let server = server(settings());
    let huge = "x".repeat(5 << 20);
    let refused = send(&server, post("/api/v1/plan", "application/yaml", huge.clone()));
    assert_eq!((refused.status.as_u16(), refused.json()["status"].as_u64()), (413, Some(413)));
    assert_eq!(send(&server, form(&server, "/plan", &[("rest", &huge)])).status, 413);

    let long = "n".repeat(1 << 20);
    let answer = ask(&server, &job(&long, "4"));
    assert_eq!(answer.status, 200);
    assert!(answer.text().contains("data-row=\"1\" data-column=\"name\""));

    let path = ask(
        &server,
        &[
            ("job-name", "a"),
            ("job-task", "lora"),
            ("job-model", "../../etc/passwd"),
            ("job-hours", "2"),
        ],
    );
    assert!(path.text().contains("class=\"card wrong\""));
    let path = "jobs: [{name: a, task: lora, model: ./config.json, hours: 2}]\nprices: /etc/passwd";
    let refused = send(&server, post("/api/v1/plan", "application/yaml", path));
    assert_eq!(refused.status, 422);
    assert!(!refused.text().contains("root:"));

    let bomb = format!("a: &a [x,x,x,x,x,x,x,x,x]\n{}", (0..12).map(|at| {
        let before = char::from(b'a' + at);
        let name = char::from(b'b' + at);
        format!("{name}: &{name} [*{before},*{before},*{before},*{before},*{before},*{before},*{before},*{before}]\n")
    }).collect::<String>());
    assert_eq!(send(&server, post("/api/v1/plan", "application/yaml", bomb)).status, 422);
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(send(&server, post("/api/v1/plan", "application/json", deep)).status.is_client_error());
    assert_eq!(send(&server, post("/api/v1/plan", "text/plain", "jobs: []")).status, 415);
    assert_eq!(
        send(&server, post("/api/v1/plan", "application/yaml", vec![0xff, 0xfe])).status,
        400
    );

    assert_eq!(send(&server, get("/")).status, 200);
}

#[test]
fn an_uploaded_file_is_read_and_what_is_no_text_is_refused() {
    let server = server(settings());
    let page = send(&server, get("/?lang=en")).text();
    let proof = page.split("name=\"proof\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let upload = |name: &str, bytes: &[u8]| {
        let mut body = format!(
            "--B\r\nContent-Disposition: form-data; name=\"proof\"\r\n\r\n{proof}\r\n--B\r\n\
             Content-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n"
        )
        .into_bytes();
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n--B--\r\n");
        send(&server, post("/plan/upload?lang=en", "multipart/form-data; boundary=B", body))
    };
    let read = upload("../../jobs.yaml", TEAM.as_bytes());
    assert!(read.text().contains("问答模型微调"));
    let refused = upload("jobs.xlsx", b"PK\x03\x04\xff\xff");
    assert!(refused.text().contains("the workbook cannot be read"), "{}", refused.text());
    let refused = upload("jobs.yaml", b"\xff\xfe\x00");
    assert!(refused.text().contains("not UTF-8 text"), "{}", refused.text());
    let bomb = bomb();
    assert!(bomb.len() < 1 << 20, "it must look harmless: {}", bomb.len());
    let refused = upload("jobs.xlsx", &bomb);
    assert!(refused.text().contains("unpacks to more than 32 MiB"), "{}", refused.text());
    let refused = upload("jobs.yaml", b"- just\n- a list");
    assert!(refused.text().contains("no workload file"));
}

#[test]
fn the_language_that_was_chosen_is_remembered() {
    let server = server(settings());
    let answer = send(&server, get("/?lang=en"));
    assert!(answer.header("set-cookie").starts_with("kasuan_lang=en;"));
    assert!(answer.text().contains("<html lang=\"en\">"));
    assert_eq!(send(&server, get("/")).header("set-cookie"), "");
}

/// A small archive whose only sheet unpacks to 200 MiB.
fn bomb() -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let packed = zip::write::SimpleFileOptions::default();
    archive.start_file("xl/worksheets/sheet1.xml", packed).unwrap();
    let zeros = vec![b' '; 1 << 20];
    for _ in 0..200 {
        archive.write_all(&zeros).unwrap();
    }
    archive.finish().unwrap().into_inner()
}
