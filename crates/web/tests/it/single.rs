//! The questions that fit into an address, as pages and as documents.

use crate::http::{get, send, server, settings};

#[test]
fn the_api_answers_offers_a_bill_and_a_check_with_the_contracts_of_the_command_line() {
    let server = server(settings());
    let offers = send(&server, get("/api/v1/offers?card=RTX%204090&limit=5")).json();
    let listed = offers["offers"].as_array().unwrap();
    assert_eq!(listed.len(), 5);
    let id = listed[0]["offer"].as_str().unwrap();
    let bill = format!("/api/v1/bill?offer={id}&from=2026-12-01T09:00&to=2026-12-01T12:30");
    let bill = send(&server, get(&bill)).json();
    assert_eq!(bill["offer"].as_str(), Some(id));
    assert!(bill["total"]["likely"].as_str().unwrap().parse::<f64>().unwrap() > 0.0);
    let check = send(&server, get("/api/v1/doctor?card=RTX%205090&torch=2.5.1&lang=zh")).json();
    assert_eq!(check["verdict"], "fail");
    assert!(check["remedy"].as_str().unwrap().contains("torch"), "{check}");
}

#[test]
fn a_question_with_an_unknown_name_or_a_wrong_value_is_refused_in_words() {
    let server = server(settings());
    for (path, status) in [
        ("/api/v1/offers?crad=a100", 400),
        ("/api/v1/offers?card=nonsense", 422),
        ("/api/v1/offers?count=many", 400),
        ("/api/v1/bill?offer=x", 400),
        ("/api/v1/bill?offer=x&from=2026-12-01&to=2026-12-02", 422),
        ("/api/v1/doctor", 400),
        ("/api/v1/doctor?card=4090&torch=new", 422),
    ] {
        let answer = send(&server, get(path));
        assert_eq!(answer.status.as_u16(), status, "{path}: {}", answer.text());
        assert_eq!(answer.header("content-type"), "application/problem+json");
        assert!(!answer.json()["detail"].as_str().unwrap().is_empty());
    }
}

#[test]
fn the_pages_show_prices_with_their_age_a_bill_and_a_verdict() {
    let server = server(settings());
    let page = send(&server, get("/market?card=mi300x-192&lang=en")).text();
    assert!(page.contains("class=\"curves\""), "{page}");
    let all = send(&server, get("/market?lang=zh")).text();
    assert!(all.contains("rtx-4090"));
    let page = send(&server, get("/doctor?card=RTX+5090&torch=2.5.1&lang=en")).text();
    assert!(page.contains("id=\"verdict\"") && page.contains("class=\"lead bad\""), "{page}");
    let page = send(&server, get("/doctor?card=%3Cscript%3Ealert(1)%3C/script%3E")).text();
    assert!(!page.contains("<script>alert"));
    let page = send(&server, get("/market?count=many")).text();
    assert!(page.contains("role=\"alert\""));
}
