//! What chat robots are sent: 飞书, 钉钉, 企业微信, and a plain webhook, with their signatures.
//!
//! Signatures as documented: 飞书 signs an empty text with `time\nsecret` as key and seconds as
//! time; 钉钉 signs `time\nsecret` with the secret as key, milliseconds as time, and escapes the
//! result for its address; 企业微信 has none, its address is the secret.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// A kind of receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Robot {
    /// 飞书.
    Feishu,
    /// 钉钉.
    Dingtalk,
    /// 企业微信.
    Wecom,
    /// Any address that takes JSON.
    Webhook,
}

/// What is sent where.
#[derive(Clone, PartialEq, Eq)]
pub struct Letter {
    /// The address, which is a secret itself.
    pub url: String,
    /// The JSON body.
    pub body: String,
}

impl std::fmt::Debug for Letter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Letter").field("body", &self.body).finish_non_exhaustive()
    }
}

/// 企业微信 takes texts of at most 2048 bytes.
const WECOM_LONGEST: usize = 2048;
/// 飞书 takes bodies of at most 20 KB; room is left for what is around the text.
const FEISHU_LONGEST: usize = 18_000;

fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    // RFC 2104 with SHA-256, whose block has 64 bytes.
    let mut block = [0_u8; 64];
    if key.len() > 64 {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let inner =
        Sha256::new().chain_update(block.map(|byte| byte ^ 0x36)).chain_update(message).finalize();
    Sha256::new().chain_update(block.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize().into()
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            if at > chunk.len() {
                text.push('=');
            } else {
                let index = (bits >> (18 - 6 * at) & 63) as usize;
                text.push(char::from(LETTERS[index]));
            }
        }
    }
    text
}

fn escaped(text: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes()
        .map(|b| if keep(b) { char::from(b).to_string() } else { format!("%{b:02X}") })
        .collect()
}

fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most.saturating_sub(4)).rev().find(|at| text.is_char_boundary(*at));
    format!("{}…", text.get(..end.unwrap_or(0)).unwrap_or_default())
}

impl Robot {
    /// Writes a message; `milliseconds` is the time since 1970.
    pub fn letter(self, url: &str, secret: Option<&str>, text: &str, milliseconds: i64) -> Letter {
        match self {
            Self::Feishu => {
                let mut body = json!({
                    "msg_type": "text",
                    "content": {"text": cut(text, FEISHU_LONGEST)},
                });
                if let Some(secret) = secret {
                    let time = (milliseconds / 1000).to_string();
                    let sign = base64(&hmac(format!("{time}\n{secret}").as_bytes(), b""));
                    body["timestamp"] = time.into();
                    body["sign"] = sign.into();
                }
                Letter { url: url.to_owned(), body: body.to_string() }
            }
            Self::Dingtalk => {
                let body = json!({"msgtype": "text", "text": {"content": text}});
                let url = match secret {
                    None => url.to_owned(),
                    Some(secret) => {
                        let signed = format!("{milliseconds}\n{secret}");
                        let sign = base64(&hmac(secret.as_bytes(), signed.as_bytes()));
                        let joint = if url.contains('?') { '&' } else { '?' };
                        format!("{url}{joint}timestamp={milliseconds}&sign={}", escaped(&sign))
                    }
                };
                Letter { url, body: body.to_string() }
            }
            Self::Wecom => {
                let content = cut(text, WECOM_LONGEST);
                let body = json!({"msgtype": "text", "text": {"content": content}});
                Letter { url: url.to_owned(), body: body.to_string() }
            }
            Self::Webhook => {
                let body = json!({"text": text, "milliseconds": milliseconds});
                Letter { url: url.to_owned(), body: body.to_string() }
            }
        }
    }

    /// Reads a robot's answer: `Ok` when it took the message, else whether to try again, and why.
    /// Codes: 飞书 0 and 11232 (too many), 钉钉 0 and 130101/660026 (too many), 企业微信 0 and 45009.
    ///
    /// # Errors
    ///
    /// When the message was not taken.
    pub fn taken(self, status: u16, body: &str) -> Result<(), (bool, String)> {
        let shown: String = body.chars().take(200).collect();
        if !(200..300).contains(&status) {
            return Err((status == 429 || status >= 500, format!("HTTP {status}: {shown}")));
        }
        if self == Self::Webhook {
            return Ok(());
        }
        let answer: Value = serde_json::from_str(body).unwrap_or_default();
        let code =
            ["code", "errcode", "StatusCode"].iter().find_map(|key| answer.get(*key)?.as_i64());
        match code {
            Some(0) => Ok(()),
            Some(code) => {
                let busy = matches!(code, 11_232 | 130_101 | 660_026 | 45_009 | -1);
                Err((busy, format!("{code}: {shown}")))
            }
            None => Err((false, shown)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_those_of_the_documented_formulas() {
        // Computed with Python's hmac from the documented formulas; not tried on the live services.
        let feishu = Robot::Feishu.letter("u", Some("demo_secret"), "x", 1_599_360_473_000);
        assert!(feishu.body.contains("sdR0eS36UO/d4NpAyDr6RpCJWLJtcheypjGCjiZTm0o="));
        assert!(feishu.body.contains("\"timestamp\":\"1599360473\""));
        let dingtalk = Robot::Dingtalk.letter("u?a=1", Some("demo_secret"), "x", 1_599_360_473_000);
        assert_eq!(
            dingtalk.url,
            "u?a=1&timestamp=1599360473000&sign=xVfCBiLEYQluVrX1%2FzTnNabgP5yYstF1coh8tCQf73Y%3D"
        );
    }

    #[test]
    fn a_long_text_is_cut_between_letters() {
        let body = Robot::Wecom.letter("u", None, &"卡".repeat(2000), 0).body;
        let sent: Value = serde_json::from_str(&body).unwrap();
        let content = sent["text"]["content"].as_str().unwrap();
        assert!(content.len() <= WECOM_LONGEST && content.ends_with('…'));
    }

    #[test]
    fn too_many_messages_are_tried_again_and_a_wrong_signature_is_not() {
        assert_eq!(Robot::Feishu.taken(200, r#"{"code":0}"#), Ok(()));
        assert!(Robot::Feishu.taken(200, r#"{"code":11232}"#).unwrap_err().0);
        assert!(!Robot::Feishu.taken(200, r#"{"code":19021}"#).unwrap_err().0);
        assert!(Robot::Webhook.taken(503, "busy").unwrap_err().0);
        assert_eq!(Robot::Wecom.taken(200, r#"{"errcode":0}"#), Ok(()));
    }
}
