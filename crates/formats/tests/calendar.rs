//! The calendars for other programs are read back by readers of their own rules: RFC 5545, cron's
//! five fields, and a real shell with a stand-in for `sbatch`.

#![allow(clippy::unwrap_used, reason = "helpers of tests stop at once")]

use jiff::{
    ToSpan as _,
    civil::{Date, DateTime, date},
    tz::{Offset, TimeZone},
};
use kasuan_formats::calendar::{Agenda, crontab, icalendar, submissions};
use kasuan_market::{CardNames, Catalogue};
use kasuan_model::{
    BillingMode, Bytes, CardId, Currency, Estimate, Interconnect, Money, Offer, Phrase, PricePer,
    Rates, Seconds, Source,
};
use kasuan_plan::{
    World,
    outcome::Plan,
    plan,
    workload::{Amount, Job, Margin, Policy, Runs, Task, Team, Transfer, Workload},
};
use proptest::prelude::*;
use std::{collections::BTreeSet, fs, path::Path, process::Command};

const MONTH: Date = date(2026, 12, 1);

fn catalogue() -> Catalogue {
    let offer = Offer {
        id: "a/rtx-4090".to_owned(),
        provider: "a".to_owned(),
        region: String::new(),
        country: "CN".to_owned(),
        product: "rtx-4090".to_owned(),
        card: CardId::new("rtx-4090"),
        card_raw: "rtx-4090".to_owned(),
        count: 1,
        slices: 1,
        tier: String::new(),
        host_included: Some(true),
        vcpus: None,
        memory: None,
        disk: None,
        interconnect: Interconnect::Unknown,
        mode: BillingMode::OnDemand,
        price: Money::new(2.into(), Currency::CNY),
        per: PricePer::Hour,
        granularity: Some(Seconds::new(1)),
        minimum: None,
        stock: None,
        source: Source { date: Some(MONTH), ..Source::stated("price card") },
        notes: String::new(),
    };
    let shipped = Catalogue::shipped().unwrap();
    Catalogue::new(shipped.cards().to_vec(), CardNames::default(), vec![offer], Vec::new())
}

fn job(name: &str, hours: &str, runs: u32) -> Job {
    let mut job = Job::new(name, Task::Batch);
    job.memory = Some(Bytes::from_gib(8));
    job.runs = Runs::PerMonth(runs);
    let hours = Estimate::exact(hours.parse().unwrap());
    job.amount = Amount::Hours { hours, measured_on: None };
    job
}

fn service(name: &str) -> Job {
    let mut job = job(name, "1", 1);
    job.amount = Amount::Service;
    job.window.daily = Some((jiff::civil::time(8, 0, 0, 0), jiff::civil::time(18, 30, 0, 0)));
    job
}

fn workload(jobs: Vec<Job>) -> Workload {
    Workload {
        currency: Currency::CNY,
        month: MONTH,
        days: None,
        jobs,
        storage: Vec::new(),
        transfer: Transfer::default(),
        team: Team::default(),
        policy: Policy { margin: Margin::Nothing, ..Policy::default() },
        rates: Rates::default(),
        held: Vec::new(),
    }
}

fn planned(workload: &Workload) -> Plan {
    let catalogue = catalogue();
    let world = World { catalogue: &catalogue, today: MONTH, seed: 1, measured: &[] };
    let plan = plan(workload, &world).unwrap();
    assert!(!plan.calendar.is_empty());
    plan
}

fn agenda<'a>(plan: &'a Plan, workload: &'a Workload, zone: Option<TimeZone>) -> Agenda<'a> {
    Agenda { plan, workload, made: MONTH, zone }
}

fn say(phrase: &Phrase) -> String {
    format!("{} {:?}", phrase.key(), phrase.args())
}

/// Reads events as RFC 5545 says: lines end with CR LF, a line that begins with a space goes on.
fn events(text: &str) -> Vec<Vec<(String, String)>> {
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "a bare line break");
    for line in text.split("\r\n") {
        assert!(line.len() <= 75, "{} bytes: {line}", line.len());
    }
    let unfolded = text.replace("\r\n ", "");
    let mut lines = unfolded.split("\r\n");
    assert_eq!(lines.next(), Some("BEGIN:VCALENDAR"));
    assert!(unfolded.ends_with("END:VCALENDAR\r\n"));
    let mut events = Vec::new();
    let mut open: Option<Vec<(String, String)>> = None;
    for line in lines {
        match line {
            "BEGIN:VEVENT" => assert!(open.replace(Vec::new()).is_none(), "an event in an event"),
            "END:VEVENT" => events.push(open.take().unwrap()),
            line => {
                if let Some(event) = &mut open {
                    let (name, value) = line.split_once(':').unwrap();
                    event.push((name.to_owned(), unescaped(value)));
                }
            }
        }
    }
    events
}

fn unescaped(value: &str) -> String {
    let mut text = String::new();
    let mut signs = value.chars();
    while let Some(sign) = signs.next() {
        if sign != '\\' {
            assert!(!matches!(sign, ';' | ',') || !value.contains(' '), "bare {sign} in {value}");
            text.push(sign);
            continue;
        }
        match signs.next() {
            Some('n' | 'N') => text.push('\n'),
            Some(sign @ ('\\' | ';' | ',')) => text.push(sign),
            other => panic!("`\\{other:?}` is no escape"),
        }
    }
    text
}

fn of<'a>(event: &'a [(String, String)], name: &str) -> &'a str {
    let mut found = event.iter().filter(|(known, _)| known == name);
    let value = &found.next().unwrap().1;
    assert!(found.next().is_none(), "{name} twice");
    value
}

#[test]
fn every_run_is_an_event_with_an_identity_of_its_own() {
    let workload = workload(vec![service("在线问答"), job("微调, 第一版", "8", 2)]);
    let plan = planned(&workload);
    let events = events(&icalendar(&agenda(&plan, &workload, None), &say));
    assert_eq!(events.len(), plan.calendar.len());
    let ids: BTreeSet<&str> = events.iter().map(|event| of(event, "UID")).collect();
    assert_eq!(ids.len(), events.len());
    for (event, entry) in events.iter().zip(&plan.calendar) {
        assert_eq!(of(event, "SUMMARY"), entry.job);
        assert_eq!(of(event, "DTSTART"), entry.start.strftime("%Y%m%dT%H%M%S").to_string());
        assert_eq!(of(event, "DTEND"), entry.end.strftime("%Y%m%dT%H%M%S").to_string());
        assert_eq!(of(event, "DTSTAMP"), "20261201T000000Z");
    }
}

#[test]
fn with_a_time_zone_events_are_moments_in_utc() {
    let workload = workload(vec![service("svc")]);
    let plan = planned(&workload);
    let shanghai = TimeZone::fixed(Offset::from_hours(8).unwrap());
    let events = events(&icalendar(&agenda(&plan, &workload, Some(shanghai)), &say));
    assert_eq!(of(&events[0], "DTSTART"), "20261201T000000Z");
    assert_eq!(of(&events[0], "DTEND"), "20261201T103000Z");
}

proptest! {
    #[test]
    fn whatever_a_job_is_called_its_event_reads_back(name in r#"[一-龥a-z0-9 ,;:\\"'%$`\n]{1,60}"#) {
        // One plan is enough: only the name differs.
        static PLAN: std::sync::LazyLock<(Workload, Plan)> = std::sync::LazyLock::new(|| {
            let workload = workload(vec![job("a", "3", 1)]);
            let plan = planned(&workload);
            (workload, plan)
        });
        let (workload, mut plan) = (&PLAN.0, PLAN.1.clone());
        plan.calendar[0].job.clone_from(&name);
        let text = icalendar(&agenda(&plan, workload, None), &say);
        let events = events(&text);
        prop_assert_eq!(of(&events[0], "SUMMARY"), name);
    }
}

/// What a crontab does: when, start or stop, which job.
type Action = (DateTime, String, String);

/// Reads a crontab as cron does, and says what it does in the years that its lines ask for.
fn actions(text: &str) -> BTreeSet<Action> {
    let mut actions = BTreeSet::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.splitn(6, ' ');
        let minute = fields.next().unwrap();
        if minute.contains('=') {
            continue;
        }
        let number = |text: &str| text.parse::<i8>().unwrap();
        let (hour, days, month) = (
            number(fields.next().unwrap()),
            fields.next().unwrap(),
            number(fields.next().unwrap()),
        );
        assert_eq!(fields.next(), Some("*"));
        let command = fields.next().unwrap();
        assert_eq!(command.matches('%').count(), command.matches(r"\%").count(), "a bare %");
        // What cron hands to the shell.
        let command = command.replace(r"\%", "%");
        let said = shell(&format!("date() {{ echo 2026; }}; KASUAN_HOOK=say; {command}"));
        let said: Vec<&str> = said.trim_end_matches('\n').split('\n').collect();
        let [action, job, card, cards] = said[..] else { panic!("{said:?}") };
        assert_eq!((card, cards), ("rtx-4090", "1"));
        for range in days.split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            for day in number(first)..=number(last) {
                let at = date(2026, month, day).at(hour, number(minute), 0, 0);
                actions.insert((at, action.to_owned(), job.to_owned()));
            }
        }
    }
    actions
}

/// Runs a command in a real shell, where `say` prints its arguments, one a line.
fn shell(command: &str) -> String {
    let say = r#"say() { for word in "$@"; do printf '%s\n' "$word"; done; }; "#;
    let output = Command::new("sh").args(["-c", &format!("{say}{command}")]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_crontab_starts_and_stops_what_the_calendar_says_and_nothing_else() {
    let names = ["在线问答", "it's 100% \"$HOME\"", "a;b|c"];
    let workload =
        workload(vec![service(names[0]), job(names[1], "8.13", 3), job(names[2], "30", 2)]);
    let plan = planned(&workload);
    let text = crontab(&agenda(&plan, &workload, None), &say);
    let minute = |at: DateTime| {
        let rest = i64::from(at.second());
        if rest == 0 { at } else { at.checked_add((60 - rest).seconds()).unwrap() }
    };
    let mut expected = BTreeSet::new();
    for entry in &plan.calendar {
        expected.insert((minute(entry.start), "start".to_owned(), entry.job.clone()));
        expected.insert((minute(entry.end), "stop".to_owned(), entry.job.clone()));
    }
    assert_eq!(actions(&text), expected);
    // A service of the same hours every day is two lines, not sixty.
    assert_eq!(text.lines().filter(|line| line.contains("在线问答")).count(), 2);
}

#[test]
fn a_crontab_of_another_year_does_nothing() {
    let workload = workload(vec![service("svc")]);
    let plan = planned(&workload);
    let text = crontab(&agenda(&plan, &workload, None), &say);
    let line = text.lines().find(|line| line.contains("start")).unwrap();
    let command = line.splitn(6, ' ').nth(5).unwrap().replace(r"\%", "%");
    let other = format!("date() {{ echo 2027; }}; KASUAN_HOOK=say; {command} || true");
    assert_eq!(shell(&other), "");
}

/// Runs a submission script with a stand-in for `sbatch` that writes down its arguments.
fn submitted(script: &str, folder: &Path) -> Vec<Vec<String>> {
    use std::os::unix::fs::PermissionsExt as _;
    let sbatch = folder.join("sbatch");
    let log = folder.join("log");
    let stand_in = format!(
        "#!/bin/sh\nn=$(grep -c '^--parsable$' '{0}' 2>/dev/null || true)\n\
         for word in \"$@\"; do printf '%s\\n' \"$word\"; done >> '{0}'\necho $((n + 1))\n",
        log.display()
    );
    fs::write(&sbatch, stand_in).unwrap();
    fs::set_permissions(&sbatch, fs::Permissions::from_mode(0o755)).unwrap();
    let file = folder.join("month.sh");
    fs::write(&file, script).unwrap();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", folder.display());
    let output = Command::new("sh").arg(&file).env("PATH", path).env("TZ", "UTC").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut calls: Vec<Vec<String>> = Vec::new();
    for word in fs::read_to_string(log).unwrap().lines() {
        if word == "--parsable" {
            calls.push(Vec::new());
        }
        calls.last_mut().unwrap().push(word.to_owned());
    }
    calls
}

#[test]
fn slurm_gets_every_run_with_its_start_and_who_it_waits_for() {
    let mut evaluation = job("评测 it's", "2", 2);
    evaluation.window.after = Some("微调".to_owned());
    let workload = workload(vec![job("微调", "26", 2), evaluation]);
    let plan = planned(&workload);
    let folder = tempfile::tempdir().unwrap();
    let calls = submitted(&submissions(&agenda(&plan, &workload, None), &say), folder.path());
    assert_eq!(calls.len(), plan.calendar.len());
    for (call, entry) in calls.iter().zip(&plan.calendar) {
        assert_eq!(call[1], format!("--job-name={}", entry.job));
        assert_eq!(call[2], format!("--begin={}", entry.start.strftime("%Y-%m-%dT%H:%M:%S")));
        let time = if entry.job == "微调" { "1-02:00:00" } else { "0-02:00:00" };
        assert_eq!(call[3], format!("--time={time}"));
        assert_eq!(call[4], "--gpus=rtx-4090:1");
        assert_eq!(call.last().unwrap(), &format!("./{}.sh", entry.job));
        let waits = call.iter().find_map(|word| word.strip_prefix("--dependency=afterok:"));
        if entry.job == "微调" {
            assert_eq!(waits, None);
        } else {
            // The stand-in numbers jobs from 1: the one that is waited for is the same run.
            let id: usize = waits.unwrap().parse().unwrap();
            assert_eq!(plan.calendar[id - 1].job, "微调");
            assert_eq!(plan.calendar[id - 1].run, entry.run);
            assert!(plan.calendar[id - 1].end <= entry.start);
        }
    }
}

#[test]
fn slurm_gets_moments_where_the_time_zone_is_known() {
    let workload = workload(vec![service("svc")]);
    let plan = planned(&workload);
    let shanghai = TimeZone::fixed(Offset::from_hours(8).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let script = submissions(&agenda(&plan, &workload, Some(shanghai)), &say);
    // The controller of this test keeps UTC.
    assert_eq!(submitted(&script, folder.path())[0][2], "--begin=2026-12-01T00:00:00");
}
