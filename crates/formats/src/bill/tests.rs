//! Bills of every layout, and the ways they come broken.

use super::*;
use kasuan_model::{ChargeCategory, Payment, PricingCategory};

fn read_text(text: &str) -> Result<Bill, BillError> {
    read("bill.csv", text.as_bytes(), &BillOptions::default())
}

fn total(bill: &Bill) -> String {
    let paid = bill.charges.iter().filter(|c| c.payment != Payment::Unpaid);
    let currency = bill.charges[0].billed.currency();
    Money::sum(currency, paid.map(|c| c.billed)).unwrap().amount().normalize().to_string()
}

const COMPSHARE: &str = "订单号,订单类型,订单状态,计费类型,金额,实付金额,资源ID,创建时间
A1,Buy,Paid,Dynamic,10.00,8.50,uhost-1,2026-11-03 09:00:00
A2,Buy,Unpaid,Month,60.00,50.00,uhost-2,2026-11-04 09:00:00
";

#[test]
fn fx_121_an_unpaid_order_is_kept_and_left_out_of_the_paid_total() {
    let bill = read_text(COMPSHARE).unwrap();
    assert_eq!(bill.layout, "compshare-orders");
    assert_eq!(total(&bill), "8.5");
    let unpaid = &bill.charges[1];
    assert_eq!((unpaid.payment, unpaid.pricing), (Payment::Unpaid, PricingCategory::Committed));
    assert_eq!(bill.charges[0].list.unwrap().amount().to_string(), "10.00");
    assert_eq!(bill.charges[0].charge_period.0.to_string(), "2026-11-03T01:00:00Z");
}

#[test]
fn the_same_bill_in_gbk_and_with_a_byte_order_mark_reads_the_same() {
    let plain = read_text(COMPSHARE).unwrap().charges;
    let (gbk, _, _) = encoding_rs::GBK.encode(COMPSHARE);
    let options = BillOptions::default();
    assert_eq!(read("bill.csv", &gbk, &options).unwrap().charges, plain);
    let marked = format!("\u{feff}{COMPSHARE}");
    assert_eq!(read_text(&marked).unwrap().charges, plain);
    let tabs = COMPSHARE.replace(',', "\t");
    assert_eq!(read_text(&tabs).unwrap().charges, plain);
}

#[test]
fn fx_120_grouped_headers_of_alibaba_are_found_by_their_last_part() {
    let bill = read_text(
        "标识信息/账单明细ID,身份信息/资源购买账号ID,账单信息/账单月份,账单信息/费用类型,账单信息/消费时间,产品信息/产品名称,资源信息/实例ID（出账粒度）,费用信息/目录总价,应付信息/应付金额（含税）,新出现的/字段
1,100,202611,云资源按量费用,2026-11-01 00:00:00,云服务器 ECS,i-1,12.5,10.12345678,x
2,100,202611,抹零费用,2026-11-01 00:00:00,云服务器 ECS,,0,-0.00345678,x
",
    )
    .unwrap();
    assert_eq!(bill.layout, "aliyun-detail-v2");
    assert_eq!(total(&bill), "10.12");
    assert_eq!(bill.charges[1].category, ChargeCategory::Adjustment);
    let unknown = bill.warnings.iter().find(|w| w.key() == "bill-warning-unknown-columns");
    assert_eq!(unknown.unwrap().args()[0].1, "新出现的/字段");
}

#[test]
fn fx_119_rows_keep_eight_decimals_and_the_rounding_stays_a_line() {
    let bill = read_text(
        "账期,账号,产品类型,计费模式,账单类型,消费时间,资源ID,官网价,抹零金额,应付金额
2020-08,team,弹性云服务器,按需,消费-使用,2020-08-23 22:00:00 GMT+08:00-2020-08-23 23:00:00 GMT+08:00,ecs-1,512.12456789,0.00456789,512.12
",
    )
    .unwrap();
    assert_eq!(bill.layout, "huawei-usage");
    let charge = &bill.charges[0];
    assert_eq!(charge.list.unwrap().amount().to_string(), "512.12456789");
    assert_eq!(charge.billed.amount().to_string(), "512.12");
    assert_eq!(charge.charge_period.1.to_string(), "2020-08-23T15:00:00Z");
}

#[test]
fn spot_prepaid_and_refunds_are_told_apart() {
    let tencent = read_text(
        "支付者账号,产品名称,计费模式,实例类型,交易类型,交易ID,资源ID,组件名称,使用开始时间,使用结束时间,原价,优惠后总价
1,云服务器,按量计费,竞价实例,按量计费扣费,t1,ins-1,算力,2026-11-01 00:00:00,2026-11-01 01:00:00,-,0.30000000
1,云服务器,包年包月,-,包年包月退款,t2,ins-2,算力,2026-11-01 00:00:00,2026-11-30 00:00:00,100,-50
",
    )
    .unwrap();
    assert_eq!(tencent.layout, "tencent-detail");
    assert_eq!(tencent.charges[0].pricing, PricingCategory::Dynamic);
    assert_eq!(tencent.charges[0].list, None);
    assert_eq!(tencent.charges[1].payment, Payment::Refunded);
    let volcengine = read_text(
        "BillPeriod,ExpenseDate,PayerID,BillingMode,BillCategory,ProductZh,InstanceNo,OriginalBillAmount,PayableAmount,Currency
2026-11,2026-11-02,9,2,consume-use,GPU 云服务器,i-9,3,2.5,CNY
",
    )
    .unwrap();
    assert_eq!(volcengine.charges[0].pricing, PricingCategory::Standard);
}

const FOCUS: &str = "BilledCost,EffectiveCost,BillingCurrency,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,BillingPeriodEnd,ProviderName,ServiceName,Tags,x_Own
1.5,0,USD,Purchase,2024-09-01 00:00:00,2024-10-01 00:00:00,2024-09-01 00:00:00,2024-10-01 00:00:00,AWS,EC2,\"{\"\"job\"\": \"\"lora\"\"}\",7
0,1.5,USD,Usage,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z,2024-09-01T00:00:00Z,2024-10-01T00:00:00Z,AWS,EC2,NULL,7
";

#[test]
fn focus_tells_cash_from_amortised_cost() {
    let bill = read_text(FOCUS).unwrap();
    assert_eq!(bill.layout, "focus");
    assert_eq!(total(&bill), "1.5");
    assert_eq!(bill.charges[1].effective.amount().to_string(), "1.5");
    assert_eq!(bill.charges[0].tags["job"], "lora");
    assert!(bill.charges[1].tags.is_empty());
    // The first row has no zone, and the only hour of use is the month's first.
    let warned: Vec<_> = bill.warnings.iter().map(Phrase::key).collect();
    assert_eq!(warned, ["bill-warning-zone", "bill-warning-cut"]);
}

#[test]
fn what_is_broken_is_named_with_its_line_and_nothing_is_read() {
    let check = |text: &str, told: &str| assert_eq!(read_text(text).unwrap_err().to_string(), told);
    check("", "`bill.csv` holds no rows");
    check("订单号,实付金额\n", "`bill.csv` holds no rows");
    check("<!DOCTYPE html><html>login</html>", "`bill.csv` is a web page, not a bill");
    check(
        "a,b\n1,2\n",
        "`bill.csv` has headers that no known bill has; nearest is `FOCUS 1.0-1.4`, which lacks \
         BilledCost, BillingCurrency, ChargeCategory, ChargePeriodStart, ChargePeriodEnd",
    );
    check(
        &COMPSHARE.replace("8.50", "eight"),
        "`bill.csv` line 2, column `实付金额`: `eight` is not amount",
    );
    check(
        &COMPSHARE.replace("Paid,Dynamic", "Maybe,Dynamic"),
        "`bill.csv` line 2, column `订单状态`: `Maybe` is not word",
    );
    check(
        &COMPSHARE.replace(",uhost-1,", ","),
        "`bill.csv` line 2 has 7 cells where the header has 8",
    );
    check(
        &format!("{COMPSHARE}A1,Buy,Paid,Dynamic,10,9,uhost-1,2026-11-03 09:00:00\n"),
        "`bill.csv` line 4: the row `A1` stands twice and differs",
    );
    check(
        &format!("{COMPSHARE}合计,,,,70,99.00,,\n"),
        "`bill.csv` states a total of ¥99.00, its rows add up to ¥8.50",
    );
}

#[test]
fn a_total_that_agrees_is_kept_and_the_same_row_twice_counts_once() {
    let text = format!(
        "{COMPSHARE}A1,Buy,Paid,Dynamic,10.00,8.50,uhost-1,2026-11-03 09:00:00\n合计,,,,70,8.50,,\n"
    );
    let bill = read_text(&text).unwrap();
    assert_eq!(bill.charges.len(), 2);
    assert_eq!(bill.stated_total.unwrap().to_string(), "¥8.50");
    assert!(bill.warnings.iter().any(|w| w.key() == "bill-warning-repeated"));
}

#[test]
fn every_shipped_layout_is_read_from_the_data_file() {
    let ids: Vec<_> = layouts().iter().map(|layout| layout.id).collect();
    assert_eq!(
        ids,
        [
            "focus",
            "aliyun-detail-v2",
            "aliyun-instance",
            "tencent-detail",
            "huawei-usage",
            "volcengine-detail",
            "compshare-orders"
        ]
    );
}

#[test]
fn a_month_exported_again_with_more_days_keeps_the_keys_of_its_rows() {
    let header =
        "BilledCost,BillingCurrency,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ServiceName";
    let hour =
        |h: u32| format!("1,USD,Usage,2026-11-01T{h:02}:00:00Z,2026-11-01T{:02}:00:00Z,GPU", h + 1);
    let half = read_text(&[header, &hour(0), &hour(0), &hour(1)].join("\n")).unwrap();
    let whole = read_text(&[header, &hour(2), &hour(1), &hour(0), &hour(0)].join("\n")).unwrap();
    let keys = |bill: &Bill| {
        let keys = bill.charges.iter().map(|charge| charge.key.clone());
        keys.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(keys(&half).len(), 3, "two equal hours are two");
    assert!(keys(&half).is_subset(&keys(&whole)));
}

#[test]
fn an_invoice_has_one_period_and_a_card_is_counted_where_focus_says() {
    let text = "BilledCost,BillingCurrency,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,InvoiceId,SkuPriceDetails
1,USD,Usage,2026-11-01T00:00:00Z,2026-11-01T01:00:00Z,A,\"{\"\"GpuCount\"\": 8, \"\"InstanceType\"\": \"\"p5.48xlarge\"\"}\"
1,USD,Usage,2026-12-01T00:00:00Z,2026-12-01T01:00:00Z,A,
";
    assert_eq!(
        read_text(text).unwrap_err().to_string(),
        "`bill.csv` has the invoice `A` in two accounts, currencies or periods"
    );
    let bill = read_text(&text.replace("2026-12", "2026-11")).unwrap();
    assert_eq!(bill.charges[0].cards, Some(8));
    assert_eq!(bill.charges[0].tags["spec"], "p5.48xlarge");
}

#[test]
fn a_map_of_the_users_own_reads_any_table_and_says_what_is_wrong_with_it() {
    let map = "[[layout]]
id = \"autodl\"
title = \"AutoDL\"
provider = \"autodl\"
zone = \"+08:00\"
currency_default = \"CNY\"
required = [\"billed\", \"charge_start\"]
columns = {billed = [\"金额\"], charge_start = [\"时间\"], spec = [\"显卡\"]}
";
    let own = Some(own_layout("map.toml", map).unwrap());
    let options = BillOptions { own, ..BillOptions::default() };
    let bill = read("x", "时间,显卡,金额\n2026-11-02 08:00,RTX 4090,1.88\n".as_bytes(), &options);
    let bill = bill.unwrap();
    assert_eq!((bill.charges[0].provider.as_str(), total(&bill).as_str()), ("autodl", "1.88"));
    let check = |map: &str, told: &str| {
        let error = own_layout("map.toml", map).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    };
    check("", "missing field `layout`");
    check(&map.replace("billed = [", "cost = ["), "`billed` is required and has no columns");
    check(&map.replace("spec = [", "kard = ["), "`kard` is none of");
    check(&map.replace("+08:00", "+8"), "a zone");
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(0u8..=255, 0..400)) {
        drop(read("x", &bytes, &BillOptions::default()));
    }

    #[test]
    fn no_damage_to_a_bill_makes_the_reader_panic(at in 0usize..200, with in ".{0,3}") {
        let at = (0..=at.min(COMPSHARE.len())).rev().find(|at| COMPSHARE.is_char_boundary(*at)).unwrap_or(0);
        let damaged = format!("{}{with}{}", &COMPSHARE[..at], &COMPSHARE[at..]);
        drop(read_text(&damaged));
    }
}
