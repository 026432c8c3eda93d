//! Every filter and every order of `kasuan offers`, on a small market whose right answers can be
//! counted by hand; and arguments that contradict each other.

use crate::kasuan;
use serde_json::Value;
use std::{fs, path::Path};

/// Prices are for the whole instance. On 2026-12-01 a and b are fresh, c is ageing, d is stale, e
/// is undated. f is a quarter of a card, g is sold by requests, h is in yuan.
const MARKET: &str = "\
provider,product,card,count,slices,tier,mode,price,currency,per,granularity,vcpus,memory,disk,region,country,interconnect,observed
mine,a,h100-sxm5-80,8,1,,on_demand,23,USD,hour,1s,208,1800GiB,22000GB,us-east-1,US,nvlink,2026-11-20
mine,b,a100-pcie-40,1,1,,on_demand,1.1,USD,hour,1s,12,85GiB,500GB,eu-west-1,FR,pcie,2026-11-20
mine,c,rtx-4090,1,1,,on_demand,0.5,USD,hour,1h,16,64GiB,100GB,cn-north,CN,pcie,2026-08-01
mine,d,t4,1,1,,spot,0.3,USD,hour,1s,4,16GiB,50GB,us-west-2,US,,2025-01-01
mine,e,v100-sxm2-16,2,1,,monthly,1500,USD,term,,,,,us-east-2,US,,
mine,f,a10,1,4,,on_demand,0.2,USD,hour,1s,8,32GiB,100GB,us-east-1,US,,2026-11-20
mine,g,l40s,1,1,serverless,on_demand,1.9,USD,hour,1s,8,32GiB,100GB,us-east-1,US,,2026-11-20
mine,h,rtx-3090,1,1,,on_demand,1.2,CNY,hour,1s,8,32GiB,100GB,cn-south,CN,,2026-11-20
other,i,rtx-4090,1,1,,on_demand,0.6,USD,hour,1s,8,32GiB,100GB,us-east-1,US,,2026-11-20
";

fn market() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("market.csv"), MARKET).unwrap();
    folder
}

fn answer(folder: &Path, arguments: &[&str]) -> Value {
    let every = ["offers", "--prices", "market.csv", "--limit", "0", "--format", "json"];
    let said = kasuan(folder, &[&every[..], arguments].concat());
    let json = &said[said.find("\n{").unwrap_or_else(|| panic!("{said}"))..];
    serde_json::Deserializer::from_str(json).into_iter().next().unwrap().unwrap()
}

/// Returns the products of an answer, in its order.
fn products(answer: &Value) -> String {
    let rows = answer["offers"].as_array().unwrap();
    rows.iter().map(|row| row["product"].as_str().unwrap()).collect()
}

fn sorted(text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    letters.sort_unstable();
    letters.into_iter().collect()
}

#[test]
fn every_filter_removes_what_does_not_meet_it_and_keeps_the_rest() {
    let folder = market();
    let of = |arguments: &[&str]| {
        sorted(&products(&answer(folder.path(), &[&["--provider", "mine"], arguments].concat())))
    };
    assert_eq!(of(&[]), "abcdeh", "slices and requests must be asked for");
    let filters: &[(&[&str], &str)] = &[
        (&["--card", "4090"], "c"),
        (&["--card", "4090", "--card", "T4"], "cd"),
        (&["--memory", "40GiB"], "ab"),
        (&["--count", "2"], "e"),
        (&["--min-count", "2"], "ae"),
        (&["--capability", "8.0"], "abch"),
        (&["--capability", "8.9"], "ac"),
        (&["--interconnect", "nvlink"], "a"),
        (&["--interconnect", "pcie"], "bc"),
        (&["--form", "sxm"], "ae"),
        (&["--form", "pcie"], "b"),
        (&["--region", "us-"], "ade"),
        (&["--region", "cn-north", "--region", "eu"], "bc"),
        (&["--country", "cn"], "ch"),
        (&["--country", "FR", "--country", "US"], "abde"),
        (&["--mode", "spot"], "d"),
        (&["--mode", "monthly"], "e"),
        (&["--mode", "on_demand"], "abch"),
        (&["--max-price", "1.05", "--currency", "USD"], "cde"),
        (&["--max-price", "2", "--currency", "CNY"], "h"),
        (&["--ecc", "true"], "abde"),
        (&["--ecc", "false"], "ch"),
        (&["--vcpus", "16"], "ac"),
        (&["--ram", "64GiB"], "abc"),
        (&["--disk", "500GB"], "ab"),
        (&["--oldest", "fresh"], "abh"),
        (&["--oldest", "ageing"], "abch"),
        (&["--oldest", "stale"], "abcdh"),
        (&["--oldest", "fresh", "--fresh-days", "130"], "abch"),
        (&["--currency", "CNY"], "h"),
        (&["--currency", "CNY", "--rate", "USD=7@2026-11-30"], "abcdeh"),
        (&["--slices"], "abcdefh"),
        (&["--serverless"], "abcdegh"),
        (&["--card", "4090", "--country", "US"], ""),
    ];
    for (filter, wanted) in filters {
        assert_eq!(of(filter), *wanted, "{filter:?}");
    }
    let other = products(&answer(folder.path(), &["--provider", "other", "--card", "4090"]));
    assert_eq!(other, "i");
}

#[test]
fn what_is_left_out_is_counted_and_a_rate_converts_the_price() {
    let folder = market();
    let of =
        |arguments: &[&str]| answer(folder.path(), &[&["--provider", "mine"], arguments].concat());
    // Only e's source says nothing of CPUs.
    assert_eq!(of(&["--vcpus", "1"])["left_out"]["not_stated"], 1);
    assert_eq!(of(&["--currency", "USD"])["left_out"]["other_currency"], 1);
    let yuan = of(&["--card", "4090", "--currency", "CNY", "--rate", "USD=7@2026-11-30"]);
    assert_eq!(yuan["offers"][0]["instance_hour"], "3.5");
    assert_eq!(yuan["rates"][0]["date"], "2026-11-30");
    let row = &yuan["offers"][0];
    let said = ["provider", "region", "country", "vcpus", "memory_gib", "disk_gb", "interconnect"]
        .map(|key| row[key].as_str().unwrap().to_owned());
    assert_eq!(said, ["mine", "cn-north", "CN", "16", "64", "100", "pcie"]);
    assert_eq!(row["band"], "ageing");
}

/// Counted by hand from the card table: memory 80, 40, 24, 16, 16 GB; dense FP16 989, 312, 165, 65,
/// 125 TFLOP/s; 3.36, 1.56, 1.01, 0.32, 1.13 TB/s. 20 runs of 5 minutes are 20 whole hours on c.
#[test]
fn every_order_is_the_one_it_says() {
    let folder = market();
    let of = |arguments: &[&str]| {
        let every = ["--provider", "mine", "--currency", "USD"];
        products(&answer(folder.path(), &[&every[..], arguments].concat()))
    };
    assert_eq!(of(&[]), "dceba");
    assert_eq!(of(&["--sort", "card"]), "dceba");
    assert_eq!(of(&["--sort", "instance"]), "dcbea");
    assert_eq!(of(&["--sort", "gib"]), "dcbae");
    assert_eq!(of(&["--sort", "tflop"]), "acbde");
    assert_eq!(of(&["--sort", "bandwidth"]), "cbaed");
    assert_eq!(of(&["--sort", "bill", "--run", "5min", "--runs", "20"]), "dbcae");
    assert_eq!(of(&["--sort", "bill", "--run", "720h", "--runs", "1"]), "dcbea");
}

#[test]
fn cards_are_grouped_with_the_age_of_their_lowest_price() {
    let folder = market();
    let grouped = answer(folder.path(), &["--card", "4090", "--by-card", "--currency", "USD"]);
    let row = &grouped["offers"][0];
    assert_eq!(row["card"], "rtx-4090");
    assert!(row["low"].as_str().unwrap().parse::<f64>().unwrap() <= 0.5);
    assert!(row["seen"].is_string());
}

#[test]
fn arguments_that_would_change_nothing_are_refused_with_the_reason() {
    let folder = market();
    let refused = |arguments: &[&str]| {
        let said = kasuan(folder.path(), &[&["offers"], arguments].concat());
        assert!(said.ends_with("[2]\n"), "{said}");
        said
    };
    let said = [
        refused(&["--sort", "bill", "--run", "100h", "--runs", "8"]),
        refused(&["--sort", "bill", "--runs", "0", "--lang", "zh"]),
        refused(&["--card", "4090", "--runs", "4"]),
        refused(&["--history", "--card", "4090", "--country", "CN", "--lang", "zh"]),
        refused(&["--compare", "aws/us-east-1/p5.48xlarge/on_demand", "--card", "4090"]),
        refused(&["--history", "--by-card"]),
        refused(&["--by-card", "--sort", "gib"]),
        refused(&["--store", "prices.db"]),
        refused(&["--card", "4090", "--fresh-days", "200"]),
    ];
    insta::assert_snapshot!("offers_refused", said.concat());
}
