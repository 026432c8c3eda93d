//! A disk as teams leave it: what is found, what may go, and that everything can come back.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a helper of a test stops at once"
)]

use jiff::Timestamp;
use kasuan_probe::storage::{
    Asked, CleanPlan, Kind, PlannedItem, Scan, Verdict, Why, batches, clean, duplicates, purge,
    scan, undo,
};
use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

fn write(path: &Path, bytes: usize, days_ago: u64) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, vec![7; bytes]).unwrap();
    let then = SystemTime::now() - Duration::from_secs(days_ago * 86_400);
    let times = fs::FileTimes::new().set_accessed(then).set_modified(then);
    fs::File::options().write(true).open(path).unwrap().set_times(times).unwrap();
}

fn disk() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for step in [100, 200, 300, 400, 500] {
        let checkpoint = root.join(format!("out/checkpoint-{step}"));
        write(&checkpoint.join("model.safetensors"), 5000, 60);
        write(&checkpoint.join("trainer_state.json"), 1, 60);
    }
    let state = root.join("out/checkpoint-500/trainer_state.json");
    fs::write(&state, r#"{"best_model_checkpoint": "/old/machine/out/checkpoint-200"}"#).unwrap();
    write(&state.with_file_name("more.bin"), 1, 60);
    write(&root.join("lightning/epoch=1-step=10.ckpt"), 4000, 60);
    write(&root.join("lightning/epoch=2-step=20.ckpt"), 4000, 60);
    write(&root.join("lightning/epoch=3-step=30.ckpt"), 4000, 60);
    write(&root.join("llama/config.json"), 2, 60);
    write(&root.join("llama/model.safetensors"), 9000, 60);
    write(&root.join("tiny.gguf"), 800, 60);
    write(&root.join("data/a.parquet"), 700, 60);
    write(&root.join("home/.cache/pip/wheel"), 600, 60);
    write(&root.join("home/.cache/huggingface/hub/models--x/blobs/a"), 650, 1);
    folder
}

fn asked(commands: &[&str]) -> Asked {
    let commands = commands.iter().map(|command| (*command).to_owned()).collect();
    Asked { keep: 2, old_days: 30, now: Timestamp::now(), commands }
}

fn verdicts(scan: &Scan) -> Vec<(String, Kind, &'static str)> {
    let mut found: Vec<_> = scan
        .items
        .iter()
        .map(|item| {
            let (Verdict::Keep(why) | Verdict::Drop(why)) = item.verdict;
            (item.path.display().to_string(), item.kind, why.word())
        })
        .collect();
    found.sort();
    found
}

fn plan(root: &Path, scan: &Scan) -> CleanPlan {
    let drop = scan.items.iter().filter_map(|item| match item.verdict {
        Verdict::Drop(why) => Some(PlannedItem::of(item, why.word())),
        Verdict::Keep(_) => None,
    });
    let root = root.canonicalize().unwrap();
    CleanPlan { version: 1, root, made: Timestamp::now().to_string(), items: drop.collect() }
}

#[test]
fn the_newest_the_best_and_what_a_run_names_stay() {
    let folder = disk();
    let found = scan(folder.path(), &asked(&["python eval.py --from out/checkpoint-100"])).unwrap();
    let all = verdicts(&found);
    let expected = [
        ("data", Kind::Dataset, "precious"),
        ("home/.cache/huggingface/hub/models--x", Kind::Cache, "recent"),
        ("home/.cache/pip", Kind::Cache, "refetchable"),
        ("lightning/epoch=1-step=10.ckpt", Kind::Checkpoint, "superseded"),
        ("lightning/epoch=2-step=20.ckpt", Kind::Checkpoint, "newest"),
        ("lightning/epoch=3-step=30.ckpt", Kind::Checkpoint, "newest"),
        ("llama", Kind::Model, "precious"),
        ("out/checkpoint-100", Kind::Checkpoint, "referenced"),
        ("out/checkpoint-200", Kind::Checkpoint, "best"),
        ("out/checkpoint-300", Kind::Checkpoint, "superseded"),
        ("out/checkpoint-400", Kind::Checkpoint, "newest"),
        ("out/checkpoint-500", Kind::Checkpoint, "newest"),
        ("tiny.gguf", Kind::Model, "precious"),
    ];
    assert_eq!(all, expected.map(|(path, kind, why)| (path.to_owned(), kind, why)));
    let size = |path: &str| {
        found.items.iter().find(|item| item.path == Path::new(path)).unwrap().bytes.get()
    };
    assert_eq!(size("out/checkpoint-300"), 5001);
}

#[test]
fn a_link_is_never_followed_and_what_it_points_at_stays() {
    let folder = disk();
    let outside = tempfile::tempdir().unwrap();
    write(&outside.path().join("run/checkpoint-1/model.safetensors"), 100, 60);
    symlink(outside.path(), folder.path().join("elsewhere")).unwrap();
    symlink("checkpoint-300", folder.path().join("out/latest")).unwrap();
    let found = scan(folder.path(), &asked(&[])).unwrap();
    assert_eq!(found.links, 2);
    assert!(found.items.iter().all(|item| !item.path.starts_with("elsewhere")));
    let linked = found.items.iter().find(|item| item.path.ends_with("checkpoint-300")).unwrap();
    assert_eq!(linked.verdict, Verdict::Keep(Why::Referenced));
}

#[test]
fn cleaning_moves_to_a_trash_from_which_everything_comes_back() {
    let folder = disk();
    let found = scan(folder.path(), &asked(&[])).unwrap();
    let plan = plan(folder.path(), &found);
    assert_eq!(plan.items.len(), 4);
    let done = clean(&plan, Timestamp::now()).unwrap();
    assert_eq!((done.moved.len(), done.left.len()), (4, 0), "{done:?}");
    assert!(!folder.path().join("out/checkpoint-300").exists());
    let again = scan(folder.path(), &asked(&[])).unwrap();
    assert!(again.items.iter().all(|item| matches!(item.verdict, Verdict::Keep(_))));
    let batch = batches(folder.path()).unwrap().remove(0);
    let back = undo(folder.path(), &batch.name).unwrap();
    assert_eq!((back.moved.len(), back.left.len()), (4, 0), "{back:?}");
    let restored = scan(folder.path(), &asked(&[])).unwrap();
    assert_eq!(verdicts(&restored), verdicts(&found));
    assert!(batches(folder.path()).unwrap().is_empty());
    clean(&plan, Timestamp::now()).unwrap();
    let batch = batches(folder.path()).unwrap().remove(0);
    purge(folder.path(), &batch).unwrap();
    assert!(batches(folder.path()).unwrap().is_empty());
}

#[test]
fn a_plan_that_leads_out_or_is_out_of_date_moves_nothing() {
    let folder = disk();
    let outside = tempfile::tempdir().unwrap();
    write(&outside.path().join("precious/model.safetensors"), 100, 60);
    let found = scan(folder.path(), &asked(&[])).unwrap();
    let mut plan = plan(folder.path(), &found);
    let item = plan.items[0].clone();
    // The folder on the way becomes a link after the scan.
    symlink(outside.path(), folder.path().join("link")).unwrap();
    let with = |path: PathBuf| PlannedItem { path, ..item.clone() };
    let old = plan.items.iter().find(|item| item.path.ends_with("checkpoint-100")).unwrap().clone();
    write(&folder.path().join("out/checkpoint-100/model.safetensors"), 10, 0);
    plan.items = vec![
        with("link/precious".into()),
        with(outside.path().join("precious")),
        with("../precious".into()),
        with("out/../../x".into()),
        with("nothing".into()),
        old,
    ];
    let done = clean(&plan, Timestamp::now()).unwrap();
    assert_eq!((done.moved.len(), done.left.len()), (0, 6), "{done:?}");
    assert!(outside.path().join("precious/model.safetensors").exists());
    assert!(folder.path().join("out/checkpoint-100").exists());
}

#[test]
fn files_of_the_same_content_are_found_and_two_names_of_one_file_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(&root.join("a/weights.bin"), 2 << 20, 1);
    write(&root.join("b/copy.bin"), 2 << 20, 1);
    fs::hard_link(root.join("a/weights.bin"), root.join("a/second-name.bin")).unwrap();
    write(&root.join("c/other.bin"), 2 << 20, 1);
    let mut other = fs::read(root.join("c/other.bin")).unwrap();
    *other.last_mut().unwrap() = 0;
    fs::write(root.join("c/other.bin"), other).unwrap();
    let found = scan(root, &asked(&[])).unwrap();
    assert_eq!(found.total, 3 * (2 << 20));
    let (same, left_out) = duplicates(root, &found);
    assert_eq!(left_out, 0);
    assert_eq!(same.len(), 1);
    assert_eq!(same[0].paths.len(), 2);
    assert_eq!(same[0].wasted().get(), 2 << 20);
}

#[test]
fn looking_for_duplicates_is_no_use_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(&root.join(".cache/pip/a.whl"), 2 << 20, 90);
    write(&root.join(".cache/pip/b.whl"), 2 << 20, 90);
    write(&root.join("out/checkpoint-1/trainer_state.json"), 10, 90);
    write(&root.join("out/checkpoint-1/model.safetensors"), 10, 90);
    let first = scan(root, &asked(&[])).unwrap();
    assert_eq!(duplicates(root, &first).0.len(), 1, "they are the same, and were read");
    let second = scan(root, &asked(&[])).unwrap();
    let used = |found: &Scan| -> Vec<_> {
        found.items.iter().map(|item| (item.path.clone(), item.last_used)).collect()
    };
    assert_eq!(used(&first), used(&second));
    let pip = second.items.iter().find(|item| item.path.ends_with("pip")).unwrap();
    assert_eq!(pip.verdict, Verdict::Drop(Why::Refetchable));
}
