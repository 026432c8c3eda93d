//! What the pages need beside themselves: style, script and htmx, embedded in the binary.

use axum::{
    extract::Path,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest as _, Sha256};
use std::{io::Write as _, sync::LazyLock};

/// An embedded file.
struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
    packed: Vec<u8>,
    version: String,
}

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    const SCRIPT: &str = "text/javascript; charset=utf-8";
    [
        ("style.css", "text/css; charset=utf-8", include_bytes!("../assets/style.css").as_slice()),
        ("app.js", SCRIPT, include_bytes!("../assets/app.js")),
        ("htmx.min.js", SCRIPT, include_bytes!("../assets/vendor/htmx.min.js")),
        ("icon.svg", "image/svg+xml", include_bytes!("../assets/icon.svg")),
    ]
    .map(|(name, kind, bytes)| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        // Writing into memory cannot fail; what did would be served unpacked.
        let packed = encoder.write_all(bytes).and_then(|()| encoder.finish()).unwrap_or_default();
        let digest = Sha256::digest(bytes);
        let version = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        Asset { name, kind, bytes, packed, version }
    })
    .into()
});

/// Returns the address of a file, which changes with its contents.
pub(crate) fn address(name: &str) -> String {
    let version =
        ASSETS.iter().find(|asset| asset.name == name).map(|asset| asset.version.as_str());
    format!("/assets/{name}?v={}", version.unwrap_or_default())
}

/// Serves an embedded file; its address changes with it, so that it may be kept for ever.
pub(crate) async fn serve(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let accepts = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let packs = !asset.packed.is_empty() && accepts.is_some_and(|text| text.contains("gzip"));
    let body = if packs { asset.packed.as_slice() } else { asset.bytes };
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    let forever = HeaderValue::from_static("public, max-age=31536000, immutable");
    headers.insert(header::CACHE_CONTROL, forever);
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if packs {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use sha2::Sha512;
    use std::path::Path;

    #[derive(serde::Deserialize)]
    struct Lock {
        file: Vec<Locked>,
    }

    #[derive(serde::Deserialize)]
    struct Locked {
        name: String,
        licence_file: String,
        integrity: String,
        archive_integrity: String,
    }

    #[test]
    fn vendored_files_are_what_the_lock_file_says_and_come_with_their_licences() {
        check_folder("assets/vendor");
        check_folder("tests/vendor");
    }

    fn check_folder(folder: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let text = std::fs::read_to_string(folder.join("lock.toml")).unwrap();
        let lock: Lock = toml::from_str(&text).unwrap();
        let mut listed = vec!["lock.toml".to_owned()];
        for file in lock.file {
            let bytes = std::fs::read(folder.join(&file.name)).unwrap();
            let found = format!("sha512-{}", STANDARD.encode(Sha512::digest(&bytes)));
            assert_eq!(found, file.integrity, "{}", file.name);
            assert!(file.archive_integrity.starts_with("sha512-"));
            listed.extend([file.name, file.licence_file]);
        }
        for entry in std::fs::read_dir(&folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(listed.contains(&name), "{name} is not in the lock file");
        }
    }
}
