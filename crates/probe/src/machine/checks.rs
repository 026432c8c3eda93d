//! What is wrong with a rented machine apart from versions: too little shared memory, too few
//! cores, a slow slot, no access between cards.

use super::{Machine, whole_cards};
use kasuan_model::{Bytes, Phrase};

/// How a part of the machine is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Health {
    /// Nothing to do.
    Good,
    /// Works, but slower or only in part.
    Watch,
    /// Will fail.
    Bad,
    /// Could not be seen.
    Unknown,
}

impl Health {
    /// Returns the word of the JSON contract.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Good => "pass",
            Self::Watch => "warn",
            Self::Bad => "fail",
            Self::Unknown => "unknown",
        }
    }
}

/// One look at one part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineCheck {
    /// The part, for example `SHM`.
    pub part: &'static str,
    /// How it is.
    pub health: Health,
    /// What was seen.
    pub evidence: Phrase,
    /// What to do about it.
    pub fix: Option<Phrase>,
}

/// Cores for each card below which data loading holds the card up (pytorch/examples#387: at least
/// 32 for 8 cards).
const CORES_PER_CARD: f64 = 4.0;
/// Below this much shared memory loaders with workers die of "bus error" (Docker's default is
/// 64 MiB).
const LEAST_SHARED: Bytes = Bytes::from_gib(1);
/// Less free disk than this does not hold an image, an environment and one model.
const LEAST_DISK: Bytes = Bytes::from_gib(20);
/// Fewer open files than this break loaders of many shards.
const LEAST_OPEN_FILES: u64 = 4096;

/// Looks at every part.
pub fn check(machine: &Machine) -> Vec<MachineCheck> {
    let mut checks = vec![driver(machine)];
    checks.extend(cards(machine));
    checks.extend(peers(machine));
    checks.push(cores(machine));
    checks.push(memory(machine));
    checks.push(shared_memory(machine));
    checks.extend(disks(machine));
    checks.push(open_files(machine));
    checks.push(torch(machine));
    checks
}

fn good(part: &'static str, evidence: Phrase) -> MachineCheck {
    MachineCheck { part, health: Health::Good, evidence, fix: None }
}

fn unknown(part: &'static str) -> MachineCheck {
    let evidence = Phrase::new("machine-not-seen");
    MachineCheck { part, health: Health::Unknown, evidence, fix: None }
}

fn with_fix(part: &'static str, health: Health, evidence: Phrase, fix: Phrase) -> MachineCheck {
    MachineCheck { part, health, evidence, fix: Some(fix) }
}

fn driver(machine: &Machine) -> MachineCheck {
    match &machine.nvidia {
        Some(snapshot) => good(
            "DRIVER",
            Phrase::new("machine-driver")
                .with("driver", snapshot.driver.as_deref().unwrap_or("?"))
                .with("cuda", snapshot.driver_cuda.as_deref().unwrap_or("?")),
        ),
        None => with_fix(
            "DRIVER",
            Health::Bad,
            Phrase::new("machine-no-driver"),
            Phrase::new("machine-no-driver-fix"),
        ),
    }
}

fn cards(machine: &Machine) -> Vec<MachineCheck> {
    let mut checks = Vec::new();
    let Some(snapshot) = &machine.nvidia else { return checks };
    for (place, card) in whole_cards(snapshot).enumerate() {
        let index = card.index.map_or(place, |index| usize::try_from(index).unwrap_or(place));
        let name = card.name.as_deref().unwrap_or("?");
        if card.mig_parent {
            checks.push(with_fix(
                "MIG",
                Health::Watch,
                Phrase::new("machine-mig").with("index", index).with("card", name),
                Phrase::new("machine-mig-fix"),
            ));
        }
        if let (Some(now), Some(most)) = (card.pcie_width, card.pcie_width_max)
            && now < most
        {
            checks.push(with_fix(
                "PCIE",
                Health::Watch,
                Phrase::new("machine-pcie")
                    .with("index", index)
                    .with("now", now)
                    .with("most", most),
                Phrase::new("machine-pcie-fix"),
            ));
        }
        if let Some(used) = card.memory_used
            && used > Bytes::from_gib(1)
            && snapshot.processes.is_empty()
        {
            checks.push(with_fix(
                "MEMORY",
                Health::Watch,
                Phrase::new("machine-memory-taken").with("index", index).with("used", used),
                Phrase::new("machine-memory-taken-fix"),
            ));
        }
    }
    checks
}

fn peers(machine: &Machine) -> Option<MachineCheck> {
    match machine.peer_access? {
        true => Some(good("P2P", Phrase::new("machine-peers"))),
        false => Some(with_fix(
            "P2P",
            Health::Watch,
            Phrase::new("machine-no-peers"),
            Phrase::new("machine-no-peers-fix"),
        )),
    }
}

fn cores(machine: &Machine) -> MachineCheck {
    let Some(cores) = machine.host.cores else { return unknown("CPU") };
    let cards = machine.nvidia.as_ref().map_or(0, |snapshot| whole_cards(snapshot).count());
    let shown = format!("{cores:.1}");
    let shown = shown.trim_end_matches(".0");
    #[expect(clippy::cast_precision_loss, reason = "a machine has few cards")]
    let wanted = cards as f64 * CORES_PER_CARD;
    if cores < wanted {
        with_fix(
            "CPU",
            Health::Watch,
            Phrase::new("machine-few-cores").with("cores", shown).with("cards", cards),
            Phrase::new("machine-few-cores-fix"),
        )
    } else {
        good("CPU", Phrase::new("machine-cores").with("cores", shown))
    }
}

fn memory(machine: &Machine) -> MachineCheck {
    let Some(memory) = machine.host.memory else { return unknown("RAM") };
    let largest = machine
        .nvidia
        .as_ref()
        .and_then(|snapshot| whole_cards(snapshot).filter_map(|card| card.memory_total).max());
    match largest {
        Some(card) if memory < card => with_fix(
            "RAM",
            Health::Watch,
            Phrase::new("machine-little-memory").with("memory", memory).with("card", card),
            Phrase::new("machine-little-memory-fix"),
        ),
        _ => good("RAM", Phrase::new("machine-memory").with("memory", memory)),
    }
}

fn shared_memory(machine: &Machine) -> MachineCheck {
    let Some(shared) = machine.host.shared_memory else { return unknown("SHM") };
    if shared < LEAST_SHARED {
        with_fix(
            "SHM",
            Health::Bad,
            Phrase::new("machine-little-shm").with("shared", format!("{} MiB", shared.get() >> 20)),
            Phrase::new("machine-little-shm-fix"),
        )
    } else {
        good("SHM", Phrase::new("machine-shm").with("shared", shared))
    }
}

fn disks(machine: &Machine) -> Vec<MachineCheck> {
    let mut checks: Vec<MachineCheck> = Vec::new();
    let roomy = machine.host.disks.iter().any(|disk| disk.free >= LEAST_DISK);
    for disk in &machine.host.disks {
        if disk.free < LEAST_DISK && !roomy {
            checks.push(with_fix(
                "DISK",
                Health::Watch,
                Phrase::new("machine-little-disk").with("path", &disk.path).with("free", disk.free),
                Phrase::new("machine-little-disk-fix"),
            ));
        } else {
            checks.push(good(
                "DISK",
                Phrase::new("machine-disk")
                    .with("path", &disk.path)
                    .with("free", disk.free)
                    .with("total", disk.total),
            ));
        }
    }
    checks
}

fn open_files(machine: &Machine) -> MachineCheck {
    match machine.host.open_files {
        None => unknown("FILES"),
        Some(limit) if limit < LEAST_OPEN_FILES => with_fix(
            "FILES",
            Health::Watch,
            Phrase::new("machine-few-files").with("limit", limit),
            Phrase::new("machine-few-files-fix"),
        ),
        Some(limit) => good("FILES", Phrase::new("machine-files").with("limit", limit)),
    }
}

fn torch(machine: &Machine) -> MachineCheck {
    let Some(python) = &machine.python else { return unknown("PYTHON") };
    let version = &python.version;
    match python.package("torch") {
        Some(torch) if python.torch_without_cuda => with_fix(
            "TORCH",
            Health::Bad,
            Phrase::new("machine-torch-cpu").with("torch", &torch.version),
            Phrase::new("machine-torch-cpu-fix"),
        ),
        Some(torch) => good(
            "TORCH",
            Phrase::new("machine-torch")
                .with("torch", &torch.version)
                .with("cuda", python.torch_cuda.as_deref().unwrap_or("?"))
                .with("python", version),
        ),
        None => MachineCheck {
            part: "TORCH",
            health: Health::Unknown,
            evidence: Phrase::new("machine-no-torch")
                .with("python", version)
                .with("program", &python.program),
            fix: None,
        },
    }
}
