//! What a store on the network needs of HTTP; who carries it out is the caller's.

use std::{io, path::PathBuf};

/// A request.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `GET`, `PUT`, `POST`, `DELETE`, `HEAD`.
    pub method: &'static str,
    /// The whole address.
    pub url: String,
    /// Names and values; some are secret.
    pub headers: Vec<(String, String)>,
    /// What is sent.
    pub body: Vec<u8>,
    /// Where the answer's body goes; into memory otherwise.
    pub into: Option<PathBuf>,
}

/// An answer.
#[derive(Clone, Debug, Default)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// What was received, unless it went into a file.
    pub body: Vec<u8>,
}

impl Response {
    /// Returns a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Carries requests out.
pub trait Http: Send {
    /// Sends a request and waits for the answer. A status that tells of a failure is an answer.
    ///
    /// # Errors
    ///
    /// When there is no answer.
    fn send(&self, request: &Request) -> io::Result<Response>;
}
