//! Channels: where alerts go. Secrets come from files or from the environment and are never shown.

use crate::{
    context::Context,
    error::CommandError,
    files,
    send::{self, SendError},
};
use jiff::Timestamp;
use kasuan_formats::robot::Robot;
use kasuan_model::{Phrase, Phrased as _};
use serde::Deserialize;
use std::{path::Path, time::Duration};

/// Waits between tries while a robot says that it is busy.
const WAITS: [Duration; 3] =
    [Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(5)];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    channel: Vec<Raw>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    name: String,
    kind: String,
    url: Option<String>,
    url_file: Option<String>,
    url_env: Option<String>,
    secret_file: Option<String>,
    secret_env: Option<String>,
    from: Option<String>,
    #[serde(default)]
    to: Vec<String>,
}

enum Kind {
    Robot(Robot),
    Mail { from: String, to: Vec<String> },
}

/// A channel.
pub(super) struct Channel {
    pub(super) name: String,
    kind: Kind,
    url: String,
    secret: Option<String>,
}

/// How sending ended.
pub(super) enum Outcome {
    /// The receiver took it.
    Sent,
    /// It did not, and why.
    Failed(Phrase),
}

/// Reads the channels' file.
pub(super) fn read(
    text: &str,
    path: &Path,
    context: &Context,
) -> Result<Vec<Channel>, CommandError> {
    let wrong = |reason: String| {
        CommandError::user(
            Phrase::new("alerts-error-channels")
                .with("path", path.display())
                .with("reason", reason),
        )
        .hint(Phrase::new("alerts-hint-channels"))
    };
    let file: File = toml::from_str(text).map_err(|error| wrong(error.message().to_owned()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let secret = |from_file: Option<&String>, from_env: Option<&String>| match (from_file, from_env)
    {
        (Some(file), _) => {
            let text = files::read_text(&folder.join(file))?;
            Ok(Some(text.trim().to_owned()))
        }
        (None, Some(name)) => match context.settings.secrets.get(name) {
            Some(secret) => Ok(Some(secret.clone())),
            None => Err(CommandError::user(
                Phrase::new("alerts-error-secret").with("path", path.display()).with("name", name),
            )),
        },
        (None, None) => Ok(None),
    };
    let channels = file.channel.into_iter().map(|raw| {
        let kind = match raw.kind.as_str() {
            "feishu" => Kind::Robot(Robot::Feishu),
            "dingtalk" => Kind::Robot(Robot::Dingtalk),
            "wecom" => Kind::Robot(Robot::Wecom),
            "webhook" => Kind::Robot(Robot::Webhook),
            "email" => match (raw.from.clone(), raw.to.is_empty()) {
                (Some(from), false) => Kind::Mail { from, to: raw.to.clone() },
                _ => return Err(wrong(format!("{}: from, to", raw.name))),
            },
            other => return Err(wrong(format!("{}: kind = \"{other}\"", raw.name))),
        };
        let url = match secret(raw.url_file.as_ref(), raw.url_env.as_ref())? {
            Some(url) => url,
            None => raw.url.clone().ok_or_else(|| wrong(format!("{}: url", raw.name)))?,
        };
        let secret = secret(raw.secret_file.as_ref(), raw.secret_env.as_ref())?;
        Ok(Channel { name: raw.name, kind, url, secret })
    });
    channels.collect()
}

impl Channel {
    fn mail(&self, title: &str, text: &str, now: Timestamp) -> String {
        let Kind::Mail { from, to } = &self.kind else { return String::new() };
        // RFC 2047 lets a subject of any script stand as UTF-8 in quoted-printable.
        let subject: String = title.bytes().map(|byte| format!("={byte:02X}")).collect();
        format!(
            "From: {from}\r\nTo: {}\r\nSubject: =?UTF-8?Q?{subject}?=\r\nDate: {}\r\n\
             MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\
             Content-Transfer-Encoding: 8bit\r\n\r\n{}\r\n",
            to.join(", "),
            now.strftime("%a, %d %b %Y %H:%M:%S +0000"),
            text.replace('\n', "\r\n")
        )
    }

    /// Returns what would be sent, without the address, which may be a secret.
    pub(super) fn preview(&self, text: &str, now: Timestamp) -> String {
        match &self.kind {
            Kind::Robot(robot) => robot.letter("", None, text, now.as_millisecond()).body,
            Kind::Mail { to, .. } => format!("{}: {text}", to.join(", ")),
        }
    }

    /// Sends a message, again while the receiver says that it is busy.
    pub(super) fn send(&self, title: &str, text: &str, now: Timestamp) -> Outcome {
        let mut waits = WAITS.iter();
        loop {
            let result = match &self.kind {
                Kind::Robot(robot) => self.post(*robot, text),
                Kind::Mail { from, to } => {
                    let message = self.mail(title, text, now);
                    let mail = send::Mail {
                        server: &self.url,
                        login: self.secret.as_deref(),
                        from,
                        to,
                        message: &message,
                    };
                    send::mail(&mail).map_err(|error| (error.may_pass(), self.told(&error)))
                }
            };
            match result {
                Ok(()) => return Outcome::Sent,
                Err((busy, reason)) => match waits.next().filter(|_| busy) {
                    Some(wait) => std::thread::sleep(*wait),
                    None => return Outcome::Failed(reason),
                },
            }
        }
    }

    fn post(&self, robot: Robot, text: &str) -> Result<(), (bool, Phrase)> {
        // The time is part of the signature, so each try has its own.
        let now = Timestamp::now().as_millisecond();
        let letter = robot.letter(&self.url, self.secret.as_deref(), text, now);
        let (status, answer) = send::post(&letter.url, &letter.body)
            .map_err(|error| (error.may_pass(), self.told(&error)))?;
        robot.taken(status, &answer).map_err(|(busy, reason)| {
            (busy, Phrase::new("send-error-answer").with("text", self.redacted(&reason)))
        })
    }

    fn told(&self, error: &SendError) -> Phrase {
        match error {
            SendError::Curl(code, text) => SendError::Curl(*code, self.redacted(text)).phrase(),
            other => other.phrase(),
        }
    }

    /// Takes secrets out of what another program said.
    fn redacted(&self, text: &str) -> String {
        // Whole first, then the parts that are secrets by themselves: the token in a path or a query,
        // and both halves of a login.
        let mut secrets: Vec<&str> = vec![&self.url];
        secrets.extend(self.url.split(['/', '?', '&', '=', '@']).filter(|part| part.len() >= 12));
        if let Some(secret) = self.secret.as_deref() {
            secrets.push(secret);
            secrets.extend(secret.split_once(':').map(|(_, password)| password));
        }
        let mut text = text.to_owned();
        for secret in secrets.into_iter().filter(|secret| !secret.is_empty()) {
            text = text.replace(secret, "…");
        }
        text
    }
}
