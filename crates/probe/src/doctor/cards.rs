//! Finds a card in the table by whatever a person or a driver calls it.

use super::{
    environment::Environment,
    rows::CardRow,
    tables::{Capability, Tables},
};

/// What the name and the tables say about a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardFacts {
    /// The name to show.
    pub name: String,
    /// The compute capability.
    pub capability: Capability,
    /// Whether NVIDIA sells it for data centres (where forward compatibility exists).
    pub datacentre: Option<bool>,
    /// Whether it sits in an ARM machine, which has wheels of its own.
    pub arm: bool,
    /// Where the capability comes from.
    pub source: String,
}

/// Words that say nothing about the model.
const NOISE: &[&str] = &["nvidia", "geforce", "tesla", "rtx", "gtx", "quadro", "blackwell"];

/// First words of the names of cards for data centres.
const DATACENTRE: &[&str] = &["a", "b", "h", "l", "v", "t", "p", "k", "m", "gb", "gh", "tesla"];

/// Cards that come with an ARM processor.
const ARM: &[&str] = &["GB10", "GH200", "GB200", "GB300", "Jetson"];

/// Looks the environment's card up; `None` where its capability cannot be told.
pub fn find(environment: &Environment, tables: &Tables) -> Option<CardFacts> {
    let stated = environment.card.as_deref().unwrap_or("");
    let row = by_name(stated, tables);
    let capability = environment
        .capability
        .or_else(|| row.map(|row| row.capability))
        .or_else(|| capability_in(stated))?;
    let row = row.filter(|row| row.capability == capability);
    Some(CardFacts {
        name: row.map_or_else(
            || if stated.is_empty() { format!("cc {capability}") } else { stated.to_owned() },
            |row| row.name.clone(),
        ),
        capability,
        datacentre: row.map(|row| is_datacentre(&row.name)),
        arm: row.is_some_and(|row| ARM.iter().any(|arm| row.name.starts_with(arm))),
        source: row.map_or_else(|| "stated".to_owned(), |row| row.source.clone()),
    })
}

/// Returns the row whose name is the longest one contained in `stated`.
fn by_name<'a>(stated: &str, tables: &'a Tables) -> Option<&'a CardRow> {
    let words = words(stated);
    if words.is_empty() {
        return None;
    }
    let contained = |row: &&CardRow| {
        let wanted = self::words(&row.name);
        !wanted.is_empty() && words.windows(wanted.len()).any(|window| window == wanted.as_slice())
    };
    // Of equally long names the one whose noise words also occur wins (Quadro RTX 5000, not a
    // GeForce), then the earlier row.
    let noise = |row: &CardRow| {
        let lower = stated.to_ascii_lowercase();
        let name = row.name.to_ascii_lowercase();
        name.split_whitespace().filter(|word| lower.contains(word)).count()
    };
    let mut best: Option<&CardRow> = None;
    for row in tables.cards.iter().filter(contained) {
        let rank = |row: &CardRow| (self::words(&row.name).len(), noise(row));
        if best.is_none_or(|best| rank(row) > rank(best)) {
            best = Some(row);
        }
    }
    best
}

/// Splits into lower-case words, digits and letters apart, without brand names.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut digits = false;
    let mut fresh = true;
    for character in name.chars() {
        if !character.is_ascii_alphanumeric() {
            fresh = true;
            continue;
        }
        let digit = character.is_ascii_digit();
        if fresh || digit != digits {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(character.to_ascii_lowercase());
        }
        fresh = false;
        digits = digit;
    }
    words.retain(|word| !NOISE.contains(&word.as_str()));
    words
}

/// Reads `(cc 8.9)` or `sm_61` out of a name.
fn capability_in(stated: &str) -> Option<Capability> {
    let lower = stated.to_ascii_lowercase();
    if let Some(at) = lower.find("sm_") {
        let digits: String =
            lower.get(at + 3..)?.chars().take_while(char::is_ascii_alphanumeric).collect();
        return Capability::parse(&digits);
    }
    let at = lower.find("cc ")?;
    let number: String =
        lower.get(at + 3..)?.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    Capability::parse(&number)
}

fn is_datacentre(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    if ["geforce", "titan", "rtx", "quadro", "jetson"].iter().any(|word| lower.contains(word)) {
        return false;
    }
    let first: String = lower.chars().take_while(char::is_ascii_alphabetic).collect();
    DATACENTRE.contains(&first.as_str()) && lower != "gb10 (dgx spark)"
}

#[cfg(test)]
mod tests {
    use super::{Environment, Tables, find};

    fn seen(name: &str) -> Option<(String, bool)> {
        let environment = Environment { card: Some(name.to_owned()), ..Environment::default() };
        let facts = find(&environment, &Tables::embedded().unwrap())?;
        Some((facts.capability.to_string(), facts.datacentre == Some(true)))
    }

    #[test]
    fn a_card_is_found_by_what_people_and_drivers_call_it() {
        let named = [
            ("5090", "12.0", false),
            ("RTX5090D", "12.0", false),
            ("rtx-4090", "8.9", false),
            ("NVIDIA GeForce RTX 4090 D", "8.9", false),
            ("GeForce RTX 4070 Laptop (WSL2)", "8.9", false),
            ("NVIDIA A100-SXM4-80GB MIG 3g.40gb", "8.0", true),
            ("a100-sxm-80", "8.0", true),
            ("NVIDIA A10", "8.6", true),
            ("Tesla V100S", "7.0", true),
            ("Tesla P100-PCIE-16GB", "6.0", true),
            ("H800 x8", "9.0", true),
            ("L40S", "8.9", true),
            ("Quadro RTX 5000", "7.5", false),
            ("RTX 5000 Ada", "8.9", false),
            ("RTX PRO 6000 Blackwell", "12.0", false),
            ("rtx pro 6000", "12.0", false),
            ("RTX A6000", "8.6", false),
            ("NVIDIA B200", "10.0", true),
            ("GeForce GTX 10 series (sm_61)", "6.1", false),
            ("Ada (cc 8.9)", "8.9", false),
            ("GeForce RTX 3050 Laptop", "8.6", false),
        ];
        for (name, capability, datacentre) in named {
            assert_eq!(seen(name), Some((capability.to_owned(), datacentre)), "{name}");
        }
        for name in ["(not stated)", "", "(GKE node GPU)", "RTX 6090", "Ascend 910B"] {
            assert_eq!(seen(name), None, "{name}");
        }
    }
}
