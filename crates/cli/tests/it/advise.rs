//! Advice from measured use: the contracts that programs read, and the words for people.

use crate::kasuan;
use std::{fmt::Write as _, fs, path::Path};

/// Writes a demand of three cards for 30 days, five for the last four days.
fn write_demand(folder: &Path) {
    let mut text = String::from("hour,cards\n");
    for hour in 0..816 {
        let cards = if hour < 720 { 3 } else { 5 };
        writeln!(text, "{hour},{cards}").unwrap();
    }
    fs::write(folder.join("demand.csv"), text).unwrap();
}

/// Writes a week of half hours: machines are there from 8 to 20.
fn write_history(folder: &Path) {
    let mut text = String::from("hour,available\n");
    for step in 0..336 {
        let hour = f64::from(step) / 2.0;
        let up = (8.0..20.0).contains(&(hour % 24.0));
        writeln!(text, "{hour},{}", u8::from(up)).unwrap();
    }
    fs::write(folder.join("history.csv"), text).unwrap();
}

const COMMIT: [&str; 8] = [
    "advise",
    "commit",
    "--demand",
    "demand.csv",
    "--on-demand",
    "1.0",
    "--term",
    "month:720h:360",
];

#[test]
fn commit_says_what_to_buy_and_why_in_both_languages() {
    let folder = tempfile::tempdir().unwrap();
    write_demand(folder.path());
    let run = |more: &[&str]| kasuan(folder.path(), &[&COMMIT, more].concat());
    insta::assert_snapshot!("advise_commit_zh", run(&["--lang", "zh"]));
    insta::assert_snapshot!("advise_commit_en", run(&["--held", "3@100h", "--lang", "en"]));
    let json = run(&["--term", "week:168h:117.6", "--format", "json", "--lang", "en"]);
    insta::assert_snapshot!("advise_commit_json", json);
}

#[test]
fn hindsight_is_the_cheapest_purchase() {
    let folder = tempfile::tempdir().unwrap();
    write_demand(folder.path());
    let run = |more: &[&str]| kasuan(folder.path(), &[&COMMIT, more].concat());
    let json = run(&["--hindsight", "--pro-rata", "--format", "json"]);
    // Three cards all the time at half the price, and two more for 96 hours, pro rata as well.
    assert!(json.contains("\"cost\": \"1320\""), "{json}");
    insta::assert_snapshot!("advise_hindsight", run(&["--hindsight", "--lang", "zh"]));
}

#[test]
fn spot_says_what_to_do_until_the_next_decision() {
    let folder = tempfile::tempdir().unwrap();
    write_history(folder.path());
    let run = |more: &[&str]| {
        let fixed = [
            "advise",
            "spot",
            "--remaining",
            "10h",
            "--restart",
            "0.2h",
            "--spot-price",
            "0.3",
            "--on-demand-price",
            "1",
            "--history",
            "history.csv",
        ];
        kasuan(folder.path(), &[&fixed, more].concat())
    };
    let action = |more: &[&str]| {
        let said = run(&[&["--format", "json"], more].concat());
        ["spot", "on_demand", "wait"]
            .into_iter()
            .find(|action| said.contains(&format!("\"action\": \"{action}\"")))
            .map(|action| (action, said.ends_with("[0]\n")))
    };
    let take = action(&["--deadline", "30h", "--available", "yes"]);
    assert_eq!(take, Some(("spot", true)));
    assert_eq!(action(&["--deadline", "40h", "--available", "no"]), Some(("wait", true)));
    let forced = action(&["--deadline", "10.5h", "--available", "no"]);
    assert_eq!(forced, Some(("on_demand", true)));
    // Not even on demand makes it: exit code 1.
    let late = action(&["--deadline", "9h", "--available", "yes"]);
    assert_eq!(late, Some(("on_demand", false)));
    let uniform = ["--policy", "uniform-progress", "--work", "20h", "--elapsed", "30h"];
    let behind = action(&[&["--deadline", "20h", "--available", "no"], &uniform[..]].concat());
    assert_eq!(behind, Some(("on_demand", true)));
    insta::assert_snapshot!(
        "advise_spot_zh",
        run(&["--deadline", "30h", "--available", "yes", "--lang", "zh"])
    );
}

#[test]
fn measure_weighs_a_guess() {
    let folder = tempfile::tempdir().unwrap();
    let run = |lang| {
        let fixed = [
            "advise",
            "measure",
            "--hours",
            "90,300,500",
            "--on-demand",
            "5",
            "--term",
            "month:720h:1800",
            "--lang",
            lang,
        ];
        kasuan(folder.path(), &fixed)
    };
    insta::assert_snapshot!("advise_measure", ["zh", "en"].map(run).concat());
}

#[test]
fn wrong_input_is_named_with_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("demand.csv"), "hour,cards\n0,3\n1,many\n").unwrap();
    let run = |more: &[&str]| kasuan(folder.path(), &[&COMMIT, more].concat());
    insta::assert_snapshot!("advise_bad_row", run(&["--lang", "zh"]));
    insta::assert_snapshot!("advise_bad_term", run(&["--term", "month:1.5h:3", "--lang", "en"]));
}

#[test]
fn a_step_of_no_time_is_refused_instead_of_going_on_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let said = kasuan(
        folder.path(),
        &[
            "advise",
            "spot",
            "--remaining",
            "30h",
            "--deadline",
            "40h",
            "--spot-price",
            "1",
            "--on-demand-price",
            "2",
            "--available",
            "yes",
            "--step",
            "0h",
        ],
    );
    assert!(said.contains("`0` is not a value for --step") && said.ends_with("[2]\n"), "{said}");
}
