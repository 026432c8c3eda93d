//! Sending over the network by the `curl` program, which has TLS, proxies and SMTP already. What is
//! secret goes through its standard input and never into a process list.

use std::{
    io::{self, Write as _},
    process::{Command, Stdio},
};

/// Quotes a value of curl's configuration.
fn quoted(text: &str) -> String {
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

/// Runs curl with a configuration; returns the status that the server gave and its answer.
fn curl(settings: &[(&str, &str)]) -> io::Result<(u16, String)> {
    let mut child = Command::new("curl")
        .args(["--disable", "--silent", "--show-error", "--max-time", "30", "--config", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut config = String::from("write-out = \"\\n%{response_code}\"\n");
    for (name, value) in settings {
        config.push_str(&format!("{name} = {}\n", quoted(value)));
    }
    if let Some(mut input) = child.stdin.take() {
        input.write_all(config.as_bytes())?;
    }
    let output = child.wait_with_output()?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(told.trim().to_owned()));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (answer, status) = text.rsplit_once('\n').unwrap_or((&text, "0"));
    Ok((status.trim().parse().unwrap_or(0), answer.to_owned()))
}

/// Posts JSON.
pub(crate) fn post(url: &str, body: &str) -> io::Result<(u16, String)> {
    curl(&[
        ("url", url),
        ("request", "POST"),
        ("header", "Content-Type: application/json; charset=utf-8"),
        ("data-raw", body),
    ])
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

/// Sends a mail. With a login the connection must be encrypted.
pub(crate) fn mail(mail: &Mail<'_>) -> io::Result<u16> {
    let file = std::env::temp_dir().join(format!("kasuan-mail-{}", std::process::id()));
    std::fs::write(&file, mail.message)?;
    let path = file.display().to_string();
    let mut settings = vec![("url", mail.server), ("mail-from", mail.from), ("upload-file", &path)];
    settings.extend(mail.to.iter().map(|to| ("mail-rcpt", to.as_str())));
    if let Some(login) = mail.login {
        settings.push(("user", login));
    }
    let mut sent = if mail.login.is_some() && mail.server.starts_with("smtp://") {
        Err(io::Error::other("a password is only sent over smtps://"))
    } else {
        curl(&settings).map(|(status, _)| status)
    };
    if let Err(error) = std::fs::remove_file(&file) {
        sent = sent.and(Err(error));
    }
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
