//! What can go wrong with a ledger.

use kasuan_model::{Phrase, Phrased};

/// Why the ledger could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The store cannot be opened or reached.
    #[error("cannot open the ledger at `{place}`")]
    Open {
        /// The file or the address without its password.
        place: String,
        /// What the store said.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A statement failed.
    #[error("the ledger could not {doing}")]
    Store {
        /// What was being done.
        doing: &'static str,
        /// What the store said.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The ledger was written by a later kasuan.
    #[error("the ledger has schema {found}, this kasuan knows up to {known}")]
    TooNew {
        /// The schema of the file.
        found: i64,
        /// The newest schema of this program.
        known: i64,
    },
    /// A stored value cannot be read back.
    #[error("the ledger holds `{text}` where {expected} belongs")]
    Damaged {
        /// What is stored.
        text: String,
        /// What belongs there.
        expected: &'static str,
    },
}

impl Phrased for LedgerError {
    fn phrase(&self) -> Phrase {
        let cause = |source: &(dyn std::error::Error + Send + Sync)| source.to_string();
        match self {
            Self::Open { place, source } => Phrase::new("ledger-error-open")
                .with("place", place)
                .with("cause", cause(source.as_ref())),
            Self::Store { source, .. } => {
                Phrase::new("ledger-error-store").with("cause", cause(source.as_ref()))
            }
            Self::TooNew { found, known } => {
                Phrase::new("ledger-error-too-new").with("found", found).with("known", known)
            }
            Self::Damaged { text, .. } => Phrase::new("ledger-error-damaged").with("text", text),
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        match self {
            Self::Open { .. } => vec![Phrase::new("ledger-hint-open")],
            Self::Store { .. } => vec![Phrase::new("ledger-hint-store")],
            Self::TooNew { .. } => vec![Phrase::new("ledger-hint-too-new")],
            Self::Damaged { .. } => vec![Phrase::new("ledger-hint-damaged")],
        }
    }
}
