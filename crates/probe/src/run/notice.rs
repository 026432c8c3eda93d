//! The provider's word that it takes a spot machine back: where it is asked for, what it means.
//!
//! Sources, each seen 2026-12: AWS EC2 user guide, "Spot Instance interruption notices";
//! Alibaba Cloud ECS, "Instance metadata" (`instance/spot/termination-time`); Tencent Cloud CVM,
//! product 213, document 32487; Volcengine ECS, docs 6396/155893; Google Compute Engine,
//! "Preemptible instances" (`instance/preempted`); Azure, "Scheduled Events" (`Preempt`).

use super::checkpoints::{Http, Request, Response};
use jiff::{Timestamp, civil::DateTime, tz::Offset};
use kasuan_model::{Phrase, Phrased};
use std::{fs, io, path::PathBuf};

/// What a provider's answer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing is known of an end.
    Stays,
    /// The machine is taken back, at that time where it is told.
    TakenBack(Option<Timestamp>),
}

/// Why there was no answer.
#[derive(Debug, thiserror::Error)]
pub enum Asked {
    /// The network, or the file.
    #[error("{0}")]
    Network(#[from] io::Error),
    /// Something answered that is not understood, so that nothing is concluded from it.
    #[error("HTTP {status}: {start}")]
    NotUnderstood {
        /// The status; 0 for a file.
        status: u16,
        /// How the answer begins.
        start: String,
    },
}

impl Phrased for Asked {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Network(error) => Phrase::new("notice-error-network").with("reason", error),
            Self::NotUnderstood { status, start } => {
                Phrase::new("notice-error-answer").with("status", status).with("start", start)
            }
        }
    }
}

/// A place that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no place for notices: {0}")]
pub struct NoPlace(String);

impl Phrased for NoPlace {
    fn phrase(&self) -> Phrase {
        Phrase::new("notice-error-place").with("text", &self.0)
    }

    fn hints(&self) -> Vec<Phrase> {
        let names = PROVIDERS.iter().map(|provider| provider.name).collect::<Vec<_>>();
        vec![Phrase::new("notice-hint-place").with("names", names.join(", "))]
    }
}

/// How a provider is asked.
#[derive(Debug)]
struct Provider {
    name: &'static str,
    /// The address of the service that tells a machine about itself.
    service: &'static str,
    path: &'static str,
    headers: &'static [(&'static str, &'static str)],
    /// Where a token is fetched first (by PUT), with what header, and the header that it goes into.
    token: Option<[&'static str; 3]>,
}

const PROVIDERS: &[Provider] = &[
    Provider {
        name: "aws",
        service: "http://169.254.169.254",
        path: "/latest/meta-data/spot/instance-action",
        headers: &[],
        token: Some([
            "/latest/api/token",
            "X-aws-ec2-metadata-token-ttl-seconds",
            "X-aws-ec2-metadata-token",
        ]),
    },
    Provider {
        name: "alibaba",
        service: "http://100.100.100.200",
        path: "/latest/meta-data/instance/spot/termination-time",
        headers: &[],
        token: Some([
            "/latest/api/token",
            "X-aliyun-ecs-metadata-token-ttl-seconds",
            "X-aliyun-ecs-metadata-token",
        ]),
    },
    Provider {
        name: "tencent",
        service: "http://metadata.tencentyun.com",
        path: "/latest/meta-data/spot/termination-time",
        headers: &[],
        token: None,
    },
    Provider {
        name: "volcengine",
        service: "http://100.96.0.96",
        path: "/latest/spot_instance_termination_time",
        headers: &[],
        token: None,
    },
    Provider {
        name: "google",
        service: "http://metadata.google.internal",
        path: "/computeMetadata/v1/instance/preempted",
        headers: &[("Metadata-Flavor", "Google")],
        token: None,
    },
    Provider {
        name: "azure",
        service: "http://169.254.169.254",
        path: "/metadata/scheduledevents?api-version=2020-07-01",
        headers: &[("Metadata", "true")],
        token: None,
    },
];

/// Where notices come from.
#[derive(Debug)]
pub struct Notices {
    place: Place,
    token: Option<String>,
}

#[derive(Debug)]
enum Place {
    Provider(&'static Provider, String),
    Url(String),
    File(PathBuf),
}

impl Notices {
    /// Reads `PROVIDER`, `PROVIDER=http://HOST` (another address of its service), an `http://` or
    /// `https://` address of anything that answers alike, or a file that is written when the end
    /// is near.
    ///
    /// # Errors
    ///
    /// When it is none of them.
    pub fn read(text: &str) -> Result<Self, NoPlace> {
        let is_url = |text: &str| text.starts_with("http://") || text.starts_with("https://");
        let (name, service) = match text.split_once('=') {
            Some((name, service)) if is_url(service) => (name, Some(service)),
            _ => (text, None),
        };
        let provider = PROVIDERS.iter().find(|provider| provider.name == name);
        let place = match (provider, service) {
            (Some(provider), service) => {
                let service = service.unwrap_or(provider.service).trim_end_matches('/');
                Place::Provider(provider, service.to_owned())
            }
            (None, None) if is_url(text) => Place::Url(text.to_owned()),
            // A provider whose name is mistyped must not be taken for a file that never comes.
            (None, None) if text.contains('/') && !text.contains("://") => {
                Place::File(PathBuf::from(text))
            }
            _ => return Err(NoPlace(text.to_owned())),
        };
        Ok(Self { place, token: None })
    }

    /// Asks once.
    ///
    /// # Errors
    ///
    /// When nothing answers, or what answers is not understood. Neither means an end.
    pub fn ask(&mut self, http: &dyn Http) -> Result<Answer, Asked> {
        let get = |url: String, headers: Vec<(String, String)>| {
            http.send(&Request { method: "GET", url, headers, ..Request::default() })
        };
        match &self.place {
            Place::File(path) => match fs::read_to_string(path) {
                Ok(text) if text.trim().is_empty() => Ok(Answer::Stays),
                Ok(text) => Ok(Answer::TakenBack(time(text.trim()))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Answer::Stays),
                Err(error) => Err(error.into()),
            },
            Place::Url(url) => understand(&get(url.clone(), Vec::new())?),
            Place::Provider(provider, service) => {
                let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
                let mut headers: Vec<_> = provider.headers.iter().map(own).collect();
                if let Some([path, ask, carry]) = provider.token {
                    if self.token.is_none() {
                        let request = Request {
                            method: "PUT",
                            url: format!("{service}{path}"),
                            headers: vec![(ask.to_owned(), "21600".to_owned())],
                            ..Request::default()
                        };
                        // A service of the older kind gives none and asks for none.
                        let answer = http.send(&request)?;
                        let token = String::from_utf8_lossy(&answer.body).trim().to_owned();
                        self.token = (answer.status == 200 && !token.is_empty()).then_some(token);
                    }
                    headers.extend(self.token.clone().map(|token| (carry.to_owned(), token)));
                }
                let answer = get(format!("{service}{}", provider.path), headers)?;
                if answer.status == 401 {
                    // The token has run out; the next question fetches another.
                    self.token = None;
                }
                understand(&answer)
            }
        }
    }
}

/// Reads an answer of any provider: a time, `TRUE` or `FALSE`, a JSON object with `action` and
/// `time`, or a list of scheduled events.
fn understand(answer: &Response) -> Result<Answer, Asked> {
    let text = String::from_utf8_lossy(&answer.body);
    let text = text.trim();
    let not_understood =
        || Asked::NotUnderstood { status: answer.status, start: text.chars().take(60).collect() };
    match answer.status {
        404 => return Ok(Answer::Stays),
        200 => {}
        _ => return Err(not_understood()),
    }
    if text.is_empty() || text.eq_ignore_ascii_case("false") {
        return Ok(Answer::Stays);
    }
    if text.eq_ignore_ascii_case("true") {
        return Ok(Answer::TakenBack(None));
    }
    if let Some(at) = time(text) {
        return Ok(Answer::TakenBack(Some(at)));
    }
    let Ok(json) = serde_json::from_str::<serde_json::Value>(text) else {
        return Err(not_understood());
    };
    if let Some(events) = json["Events"].as_array() {
        let end = events
            .iter()
            .find(|event| matches!(event["EventType"].as_str(), Some("Preempt" | "Terminate")));
        return Ok(end.map_or(Answer::Stays, |event| {
            Answer::TakenBack(event["NotBefore"].as_str().and_then(time))
        }));
    }
    match json["action"].as_str() {
        Some("terminate" | "stop" | "hibernate") => {
            Ok(Answer::TakenBack(json["time"].as_str().and_then(time)))
        }
        _ => Err(not_understood()),
    }
}

/// Reads a time: RFC 3339, RFC 2822 (Azure), or without a zone, which is Tencent's and UTC+8.
fn time(text: &str) -> Option<Timestamp> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Some(at);
    }
    if let Ok(at) = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text) {
        return Some(at);
    }
    let local: DateTime = text.parse().ok()?;
    Offset::constant(8).to_timestamp(local).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(status: u16, body: &str) -> Result<Answer, Asked> {
        understand(&Response { status, body: body.into(), ..Response::default() })
    }

    fn at(text: &str) -> Answer {
        Answer::TakenBack(Some(text.parse().unwrap()))
    }

    #[test]
    fn the_providers_own_examples_are_understood() {
        let aws = r#"{"action": "terminate", "time": "2017-09-18T08:22:00Z"}"#;
        assert_eq!(heard(200, aws).unwrap(), at("2017-09-18T08:22:00Z"));
        assert_eq!(heard(200, "2018-04-07T17:03:00Z\n").unwrap(), at("2018-04-07T17:03:00Z"));
        assert_eq!(heard(200, "2018-08-18 12:05:33").unwrap(), at("2018-08-18T04:05:33Z"));
        assert_eq!(heard(200, "TRUE").unwrap(), Answer::TakenBack(None));
        assert_eq!(heard(200, "FALSE").unwrap(), Answer::Stays);
        let azure = r#"{"DocumentIncarnation":1,"Events":[{"EventId":"A","EventType":"Preempt","EventStatus":"Scheduled","NotBefore":"Mon, 19 Sep 2016 18:29:47 GMT"}]}"#;
        assert_eq!(heard(200, azure).unwrap(), at("2016-09-19T18:29:47Z"));
        let reboot = r#"{"Events":[{"EventType":"Reboot","NotBefore":""}]}"#;
        assert_eq!(heard(200, reboot).unwrap(), Answer::Stays);
        assert_eq!(heard(404, "<html>").unwrap(), Answer::Stays);
        assert_eq!(heard(200, "").unwrap(), Answer::Stays);
    }

    #[test]
    fn what_is_not_understood_ends_no_job() {
        for (status, body) in [(200, "<html>welcome to the hotel</html>"), (500, "TRUE"), (403, "")]
        {
            assert!(heard(status, body).is_err(), "{status} {body}");
        }
        for text in ["asw", "aws=ftp://x", ""] {
            assert!(Notices::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_file_tells_by_being_written() {
        struct Nobody;
        impl Http for Nobody {
            fn send(&self, _: &Request) -> io::Result<Response> {
                panic!("a file needs no network")
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("end");
        let mut notices = Notices::read(&path.display().to_string()).unwrap();
        assert_eq!(notices.ask(&Nobody).unwrap(), Answer::Stays);
        fs::write(&path, "soon").unwrap();
        assert_eq!(notices.ask(&Nobody).unwrap(), Answer::TakenBack(None));
    }
}
