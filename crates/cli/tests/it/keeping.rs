//! What is kept when things go wrong: stores on the network, spot notices, full disks, kill -9.

use crate::kasuan;
use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A job that writes the checkpoints `checkpoint-1`... of some files, then says `ready`.
fn job(count: u32, end: &str) -> String {
    format!(
        "for i in $(seq {count}); do mkdir -p out/checkpoint-$i/deep; \
         head -c 300000 /dev/zero | tr '\\0' $i > out/checkpoint-$i/model.bin; \
         echo $i > out/checkpoint-$i/deep/state.json; sleep 0.05; done; echo ready; {end}"
    )
}

fn command(folder: &Path, arguments: &[&str], script: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kasuan"));
    command
        .args(["run", "--task", "x", "--interval", "0.1", "--checkpoints", "out"])
        .args(arguments)
        .args(["--", "/bin/sh", "-c", script])
        .current_dir(folder)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Waits for the job's word that it is ready.
fn ready(run: &mut Child) {
    let out = BufReader::new(run.stdout.take().unwrap());
    assert!(out.lines().map_while(Result::ok).any(|line| line == "ready"));
}

/// Reads one request and answers it with what `answer` says of its first line and its head.
fn serve(listener: &TcpListener, mut answer: impl FnMut(&str, &str) -> Option<(u16, String)>) {
    for stream in listener.incoming() {
        let mut stream: TcpStream = stream.unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let (mut first, mut head, mut line) = (String::new(), String::new(), String::new());
        reader.read_line(&mut first).unwrap();
        while reader.read_line(&mut line).unwrap() > 2 {
            head.push_str(&line.to_ascii_lowercase());
            line.clear();
        }
        let Some((status, body)) = answer(&first, &head) else { return };
        write!(
            stream,
            "HTTP/1.1 {status} x\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
    }
}

#[test]
fn a_spot_notice_ends_the_command_in_time_and_its_last_checkpoint_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = format!("aws=http://{}", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let mut asked = 0;
        serve(&listener, |first, head| {
            if first.starts_with("PUT /latest/api/token") {
                assert!(head.contains("x-aws-ec2-metadata-token-ttl-seconds:"), "{head}");
                return Some((200, "token-7".to_owned()));
            }
            assert!(first.starts_with("GET /latest/meta-data/spot/instance-action"), "{first}");
            assert!(head.contains("x-aws-ec2-metadata-token: token-7"), "{head}");
            asked += 1;
            let end = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(120);
            let time = end.strftime("%Y-%m-%dT%H:%M:%SZ");
            let body = format!("{{\"action\": \"terminate\", \"time\": \"{time}\"}}");
            match asked {
                1 => Some((404, String::new())),
                2 => Some((200, body)),
                _ => None,
            }
        });
    });
    let script = job(
        1,
        "trap 'echo late > out/checkpoint-1/last; exit 0' TERM; while :; do sleep 0.1; done",
    );
    let arguments = ["--keep-at", "kept", "--spot-notice", &place];
    let output = command(folder.path(), &arguments, &script).output().unwrap();
    let told = said(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(
        told.contains("takes this machine back") && told.contains("checkpoint-1 is safe"),
        "{told}"
    );
    let kept = fs::read_to_string(folder.path().join("kept/checkpoint-1/last")).unwrap();
    assert_eq!(kept, "late\n", "what was saved after the notice is kept too");
    let record = fs::read_dir(folder.path().join(".kasuan/runs")).unwrap().next().unwrap().unwrap();
    let record: serde_json::Value =
        serde_json::from_slice(&fs::read(record.path()).unwrap()).unwrap();
    assert!(record["taken_back"].is_string(), "{record}");
    drop(server);
}

#[test]
fn a_place_that_tells_nothing_is_named_and_ends_no_job() {
    let folder = tempfile::tempdir().unwrap();
    let run = |place: &str| {
        command(folder.path(), &["--keep-at", "kept", "--spot-notice", place], "exit 4")
            .output()
            .unwrap()
    };
    let wrong = run("asw");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(said(&wrong).contains("alibaba"), "{}", said(&wrong));
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let deaf = run(&format!("http://{nobody}/end"));
    assert_eq!(deaf.status.code(), Some(4), "{}", said(&deaf));
    assert!(said(&deaf).contains("cannot be heard"), "{}", said(&deaf));
}

#[test]
fn a_store_that_cannot_be_reached_holds_no_job_up_and_says_what_is_not_safe() {
    let folder = tempfile::tempdir().unwrap();
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let store = format!("s3://bucket/x?endpoint=http://{nobody}");
    let arguments = ["--keep-at", store.as_str(), "--settle", "1s"];
    let keyless = command(folder.path(), &arguments, "touch started").output().unwrap();
    assert_eq!(keyless.status.code(), Some(2));
    assert!(said(&keyless).contains("AWS_ACCESS_KEY_ID is not set"), "{}", said(&keyless));
    assert!(!folder.path().join("started").exists());
    let output = command(folder.path(), &arguments, &job(1, "sleep 3; exit 6"))
        .env("AWS_ACCESS_KEY_ID", "id")
        .env("AWS_SECRET_ACCESS_KEY", "hush-hush")
        .output()
        .unwrap();
    let told = said(&output);
    assert_eq!(output.status.code(), Some(6), "{told}");
    assert!(told.contains("not safe yet"), "{told}");
    assert!(told.contains("copy them before the machine is released"), "{told}");
    assert!(!told.contains("hush-hush"), "{told}");
    assert!(folder.path().join("out/checkpoint-1/model.bin").is_file());
}

#[test]
fn killed_at_any_moment_the_newest_complete_checkpoint_comes_back() {
    for wait in [0, 300, 700] {
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["--keep-at", "kept", "--settle", "1s", "--keep", "3"];
        let script = job(3, "exec sleep 600");
        let mut run = command(folder.path(), &arguments, &script).spawn().unwrap();
        ready(&mut run);
        let until = Instant::now() + Duration::from_secs(20);
        while !folder.path().join("kept/checkpoint-1").exists() && Instant::now() < until {
            thread::sleep(Duration::from_millis(10));
        }
        thread::sleep(Duration::from_millis(wait));
        // The job is an orphan then; it is ended by its own number.
        let children = format!("/proc/{0}/task/{0}/children", run.id());
        let job = fs::read_to_string(children).unwrap();
        run.kill().unwrap();
        run.wait().unwrap();
        for id in job.split_whitespace() {
            let id = rustix::process::Pid::from_raw(id.parse().unwrap()).unwrap();
            let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
        }
        fs::remove_dir_all(folder.path().join("out")).unwrap();
        let script = "cd out; for d in *; do cat $d/deep/state.json; wc -c < $d/model.bin; done";
        let output = command(folder.path(), &arguments, script).output().unwrap();
        let back = String::from_utf8(output.stdout).unwrap();
        let mut lines = back.lines();
        let state: u32 = lines.next().unwrap().parse().unwrap();
        assert!((1..=3).contains(&state), "{back}");
        assert_eq!(lines.next().unwrap().trim(), "300000", "{back}");
        assert!(
            !folder
                .path()
                .join("kept")
                .read_dir()
                .unwrap()
                .any(|entry| { entry.unwrap().file_name().to_string_lossy().ends_with(".part") })
        );
    }
}

#[test]
fn a_full_disk_ends_no_job_and_leaves_nothing_half_written() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("small")).unwrap();
    let kasuan = env!("CARGO_BIN_EXE_kasuan");
    let script = format!(
        "mount -t tmpfs -o size=64k none small && cd small && head -c 70000 /dev/zero > fill; \
         {kasuan} run --task x --records runs --checkpoints ../out --keep-at kept --interval 0.1 -- \
         sh -c 'mkdir -p ../out/checkpoint-1; head -c 100000 /dev/zero > ../out/checkpoint-1/m; exit 3'; \
         echo \"code $?\"; find . -type f ! -name fill"
    );
    let output = Command::new("unshare")
        .args(["-Urm", "sh", "-c", &script])
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
        .env("TMPDIR", folder.path())
        .output();
    let Ok(output) = output else {
        eprintln!("SKIPPED: unshare is missing (util-linux)");
        return;
    };
    let (out, told) = (String::from_utf8_lossy(&output.stdout), said(&output));
    if told.contains("Operation not permitted") || told.contains("permission denied") {
        eprintln!("SKIPPED: no user namespaces here: {told}");
        return;
    }
    assert_eq!(
        out, "code 3\n",
        "only the command's code, and no file is left half written: {told}"
    );
    assert!(told.contains("the disk is full"), "{told}");
    assert!(told.contains("copy them before the machine is released"), "{told}");
    assert!(told.lines().last().unwrap().contains("not where it belongs"), "{told}");
}

/// Starts moto's S3 server on a free port, from the search path or `KASUAN_MOTO`.
fn moto() -> Option<(Child, String)> {
    #[expect(clippy::disallowed_methods, reason = "where this machine keeps moto")]
    let program = std::env::var("KASUAN_MOTO").unwrap_or_else(|_| "moto_server".to_owned());
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = Command::new(program)
        .args(["-H", "127.0.0.1", "-p", &port.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut server) = server else {
        let missing = "moto is missing: pip install 'moto[s3,server]'";
        assert!(std::env::var_os("KASUAN_REQUIRE_TOOLS").is_none(), "{missing}");
        eprintln!("SKIPPED: {missing}");
        return None;
    };
    let until = Instant::now() + Duration::from_secs(60);
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if Instant::now() > until {
            server.kill().unwrap();
            panic!("moto does not listen");
        }
        thread::sleep(Duration::from_millis(100));
    }
    Some((server, format!("http://127.0.0.1:{port}")))
}

fn raw(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address.trim_start_matches("http://")).unwrap();
    write!(
        stream,
        "{request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn an_s3_server_keeps_checkpoints_prunes_them_and_gives_the_newest_back() {
    let Some((mut server, address)) = moto() else { return };
    assert!(raw(&address, "PUT /bucket").starts_with("HTTP/1.1 200"));
    let store = format!("s3://bucket/jobs/a?endpoint={address}");
    let arguments = ["--keep-at", store.as_str()];
    let keys = [("AWS_ACCESS_KEY_ID", "id"), ("AWS_SECRET_ACCESS_KEY", "secret")];
    let first = tempfile::tempdir().unwrap();
    // One file is above the size of a part, so that it goes up in two.
    let large = job(3, "head -c 70000000 /dev/zero | tr '\\0' z > out/checkpoint-3/optimizer.bin");
    let output = command(first.path(), &arguments, &large).envs(keys).output().unwrap();
    let told = said(&output);
    assert!(told.contains("checkpoint-3 is safe"), "{told}");
    let listing = raw(&address, "GET /bucket?list-type=2");
    for name in
        ["checkpoint-2.manifest.json", "checkpoint-3.manifest.json", "checkpoint-3/optimizer.bin"]
    {
        assert!(listing.contains(&format!("<Key>jobs/a/{name}</Key>")), "{name}: {listing}");
    }
    assert!(!listing.contains("checkpoint-1") && !listing.contains(".part."), "{listing}");

    let second = tempfile::tempdir().unwrap();
    let script = "ls out; cat out/checkpoint-3/deep/state.json; tail -c 3 out/checkpoint-3/optimizer.bin; wc -c < out/checkpoint-3/optimizer.bin";
    let output = command(second.path(), &arguments, script).envs(keys).output().unwrap();
    let out = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(out, "checkpoint-3\n3\nzzz70000000\n", "{}", said(&output));
    assert!(said(&output).contains("checkpoint-3 is back"), "{}", said(&output));
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn a_command_that_does_not_exist_leaves_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let told = kasuan(folder.path(), &["run", "--task", "x", "--lang", "zh", "--", "./没有"]);
    assert!(told.contains("没有") && told.ends_with("[2]\n"), "{told}");
    assert_eq!(fs::read_dir(folder.path().join(".kasuan/runs")).unwrap().count(), 0);
}
