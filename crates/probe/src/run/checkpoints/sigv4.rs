//! AWS Signature Version 4 of a request, which S3, Alibaba Cloud OSS and Tencent Cloud COS accept.
//! Source: AWS, "Authenticating Requests (AWS Signature Version 4)"; its examples are the tests.

use super::http::Request;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// Who signs.
#[derive(Clone)]
pub struct Keys {
    /// The key's public part.
    pub id: String,
    /// The key's secret part.
    pub secret: String,
    /// A session's token, for keys that were lent for some hours.
    pub token: Option<String>,
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Keys").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Where a request goes, in the parts that are signed.
#[derive(Clone, Debug, Default)]
pub(super) struct Target {
    pub(super) host: String,
    /// Percent-encoded, from `/`.
    pub(super) path: String,
    /// Names and values, not encoded.
    pub(super) query: Vec<(String, String)>,
}

/// Returns the SHA-256 of bytes in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Writes bytes in hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing into a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Percent-encodes everything but unreserved characters; slashes too unless it is a path.
pub(super) fn encode(text: &str, is_path: bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                encoded.push(char::from(byte));
            }
            b'/' if is_path => encoded.push('/'),
            other => {
                let _ = write!(encoded, "%{other:02X}");
            }
        }
    }
    encoded
}

/// Returns the query as it is sent and signed: encoded and sorted.
pub(super) fn query(pairs: &[(String, String)]) -> String {
    let mut parts: Vec<String> = pairs
        .iter()
        .map(|(name, value)| format!("{}={}", encode(name, false), encode(value, false)))
        .collect();
    parts.sort();
    parts.join("&")
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    // HMAC takes a key of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return Vec::new() };
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

/// Adds the headers that prove who asks. `body_hash` is the SHA-256 of what is sent, which the
/// server compares with what it received.
pub(super) fn sign(
    request: &mut Request,
    target: &Target,
    body_hash: &str,
    region: &str,
    keys: &Keys,
    now: Timestamp,
) {
    let moment = now.strftime("%Y%m%dT%H%M%SZ").to_string();
    let day = moment.get(..8).unwrap_or_default();
    request.headers.push(("x-amz-content-sha256".to_owned(), body_hash.to_owned()));
    request.headers.push(("x-amz-date".to_owned(), moment.clone()));
    if let Some(token) = &keys.token {
        request.headers.push(("x-amz-security-token".to_owned(), token.clone()));
    }
    let mut signed: Vec<(String, &str)> = request
        .headers
        .iter()
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim()))
        .collect();
    signed.push(("host".to_owned(), &target.host));
    signed.sort();
    let names = signed.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(";");
    let headers = signed.iter().fold(String::new(), |mut text, (name, value)| {
        let _ = writeln!(text, "{name}:{value}");
        text
    });
    let canonical = format!(
        "{}\n{}\n{}\n{headers}\n{names}\n{body_hash}",
        request.method,
        target.path,
        query(&target.query),
    );
    let scope = format!("{day}/{region}/s3/aws4_request");
    let to_sign = format!("AWS4-HMAC-SHA256\n{moment}\n{scope}\n{}", sha256(canonical.as_bytes()));
    let mut key = format!("AWS4{}", keys.secret).into_bytes();
    for part in [day, region, "s3", "aws4_request"] {
        key = mac(&key, part);
    }
    let signature = hex(&mac(&key, &to_sign));
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={}/{scope},SignedHeaders={names},Signature={signature}",
        keys.id
    );
    request.headers.push(("authorization".to_owned(), authorization));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys, the bucket and the day of the examples in AWS's documentation.
    fn signature(
        method: &'static str,
        path: &str,
        query: &[(&str, &str)],
        headers: &[(&str, &str)],
        hash: &str,
    ) -> String {
        let keys = Keys {
            id: "AKIAIOSFODNN7EXAMPLE".to_owned(),
            secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned(),
            token: None,
        };
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let target = Target {
            host: "examplebucket.s3.amazonaws.com".to_owned(),
            path: path.to_owned(),
            query: query.iter().map(own).collect(),
        };
        let mut request = Request { method, ..Request::default() };
        request.headers = headers.iter().map(own).collect();
        let now = "2013-05-24T00:00:00Z".parse().unwrap();
        sign(&mut request, &target, hash, "us-east-1", &keys, now);
        let (_, value) = request.headers.pop().unwrap();
        value.rsplit('=').next().unwrap().to_owned()
    }

    #[test]
    fn the_examples_of_the_documentation_are_signed_alike() {
        let empty = sha256(b"");
        let get = signature("GET", "/test.txt", &[], &[("range", "bytes=0-9")], &empty);
        assert_eq!(get, "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
        let headers = [
            ("date", "Fri, 24 May 2013 00:00:00 GMT"),
            ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ];
        let body = sha256(b"Welcome to Amazon S3.");
        let put = signature("PUT", "/test%24file.text", &[], &headers, &body);
        assert_eq!(put, "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
        let lifecycle = signature("GET", "/", &[("lifecycle", "")], &[], &empty);
        assert_eq!(lifecycle, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
        let list = signature("GET", "/", &[("max-keys", "2"), ("prefix", "J")], &[], &empty);
        assert_eq!(list, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
    }

    #[test]
    fn a_secret_is_never_shown() {
        let keys =
            Keys { id: "AK".to_owned(), secret: "hush".to_owned(), token: Some("hush".to_owned()) };
        assert!(!format!("{keys:?}").contains("hush"));
    }
}
