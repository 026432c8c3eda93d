//! What a server is told when it starts.

use crate::desk::Desk;
use jiff::{civil::Date, tz::Offset};
use kasuan_formats::workload::Notation;
use kasuan_market::Catalogue;
use kasuan_model::{Phrase, Phrased};
use std::{net::SocketAddr, sync::Arc, time::Duration};

/// A token that is shorter than this can be guessed.
const SHORTEST_TOKEN: usize = 16;

/// What a server is told when it starts.
#[derive(Debug)]
pub struct Settings {
    /// Where it listens.
    pub listen: SocketAddr,
    /// What a reader has to know to sign in; needed for anything but loopback.
    pub token: Option<String>,
    /// Whether readers may look but not change: only the plan that the server was started with is
    /// shown.
    pub read_only: bool,
    /// The workload that a new reader sees, and its notation; `None` is the shipped example.
    pub workload: Option<(String, Notation)>,
    /// Cards, offers and terms, a user's price cards laid over them.
    pub catalogue: Catalogue,
    /// The day that counts as today; `None` reads the clock at each request.
    pub today: Option<Date>,
    /// Requests that one address may make in a second, on average; loopback is not limited.
    pub rate: u32,
    /// The longest that a request may take, its body included.
    pub patience: Duration,
    /// The ledger that use and reviews are read from: a file, or `postgres://...`.
    pub ledger: Option<String>,
    /// Agents that are asked what they see: `host:port`.
    pub agents: Vec<String>,
    /// Where days and months begin.
    pub zone: Offset,
    /// Who answers what the commands answer.
    pub desk: Option<Arc<dyn Desk>>,
}

/// Why a server must not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// Others could reach it without signing in.
    #[error("listening on more than loopback needs a token")]
    Open(SocketAddr),
    /// The token can be guessed.
    #[error("the token is shorter than {SHORTEST_TOKEN} characters")]
    ShortToken,
}

impl Phrased for SettingsError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Open(address) => Phrase::new("serve-open").with("address", address),
            Self::ShortToken => Phrase::new("serve-short-token").with("least", SHORTEST_TOKEN),
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        vec![Phrase::new("serve-hint-token")]
    }
}

impl Settings {
    /// Creates settings for loopback with everything else as a reader expects it.
    pub fn new(listen: SocketAddr, catalogue: Catalogue) -> Self {
        Self {
            listen,
            token: None,
            read_only: false,
            workload: None,
            catalogue,
            today: None,
            rate: 20,
            patience: Duration::from_secs(30),
            ledger: None,
            agents: Vec::new(),
            zone: Offset::constant(8),
            desk: None,
        }
    }

    /// Returns the zone as the command line takes it: `+08:00`.
    pub(crate) fn zone_text(&self) -> String {
        let seconds = self.zone.seconds();
        let sign = if seconds < 0 { '-' } else { '+' };
        let minutes = seconds.abs() / 60;
        format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }

    /// Checks that nobody can come in who should not.
    ///
    /// # Errors
    /// When others could reach the server without a token, or with one that can be guessed.
    pub fn check(&self) -> Result<(), SettingsError> {
        match &self.token {
            None if !self.listen.ip().is_loopback() => Err(SettingsError::Open(self.listen)),
            Some(token) if token.chars().count() < SHORTEST_TOKEN => Err(SettingsError::ShortToken),
            _ => Ok(()),
        }
    }
}
