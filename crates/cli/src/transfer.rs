//! Requests of a store on the network, carried out by the `curl` program.

use crate::send::quoted;
use kasuan_probe::run::checkpoints::{Http, Request, Response};
use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::PathBuf,
    process::{Command, Stdio},
    sync::atomic::{AtomicU64, Ordering},
};

/// A transfer slower than this many bytes a second for a minute is given up and tried again later.
const SLOWEST: &str = "1024";

/// Sends by `curl`; `seconds` bounds a whole request, where it is short by nature.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Curl {
    /// The longest that a request may take; none for transfers, which only must not stand still.
    pub(crate) seconds: Option<u32>,
}

/// A file that only this user may read and that is gone afterwards: signatures and tokens of a
/// request do not belong into a process list.
struct Private(PathBuf);

impl Private {
    fn new(text: &str) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("kasuan-request-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut file = fs::File::options().write(true).create_new(true).mode(0o600).open(&path)?;
        let private = Self(path);
        file.write_all(text.as_bytes())?;
        Ok(private)
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        // Nothing can be done about a file that cannot be removed; a signature is void in minutes.
        let _ = fs::remove_file(&self.0);
    }
}

impl Http for Curl {
    fn send(&self, request: &Request) -> io::Result<Response> {
        let private = Private::new(&self.settings(request))?;
        let mut child = Command::new("curl")
            .args(["--disable", "--silent", "--show-error", "--config"])
            .arg(&private.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => io::Error::new(error.kind(), "curl is not installed"),
                _ => error,
            })?;
        // A body larger than the pipe would wait for an answer that nobody reads.
        let input = child.stdin.take();
        let output = std::thread::scope(|scope| {
            scope.spawn(|| {
                // What the server did not want to read tells in its answer why.
                input.map(|mut input| input.write_all(&request.body))
            });
            child.wait_with_output()
        })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(io::Error::other(said));
        }
        read(&output.stdout)
    }
}

impl Curl {
    fn settings(self, request: &Request) -> String {
        let mut text = format!("url = {}\ndump-header = \"-\"\n", quoted(&request.url));
        text.push_str("connect-timeout = 10\nspeed-time = 60\n");
        text.push_str(&format!("speed-limit = {SLOWEST}\n"));
        if let Some(seconds) = self.seconds {
            text.push_str(&format!("max-time = {seconds}\n"));
        }
        for (name, value) in &request.headers {
            text.push_str(&format!("header = {}\n", quoted(&format!("{name}: {value}"))));
        }
        // An empty `Expect` saves the wait for a server that does not know the question.
        text.push_str("header = \"Expect:\"\nheader = \"Content-Type:\"\n");
        match request.method {
            "HEAD" => text.push_str("head\n"),
            "GET" => {}
            method => {
                text.push_str(&format!("request = \"{method}\"\n"));
                if method != "DELETE" {
                    text.push_str("data-binary = \"@-\"\n");
                }
            }
        }
        if let Some(path) = &request.into {
            text.push_str(&format!("output = {}\n", quoted(&path.display().to_string())));
        }
        text
    }
}

/// Reads what curl wrote: the heads of the answers (a proxy's first), then the body.
fn read(output: &[u8]) -> io::Result<Response> {
    let mut response = Response::default();
    let mut rest = output;
    while rest.starts_with(b"HTTP/") {
        let Some(end) = rest.windows(4).position(|four| four == b"\r\n\r\n") else { break };
        let (head, below) = rest.split_at(end);
        rest = below.get(4..).unwrap_or_default();
        let head = String::from_utf8_lossy(head);
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        response.status = status.unwrap_or(0);
        response.headers = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
    }
    if response.status == 0 {
        return Err(io::Error::other("no answer"));
    }
    response.body = rest.to_vec();
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_head_counts_and_the_body_is_bytes() {
        let said = b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 404 Not Found\r\nETag: \"x\"\r\n\r\n\xff\r\n\r\nz";
        let response = read(said).unwrap();
        assert_eq!((response.status, response.header("etag")), (404, Some("\"x\"")));
        assert_eq!(response.body, b"\xff\r\n\r\nz");
        assert!(read(b"").is_err());
    }
}
