//! What earlier boxes with the same card gave, out of the ledger, and this box's figures into it.

use crate::commands::ledger_writer::host_name;
use jiff::Timestamp;
use kasuan_ledger::{Baseline, Ledger, LedgerError};
use kasuan_model::Phrase;
use kasuan_probe::{
    machine::{Health, MachineCheck},
    verify::{Outcome, Step},
};
use std::collections::BTreeMap;

/// The name of first validations among the ledger's baselines.
const JOB: &str = "kasuan verify";
/// Boxes with the same card differ by some per cent; a tenth is a power limit, heat or a neighbour.
const SLOWER: f64 = 0.9;

/// Compares with what the ledger has, then adds this box.
pub(super) fn compare_and_keep(
    ledger: &mut Ledger,
    outcome: &Outcome,
) -> Result<Vec<MachineCheck>, LedgerError> {
    let before = ledger.baselines(JOB)?;
    let mut checks = Vec::new();
    for (card, figures) in by_card(&outcome.steps) {
        let same = before.iter().filter(|kept| kept.card == card);
        let same: Vec<&Baseline> = same.collect();
        checks.extend(figures.iter().filter_map(|(name, now)| against(name, *now, &card, &same)));
        ledger.record_baseline(&Baseline {
            job: JOB.to_owned(),
            card,
            recorded: Timestamp::now(),
            environment: environment(&outcome.steps),
            figures,
        })?;
    }
    Ok(checks)
}

/// Gathers the rates of each card by its name; of several of one name the slowest counts.
fn by_card(steps: &[Step]) -> BTreeMap<String, BTreeMap<String, f64>> {
    let mut cards: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    let name_of = |ordinal: u64| {
        let device = steps.iter().find(|s| s.step == "device" && s.card == Some(ordinal));
        device.and_then(|step| step.text("name")).map(str::to_owned)
    };
    for step in steps.iter().filter(|step| step.passed) {
        let Some(card) = step.card.and_then(name_of) else { continue };
        let (name, value) = match step.step.as_str() {
            "rate" => {
                let kind = step.text("kind").unwrap_or("?");
                (format!("{kind}_flops"), step.figure("flops"))
            }
            "bandwidth" | "upload" => {
                (format!("{}_bytes_per_second", step.step), step.figure("bytes_per_second"))
            }
            "memory" => ("memory_total_bytes".to_owned(), step.figure("total_bytes")),
            _ => continue,
        };
        if let Some(value) = value {
            let kept = cards.entry(card).or_default().entry(name).or_insert(value);
            *kept = kept.min(value);
        }
    }
    cards
}

/// Judges a figure against the median of earlier boxes; nothing is said where there is none, or
/// where it is as good.
fn against(name: &str, now: f64, card: &str, before: &[&Baseline]) -> Option<MachineCheck> {
    let mut known: Vec<f64> =
        before.iter().filter_map(|kept| kept.figures.get(name).copied()).collect();
    known.sort_by(f64::total_cmp);
    let median = *known.get(known.len() / 2)?;
    let share = now / median;
    (share.is_finite() && share < SLOWER).then(|| MachineCheck {
        part: "HISTORY",
        health: Health::Watch,
        evidence: Phrase::new("verify-slower-than-before")
            .with("card", card)
            .with("share", format!("{:.0}%", share * 100.0))
            .with("boxes", known.len())
            .with_word("what", word(name)),
        fix: Some(Phrase::new("verify-slower-than-before-fix")),
    })
}

fn word(name: &str) -> &'static str {
    match name {
        "upload_bytes_per_second" => "verify-word-upload",
        "bandwidth_bytes_per_second" => "verify-word-bandwidth",
        "memory_total_bytes" => "verify-word-memory",
        _ => "verify-word-compute",
    }
}

fn environment(steps: &[Step]) -> String {
    let import = steps.iter().find(|step| step.step == "import");
    let text = |name: &str| import.and_then(|step| step.text(name)).unwrap_or("?");
    serde_json::json!({ "host": host_name(), "torch": text("torch"), "cuda": text("cuda") })
        .to_string()
}
