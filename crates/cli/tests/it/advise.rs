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

#[test]
fn a_demand_that_is_empty_or_out_of_order_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = |text: &str, lang: &str| {
        fs::write(folder.path().join("demand.csv"), text).unwrap();
        kasuan(folder.path(), &[&COMMIT, &["--lang", lang][..]].concat())
    };
    insta::assert_snapshot!("advise_commit_empty", run("hour,cards\n", "en"));
    insta::assert_snapshot!("advise_commit_order", run("hour,cards\n3,1\n2,1\n", "zh"));
    insta::assert_snapshot!("advise_commit_gap", run("hour,cards\n3,1\n5,1\n", "en"));
}

#[test]
fn spot_without_a_history_says_so_and_never_expects_more_than_on_demand_costs() {
    let folder = tempfile::tempdir().unwrap();
    let run = |remaining: &str, deadline: &str, more: &[&str]| {
        let prices = ["--spot-price", "0.3", "--on-demand-price", "1", "--available", "yes"];
        let fixed = ["advise", "spot", "--remaining", remaining, "--deadline", deadline];
        kasuan(folder.path(), &[&fixed[..], &prices, more].concat())
    };
    insta::assert_snapshot!("advise_spot_assumed_zh", run("30h", "80h", &["--lang", "zh"]));
    let usd = ["--currency", "USD", "--lang", "en", "--format", "json"];
    insta::assert_snapshot!("advise_spot_assumed_json", run("30h", "80h", &usd));
    // Less than a step to spare is still enough.
    let tight = run("30h", "30.3h", &["--lang", "en"]);
    assert!(tight.ends_with("[0]\n"), "{tight}");
    insta::assert_snapshot!("advise_spot_tight", tight);
    insta::assert_snapshot!("advise_spot_done", run("0h", "80h", &["--lang", "en"]));
    insta::assert_snapshot!("advise_spot_long", run("30000h", "40000h", &["--lang", "zh"]));
}

#[test]
fn share_asks_for_its_conditions_and_counts_work_not_busy_time() {
    let folder = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| kasuan(folder.path(), &[&["advise", "share"], more].concat());
    let sliced = ["--alone", "21.1", "--together", "12.58", "--lang", "zh"];
    insta::assert_snapshot!("advise_share_sliced_zh", run(&sliced));
    let host = ["--replicas", "3", "--limit", "host", "--mps", "--own-cores"];
    let fits = ["--memory", "20GiB", "--card-memory", "80GiB", "--lang", "en", "--format", "json"];
    insta::assert_snapshot!("advise_share_host_json", run(&[&host[..], &fits].concat()));
    insta::assert_snapshot!("advise_share_unknown_en", run(&["--lang", "en"]));
}
