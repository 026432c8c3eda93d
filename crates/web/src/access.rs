//! Who may come in: a token for people and programs, sessions in a cookie, and proof that a form
//! was sent by our own page.

use axum::http::{HeaderMap, header};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// The cookie that holds a session.
pub(crate) const SESSION_COOKIE: &str = "kasuan_session";
/// How long a session lives.
pub(crate) const SESSION_LIFE: Duration = Duration::from_secs(12 * 3600);
/// More sessions than this are not a team; the oldest goes.
const MOST_SESSIONS: usize = 10_000;

/// The digest of a secret: secrets are compared, and sessions kept, only as digests.
type Digest = [u8; 32];

/// Who may come in.
#[derive(Debug)]
pub(crate) struct Access {
    key: [u8; 32],
    token: Option<String>,
    sessions: Mutex<BTreeMap<Digest, Instant>>,
}

impl Access {
    /// Draws a key for this run of the server.
    pub(crate) fn new(token: Option<&str>) -> Result<Self, getrandom::Error> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        Ok(Self { key, token: token.map(str::to_owned), sessions: Mutex::default() })
    }

    /// Says whether readers have to sign in.
    pub(crate) const fn is_needed(&self) -> bool {
        self.token.is_some()
    }

    fn mac(&self, purpose: &str, text: &str) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).ok()?;
        mac.update(purpose.as_bytes());
        mac.update(&[0]);
        mac.update(text.as_bytes());
        Some(mac)
    }

    fn digest(&self, purpose: &str, text: &str) -> Digest {
        self.mac(purpose, text).map(|mac| mac.finalize().into_bytes().into()).unwrap_or_default()
    }

    /// Says whether a text is the token, in a time that tells nothing of either.
    pub(crate) fn is_token(&self, text: &str) -> bool {
        let Some(token) = &self.token else { return false };
        let wanted = self.digest("token", token);
        self.mac("token", text).is_some_and(|mac| mac.verify_slice(&wanted).is_ok())
    }

    /// Opens a session and returns what its cookie holds.
    pub(crate) fn open(&self) -> Option<String> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).ok()?;
        let id = hex(&bytes);
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|_, opened| opened.elapsed() < SESSION_LIFE);
        if sessions.len() >= MOST_SESSIONS {
            let oldest = sessions.iter().min_by_key(|(_, opened)| **opened).map(|(id, _)| *id);
            oldest.and_then(|id| sessions.remove(&id));
        }
        sessions.insert(self.digest("session", &id), Instant::now());
        Some(id)
    }

    /// Ends a session.
    pub(crate) fn close(&self, headers: &HeaderMap) {
        if let Some(id) = cookie(headers, SESSION_COOKIE) {
            let digest = self.digest("session", id);
            self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(&digest);
        }
    }

    /// Says whether a request comes from somebody who signed in, or from a program that knows the
    /// token; without a token everybody is welcome.
    pub(crate) fn allows(&self, headers: &HeaderMap) -> bool {
        if !self.is_needed() {
            return true;
        }
        let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        if let Some(token) = bearer.and_then(|value| value.strip_prefix("Bearer ")) {
            return self.is_token(token.trim());
        }
        let Some(id) = cookie(headers, SESSION_COOKIE) else { return false };
        let digest = self.digest("session", id);
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.get(&digest).is_some_and(|opened| opened.elapsed() < SESSION_LIFE)
    }

    /// Returns the proof that a form of this reader carries.
    pub(crate) fn proof(&self, headers: &HeaderMap) -> String {
        hex(&self.digest("form", cookie(headers, SESSION_COOKIE).unwrap_or_default()))
    }

    /// Says whether a form carries the proof of its reader.
    pub(crate) fn proves(&self, headers: &HeaderMap, proof: &str) -> bool {
        // Digests of both sides are compared, so that the time tells nothing.
        let wanted = self.digest("proof", &self.proof(headers));
        self.mac("proof", proof).is_some_and(|mac| mac.verify_slice(&wanted).is_ok())
    }
}

/// Returns a cookie of a request.
pub(crate) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(key, value)| (key == name).then_some(value))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn with_cookie(text: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, HeaderValue::from_str(text).unwrap());
        headers
    }

    #[test]
    fn a_session_is_opened_by_the_token_and_gone_after_it_is_closed() {
        let access = Access::new(Some("correct horse battery")).unwrap();
        assert!(access.is_token("correct horse battery") && !access.is_token("correct horse"));
        assert!(!access.allows(&HeaderMap::new()));
        let headers = with_cookie(&format!("a=b; {SESSION_COOKIE}={}", access.open().unwrap()));
        assert!(access.allows(&headers));
        let proof = access.proof(&headers);
        assert!(access.proves(&headers, &proof) && !access.proves(&HeaderMap::new(), &proof));
        access.close(&headers);
        assert!(!access.allows(&headers));
    }

    #[test]
    fn without_a_token_everybody_is_welcome_and_no_text_is_a_token() {
        let access = Access::new(None).unwrap();
        assert!(access.allows(&HeaderMap::new()) && !access.is_token(""));
    }
}
