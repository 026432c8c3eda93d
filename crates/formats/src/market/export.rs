//! A chosen offer as other tools want it: SkyPilot and dstack tasks, a Slurm header, a Kubernetes
//! pod, a row of OpenCost's pricing CSV.

mod names;

use kasuan_model::{BillingMode, Card, CardId, Currency, Offer, Phrase, Phrased};
use names::{DSTACK, SKYPILOT, dstack_card, family, skypilot_card};
use std::fmt::Write as _;

/// A tool that an offer is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A SkyPilot task.
    SkyPilot,
    /// A dstack task.
    Dstack,
    /// A header of a Slurm batch script.
    Slurm,
    /// A Kubernetes pod.
    Kubernetes,
    /// OpenCost's pricing CSV.
    OpenCost,
}

/// Why an offer cannot be written for a tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// The tool does not rent from the provider.
    #[error("{tool} does not rent from {provider}")]
    Provider {
        /// The tool.
        tool: &'static str,
        /// The provider.
        provider: String,
    },
    /// The tool knows on-demand and spot only.
    #[error("{tool} has no {mode}")]
    Mode {
        /// The tool.
        tool: &'static str,
        /// The billing mode.
        mode: BillingMode,
    },
    /// The tool does not know the card.
    #[error("{tool} does not know the card {card}")]
    Card {
        /// The tool.
        tool: &'static str,
        /// The card.
        card: CardId,
    },
    /// The tool cannot ask for a slice of a card.
    #[error("{tool} cannot ask for a slice of a card")]
    Slice {
        /// The tool.
        tool: &'static str,
    },
    /// The tool reckons in US dollars.
    #[error("{tool} reckons in US dollars, the price is in {currency}")]
    Currency {
        /// The tool.
        tool: &'static str,
        /// The currency of the price.
        currency: Currency,
    },
}

impl Phrased for ExportError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Provider { tool, provider } => {
                Phrase::new("export-provider").with("tool", tool).with("provider", provider)
            }
            Self::Mode { tool, mode } => Phrase::new("export-mode")
                .with("tool", tool)
                .with_word("mode", format!("mode-{mode}")),
            Self::Card { tool, card } => {
                Phrase::new("export-card").with("tool", tool).with("card", card)
            }
            Self::Slice { tool } => Phrase::new("export-slice").with("tool", tool),
            Self::Currency { tool, currency } => {
                Phrase::new("export-currency").with("tool", tool).with("currency", currency)
            }
        }
    }
}

/// Writes an offer for a tool; `name` becomes the job's.
pub fn export(
    offer: &Offer,
    card: &Card,
    name: &str,
    target: Target,
) -> Result<String, ExportError> {
    match target {
        Target::SkyPilot => skypilot(offer, card, name),
        Target::Dstack => dstack(offer, card, name),
        Target::Slurm => slurm(offer, card, name),
        Target::Kubernetes => kubernetes(offer, name),
        Target::OpenCost => opencost(offer),
    }
}

fn skypilot(offer: &Offer, card: &Card, name: &str) -> Result<String, ExportError> {
    const TOOL: &str = "SkyPilot";
    let cloud = provider(offer, SKYPILOT, TOOL)?;
    let spot = metered(offer, TOOL)?;
    whole(offer, TOOL)?;
    let place = if offer.region.is_empty() {
        cloud.to_owned()
    } else {
        format!("{cloud}/{}", offer.region)
    };
    Ok(format!(
        "name: {}\nresources:\n  infra: {place}\n  accelerators: {}:{}\n  use_spot: {spot}\n\
         run: |\n  nvidia-smi\n",
        yaml(name),
        skypilot_card(card, cloud),
        offer.count,
    ))
}

fn dstack(offer: &Offer, card: &Card, name: &str) -> Result<String, ExportError> {
    const TOOL: &str = "dstack";
    let backend = provider(offer, DSTACK, TOOL)?;
    let policy = if metered(offer, TOOL)? { "spot" } else { "on-demand" };
    whole(offer, TOOL)?;
    if offer.price.currency() != Currency::USD {
        return Err(ExportError::Currency { tool: TOOL, currency: offer.price.currency() });
    }
    let unknown = || ExportError::Card { tool: TOOL, card: card.id.clone() };
    let card_name = dstack_card(card).ok_or_else(unknown)?;
    let mut text = format!(
        "type: task\nname: {}\nbackends: [{backend}]\n",
        yaml(&name.to_lowercase().replace(' ', "-"))
    );
    if !offer.region.is_empty() {
        let _ = writeln!(text, "regions: [{}]", yaml(&offer.region));
    }
    // dstack's own table may be off by a few GB (B300: 270); what it must tell apart is A100 with 40
    // and with 80 GB.
    let gib = card.memory.gib();
    let _ = write!(
        text,
        "resources:\n  gpu:\n    name: {}\n    memory: {:.0}GB..{:.0}GB\n    count: {}\n\
         spot_policy: {policy}\nmax_price: {}\ncommands:\n  - nvidia-smi\n",
        card_name,
        (gib * 0.9).floor(),
        (gib * 1.1).ceil(),
        offer.count,
        offer.hourly().amount().round_dp(4).normalize(),
    );
    Ok(text)
}

fn slurm(offer: &Offer, card: &Card, name: &str) -> Result<String, ExportError> {
    whole(offer, "Slurm")?;
    let mut text = format!(
        "#!/bin/bash\n#SBATCH --job-name={}\n#SBATCH --nodes=1\n#SBATCH --gpus-per-node={}:{}\n",
        name.replace(char::is_whitespace, "-"),
        family(card),
        offer.count,
    );
    if let Some(vcpus) = offer.vcpus {
        let _ = writeln!(text, "#SBATCH --cpus-per-task={vcpus}");
    }
    if let Some(memory) = offer.memory {
        let _ = writeln!(text, "#SBATCH --mem={}G", memory.get() >> 30);
    }
    text.push_str("\nsrun nvidia-smi\n");
    Ok(text)
}

/// Providers whose product is the node's `node.kubernetes.io/instance-type`.
const INSTANCE_TYPES: &[&str] = &["aws", "azure", "gcp", "alibaba", "oci"];

fn kubernetes(offer: &Offer, name: &str) -> Result<String, ExportError> {
    const TOOL: &str = "Kubernetes";
    whole(offer, TOOL)?;
    // Pods are named like hosts.
    let host: String = name
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let host = host.trim_matches('-');
    let host = if host.is_empty() { "job" } else { host };
    let mut text = format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {host}\nspec:\n  restartPolicy: Never\n"
    );
    if INSTANCE_TYPES.contains(&offer.provider.as_str()) {
        let _ = write!(
            text,
            "  nodeSelector:\n    node.kubernetes.io/instance-type: {}\n    topology.kubernetes.io/region: {}\n",
            yaml(&offer.product),
            yaml(&offer.region),
        );
    }
    let _ = write!(
        text,
        "  containers:\n    - name: main\n      image: nvcr.io/nvidia/pytorch:25.06-py3\n      command: [nvidia-smi]\n      resources:\n        limits:\n          nvidia.com/gpu: {}\n",
        offer.count,
    );
    Ok(text)
}

/// One row for the node by its instance type; OpenCost takes the price for the whole node and has
/// a label for the currency only, so that dollars are required. The field is a path into the node's
/// object: OpenCost joins what follows `metadata.labels.` by points again
/// (`NodeValueFromMapField` in its `csvprovider.go`).
fn opencost(offer: &Offer) -> Result<String, ExportError> {
    if offer.price.currency() != Currency::USD {
        return Err(ExportError::Currency { tool: "OpenCost", currency: offer.price.currency() });
    }
    Ok(format!(
        "EndTimestamp,InstanceID,Region,AssetClass,InstanceIDField,InstanceType,MarketPriceHourly,Version\n\
         ,{0},{1},node,metadata.labels.node.kubernetes.io/instance-type,{0},{2},v1\n",
        offer.product,
        offer.region,
        offer.hourly().amount().normalize(),
    ))
}

fn provider(
    offer: &Offer,
    known: &[(&str, &'static str)],
    tool: &'static str,
) -> Result<&'static str, ExportError> {
    let found = known.iter().find(|(ours, _)| *ours == offer.provider);
    let missing = || ExportError::Provider { tool, provider: offer.provider.clone() };
    found.map(|(_, theirs)| *theirs).ok_or_else(missing)
}

/// Says whether an offer is spot; a package is refused.
const fn metered(offer: &Offer, tool: &'static str) -> Result<bool, ExportError> {
    match offer.mode {
        BillingMode::OnDemand => Ok(false),
        BillingMode::Spot => Ok(true),
        mode => Err(ExportError::Mode { tool, mode }),
    }
}

const fn whole(offer: &Offer, tool: &'static str) -> Result<(), ExportError> {
    if offer.slices == 1 { Ok(()) } else { Err(ExportError::Slice { tool }) }
}

/// Quotes a text for YAML, always, so that no name is read as a number, a date or a boolean.
fn yaml(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasuan_market::Catalogue;

    fn written(id: &str, target: Target) -> Result<String, ExportError> {
        let catalogue = Catalogue::shipped().unwrap();
        let offer = catalogue.offer(id).unwrap();
        export(offer, catalogue.card(&offer.card).unwrap(), "My job", target)
    }

    const EIGHT: &str = "aws/us-east-1/p4de.24xlarge/on_demand";
    const COMPSHARE: &str = "compshare/cn-wlcb/4090-24g/monthly";

    #[test]
    fn yaml_of_every_tool_parses_and_asks_for_the_cards() {
        type Value = serde_json::Value;
        let read =
            |target| -> Value { serde_saphyr::from_str(&written(EIGHT, target).unwrap()).unwrap() };
        let sky = read(Target::SkyPilot);
        assert_eq!(sky.pointer("/resources/accelerators").unwrap(), "A100-80GB:8");
        assert_eq!(sky.pointer("/resources/infra").unwrap(), "aws/us-east-1");
        assert_eq!(sky.pointer("/resources/use_spot").unwrap(), false);
        let dstack = read(Target::Dstack);
        assert_eq!(dstack.pointer("/resources/gpu/name").unwrap(), "A100");
        assert_eq!(dstack.pointer("/resources/gpu/count").unwrap(), 8);
        assert_eq!(dstack.pointer("/spot_policy").unwrap(), "on-demand");
        let pod = read(Target::Kubernetes);
        assert_eq!(pod.pointer("/spec/containers/0/resources/limits/nvidia.com~1gpu").unwrap(), 8);
        assert_eq!(pod.pointer("/metadata/name").unwrap(), "my-job");
    }

    #[test]
    fn slurm_and_opencost_are_lines() {
        assert!(
            written(EIGHT, Target::Slurm).unwrap().contains("#SBATCH --gpus-per-node=a100:8\n")
        );
        let csv = written(EIGHT, Target::OpenCost).unwrap();
        assert_eq!(csv.lines().count(), 2);
        assert!(csv.lines().all(|line| line.split(',').count() == 8));
    }

    #[test]
    fn what_a_tool_cannot_do_is_an_error_and_not_a_wrong_file() {
        let error = |target| written(COMPSHARE, target).unwrap_err();
        assert!(matches!(error(Target::SkyPilot), ExportError::Provider { .. }));
        assert!(matches!(error(Target::Dstack), ExportError::Provider { .. }));
        assert!(matches!(error(Target::OpenCost), ExportError::Currency { .. }));
        let slice = "aws/us-east-1/g6f.xlarge/on_demand";
        assert!(matches!(written(slice, Target::Slurm), Err(ExportError::Slice { .. })));
    }
}
