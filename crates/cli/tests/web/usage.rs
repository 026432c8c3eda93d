//! The pages and the API that show what happened, on a real ledger and a real agent.

use crate::server::{agent, get, ledger, serve};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    time::Duration,
};

/// One card at work, and one that does nothing.
pub(crate) const CARDS: &str = "driver 550.54.15\ncuda 12040\n\
    card NVIDIA A100-SXM4-80GB | GPU-a | 81920\ncard NVIDIA A100-SXM4-80GB | GPU-b | 81920\n\
    0 busy 97\n0 used 40000\n0 power 300000\n0 celsius 61\n\
    1 busy 0\n1 used 500\n1 power 60000\n1 celsius 33\n";

#[test]
fn what_agents_see_is_told_as_it_changes_until_the_reader_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let library = kasuan_testkit::install(folder.path(), CARDS).unwrap();
    let agent = agent(folder.path(), &library, "12");
    let server = serve(folder.path(), &["--agent", &agent.address, "--agent", "127.0.0.1:1"]);
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let head = format!("GET /api/v1/live HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    stream.write_all(head.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.next().unwrap().contains(" 200 "));
    let mut told = lines.filter_map(|line| {
        serde_json::from_str::<serde_json::Value>(line.strip_prefix("data: ")?).ok()
    });
    let first = told.next().unwrap();
    let box_1 = &first["agents"][0];
    assert_eq!(box_1["reachable"], true, "{first}");
    assert_eq!(box_1["price_per_hour"], "12");
    assert_eq!(box_1["cards"][0]["busy_percent"], 97.0);
    assert_eq!(box_1["cards"][0]["price_per_hour"], "6");
    assert_eq!(box_1["cards"][1]["busy_percent"], 0.0);
    assert_eq!(first["agents"][1]["reachable"], false);
    let second = told.next().unwrap();
    assert_ne!(first["at"], second["at"]);
    let cost = |seen: &serde_json::Value| -> f64 {
        seen["agents"][0]["cost"].as_str().unwrap().parse().unwrap()
    };
    assert!(cost(&second) >= cost(&first));
    let page = get(&server.address, "/usage?lang=zh");
    assert!(page.contains("¥6.00") && page.contains("97") && page.contains("没有回应"), "{page}");
}

#[test]
fn the_ledgers_hours_and_its_month_are_shown_as_the_commands_tell_them() {
    let folder = tempfile::tempdir().unwrap();
    let place = ledger(folder.path());
    let server = serve(folder.path(), &["--ledger", place.to_str().unwrap()]);
    let page = get(&server.address, "/usage?lang=en");
    // 23 November 2026 was a Monday.
    let monday = page.split("<tr>").find(|row| row.contains(">Monday<")).unwrap();
    assert!(monday.contains("Monday 13:00: busy 90%"), "{monday}");
    assert!(monday.contains("Monday 20:00: busy 0%"), "{monday}");
    assert!(page.contains("tuning"));
    let api = get(&server.address, "/api/v1/review?month=2026-11&lang=en");
    let body = api.split_once("\r\n\r\n").unwrap().1;
    let review: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(review["billed"], "1436.5", "{review}");
    let said = crate::server::kasuan(folder.path())
        .args(["--today", "2026-12-01", "--lang", "en", "--format", "json", "review"])
        .args(["--month", "2026-11", "--ledger"])
        .arg(&place)
        .output()
        .unwrap();
    assert_eq!(review, serde_json::from_slice::<serde_json::Value>(&said.stdout).unwrap());
    let page = get(&server.address, "/review?month=2026-11&lang=en");
    assert!(page.contains("id=\"billed\">¥1,436.50<"), "{page}");
    let page = get(&server.address, "/review?month=nonsense&lang=en");
    assert!(page.contains("class=\"card wrong\"") && page.contains("nonsense"), "{page}");
}

#[test]
fn without_a_ledger_the_pages_say_how_to_have_one() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), &[]);
    assert!(get(&server.address, "/usage?lang=en").contains("kasuan serve --ledger"));
    assert!(get(&server.address, "/review?lang=zh").contains("kasuan serve --ledger"));
    let refused = get(&server.address, "/api/v1/review");
    assert!(refused.starts_with("HTTP/1.1 404"), "{refused}");
}

#[test]
fn a_question_about_a_model_never_opens_a_file_of_the_server() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.json"), "{\"secret\": 1}").unwrap();
    let server = serve(folder.path(), &[]);
    for model in ["./config.json", "config.json", ".", "/etc", "%2Fetc%2Fpasswd"] {
        let refused = get(&server.address, &format!("/api/v1/fit?model={model}"));
        assert!(refused.starts_with("HTTP/1.1 422"), "{model}: {refused}");
        assert!(!refused.contains("secret"), "{refused}");
    }
    let fits = get(&server.address, "/api/v1/fit?model=7B&card=RTX+4090&lang=en");
    assert!(fits.starts_with("HTTP/1.1 200") && fits.contains("\"fits\""), "{fits}");
}
