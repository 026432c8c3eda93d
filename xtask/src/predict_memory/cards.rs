//! The cards that truth rows name, as far as memory outside of the tensors depends on them.

use super::row::Row;
use kasuan_model::{Bytes, Card, CardId, Source};

/// Name in the row, id, memory as sold in GiB, architecture.
const CARDS: &[(&str, &str, u32, &str)] = &[
    ("t4", "t4", 16, "Turing"),
    ("2080", "rtx-2080-ti", 11, "Turing"),
    ("titan rtx", "titan-rtx", 24, "Turing"),
    ("v100", "v100", 32, "Volta"),
    ("a100-40", "a100-pcie-40", 40, "Ampere"),
    ("a100-pcie-40", "a100-pcie-40", 40, "Ampere"),
    ("a100-sxm4-40", "a100-sxm-40", 40, "Ampere"),
    ("a100 40", "a100-sxm-40", 40, "Ampere"),
    ("a100", "a100-sxm-80", 80, "Ampere"),
    ("a800", "a800-80", 80, "Ampere"),
    ("a6000", "rtx-a6000", 48, "Ampere"),
    ("a10g", "a10g", 24, "Ampere"),
    ("3090", "rtx-3090", 24, "Ampere"),
    ("l40s", "l40s", 48, "Ada Lovelace"),
    ("l4", "l4", 24, "Ada Lovelace"),
    ("6000 ada", "rtx-6000-ada", 48, "Ada Lovelace"),
    ("4090", "rtx-4090", 24, "Ada Lovelace"),
    ("4080", "rtx-4080", 16, "Ada Lovelace"),
    ("4070", "rtx-4070-ti-super", 16, "Ada Lovelace"),
    ("gh200", "gh200", 96, "Hopper"),
    ("h100-96", "h100-96", 96, "Hopper"),
    ("h100", "h100-sxm-80", 80, "Hopper"),
    ("h200", "h200", 141, "Hopper"),
    ("80gb", "h100-sxm-80", 80, "Hopper"),
    ("h20", "h20", 96, "Hopper"),
    ("5090", "rtx-5090", 32, "Blackwell"),
];

/// What drivers report of cards whose rows don't say it, in GiB (public start-up logs).
const REPORTED: &[(&str, f64)] = &[("h100-sxm-80", 79.18), ("a100-sxm-80", 79.25)];

/// Returns the card that a row names; `(79.22GiB)` beside the name is what its driver reports.
pub(super) fn card(row: &Row<'_>) -> Option<Card> {
    let text = row.lower("gpu");
    let reported = text.split('(').nth(1).and_then(|rest| rest.split("gib").next()?.parse().ok());
    let (_, id, memory, architecture) = CARDS.iter().find(|(name, ..)| text.contains(name))?;
    let known = REPORTED.iter().find(|(card, _)| card == id).map(|(_, gib)| *gib);
    let reported = reported.or(known);
    Some(Card {
        id: CardId::new(id),
        display: (*id).to_owned(),
        vendor: "nvidia".to_owned(),
        architecture: (*architecture).to_owned(),
        memory: Bytes::from_gib(*memory),
        usable_memory: reported.map(|gib: f64| Bytes::from_estimate(gib * 1_073_741_824.0)),
        bandwidth: None,
        fp32_flops: None,
        tensor_flops: None,
        fp8_flops: None,
        bf16: None,
        compute_capability: None,
        nvlink: None,
        pcie: None,
        power_watts: None,
        ecc: None,
        source: Source::stated("truth row"),
    })
}
