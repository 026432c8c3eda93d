//! `kasuan alerts check` against servers on this machine that take what chat robots and mail servers
//! take: signatures, throttling, retries, dedupe, quiet hours, and what must never be shown.

use crate::kasuan;
use jiff::Timestamp;
use kasuan_ledger::{AgentSeen, Ledger};
use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    process::Command,
    sync::mpsc::{Receiver, Sender, channel},
};

/// A request as a server got it: its target and its body.
type Request = (String, serde_json::Value);

/// Serves `answers` in order and the last of them for ever; a request's own target stands for `TARGET`.
fn robots(answers: Vec<(u16, &'static str)>) -> (u16, Receiver<Request>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut answers = answers.into_iter();
        let mut next = answers.next().unwrap();
        for stream in listener.incoming() {
            if serve(&stream.unwrap(), next, &sender).is_none() {
                return;
            }
            next = answers.next().unwrap_or(next);
        }
    });
    (port, receiver)
}

fn serve(stream: &TcpStream, answer: (u16, &str), sender: &Sender<Request>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut first, mut line, mut length) = (String::new(), String::new(), 0);
    reader.read_line(&mut first).ok()?;
    while reader.read_line(&mut line).ok()? > 2 {
        if let Some(text) = line.to_lowercase().strip_prefix("content-length:") {
            length = text.trim().parse().ok()?;
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let target = first.split(' ').nth(1)?.to_owned();
    let said = answer.1.replace("TARGET", &target);
    sender.send((target, serde_json::from_slice(&body).ok()?)).ok()?;
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {} x\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{said}",
        answer.0,
        said.len()
    )
    .ok()
}

/// A ledger in which one dear host has been idle for two hours.
fn idle_host(folder: &Path) -> Ledger {
    let mut ledger = Ledger::open_file(&folder.join("ledger.db")).unwrap();
    let agent = |name: &str, seconds_ago: i64, idle| AgentSeen {
        name: name.to_owned(),
        seen: Timestamp::from_second(Timestamp::now().as_second() - seconds_ago).unwrap(),
        idle,
        told: "12 CNY".to_owned(),
    };
    ledger.agent_seen(&agent("box-1", 5, Some(7200))).unwrap();
    ledger.agent_seen(&agent("box-2", 3600, None)).unwrap();
    ledger
}

/// The zone in which it is this hour now.
fn zone_at(hour: i64) -> String {
    let now = Timestamp::now().as_second().rem_euclid(86_400) / 3600;
    let ahead = (hour - now + 11).rem_euclid(24) - 11;
    format!("{}{:02}:00", if ahead < 0 { '-' } else { '+' }, ahead.abs())
}

fn check(folder: &Path, more: &[&str]) -> String {
    let zone = zone_at(12);
    let zone = if more.contains(&"--zone") { vec![] } else { vec!["--zone", &zone] };
    let fixed = ["alerts", "check", "--channels", "channels.toml", "--ledger", "ledger.db"];
    kasuan(folder, &[&fixed[..], &zone, more].concat())
}

/// The HMAC-SHA256 of Python's own library, as base64.
fn hmac(key: &str, message: &str) -> String {
    let script = "import base64,hashlib,hmac,sys\n\
        print(base64.b64encode(hmac.new(sys.argv[1].encode(),sys.argv[2].encode(),hashlib.sha256).digest()).decode())";
    let output = Command::new("python3").args(["-c", script, key, message]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn every_robot_gets_one_signed_message_and_the_same_is_not_sent_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = idle_host(folder.path());
    let (port, requests) = robots(vec![(200, r#"{"code":0,"errcode":0}"#)]);
    fs::write(folder.path().join("secret"), "SECabcdef012345\n").unwrap();
    let mut channels = String::new();
    for (kind, path) in [
        ("feishu", "open-apis/bot/v2/hook/tok-feishu"),
        ("dingtalk", "robot/send?access_token=tok-dingtalk"),
        ("wecom", "cgi-bin/webhook/send?key=tok-wecom"),
        ("webhook", "hooks/tok"),
    ] {
        channels.push_str(&format!(
            "[[channel]]\nname = \"{kind}\"\nkind = \"{kind}\"\nurl = \"http://127.0.0.1:{port}/{path}\"\n"
        ));
        if matches!(kind, "feishu" | "dingtalk") {
            channels.push_str("secret_file = \"secret\"\n");
        }
    }
    fs::write(folder.path().join("channels.toml"), channels).unwrap();
    let told = check(folder.path(), &["--lang", "zh"]);
    assert!(told.ends_with("[1]\n"), "something urgent is an answer of no: {told}");
    let got: Vec<Request> = requests.try_iter().collect();
    assert_eq!(got.len(), 4, "{told}");
    let (_, feishu) = &got[0];
    let time = feishu["timestamp"].as_str().unwrap();
    assert_eq!(feishu["sign"], hmac(&format!("{time}\nSECabcdef012345"), "").as_str());
    assert!((time.parse::<i64>().unwrap() - Timestamp::now().as_second()).abs() < 120, "seconds");
    let text = feishu["content"]["text"].as_str().unwrap();
    assert!(
        text.contains("box-1") && text.contains("box-2"),
        "one message with everything: {text}"
    );
    let (target, dingtalk) = &got[1];
    let of = |name: &str| {
        let query = target.split_once('?').unwrap().1;
        let found = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
        found.unwrap().to_owned()
    };
    let sign = of("sign").replace("%2B", "+").replace("%2F", "/").replace("%3D", "=");
    let signed = format!("{}\nSECabcdef012345", of("timestamp"));
    assert_eq!(sign, hmac("SECabcdef012345", &signed));
    assert_eq!(of("access_token"), "tok-dingtalk");
    assert_eq!(dingtalk["msgtype"], "text");
    assert!(got[2].0.ends_with("key=tok-wecom") && got[2].1["msgtype"] == "text");
    assert!(got[3].1["text"].as_str().unwrap().contains("box-1"));
    let again = check(folder.path(), &["--lang", "zh"]);
    assert_eq!(requests.try_iter().count(), 0, "{again}");
    // What is new goes out alone.
    let seen = Timestamp::now();
    let third =
        AgentSeen { name: "box-3".to_owned(), seen, idle: Some(3600), told: "9 CNY".to_owned() };
    ledger.agent_seen(&third).unwrap();
    check(folder.path(), &[]);
    let got: Vec<Request> = requests.try_iter().collect();
    assert_eq!(got.len(), 4);
    let text = got[3].1["text"].as_str().unwrap();
    assert!(text.contains("box-3") && !text.contains("box-1"), "{text}");
    for secret in ["tok-", "SECabcdef"] {
        assert!(!(told.clone() + &again).contains(secret), "{told}{again}");
    }
}

#[test]
fn a_busy_robot_is_tried_again_a_refusal_is_not_and_the_next_check_sends_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    idle_host(folder.path());
    let (busy, tries) = robots(vec![
        (200, r#"{"code":11232,"msg":"frequency limited"}"#),
        (429, "slow"),
        (200, r#"{"code":0}"#),
    ]);
    // This one says in its refusal what it was sent, token and all.
    let (wrong, refused) = robots(vec![
        (200, r#"{"code":19021,"msg":"sign match fail TARGET"}"#),
        (200, r#"{"code":0}"#),
    ]);
    fs::write(
        folder.path().join("channels.toml"),
        format!(
            "[[channel]]\nname = \"busy\"\nkind = \"feishu\"\nurl = \"http://127.0.0.1:{busy}/hook/secret-token-1\"\n\
             [[channel]]\nname = \"wrong\"\nkind = \"feishu\"\nurl = \"http://127.0.0.1:{wrong}/hook/secret-token-2\"\n\
             [[channel]]\nname = \"gone\"\nkind = \"webhook\"\nurl = \"http://127.0.0.1:1/hook/secret-token-3\"\n"
        ),
    )
    .unwrap();
    let mut told = check(folder.path(), &["--lang", "zh"]);
    assert_eq!(tries.try_iter().count(), 3);
    assert_eq!(refused.try_iter().count(), 1);
    assert!(!told.contains("secret-token"), "{told}");
    assert!(told.ends_with("[3]\n"), "{told}");
    told.push_str(&check(folder.path(), &["--lang", "en"]));
    assert_eq!((tries.try_iter().count(), refused.try_iter().count()), (0, 1), "{told}");
    insta::assert_snapshot!("alerts_refused", told.replace(&zone_at(12), "ZONE"));
}

#[test]
fn quiet_hours_and_a_dry_run_send_nothing_and_the_digest_waits_for_the_morning() {
    let folder = tempfile::tempdir().unwrap();
    idle_host(folder.path());
    let (port, requests) = robots(vec![(200, "taken")]);
    let channel = format!(
        "[[channel]]\nname = \"hook\"\nkind = \"webhook\"\nurl = \"http://127.0.0.1:{port}/secret-token-9\"\n"
    );
    fs::write(folder.path().join("channels.toml"), channel).unwrap();
    let dry = check(folder.path(), &["--dry-run", "--lang", "en"]);
    assert!(dry.contains("[hook] {\"text\":") && !dry.contains("secret-token"), "{dry}");
    let quiet = check(folder.path(), &["--quiet", "11-14", "--lang", "zh"]);
    assert!(quiet.contains("免打扰"), "{quiet}");
    assert_eq!(requests.try_iter().count(), 0);
    // At three in the morning the urgent one goes alone; the silent agent waits for the digest.
    let night = zone_at(3);
    check(folder.path(), &["--quiet", "4-5", "--zone", &night]);
    let text = |requests: &Receiver<Request>| {
        let got: Vec<Request> = requests.try_iter().collect();
        assert_eq!(got.len(), 1);
        got[0].1["text"].as_str().unwrap().to_owned()
    };
    let urgent = text(&requests);
    assert!(urgent.contains("box-1") && !urgent.contains("box-2"), "{urgent}");
    check(folder.path(), &["--zone", &zone_at(10)]);
    let digest = text(&requests);
    assert!(digest.contains("box-2") && !digest.contains("box-1"), "{digest}");
}

/// A mail server for one mail; returns what clients said to it, line by line.
fn mail_server() -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            let mut writer = &stream;
            let mut say = move |text: &str| writer.write_all(text.as_bytes()).is_ok();
            say("220 test ESMTP\r\n");
            let mut data = false;
            for line in BufReader::new(&stream).lines() {
                let Ok(line) = line else { break };
                sender.send(line.clone()).unwrap();
                let going = match (data, line.split(' ').next().unwrap_or("")) {
                    (true, ".") => {
                        data = false;
                        say("250 taken\r\n")
                    }
                    (true, _) => true,
                    (_, "EHLO") => say("250-test\r\n250-8BITMIME\r\n250 AUTH PLAIN LOGIN\r\n"),
                    (_, "DATA") => {
                        data = true;
                        say("354 go on\r\n")
                    }
                    (_, "QUIT") => say("221 bye\r\n"),
                    _ => say("250 ok\r\n"),
                };
                if !going {
                    break;
                }
            }
        }
    });
    (port, receiver)
}

#[test]
fn a_mail_arrives_whole_and_a_password_is_not_sent_over_an_open_line() {
    let folder = tempfile::tempdir().unwrap();
    idle_host(folder.path());
    let (port, heard) = mail_server();
    let channel = |more: &str| {
        format!(
            "[[channel]]\nname = \"mail\"\nkind = \"email\"\nurl = \"smtp://127.0.0.1:{port}\"\n\
             from = \"gpu@example.com\"\nto = [\"lead@example.com\", \"ops@example.com\"]\n{more}"
        )
    };
    fs::write(folder.path().join("secret"), "gpu:correct-horse").unwrap();
    fs::write(folder.path().join("channels.toml"), channel("secret_file = \"secret\"\n")).unwrap();
    let open = check(folder.path(), &["--lang", "zh"]);
    assert!(open.ends_with("[3]\n") && !open.contains("correct-horse"), "{open}");
    let said: Vec<String> = heard.try_iter().collect();
    assert!(
        said.iter().all(|line| !line.starts_with("AUTH") && !line.starts_with("MAIL")),
        "{said:?}"
    );
    fs::write(folder.path().join("channels.toml"), channel("")).unwrap();
    let sent = check(folder.path(), &["--lang", "zh"]);
    assert!(sent.ends_with("[1]\n"), "{sent}");
    let said: Vec<String> = heard.try_iter().collect();
    let has = |text: &str| said.iter().any(|line| line == text);
    assert!(
        has("MAIL FROM:<gpu@example.com>")
            || said.iter().any(|line| line.starts_with("MAIL FROM:<gpu@example.com>")),
        "{said:?}"
    );
    assert!(has("RCPT TO:<lead@example.com>") && has("RCPT TO:<ops@example.com>"), "{said:?}");
    let letter = said.join("\n");
    let script = "import email,email.header,sys\n\
        m=email.message_from_bytes(sys.stdin.buffer.read().split(b'\\nDATA\\n')[1].split(b'\\n.\\n')[0])\n\
        print(email.header.decode_header(m['Subject'])[0][0].decode())\n\
        print(m.get_payload(decode=True).decode())";
    let mut python = Command::new("python3")
        .args(["-c", script])
        .env("PYTHONIOENCODING", "utf-8")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    python.stdin.take().unwrap().write_all(letter.as_bytes()).unwrap();
    let read = String::from_utf8(python.wait_with_output().unwrap().stdout).unwrap();
    assert!(
        read.starts_with("卡算：GPU 提醒\n") && read.contains("box-1 已闲置 120 分钟"),
        "{read}"
    );
}
