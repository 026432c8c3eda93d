//! What is known of an environment: the questions that the rules ask, every answer optional.

use super::{
    tables::{ArchList, Capability},
    version::Version,
};

/// The operating system whose driver is used; under WSL that is the Windows driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Platform {
    /// Linux.
    #[default]
    Linux,
    /// Windows, or Linux inside WSL.
    Windows,
}

/// How sure it is that the stated versions are really installed together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// The user means to install it: a wheel that does not exist is a failure.
    #[default]
    Planned,
    /// It is installed: a combination that is not in the tables is a build of somebody else's.
    Installed,
}

/// Where torch came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Channel {
    /// Not known.
    #[default]
    Unknown,
    /// Wheels of the official index.
    Wheel,
    /// conda packages.
    Conda,
}

/// Something the environment must be able to do, with its version where stated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The name as in the tables, lower case: `vllm`, `flash-attn`, `bf16`, `fp8`...
    pub name: String,
    /// Its version.
    pub version: Option<Version>,
    /// Whether it comes as a container image, whose build is not the wheel's.
    pub image: bool,
}

impl Need {
    /// Reads `vllm`, `vllm==0.10.0`, `flash-attn 2.8.3`; aliases are brought to one name.
    pub fn parse(text: &str) -> Self {
        let lower = text.trim().to_ascii_lowercase();
        let end = lower.find(['=', ' ', '<', '>', '~', '@', ':']).unwrap_or(lower.len());
        let (name, rest) = lower.split_at(end);
        let rest = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
        Self {
            name: Self::plain_name(name),
            version: rest.parse().ok(),
            image: lower.contains("image") || lower.contains("docker") || lower.contains('/'),
        }
    }

    fn plain_name(name: &str) -> String {
        let name = name.replace('_', "-");
        let name = match name.as_str() {
            "flash-attention" | "flashattention" | "flash-attn2" | "flashattn" | "fa2" => {
                "flash-attn"
            }
            "fa3" => "flash-attn-3",
            "bfloat16" | "bf-16" => "bf16",
            "float16" | "half" | "fp-16" => "fp16",
            "float8" | "fp8-e4m3" => "fp8",
            "compile" | "torch-compile" | "inductor" => "torch.compile",
            "bnb" => "bitsandbytes",
            "tf" => "tensorflow",
            "vllm/vllm-openai" | "vllm-openai" => "vllm",
            other => other,
        };
        name.to_owned()
    }
}

/// What is known of an environment. `None` means not stated, never "none".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// The card's name as stated.
    pub card: Option<String>,
    /// The card's compute capability, where stated beside or instead of a name.
    pub capability: Option<Capability>,
    /// Whose driver it is.
    pub platform: Platform,
    /// The driver's version, often partial.
    pub driver: Option<Version>,
    /// The CUDA version that the driver reports (`nvidia-smi`, top right).
    pub driver_cuda: Option<Version>,
    /// The CUDA version of the container image.
    pub image_cuda: Option<Version>,
    /// The image brings NVIDIA's forward-compatibility libraries.
    pub compat_libraries: bool,
    /// torch.
    pub torch: Option<Version>,
    /// The CUDA version that torch was built with.
    pub torch_cuda: Option<Version>,
    /// What `torch.cuda.get_arch_list()` says, where it was seen.
    pub archs: Option<ArchList>,
    /// Where torch came from.
    pub channel: Channel,
    /// Python.
    pub python: Option<Version>,
    /// What it must be able to do.
    pub needs: Vec<Need>,
    /// Whether the versions are planned or installed.
    pub origin: Origin,
    /// Whether PyTorch is part of the question; without it only driver and image are checked.
    pub uses_torch: bool,
    /// The question is about installing packages only; no card is involved.
    pub install_only: bool,
}

impl Environment {
    /// Returns whether something with this name is needed.
    pub fn needs(&self, name: &str) -> bool {
        self.needs.iter().any(|need| need.name == name)
    }
}
