//! Files that are made to break a reader, and workbooks as people make them.

use super::*;
use proptest::prelude::*;
use rust_decimal::Decimal;
use rust_xlsxwriter::{Format, Workbook};
use std::io::Write as _;

/// A sheet as a person fills it in: a title, an empty row, a merged provider, a date as a date.
fn workbook() -> Vec<u8> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    let plain = Format::new();
    sheet.merge_range(0, 0, 0, 6, "我们的算力价目表", &plain).unwrap();
    let header = ["平台", "显卡", "卡数", "计费方式", "价格", "币种", "单位"];
    for (column, name) in header.iter().enumerate() {
        sheet.write(2, column as u16, *name).unwrap();
    }
    sheet.merge_range(3, 0, 5, 0, "我的云", &plain).unwrap();
    let rows = [
        ("4090", 1, "按需", 1.66, "小时"),
        ("A100-SXM4-80GB", 8, "包月", 30000.0, "月"),
        ("3090", 1, "按需", -1.0, "小时"),
    ];
    for (at, (card, count, mode, price, per)) in rows.into_iter().enumerate() {
        let row = at as u32 + 3;
        sheet.write(row, 1, card).unwrap();
        sheet.write(row, 2, count).unwrap();
        sheet.write(row, 3, mode).unwrap();
        sheet.write(row, 4, price).unwrap();
        sheet.write(row, 5, "CNY").unwrap();
        sheet.write(row, 6, per).unwrap();
    }
    // An empty row, then another provider, far below.
    for (column, text) in ["别的云", "L40S", "", "按需", "", "CNY"].iter().enumerate() {
        sheet.write(9, column as u16, *text).unwrap();
    }
    sheet.write(9, 4, 5).unwrap();
    book.save_to_buffer().unwrap()
}

#[test]
fn a_sheet_with_a_title_merged_cells_and_empty_rows_is_taken() {
    let catalogue = Catalogue::shipped().unwrap();
    let import = import(&workbook(), &stated(None), &catalogue, TODAY).unwrap();
    assert_eq!(price(&import, "我的云/rtx-4090/on_demand"), "1.66");
    let month = offer(&import, "我的云/a100-sxm4-80x8/monthly");
    assert_eq!((month.count, month.per), (8, kasuan_model::PricePer::Term));
    assert_eq!(price(&import, "别的云/l40s/on_demand"), "5");
    // The line is the sheet's.
    assert_eq!(why(&import), [(6, "price-card-cell")]);
}

#[test]
fn the_template_filled_in_as_a_workbook_is_taken() {
    for chinese in [true, false] {
        let template = price_card::template(chinese);
        let mut book = Workbook::new();
        let sheet = book.add_worksheet();
        for (row, (_, record)) in text::csv_records(&template).enumerate() {
            for (column, text) in record.unwrap().iter().enumerate() {
                match text.parse::<f64>() {
                    Ok(number) => sheet.write(row as u32, column as u16, number).unwrap(),
                    Err(_) => sheet.write(row as u32, column as u16, text).unwrap(),
                };
            }
        }
        let bytes = book.save_to_buffer().unwrap();
        let import = import(&bytes, &stated(None), &Catalogue::shipped().unwrap(), TODAY).unwrap();
        let text = taken(&template, &stated(None));
        let told = |import: &Import| -> Vec<(String, Decimal, String)> {
            let told = |offer: &Offer| {
                (offer.id.clone(), offer.price.amount().normalize(), offer.notes.clone())
            };
            import.card.offers.iter().map(told).collect()
        };
        assert_eq!(told(&import), told(&text));
        assert_eq!(import.card.terms.len(), text.card.terms.len());
    }
}

fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for (name, bytes) in entries {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn an_archive_that_unpacks_to_too_much_is_refused_unread() {
    let chunk = vec![b' '; 30 << 20];
    let names: Vec<String> = (0..10).map(|at| format!("xl/worksheets/sheet{at}.xml")).collect();
    let entries: Vec<(&str, &[u8])> =
        names.iter().map(|name| (name.as_str(), chunk.as_slice())).collect();
    let bomb = archive(&entries);
    assert!(bomb.len() < 1 << 20, "{} bytes", bomb.len());
    assert!(matches!(refused(&bomb), ImportError::Large { .. }));
    assert!(matches!(refused(&archive(&[("notes.txt", b"hello")])), ImportError::Workbook { .. }));
}

/// Two cells at the far corners must not become a table of 17 billion.
#[test]
fn a_sheet_whose_cells_lie_far_apart_takes_no_memory() {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    sheet.write(0, 0, "平台").unwrap();
    sheet.write(1_048_575, 16_383, "x").unwrap();
    sheet.write(1_000_000, 3, "x").unwrap();
    let bytes = book.save_to_buffer().unwrap();
    assert!(import(&bytes, &stated(None), &Catalogue::shipped().unwrap(), TODAY).is_err());
}

/// One clean file of each format, to be damaged.
fn samples() -> Vec<Vec<u8>> {
    let texts = [
        SKYPILOT,
        "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size\na,b,1.29,30,200,1,A10,24,False,1400\n",
        r#"{"date":"2026-07-05","offers":[{"provider":"runpod","gpu":"a100-pcie-80","vram_gb":80,"usd_hr":1.19,"kind":"spot","fetched_at":"2026-07-05T23:04:21Z"}],"providers":{}}"#,
        r#"[{"id":"x","provider_id":"p","gpu_model":"NVIDIA A100","vram_gb":40,"interconnect":"PCIe","tier":"spot","price_usd_hour":2.06,"collected_at":"2026-05-24","caveats":["a"]}]"#,
        "package pricing\nvar X = map[string]map[string]float64{\n\"us-west-9\": {\n\"p5.48xlarge\": 60.5, \"m5.large\": 0.1,\n},\n}\n",
        r#"{"prices":{"asia-east1":{"on_demand":{"a3-highgpu-8g":102.3},"spot":{"a3-highgpu-8g":30.1}}}}"#,
        r#"{"BillingCurrency":"USD","Items":[{"currencyCode":"USD","retailPrice":98.32,"armRegionName":"eastus","armSkuName":"Standard_ND96isr_H100_v5","skuName":"x","productName":"y","unitOfMeasure":"1 Hour","type":"Consumption"}]}"#,
        r#"{"ChargeType":"Postpay","GpuType":"4090","GraphicsMemory":24576,"Region":"cn","Cpu":16,"Gpu":1,"Memory":65536,"Price":1.66}"#,
        r#"{"code":"Success","data":{"list":[{"gpu_name":"RTX 4090","region_sign":"w","payg_price":2720}]}}"#,
        r#"{"offers":[{"gpu_name":"RTX 4090","num_gpus":4,"gpu_ram":24564,"dph_total":1.6,"min_bid":0.8,"geolocation":"Sichuan, CN","host_id":7}]}"#,
        r#"{"data":{"gpuTypes":[{"id":"NVIDIA L40S","displayName":"L40S","memoryInGb":48,"securePrice":0.86}]}}"#,
        "平台,显卡,价格,币种\n某云,4090,2.5,CNY\n",
    ];
    let mut samples: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    samples.push(workbook());
    samples
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// Whatever is cut, repeated or overwritten: an answer or an error, and every offer that is
    /// taken has a price above zero, a known card and a count.
    #[test]
    fn damaged_files_never_panic_and_never_give_a_wrong_offer(
        which in 0_usize..13,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..40, prop_oneof![
            Just(b"".to_vec()), Just(b"\"".to_vec()), Just(b",".to_vec()), Just(b"\n".to_vec()),
            Just(b"-1".to_vec()), Just(b"0".to_vec()), Just(b"1e308".to_vec()), Just(b"NaN".to_vec()),
            Just(b"79228162514264337593543950335".to_vec()), Just(b"null".to_vec()),
            Just(b"[]".to_vec()), Just(b"{}".to_vec()), Just("显卡".as_bytes().to_vec()),
            Just(vec![0xff, 0xfe]), Just(b"2026-99-99".to_vec()), Just(b"0.0000000000000000000000000001".to_vec()),
        ], any::<bool>()), 0..6),
        named in any::<bool>(),
    ) {
        let mut bytes = samples()[which].clone();
        for (place, length, text, double) in edits {
            let from = place.index(bytes.len().max(1)).min(bytes.len());
            let to = (from + length).min(bytes.len());
            let cut: Vec<u8> = bytes.splice(from..to, text).collect();
            if double {
                bytes.splice(from..from, cut.repeat(2));
            }
        }
        let catalogue = shared();
        let mut stated = stated(named.then_some("aws"));
        stated.currency = named.then_some(Currency::USD);
        if let Ok(import) = import(&bytes, &stated, catalogue, TODAY) {
            for offer in &import.card.offers {
                prop_assert!(!offer.price.is_zero() && !offer.price.amount().is_sign_negative());
                prop_assert!(catalogue.card(&offer.card).is_some() && offer.count > 0 && offer.slices > 0);
                // What is taken can be written and read again.
                let _ = offer.hourly_per_card();
            }
            let written = price_card::write(&import.card);
            let again = price_card::read(&written, "again", catalogue);
            prop_assert!(again.is_ok(), "{:?}\n{written}", again.err());
        }
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300), zip in any::<bool>()) {
        let mut bytes = bytes;
        if zip {
            bytes.splice(0..0, b"PK\x03\x04".iter().copied());
        }
        let _ = import(&bytes, &stated(Some("aws")), shared(), TODAY);
    }
}

fn shared() -> &'static Catalogue {
    static SHIPPED: std::sync::OnceLock<Catalogue> = std::sync::OnceLock::new();
    SHIPPED.get_or_init(|| Catalogue::shipped().unwrap())
}
