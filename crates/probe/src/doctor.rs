//! Will this environment run on this card? Rules over data tables, three answers: yes, no, unknown.
//!
//! A rule is a cause (the driver is older than the CUDA runtime asks, the wheel holds no code for
//! the card), never a pattern in an error text. What the tables do not know is unknown, not fine.

mod arch;
mod cards;
mod components;
mod driver;
mod environment;
mod inventory;
mod packages;
mod remedy;
mod report;
mod rows;
mod stated;
mod tables;
mod version;

pub use cards::{CardFacts, find as find_card};
pub use environment::{Channel, Environment, Need, Origin, Platform};
pub use inventory::environment_from_row;
pub use report::{Check, Diagnosis, Outcome, Verdict};
pub use stated::{Stated, StatedError, json};
pub use tables::{ArchList, Capability, TableError, Tables};
pub use version::{Version, VersionError};

/// Checks an environment against every rule that its parts call for.
pub fn diagnose(environment: &Environment, tables: &Tables) -> Diagnosis {
    let subject = Subject::new(environment, tables);
    let mut checks = Vec::new();
    if environment.install_only {
        packages::check(&subject, &mut checks);
    } else {
        driver::check(&subject, &mut checks);
        if environment.uses_torch {
            packages::check(&subject, &mut checks);
            arch::check(&subject, &mut checks);
        }
        components::check(&subject, &mut checks);
    }
    let remedy = remedy::find(&subject, &checks);
    Diagnosis::new(checks, remedy)
}

/// The environment with what can be concluded from it.
struct Subject<'a> {
    environment: &'a Environment,
    tables: &'a Tables,
    card: Option<CardFacts>,
    /// torch's CUDA: as stated, or what plain pip brings with the stated torch.
    torch_cuda: Option<Version>,
    /// The driver's branch.
    branch: Option<u32>,
    /// The newest CUDA that the driver speaks.
    driver_cuda: Option<Version>,
}

impl<'a> Subject<'a> {
    fn new(environment: &'a Environment, tables: &'a Tables) -> Self {
        let torch_cuda = environment.torch_cuda.clone().or_else(|| {
            let torch = environment.torch.as_ref()?;
            let by_pip = environment.origin == Origin::Planned
                && environment.channel != Channel::Conda
                && environment.archs.is_none();
            by_pip.then(|| tables.default_cuda(torch)).flatten()
        });
        Self {
            environment,
            tables,
            card: cards::find(environment, tables),
            torch_cuda,
            branch: environment.driver.as_ref().map(|driver| branch_of(driver.major())),
            driver_cuda: environment
                .driver_cuda
                .clone()
                .or_else(|| tables.cuda_of(environment.driver.as_ref()?, environment.platform)),
        }
    }
}

/// Returns the branch of a driver: Windows releases of R570 count 571 to 574, Linux ones stay.
fn branch_of(major: u32) -> u32 {
    if major >= 450 { major - major % 5 } else { major }
}

impl Tables {
    /// Returns the CUDA that plain `pip install torch==X` brings on Linux, as major.minor.
    fn default_cuda(&self, torch: &Version) -> Option<Version> {
        let (major, minor) = self.default_of(torch)?.cuda.major_minor()?;
        Some(Version::pair(major, minor))
    }

    fn default_of(&self, torch: &Version) -> Option<&rows::PipDefault> {
        self.defaults
            .iter()
            .find(|row| torch.is_prefix_of(&row.torch) || torch.same_minor(&row.torch))
    }

    /// Returns the newest CUDA that a driver speaks.
    fn cuda_of(&self, driver: &Version, platform: Platform) -> Option<Version> {
        let branch = branch_of(driver.major());
        if let Some(row) = self.branches.iter().find(|row| row.branch == branch) {
            return Some(row.max_cuda.clone());
        }
        let newest = self.branches.iter().map(|row| row.branch).max()?;
        if branch > newest {
            return None;
        }
        let needed = |row: &rows::Toolkit| match platform {
            Platform::Linux => Some(row.linux.clone()),
            Platform::Windows => row.windows.clone(),
        };
        self.toolkits
            .iter()
            .filter(|row| needed(row).is_some_and(|floor| driver.at_least(&floor) == Some(true)))
            .map(|row| row.cuda.clone())
            .max()
    }

    /// Returns the newest CUDA release that the tables know.
    fn newest_cuda(&self) -> Option<&Version> {
        self.toolkits.iter().map(|row| &row.cuda).max()
    }
}
