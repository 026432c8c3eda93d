//! The store against a bucket in memory that can break off at any request.

use super::*;
use crate::run::checkpoints::Checkpoints;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

/// What a bucket holds, and how many requests it still answers.
#[derive(Default)]
struct State {
    objects: BTreeMap<String, Vec<u8>>,
    uploads: BTreeMap<String, BTreeMap<u32, Vec<u8>>>,
    left: Option<usize>,
    asked: usize,
}

#[derive(Clone, Default)]
struct Bucket(Arc<Mutex<State>>);

fn answer(status: u16, body: impl Into<Vec<u8>>) -> Response {
    Response { status, body: body.into(), ..Response::default() }
}

impl Http for Bucket {
    fn send(&self, request: &Request) -> io::Result<Response> {
        let mut state = self.0.lock().unwrap();
        state.asked += 1;
        if let Some(left) = &mut state.left {
            if *left == 0 {
                return Err(io::Error::from(io::ErrorKind::ConnectionReset));
            }
            *left -= 1;
        }
        assert!(request.headers.iter().any(|(name, _)| name == "authorization"));
        let rest = request.url.strip_prefix("http://127.0.0.1:1/bucket/").unwrap();
        let (key, pairs) = rest.split_once('?').unwrap_or((rest, ""));
        let pairs: BTreeMap<&str, &str> =
            pairs.split('&').filter_map(|p| p.split_once('=')).collect();
        let key = key.replace("%20", " ");
        Ok(match (request.method, pairs.get("uploadId"), pairs.get("partNumber")) {
            ("GET", ..) if pairs.contains_key("list-type") => list(&state, &pairs),
            ("GET", ..) => match (state.objects.get(&key), &request.into) {
                (Some(body), Some(path)) => {
                    fs::write(path, body).unwrap();
                    answer(200, "")
                }
                (Some(body), None) => answer(200, body.clone()),
                (None, _) => answer(404, "<Error><Code>NoSuchKey</Code></Error>"),
            },
            ("HEAD", ..) => Response {
                headers: vec![("content-length".to_owned(), state.objects[&key].len().to_string())],
                ..answer(200, "")
            },
            ("POST", None, _) => {
                state.uploads.insert(key, BTreeMap::new());
                answer(200, "<R><UploadId>u1</UploadId></R>")
            }
            ("PUT", Some(_), Some(number)) => {
                let parts = state.uploads.get_mut(&key).unwrap();
                parts.insert(number.parse().unwrap(), request.body.clone());
                Response {
                    headers: vec![("etag".to_owned(), "\"e\"".to_owned())],
                    ..answer(200, "")
                }
            }
            ("POST", Some(_), _) => {
                assert!(
                    String::from_utf8_lossy(&request.body).contains("<ETag>&quot;e&quot;</ETag>")
                );
                let parts = state.uploads.remove(&key).unwrap();
                state.objects.insert(key, parts.into_values().flatten().collect());
                answer(200, "<R/>")
            }
            ("PUT", ..) => {
                state.objects.insert(key, request.body.clone());
                answer(200, "")
            }
            ("DELETE", Some(_), _) => {
                state.uploads.remove(&key);
                answer(204, "")
            }
            ("DELETE", ..) => {
                state.objects.remove(&key);
                answer(204, "")
            }
            other => panic!("{other:?}"),
        })
    }
}

/// Answers a page of two names at a time.
fn list(state: &State, pairs: &BTreeMap<&str, &str>) -> Response {
    let prefix = pairs["prefix"].replace("%2F", "/");
    let from: usize = pairs.get("continuation-token").map_or(0, |token| token.parse().unwrap());
    let names: Vec<&String> = state
        .objects
        .keys()
        .filter(|key| key.strip_prefix(&prefix).is_some_and(|rest| !rest.contains('/')))
        .collect();
    let page: String = names
        .iter()
        .skip(from)
        .take(2)
        .map(|key| format!("<Contents><Key>{key}</Key></Contents>"))
        .collect();
    let more = from + 2 < names.len();
    let next = if more {
        format!("<NextContinuationToken>{}</NextContinuationToken>", from + 2)
    } else {
        String::new()
    };
    answer(200, format!("<L><IsTruncated>{more}</IsTruncated>{page}{next}</L>"))
}

fn store(bucket: &Bucket) -> S3<Bucket> {
    let place = Place::read("s3://bucket/jobs/lora", Some("http://127.0.0.1:1"), None).unwrap();
    let keys = Keys { id: "id".to_owned(), secret: "secret".to_owned(), token: None };
    S3 { part: 1000, ..S3::new(place, keys, bucket.clone()) }
}

fn checkpoints(folder: &Path, bucket: &Bucket) -> Checkpoints {
    Checkpoints {
        local: folder.join("out"),
        kept: Box::new(store(bucket)),
        most: 2,
        settled: Duration::ZERO,
    }
}

/// Writes a checkpoint of a small file, one of three parts, and an empty one.
fn write(folder: &Path, number: u64) {
    let path = folder.join(format!("out/checkpoint-{number}"));
    fs::create_dir_all(path.join("deep")).unwrap();
    fs::write(path.join("model.bin"), vec![u8::try_from(number).unwrap(); 2500]).unwrap();
    fs::write(path.join("deep/state 1.json"), number.to_string()).unwrap();
    fs::write(path.join("empty"), "").unwrap();
    let time = UNIX_EPOCH + Duration::from_secs(1_700_000_000 + number);
    for file in ["model.bin", "deep/state 1.json", "empty", "deep", ""] {
        fs::File::open(path.join(file)).unwrap().set_modified(time).unwrap();
    }
}

fn whole(folder: &Path, number: u64) -> bool {
    let path = folder.join(format!("out/checkpoint-{number}"));
    fs::read(path.join("model.bin")).is_ok_and(|b| b == vec![u8::try_from(number).unwrap(); 2500])
        && fs::read(path.join("deep/state 1.json"))
            .is_ok_and(|b| b == number.to_string().as_bytes())
        && fs::read(path.join("empty")).is_ok_and(|b| b.is_empty())
}

#[test]
fn checkpoints_go_up_in_parts_are_pruned_and_the_newest_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let bucket = Bucket::default();
    let kept = checkpoints(folder.path(), &bucket);
    for number in [1, 2] {
        write(folder.path(), number);
    }
    assert_eq!(kept.sync(false).unwrap().copied, ["checkpoint-1", "checkpoint-2"]);
    assert_eq!(kept.sync(false).unwrap().copied, [""; 0], "what is there is not sent again");
    write(folder.path(), 3);
    let synced = kept.sync(false).unwrap();
    assert_eq!(
        (synced.copied, synced.pruned),
        (vec!["checkpoint-3".to_owned()], vec!["checkpoint-1".to_owned()])
    );
    let names: Vec<String> = bucket.0.lock().unwrap().objects.keys().cloned().collect();
    assert!(
        !names.iter().any(|name| name.contains("checkpoint-1") || name.contains(".part.")),
        "{names:?}"
    );
    assert_eq!(names.len(), 8, "{names:?}");

    let other = tempfile::tempdir().unwrap();
    let there = checkpoints(other.path(), &bucket);
    assert_eq!(there.restore().unwrap().name.as_deref(), Some("checkpoint-3"));
    assert!(whole(other.path(), 3));
    assert_eq!(there.restore().unwrap().name, None, "the job has its own now");
}

#[test]
fn whenever_the_writer_dies_a_complete_checkpoint_comes_back_and_nothing_is_left_over() {
    let mut cut = 0;
    loop {
        let folder = tempfile::tempdir().unwrap();
        let bucket = Bucket::default();
        let kept = checkpoints(folder.path(), &bucket);
        write(folder.path(), 1);
        kept.sync(true).unwrap();
        for number in [2, 3] {
            write(folder.path(), number);
        }
        bucket.0.lock().unwrap().left = Some(cut);
        let ended = kept.sync(true).is_ok();
        bucket.0.lock().unwrap().left = None;

        let other = tempfile::tempdir().unwrap();
        let there = checkpoints(other.path(), &bucket);
        let name = there.restore().unwrap().name.unwrap();
        let number = name.rsplit('-').next().unwrap().parse().unwrap();
        assert!(whole(other.path(), number), "cut after {cut} requests: {name}");
        let names: Vec<String> = bucket.0.lock().unwrap().objects.keys().cloned().collect();
        let complete: Vec<&str> =
            names.iter().filter_map(|name| name.strip_suffix(MANIFEST)).collect();
        for name in &names {
            let known = complete.iter().any(|known| name.starts_with(&format!("{known}/")));
            assert!(known || name.ends_with(MANIFEST), "cut after {cut}: {name} was left");
        }
        if ended {
            assert_eq!(number, 3);
            assert!(cut > 20, "only {cut} requests");
            return;
        }
        cut += 1;
    }
}

#[test]
fn a_damaged_checkpoint_is_passed_over_for_an_older_one() {
    let folder = tempfile::tempdir().unwrap();
    let bucket = Bucket::default();
    for number in [1, 2] {
        write(folder.path(), number);
    }
    checkpoints(folder.path(), &bucket).sync(true).unwrap();
    let key = "jobs/lora/checkpoint-2/model.bin";
    bucket.0.lock().unwrap().objects.get_mut(key).unwrap()[7] = 0;
    let other = tempfile::tempdir().unwrap();
    let restored = checkpoints(other.path(), &bucket).restore().unwrap();
    assert_eq!(restored.name.as_deref(), Some("checkpoint-1"));
    assert_eq!(restored.damaged, ["checkpoint-2"]);
    assert!(whole(other.path(), 1) && !other.path().join("out/checkpoint-2").exists());
}

#[test]
fn a_manifest_that_points_out_of_its_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bucket = Bucket::default();
    let file = File { path: "../../stolen".to_owned(), bytes: 0, sha256: sha256(b"") };
    let manifest = Manifest { version: 1, changed_ns: 1, files: vec![file] };
    store(&bucket).write("evil", MANIFEST, &manifest).unwrap();
    let restored = checkpoints(folder.path(), &bucket).restore().unwrap();
    assert_eq!((restored.name, restored.damaged), (None, vec!["evil".to_owned()]));
    assert!(!folder.path().join("stolen").exists());
}

#[test]
fn what_the_store_refuses_is_said_in_its_own_words() {
    let answer = answer(403, "<Error><Code>AccessDenied</Code><Message>no</Message></Error>");
    assert_eq!(refused(&answer, "a/b").to_string(), "a/b: HTTP 403 AccessDenied no");
}
