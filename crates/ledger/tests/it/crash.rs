//! Writers are killed at random moments; whatever they were told is safe must be there.
//!
//! The writer is this test binary itself, started again with a variable that turns the test below
//! into it: it adds batches and prints each number after the ledger acknowledged it.

use crate::{
    records::hour,
    server::{Server, open},
};
use jiff::Timestamp;
use kasuan_ledger::Group;
use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

const PLACE: &str = "KASUAN_TEST_CRASH_LEDGER";
const AGENT: &str = "KASUAN_TEST_CRASH_AGENT";
const KILLS: u64 = 200;

#[test]
#[expect(clippy::disallowed_methods, reason = "the variable is how the test calls itself")]
fn writer() {
    let (Ok(place), Ok(agent)) = (std::env::var(PLACE), std::env::var(AGENT)) else { return };
    let mut ledger = open(&place);
    let mut out = std::io::stdout();
    for sequence in 0.. {
        ledger.add_usage(&agent, sequence, &[hour(sequence % 50, &agent, 1.0)]).unwrap();
        writeln!(out, "safe {sequence}").unwrap();
        out.flush().unwrap();
    }
}

/// A small generator (SplitMix64) so that the moments differ from run to run of the loop and are
/// the same in every test run.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Starts a writer, kills it after a random number of acknowledgements and a random moment, and
/// returns how many batches it was told are safe.
fn kill_one(place: &str, agent: &str, state: &mut u64) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::writer", "--nocapture", "--test-threads=1"])
        .env(PLACE, place)
        .env(AGENT, agent)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let until = random(state) % 6;
    let pause = Duration::from_micros(random(state) % 3_000);
    let mut safe = 0;
    let mut killed = false;
    for line in lines.map_while(Result::ok) {
        // The first acknowledgement shares a line with the harness's own words.
        if line.contains("safe ") {
            safe += 1;
        }
        if safe > until && !killed {
            thread::sleep(pause);
            child.kill().unwrap();
            killed = true;
        }
    }
    child.wait().unwrap();
    assert!(killed, "the writer ended by itself");
    safe
}

fn every_acknowledged_batch_survives(place: &str) {
    drop(open(place));
    let mut state = 42;
    let mut told = Vec::new();
    for kill in 0..KILLS {
        let agent = format!("writer-{kill}");
        let safe = kill_one(place, &agent, &mut state);
        told.push((agent, safe));
    }
    let mut ledger = open(place);
    let far = Timestamp::from_second(1_000_000).unwrap();
    let kept = ledger.usage(Timestamp::UNIX_EPOCH, far, Group::Job).unwrap();
    for (agent, safe) in told {
        let kept = kept.iter().find(|job| job.name == agent).map_or(0.0, |job| job.busy);
        // One more may have been committed without having been acknowledged; never one less.
        let safe = safe as f64;
        assert!(kept >= safe, "{agent}: told {safe} are safe, {kept} are there");
        assert!(kept <= safe + 1.0, "{agent}: told {safe}, yet {kept} are there: doubled");
    }
}

#[test]
fn every_acknowledged_batch_survives_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    every_acknowledged_batch_survives(folder.path().join("ledger.db").to_str().unwrap());
}

#[test]
fn every_acknowledged_batch_survives_on_postgresql() {
    let server = Server::start();
    every_acknowledged_batch_survives(&server.database());
}
