//! Signals that are passed on to the command instead of ending this program.

use crate::error::CommandError;
use kasuan_model::Phrase;
use rustix::process::Signal;
use std::{
    io::IsTerminal as _,
    process::Child,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Signals caught.
pub(super) struct Signals {
    passed: Vec<(Signal, Arc<AtomicBool>)>,
    resized: Arc<AtomicBool>,
}

impl Signals {
    /// Catches from now on.
    pub(super) fn listen() -> Result<Self, CommandError> {
        let catch = |number: i32| {
            let flag = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(number, Arc::clone(&flag)).map(|_| flag).map_err(|error| {
                CommandError::surroundings(Phrase::new("run-error-signals").with("reason", error))
            })
        };
        let mut passed = Vec::new();
        for (number, signal) in [
            (signal_hook::consts::SIGTERM, Signal::TERM),
            (signal_hook::consts::SIGINT, Signal::INT),
            (signal_hook::consts::SIGHUP, Signal::HUP),
            (signal_hook::consts::SIGUSR1, Signal::USR1),
            (signal_hook::consts::SIGUSR2, Signal::USR2),
        ] {
            passed.push((signal, catch(number)?));
        }
        Ok(Self { passed, resized: catch(signal_hook::consts::SIGWINCH)? })
    }

    /// Sends on what has come and says whether it asks the command to end. The keyboard's
    /// interrupt reaches the command by itself, because it shares the terminal.
    pub(super) fn pass_on(&self, child: &Child) -> bool {
        let mut end = false;
        for (signal, flag) in &self.passed {
            let came = flag.swap(false, Ordering::SeqCst);
            let by_keyboard = *signal == Signal::INT && std::io::stdin().is_terminal();
            if came && !by_keyboard {
                send(child, *signal);
            }
            end |= came && *signal == Signal::TERM;
        }
        end
    }

    /// Says whether the window has changed its size.
    pub(super) fn resized(&self) -> bool {
        self.resized.swap(false, Ordering::SeqCst)
    }
}

/// Sends a signal.
pub(super) fn send(child: &Child, signal: Signal) {
    let id = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(id) = id {
        // A command that has just ended cannot be signalled, and need not be.
        let _ = rustix::process::kill_process(id, signal);
    }
}
