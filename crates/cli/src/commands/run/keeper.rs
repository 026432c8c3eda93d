//! Checkpoints kept by a thread of its own: copying a hundred gigabytes must hold up neither the
//! samples nor a signal.

use kasuan_probe::run::checkpoints::{Checkpoints, Synced};
use std::{io, sync::mpsc};

/// Copies checkpoints beside the running command.
#[derive(Debug)]
pub(super) struct Keeper {
    ask: mpsc::Sender<bool>,
    told: mpsc::Receiver<io::Result<Synced>>,
    asked: usize,
}

impl Keeper {
    /// Starts the thread.
    pub(super) fn start(checkpoints: Checkpoints) -> Self {
        let (ask, asked) = mpsc::channel();
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || {
            for everything in asked {
                if tell.send(checkpoints.sync(everything)).is_err() {
                    break;
                }
            }
        });
        Self { ask, told, asked: 0 }
    }

    /// Asks for a pass over what is finished, unless one is still going on.
    pub(super) fn pass(&mut self) {
        if self.asked == 0 && self.ask.send(false).is_ok() {
            self.asked = 1;
        }
    }

    /// Returns what passes have come to since the last look.
    pub(super) fn look(&mut self) -> Vec<io::Result<Synced>> {
        let told: Vec<_> = self.told.try_iter().collect();
        self.asked = self.asked.saturating_sub(told.len());
        told
    }

    /// Waits for a last pass over everything: the command has ended.
    pub(super) fn finish(self) -> Vec<io::Result<Synced>> {
        // The thread ends only with its channel, so it is there to be asked.
        let _ = self.ask.send(true);
        drop(self.ask);
        self.told.iter().collect()
    }
}
