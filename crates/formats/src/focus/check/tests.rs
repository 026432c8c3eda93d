//! The validator against the official model: what is written passes, each kind of fault is found.

use super::*;
use crate::{
    bill::{self, BillOptions},
    focus::write,
};

fn table(text: &str) -> FocusTable {
    FocusTable::read_csv(text.as_bytes()).unwrap()
}

fn broken(text: &str) -> Vec<String> {
    let verdict = validate(&table(text), &BTreeSet::new()).unwrap();
    let errors = verdict.violations.into_iter().filter(|one| one.level == Level::Error);
    errors.map(|one| one.rule).collect()
}

/// A bill of every kind of row that importers make, read by them and written again.
fn written() -> String {
    let text =
        "账单明细ID,费用类型,应付金额（含税）,目录总价,用量,用量单位,账单月份,产品名称,规格,地域
1,云资源按量费用,8.12345678,10,2,小时,202611,GPU 云服务器,RTX 4090,华东1
2,订阅预付费用,1500,,,,202611,GPU 云服务器,,
3,抹零费用,-0.003,,,,202611,,,
4,云资源按量费用,2,,200,GB,202611,对象存储,,
";
    let bill = bill::read("bill.csv", text.as_bytes(), &BillOptions::default()).unwrap();
    write(&bill.charges)
}

#[test]
fn what_is_written_breaks_no_must_of_the_official_model() {
    let text = written();
    let verdict = validate(&table(&text), &BTreeSet::new()).unwrap();
    assert!(verdict.conforms(), "{:#?}", verdict.violations);
    assert!(verdict.checked > 120, "{} rules", verdict.checked);
    let again = bill::read("focus.csv", text.as_bytes(), &BillOptions::default()).unwrap();
    assert_eq!(again.layout, "focus");
    let sum: Decimal = again.charges.iter().map(|charge| charge.billed.amount()).sum();
    assert_eq!(sum.to_string(), "1510.12045678");
}

#[test]
fn each_kind_of_fault_is_found_by_the_rule_that_speaks_of_it() {
    let good = written();
    let with = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        broken(&good.replacen(from, to, 1))
    };
    let has = |found: &[String], rule: &str| {
        assert!(found.iter().any(|one| one.starts_with(rule)), "{rule} not in {found:?}");
    };
    has(&with("BilledCost,", "Cost,"), "CostAndUsage-D-006-M");
    has(&with("8.12345678,", "\"8,123\","), "BilledCost-C-00");
    has(&with(",Usage,", ",Use,"), "ChargeCategory-C-003-M");
    has(&with("CNY", "RMX"), "BillingCurrency-C-00");
    has(&with("2026-10-31T16:00:00Z", "2026-11-01 00:00"), "BillingPeriodStart-C-00");
    has(&with("Usage-Based", "One-Time-Or-So"), "ChargeFrequency-C-003-M");
    has(&with(",Standard,", ",,"), "PricingCategory-C-004-C");
}

#[test]
fn fx_124_the_models_own_defects_are_overridden_with_a_reason() {
    let row = |status: &str, id: &str| {
        format!("CommitmentDiscountStatus,CommitmentDiscountId\n{status},{id}\n")
    };
    let status = |text: &str| {
        broken(text).into_iter().any(|rule| rule.starts_with("CommitmentDiscountStatus"))
    };
    assert!(!status(&row("Used", "c-1")) && !status(&row("Unused", "c-1")));
    assert!(status(&row("Active", "c-1")) && status(&row("Used", "")));
}

proptest::proptest! {
    #[test]
    fn no_table_makes_the_checker_panic(text in "([A-Za-z_]{1,12}|BilledCost|Tags|,|\n|\"|[0-9.eZ:-]{1,9}){0,40}") {
        if let Ok(table) = FocusTable::read_csv(text.as_bytes()) {
            drop(validate(&table, &BTreeSet::new()));
        }
    }
}
