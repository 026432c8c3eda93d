//! The shipped catalogue as a whole.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

use kasuan_market::Catalogue;
use kasuan_model::CardId;
use std::collections::BTreeSet;

#[test]
fn everything_that_ships_can_be_read() {
    let catalogue = Catalogue::shipped().unwrap();
    assert_eq!(catalogue.cards().len(), 100);
    assert_eq!(catalogue.offers().len() + catalogue.priceless().len(), 3327 + 79);
    assert_eq!(catalogue.priceless().len(), 1);
    let ids: BTreeSet<&str> = catalogue.offers().iter().map(|offer| offer.id.as_str()).collect();
    assert_eq!(ids.len(), catalogue.offers().len(), "ids are unique");
    for offer in catalogue.offers() {
        assert!(catalogue.card(&offer.card).is_some(), "{}: card {}", offer.id, offer.card);
        assert!(!offer.price.amount().is_sign_negative() && !offer.price.is_zero(), "{}", offer.id);
        assert!(!offer.source.text.is_empty(), "{}", offer.id);
    }
}

#[test]
fn every_spelling_in_the_offers_finds_the_card_it_was_mapped_to() {
    let catalogue = Catalogue::shipped().unwrap();
    let mut wrong = Vec::new();
    let mut spellings = BTreeSet::new();
    for offer in catalogue.offers() {
        if !spellings.insert((offer.card_raw.as_str(), offer.card.clone())) {
            continue;
        }
        match catalogue.find_card(&offer.card_raw) {
            Ok(found) if found.card == offer.card => {}
            Ok(found) if found.guessed_memory || found.guessed_form => {
                // `NVIDIA A100` is sold with 40 and 80 GB: the guess must stay in the family.
                let family = |id: &CardId| id.as_str().split('-').next().map(str::to_owned);
                if family(&found.card) != family(&offer.card) {
                    wrong.push(format!("{} -> {} not {}", offer.card_raw, found.card, offer.card));
                }
            }
            Ok(found) => {
                wrong.push(format!("{} -> {} not {}", offer.card_raw, found.card, offer.card));
            }
            Err(error) => wrong.push(format!("{}: {error}", offer.card_raw)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(spellings.len() > 200, "{} spellings", spellings.len());
}

#[test]
fn what_people_type_finds_the_card() {
    let catalogue = Catalogue::shipped().unwrap();
    for (typed, card) in [
        ("4090", "rtx-4090"),
        ("RTX4090", "rtx-4090"),
        ("rtx 4090 24g", "rtx-4090"),
        ("4090 48g", "rtx-4090-48"),
        ("4090显卡", "rtx-4090"),
        ("4090 24G显存", "rtx-4090"),
        ("RTX 4090D", "rtx-4090-d"),
        ("4090d", "rtx-4090-d"),
        ("A100 80G", "a100-sxm4-80"),
        ("A100-SXM4-80GB", "a100-sxm4-80"),
        ("A100-PCIE-40GB", "a100-pcie-40"),
        ("NVIDIA A100 80GB PCIe", "a100-pcie-80"),
        ("H20", "h20-96"),
        ("5090", "rtx-5090"),
        ("L40s", "l40s"),
        ("v100 32g", "v100-sxm2-32"),
        ("Tesla V100-PCIE-16GB", "v100-pcie-16"),
        ("3080ti", "rtx-3080-ti"),
        ("2080 Ti", "rtx-2080-ti"),
        ("1080ti", "gtx-1080-ti"),
        ("A6000", "rtx-a6000"),
        ("RTX 6000 Ada", "rtx-6000-ada"),
        ("6000 ada", "rtx-6000-ada"),
        ("NVIDIA GeForce RTX 3090", "rtx-3090"),
        ("T4", "t4"),
        ("Tesla T4", "t4"),
        ("h100", "h100-sxm5-80"),
        ("H100 NVL", "h100-nvl-94"),
        ("H800", "h800-sxm5-80"),
        ("A800", "a800-sxm4-80"),
        ("b200", "b200-180"),
        ("MI300X", "mi300x-192"),
        ("8x H100", "h100-sxm5-80"),
        ("4*4090", "rtx-4090"),
        ("rtx-4090", "rtx-4090"),
    ] {
        let found = catalogue.find_card(typed).unwrap_or_else(|e| panic!("{typed}: {e}"));
        assert_eq!(found.card.as_str(), card, "{typed}");
    }
    assert_eq!(catalogue.find_card("8x H100").unwrap().count, Some(8));
}

#[test]
fn a_guess_is_said() {
    let catalogue = Catalogue::shipped().unwrap();
    for name in ["910B", "Ascend 910B", "910B2", "910b3 64GB", "昇腾910B"] {
        let found = catalogue.find_card(name).unwrap();
        assert_eq!(found.card.as_str(), "ascend-910b", "{name}");
    }
    let found = catalogue.find_card("A100 80G").unwrap();
    assert!(found.guessed_form && !found.guessed_memory);
    let found = catalogue.find_card("A100").unwrap();
    assert!(found.guessed_form && found.guessed_memory);
    let found = catalogue.find_card("A100-SXM4-80GB").unwrap();
    assert!(!found.guessed_form && !found.guessed_memory);
    let found = catalogue.find_card("4090").unwrap();
    assert!(!found.guessed_form && !found.guessed_memory);
}

#[test]
fn a_typo_gets_a_suggestion_and_a_wrong_memory_is_said() {
    let catalogue = Catalogue::shipped().unwrap();
    let kasuan_market::CardError::Unknown { nearest, .. } =
        catalogue.find_card("rtx4900").unwrap_err()
    else {
        panic!("not unknown")
    };
    assert!(nearest.iter().any(|name| name == "rtx-4090"), "{nearest:?}");
    let wrong = catalogue.find_card("H200 80GB").unwrap_err();
    assert!(wrong.to_string().contains("141"), "{wrong}");
    assert!(catalogue.find_card("").is_err());
    assert!(catalogue.find_card("6000").is_err());
    assert!(catalogue.find_card("banana").is_err());
}

/// Compshare changed its free disk from 200 to 100 GB on 2026-04-15.
#[test]
fn terms_are_those_of_the_day() {
    let catalogue = Catalogue::shipped().unwrap();
    let free = |day: &str| {
        let terms = catalogue.terms("compshare", Some(day.parse().unwrap()));
        terms.storage.first().map(|kind| kind.free.gb().to_string())
    };
    assert_eq!(free("2026-04-14").as_deref(), Some("200"));
    assert_eq!(free("2026-04-15").as_deref(), Some("100"));
    assert_eq!(catalogue.terms("nobody", None).metering.granularity, None);
}
