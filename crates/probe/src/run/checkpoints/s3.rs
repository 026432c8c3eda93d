//! Checkpoints in an S3-compatible store: the objects first, their list last. A checkpoint exists
//! when its manifest does, and a manifest is one object, which is there whole or not at all.
//!
//! Below the prefix: `NAME/PATH` for every file, `NAME.manifest.json` when all of them are there,
//! `NAME.part.json` as long as they are not, so that what a killed writer left can be found.

use super::{
    Keep, Kept,
    http::{Http, Request, Response},
    listing::{read_listing, read_upload_id},
    place::Place,
    sigv4::{Keys, Target, encode, query, sha256, sign},
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::{
    fs, io,
    io::{Read as _, Seek as _},
    path::{Component, Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Files above this go up in parts of this size; a part is held in memory while it is sent. S3 asks
/// for 5 MiB and more, and for at most 10,000 parts, which allows files of 625 GiB.
const PART_BYTES: u64 = 64 << 20;
const MANIFEST: &str = ".manifest.json";
const UNFINISHED: &str = ".part.json";

/// An S3-compatible store.
pub struct S3<H> {
    place: Place,
    keys: Keys,
    http: H,
    part: u64,
}

/// What is in a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    version: u32,
    /// The newest change in it, in nanoseconds since 1970: several may be written in a second.
    changed_ns: u64,
    files: Vec<File>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct File {
    /// With slashes, below the checkpoint; empty when the checkpoint is one file.
    path: String,
    bytes: u64,
    sha256: String,
}

impl<H: Http> S3<H> {
    /// Uses a place of a store.
    pub const fn new(place: Place, keys: Keys, http: H) -> Self {
        Self { place, keys, http, part: PART_BYTES }
    }

    /// Asks for something of the bucket; `key` is empty for the bucket itself.
    fn ask(
        &self,
        method: &'static str,
        key: &str,
        pairs: &[(&str, &str)],
        body: Vec<u8>,
        into: Option<PathBuf>,
    ) -> io::Result<Response> {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let target = Target {
            host: self.place.host(),
            path: format!("{}{}", self.place.root(), encode(key, true)),
            query: pairs.iter().map(own).collect(),
        };
        let asked = query(&target.query);
        let mark = if asked.is_empty() { "" } else { "?" };
        let url = format!("{}://{}{}{mark}{asked}", self.place.scheme, target.host, target.path);
        let hash = sha256(&body);
        let mut request = Request { method, url, headers: Vec::new(), body, into };
        sign(&mut request, &target, &hash, &self.place.region, &self.keys, Timestamp::now());
        self.http.send(&request)
    }

    /// Asks, and takes everything but success for an error that says what the store said.
    fn done(
        &self,
        method: &'static str,
        key: &str,
        pairs: &[(&str, &str)],
        body: Vec<u8>,
    ) -> io::Result<Response> {
        let answer = self.ask(method, key, pairs, body, None)?;
        if (200..300).contains(&answer.status) { Ok(answer) } else { Err(refused(&answer, key)) }
    }

    fn key(&self, rest: &str) -> String {
        format!("{}{rest}", self.place.prefix)
    }

    /// Lists the names directly below the prefix that end so.
    fn names(&self, ending: &str) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        let mut token: Option<String> = None;
        loop {
            let mut pairs =
                vec![("list-type", "2"), ("prefix", &*self.place.prefix), ("delimiter", "/")];
            if let Some(token) = &token {
                pairs.push(("continuation-token", token));
            }
            let answer = self.done("GET", "", &pairs, Vec::new())?;
            let listing = read_listing(&answer.body)?;
            for key in listing.keys {
                let name = key.strip_prefix(&self.place.prefix).unwrap_or(&key);
                names.extend(name.strip_suffix(ending).map(str::to_owned));
            }
            token = listing.next;
            if token.is_none() {
                return Ok(names);
            }
        }
    }

    fn manifest(&self, name: &str, ending: &str) -> io::Result<Manifest> {
        let answer = self.done("GET", &self.key(&format!("{name}{ending}")), &[], Vec::new())?;
        let manifest: Manifest = serde_json::from_slice(&answer.body).map_err(damaged)?;
        match manifest.version {
            1 => Ok(manifest),
            other => Err(damaged(format!("version {other} of a manifest is not known here"))),
        }
    }

    fn object(&self, name: &str, file: &File) -> String {
        let slash = if file.path.is_empty() { "" } else { "/" };
        self.key(&format!("{name}{slash}{}", file.path))
    }

    fn upload(&self, key: &str, path: &Path, bytes: u64) -> io::Result<()> {
        if bytes <= self.part {
            self.done("PUT", key, &[], fs::read(path)?)?;
        } else {
            let answer = self.done("POST", key, &[("uploads", "")], Vec::new())?;
            let upload = read_upload_id(&answer.body)?;
            if let Err(error) = self.parts(key, path, bytes, &upload) {
                // Parts of an upload that was given up are billed until they are removed.
                let _ = self.done("DELETE", key, &[("uploadId", &upload)], Vec::new());
                return Err(error);
            }
        }
        let answer = self.done("HEAD", key, &[], Vec::new())?;
        match answer.header("content-length").and_then(|length| length.parse::<u64>().ok()) {
            Some(there) if there == bytes => Ok(()),
            there => Err(io::Error::other(format!(
                "{key}: {bytes} bytes were sent, {there:?} are there"
            ))),
        }
    }

    fn parts(&self, key: &str, path: &Path, bytes: u64, upload: &str) -> io::Result<()> {
        let mut list = String::from("<CompleteMultipartUpload>");
        let mut file = fs::File::open(path)?;
        for number in 1..=bytes.div_ceil(self.part) {
            file.seek(io::SeekFrom::Start((number - 1) * self.part))?;
            let mut body = Vec::new();
            file.by_ref().take(self.part).read_to_end(&mut body)?;
            let number = number.to_string();
            let pairs = [("partNumber", number.as_str()), ("uploadId", upload)];
            let answer = self.done("PUT", key, &pairs, body)?;
            let tag = answer.header("etag").ok_or_else(|| damaged("a part has no ETag"))?;
            let tag = tag.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
            list.push_str(&format!(
                "<Part><PartNumber>{number}</PartNumber><ETag>{tag}</ETag></Part>"
            ));
        }
        list.push_str("</CompleteMultipartUpload>");
        let answer = self.done("POST", key, &[("uploadId", upload)], list.into_bytes())?;
        // This call alone may fail after it has answered 200.
        if String::from_utf8_lossy(&answer.body).contains("<Error>") {
            return Err(refused(&answer, key));
        }
        Ok(())
    }

    /// Removes the objects of a list, then the list itself.
    fn drop_all(&self, name: &str, ending: &str, manifest: &Manifest) -> io::Result<()> {
        for file in &manifest.files {
            self.done("DELETE", &self.object(name, file), &[], Vec::new())?;
        }
        self.done("DELETE", &self.key(&format!("{name}{ending}")), &[], Vec::new()).map(drop)
    }

    fn write(&self, name: &str, ending: &str, manifest: &Manifest) -> io::Result<()> {
        let text = serde_json::to_vec(manifest).map_err(io::Error::from)?;
        self.done("PUT", &self.key(&format!("{name}{ending}")), &[], text).map(drop)
    }

    fn download(&self, name: &str, file: &File, to: &Path) -> io::Result<()> {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        let key = self.object(name, file);
        let answer = self.ask("GET", &key, &[], Vec::new(), Some(to.to_owned()))?;
        match answer.status {
            200..=299 => {}
            404 => return Err(damaged(format!("{key} is gone"))),
            _ => return Err(refused(&answer, &key)),
        }
        // An empty object leaves no file behind.
        let back = fs::File::options().create(true).append(true).open(to)?;
        back.sync_all()?;
        if hash(to)? == (file.bytes, file.sha256.clone()) {
            Ok(())
        } else {
            Err(damaged(format!("{key} is not what was stored")))
        }
    }
}

impl<H: Http> Keep for S3<H> {
    fn prepare(&self) -> io::Result<()> {
        let complete = self.names(MANIFEST)?;
        for name in self.names(UNFINISHED)? {
            let manifest = self.manifest(&name, UNFINISHED)?;
            if complete.contains(&name) {
                self.done("DELETE", &self.key(&format!("{name}{UNFINISHED}")), &[], Vec::new())?;
            } else {
                self.drop_all(&name, UNFINISHED, &manifest)?;
            }
        }
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<Kept>> {
        let mut kept = Vec::new();
        for name in self.names(MANIFEST)? {
            let changed = Duration::from_nanos(self.manifest(&name, MANIFEST)?.changed_ns);
            let changed = UNIX_EPOCH.checked_add(changed).ok_or_else(|| damaged("a time"))?;
            kept.push(Kept { name, changed });
        }
        Ok(kept)
    }

    fn put(&self, from: &Path, name: &str, changed: SystemTime) -> io::Result<()> {
        let mut files = Vec::new();
        gather(from, "", &mut files)?;
        let changed = changed.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let changed_ns = u64::try_from(changed).unwrap_or(u64::MAX);
        let manifest = Manifest { version: 1, changed_ns, files };
        self.write(name, UNFINISHED, &manifest)?;
        for file in &manifest.files {
            let path = if file.path.is_empty() { from.to_owned() } else { from.join(&file.path) };
            self.upload(&self.object(name, file), &path, file.bytes)?;
        }
        // What was sent is what was hashed before, or the job is still writing.
        let mut after = Vec::new();
        gather(from, "", &mut after)?;
        if after != manifest.files {
            return Err(io::Error::other(
                "the checkpoint changed while it was sent; it is still being written",
            ));
        }
        self.write(name, MANIFEST, &manifest)?;
        self.done("DELETE", &self.key(&format!("{name}{UNFINISHED}")), &[], Vec::new()).map(drop)
    }

    fn get(&self, name: &str, to: &Path) -> io::Result<()> {
        let manifest = self.manifest(name, MANIFEST)?;
        let mut part = to.as_os_str().to_owned();
        part.push(super::PART);
        let part = PathBuf::from(part);
        super::folder::remove(&part)?;
        if manifest.files.iter().all(|file| !file.path.is_empty()) {
            fs::create_dir_all(&part)?;
        }
        for file in &manifest.files {
            // A manifest that somebody else wrote must not reach out of the folder.
            let path = Path::new(&file.path);
            if !path.components().all(|part| matches!(part, Component::Normal(_))) {
                return Err(damaged(format!("{} is no path below a checkpoint", file.path)));
            }
            let target = if file.path.is_empty() { part.clone() } else { part.join(path) };
            self.download(name, file, &target)?;
        }
        fs::rename(&part, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let manifest = self.manifest(name, MANIFEST)?;
        // Renamed to unfinished first: killed in the middle, it is no checkpoint any more.
        self.write(name, UNFINISHED, &manifest)?;
        self.done("DELETE", &self.key(&format!("{name}{MANIFEST}")), &[], Vec::new())?;
        self.drop_all(name, UNFINISHED, &manifest)
    }
}

/// Lists the files below a path with their sizes and hashes. Links point at other checkpoints and
/// are not followed.
fn gather(path: &Path, below: &str, files: &mut Vec<File>) -> io::Result<()> {
    let data = fs::symlink_metadata(path)?;
    if data.is_dir() {
        let mut names: Vec<_> =
            fs::read_dir(path)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
        names.sort();
        for name in names {
            let text = name.to_str().ok_or_else(|| damaged("a file name is not UTF-8"))?;
            let slash = if below.is_empty() { "" } else { "/" };
            gather(&path.join(&name), &format!("{below}{slash}{text}"), files)?;
        }
    } else if data.is_file() {
        let (bytes, sha256) = hash(path)?;
        files.push(File { path: below.to_owned(), bytes, sha256 });
    }
    Ok(())
}

/// Returns a file's size and SHA-256.
fn hash(path: &Path) -> io::Result<(u64, String)> {
    let mut file = fs::File::open(path)?;
    let mut hash = Sha256::new();
    let mut block = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        let length = file.read(&mut block)?;
        if length == 0 {
            return Ok((bytes, super::sigv4::hex(&hash.finalize())));
        }
        bytes += length as u64;
        hash.update(block.get(..length).unwrap_or_default());
    }
}

fn damaged(reason: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.to_string())
}

/// What a store says in its error: its code and its words.
fn refused(answer: &Response, key: &str) -> io::Error {
    let text = String::from_utf8_lossy(&answer.body);
    let inside = |tag: &str| {
        let from = text.split_once(&format!("<{tag}>"))?.1;
        Some(from.split_once(&format!("</{tag}>"))?.0.to_owned())
    };
    let code = inside("Code").unwrap_or_default();
    let words = inside("Message").unwrap_or_default();
    io::Error::other(format!("{key}: HTTP {} {code} {words}", answer.status).trim().to_owned())
}

#[cfg(test)]
mod tests;
