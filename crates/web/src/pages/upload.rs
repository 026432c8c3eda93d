//! Files that a reader sends: kept in memory, never opened or written by their name.

use crate::{problem::Problem, state::AppState};
use axum::{
    body::Bytes,
    extract::Multipart,
    http::{HeaderMap, StatusCode},
};
use kasuan_model::Phrase;
use std::collections::BTreeMap;

/// What a form with a file sent.
#[derive(Debug, Default)]
pub(crate) struct Upload {
    /// The other fields.
    pub(crate) fields: BTreeMap<String, String>,
    /// The file and what its name ends with, in small letters.
    pub(crate) file: Option<(Bytes, String)>,
}

impl Upload {
    /// Receives a form that our own page sent.
    pub(crate) async fn receive(
        state: &AppState,
        headers: &HeaderMap,
        mut parts: Multipart,
    ) -> Result<Self, Problem> {
        if state.0.settings.read_only {
            return Err(Problem::new(StatusCode::FORBIDDEN, Phrase::new("serve-read-only")));
        }
        let mut upload = Self::default();
        loop {
            let part = match parts.next_field().await {
                Ok(Some(part)) => part,
                Ok(None) => break,
                Err(error) => return Err(broken(error.status())),
            };
            let name = part.name().unwrap_or_default().to_owned();
            // Only the ending of a file's name is looked at.
            let ending = part.file_name().and_then(|name| name.rsplit_once('.'));
            let ending = ending.map(|(_, ending)| ending.to_ascii_lowercase());
            let bytes = part.bytes().await.map_err(|error| broken(error.status()))?;
            if name == "file" {
                upload.file = Some((bytes, ending.unwrap_or_default()));
            } else {
                upload.fields.insert(name, String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        if !state.0.access.proves(headers, upload.text("proof")) {
            return Err(Problem::new(StatusCode::FORBIDDEN, Phrase::new("serve-cross-site"))
                .hint(Phrase::new("serve-hint-reload")));
        }
        Ok(upload)
    }

    /// Returns a field; nothing stands for one that was not sent.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", |text| text.trim())
    }
}

/// Says why a body could not be read.
pub(crate) fn broken(status: StatusCode) -> Problem {
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::new(status, Phrase::new("serve-body-large")),
        _ => Problem::new(StatusCode::BAD_REQUEST, Phrase::new("serve-body-broken")),
    }
}
