//! Drives Chromium over the WebDriver protocol: JSON over HTTP, so that no library is needed.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

/// Flags that Chromium needs as root, without a display and without network.
const FLAGS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
];

/// The key under which WebDriver names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// What a page may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one window.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    pub(crate) downloads: tempfile::TempDir,
    _profile: tempfile::TempDir,
}

/// Starts a browser; `None` where it is not installed and may be missing.
pub(crate) fn start(width: u32, height: u32) -> Option<Browser> {
    let started = Command::new("chromedriver")
        .arg("--port=0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut driver = match started {
        Ok(driver) => driver,
        Err(error) => {
            let needed = std::env::var_os("KASUAN_REQUIRE_TOOLS").is_some();
            assert!(!needed, "chromedriver (Debian: chromium-driver) cannot be started: {error}");
            eprintln!("SKIPPED: chromedriver is not installed (Debian: chromium chromium-driver)");
            return None;
        }
    };
    let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
    let port = lines
        .find_map(|line| {
            let line = line.unwrap();
            let (_, rest) = line.split_once("started successfully on port ")?;
            Some(rest.trim_end_matches('.').parse().unwrap())
        })
        .expect("chromedriver names its port");
    let (profile, downloads) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut flags: Vec<String> = FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
    flags.push(format!("--user-data-dir={}", profile.path().display()));
    flags.push(format!("--window-size={width},{height}"));
    let wanted = json!({"capabilities": {"alwaysMatch": {
        "goog:loggingPrefs": {"browser": "ALL"},
        "goog:chromeOptions": {
            "args": flags,
        },
    }}});
    let answer = call(port, "POST", "/session", &wanted).unwrap();
    let session = answer["sessionId"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
    let browser = Browser { driver, port, session, downloads, _profile: profile };
    let allowed = json!({
        "cmd": "Browser.setDownloadBehavior",
        "params": {"behavior": "allow", "downloadPath": browser.downloads.path()},
    });
    browser.send("POST", "/goog/cdp/execute", &allowed).unwrap();
    Some(browser)
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = call(self.port, "DELETE", &format!("/session/{}", self.session), &Value::Null);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Sends one command; an answer that names an error is one.
fn call(port: u16, method: &str, path: &str, body: &Value) -> Result<Value, String> {
    let body = if body.is_null() { "{}".to_owned() } else { body.to_string() };
    let mut stream = TcpStream::connect(("127.0.0.1", port)).map_err(|error| error.to_string())?;
    stream.set_read_timeout(Some(2 * PATIENCE)).unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).unwrap();
    // The driver keeps the connection open: the length says where the answer ends.
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).map_err(|error| error.to_string())?;
        let line = line.trim().to_ascii_lowercase();
        if let Some(stated) = line.strip_prefix("content-length:") {
            length = stated.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).map_err(|error| error.to_string())?;
    let body = String::from_utf8(body).unwrap();
    let mut value: Value = serde_json::from_str(&body).map_err(|error| error.to_string())?;
    let value = value["value"].take();
    match value["error"].as_str() {
        Some(error) => Err(format!("{error}: {}", value["message"].as_str().unwrap_or_default())),
        None => Ok(value),
    }
}

impl Browser {
    fn send(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        call(self.port, method, &format!("/session/{}{path}", self.session), body)
    }

    /// Opens an address.
    pub(crate) fn open(&self, address: &str) {
        self.send("POST", "/url", &json!({"url": address})).unwrap();
    }

    /// Runs script in the page and returns what it returns.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.send("POST", "/execute/sync", &json!({"script": script, "args": []})).unwrap()
    }

    /// Runs script that calls back with its result.
    pub(crate) fn run_later(&self, script: &str) -> Value {
        self.send("POST", "/timeouts", &json!({"script": 90_000})).unwrap();
        self.send("POST", "/execute/async", &json!({"script": script, "args": []})).unwrap()
    }

    fn element(&self, selector: &str) -> Result<String, String> {
        let wanted = json!({"using": "css selector", "value": selector});
        let found = self.send("POST", "/element", &wanted)?;
        Ok(found[ELEMENT].as_str().unwrap_or_default().to_owned())
    }

    /// Clicks as a person does: what is covered or hidden cannot be clicked.
    pub(crate) fn click(&self, selector: &str) {
        // What lies under the bar at the top is brought out first, as a reader does by scrolling.
        let show = format!(
            "document.querySelector({})?.scrollIntoView({{block: 'center', behavior: 'instant'}})",
            json!(selector)
        );
        self.until(selector, || {
            self.run(&show);
            let element = self.element(selector).ok()?;
            self.send("POST", &format!("/element/{element}/click"), &Value::Null).ok()
        });
    }

    /// Replaces what a field holds by typing.
    pub(crate) fn fill(&self, selector: &str, text: &str) {
        let element = self.element(selector).unwrap();
        // Select all, then type over it.
        let keys = format!("\u{e009}a\u{e000}{text}");
        let path = format!("/element/{element}/value");
        self.send("POST", &path, &json!({"text": keys})).unwrap();
    }

    /// Chooses a file in a field for files.
    pub(crate) fn choose(&self, selector: &str, file: &Path) {
        let element = self.element(selector).unwrap();
        let path = format!("/element/{element}/value");
        self.send("POST", &path, &json!({"text": file.display().to_string()})).unwrap();
    }

    /// Presses the mouse at one place of the window and lets it go at another.
    pub(crate) fn drag(&self, from: (i64, i64), to: (i64, i64)) {
        let moved =
            |(x, y): (i64, i64)| json!({"type": "pointerMove", "duration": 50, "x": x, "y": y});
        let actions = json!([
            moved(from),
            {"type": "pointerDown", "button": 0},
            moved(to),
            {"type": "pointerUp", "button": 0},
        ]);
        let body = json!({"actions": [{"type": "pointer", "id": "mouse", "actions": actions}]});
        self.send("POST", "/actions", &body).unwrap();
    }

    /// Presses keys wherever the focus is.
    pub(crate) fn press(&self, keys: &str) {
        let actions: Vec<Value> = keys
            .chars()
            .flat_map(|key| {
                [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})]
            })
            .collect();
        let body = json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]});
        self.send("POST", "/actions", &body).unwrap();
    }

    /// Returns the text of an element as a reader sees it.
    pub(crate) fn text(&self, selector: &str) -> String {
        self.until(selector, || {
            let element = self.element(selector).ok()?;
            let text = self.send("GET", &format!("/element/{element}/text"), &Value::Null).ok()?;
            text.as_str().map(str::to_owned)
        })
    }

    /// Waits until something is there.
    pub(crate) fn until<T>(&self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let begun = Instant::now();
        loop {
            if let Some(found) = look() {
                return found;
            }
            if begun.elapsed() > PATIENCE {
                self.picture("failed");
                panic!("waited in vain for {what}; see target/screenshots/failed.png");
            }
            sleep(Duration::from_millis(50));
        }
    }

    /// Keeps a picture of the window under `target/screenshots`.
    pub(crate) fn picture(&self, name: &str) -> PathBuf {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/screenshots");
        fs::create_dir_all(&folder).unwrap();
        let picture = self.send("GET", "/screenshot", &Value::Null).unwrap();
        let path = folder.join(format!("{name}.png"));
        fs::write(&path, STANDARD.decode(picture.as_str().unwrap()).unwrap()).unwrap();
        path
    }

    /// Resizes the window.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let wanted = json!({"width": width, "height": height});
        self.send("POST", "/window/rect", &wanted).unwrap();
    }

    /// Sets how pages find their surroundings: dark or light, motion or none.
    pub(crate) fn prefer(&self, feature: &str, value: &str) {
        let body = json!({
            "cmd": "Emulation.setEmulatedMedia",
            "params": {"features": [{"name": feature, "value": value}]},
        });
        self.send("POST", "/goog/cdp/execute", &body).unwrap();
    }

    /// Returns what the browser complained about since it was last asked.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let entries = self.send("POST", "/se/log", &json!({"type": "browser"})).unwrap();
        let entries = entries.as_array().cloned().unwrap_or_default();
        let level = |entry: &Value| matches!(entry["level"].as_str(), Some("SEVERE" | "WARNING"));
        entries.into_iter().filter(level).map(|entry| entry["message"].to_string()).collect()
    }
}
