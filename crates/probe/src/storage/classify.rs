//! What a folder or file is, by its name and by what is in it.

use super::Kind;
use std::{ffi::OsStr, path::Path};

/// Returns the number at the end of a name: `checkpoint-500`, `global_step120`, `epoch=3-step=90`.
pub(super) fn step(name: &str) -> Option<u64> {
    let stem = name.split('.').next().unwrap_or(name);
    let digits: String = stem.chars().rev().take_while(char::is_ascii_digit).collect();
    digits.chars().rev().collect::<String>().parse().ok()
}

fn has(folder: &Path, name: &str) -> bool {
    std::fs::symlink_metadata(folder.join(name)).is_ok()
}

fn any(names: &[String], test: impl Fn(&str) -> bool) -> bool {
    names.iter().any(|name| test(name))
}

/// Returns what a folder is as a whole; `None` when only its parts are something.
pub(super) fn folder(path: &Path, names: &[String]) -> Option<Kind> {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let parent = path.parent().and_then(Path::file_name).and_then(OsStr::to_str).unwrap_or("");
    // HF Trainer, TRL, LLaMA-Factory, ms-swift write `checkpoint-STEP`; DeepSpeed `global_stepSTEP`.
    let numbered = name.starts_with("checkpoint-") || name.starts_with("global_step");
    let holds_weights = any(names, |file| {
        file.ends_with(".safetensors")
            || file.ends_with(".bin")
            || file.ends_with(".pt")
            || file.ends_with(".distcp")
            || file.starts_with("global_step")
    });
    if numbered && step(name).is_some() && (holds_weights || has(path, "trainer_state.json")) {
        return Some(Kind::Checkpoint);
    }
    match (parent, name) {
        (".cache", "pip" | "uv" | "torch" | "triton" | "vllm" | "modelscope") => {
            return Some(Kind::Cache);
        }
        (_, "__pycache__" | ".triton") => return Some(Kind::Cache),
        // conda keeps unpacked packages here; `urls.txt` is its list.
        (_, "pkgs") if has(path, "urls.txt") || has(path, "cache") => return Some(Kind::Cache),
        // A model or data set of the Hugging Face cache.
        ("hub", _) if name.starts_with("models--") => return Some(Kind::Cache),
        ("hub", _) if name.starts_with("datasets--") => return Some(Kind::Cache),
        _ => {}
    }
    if has(path, "config.json") && holds_weights || has(path, "adapter_config.json") {
        return Some(Kind::Model);
    }
    let data = |file: &str| {
        [".arrow", ".parquet", ".tar", ".tfrecord", ".jsonl", ".mds", ".lmdb"]
            .iter()
            .any(|ending| file.ends_with(ending))
    };
    let is_data = has(path, "dataset_info.json")
        || has(path, "state.json") && any(names, |file| file.ends_with(".arrow"))
        || names.iter().filter(|file| data(file)).count() * 2 > names.len().max(1);
    is_data.then_some(Kind::Dataset)
}

/// Returns what a single file is; `None` for what is none of our business.
pub(super) fn file(name: &str) -> Option<Kind> {
    let lower = name.to_lowercase();
    let ends = |ending: &str| lower.ends_with(ending);
    // Lightning writes `.ckpt`; plain PyTorch `.pt` and `.pth` under names of their own.
    let says_checkpoint =
        ["checkpoint", "ckpt", "epoch", "step", "iter"].iter().any(|word| lower.contains(word));
    if ends(".ckpt") || (ends(".pt") || ends(".pth")) && says_checkpoint {
        return Some(Kind::Checkpoint);
    }
    if ends(".gguf") || ends(".safetensors") || ends(".pt") || ends(".pth") {
        return Some(Kind::Model);
    }
    [".arrow", ".parquet", ".tar", ".tfrecord"].iter().any(|e| ends(e)).then_some(Kind::Dataset)
}
