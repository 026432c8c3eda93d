//! The compatibility tables as data, each row with its source; shipped inside the binary.

use super::{
    rows::{
        Branch, CardDriver, CardRow, ComponentRule, Dynamo, Expect, MajorFloor, PipDefault,
        SmRange, TensorFlow, Toolkit, TorchBuild, TorchPython, TorchRelease, VllmPin,
    },
    version::Version,
};
use serde::{Deserialize, de::DeserializeOwned};
use std::{collections::BTreeSet, fmt};

/// A compute capability: major and minor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Capability(pub u32, pub u32);

impl Capability {
    /// Reads `12.0`, `8.9`, or the compact `120`, `sm_89`, `90a` of architecture lists.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches("sm_").trim_start_matches("compute_");
        if let Some((major, minor)) = text.split_once('.') {
            return Some(Self(major.parse().ok()?, minor.parse().ok()?));
        }
        let digits = text.trim_end_matches(['a', 'f']);
        let number: u32 = digits.parse().ok()?;
        (number >= 10).then_some(Self(number / 10, number % 10))
    }

    /// Returns whether machine code for `self` runs on a card of `card`: same major, minor not
    /// above the card's (CUDA programming guide, binary compatibility).
    pub fn runs_on(self, card: Self) -> bool {
        self.0 == card.0 && self.1 <= card.1
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// The architectures a build was compiled for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArchList {
    /// Machine code.
    pub code: BTreeSet<Capability>,
    /// Intermediate code that a driver can compile for newer cards.
    pub ptx: BTreeSet<Capability>,
}

impl ArchList {
    /// Reads lists such as `sm_50 sm_90 compute_90`, `50 60 ptx86`, `7.5 8.0+PTX`.
    pub fn parse(text: &str) -> Self {
        let mut list = Self::default();
        for word in text.split([' ', ',', ';']).filter(|word| !word.is_empty()) {
            let word = word.trim_matches(|c: char| matches!(c, '[' | ']' | '\'' | '"'));
            let (bare, with_ptx) = match word.strip_suffix("+PTX") {
                Some(bare) => (bare, true),
                None => (word, false),
            };
            let only_ptx = bare.strip_prefix("ptx").or_else(|| bare.strip_prefix("compute_"));
            if let Some(found) = only_ptx.and_then(Capability::parse) {
                list.ptx.insert(found);
            } else if let Some(found) = Capability::parse(bare) {
                list.code.insert(found);
                if with_ptx {
                    list.ptx.insert(found);
                }
            }
        }
        list
    }

    /// Writes the list as PyTorch does, `sm_80 sm_90 compute_90`.
    pub fn text(&self) -> String {
        let code = self.code.iter().map(|c| format!("sm_{}{}", c.0, c.1));
        let ptx = self.ptx.iter().map(|c| format!("compute_{}{}", c.0, c.1));
        code.chain(ptx).collect::<Vec<_>>().join(" ")
    }
}

#[derive(Deserialize)]
struct Components {
    rule: Vec<ComponentRule>,
    dynamo: Vec<Dynamo>,
    expect: Expect,
}

/// All tables.
#[derive(Clone, Debug)]
pub struct Tables {
    pub(super) toolkits: Vec<Toolkit>,
    pub(super) floors: Vec<MajorFloor>,
    pub(super) branches: Vec<Branch>,
    pub(super) sm_ranges: Vec<SmRange>,
    pub(super) releases: Vec<TorchRelease>,
    pub(super) pythons: Vec<TorchPython>,
    pub(super) builds: Vec<TorchBuild>,
    pub(super) defaults: Vec<PipDefault>,
    pub(super) vllm: Vec<VllmPin>,
    pub(super) tensorflow: Vec<TensorFlow>,
    pub(super) cards: Vec<CardRow>,
    pub(super) card_drivers: Vec<CardDriver>,
    pub(super) rules: Vec<ComponentRule>,
    pub(super) dynamo: Vec<Dynamo>,
    pub(super) expect: Expect,
}

/// A shipped table that cannot be read; the data integrity test keeps it from happening.
#[derive(Debug, thiserror::Error)]
#[error("table {table}: {why}")]
pub struct TableError {
    table: &'static str,
    why: String,
}

macro_rules! shipped {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../../data/compat/", $name)))
    };
}

type Row = Vec<String>;

impl Tables {
    /// Reads the tables that ship with the program.
    pub fn embedded() -> Result<Self, TableError> {
        let components: Components = from_toml(shipped!("components.toml"))?;
        Ok(Self {
            toolkits: rows(shipped!("cuda_driver.csv"), |row| {
                Some(Toolkit {
                    cuda: row.version(0)?,
                    linux: row.version(2)?,
                    windows: row.version(3),
                    source: row.text(4)?,
                })
            })?,
            floors: rows(shipped!("cuda_minor_compat.csv"), |row| {
                let linux = row.version(1)?;
                Some(MajorFloor {
                    major: row.number(0)?,
                    linux,
                    windows: row.version(2),
                    source: row.text(5)?,
                })
            })?,
            branches: rows(shipped!("driver_branch.csv"), |row| {
                Some(Branch { branch: row.version(0)?.major(), max_cuda: row.version(1)? })
            })?,
            sm_ranges: rows(shipped!("cuda_sm_range.csv"), |row| {
                Some(SmRange {
                    from: row.version(0)?,
                    to: row.version(1)?,
                    least: Capability::parse(row.get(2)?)?,
                    most: Capability::parse(row.get(3)?)?,
                    source: row.text(5)?,
                })
            })?,
            releases: rows(shipped!("torch_release.csv"), |row| {
                let cuda = row.get(2)?.split_whitespace().filter_map(|v| v.parse().ok()).collect();
                Some(TorchRelease { torch: row.version(0)?, cuda, source: row.text(4)? })
            })?,
            pythons: rows(shipped!("torch_python.csv"), |row| {
                Some(TorchPython {
                    torch: row.version(0)?,
                    least: row.version(1)?,
                    most: row.version(2)?,
                    source: row.text(3)?,
                })
            })?,
            builds: rows(shipped!("torch_arch.csv"), |row| {
                let mut archs = ArchList::parse(row.get(2)?);
                let ptx = row.get(3)?.split_whitespace().next().and_then(Capability::parse);
                archs.ptx.extend(ptx);
                Some(TorchBuild {
                    torch: row.version(0)?,
                    cuda: row.version(1)?,
                    archs,
                    conda: row.get(4)?.starts_with("conda"),
                    arm: row.get(0)?.ends_with("+aarch64"),
                    source: row.text(5)?,
                })
            })?,
            defaults: rows(shipped!("torch_pypi_default.csv"), |row| {
                Some(PipDefault {
                    torch: row.version(0)?,
                    cuda: row.version(1)?,
                    source: row.text(4)?,
                })
            })?,
            vllm: rows(shipped!("vllm_pins.csv"), |row| {
                Some(VllmPin {
                    vllm: row.version(0)?,
                    torch: row.version(1)?,
                    python: row.text(2)?,
                    cuda: row.version(3)?,
                    source: row.text(4)?,
                })
            })?,
            tensorflow: rows(shipped!("tensorflow_release.csv"), |row| {
                let (least, most) = row.get(1)?.split_once('-')?;
                Some(TensorFlow {
                    version: row.version(0)?,
                    least: least.parse().ok()?,
                    most: most.parse().ok()?,
                    cuda: row.version(3)?,
                    source: row.text(4)?,
                })
            })?,
            cards: rows(shipped!("compute_capability.csv"), |row| {
                Some(CardRow {
                    capability: Capability::parse(row.get(0)?)?,
                    name: row.text(1)?,
                    source: row.text(2)?,
                })
            })?,
            card_drivers: rows(shipped!("card_driver.csv"), |row| {
                Some(CardDriver {
                    from: Capability::parse(row.get(0)?)?,
                    to: Capability::parse(row.get(1)?)?,
                    first: row.number(2),
                    last: row.number(3),
                    source: row.text(4)?,
                })
            })?,
            rules: components.rule,
            dynamo: components.dynamo,
            expect: components.expect,
        })
    }
}

trait Cells {
    fn get(&self, place: usize) -> Option<&str>;
    fn text(&self, place: usize) -> Option<String> {
        self.get(place).map(str::to_owned)
    }
    fn version(&self, place: usize) -> Option<Version> {
        self.get(place)?.parse().ok()
    }
    fn number(&self, place: usize) -> Option<u32> {
        self.get(place)?.parse().ok()
    }
}

impl Cells for Row {
    fn get(&self, place: usize) -> Option<&str> {
        <[String]>::get(self, place).map(String::as_str)
    }
}

fn rows<T>(
    (table, text): (&'static str, &str),
    read: impl Fn(&Row) -> Option<T>,
) -> Result<Vec<T>, TableError> {
    let mut found = Vec::new();
    for (place, record) in csv::Reader::from_reader(text.as_bytes()).records().enumerate() {
        let record = record.map_err(|error| TableError { table, why: error.to_string() })?;
        let row: Row = record.iter().map(str::to_owned).collect();
        // Rows that only explain (CUDA 10 has no major floor) carry no figures and are passed over.
        match read(&row) {
            Some(row) => found.push(row),
            None if table == "cuda_minor_compat.csv" => {}
            None => {
                return Err(TableError { table, why: format!("row {} cannot be read", place + 2) });
            }
        }
    }
    Ok(found)
}

fn from_toml<T: DeserializeOwned>((table, text): (&'static str, &str)) -> Result<T, TableError> {
    toml::from_str(text).map_err(|error| TableError { table, why: error.to_string() })
}
