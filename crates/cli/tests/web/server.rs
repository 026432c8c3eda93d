//! Starts the program and ends it with the test.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

/// A program that is ended when it is no longer needed.
pub(crate) struct Running {
    child: Child,
    /// Where it listens: `127.0.0.1:12345`.
    pub(crate) address: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the program with nothing of the test's environment.
pub(crate) fn kasuan(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kasuan"));
    command.current_dir(folder).env_clear();
    command
}

/// Starts the server on a port that it picks itself.
pub(crate) fn serve(folder: &Path, arguments: &[&str]) -> Running {
    let mut command = kasuan(folder);
    command.args(["--today", "2026-12-01", "--lang", "en", "serve", "--listen", "127.0.0.1:0"]);
    command.args(arguments).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = address(lines.map_while(Result::ok));
    Running { child, address }
}

/// Starts an agent on a stand-in for NVIDIA's library.
pub(crate) fn agent(folder: &Path, library: &Path, price: &str) -> Running {
    let mut command = kasuan(folder);
    command.args(["--lang", "en", "agent", "--listen", "127.0.0.1:0", "--interval", "0.5"]);
    command.args(["--price", price, "--library"]).arg(library).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let address = address(lines.map_while(Result::ok));
    Running { child, address }
}

/// Finds where a program says that it listens.
fn address(mut lines: impl Iterator<Item = String>) -> String {
    let line = lines.find(|line| line.contains("127.0.0.1:")).expect("it says where it listens");
    let from = line.find("127.0.0.1:").unwrap();
    let rest = &line[from..];
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ':'));
    rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', ':']).to_owned()
}

/// Asks with one request and returns the whole answer.
pub(crate) fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// A ledger with a bill and with the use of a card, both of November.
pub(crate) fn ledger(folder: &Path) -> PathBuf {
    let place = folder.join("ledger.db");
    let bill = "订单号,订单类型,订单状态,计费类型,金额,实付金额,资源ID,创建时间\n\
        A1,Buy,Paid,Month,1500.00,1400.00,box-1,2026-11-01 09:00:00\n\
        A3,Use,Paid,Postpay,36.50,36.50,box-2,2026-11-02 09:00:00\n";
    let mut log = String::from(
        "timestamp, index, uuid, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n",
    );
    // Four hours of a Monday afternoon busy, the hours after it idle.
    for minute in 0..8 * 60 {
        let (hour, rest) = (13 + minute / 60, minute % 60);
        let busy = if minute < 4 * 60 { 90 } else { 0 };
        log.push_str(&format!(
            "2026/11/23 {hour:02}:{rest:02}:00.000, 0, GPU-a, NVIDIA A100-SXM4-80GB, {busy} %, 4000 MiB, 81920 MiB\n"
        ));
    }
    std::fs::write(folder.join("bill.csv"), bill).unwrap();
    std::fs::write(folder.join("use.csv"), log).unwrap();
    for arguments in [
        &["import", "bill", "bill.csv"][..],
        &["import", "usage", "use.csv", "--host", "box-1", "--zone", "+08:00", "--job", "tuning"],
    ] {
        let said = kasuan(folder).args(arguments).arg("--ledger").arg(&place).output().unwrap();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    }
    place
}
