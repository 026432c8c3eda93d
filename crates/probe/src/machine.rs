//! What this machine is: cards, driver, container, Python, memory, disk, limits. Reads files below
//! a root and runs a few programs; both are given, so tests bring their own.

mod checks;
mod host;
mod python;

pub use checks::{Health, MachineCheck, check};
pub use host::{Disk, Host};
pub use python::{Package, Python};

use crate::{
    capture::{self, Snapshot},
    doctor::{ArchList, Channel, Environment, Need, Origin, Platform},
};
use std::{path::Path, process::Command};

/// Programs that may be run on the machine.
pub trait Programs {
    /// Runs a program and returns its standard output, or `None` where it cannot be run or fails.
    fn output(&self, program: &str, arguments: &[&str]) -> Option<String>;
}

/// The programs that are installed here.
#[derive(Clone, Copy, Debug, Default)]
pub struct Installed;

impl Programs for Installed {
    fn output(&self, program: &str, arguments: &[&str]) -> Option<String> {
        let output = Command::new(program).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// The machine as it was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Machine {
    /// What `nvidia-smi -q -x` said; `None` where there is no working NVIDIA driver.
    pub nvidia: Option<Snapshot>,
    /// Which pairs of cards can read each other's memory, as `nvidia-smi topo -p2p r` prints it.
    pub peer_access: Option<bool>,
    /// Processor, memory, disks, limits, container.
    pub host: Host,
    /// The Python that `python` means here.
    pub python: Option<Python>,
}

/// Looks at the machine whose files are below `root` (`/` for this one).
pub fn inspect(root: &Path, programs: &dyn Programs) -> Machine {
    let nvidia = programs
        .output("nvidia-smi", &["-q", "-x"])
        .and_then(|text| capture::read(&text, None).ok())
        .and_then(|capture| capture.snapshots.into_iter().next())
        .filter(|snapshot| !snapshot.gpus.is_empty());
    let cards = nvidia.as_ref().map_or(0, |snapshot| whole_cards(snapshot).count());
    let peer_access = (cards > 1)
        .then(|| programs.output("nvidia-smi", &["topo", "-p2p", "r"]))
        .flatten()
        .and_then(|text| peers(&text));
    let host = host::read(root);
    let python = python::find(&host, programs);
    Machine { nvidia, peer_access, host, python }
}

/// Looks at the host alone, from files, without running anything.
pub fn host(root: &Path) -> Host {
    host::read(root)
}

/// Returns the cards themselves, without their MIG slices.
pub fn whole_cards(snapshot: &Snapshot) -> impl Iterator<Item = &capture::GpuSample> {
    snapshot.gpus.iter().filter(|gpu| gpu.slice.is_none())
}

/// Reads the matrix of peer access: `OK` for every pair means yes, any other code means no.
fn peers(text: &str) -> Option<bool> {
    let mut pairs = Vec::new();
    for line in text.lines().map(str::trim) {
        let mut words = line.split_whitespace();
        // Rows begin with the card and hold a code for each other one, `X` for itself; the line of
        // headings begins with the card too but holds no code.
        if words.next().is_some_and(|word| word.starts_with("GPU")) {
            pairs.extend(
                words.filter(|word| matches!(*word, "OK" | "CNS" | "GNS" | "TNS" | "NS" | "U")),
            );
        }
    }
    if pairs.is_empty() { None } else { Some(pairs.iter().all(|code| *code == "OK")) }
}

impl Machine {
    /// Returns what the doctor can be asked about this machine.
    pub fn environment(&self) -> Environment {
        let card = self.nvidia.as_ref().and_then(|snapshot| whole_cards(snapshot).next());
        let of_nvidia = |pick: fn(&Snapshot) -> &Option<String>| {
            self.nvidia.as_ref().and_then(|snapshot| pick(snapshot).as_ref()?.parse().ok())
        };
        let python = self.python.as_ref();
        let torch = python.and_then(|python| python.package("torch"));
        let mut needs: Vec<Need> = Vec::new();
        for name in ["vllm", "flash-attn", "xformers", "bitsandbytes"] {
            if let Some(package) = python.and_then(|python| python.package(name)) {
                needs.push(Need {
                    name: name.to_owned(),
                    version: package.version.parse().ok(),
                    image: false,
                });
            }
        }
        Environment {
            card: card.and_then(|card| card.name.clone()),
            capability: None,
            platform: if self.host.wsl { Platform::Windows } else { Platform::Linux },
            driver: of_nvidia(|snapshot| &snapshot.driver),
            driver_cuda: of_nvidia(|snapshot| &snapshot.driver_cuda),
            image_cuda: self.host.image_cuda.as_ref().and_then(|text| text.parse().ok()),
            compat_libraries: self.host.compat_libraries_first,
            torch: torch.and_then(|package| package.version.parse().ok()),
            torch_cuda: python
                .and_then(|python| python.torch_cuda.as_ref())
                .and_then(|text| text.parse().ok()),
            archs: None::<ArchList>,
            channel: match python {
                Some(python) if python.conda_torch => Channel::Conda,
                Some(_) => Channel::Wheel,
                None => Channel::Unknown,
            },
            python: python.and_then(|python| python.version.parse().ok()),
            uses_torch: torch.is_some(),
            needs,
            origin: Origin::Installed,
            install_only: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::peers;

    #[test]
    fn peer_access_needs_every_pair() {
        let all =
            " \tGPU0\tGPU1\n GPU0\tX\tOK\n GPU1\tOK\tX\n\nLegend:\n  X = Self\n  OK = Status Ok\n";
        assert_eq!(peers(all), Some(true));
        assert_eq!(peers(&all.replace("GPU0\tX\tOK", "GPU0\tX\tCNS")), Some(false));
        assert_eq!(peers("garbage"), None);
    }
}
