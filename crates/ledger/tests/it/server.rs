//! A PostgreSQL server of our own for the tests: fresh data in a temporary folder, a socket there,
//! no TCP port, stopped when the test binary ends its use of it.

use kasuan_ledger::Ledger;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

pub(crate) struct Server {
    folder: tempfile::TempDir,
    bin: PathBuf,
    databases: AtomicU32,
}

/// Finds the newest server that Debian's package put on this machine.
fn server_programs() -> PathBuf {
    let mut found: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .map(|versions| versions.filter_map(|v| Some(v.ok()?.path().join("bin"))).collect())
        .unwrap_or_default();
    found.retain(|bin| bin.join("initdb").is_file());
    found.sort();
    found
        .pop()
        .expect("PostgreSQL's server is missing; install it with: apt-get install postgresql")
}

/// A command of the server; PostgreSQL refuses to run as root, so root hands it to `postgres`.
fn command(program: &Path) -> Command {
    use std::os::unix::fs::MetadataExt as _;
    let root = fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0);
    if root {
        let mut command = Command::new("runuser");
        command.args(["-u", "postgres", "--"]).arg(program);
        command
    } else {
        Command::new(program)
    }
}

impl Server {
    pub(crate) fn start() -> Self {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        // `postgres` has to enter it when root made it.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let bin = server_programs();
        let data = folder.path().join("data");
        let made = command(&bin.join("initdb"))
            .args(["--auth=trust", "--username=kasuan", "--encoding=UTF8", "--no-sync", "-D"])
            .arg(&data)
            .stdout(Stdio::null())
            .current_dir("/")
            .status();
        assert!(made.unwrap().success(), "initdb failed");
        let options = format!("-c listen_addresses='' -k {}", folder.path().display());
        let started = command(&bin.join("pg_ctl"))
            .args(["--wait", "--silent", "-o", &options, "-l"])
            .arg(folder.path().join("log"))
            .arg("-D")
            .arg(&data)
            .arg("start")
            .current_dir("/")
            .stdout(Stdio::null())
            .status();
        assert!(started.unwrap().success(), "pg_ctl start failed");
        Self { folder, bin, databases: AtomicU32::new(0) }
    }

    /// Returns the URL of a new, empty database.
    pub(crate) fn database(&self) -> String {
        let name = format!("ledger_{}", self.databases.fetch_add(1, Ordering::SeqCst));
        let host = self.folder.path().to_str().unwrap();
        let made = Command::new(self.bin.join("createdb"))
            .args(["--host", host, "--username", "kasuan", &name])
            .status();
        assert!(made.unwrap().success(), "createdb failed");
        format!("postgresql://kasuan@/{name}?host={}", host.replace('/', "%2F"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let stopped = command(&self.bin.join("pg_ctl"))
            .args(["--wait", "--silent", "--mode=immediate", "-D"])
            .arg(self.folder.path().join("data"))
            .arg("stop")
            .current_dir("/")
            .stdout(Stdio::null())
            .status();
        if !stopped.is_ok_and(|status| status.success()) {
            eprintln!("the test's PostgreSQL did not stop");
        }
    }
}

/// Runs a check on an empty ledger of each store.
pub(crate) fn on_both(check: impl Fn(&str)) {
    let folder = tempfile::tempdir().unwrap();
    check(folder.path().join("ledger.db").to_str().unwrap());
    let server = Server::start();
    check(&server.database());
}

pub(crate) fn open(place: &str) -> Ledger {
    Ledger::open(place).unwrap()
}
