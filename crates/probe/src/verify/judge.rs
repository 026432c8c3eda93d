//! What the figures of the first validation mean, and what to do about them.

use super::{Broke, DataPath, Outcome, Step, Stored};
use crate::machine::{Health, MachineCheck};
use kasuan_model::{Bytes, Card, Phrase};
use std::io;

/// A good square matrix product reaches 60 to 90 % of the dense peak. Below this share another job
/// shares the card, its clock is capped, or it is not the card that its name says.
const SLOW_COMPUTE: f64 = 0.4;
/// A plain copy reaches 75 to 95 % of the stated memory bandwidth.
const SLOW_BANDWIDTH: f64 = 0.6;
/// Below this, a slot is narrow (x4, a riser) or an old generation; 3.0 x16 gives 12 GB/s pinned.
const SLOW_UPLOAD: f64 = 6e9;
/// Between cards of one machine; PCIe through the host gives 10 GB/s and more.
const SLOW_PEER: f64 = 5e9;
/// Less free memory than this share means that somebody else holds some.
const MOSTLY_FREE: f64 = 0.9;
/// A data folder that is read slower than this holds back one card that reads images: a SATA disk
/// gives 500 MB/s, a spinning disk or a far network store 100 (case FX-103).
const SLOW_READ: f64 = 150e6;
/// Files a second below which small files hold a card back; an ImageNet loader of one current
/// card asks for a thousand and more.
const FEW_FILES: f64 = 500.0;
/// Cores for each card below which loaders hold the card up (pytorch/examples#387: 32 for 8).
const CORES_PER_CARD: usize = 4;
/// More workers than this for one card only use memory.
const MOST_WORKERS: usize = 16;

fn check(part: &'static str, health: Health, evidence: Phrase) -> MachineCheck {
    MachineCheck { part, health, evidence, fix: None }
}

fn bad(part: &'static str, evidence: Phrase, fix: Phrase) -> MachineCheck {
    MachineCheck { part, health: Health::Bad, evidence, fix: Some(fix) }
}

/// Good at or above the line, else to be watched, with what to do.
fn line(part: &'static str, good: bool, evidence: Phrase, fix: Phrase) -> MachineCheck {
    if good {
        check(part, Health::Good, evidence)
    } else {
        MachineCheck { part, health: Health::Watch, evidence, fix: Some(fix) }
    }
}

/// Judges what the script said. `card_of` finds the card of a name in the card table, whose peaks
/// the rates are compared with; without it a rate is shown and not judged.
pub fn judge_steps(outcome: &Outcome, card_of: impl Fn(&str) -> Option<Card>) -> Vec<MachineCheck> {
    let named = |ordinal: Option<u64>| {
        let found = outcome.steps.iter().find(|step| step.step == "device" && step.card == ordinal);
        found.and_then(|step| step.text("name")).and_then(&card_of)
    };
    let mut checks: Vec<MachineCheck> =
        outcome.steps.iter().map(|step| judge_step(step, named(step.card).as_ref())).collect();
    match &outcome.broke {
        Some(Broke::TimedOut(limit)) => checks.push(bad(
            "SCRIPT",
            Phrase::new("verify-timed-out").with("seconds", limit.as_secs()),
            Phrase::new(stuck(&outcome.steps)),
        )),
        Some(Broke::Failed(reason)) => checks.push(bad(
            "SCRIPT",
            Phrase::new("verify-script-failed").with("reason", reason),
            Phrase::new("verify-script-failed-fix"),
        )),
        None => {}
    }
    checks
}

/// What to do about a script that did not end, by how far it came.
fn stuck(steps: &[Step]) -> &'static str {
    let no_card = steps.iter().any(|step| step.step == "device" && !step.passed);
    match (steps.is_empty(), no_card) {
        (true, _) => "verify-timed-out-import-fix",
        (false, true) => "verify-timed-out-cpu-fix",
        (false, false) => "verify-timed-out-fix",
    }
}

/// Where a step ran; without a card the script measures the processor, which proves torch only.
fn place(step: &Step) -> String {
    step.card.map_or_else(|| "CPU".to_owned(), |card| format!("GPU {card}"))
}

fn judge_step(step: &Step, card: Option<&Card>) -> MachineCheck {
    if let (false, Some(reason)) = (step.passed, step.text("reason")) {
        return failed(step, reason);
    }
    let at = place(step);
    let at = at.as_str();
    let figure = |name| step.figure(name).unwrap_or(0.0);
    match step.step.as_str() {
        "import" => check(
            "TORCH",
            Health::Good,
            match step.text("cuda") {
                Some(cuda) => Phrase::new("verify-torch")
                    .with("torch", step.text("torch").unwrap_or("?"))
                    .with("cuda", cuda),
                None => Phrase::new("verify-torch-without-cuda")
                    .with("torch", step.text("torch").unwrap_or("?")),
            },
        ),
        "device" => check(
            "DEVICE",
            Health::Good,
            Phrase::new("verify-device")
                .with("place", at)
                .with("name", step.text("name").unwrap_or("?"))
                .with("memory", Bytes::new(step.figures["memory_bytes"].as_u64().unwrap_or(0))),
        ),
        "matmul" => {
            let error = format!("{:.1e}", figure("relative_error"));
            let evidence = Phrase::new("verify-kernel").with("place", at).with("error", error);
            if step.passed {
                check("KERNEL", Health::Good, evidence)
            } else {
                bad("KERNEL", evidence, Phrase::new("verify-broken-card-fix"))
            }
        }
        "rate" => rate(step, card, at),
        "bandwidth" => {
            let measured = figure("bytes_per_second");
            let peak = card.and_then(|card| card.bandwidth);
            against("BANDWIDTH", measured, peak, SLOW_BANDWIDTH, |share| {
                Phrase::new(if share.is_some() {
                    "verify-bandwidth-share"
                } else {
                    "verify-bandwidth"
                })
                .with("place", at)
                .with("rate", gigabytes(measured))
                .with("share", share.unwrap_or_default())
            })
        }
        "upload" => {
            let measured = figure("bytes_per_second");
            line(
                "UPLOAD",
                measured >= SLOW_UPLOAD,
                Phrase::new("verify-upload").with("place", at).with("rate", gigabytes(measured)),
                Phrase::new("verify-upload-fix"),
            )
        }
        "memory" => memory(step, at),
        "peer" => peer(step),
        _ => check("SCRIPT", Health::Unknown, Phrase::new("machine-not-seen")),
    }
}

/// A step that ended in an error, in the words of torch, and the way out that belongs to it.
fn failed(step: &Step, reason: &str) -> MachineCheck {
    let (part, fix) = match step.step.as_str() {
        "import" => ("TORCH", "verify-torch-fix"),
        "device" => ("DEVICE", "verify-device-fix"),
        "memory" => ("MEMORY", "verify-memory-fix"),
        "peer" => ("PEER", "verify-peer-fix"),
        "rate" => ("COMPUTE", "verify-kernel-fix"),
        "bandwidth" => ("BANDWIDTH", "verify-kernel-fix"),
        "upload" => ("UPLOAD", "verify-kernel-fix"),
        _ => ("KERNEL", "verify-kernel-fix"),
    };
    bad(part, Phrase::new("verify-failed").with("reason", reason), Phrase::new(fix))
}

fn rate(step: &Step, card: Option<&Card>, at: &str) -> MachineCheck {
    let kind = step.text("kind").unwrap_or("?");
    let measured = step.figure("flops").unwrap_or(0.0);
    if !step.passed {
        let evidence = Phrase::new("verify-not-finite").with("place", at).with("kind", kind);
        return bad("COMPUTE", evidence, Phrase::new("verify-broken-card-fix"));
    }
    // BF16 on a card that emulates it has no peak to be compared with.
    let peak = card.and_then(|card| match kind {
        "float16" => card.tensor_flops,
        "bfloat16" if card.bf16 == Some(true) => card.tensor_flops,
        _ => None,
    });
    against("COMPUTE", measured, peak, SLOW_COMPUTE, |share| {
        Phrase::new(if share.is_some() { "verify-rate-share" } else { "verify-rate" })
            .with("place", at)
            .with("kind", kind)
            .with("rate", flops(measured))
            .with("share", share.unwrap_or_default())
    })
}

/// A rate beside the card's peak; not judged where the peak is unknown.
fn against(
    part: &'static str,
    measured: f64,
    peak: Option<f64>,
    least: f64,
    say: impl Fn(Option<String>) -> Phrase,
) -> MachineCheck {
    match peak.filter(|peak| *peak > 0.0).map(|peak| measured / peak) {
        Some(share) => line(
            part,
            share >= least,
            say(Some(format!("{:.0}%", share * 100.0))),
            Phrase::new("verify-slow-fix"),
        ),
        None => check(part, Health::Good, say(None)),
    }
}

fn memory(step: &Step, at: &str) -> MachineCheck {
    let bytes = |name: &str| step.figures[name].as_u64().unwrap_or(0);
    let evidence = Phrase::new("verify-memory")
        .with("place", at)
        .with("filled", Bytes::new(bytes("filled_bytes")))
        .with("free", Bytes::new(bytes("free_bytes")))
        .with("total", Bytes::new(bytes("total_bytes")));
    if !step.passed {
        return bad("MEMORY", evidence, Phrase::new("verify-broken-card-fix"));
    }
    let (free, total) = (step.figure("free_bytes"), step.figure("total_bytes"));
    let mostly = free.zip(total).is_none_or(|(free, total)| free >= total * MOSTLY_FREE);
    line("MEMORY", mostly, evidence, Phrase::new("verify-memory-shared-fix"))
}

fn peer(step: &Step) -> MachineCheck {
    let measured = step.figure("bytes_per_second").unwrap_or(0.0);
    let direct = step.figures["direct"].as_bool().unwrap_or(false);
    let key = if direct { "verify-peer-direct" } else { "verify-peer-host" };
    let evidence = Phrase::new(key).with("rate", gigabytes(measured));
    if !step.passed {
        return bad("PEER", evidence, Phrase::new("verify-broken-card-fix"));
    }
    line("PEER", measured >= SLOW_PEER, evidence, Phrase::new("verify-peer-fix"))
}

/// An amount of data as disks are sold: decimal, since small sets would print as 0.0 GiB.
#[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

fn flops(rate: f64) -> String {
    if rate >= 1e12 {
        format!("{:.1} TFLOPS", rate / 1e12)
    } else {
        format!("{:.1} GFLOPS", rate / 1e9)
    }
}

fn gigabytes(rate: f64) -> String {
    if rate >= 1e9 { format!("{:.1} GB/s", rate / 1e9) } else { format!("{:.0} MB/s", rate / 1e6) }
}

/// Judges the way to the data. `cores` are the machine's, `cards` how many share them.
pub fn judge_data(seen: &DataPath, cores: Option<usize>, cards: usize) -> Vec<MachineCheck> {
    let mut checks = Vec::new();
    if seen.files == 0 {
        let fix = Phrase::new("verify-data-empty-fix");
        return vec![bad("DATA", Phrase::new("verify-data-empty"), fix)];
    }
    let count = if seen.more { format!("> {}", seen.files) } else { seen.files.to_string() };
    let counted = Phrase::new("verify-data-files")
        .with("files", count)
        .with("small", seen.small)
        .with("size", size(seen.bytes));
    checks.push(line("FILES", !seen.should_be_packed(), counted, Phrase::new("verify-data-pack")));
    let rate = |rate: Option<f64>| rate.map_or_else(|| "-".to_owned(), gigabytes);
    let evidence = Phrase::new("verify-data-read")
        .with("cold", rate(seen.cold))
        .with("warm", rate(seen.warm))
        .with("files", seen.files_per_second.map_or_else(|| "-".to_owned(), |n| format!("{n:.0}")));
    // Small files are counted, large ones weighed.
    let quick = if seen.small.saturating_mul(2) > seen.files {
        seen.files_per_second.is_none_or(|files| files >= FEW_FILES)
    } else {
        seen.cold.is_none_or(|rate| rate >= SLOW_READ)
    };
    checks.push(line("READ", quick, evidence, Phrase::new("verify-data-slow-fix")));
    if let Some(cores) = cores {
        let each = cores / cards.max(1);
        // One core is left to the training loop itself.
        let workers = each.saturating_sub(1).clamp(1, MOST_WORKERS);
        let evidence = Phrase::new("verify-loaders")
            .with("cores", cores)
            .with("cards", cards.max(1))
            .with("workers", workers);
        let fix = Phrase::new("verify-loaders-fix").with("cores", CORES_PER_CARD * cards.max(1));
        checks.push(line("LOADERS", each >= CORES_PER_CARD, evidence, fix));
    }
    checks
}

/// Judges the place for results.
pub fn judge_store(stored: &io::Result<Stored>) -> MachineCheck {
    match stored {
        Ok(stored) if stored.same => check(
            "STORE",
            Health::Good,
            Phrase::new("verify-store")
                .with("mebibytes", stored.bytes >> 20)
                .with("rate", stored.rate().map_or_else(|| "-".to_owned(), gigabytes)),
        ),
        Ok(_) => bad("STORE", Phrase::new("verify-store-differs"), Phrase::new("verify-store-fix")),
        Err(error) => bad(
            "STORE",
            Phrase::new("verify-store-failed").with("reason", error),
            Phrase::new("verify-store-fix"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::read;
    use kasuan_model::{CardId, Source};

    fn card() -> Card {
        Card {
            id: CardId::new("x"),
            display: "X".to_owned(),
            vendor: "nvidia".to_owned(),
            architecture: "Ampere".to_owned(),
            memory: Bytes::from_gib(24),
            usable_memory: None,
            bandwidth: Some(936e9),
            fp32_flops: None,
            tensor_flops: Some(71e12),
            fp8_flops: None,
            bf16: Some(true),
            compute_capability: Some((8, 6)),
            nvlink: None,
            pcie: None,
            power_watts: None,
            ecc: None,
            source: Source::stated("a test"),
        }
    }

    fn one(line: &str) -> MachineCheck {
        let device = "{\"step\":\"device\",\"outcome\":\"pass\",\"card\":0,\"name\":\"X\"}\n";
        let outcome = Outcome { steps: read(&format!("{device}{line}")), broke: None };
        judge_steps(&outcome, |_| Some(card())).pop().unwrap()
    }

    #[test]
    fn a_rate_is_judged_by_its_share_of_the_peak() {
        let rate = |flops: &str| {
            one(&format!(
                "{{\"step\":\"rate\",\"outcome\":\"pass\",\"card\":0,\"kind\":\"float16\",\"flops\":{flops}}}"
            ))
        };
        assert_eq!(rate("60e12").health, Health::Good);
        assert_eq!(rate("20e12").health, Health::Watch);
        assert!(rate("20e12").fix.is_some());
    }

    #[test]
    fn fx_107_full_use_at_a_fifth_of_the_peak_is_told() {
        // The driver's share of business is 100 % in both cases; only the rate tells them apart.
        let line = "{\"step\":\"rate\",\"outcome\":\"pass\",\"card\":0,\"kind\":\"float16\",\"flops\":14.2e12}";
        let check = one(line);
        assert_eq!(check.health, Health::Watch);
        assert!(check.evidence.args().iter().any(|(_, text)| text == "20%"), "{check:?}");
    }

    #[test]
    fn a_wrong_product_is_a_broken_card_and_not_a_slow_one() {
        let check =
            one("{\"step\":\"matmul\",\"outcome\":\"fail\",\"card\":0,\"relative_error\":0.5}");
        assert_eq!(check.health, Health::Bad);
    }

    #[test]
    fn memory_that_somebody_else_holds_is_named() {
        let memory = |free: u64| {
            one(&format!(
                "{{\"step\":\"memory\",\"outcome\":\"pass\",\"card\":0,\"free_bytes\":{free},\"total_bytes\":100,\"filled_bytes\":1}}"
            ))
        };
        assert_eq!(memory(95).health, Health::Good);
        assert_eq!(memory(50).health, Health::Watch);
    }

    #[test]
    fn an_error_keeps_torchs_words_and_gets_a_way_out() {
        let check = one(
            "{\"step\":\"matmul\",\"outcome\":\"fail\",\"card\":0,\"reason\":\"RuntimeError: CUDA error: no kernel image is available\"}",
        );
        assert_eq!(check.health, Health::Bad);
        assert!(check.evidence.args().iter().any(|(_, text)| text.contains("no kernel image")));
        assert_eq!(check.fix.unwrap().key(), "verify-kernel-fix");
    }

    #[test]
    fn fx_103_data_on_a_slow_disk_holds_the_card_back() {
        let seen = DataPath {
            files: 100,
            bytes: 100 << 30,
            cold: Some(40e6),
            warm: Some(4e9),
            files_per_second: Some(1.0),
            ..DataPath::default()
        };
        assert_eq!(judge_data(&seen, None, 1)[1].health, Health::Watch);
        let near = DataPath { cold: Some(2e9), ..seen };
        assert_eq!(judge_data(&near, None, 1)[1].health, Health::Good);
    }

    #[test]
    fn fx_104_eight_cards_want_32_cores() {
        let seen = DataPath { files: 100, bytes: 1 << 30, ..DataPath::default() };
        let loaders = |cores| judge_data(&seen, Some(cores), 8).pop().unwrap();
        assert_eq!(loaders(32).health, Health::Good);
        let few = loaders(16);
        assert_eq!(few.health, Health::Watch);
        assert!(few.fix.unwrap().args().iter().any(|(_, text)| text == "32"));
    }
}
