//! The network, by the `curl` program: it has TLS, proxies, SMTP and the machine's certificates
//! already. What is secret goes through its standard input and never into a process list.

use kasuan_model::{Phrase, Phrased};
use std::{
    fs::OpenOptions,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    process::{Command, Stdio},
};

/// Seconds for a message.
const MESSAGE_SECONDS: &str = "30";
/// Seconds for a question that a server may have to think about.
const QUESTION_SECONDS: &str = "180";

/// Why nothing was sent, or no answer came.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    /// There is no curl on this machine.
    #[error("curl is not installed")]
    NoCurl,
    /// curl could not be run, or a file for it could not be written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// curl failed: its exit status, and its words without anything secret.
    #[error("curl ended with {0}: {1}")]
    Curl(i32, String),
}

impl SendError {
    /// Says whether trying again may help: the network was at fault and not the address.
    pub(crate) const fn may_pass(&self) -> bool {
        matches!(self, Self::Curl(5..=7 | 28 | 35 | 52 | 55 | 56, _))
    }
}

impl Phrased for SendError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::NoCurl => Phrase::new("send-error-no-curl"),
            Self::Io(error) => Phrase::new("send-error-io").with("reason", error),
            // The numbers are those of curl's manual.
            Self::Curl(3, _) => Phrase::new("send-error-address"),
            Self::Curl(5 | 6, _) => Phrase::new("send-error-name"),
            Self::Curl(7, _) => Phrase::new("send-error-connect"),
            Self::Curl(28, _) => Phrase::new("send-error-time"),
            Self::Curl(35 | 51 | 53 | 54 | 58 | 60 | 64 | 77, _) => Phrase::new("send-error-tls"),
            Self::Curl(52 | 55 | 56, _) => Phrase::new("send-error-cut"),
            Self::Curl(67, _) => Phrase::new("send-error-login"),
            Self::Curl(code, text) => {
                Phrase::new("send-error-other").with("code", code).with("text", text)
            }
        }
    }
}

/// Quotes a value of curl's configuration.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// Runs curl with settings, an empty value being a switch; returns the status that the server gave
/// and its answer.
fn curl(settings: &[(&str, &str)], seconds: &str) -> Result<(u16, String), SendError> {
    let mut child = Command::new("curl")
        .args(["--disable", "--silent", "--show-error", "--max-time", seconds, "--config", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => SendError::NoCurl,
            _ => SendError::Io(error),
        })?;
    let mut config = String::from("write-out = \"\\n%{response_code}\"\n");
    for (name, value) in settings {
        match *value {
            "" => config.push_str(&format!("{name}\n")),
            value => config.push_str(&format!("{name} = {}\n", quoted(value))),
        }
    }
    if let Some(mut input) = child.stdin.take() {
        input.write_all(config.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(SendError::Curl(output.status.code().unwrap_or(-1), told));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (answer, status) = text.rsplit_once('\n').unwrap_or((&text, "0"));
    Ok((status.trim().parse().unwrap_or(0), answer.to_owned()))
}

/// Posts JSON.
pub(crate) fn post(url: &str, body: &str) -> Result<(u16, String), SendError> {
    let settings = [
        ("url", url),
        ("request", "POST"),
        ("header", "Content-Type: application/json; charset=utf-8"),
        ("data-raw", body),
    ];
    curl(&settings, MESSAGE_SECONDS)
}

/// How a question is put.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Post,
}

/// Asks a server with named values, which may be long.
pub(crate) fn ask(
    method: Method,
    url: &str,
    values: &[(&str, &str)],
    bearer: Option<&str>,
) -> Result<(u16, String), SendError> {
    let values: Vec<String> =
        values.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let bearer = bearer.map(|token| format!("Authorization: Bearer {token}"));
    let mut settings = vec![("url", url), ("compressed", "")];
    if method == Method::Get {
        settings.push(("get", ""));
    }
    settings.extend(values.iter().map(|value| ("data-urlencode", value.as_str())));
    settings.extend(bearer.as_deref().map(|header| ("header", header)));
    curl(&settings, QUESTION_SECONDS)
}

/// A mail to send.
pub(crate) struct Mail<'a> {
    /// `smtp://host:port` or `smtps://host:port`.
    pub(crate) server: &'a str,
    /// `name:password`; none for a server that asks for none.
    pub(crate) login: Option<&'a str>,
    /// The sender.
    pub(crate) from: &'a str,
    /// The receivers.
    pub(crate) to: &'a [String],
    /// The whole message with its headers.
    pub(crate) message: &'a str,
}

/// Sends a mail. With a login the connection must be encrypted: from the start by `smtps://`, else by
/// the server's STARTTLS.
pub(crate) fn mail(mail: &Mail<'_>) -> Result<(), SendError> {
    let file = std::env::temp_dir().join(format!(
        "kasuan-mail-{}-{}",
        std::process::id(),
        jiff::Timestamp::now().as_nanosecond()
    ));
    let mut made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file)?;
    let written = made.write_all(mail.message.as_bytes());
    let path = file.display().to_string();
    let mut settings = vec![("url", mail.server), ("mail-from", mail.from), ("upload-file", &path)];
    settings.extend(mail.to.iter().map(|to| ("mail-rcpt", to.as_str())));
    if let Some(login) = mail.login {
        settings.push(("user", login));
        settings.push(("ssl-reqd", ""));
    }
    let sent = match written {
        Ok(()) => curl(&settings, MESSAGE_SECONDS).map(drop),
        Err(error) => Err(error.into()),
    };
    std::fs::remove_file(&file)?;
    sent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_become_another_setting() {
        assert_eq!(quoted("a\"\nurl = \"x\\"), "\"a\\\"\\nurl = \\\"x\\\\\"");
    }
}
