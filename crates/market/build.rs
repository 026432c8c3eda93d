//! Compresses the readable catalogue in `data/market/` so that the binary carries it small.

use flate2::{Compression, write::DeflateEncoder};
use std::{env, error::Error, fs, io::Write as _, path::Path};

/// The files that travel inside the binary.
const FILES: [&str; 6] =
    ["cards.csv", "sources.csv", "offers.csv", "offers-cn.csv", "terms.toml", "history.csv"];

#[expect(clippy::disallowed_methods, reason = "a build script is told its folders this way")]
fn main() -> Result<(), Box<dyn Error>> {
    let data = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../data/market");
    let out = env::var("OUT_DIR")?;
    for file in FILES {
        let path = data.join(file);
        println!("cargo::rerun-if-changed={}", path.display());
        let text = fs::read(&path)?;
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&text)?;
        fs::write(Path::new(&out).join(format!("{file}.deflate")), packed.finish()?)?;
    }
    Ok(())
}
