//! The ledger from the command line: imports, what they refuse, and the review.

use crate::kasuan;
use std::{fs, path::Path};

/// A bill of compshare, whose orders were all made on the first days of November.
pub(crate) const BILL: &str = "订单号,订单类型,订单状态,计费类型,金额,实付金额,资源ID,创建时间
A1,Buy,Paid,Month,1500.00,1400.00,box-1,2026-11-01 09:00:00
A2,Renew,Unpaid,Month,1500.00,1500.00,box-1,2026-11-30 09:00:00
A3,Use,Paid,Postpay,36.50,36.50,box-2,2026-11-02 09:00:00
";

/// Runs the command on a ledger of the folder.
pub(crate) fn on_ledger(folder: &Path, arguments: &[&str]) -> String {
    kasuan(folder, &[arguments, &["--ledger", "ledger.db"]].concat())
}

#[test]
fn a_bill_is_imported_with_a_report_and_again_without_effect() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bill.csv"), BILL).unwrap();
    let run =
        |more: &[&str]| on_ledger(folder.path(), &[&["import", "bill", "bill.csv"], more].concat());
    insta::assert_snapshot!("import_rehearsal", run(&["--dry-run", "--lang", "en"]));
    insta::assert_snapshot!("import_first", run(&["--lang", "zh"]));
    insta::assert_snapshot!("import_again", run(&["--lang", "en"]));
    insta::assert_snapshot!("import_json", run(&["--format", "json", "--lang", "en"]));
}

#[test]
fn what_contradicts_the_ledger_is_refused_whole_and_may_replace_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bill.csv"), BILL).unwrap();
    fs::write(folder.path().join("new.csv"), BILL.replace("36.50,box", "40.00,box")).unwrap();
    on_ledger(folder.path(), &["import", "bill", "bill.csv"]);
    let run =
        |more: &[&str]| on_ledger(folder.path(), &[&["import", "bill", "new.csv"], more].concat());
    insta::assert_snapshot!("import_refused", run(&["--lang", "zh"]));
    insta::assert_snapshot!("import_replaced", run(&["--replace", "--lang", "en"]));
}

#[test]
fn a_bad_bill_is_named_and_nothing_of_any_file_is_imported() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("good.csv", BILL);
    write("total.csv", &format!("{BILL}合计,,,,,99.00,,\n"));
    write(
        "money.csv",
        "账单明细ID,费用类型,应付金额（含税）,币种,账单月份
1,云资源按量费用,1.5,CNY,202611\n2,云资源按量费用,1.5,USD,202611\n",
    );
    let focus =
        "BilledCost,BillingCurrency,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,InvoiceId
1,USD,Usage,2026-11-01T00:00:00Z,2026-11-01T01:00:00Z,INV-1
1,USD,Usage,2026-12-01T00:00:00Z,2026-12-01T01:00:00Z,INV-1
";
    write("invoice.csv", focus);
    write(
        "half.csv",
        &focus
            .replace("2026-12-01T00", "2026-11-09 08")
            .replace("2026-12-01T01:00:00Z", "2026-11-09 09:00:00")
            .replace("08:00:00Z", "08:00:00"),
    );
    let mut told = String::new();
    for (bad, lang) in
        [("total.csv", "zh"), ("money.csv", "en"), ("invoice.csv", "zh"), ("none.csv", "en")]
    {
        told.push_str(&on_ledger(
            folder.path(),
            &["import", "bill", "good.csv", bad, "--lang", lang],
        ));
    }
    assert!(!folder.path().join("ledger.db").exists(), "a refused import makes no ledger");
    told.push_str(&on_ledger(folder.path(), &["import", "bill", "half.csv", "--lang", "zh"]));
    insta::assert_snapshot!("import_bad", told);
    let nowhere = kasuan(folder.path(), &["import", "bill", "good.csv", "--lang", "en"]);
    insta::assert_snapshot!("import_nowhere", nowhere);
}

#[test]
fn runs_of_slurm_and_of_trackers_need_their_zone() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "sacct.txt",
        "JobID|JobName|User|State|Start|End|ElapsedRaw|AllocTRES
11|lora|lin|COMPLETED|2025-11-02T08:00:00|2025-11-02T10:00:00|7200|cpu=8,gres/gpu:a100=2,gres/gpu=2
11.batch|batch||COMPLETED|2025-11-02T08:00:00|2025-11-02T10:00:00|7200|cpu=8,gres/gpu=2
12|cpu|lin|COMPLETED|2025-11-02T08:00:00|2025-11-02T10:00:00|7200|cpu=8
",
    );
    write(
        "wandb.csv",
        "Name,State,User,Created,Runtime,GPU Type,GPU Count,tokens
lora,finished,wang,2025-11-02T00:00:00.000Z,3600,NVIDIA GeForce RTX 4090,1,5e6
",
    );
    write(
        "future.csv",
        "Name,State,User,Created,Runtime
lora,finished,wang,2999-11-02T00:00:00.000Z,3600
",
    );
    let run = |more: &[&str]| on_ledger(folder.path(), &[&["import", "runs"], more].concat());
    insta::assert_snapshot!("runs_no_zone", run(&["sacct.txt", "--lang", "zh"]));
    insta::assert_snapshot!("runs_future", run(&["future.csv", "--lang", "en"]));
    let both = ["sacct.txt", "wandb.csv", "--zone", "+08:00", "--work", "tokens", "--lang"];
    insta::assert_snapshot!("runs_first", run(&[&both[..], &["zh"]].concat()));
    insta::assert_snapshot!("runs_again", run(&[&both[..], &["en"]].concat()));
}

#[test]
fn a_log_of_nvidia_smi_becomes_hours_and_a_clock_that_went_back_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let header = "timestamp, name, uuid, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W]";
    let row = |minute: u32, busy: u32| {
        let (hour, minute) = (8 + minute / 60, minute % 60);
        format!(
            "2025/11/02 {hour:02}:{minute:02}:00.000, NVIDIA GeForce RTX 4090, GPU-1, {busy} %, 2048 MiB, 24564 MiB, 200.00 W"
        )
    };
    let log = |rows: Vec<String>| [vec![header.to_owned()], rows].concat().join("\n");
    let good = log((0..90).map(|minute| row(minute, minute % 100)).collect());
    fs::write(folder.path().join("good.csv"), good).unwrap();
    let back = log(vec![row(10, 5), row(5, 5), row(15, 5)]);
    fs::write(folder.path().join("back.csv"), back).unwrap();
    let run = |more: &[&str]| {
        on_ledger(folder.path(), &[&["import", "usage", "--host", "box-1"], more].concat())
    };
    insta::assert_snapshot!("usage_no_zone", run(&["good.csv", "--lang", "en"]));
    insta::assert_snapshot!("usage_back", run(&["back.csv", "--zone", "+08:00", "--lang", "zh"]));
    insta::assert_snapshot!("usage_first", run(&["good.csv", "--zone", "+08:00", "--lang", "zh"]));
    insta::assert_snapshot!("usage_again", run(&["good.csv", "--zone", "+08:00", "--lang", "en"]));
}
