//! Environments from a table, one a row: the columns of the case file and of a team's inventory.
//!
//! Columns: gpu, cc, os, driver, driver_cuda, torch, torch_cuda, python, component,
//! component_version, image_cuda, dtype, reported_archs. Any other column is not looked at; above
//! all nothing that tells how it went (error, rule, resolution).

use super::{
    environment::{Channel, Environment, Need, Origin, Platform},
    tables::{ArchList, Capability},
    version::Version,
};

/// Builds an environment from the cells that `cell` returns for a column name.
pub fn environment_from_row<'a>(cell: impl Fn(&str) -> Option<&'a str>) -> Environment {
    let stated = |column: &str| cell(column).map(str::trim).filter(|text| !text.is_empty());
    let version = |column: &str| stated(column).and_then(|text| text.parse::<Version>().ok());
    let card = stated("gpu").filter(|gpu| !gpu.eq_ignore_ascii_case("(not stated)"));
    let wsl = card.is_some_and(|card| card.to_ascii_uppercase().contains("WSL"));
    let os = stated("os").unwrap_or("linux");
    let component = stated("component").unwrap_or("torch").to_ascii_lowercase();
    let component_version = stated("component_version");

    let mut environment = Environment {
        card: card.map(str::to_owned),
        capability: stated("cc").and_then(Capability::parse),
        platform: if wsl || os.eq_ignore_ascii_case("windows") || os.eq_ignore_ascii_case("wsl") {
            Platform::Windows
        } else {
            Platform::Linux
        },
        driver: version("driver"),
        driver_cuda: version("driver_cuda"),
        image_cuda: version("image_cuda"),
        compat_libraries: false,
        torch: version("torch"),
        torch_cuda: version("torch_cuda"),
        archs: stated("reported_archs").map(ArchList::parse),
        channel: Channel::Unknown,
        python: version("python"),
        needs: Vec::new(),
        origin: Origin::Installed,
        uses_torch: true,
        install_only: false,
    };
    match component.as_str() {
        "torch" => {}
        "pip" => {
            environment.install_only = true;
            environment.origin = Origin::Planned;
        }
        "container" => environment.uses_torch = false,
        "compat804" => environment.compat_libraries = true,
        other => {
            let version = component_version.unwrap_or("");
            let named = Need::parse(other);
            let need = Need::parse(&format!("{other} {version}"));
            // A framework's own minimum decides alone where no torch is stated.
            environment.uses_torch = environment.torch.is_some()
                || environment.torch_cuda.is_some()
                || environment.archs.is_some();
            environment.needs.push(Need { name: named.name, ..need });
        }
    }
    // A row about a container may name the framework image that it starts.
    if matches!(component.as_str(), "container" | "compat804")
        && let Some(image) = component_version.map(|name| Need::parse(&format!("{name} image")))
        && image.name == "vllm"
    {
        environment.needs.push(image);
    }
    if let Some(format) = stated("dtype") {
        environment.needs.push(Need::parse(format));
    }
    environment
}
