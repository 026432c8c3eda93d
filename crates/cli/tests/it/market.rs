//! Offers, bills, checks and imports of prices, as users see them.

use crate::kasuan;
use std::fs;

fn both(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    ["zh", "en"]
        .map(|lang| kasuan(folder.path(), &[arguments, &["--lang", lang]].concat()))
        .concat()
}

#[test]
fn offers_of_a_card_are_listed_with_age_and_confidence() {
    insta::assert_snapshot!(
        "offers_4090_cny",
        both(&["offers", "--card", "4090", "--currency", "CNY", "--limit", "6"])
    );
    insta::assert_snapshot!("offers_typo", both(&["offers", "--card", "rtx4900"]));
    insta::assert_snapshot!(
        "offers_wrong_rate",
        both(&["offers", "--rate", "USD=x", "--currency", "CNY"])
    );
    insta::assert_snapshot!(
        "offers_by_bill",
        both(&[
            "offers",
            "--card",
            "4090",
            "--provider",
            "compshare",
            "--currency",
            "CNY",
            "--sort",
            "bill",
            "--run",
            "24h",
            "--runs",
            "30",
            "--storage",
            "200GB",
            "--limit",
            "4",
        ])
    );
}

#[test]
fn a_bill_stands_line_by_line() {
    insta::assert_snapshot!(
        "bill_compshare",
        both(&[
            "bill",
            "--offer",
            "compshare/cn-wlcb/4090-24g/on_demand",
            "--from",
            "2026-12-01T09:00",
            "--to",
            "2026-12-12T18:30",
            "--stop",
            "2026-12-01T18:00..2026-12-12T09:00",
            "--storage",
            "200GB",
            "--egress",
            "10GB",
            "--explain",
        ])
    );
    insta::assert_snapshot!(
        "bill_egress",
        both(&[
            "bill",
            "--offer",
            "aws/us-east-1/g3.4xlarge/on_demand",
            "--from",
            "2026-12-01",
            "--to",
            "2026-12-02",
            "--egress",
            "10240GB",
        ])
    );
    insta::assert_snapshot!(
        "bill_refund_json",
        both(&[
            "bill",
            "--offer",
            "compshare/cn-wlcb/4090-24g/monthly",
            "--from",
            "2026-12-01",
            "--to",
            "2026-12-11",
            "--given-back",
            "2026-12-11",
            "--format",
            "json",
        ])
    );
    insta::assert_snapshot!(
        "bill_unknown_offer",
        both(&[
            "bill",
            "--offer",
            "compshare/cn-wlcb/4090",
            "--from",
            "2026-12-01",
            "--to",
            "2026-12-02"
        ])
    );
}

#[test]
fn the_shipped_prices_have_no_row_that_is_wrong_for_sure() {
    let folder = tempfile::tempdir().unwrap();
    let said = kasuan(folder.path(), &["market", "doctor", "--limit", "1", "--lang", "zh"]);
    insta::assert_snapshot!("market_doctor", said);
}

#[test]
fn an_import_reports_every_row_and_its_prices_can_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| kasuan(folder.path(), arguments);
    let list = "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice\n\
                box,8,64,A10,1,,here,a,1.5,0.5\nzero,8,64,A10,1,,here,a,0,\nwhat,8,64,Q999,1,,here,a,1,\n";
    fs::write(folder.path().join("vms.csv"), list).unwrap();
    insta::assert_snapshot!("import_needs_provider", run(&["market", "import", "vms.csv"]));
    assert!(!folder.path().join("prices.csv").exists(), "nothing half-written");
    insta::assert_snapshot!(
        "import_done",
        run(&["market", "import", "vms.csv", "--provider", "here", "--lang", "zh"])
    );
    insta::assert_snapshot!(
        "import_used",
        run(&["offers", "--provider", "here", "--prices", "prices.csv"])
    );
    insta::assert_snapshot!("template", run(&["market", "template"]));
}

const TWO_BOXES: &str = "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice\n\
    p5.48xlarge,192,2048,H100-SXM,8,,us-east-2,us-east-2a,55.04,20.5\n\
    p5.48xlarge,192,2048,H100-SXM,8,,us-east-1,us-east-1b,55.04,19.5\n";

#[test]
fn imports_are_remembered_by_day_and_shown_with_what_ships() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| kasuan(folder.path(), arguments);
    fs::write(folder.path().join("vms.csv"), TWO_BOXES).unwrap();
    let import = ["market", "import", "vms.csv", "--provider", "aws"];
    run(&[&import[..], &["--observed", "2026-11-01"]].concat());
    fs::write(folder.path().join("vms.csv"), TWO_BOXES.replace("55.04", "49.04")).unwrap();
    insta::assert_snapshot!("import_undated", run(&import));
    let past = ["offers", "--history", "--card", "h100-sxm5-80", "--provider", "aws"];
    for lang in ["zh", "en"] {
        let said = run(&[&past[..], &["--lang", lang]].concat());
        insta::assert_snapshot!(format!("history_{lang}"), said);
    }
    // The shipped prices alone, once nothing is remembered here.
    let elsewhere = tempfile::tempdir().unwrap();
    insta::assert_snapshot!("history_shipped", kasuan(elsewhere.path(), &past));
    let json = run(&[&past[..], &["--format", "json", "--mode", "spot"]].concat());
    assert!(json.contains("\"price\": \"2.5625\""), "{json}");
    assert!(run(&["offers", "--history", "--store", "no.db"]).ends_with("[2]\n"));
}

#[test]
fn an_import_that_cannot_be_written_leaves_neither_price_card_nor_memory() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| kasuan(folder.path(), arguments);
    fs::write(folder.path().join("vms.csv"), TWO_BOXES).unwrap();
    fs::write(folder.path().join("notes.txt"), "no database ".repeat(100)).unwrap();
    fs::create_dir(folder.path().join("folder.csv")).unwrap();
    let import = ["market", "import", "vms.csv", "--provider", "aws"];
    let said = run(&[&import[..], &["--store", "notes.txt"]].concat());
    assert!(said.ends_with("[3]\n"), "{said}");
    assert!(!folder.path().join("prices.csv").exists(), "{said}");
    assert_eq!(
        fs::read_to_string(folder.path().join("notes.txt")).unwrap(),
        "no database ".repeat(100)
    );
    let said = run(&[&import[..], &["--to", "folder.csv", "--store", "kept.db"]].concat());
    assert!(said.ends_with("[2]\n"), "{said}");
    let past = ["offers", "--history", "--provider", "aws", "--store", "kept.db"];
    let said = run(&[&past[..], &["--format", "json"]].concat());
    assert!(!said.contains("p5.48xlarge"), "{said}");
    // A dry run remembers nothing either.
    run(&[&import[..], &["--dry-run"]].concat());
    assert!(!folder.path().join("prices.db").exists());
}

#[test]
fn past_prices_of_a_provider_widen_or_narrow_the_budget() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| kasuan(folder.path(), arguments);
    let jobs = "currency: CNY\nmonth: 2026-12\njobs:\n- {name: a, task: batch, memory: 8GiB, runs: 20/month, hours: 8}\npolicy: {providers: [mine]}\n";
    fs::write(folder.path().join("jobs.yaml"), jobs).unwrap();
    let card = |price: &str| {
        format!(
            "provider,card,price,currency,per,granularity,rounding\nmine,4090,{price},CNY,hour,1s,exact\n"
        )
    };
    fs::write(folder.path().join("mine.csv"), card("1")).unwrap();
    let plan = || {
        let said = run(&["plan", "jobs.yaml", "--prices", "mine.csv", "--format", "json"]);
        let json = said.split_once('\n').unwrap().1;
        let json = &json[..=json.rfind('}').unwrap()];
        let json: serde_json::Value = serde_json::from_str(json).unwrap();
        json["budget"]["p90"].as_str().unwrap().parse::<f64>().unwrap()
    };
    let unknown = plan();
    // Ten boxes of this provider whose price doubles and halves every few weeks.
    for (day, price) in [("10-01", 1), ("10-20", 2), ("11-05", 1), ("11-25", 2)] {
        let mut list = String::from("provider,card,price,currency,per,observed,product\n");
        for product in 0..10 {
            list.push_str(&format!("mine,4090,{price},CNY,hour,2026-{day},box{product}\n"));
        }
        fs::write(folder.path().join("seen.csv"), list).unwrap();
        let said =
            run(&["market", "import", "seen.csv", "--to", "other.csv", "--store", "mine.db"]);
        assert!(said.ends_with("[0]\n"), "{said}");
    }
    let wild = plan();
    assert!(wild > unknown * 1.05, "{wild} {unknown}");
}

#[test]
fn tax_is_shown_for_both_kinds_of_buyers_with_its_source() {
    let bill = |offer: &str, buyer: &str| {
        let usage = ["--from", "2026-12-01", "--to", "2026-12-02", "--tax", buyer];
        both(&[&["bill", "--offer", offer][..], &usage].concat())
    };
    let compshare = "compshare/cn-wlcb/4090-24g/monthly";
    insta::assert_snapshot!("bill_tax_general", bill(compshare, "general"));
    insta::assert_snapshot!("bill_tax_small", bill(compshare, "small"));
    insta::assert_snapshot!("bill_tax_abroad", bill("aws/us-east-1/g3.4xlarge/on_demand", "small"));
}

#[test]
fn whole_instances_stand_beside_each_other_by_their_bill() {
    let compare = [
        "offers",
        "--compare",
        "compshare/cn-wlcb/4090-24g/on_demand",
        "--compare",
        "compshare/cn-wlcb/4090-24g/monthly",
        "--compare",
        "autodl/rtx-4090/on_demand",
        "--storage",
        "200GB",
    ];
    insta::assert_snapshot!("offers_compare", both(&compare));
    insta::assert_snapshot!(
        "offers_tied",
        both(&["offers", "--card", "h100-sxm5-80", "--provider", "aws", "--region", "us-gov"])
    );
}

#[test]
fn a_usage_that_contradicts_itself_is_refused_with_the_reason() {
    let on_demand = "compshare/cn-wlcb/4090-24g/on_demand";
    let monthly = "compshare/cn-wlcb/4090-24g/monthly";
    let spot = "compshare/cn-wlcb/4090-24g/spot";
    let cases: [(&str, &[&str]); 10] = [
        (on_demand, &["--given-back", "2026-12-01T12:00"]),
        (on_demand, &["--reclaimed"]),
        (on_demand, &["--stop", "2026-12-05..2026-12-06"]),
        (on_demand, &["--stop", "2026-12-01T10:00..2026-12-01T09:00"]),
        (on_demand, &["--no-card", "2026-12-01T10:00..2026-12-01T11:00"]),
        (on_demand, &["--to", "2026-12-01"]),
        (monthly, &["--stop", "2026-12-01T10:00..2026-12-01T11:00"]),
        (monthly, &["--given-back", "2026-12-09"]),
        (spot, &["--reclaimed", "--stop", "2026-12-01T10:00..2026-12-02"]),
        (on_demand, &["--fresh-days", "999"]),
    ];
    let mut said = String::new();
    for (offer, more) in cases {
        let to: &[&str] = if more.contains(&"--to") { &[] } else { &["--to", "2026-12-02"] };
        let refused =
            both(&[&["bill", "--offer", offer, "--from", "2026-12-01"], to, more].concat());
        assert_eq!(refused.matches("[2]\n").count(), 2, "{refused}");
        said += &refused;
    }
    insta::assert_snapshot!("bill_refused", said);
}

/// The age of the price and of the terms stands in every bill; an old price is warned of.
#[test]
fn a_bill_says_how_old_its_price_and_its_terms_are() {
    let folder = tempfile::tempdir().unwrap();
    let bill = |offer: &str, more: &[&str]| {
        let usage = ["bill", "--offer", offer, "--from", "2026-12-01", "--to", "2026-12-02"];
        kasuan(folder.path(), &[&usage[..], more].concat())
    };
    let ageing = bill("compshare/cn-wlcb/4090-24g/on_demand", &["--lang", "en"]);
    assert!(ageing.contains("158 d, ageing"), "{ageing}");
    let moved =
        bill("compshare/cn-wlcb/4090-24g/on_demand", &["--ageing-days", "100", "--lang", "en"]);
    assert!(moved.contains("158 d, stale") && moved.contains("hint at most"), "{moved}");
    let json = bill("compshare/cn-wlcb/4090-24g/on_demand", &["--format", "json"]);
    assert!(json.contains("\"band\": \"ageing\"") && json.contains("\"days\": 158"), "{json}");
}
