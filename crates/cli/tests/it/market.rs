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
