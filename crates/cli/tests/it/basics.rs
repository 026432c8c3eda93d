//! Help, arguments, exit codes and files.

use crate::kasuan;
use std::fs;

fn both(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    ["zh", "en"]
        .map(|lang| kasuan(folder.path(), &[arguments, &["--lang", lang]].concat()))
        .concat()
}

#[test]
fn wrong_arguments_are_told_in_the_readers_language_with_exit_code_2() {
    insta::assert_snapshot!("unknown_command", both(&["plam"]));
    insta::assert_snapshot!("unknown_option", both(&["init", "--forse"]));
    insta::assert_snapshot!("wrong_value", both(&["init", "--format", "jsno"]));
    insta::assert_snapshot!("wrong_day", both(&["init", "--today", "2026-02-30"]));
}

#[test]
fn help_is_in_the_readers_language() {
    insta::assert_snapshot!("help_init", both(&["init", "--help"]));
}

#[test]
fn init_never_overwrites_unless_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| kasuan(folder.path(), arguments);
    fs::write(folder.path().join("jobs.yaml"), "mine").unwrap();
    insta::assert_snapshot!("init_refuses", run(&["init"]));
    assert_eq!(fs::read_to_string(folder.path().join("jobs.yaml")).unwrap(), "mine");
    insta::assert_snapshot!("init_forced", run(&["init", "--force", "--lang", "zh"]));
    let written = fs::read_to_string(folder.path().join("jobs.yaml")).unwrap();
    assert!(written.starts_with("# 这个月的 GPU 任务"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a temporary file was left");
}
