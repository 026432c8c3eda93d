//! The calendar of a plan as other programs read it, through the command line.

use crate::{kasuan, repository};
use quick_xml::{Reader, events::Event};
use std::{fs, process::Command};

const FILE: &str = "examples/qa-team.yaml";

/// Runs `kasuan plan` and returns what it prints.
fn printed(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kasuan"))
        .args(["--today", "2026-12-01", "plan", FILE])
        .args(arguments)
        .current_dir(repository())
        .env_clear()
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the calendar of the plan's JSON: job, start, end.
fn runs() -> Vec<(String, String, String)> {
    let json: serde_json::Value = serde_json::from_str(&printed(&["--format", "json"])).unwrap();
    let text = |entry: &serde_json::Value, key: &str| entry[key].as_str().unwrap().to_owned();
    let entries = json["calendar"].as_array().unwrap();
    entries.iter().map(|one| (text(one, "job"), text(one, "start"), text(one, "end"))).collect()
}

#[test]
fn the_calendar_has_every_run_of_the_plan_in_every_form() {
    let runs = runs();
    assert!(!runs.is_empty());
    let plain = |time: &str| time.replace(['-', ':'], "");
    let ics = printed(&["--calendar", "ics"]).replace("\r\n ", "");
    for (job, start, end) in &runs {
        let event = format!("DTSTART:{}\r\nDTEND:{}\r\n", plain(start), plain(end));
        assert!(ics.contains(&event), "{job} {start}");
        assert!(ics.contains(&format!("SUMMARY:{job}\r\n")));
    }
    let slurm = printed(&["--calendar", "slurm"]);
    assert_eq!(slurm.matches("$(sbatch --parsable").count(), runs.len());
    for (job, start, _) in &runs {
        assert!(slurm.contains(&format!("--job-name='{job}' --begin={start}")), "{job} {start}");
    }
    let cron = printed(&["--calendar", "cron"]);
    for (job, _, _) in &runs {
        assert!(
            cron.contains(&format!("start '{job}'")) && cron.contains(&format!("stop '{job}'"))
        );
    }
}

#[test]
fn the_picture_is_well_formed_named_and_shows_every_run() {
    for language in ["zh", "en"] {
        let svg = printed(&["--calendar", "svg", "--lang", language]);
        let mut reader = Reader::from_str(&svg);
        reader.config_mut().check_end_names = true;
        let (mut depth, mut bars, mut titles, mut labelled) = (0_i32, 0, 0, false);
        loop {
            match reader.read_event().unwrap() {
                Event::Start(tag) => {
                    depth += 1;
                    match tag.name().as_ref() {
                        "title" => titles += 1,
                        "svg" => {
                            let value = |name: &str| tag.try_get_attribute(name).unwrap().unwrap();
                            assert_eq!(value("role").value.as_ref(), "img");
                            labelled = value("aria-labelledby").value.starts_with("gantt-title");
                        }
                        "rect" => bars += 1,
                        _ => {}
                    }
                }
                Event::End(_) => depth -= 1,
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(depth, 0);
        assert!(labelled);
        // Bars hold a title; other shapes are empty elements.
        assert_eq!(bars, runs().len());
        assert_eq!(titles, bars + 1);
        assert!(!svg.contains("\n\n"), "Markdown would end the picture at an empty line");
    }
}

#[test]
fn the_report_in_markdown_holds_the_picture() {
    let report = printed(&["--format", "markdown"]);
    assert_eq!(report.matches("<svg ").count(), 1);
    assert_eq!(report.matches("</svg>").count(), 1);
}

#[test]
fn a_file_is_written_by_its_extension_and_a_wrong_zone_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("month.ics");
    let path = path.to_str().unwrap();
    let said = kasuan(
        &repository(),
        &["plan", FILE, "--output", path, "--time-zone", "+08:00", "--lang", "en"],
    );
    assert!(said.ends_with("[0]\n"), "{said}");
    let first = &runs()[0].1;
    let local: jiff::civil::DateTime = first.parse().unwrap();
    let utc = local.checked_sub(jiff::ToSpan::hours(8)).unwrap();
    let written = fs::read_to_string(path).unwrap();
    assert!(written.contains(&format!("DTSTART:{}Z\r\n", utc.strftime("%Y%m%dT%H%M%S"))));
    let said = kasuan(&repository(), &["plan", FILE, "--time-zone", "Moon/Base", "--lang", "zh"]);
    assert!(said.contains("不认识时区 `Moon/Base`") && said.ends_with("[2]\n"), "{said}");
}
