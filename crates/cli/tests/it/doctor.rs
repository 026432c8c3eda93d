//! `kasuan doctor`: before renting, in both languages, and on a machine without a card.

use crate::kasuan;

const ISSUE: &[&str] = &[
    "doctor",
    "--card",
    "5090",
    "--image-cuda",
    "12.1",
    "--torch",
    "2.5.1",
    "--cuda",
    "12.1",
    "--driver",
    "550.54",
    "--python",
    "3.10",
    "--needs",
    "vllm,flash-attn,bf16",
    "--price",
    "2.98",
];

#[test]
fn an_environment_that_cannot_run_is_named_before_it_is_paid_for() {
    let folder = tempfile::tempdir().unwrap();
    let both: Vec<String> = ["zh", "en"]
        .into_iter()
        .map(|language| {
            let mut arguments = ISSUE.to_vec();
            arguments.extend(["--lang", language]);
            kasuan(folder.path(), &arguments)
        })
        .collect();
    insta::assert_snapshot!(both.join("\n"));
}

#[test]
fn a_card_alone_says_what_to_install_on_it() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(kasuan(folder.path(), &["doctor", "--card", "4090", "--explain"]));
}

#[test]
fn the_answer_for_programs_has_stable_words() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "doctor",
        "--card",
        "V100",
        "--torch",
        "2.11.0",
        "--driver",
        "550.54.15",
        "--format",
        "json",
    ];
    insta::assert_snapshot!(kasuan(folder.path(), &arguments));
}

#[test]
fn a_version_that_is_none_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(kasuan(
        folder.path(),
        &["doctor", "--card", "4090", "--torch", "latest"]
    ));
}

#[test]
fn a_machine_without_a_driver_is_told_so_and_still_helped() {
    let folder = tempfile::tempdir().unwrap();
    // The search path is empty here, so there is neither nvidia-smi nor Python.
    let said = kasuan(folder.path(), &["doctor", "--lang", "en"]);
    assert!(said.contains("no working NVIDIA driver"), "{said}");
    assert!(said.contains("kasuan doctor --card 5090"), "{said}");
    assert!(said.ends_with("[1]\n"), "{said}");
}
