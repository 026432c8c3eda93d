//! The two answers of an S3 store that are read: a page of names, and the id of an upload.

use quick_xml::{Reader, events::Event};
use std::io;

/// A page of names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Listing {
    pub(super) keys: Vec<String>,
    /// What to ask for the next page with.
    pub(super) next: Option<String>,
}

/// Calls back with the innermost element's name and its text.
fn texts(xml: &[u8], mut found: impl FnMut(&str, String)) -> io::Result<()> {
    let broken = |error: &dyn std::fmt::Display| {
        io::Error::other(format!("the store's answer is no XML: {error}"))
    };
    let text = std::str::from_utf8(xml).map_err(|error| broken(&error))?;
    let mut reader = Reader::from_str(text);
    let (mut element, mut inside) = (String::new(), String::new());
    loop {
        match reader.read_event().map_err(|error| broken(&error))? {
            Event::Start(start) => {
                start.local_name().as_ref().clone_into(&mut element);
                inside.clear();
            }
            Event::Text(text) => inside.push_str(&text),
            Event::GeneralRef(name) => {
                let whole = format!("&{};", &*name);
                inside.push_str(
                    &quick_xml::escape::unescape(&whole).map_err(|error| broken(&error))?,
                );
            }
            Event::End(_) => {
                if !element.is_empty() {
                    found(&element, std::mem::take(&mut inside));
                }
                element.clear();
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// Reads `ListBucketResult`.
pub(super) fn read_listing(xml: &[u8]) -> io::Result<Listing> {
    let mut listing = Listing::default();
    let mut more = false;
    texts(xml, |element, text| match element {
        "Key" => listing.keys.push(text),
        "IsTruncated" => more = text == "true",
        "NextContinuationToken" => listing.next = Some(text),
        _ => {}
    })?;
    if !more {
        listing.next = None;
    }
    Ok(listing)
}

/// Reads `InitiateMultipartUploadResult`.
pub(super) fn read_upload_id(xml: &[u8]) -> io::Result<String> {
    let mut id = None;
    texts(xml, |element, text| {
        if element == "UploadId" {
            id = Some(text);
        }
    })?;
    id.ok_or_else(|| io::Error::other("the store's answer names no upload"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_names_its_keys_and_the_next_page() {
        let page = br#"<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><Prefix>p/</Prefix><IsTruncated>true</IsTruncated><Contents><Key>p/a &amp; b.manifest.json</Key><Size>1</Size></Contents><Contents><Key>p/c</Key></Contents><NextContinuationToken>t=</NextContinuationToken><CommonPrefixes><Prefix>p/d/</Prefix></CommonPrefixes></ListBucketResult>"#;
        let listing = read_listing(page).unwrap();
        assert_eq!(listing.keys, ["p/a & b.manifest.json", "p/c"]);
        assert_eq!(listing.next.as_deref(), Some("t="));
        assert!(read_listing(b"<a><b></a>").is_err());
        assert!(read_upload_id(b"<r><Bucket>b</Bucket></r>").is_err());
    }
}
