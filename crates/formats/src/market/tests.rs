//! Tests of imports: each format, and the ways in which files are dirty.

mod hostile;

use super::*;
use jiff::civil::date;
use kasuan_market::Doubt;
use kasuan_model::{BillingMode, Offer};

const TODAY: Date = date(2026, 12, 1);

fn stated(provider: Option<&str>) -> Stated {
    Stated { name: "file".to_owned(), provider: provider.map(str::to_owned), ..Stated::default() }
}

fn taken(text: &str, stated: &Stated) -> Import {
    import(text.as_bytes(), stated, &Catalogue::shipped().unwrap(), TODAY).unwrap()
}

fn refused(text: &[u8]) -> ImportError {
    import(text, &stated(None), &Catalogue::shipped().unwrap(), TODAY).unwrap_err()
}

fn offer<'a>(import: &'a Import, id: &str) -> &'a Offer {
    let found = import.card.offers.iter().find(|offer| offer.id == id);
    found.unwrap_or_else(|| {
        let ids: Vec<&str> = import.card.offers.iter().map(|offer| offer.id.as_str()).collect();
        panic!("no {id} in {ids:?}; refused: {:?}", import.report.refused)
    })
}

fn price(import: &Import, id: &str) -> String {
    offer(import, id).price.amount().normalize().to_string()
}

fn why(import: &Import) -> Vec<(u64, &'static str)> {
    import.report.refused.iter().map(|row| (row.line, row.why.key())).collect()
}

/// Schema v8 with what its files are seen with: two zones of a region, a repeated header, a price
/// of zero, a negative one, a CPU row, a TPU, H200 with 80 GB, spot dearer than on demand.
const SKYPILOT: &str = "\
InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice,Arch
p5.48xlarge,192,2048,H100,8,\"{'Gpus': [{'Name': 'H100', 'MemoryInfo': {'SizeInMiB': 81920}}]}\",us-east-2,us-east-2a,55.04,20.5,x86_64
p5.48xlarge,192,2048,H100,8,,us-east-2,us-east-2b,55.04,19.5,x86_64
InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice,Arch
m5.large,2,8,,,,us-east-2,us-east-2a,0.096,0.04,x86_64
zero,8,64,A100-80GB,1,,us-east-2,us-east-2a,0,,x86_64
minus,8,64,A100-80GB,1,,us-east-2,us-east-2a,-1,,x86_64
tpu,8,64,tpu-v5e,1,,us-east-2,us-east-2a,1.2,,x86_64
p5en.48xlarge,192,2048,H200,8,\"{'Gpus': [{'Name': 'H200', 'MemoryInfo': {'SizeInMiB': 80}}]}\",us-east-2,us-east-2a,63.3,70,x86_64
text,8,64,T4,1,,us-east-2,us-east-2a,free,,x86_64
nothing,8,64,T4,1,,us-east-2,us-east-2a,,,x86_64
";

#[test]
fn a_skypilot_catalogue_is_taken_with_every_row_accounted_for() {
    let import = taken(SKYPILOT, &stated(Some("AWS")));
    assert_eq!(price(&import, "aws/us-east-2/p5.48xlarge/on_demand"), "55.04");
    assert_eq!(price(&import, "aws/us-east-2/p5.48xlarge/spot"), "19.5");
    assert_eq!(offer(&import, "aws/us-east-2/p5en.48xlarge/spot").card.as_str(), "h200-sxm-141");
    let report = &import.report;
    assert_eq!((report.format, report.rows, report.taken, report.merged), ("skypilot", 10, 4, 2));
    assert_eq!(report.no_card, 1);
    assert_eq!(
        why(&import),
        [
            (4, "import-header-again"),
            (6, "import-no-price"),
            (7, "import-no-price"),
            (8, "import-card"),
            (10, "import-not-a-price"),
            (11, "import-price-missing"),
        ]
    );
    assert!(report.noted.iter().any(|note| note.what.key() == "import-memory"), "H200 with 80 GB");
    let spot = report.doubts.iter().find(|doubt| doubt.doubt == Doubt::SpotNotCheaper);
    assert_eq!(spot.map(|doubt| doubt.offer.as_str()), Some("aws/us-east-2/p5en.48xlarge/spot"));
}

#[test]
fn the_provider_of_a_skypilot_catalogue_must_be_stated() {
    assert_eq!(refused(SKYPILOT.as_bytes()), ImportError::NotStated { what: "provider" });
}

#[test]
fn a_gpuhunt_catalogue_is_taken() {
    let text = "\
instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_arch,provider_data
gpu_1x_a10,us-east-1,1.29,30,200,1,A10,24,False,1400,nvidia,,x86,
gpu_8x_h100,us-east-1,23.92,208,1800,8,H100,80,True,22000,nvidia,,x86,
cpu,us-east-1,0.1,4,16,0,,,False,,,,,
";
    let import = taken(text, &stated(Some("lambda")));
    assert_eq!(price(&import, "lambda/us-east-1/gpu_1x_a10/on_demand"), "1.29");
    assert_eq!(offer(&import, "lambda/us-east-1/gpu_8x_h100/spot").count, 8);
    assert_eq!((import.report.rows, import.report.no_card), (3, 1));
}

/// Shape of data/snapshots/*.json of adriannutiu/gpu-rental-prices (CC BY 4.0).
#[test]
fn gpurentalprices_is_taken_and_rows_carried_forward_are_refused() {
    let text = r#"{"date": "2026-07-05", "offers": [
      {"provider": "runpod", "gpu": "a100-pcie-80", "vram_gb": 80, "usd_hr": 1.19, "kind": "community",
       "source_url": "https://www.runpod.io/pricing", "fetched_at": "2026-07-05T23:04:21.815Z"},
      {"provider": "runpod", "gpu": "a100-pcie-80", "vram_gb": 40, "usd_hr": 1, "kind": "secure",
       "source_url": "https://www.runpod.io/pricing", "fetched_at": "2026-07-05T23:04:21.815Z"},
      {"provider": "old", "gpu": "t4", "vram_gb": 16, "usd_hr": 0.2, "kind": "on-demand",
       "source_url": "https://old.example", "fetched_at": "2026-07-01T23:04:21.815Z"}],
      "providers": {"runpod": {"ok": true, "stale": false}, "old": {"ok": false, "stale": true}}}"#;
    let import = taken(text, &stated(None));
    let community = offer(&import, "runpod/a100-pcie-80.community/on_demand");
    assert_eq!(community.source.date, Some(date(2026, 7, 5)));
    assert_eq!(community.tier, "community");
    // The name says 80 and the memory beside it 40: the name counts, and the row is noted.
    assert_eq!(import.report.noted[0].what.key(), "import-memory");
    assert_eq!(
        offer(&import, "runpod/a100-pcie-80.secure/on_demand").card.as_str(),
        "a100-pcie-80"
    );
    assert_eq!(why(&import), [(3, "import-carried-forward")]);
}

/// Shape of src/data/offerings.json of tardellirs/gpu-pricing (MIT).
#[test]
fn fx_088_tardellirs_is_taken_with_its_caveats() {
    let text = r#"[{"id": "coreweave-a100-40gb-pcie-classic", "provider_id": "coreweave",
      "gpu_model": "NVIDIA A100", "gpu_brand": "NVIDIA", "vram_gb": 40, "interconnect": "PCIe",
      "tier": "on-demand", "is_spot": false, "price_usd_hour": 2.06, "vcpu": null, "ram_gb": null,
      "source_url": "https://www.coreweave.com/pricing/classic", "collected_at": "2026-05-24",
      "caveats": ["vCPU $0.01/h and RAM $0.005/GB/h billed separately"]}]"#;
    let import = taken(text, &stated(None));
    let [offer] = import.card.offers.as_slice() else { panic!("{:?}", import.report) };
    assert_eq!(offer.card.as_str(), "a100-pcie-40");
    assert_eq!(offer.host_included, Some(false), "FX-088: the price is not the whole box");
    assert_eq!(offer.source.date, Some(date(2026, 5, 24)));
}

#[test]
fn karpenter_maps_take_card_and_count_from_the_catalogue() {
    let aws = "package pricing\nvar InitialOnDemandPricesAWS = map[string]map[string]float64{\n\
      \t// us-east-1\n\t\"us-west-9\": {\n\t\t// p5 family\n\t\t\"p5.48xlarge\": 60.5, \"m5.large\": 0.096,\n\t},\n}\n";
    let import = taken(aws, &stated(None));
    assert_eq!(offer(&import, "aws/us-west-9/p5.48xlarge/on_demand").count, 8);
    assert_eq!(import.report.no_card, 1);
    let gcp = r#"{"prices": {"asia-east1": {"on_demand": {"a3-highgpu-8g": 102.358780070575, "c2-standard-4": 0.2},
        "spot": {"a3-highgpu-8g": 30.1}}}}"#;
    let import = taken(gcp, &stated(None));
    assert_eq!(price(&import, "gcp/asia-east1/a3-highgpu-8g/on_demand"), "102.358780070575");
    assert_eq!(offer(&import, "gcp/asia-east1/a3-highgpu-8g/spot").mode, BillingMode::Spot);
    let alibaba = r#"{"cn-beijing": {"ecs.gn5-c8g1.14xlarge": 123.13}}"#;
    assert_eq!(refused(alibaba.as_bytes()), ImportError::NotStated { what: "provider" });
    let mut yuan = stated(Some("alibaba"));
    yuan.currency = Some(Currency::CNY);
    assert_eq!(
        offer(&taken(alibaba, &yuan), "alibaba/cn-beijing/ecs.gn5-c8g1.14xlarge/on_demand").count,
        7
    );
}

#[test]
fn azure_retail_prices_are_taken_without_windows_and_low_priority() {
    let row = |sku: &str, product: &str, price: &str, kind: &str| {
        format!(
            r#"{{"currencyCode":"USD","retailPrice":{price},"armRegionName":"eastus","armSkuName":"Standard_ND96isr_H100_v5",
            "skuName":"{sku}","productName":"{product}","unitOfMeasure":"1 Hour","type":"Consumption"{kind}}}"#
        )
    };
    let rows = [
        row("ND96isr H100 v5", "Virtual Machines NDsr H100 v5 Series", "98.32", ""),
        row("ND96isr H100 v5 Spot", "Virtual Machines NDsr H100 v5 Series", "30", ""),
        row("ND96isr H100 v5", "Virtual Machines NDsr H100 v5 Series Windows", "102", ""),
        row("ND96isr H100 v5 Low Priority", "Virtual Machines NDsr H100 v5 Series", "20", ""),
    ];
    let text = format!(r#"{{"BillingCurrency":"USD","Items":[{}]}}"#, rows.join(","));
    let import = taken(&text, &stated(None));
    assert_eq!(import.card.offers.len(), 2, "{:?}", import.report);
    assert_eq!(offer(&import, "azure/eastus/standard_nd96isr_h100_v5/spot").count, 8);
    assert_eq!(why(&import), [(3, "import-azure-windows"), (4, "import-azure-low-priority")]);
}

#[test]
fn compshare_answers_are_taken_joined_or_with_the_card_stated() {
    let joined = r#"{"ChargeType":"Postpay","GpuType":"4090","GraphicsMemory":24576,"Region":"cn-wlcb","Cpu":16,"Gpu":1,"Memory":65536,"Price":1.66}
        {"ChargeType":"Month","GpuType":"4090","Region":"cn-wlcb","Gpu":2,"Price":2003.9}"#;
    let import = taken(joined, &stated(None));
    assert_eq!(price(&import, "compshare/cn-wlcb/4090/on_demand"), "1.66");
    let month = offer(&import, "compshare/cn-wlcb/4090/monthly");
    assert_eq!((month.count, month.per), (2, kasuan_model::PricePer::Term));
    let bare = r#"{"PriceDetails":[{"ChargeType":"Postpay","Instance":0.7,"SystemDisks":0}]}"#;
    assert_eq!(refused(bare.as_bytes()), ImportError::NotStated { what: "card" });
    let mut with_card = stated(None);
    with_card.card = Some("3080Ti".to_owned());
    assert_eq!(taken(bare, &with_card).card.offers[0].card.as_str(), "rtx-3080-ti");
}

/// AutoDL's API says 2720 for 2.72 yuan (cyicz123/autodl-skills, api-reference).
#[test]
fn autodl_prices_are_thousandths_of_a_yuan() {
    let text = r#"{"code":"Success","data":{"list":[
      {"gpu_name":"RTX 4090","region_sign":"west-B","payg_price":2720,"gpu_all_num":8},
      {"gpu_name":"","payg_price":100}]}}"#;
    let import = taken(text, &stated(None));
    assert_eq!(price(&import, "autodl/west-b/rtx-4090/on_demand"), "2.72");
    assert_eq!(why(&import), [(2, "import-no-card-name")]);
}

#[test]
fn markets_are_taken_by_instance_and_by_card() {
    let vast = r#"{"offers":[{"gpu_name":"RTX 4090","num_gpus":4,"gpu_ram":24564,"dph_total":1.6,
      "min_bid":0.8,"cpu_cores_effective":32,"cpu_ram":128000,"disk_space":500,"geolocation":"Sichuan, CN","host_id":7}]}"#;
    let import = taken(vast, &stated(None));
    let four = offer(&import, "vast-ai/rtx-4090-x4-host-7.marketplace/on_demand");
    assert_eq!((four.count, four.country.as_str()), (4, "CN"));
    assert_eq!(four.hourly_per_card().amount().normalize().to_string(), "0.4");
    let runpod = r#"{"data":{"gpuTypes":[{"id":"NVIDIA L40S","displayName":"L40S","memoryInGb":48,
      "securePrice":0.86,"communityPrice":0.79,"secureSpotPrice":0,"communitySpotPrice":null},
      {"id":"NVIDIA A30","displayName":"A30","memoryInGb":24,"securePrice":0}]}}"#;
    let import = taken(runpod, &stated(None));
    assert_eq!(price(&import, "runpod/l40s.secure/on_demand"), "0.86");
    assert_eq!(import.card.offers.len(), 2);
    assert_eq!(why(&import), [(2, "import-not-sold")]);
}

/// dstackai/dstack#1890: a bid of $1.28 for a card was billed as $10.24 for the instance.
#[test]
fn fx_063_a_price_per_card_in_a_row_of_eight_cards_is_named() {
    let text = "\
InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice
8x,208,1800,H100-SXM,8,,somewhere,,3.79,
";
    let import = taken(text, &stated(Some("nobody")));
    let doubts: Vec<Doubt> = import.report.doubts.iter().map(|finding| finding.doubt).collect();
    assert!(doubts.contains(&Doubt::PerCardMixUp), "{doubts:?}");
}

#[test]
fn a_price_card_with_gbk_and_a_wrong_row_is_taken_in_part() {
    let text = "平台,显卡,价格,币种\n某云,4090,2.5,CNY\n某云,不存在的卡,1,CNY\n某云,3090,,CNY\n";
    let (gbk, _, _) = encoding_rs::GBK.encode(text);
    let catalogue = Catalogue::shipped().unwrap();
    let import = import(&gbk, &stated(None), &catalogue, TODAY).unwrap();
    assert_eq!(import.card.offers.len(), 1);
    assert_eq!(import.report.noted[0].what.key(), "import-encoding");
    assert_eq!(why(&import), [(3, "price-card-card"), (4, "price-card-missing-cell")]);
}

#[test]
fn a_byte_order_mark_changes_nothing() {
    let text = format!("\u{feff}{SKYPILOT}");
    assert_eq!(taken(&text, &stated(Some("aws"))), taken(SKYPILOT, &stated(Some("aws"))));
}

#[test]
fn what_is_no_price_list_is_refused_with_the_reason() {
    assert_eq!(refused(b""), ImportError::Empty);
    assert_eq!(refused(b"  \n"), ImportError::Empty);
    assert_eq!(refused(b"<!DOCTYPE html><html><body>403</body></html>"), ImportError::Html);
    assert_eq!(refused(&[0xff, 0xff, 0x00, 0x81]), ImportError::Unreadable);
    assert!(matches!(refused(b"{\"a\": "), ImportError::Json { .. }));
    assert!(matches!(refused(b"{\"a\": 1}"), ImportError::Unknown { .. }));
    assert!(matches!(refused(b"a,b,c\n1,2,3\n"), ImportError::Unknown { .. }));
    assert!(matches!(refused(b"PK\x03\x04 broken"), ImportError::Workbook { .. }));
}
