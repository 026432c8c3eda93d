//! Parquet beside the real DuckDB: what kasuan keeps DuckDB sums, what DuckDB writes kasuan reads.

use crate::{
    kasuan,
    ledger::{november, on_ledger},
    python::{python, run},
};
use kasuan_ledger::{Group, Ledger};
use std::{fs, path::Path, process::Command};

const DUCKDB: [&str; 1] = ["duckdb==1.4.5"];

/// Runs SQL and returns its rows as JSON.
fn duckdb(python: &Path, folder: &Path, sql: &str) -> Vec<Vec<serde_json::Value>> {
    let script = "import duckdb,json,sys\n\
        duckdb.sql(\"SET TimeZone='UTC'\")\n\
        found=duckdb.sql(sys.argv[1])\n\
        print(json.dumps([list(row) for row in found.fetchall()] if found else [], default=str))";
    let text = run(Command::new(python).args(["-c", script, sql]).current_dir(folder)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Samples of two cards, half a minute apart: one without power, one with gaps in what was measured.
fn log() -> String {
    let mut log = String::from(
        "timestamp, name, uuid, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W]\n",
    );
    for half in 0..480_u32 {
        let (hour, minute, second) = (22 + half / 120, half % 120 / 2, half % 2 * 30);
        let (day, hour) = (2 + hour / 24, hour % 24);
        for card in 1..=2_u32 {
            let busy = if card == 2 && half % 7 == 0 {
                "[N/A]".to_owned()
            } else {
                format!("{} %", (half * card * 13) % 101)
            };
            let power =
                if card == 1 { "[N/A]".to_owned() } else { format!("{}.50 W", 60 + half % 300) };
            log.push_str(&format!(
                "2025/11/{day:02} {hour:02}:{minute:02}:{second:02}.000, NVIDIA GeForce RTX 4090, GPU-{card}, \
                 {busy}, {} MiB, 24564 MiB, {power}\n",
                1000 + half * 10
            ));
        }
    }
    log
}

#[test]
fn raw_samples_by_the_day_have_the_same_totals_in_duckdb_as_in_the_ledger() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("gpu.log"), log()).unwrap();
    let import =
        ["import", "usage", "gpu.log", "--host", "box-1", "--zone", "UTC", "--job", "训练"];
    let said =
        on_ledger(folder.path(), &[&import[..], &["--samples", "raw", "--lang", "zh"]].concat());
    assert!(said.ends_with("[0]\n"), "{said}");
    insta::assert_snapshot!("samples_kept", said);
    let days = |day: &str| folder.path().join(format!("raw/date={day}/box-1-gpu.parquet"));
    assert!(days("2025-11-02").exists() && days("2025-11-03").exists());
    let Some(python) = python("columnar", &DUCKDB) else { return };
    let sql = "SELECT epoch(date_trunc('hour', sampled_at))::BIGINT, device, job, sum(seconds),
          sum(seconds) FILTER (busy IS NOT NULL), sum(busy * seconds),
          sum(watts * seconds), sum(memory_used * seconds), max(memory_used)
        FROM read_parquet('raw/**/*.parquet', hive_partitioning = true)
        WHERE date BETWEEN '2025-11-02' AND '2025-11-03' GROUP BY ALL ORDER BY ALL";
    let theirs = duckdb(&python, folder.path(), sql);
    let mut ledger = Ledger::open_file(&folder.path().join("ledger.db")).unwrap();
    let (from, to) = (jiff::Timestamp::UNIX_EPOCH, jiff::Timestamp::MAX);
    let ours = ledger.usage_hours(from, to).unwrap();
    assert_eq!(ours.len(), theirs.len());
    assert_eq!(ours.len(), 8, "four hours of two cards");
    for (hour, row) in ours.iter().zip(&theirs) {
        assert_eq!(row[0], hour.hour.as_second());
        assert_eq!((row[1].as_str(), row[2].as_str()), (Some(&*hour.device), Some(&*hour.job)));
        let figures =
            [hour.seen, hour.busy_known, hour.busy, hour.energy, hour.memory, hour.memory_peak];
        for (figure, theirs) in figures.into_iter().zip(&row[3..]) {
            let theirs = theirs.as_f64().unwrap_or(0.0);
            assert!((figure - theirs).abs() <= 1e-9 * figure.abs().max(1.0), "{hour:?} {row:?}");
        }
    }
    // Another ledger, filled from the kept samples alone, is the same; from a file that DuckDB wrote
    // in their place too.
    let sum = |ledger: &mut Ledger| ledger.usage(from, to, Group::Job).unwrap();
    duckdb(
        &python,
        folder.path(),
        "COPY (SELECT * EXCLUDE (date) FROM read_parquet('raw/**/*.parquet', hive_partitioning = true)) TO 'all.parquet'",
    );
    let kept = ["raw/date=2025-11-02/box-1-gpu.parquet", "raw/date=2025-11-03/box-1-gpu.parquet"];
    for files in [&kept[..], &["all.parquet"]] {
        let again = [&["import", "usage"][..], files, &["--ledger", "again.db"]].concat();
        let said = kasuan(folder.path(), &again);
        assert!(said.ends_with("[0]\n"), "{said}");
        let path = folder.path().join("again.db");
        let back = sum(&mut Ledger::open_file(&path).unwrap());
        assert_eq!(back, sum(&mut ledger));
        for old in ["again.db", "again.db-wal", "again.db-shm"] {
            // What SQLite put away already is not there.
            let _ = fs::remove_file(folder.path().join(old));
        }
    }
}

#[test]
fn a_focus_bill_reads_the_same_from_parquet_as_from_csv() {
    let folder = tempfile::tempdir().unwrap();
    november(folder.path());
    let Some(python) = python("columnar", &DUCKDB) else { return };
    // Amounts as decimals, times as timestamps, tags as a map: as clouds export FOCUS.
    let copy = |compression: &str| {
        let sql = format!(
            "COPY (SELECT * REPLACE (BilledCost::DECIMAL(20, 8) AS BilledCost),
               MAP {{'person': 'lin', 'job': 'lora'}} AS Tags FROM read_csv('focus.csv'))
             TO 'focus.parquet' (FORMAT parquet, COMPRESSION {compression})"
        );
        duckdb(&python, folder.path(), &sql);
    };
    copy("snappy");
    let import = |file: &str, ledger: &str| {
        kasuan(folder.path(), &["import", "bill", file, "--ledger", ledger, "--lang", "zh"])
    };
    let mut told = import("focus.parquet", "parquet.db");
    let charges = |name: &str| {
        let mut ledger = Ledger::open_file(&folder.path().join(name)).unwrap();
        let all = kasuan_ledger::ChargeFilter { with_unpaid: true, ..Default::default() };
        ledger.charges(jiff::Timestamp::UNIX_EPOCH, jiff::Timestamp::MAX, &all).unwrap()
    };
    let (csv, parquet) = (charges("ledger.db"), charges("parquet.db"));
    assert_eq!(csv.len(), parquet.len());
    let sum = |charges: &[kasuan_model::Charge]| -> rust_decimal::Decimal {
        charges.iter().map(|charge| charge.billed.amount()).sum()
    };
    assert_eq!(sum(&csv), sum(&parquet));
    assert_eq!(parquet[0].tags.get("person").map(String::as_str), Some("lin"));
    assert_eq!((csv[0].charge_period, &csv[0].card), (parquet[0].charge_period, &parquet[0].card));
    copy("zstd");
    told.push_str(&import("focus.parquet", "zstd.db"));
    let whole = fs::read(folder.path().join("focus.parquet")).unwrap();
    fs::write(folder.path().join("focus.parquet"), &whole[..whole.len() / 2]).unwrap();
    told.push_str(&import("focus.parquet", "half.db"));
    assert!(!folder.path().join("half.db").exists());
    insta::assert_snapshot!("bill_parquet", told);
}
