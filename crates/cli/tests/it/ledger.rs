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

/// A FOCUS bill with a machine by the hour and its disk, in November.
fn focus_bill() -> String {
    let mut bill = String::from(
        "BilledCost,BillingCurrency,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,\
         BillingPeriodStart,BillingPeriodEnd,ProviderName,ServiceName,ResourceId,ConsumedQuantity,\
         ConsumedUnit,PricingCategory,x_GpuModel,x_GpuCount\n",
    );
    let mut row = |day: u32, hour: u32, rest: &str, cost: &str| {
        let end = if hour == 23 {
            format!("{:02}T00", day + 1)
        } else {
            format!("{day:02}T{:02}", hour + 1)
        };
        bill.push_str(&format!(
            "{cost},CNY,Usage,2025-11-{day:02}T{hour:02}:00:00Z,2025-11-{end}:00:00Z,\
             2025-11-01T00:00:00Z,2025-12-01T00:00:00Z,Example,{rest}\n"
        ));
    };
    for day in 1..29 {
        for hour in 0..24 {
            row(day, hour, "GPU,box-1,1,Hours,Standard,RTX 4090,1", "2");
        }
    }
    row(28, 22, "Object storage,,200,GB,Standard,,", "60");
    bill
}

/// A log of `days` days from the second on: work from 08:00 to 16:00, then nothing.
fn log_of_use(days: u32) -> String {
    let mut log = String::from(
        "timestamp, name, uuid, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W]\n",
    );
    for day in 2..2 + days {
        for minute in (0..1440).step_by(10) {
            let (hour, minute) = (minute / 60, minute % 60);
            let busy = if (8..16).contains(&hour) { 80 } else { 0 };
            log.push_str(&format!(
                "2025/11/{day:02} {hour:02}:{minute:02}:00.000, NVIDIA GeForce RTX 4090, GPU-1, \
                 {busy} %, 20480 MiB, 24564 MiB, 200.00 W\n"
            ));
        }
    }
    log
}

/// Fills the ledger of a folder with a bill, use, runs and a budget for November 2025.
pub(crate) fn november(folder: &Path) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write("focus.csv", &focus_bill());
    write("use.csv", &log_of_use(14));
    write(
        "runs.csv",
        "Name,State,User,Created,Runtime,GPU Type,GPU Count,tokens,host
lora,finished,lin,2025-11-03T00:00:00Z,28800,RTX 4090,1,40e6,box-1
lora,finished,lin,2025-11-04T00:00:00Z,28800,RTX 4090,1,44e6,box-1
eval,failed,wang,2025-11-05T00:00:00Z,3600,RTX 4090,1,,box-1
eval,failed,wang,2025-11-05T02:00:00Z,3600,RTX 4090,1,,box-1
eval,failed,wang,2025-11-05T04:00:00Z,3600,RTX 4090,1,,box-1
",
    );
    on_ledger(folder, &["import", "bill", "focus.csv"]);
    let log = ["import", "usage", "use.csv", "--host", "box-1", "--zone", "+08:00"];
    on_ledger(folder, &[&log[..], &["--job", "lora", "--person", "lin"]].concat());
    on_ledger(folder, &["import", "runs", "runs.csv", "--work", "tokens"]);
    let budget = ["budget", "set", "--month", "2025-11", "--total", "1200", "--line", "rent=1100"];
    on_ledger(
        folder,
        &[&budget[..], &["--job", "lora=800", "--provider", "example=1200"]].concat(),
    );
}

#[test]
fn a_month_is_reviewed_against_its_budget_for_people_and_programs() {
    let folder = tempfile::tempdir().unwrap();
    november(folder.path());
    let run = |more: &[&str]| {
        on_ledger(folder.path(), &[&["review", "--month", "2025-11"], more].concat())
    };
    insta::assert_snapshot!("review_zh", run(&["--lang", "zh"]));
    insta::assert_snapshot!("review_en", run(&["--lang", "en", "--format", "markdown"]));
    insta::assert_snapshot!("review_json", run(&["--lang", "en", "--format", "json"]));
    insta::assert_snapshot!("review_csv", run(&["--lang", "zh", "--format", "csv"]));
    let show = ["budget", "show", "--month", "2025-11", "--lang", "zh"];
    insta::assert_snapshot!("budget_show", on_ledger(folder.path(), &show));
    assert!(run(&["--output", "review.xlsx"]).ends_with("[1]\n"), "over budget");
    let mut book: calamine::Xlsx<_> =
        calamine::open_workbook(folder.path().join("review.xlsx")).unwrap();
    let sheets = calamine::Reader::sheet_names(&book);
    let budget = calamine::Reader::worksheet_range(&mut book, &sheets[0]).unwrap();
    assert_eq!(budget.get_value((1, 3)), Some(&calamine::Data::Float(1404.0)));
}

#[test]
fn a_review_without_a_ledger_a_rate_or_a_month_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| on_ledger(folder.path(), &[&["review"], more].concat());
    let mut told = run(&["--lang", "zh"]);
    let dollars = focus_bill().replace("2,CNY", "2,USD");
    fs::write(folder.path().join("mixed.csv"), dollars).unwrap();
    on_ledger(folder.path(), &["import", "bill", "mixed.csv"]);
    told.push_str(&run(&["--month", "2025-11", "--currency", "CNY", "--lang", "zh"]));
    told.push_str(&run(&[
        "--month",
        "2025-11",
        "--currency",
        "CNY",
        "--rate",
        "USD=7",
        "--format",
        "csv",
    ]));
    told.push_str(&run(&["--month", "11", "--lang", "en"]));
    told.push_str(&run(&["--month", "2025-10", "--lang", "en"]));
    told.push_str(&on_ledger(
        folder.path(),
        &["budget", "set", "--month", "2025-11", "--lang", "zh"],
    ));
    told.push_str(&on_ledger(
        folder.path(),
        &["budget", "show", "--month", "2025-11", "--lang", "en"],
    ));
    insta::assert_snapshot!("review_missing", told);
}

#[test]
fn a_wrapped_run_leaves_its_run_and_its_hours_in_the_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let capture = "index, name, uuid, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n\
                   0, NVIDIA GeForce RTX 4090, GPU-1, 90 %, 2048 MiB, 24564 MiB\n";
    fs::write(folder.path().join("capture.csv"), capture).unwrap();
    let run =
        ["run", "--task", "lora", "--from", "capture.csv", "--price", "3.6", "--interval", "0.1"];
    let rest = ["--host", "box-9", "--ledger", "ledger.db", "--", "sh", "-c", "sleep 1; exit 3"];
    let told = kasuan(folder.path(), &[&run[..], &rest].concat());
    assert!(told.ends_with("[3]\n"), "{told}");
    let mut ledger = kasuan_ledger::Ledger::open_file(&folder.path().join("ledger.db")).unwrap();
    let (from, to) = (jiff::Timestamp::UNIX_EPOCH, jiff::Timestamp::MAX);
    let runs = ledger.runs(from, to).unwrap();
    assert_eq!((runs[0].job.as_str(), runs[0].host.as_str()), ("lora", "box-9"));
    assert_eq!((runs[0].exit_code, runs[0].cards), (Some(3), 1));
    assert_eq!(runs.len(), 1, "the start and the end are one run");
    let hours = ledger.usage_hours(from, to).unwrap();
    assert_eq!(hours[0].card.as_ref().unwrap().as_str(), "rtx-4090");
    assert!(hours.iter().map(|hour| hour.seen).sum::<f64>() > 0.0);
    let rentals = ledger.rentals(from, to).unwrap();
    assert_eq!(rentals[0].card_hour.to_string(), "¥3.60");
    let nowhere = ["run", "--task", "a", "--ledger", "none/../../..", "--", "true"];
    let told = kasuan(folder.path(), &nowhere);
    assert!(told.ends_with("[0]\n"), "a ledger that cannot be opened does not stop a job: {told}");
}

#[test]
fn what_is_exported_as_focus_passes_its_rules_and_what_is_broken_does_not() {
    let folder = tempfile::tempdir().unwrap();
    november(folder.path());
    let export = ["export", "focus", "--month", "2025-11", "-o", "out.csv", "--lang", "zh"];
    let mut told = on_ledger(folder.path(), &export);
    told.push_str(&kasuan(folder.path(), &["focus", "validate", "out.csv", "--lang", "zh"]));
    let text = fs::read_to_string(folder.path().join("out.csv")).unwrap();
    fs::write(folder.path().join("bad.csv"), text.replace(",Usage,", ",Use,")).unwrap();
    for more in [["--lang", "en"], ["--format", "json"]] {
        let validate = ["focus", "validate", "bad.csv"];
        told.push_str(&kasuan(folder.path(), &[&validate[..], &more].concat()));
    }
    insta::assert_snapshot!("focus_round_trip", told);
    let opencost = ["export", "opencost", "--month", "2025-11"];
    insta::assert_snapshot!("export_opencost", on_ledger(folder.path(), &opencost));
    let book = ["export", "xlsx", "--month", "2025-11", "-o", "out.xlsx"];
    assert!(on_ledger(folder.path(), &book).ends_with("[0]\n"));
}

#[test]
fn next_month_is_planned_with_what_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    november(folder.path());
    let jobs = "currency: CNY\nmonth: 2026-12\njobs:
  - {name: lora, task: lora, model: Qwen/Qwen2.5-7B-Instruct, runs: 4/month, data: {tokens: 20M, epochs: 1}}
  - {name: 数据预处理, task: batch, memory: 8GiB, runs: 1/week, hours: 4}
";
    fs::write(folder.path().join("jobs.yaml"), jobs).unwrap();
    let run = |more: &[&str]| {
        let fixed = ["advise", "next", "jobs.yaml", "--month", "2025-11"];
        on_ledger(folder.path(), &[&fixed[..], more].concat())
    };
    insta::assert_snapshot!("advise_next_zh", run(&["--lang", "zh"]));
    let json = run(&["--format", "json", "--lang", "en"]);
    let json: serde_json::Value =
        serde_json::from_str(json.split_once('\n').unwrap().1.rsplit_once("[0]").unwrap().0)
            .unwrap();
    assert_eq!(json["lessons"][0]["runs"], 2);
    assert_eq!(json["lessons"][0]["measured_seconds"], 28_800);
    assert!(json["plan"]["jobs"].as_array().unwrap().len() == 2);
    fs::write(folder.path().join("jobs.yaml"), jobs.replace("name: lora", "name: other")).unwrap();
    insta::assert_snapshot!("advise_next_nothing", run(&["--lang", "zh"]));
}

#[test]
fn a_plan_to_clean_does_not_write_over_a_file_unless_told_to() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("disk")).unwrap();
    fs::write(folder.path().join("mine.yaml"), "mine").unwrap();
    let scan = ["storage", "scan", "disk", "--plan", "mine.yaml"];
    let said = kasuan(folder.path(), &scan);
    assert!(said.contains("was left alone") && said.ends_with("[2]\n"), "{said}");
    assert_eq!(fs::read_to_string(folder.path().join("mine.yaml")).unwrap(), "mine");
    let said = kasuan(folder.path(), &[&scan[..], &["--force"]].concat());
    assert!(said.ends_with("[0]\n"), "{said}");
    assert!(fs::read_to_string(folder.path().join("mine.yaml")).unwrap().contains("version"));
}
