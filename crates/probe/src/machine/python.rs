//! The active Python and its packages, read from metadata: importing torch takes seconds and may
//! be the very thing that fails.

use super::{Programs, host::Host};
use std::{fs, path::Path};

/// An installed package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name with dashes, lower case.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The Python that a job would run with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Python {
    /// The program.
    pub program: String,
    /// Its version.
    pub version: String,
    /// Installed packages that matter to a card.
    pub packages: Vec<Package>,
    /// The CUDA version that torch was built with; `None` for a build without CUDA, or no torch.
    pub torch_cuda: Option<String>,
    /// Whether torch is a build without CUDA.
    pub torch_without_cuda: bool,
    /// Whether torch came from conda.
    pub conda_torch: bool,
}

impl Python {
    /// Returns an installed package.
    pub fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }
}

/// Packages that matter to a card.
const WATCHED: &[&str] = &[
    "torch",
    "vllm",
    "sglang",
    "flash-attn",
    "flashinfer-python",
    "xformers",
    "bitsandbytes",
    "transformers",
    "accelerate",
    "deepspeed",
    "peft",
    "triton",
    "lightning",
    "tensorflow",
    "jax",
];

/// Prints the version and the folders that modules are looked for in, one a line.
const ASK: &str = "import sys; print('.'.join(map(str, sys.version_info[:3]))); print(sys.prefix); print(*sys.path, sep='\\n')";

/// Finds the Python of the active environment, else the one on the search path.
pub(super) fn find(host: &Host, programs: &dyn Programs) -> Option<Python> {
    let mut candidates = Vec::new();
    for variable in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
        candidates
            .extend(host.variables.get(variable).map(|prefix| format!("{prefix}/bin/python")));
    }
    candidates.extend(["python3".to_owned(), "python".to_owned()]);
    for program in candidates {
        if let Some(answer) = programs.output(&program, &["-c", ASK]) {
            let mut lines = answer.lines();
            let version = lines.next()?.to_owned();
            let prefix = lines.next().unwrap_or("").to_owned();
            let folders: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
            return Some(read(program, version, &prefix, &folders));
        }
    }
    None
}

fn read(program: String, version: String, prefix: &str, folders: &[&str]) -> Python {
    let mut python = Python { program, version, ..Python::default() };
    for folder in folders {
        for package in packages(Path::new(folder)) {
            if python.package(&package.name).is_none() {
                python.packages.push(package);
            }
        }
        if python.torch_cuda.is_none()
            && let Ok(text) = fs::read_to_string(Path::new(folder).join("torch/version.py"))
        {
            let (torch, cuda) = torch_version(&text);
            if let Some(torch) = torch
                && python.package("torch").is_none()
            {
                python.packages.push(Package { name: "torch".to_owned(), version: torch });
            }
            python.torch_without_cuda = cuda.is_none();
            python.torch_cuda = cuda;
        }
    }
    python.packages.sort_by(|a, b| a.name.cmp(&b.name));
    let records = fs::read_dir(Path::new(prefix).join("conda-meta"));
    python.conda_torch = records.is_ok_and(|entries| {
        entries.flatten().any(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            name.starts_with("pytorch-2") || name.starts_with("pytorch-1")
        })
    });
    python
}

/// Lists the watched packages of a folder by their `NAME-VERSION.dist-info`.
fn packages(folder: &Path) -> Vec<Package> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        let Some((name, version)) =
            file.strip_suffix(".dist-info").and_then(|stem| stem.split_once('-'))
        else {
            continue;
        };
        let name = name.replace('_', "-").to_ascii_lowercase();
        if WATCHED.contains(&name.as_str()) {
            found.push(Package { name, version: version.to_owned() });
        }
    }
    found
}

/// Reads `torch/version.py`: `__version__ = '2.5.1+cu121'` and `cuda: Optional[str] = '12.1'`.
fn torch_version(text: &str) -> (Option<String>, Option<String>) {
    let value = |names: &[&str]| {
        text.lines().find_map(|line| {
            let (left, right) = line.split_once('=')?;
            let name = left.split(':').next()?.trim();
            let quoted = right.trim().trim_matches(['\'', '"']);
            (names.contains(&name) && quoted != "None").then(|| quoted.to_owned())
        })
    };
    (value(&["__version__"]), value(&["cuda"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn torch_is_read_without_importing_it() {
        let text = "__all__ = ['__version__', 'debug', 'cuda']\n__version__ = '2.8.0+cu128'\ndebug = False\ncuda: Optional[str] = '12.8'\nhip: Optional[str] = None\n";
        assert_eq!(torch_version(text), (Some("2.8.0+cu128".to_owned()), Some("12.8".to_owned())));
        let cpu = "__version__ = '2.8.0+cpu'\ncuda: Optional[str] = None\n";
        assert_eq!(torch_version(cpu), (Some("2.8.0+cpu".to_owned()), None));
    }

    #[test]
    fn packages_are_found_by_their_metadata() {
        let folder = tempfile::tempdir().unwrap();
        for name in
            ["flash_attn-2.8.3.dist-info", "vllm-0.10.0.dist-info", "requests-2.0.dist-info"]
        {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::create_dir(folder.path().join("torch")).unwrap();
        fs::write(
            folder.path().join("torch/version.py"),
            "__version__ = '2.7.1+cu126'\ncuda: Optional[str] = '12.6'\n",
        )
        .unwrap();
        let path = folder.path().to_string_lossy().into_owned();
        let python = read("python3".to_owned(), "3.12.3".to_owned(), "", &[&path]);
        let named: Vec<_> = python.packages.iter().map(|package| package.name.as_str()).collect();
        assert_eq!(named, ["flash-attn", "torch", "vllm"]);
        assert_eq!(python.torch_cuda.as_deref(), Some("12.6"));
    }
}
