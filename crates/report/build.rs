//! Embeds every Fluent file under `locales/`, so that a room adds its words by adding a file, and
//! lists in which file each key stands, so that only the files that are spoken from are read.

use std::{collections::BTreeMap, env, error::Error, fmt::Write as _, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=locales");
    let root =
        Path::new(&env::var_os("CARGO_MANIFEST_DIR").ok_or("no manifest folder")?).join("locales");
    let mut code = String::new();
    for (name, keys_name, folder) in [("ZH", "ZH_KEYS", "zh-CN"), ("EN", "EN_KEYS", "en")] {
        let mut files = Vec::new();
        for entry in fs::read_dir(root.join(folder))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "ftl") {
                println!("cargo:rerun-if-changed={}", path.display());
                files.push(path);
            }
        }
        files.sort();
        writeln!(code, "pub(super) const {name}: &[(&str, &str)] = &[")?;
        let mut keys = BTreeMap::new();
        for (at, path) in files.into_iter().enumerate() {
            for line in fs::read_to_string(&path)?.lines() {
                // A message begins in the first column; what goes on is indented.
                let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c)));
                let Some((key, rest)) = end.map(|end| line.split_at(end)) else { continue };
                if !key.is_empty() && rest.trim_start().starts_with('=') {
                    keys.entry(key.to_owned()).or_insert(at);
                }
            }
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            writeln!(code, "    ({file:?}, include_str!({:?})),", path.display().to_string())?;
        }
        writeln!(code, "];")?;
        writeln!(code, "/// Sorted.")?;
        writeln!(code, "pub(super) const {keys_name}: &[(&str, u16)] = &[")?;
        for (key, at) in keys {
            writeln!(code, "    ({key:?}, {at}),")?;
        }
        writeln!(code, "];")?;
    }
    let out = env::var_os("OUT_DIR").ok_or("no output folder")?;
    fs::write(Path::new(&out).join("locales.rs"), code)?;
    Ok(())
}
