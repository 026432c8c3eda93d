//! Is it the card that was paid for: what an offer promises against what the script found.

use super::Step;
use crate::machine::{Health, MachineCheck};
use kasuan_model::{Bytes, Phrase};

/// What an offer promises.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Promise {
    /// The card's name as the offer says it.
    pub card: Option<String>,
    /// Its memory as sold.
    pub memory: Option<Bytes>,
    /// How many.
    pub count: Option<u64>,
}

/// Something that is not as promised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// Fewer cards.
    Count {
        /// Promised.
        promised: u64,
        /// Found.
        found: u64,
    },
    /// Another card.
    Card {
        /// Promised.
        promised: String,
        /// Found.
        found: String,
    },
    /// Less than 90 % of the memory as sold; drivers and error correction keep a few per cent.
    Memory {
        /// Promised.
        promised: Bytes,
        /// Found.
        found: Bytes,
    },
}

/// Compares what the script found with what the offer promised. `same_card` says whether two names
/// mean one card.
pub fn compare(
    steps: &[Step],
    promise: &Promise,
    same_card: impl Fn(&str, &str) -> bool,
) -> Vec<Broken> {
    let found: Vec<&Step> =
        steps.iter().filter(|step| step.step == "device" && step.card.is_some()).collect();
    let mut broken = Vec::new();
    let count = found.len() as u64;
    // Who rents a card rents at least one.
    let promised = promise.count.unwrap_or(1);
    if count < promised {
        broken.push(Broken::Count { promised, found: count });
    }
    for step in found {
        if let (Some(promised), Some(name)) = (&promise.card, step.text("name"))
            && !same_card(promised, name)
        {
            broken.push(Broken::Card { promised: promised.clone(), found: name.to_owned() });
        }
        if let (Some(promised), Some(bytes)) =
            (promise.memory, step.figures["memory_bytes"].as_u64())
            && bytes < promised.get() / 10 * 9
        {
            broken.push(Broken::Memory { promised, found: Bytes::new(bytes) });
        }
    }
    broken
}

/// Says how the promise was kept. Where torch sees no card at all, nothing can be said of the
/// offer: the fault is most often the environment's.
pub fn judge(promise: &Promise, broken: &[Broken]) -> Vec<MachineCheck> {
    if broken.iter().any(|broken| matches!(broken, Broken::Count { found: 0, .. })) {
        return vec![MachineCheck {
            part: "PROMISE",
            health: Health::Unknown,
            evidence: Phrase::new("verify-promise-unseen"),
            fix: None,
        }];
    }
    if broken.is_empty() {
        let evidence = Phrase::new("verify-promise-kept")
            .with("card", promise.card.as_deref().unwrap_or("?"))
            .with("count", promise.count.unwrap_or(1));
        return vec![MachineCheck { part: "PROMISE", health: Health::Good, evidence, fix: None }];
    }
    broken
        .iter()
        .map(|broken| MachineCheck {
            part: "PROMISE",
            health: Health::Bad,
            evidence: match broken {
                Broken::Count { promised, found } => Phrase::new("verify-promise-count")
                    .with("promised", *promised)
                    .with("found", *found),
                Broken::Card { promised, found } => Phrase::new("verify-promise-card")
                    .with("promised", promised)
                    .with("found", found),
                Broken::Memory { promised, found } => Phrase::new("verify-promise-memory")
                    .with("promised", promised)
                    .with("found", found),
            },
            fix: Some(Phrase::new("verify-promise-fix")),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::read;

    const SAID: &str = "UserWarning: something\n{\"step\": \"import\", \"outcome\": \"pass\", \"torch\": \"2.8.0\"}\n{\"step\": \"device\", \"outcome\": \"pass\", \"card\": 0, \"name\": \"NVIDIA GeForce RTX 3090\", \"memory_bytes\": 25294995456}\n";

    #[test]
    fn the_card_that_was_paid_for_is_the_card_that_is_there() {
        let steps = read(SAID);
        assert_eq!(steps.len(), 2, "a warning is no step");
        let promise = |card: &str, count| Promise {
            card: Some(card.to_owned()),
            memory: Some(Bytes::from_gib(24)),
            count: Some(count),
        };
        let same = |promised: &str, found: &str| found.ends_with(promised);
        let broken = compare(&steps, &promise("RTX 4090", 2), same);
        assert!(matches!(broken[0], Broken::Count { promised: 2, found: 1 }));
        assert!(matches!(broken[1], Broken::Card { .. }));
        assert_eq!(broken.len(), 2, "24 GiB as sold are 23.6 in the driver's count");
        assert!(matches!(
            compare(&[], &Promise { count: None, ..promise("RTX 3090", 1) }, same)[0],
            Broken::Count { promised: 1, found: 0 }
        ));
        let kept = promise("RTX 3090", 1);
        let broken = compare(&steps, &kept, same);
        assert_eq!(judge(&kept, &broken)[0].health, Health::Good);
    }
}
