//! What other tools call providers and cards.
//!
//! Checked against the packages themselves by `crates/cli/tests/it/exports.rs`: the clouds and card
//! names of SkyPilot 0.14.1 (`registry`, `gpu_names`, RunPod's map), and the backends of dstack
//! 0.22.5 with the cards of gpuhunt 0.1.34.

use kasuan_model::Card;

/// Providers that SkyPilot rents from, by its own names.
pub(super) const SKYPILOT: &[(&str, &str)] = &[
    ("aws", "aws"),
    ("azure", "azure"),
    ("gcp", "gcp"),
    ("oci", "oci"),
    ("lambda", "lambda"),
    ("runpod", "runpod"),
    ("vast-ai", "vast"),
    ("nebius", "nebius"),
    ("verda", "verda"),
    ("datacrunch", "verda"),
    ("digitalocean", "do"),
    ("primeintellect", "primeintellect"),
];

/// Providers that dstack rents from, by its own names.
pub(super) const DSTACK: &[(&str, &str)] = &[
    ("aws", "aws"),
    ("azure", "azure"),
    ("gcp", "gcp"),
    ("oci", "oci"),
    ("lambda", "lambda"),
    ("runpod", "runpod"),
    ("vast-ai", "vastai"),
    ("nebius", "nebius"),
    ("verda", "verda"),
    ("datacrunch", "verda"),
    ("digitalocean", "digitalocean"),
    ("vultr", "vultr"),
    ("crusoe", "crusoe"),
    ("jarvislabs", "jarvislabs"),
    ("jarvis-labs", "jarvislabs"),
    ("hotaisle", "hotaisle"),
    ("tensordock", "tensordock"),
];

/// RunPod's cards in SkyPilot, where they are not called as on other clouds.
const SKYPILOT_RUNPOD: &[(&str, &str)] = &[
    ("a100-sxm4-80", "A100-80GB-SXM"),
    ("h100-sxm5-80", "H100-SXM"),
    ("h200-sxm-141", "H200-SXM"),
    ("v100-sxm2-16", "V100-SXM2"),
    ("v100-sxm2-32", "V100-SXM2-32GB"),
    ("rtx-a4000", "RTXA4000"),
    ("rtx-a4500", "RTXA4500"),
    ("rtx-a5000", "RTXA5000"),
    ("rtx-a6000", "RTXA6000"),
    ("rtx-3080-ti", "RTX3080-Ti"),
    ("rtx-3090-ti", "RTX3090-Ti"),
];

/// SkyPilot's names that do not follow from ours.
const SKYPILOT_CARDS: &[(&str, &str)] = &[
    ("a100-sxm4-80", "A100-80GB"),
    ("a100-pcie-80", "A100-80GB"),
    ("v100-sxm2-32", "V100-32GB"),
    ("v100-pcie-32", "V100-32GB"),
    ("h100-nvl-94", "H100-NVL"),
    ("rtx-a4000", "A4000"),
    ("rtx-a5000", "A5000"),
    ("rtx-a6000", "A6000"),
    ("rtx-2000-ada", "RTX2000-Ada"),
    ("rtx-4000-ada", "RTX4000-Ada"),
    ("rtx-5000-ada", "RTX5000-Ada"),
    ("rtx-6000-ada", "RTX6000-Ada"),
    ("quadro-rtx-6000", "RTX6000"),
    ("t4g", "T4g"),
];

/// dstack's names that do not follow from ours.
const DSTACK_CARDS: &[(&str, &str)] = &[
    ("h100-nvl-94", "H100NVL"),
    ("h200-nvl-141", "H200NVL"),
    ("rtx-a4000", "A4000"),
    ("rtx-a4500", "A4500"),
    ("rtx-a5000", "A5000"),
    ("rtx-a6000", "A6000"),
    ("rtx-2000-ada", "RTX2000Ada"),
    ("rtx-4000-ada", "RTX4000Ada"),
    ("rtx-6000-ada", "RTX6000Ada"),
    ("quadro-rtx-6000", "RTX6000"),
    ("rtx-2080-ti", "RTX2080Ti"),
    ("rtx-3060-ti", "RTX3060Ti"),
    ("rtx-3070-ti", "RTX3070Ti"),
    ("rtx-3080-ti", "RTX3080Ti"),
    ("rtx-3090-ti", "RTX3090Ti"),
    ("rtx-4060-ti-16", "RTX4060Ti"),
    ("rtx-4070-ti", "RTX4070Ti"),
    ("rtx-4070-ti-super", "RTX4070TiSUPER"),
    ("rtx-5060-ti-16", "RTX5060Ti"),
    ("rtx-5070-ti", "RTX5070Ti"),
];

/// Cards that dstack's table of cards does not have: no machine would ever be found.
const DSTACK_UNKNOWN: &[&str] =
    &["k80", "m40", "m60", "p4", "p40", "t4g", "mi25", "v520", "v710", "mi325x-256", "p106-100"];

/// Returns SkyPilot's name of a card on a cloud.
pub(super) fn skypilot_card(card: &Card, cloud: &str) -> String {
    let runpod = if cloud == "runpod" { SKYPILOT_RUNPOD } else { &[] };
    named(runpod, card).or_else(|| named(SKYPILOT_CARDS, card)).unwrap_or_else(|| upper(card))
}

/// Returns dstack's name of a card; `None` where it knows no such card.
pub(super) fn dstack_card(card: &Card) -> Option<String> {
    let known = !DSTACK_UNKNOWN.contains(&card.id.as_str());
    known.then(|| named(DSTACK_CARDS, card).unwrap_or_else(|| upper(card)))
}

fn named(names: &[(&str, &str)], card: &Card) -> Option<String> {
    let found = names.iter().find(|(id, _)| *id == card.id.as_str());
    found.map(|(_, name)| (*name).to_owned())
}

fn upper(card: &Card) -> String {
    family(card).to_uppercase()
}

/// Returns a card's family: its id without memory, form factor and hyphens.
pub(super) fn family(card: &Card) -> String {
    let form = ["sxm", "sxm2", "sxm4", "sxm5", "pcie", "nvl"];
    let gib = card.memory.gib();
    let mut parts: Vec<&str> = card.id.as_str().split('-').collect();
    let last = parts.last().and_then(|part| part.parse::<f64>().ok());
    if parts.len() > 1 && last.is_some_and(|gb| (gb - gib).abs() <= gib * 0.1) {
        parts.pop();
    }
    parts.retain(|part| !form.contains(part));
    parts.concat()
}
