//! Nobody comes in who should not, and every answer is locked down.

use crate::http::{form, get, post, send, send_from, server, settings};
use axum::{body::Body, http::Request};
use kasuan_web::SettingsError;

const TOKEN: &str = "a-token-of-many-letters";

fn guarded() -> axum::Router {
    let mut settings = settings();
    settings.listen = "0.0.0.0:8787".parse().unwrap();
    settings.token = Some(TOKEN.to_owned());
    server(settings)
}

#[test]
fn more_than_loopback_needs_a_token_that_cannot_be_guessed() {
    let mut settings = settings();
    assert_eq!(settings.check(), Ok(()));
    settings.listen = "0.0.0.0:8787".parse().unwrap();
    assert_eq!(settings.check(), Err(SettingsError::Open(settings.listen)));
    settings.token = Some("short".to_owned());
    assert_eq!(settings.check(), Err(SettingsError::ShortToken));
    settings.token = Some(TOKEN.to_owned());
    assert_eq!(settings.check(), Ok(()));
}

#[test]
fn every_answer_forbids_foreign_and_inline_script_and_is_not_kept() {
    let server = server(settings());
    for path in ["/", "/nowhere", "/api/v1/nowhere", "/sign-in"] {
        let answer = send(&server, get(path));
        let policy = answer.header("content-security-policy");
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("cache-control"), "no-store");
        let text = answer.text();
        assert!(!text.contains(" style=") && !text.contains(" onclick="), "{path}");
        assert!(!text.contains("<script>"), "{path}");
    }
    let script = send(&server, get("/assets/app.js"));
    assert!(script.header("cache-control").contains("immutable"));
    assert_eq!(send(&server, get("/assets/..%2f..%2fCargo.toml")).status, 404);
}

#[test]
fn a_token_opens_a_session_and_nothing_else_does() {
    let server = guarded();
    let refused = send(&server, get("/"));
    assert_eq!((refused.status.as_u16(), refused.header("location")), (303, "/sign-in"));
    assert_eq!(send(&server, get("/api/v1/nowhere")).status, 401);

    let page = send(&server, get("/sign-in?lang=en"));
    let text = page.text();
    let proof = text.split("name=\"proof\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let enter = |token: &str| {
        let body = format!("proof={proof}&token={token}");
        send(&server, post("/sign-in", "application/x-www-form-urlencoded", body))
    };
    assert_eq!(enter("wrong-token-of-many-letters").status, 401);
    let opened = enter(TOKEN);
    let cookie = opened.header("set-cookie");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    let with =
        |path: &str| Request::get(path).header("cookie", cookie).body(Body::empty()).unwrap();
    assert_eq!(send(&server, with("/")).status, 200);

    let bearer = |token: &str| {
        let request = Request::get("/").header("authorization", format!("Bearer {token}"));
        send(&server, request.body(Body::empty()).unwrap()).status.as_u16()
    };
    assert_eq!((bearer(TOKEN), bearer("other")), (200, 303));
}

#[test]
fn guessing_a_token_ends_after_a_few_tries() {
    let server = guarded();
    let text = send(&server, get("/sign-in")).text();
    let proof = text.split("name=\"proof\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let tries: Vec<u16> = (0..30)
        .map(|at| {
            let body = format!("proof={proof}&token=guess-{at}");
            let request = post("/sign-in", "application/x-www-form-urlencoded", body);
            send_from(&server, request, "203.0.113.9:40000").status.as_u16()
        })
        .collect();
    assert_eq!(tries[0], 401);
    assert!(tries.iter().filter(|status| **status == 401).count() < 10, "{tries:?}");
    assert_eq!(tries[29], 429);
}

#[test]
fn a_foreign_name_a_foreign_page_and_a_missing_proof_are_refused() {
    let server = server(settings());
    let foreign = Request::get("/").header("host", "evil.example").body(Body::empty()).unwrap();
    assert_eq!(send(&server, foreign).status, 421);
    let mut request = form(&server, "/plan", &[]);
    request.headers_mut().insert("origin", "http://evil.example".parse().unwrap());
    assert_eq!(send(&server, request).status, 403);
    let bare = post("/plan", "application/x-www-form-urlencoded", "currency=CNY");
    assert_eq!(send(&server, bare).status, 403);
    assert_eq!(send(&server, form(&server, "/plan", &[])).status, 200);
}

#[test]
fn a_read_only_server_shows_its_plan_and_changes_nothing() {
    let mut settings = settings();
    settings.read_only = true;
    let server = server(settings);
    let page = send(&server, get("/?lang=en")).text();
    assert!(page.contains("Read only") && !page.contains("name=\"job-name\""));
    let total = |text: &str| {
        text.split("id=\"total\">").nth(1).unwrap().split('<').next().unwrap().to_owned()
    };
    let changed = [("job-name", "x"), ("job-task", "batch"), ("job-hours", "700")];
    let answer = send(&server, form(&server, "/plan", &changed));
    assert_eq!(total(&answer.text()), total(&page));
}
