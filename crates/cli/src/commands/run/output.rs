//! The command's output: passed through as it comes, and read on the way.
//!
//! Where the reader sits at a terminal the command gets a terminal too (a pseudo-terminal of the
//! same size, for output only), so that bars and colours stay as they are. Its input is the real
//! one, and so is its process group: the keyboard's signals reach it by themselves.

use super::status::Screen;
use rustix::{
    fs::{Mode, OFlags},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{
        OptionalActions, OutputModes, Winsize, tcgetattr, tcgetwinsize, tcsetattr, tcsetwinsize,
    },
};
use std::{
    fs::File,
    io::{self, IsTerminal as _, Read, Write},
    process::{Child, Command, Stdio},
    sync::{Arc, mpsc},
};

/// A started command.
pub(super) struct Started {
    /// The process.
    pub(super) child: Child,
    /// Its lines, and every redrawing of a bar.
    pub(super) lines: mpsc::Receiver<String>,
    /// The pseudo-terminal, to tell it the size of the window.
    terminal: Option<File>,
}

impl Started {
    /// Passes the size of the window on; `rows` lines at its bottom are not the command's.
    pub(super) fn resize(&self, rows: u16) {
        if let (Some(terminal), Some(size)) = (&self.terminal, window(rows)) {
            // A terminal that has no size leaves the command's as it was.
            let _ = tcsetwinsize(terminal, size);
        }
    }
}

/// Starts a program. `screen` is where what it says to a terminal goes; `rows` lines of it are kept
/// back.
pub(super) fn start(
    program: &str,
    rest: &[String],
    screen: &Arc<Screen>,
    rows: u16,
) -> io::Result<Started> {
    let (sender, lines) = mpsc::channel();
    let mut command = Command::new(program);
    command.args(rest);
    let (out, err) = (io::stdout().is_terminal(), io::stderr().is_terminal());
    // Where the system has no pseudo-terminals the command still runs, with pipes.
    let pair = (out || err).then(|| pair(rows)).and_then(Result::ok);
    if let Some((_, slave)) = &pair {
        if out {
            command.stdout(slave.try_clone()?);
        }
        if err {
            command.stderr(slave.try_clone()?);
        }
    }
    let piped = |terminal: bool| !(terminal && pair.is_some());
    if piped(out) {
        command.stdout(Stdio::piped());
    }
    if piped(err) {
        command.stderr(Stdio::piped());
    }
    let mut child = command.spawn()?;
    // Every copy of the far end must be closed here, or its end would never be seen.
    drop(command);
    let terminal = pair.map(|(master, _)| master);
    if let Some(output) = child.stdout.take() {
        let sender = sender.clone();
        std::thread::spawn(move || tee(output, io::stdout(), &sender));
    }
    if let Some(output) = child.stderr.take() {
        let sender = sender.clone();
        std::thread::spawn(move || tee(output, io::stderr(), &sender));
    }
    if let Some(output) = terminal.as_ref().map(File::try_clone).transpose()? {
        let screen = Arc::clone(screen);
        std::thread::spawn(move || tee(output, &*screen, &sender));
    }
    Ok(Started { child, lines, terminal })
}

/// Makes a pseudo-terminal: our end and the command's.
fn pair(rows: u16) -> io::Result<(File, File)> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let name = ptsname(&master, Vec::new())?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let slave = rustix::fs::open(name, flags, Mode::empty())?;
    // The real terminal turns line ends into what it needs; twice would be once too often.
    let mut modes = tcgetattr(&slave)?;
    modes.output_modes.remove(OutputModes::OPOST);
    tcsetattr(&slave, OptionalActions::Now, &modes)?;
    if let Some(size) = window(rows) {
        tcsetwinsize(&slave, size)?;
    }
    Ok((File::from(master), File::from(slave)))
}

/// Returns the size of the real terminal, less some rows.
fn window(rows: u16) -> Option<Winsize> {
    let mut size = tcgetwinsize(io::stdout()).or_else(|_| tcgetwinsize(io::stderr())).ok()?;
    size.ws_row = size.ws_row.saturating_sub(rows).max(1);
    (size.ws_col > 0).then_some(size)
}

/// Passes output through as it comes and sends each line, or redrawing of a bar, to the reader.
fn tee(mut from: impl Read, mut to: impl Write, lines: &mpsc::Sender<String>) {
    let mut buffer = [0_u8; 8192];
    let mut line = Vec::new();
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            // Of a pseudo-terminal whose far end is closed, this is the end.
            Err(_) => break,
        };
        let chunk = buffer.get(..count).unwrap_or_default();
        // A reader that went away must not stop the job; its figures are still read.
        let _ = to.write_all(chunk).and_then(|()| to.flush());
        for byte in chunk {
            if matches!(byte, b'\n' | b'\r') {
                let _ = lines.send(String::from_utf8_lossy(&line).into_owned());
                line.clear();
            } else if line.len() < 1 << 16 {
                line.push(*byte);
            }
        }
    }
    if !line.is_empty() {
        let _ = lines.send(String::from_utf8_lossy(&line).into_owned());
    }
}
