//! Embeds every Fluent file under `locales/`, so that a room adds its words by adding a file.

use std::{env, error::Error, fmt::Write as _, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=locales");
    let root =
        Path::new(&env::var_os("CARGO_MANIFEST_DIR").ok_or("no manifest folder")?).join("locales");
    let mut code = String::new();
    for (name, folder) in [("ZH", "zh-CN"), ("EN", "en")] {
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
        for path in files {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            writeln!(code, "    ({file:?}, include_str!({:?})),", path.display().to_string())?;
        }
        writeln!(code, "];")?;
    }
    let out = env::var_os("OUT_DIR").ok_or("no output folder")?;
    fs::write(Path::new(&out).join("locales.rs"), code)?;
    Ok(())
}
