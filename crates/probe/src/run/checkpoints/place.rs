//! The address of a place in an S3-compatible store:
//! `s3://BUCKET/PREFIX?endpoint=https://...&region=...&style=path`.

use kasuan_model::{Phrase, Phrased};
use std::net::IpAddr;

/// A place in an S3-compatible store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub(super) scheme: &'static str,
    /// Host and port of the service.
    service: String,
    bucket: String,
    /// Empty, or ends with a slash.
    pub(super) prefix: String,
    pub(super) region: String,
    /// Whether the bucket stands in the path and not before the host's name.
    in_path: bool,
}

/// Why an address is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// It names no bucket, or one that no store allows.
    #[error("no bucket: {0}")]
    Bucket(String),
    /// The endpoint is not `http://HOST` or `https://HOST`.
    #[error("no endpoint: {0}")]
    Endpoint(String),
    /// A setting that does not exist, or a style that does not.
    #[error("unknown setting: {0}")]
    Setting(String),
}

impl Phrased for PlaceError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Bucket(text) => Phrase::new("keep-error-bucket").with("text", text),
            Self::Endpoint(text) => Phrase::new("keep-error-endpoint").with("text", text),
            Self::Setting(text) => Phrase::new("keep-error-setting").with("text", text),
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        vec![Phrase::new("keep-hint-address")]
    }
}

impl Place {
    /// Reads an address. `endpoint` and `region` are the environment's, for what it leaves out.
    ///
    /// # Errors
    ///
    /// When a part of it is not understood.
    pub fn read(
        address: &str,
        endpoint: Option<&str>,
        region: Option<&str>,
    ) -> Result<Self, PlaceError> {
        let rest = address.strip_prefix("s3://").unwrap_or(address);
        let (path, settings) = rest.split_once('?').unwrap_or((rest, ""));
        let (bucket, prefix) = path.split_once('/').unwrap_or((path, ""));
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        if bucket.is_empty() || !bucket.chars().all(allowed) {
            return Err(PlaceError::Bucket(address.to_owned()));
        }
        let mut endpoint = endpoint.map(str::to_owned);
        let mut region = region.map(str::to_owned);
        let mut style = None;
        for setting in settings.split('&').filter(|setting| !setting.is_empty()) {
            match setting.split_once('=') {
                Some(("endpoint", value)) => endpoint = Some(value.to_owned()),
                Some(("region", value)) => region = Some(value.to_owned()),
                Some(("style", "path")) => style = Some(true),
                Some(("style", "host")) => style = Some(false),
                _ => return Err(PlaceError::Setting(setting.to_owned())),
            }
        }
        let region = region.unwrap_or_else(|| "us-east-1".to_owned());
        let endpoint = endpoint.unwrap_or_else(|| format!("https://s3.{region}.amazonaws.com"));
        let wrong = || PlaceError::Endpoint(endpoint.clone());
        let (scheme, service) = endpoint.split_once("://").ok_or_else(wrong)?;
        let scheme = match scheme {
            "https" => "https",
            "http" => "http",
            _ => return Err(wrong()),
        };
        let service = service.trim_end_matches('/');
        if service.is_empty() || service.contains(['/', '@', ' ', '"']) {
            return Err(wrong());
        }
        // A bucket before the host's name needs a name that can be resolved.
        let name = service.rsplit_once(':').map_or(service, |(name, _)| name);
        let is_name = name.parse::<IpAddr>().is_err() && name != "localhost";
        let prefix = prefix.trim_matches('/');
        Ok(Self {
            scheme,
            service: service.to_owned(),
            bucket: bucket.to_owned(),
            prefix: if prefix.is_empty() { String::new() } else { format!("{prefix}/") },
            region,
            in_path: style.unwrap_or(!is_name),
        })
    }

    /// Returns the host that is asked.
    pub(super) fn host(&self) -> String {
        if self.in_path {
            self.service.clone()
        } else {
            format!("{}.{}", self.bucket, self.service)
        }
    }

    /// Returns the path of the bucket, with a slash at its end.
    pub(super) fn root(&self) -> String {
        if self.in_path { format!("/{}/", self.bucket) } else { "/".to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_services_are_addressed_as_they_want_it() {
        let oss = Place::read(
            "s3://models/lora?endpoint=https://oss-cn-hangzhou.aliyuncs.com&region=cn-hangzhou",
            None,
            None,
        )
        .unwrap();
        assert_eq!(oss.host(), "models.oss-cn-hangzhou.aliyuncs.com");
        assert_eq!((oss.root().as_str(), oss.prefix.as_str()), ("/", "lora/"));
        let aws = Place::read("s3://models", None, Some("eu-west-1")).unwrap();
        assert_eq!(aws.host(), "models.s3.eu-west-1.amazonaws.com");
        let minio = Place::read("s3://m/a/b/", Some("http://127.0.0.1:9000"), None).unwrap();
        assert_eq!((minio.host().as_str(), minio.root().as_str()), ("127.0.0.1:9000", "/m/"));
        let named =
            Place::read("s3://m?endpoint=http://minio:9000&style=path", None, None).unwrap();
        assert_eq!(named.host(), "minio:9000");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in [
            "s3://",
            "s3:///a",
            "s3://a b/c",
            "s3://a?style=odd",
            "s3://a?key=1",
            "s3://a?endpoint=ftp://x",
            "s3://a?endpoint=https://",
            "s3://a?endpoint=https://u@h",
        ] {
            assert!(Place::read(text, None, None).is_err(), "{text}");
        }
    }
}
