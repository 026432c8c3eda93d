//! Finds the card that a person or a price list means by a name.
//!
//! A name is read as family, memory and form factor: `A100-SXM4-80GB` is family `a100`, 80 GB, SXM.
//! Families come from the card table, so that a new card is a new row and no new code.

use kasuan_model::{Bytes, Card, CardId, Phrase, Phrased};
use std::collections::BTreeSet;

/// The card that was found, and what had to be guessed to choose it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardMatch {
    /// The card.
    pub card: CardId,
    /// The text does not say SXM, PCIe or NVL, and the family has several.
    pub guessed_form: bool,
    /// The text does not say how much memory, and the family has several sizes.
    pub guessed_memory: bool,
    /// How many, when the text says so, as in `8x A100`.
    pub count: Option<u32>,
}

/// Why no card was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardError {
    /// No card has such a name.
    #[error("no card is called `{text}`")]
    Unknown {
        /// What was given.
        text: String,
        /// Names that look like it, nearest first.
        nearest: Vec<String>,
    },
    /// The card exists, but not with that memory.
    #[error("`{text}`: {family} is sold with {} GB, not {given} GB", known.join(" or "))]
    Memory {
        /// What was given.
        text: String,
        /// The family's name.
        family: String,
        /// The memory that was given, in GB.
        given: String,
        /// The sizes that exist, in GB.
        known: Vec<String>,
        /// The card that is meant when the memory is left out.
        without: CardId,
    },
}

impl Phrased for CardError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Unknown { text, .. } => Phrase::new("market-card-unknown").with("text", text),
            Self::Memory { text, family, given, known, .. } => Phrase::new("market-card-memory")
                .with("text", text)
                .with("family", family)
                .with("given", given)
                .with("known", known.join(" / ")),
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        match self {
            Self::Unknown { nearest, .. } if !nearest.is_empty() => {
                vec![Phrase::new("market-card-nearest").with("names", nearest.join(", "))]
            }
            Self::Unknown { .. } => vec![Phrase::new("market-card-list")],
            Self::Memory { .. } => Vec::new(),
        }
    }
}

/// The form factor of a data-centre card, as its id says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// On an NVLink board.
    Sxm,
    /// A PCI Express card.
    Pcie,
    /// PCI Express cards joined by an NVLink bridge.
    Nvl,
}

impl Form {
    /// Returns the form factor that a card's id says.
    pub fn of(card: &CardId) -> Option<Self> {
        card.as_str().split('-').find_map(Self::word)
    }

    fn word(word: &str) -> Option<Self> {
        match word {
            "sxm" | "sxm2" | "sxm3" | "sxm4" | "sxm5" | "sxm6" => Some(Self::Sxm),
            "pcie" | "pci" | "pcle" => Some(Self::Pcie),
            "nvl" => Some(Self::Nvl),
            _ => None,
        }
    }
}

impl std::str::FromStr for Form {
    type Err = String;

    /// Reads `sxm`, `pcie` or `nvl` in any case.
    fn from_str(text: &str) -> Result<Self, String> {
        Self::word(&text.to_lowercase()).ok_or_else(|| text.to_owned())
    }
}

/// A name taken apart.
#[derive(Debug)]
struct Name {
    /// What is left of the words, in order.
    words: Vec<String>,
    memory: Option<f64>,
    form: Option<Form>,
    count: Option<u32>,
}

/// Words that say nothing about which card it is.
const NOISE: &[&str] = &[
    "nvidia",
    "amd",
    "geforce",
    "tesla",
    "radeon",
    "instinct",
    "hgx",
    "dgx",
    "gpu",
    "gpus",
    "card",
    "cards",
    "unspecified",
    "high",
    "freq",
    "mod",
    "modified",
    "bse",
    "se",
    "we",
    "ws",
    "wk",
    "cc",
    "server",
    "workstation",
    "edition",
    "maxq",
    "max",
    "q",
    "blackwell",
    "per",
    "vram",
    "single",
    "英伟达",
    "显卡",
    "显存",
    "单卡",
    "卡",
    "魔改",
    "版",
    "张",
];

/// What the card table says about names, beside the ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardNames {
    /// The card that a family's bare name means: `A100` is the SXM card with 80 GB.
    pub usual: BTreeSet<CardId>,
    /// Other names that an id does not tell.
    pub aliases: Vec<(String, CardId)>,
}

/// Finds the card that `text` means.
pub fn find(cards: &[Card], names: &CardNames, text: &str) -> Result<CardMatch, CardError> {
    if let Some(card) = cards.iter().find(|card| card.id.as_str() == text.trim()) {
        return Ok(CardMatch {
            card: card.id.clone(),
            guessed_form: false,
            guessed_memory: false,
            count: None,
        });
    }
    let mut name = take_apart(text);
    let known: Vec<(Name, &Card)> = cards.iter().map(|card| (name_of(card), card)).collect();
    let mut found = family(names, &known, &name);
    if found.is_none() && name.memory.is_none() && name.words.len() > 1 {
        // `a100-sxm-80` says its memory without a unit.
        let bare = name.words.last().and_then(|word| word.parse().ok());
        if bare.is_some() {
            name.words.pop();
            name.memory = bare;
            found = family(names, &known, &name);
        }
    }
    match found {
        Some(family) => choose(&family, names, &name, text),
        None => Err(CardError::Unknown {
            text: text.to_owned(),
            nearest: nearest(&known, &take_apart(text).words.concat()),
        }),
    }
}

/// Finds the cards of the family that a name means; `4090` and `A6000` are RTX cards.
fn family<'a>(
    names: &CardNames,
    known: &'a [(Name, &'a Card)],
    name: &Name,
) -> Option<Vec<(&'a Name, &'a Card)>> {
    let key = name.words.concat();
    if key.is_empty() {
        return None;
    }
    ["", "rtx", "gtx"]
        .iter()
        .map(|prefix| members(known, &format!("{prefix}{key}")))
        .find(|members| !members.is_empty())
        .or_else(|| by_alias(names, known, name))
}

/// Returns the cards of a family.
fn members<'a>(known: &'a [(Name, &'a Card)], family: &str) -> Vec<(&'a Name, &'a Card)> {
    known
        .iter()
        .filter(|(name, _)| name.words.concat() == family)
        .map(|(name, card)| (name, *card))
        .collect()
}

/// Looks for the words in any order, then among the other names that the card table gives.
fn by_alias<'a>(
    names: &CardNames,
    known: &'a [(Name, &'a Card)],
    name: &Name,
) -> Option<Vec<(&'a Name, &'a Card)>> {
    let mut words = name.words.clone();
    words.sort();
    let sorted = |name: &Name| {
        let mut words = name.words.clone();
        words.sort();
        words
    };
    let any_order = known.iter().find(|(known, _)| sorted(known) == words);
    let meant = any_order.or_else(|| {
        let (_, id) =
            names.aliases.iter().find(|(alias, _)| sorted(&take_apart(alias)) == words)?;
        known.iter().find(|(_, card)| card.id == *id)
    })?;
    let meant = meant.0.words.concat();
    Some(members(known, &meant))
}

/// Chooses among the cards of a family by memory and form factor.
fn choose(
    family: &[(&Name, &Card)],
    names: &CardNames,
    name: &Name,
    text: &str,
) -> Result<CardMatch, CardError> {
    let usual =
        family.iter().find(|(_, card)| names.usual.contains(&card.id)).or_else(|| family.first());
    let Some((_, usual)) = usual else {
        return Err(CardError::Unknown { text: text.to_owned(), nearest: Vec::new() });
    };
    let has_forms = family.iter().any(|(known, _)| known.form.is_some());
    let wanted = name.form.filter(|_| has_forms);
    let form_fits = |known: &Name| wanted.is_none_or(|form| known.form == Some(form));
    let memory_fits = |card: &Card| {
        // Marketing rounds by up to a tenth: 94 or 96, 141 or 144, 22.35 or 24.
        name.memory.is_none_or(|gb| (gb - card.memory.gib()).abs() <= card.memory.gib() * 0.1)
    };
    let mut fitting: Vec<&Card> = family
        .iter()
        .filter(|(known, card)| form_fits(known) && memory_fits(card))
        .map(|(_, card)| *card)
        .collect();
    if fitting.is_empty() {
        fitting =
            family.iter().filter(|(_, card)| memory_fits(card)).map(|(_, card)| *card).collect();
    }
    if let (true, Some(given)) = (fitting.is_empty(), name.memory) {
        let sizes: BTreeSet<u64> = family.iter().map(|(_, card)| card.memory.get() >> 30).collect();
        return Err(CardError::Memory {
            text: text.to_owned(),
            family: usual.display.clone(),
            given: format!("{given}"),
            known: sizes.iter().map(u64::to_string).collect(),
            without: usual.id.clone(),
        });
    }
    let best = fitting
        .iter()
        .find(|card| card.id == usual.id)
        .or_else(|| fitting.iter().find(|card| card.memory == usual.memory))
        .or_else(|| fitting.first());
    let card = best.copied().unwrap_or(usual);
    let sizes: BTreeSet<Bytes> = fitting.iter().map(|card| card.memory).collect();
    let forms = fitting.iter().filter(|other| other.memory == card.memory).count();
    Ok(CardMatch {
        card: card.id.clone(),
        guessed_form: has_forms && wanted.is_none() && forms > 1,
        guessed_memory: name.memory.is_none() && sizes.len() > 1 && !is_plain(card),
        count: name.count,
    })
}

/// Says whether a card's id carries no memory: its memory is what people mean when they say none.
fn is_plain(card: &Card) -> bool {
    name_of(card).memory.is_none()
}

/// Takes a card's id apart; its last number is memory when it is near the card's memory.
fn name_of(card: &Card) -> Name {
    let mut parts: Vec<&str> = card.id.as_str().split('-').collect();
    let gib = card.memory.gib();
    let last = parts.last().and_then(|part| part.parse::<f64>().ok());
    let memory = last.filter(|gb| parts.len() > 1 && (gb - gib).abs() <= gib * 0.1);
    if memory.is_some() {
        parts.pop();
    }
    let mut name = take_apart(&parts.join(" "));
    name.memory = memory;
    name
}

fn take_apart(text: &str) -> Name {
    let mut spaced = String::with_capacity(text.len() + 8);
    let mut last = ' ';
    for c in text.chars().flat_map(char::to_lowercase) {
        let c = match c {
            '0'..='9' | 'a'..='z' | '.' | '×' | '*' => c,
            c if c.is_alphabetic() => c,
            _ => ' ',
        };
        // `rtx4090` is two words, `a100` and `l40s` are one: split between a run of letters of at
        // least two and a digit, and between Latin and Chinese.
        let script = |c: char| !c.is_ascii();
        if script(c) != script(last) && last != ' ' {
            spaced.push(' ');
        }
        spaced.push(c);
        last = c;
    }
    let mut name = Name { words: Vec::new(), memory: None, form: None, count: None };
    let mut words = spaced.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let word = word.trim_matches('.');
        let unit_follows = words.peek().is_some_and(|next| matches!(*next, "g" | "gb" | "gib"));
        if let Some(gb) = memory_word(word, unit_follows) {
            name.memory = Some(gb);
            if unit_follows {
                words.next();
            }
        } else if let Some(count) = count_word(word, words.peek().copied()) {
            name.count = Some(count);
            words.next_if(|next| matches!(*next, "x" | "×" | "*"));
        } else if let Some((count, rest)) = joined_count(word) {
            name.count = Some(count);
            push_word(&mut name, rest);
        } else {
            push_word(&mut name, word);
        }
    }
    name
}

/// Reads `24g`, `80gb`, or `24` when a unit follows.
fn memory_word(word: &str, unit_follows: bool) -> Option<f64> {
    let stripped = ["gib", "gb", "g"].iter().find_map(|unit| word.strip_suffix(unit));
    let number = if unit_follows { Some(stripped.unwrap_or(word)) } else { stripped };
    number?.parse().ok().filter(|gb: &f64| *gb > 0.0)
}

/// Reads `8x`, `8` before a lone `x`, and `x8`.
fn count_word(word: &str, next: Option<&str>) -> Option<u32> {
    let alone = next.is_some_and(|next| matches!(next, "x" | "×" | "*")).then_some(word);
    let joined = ["x", "×", "*"]
        .iter()
        .find_map(|sign| word.strip_suffix(sign).or_else(|| word.strip_prefix(sign)));
    joined.or(alone)?.parse().ok().filter(|count| (1..=64).contains(count))
}

/// Reads `8xh100` and `4*4090`.
fn joined_count(word: &str) -> Option<(u32, &str)> {
    let (count, rest) = word.split_once(['x', '×', '*'])?;
    let count = count.parse().ok().filter(|count| (1..=64).contains(count))?;
    (!rest.is_empty()).then_some((count, rest))
}

fn push_word(name: &mut Name, word: &str) {
    if let Some(form) = Form::word(word) {
        name.form = Some(form);
        return;
    }
    match word {
        // NVLink alone means SXM, beside PCIe it is only a bridge.
        "nvlink" => name.form = name.form.or(Some(Form::Sxm)),
        noise if NOISE.contains(&noise) => {}
        word => {
            let digits = word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len());
            match word.split_at(digits) {
                (letters, rest) if letters.len() >= 3 && !rest.is_empty() => {
                    name.words.extend([letters.to_owned(), rest.to_owned()]);
                }
                _ => name.words.push(word.to_owned()),
            }
        }
    }
}

/// Returns up to three names that look like what was typed.
fn nearest(known: &[(Name, &Card)], key: &str) -> Vec<String> {
    if key.is_empty() {
        return Vec::new();
    }
    let mut scored: Vec<(f64, &str)> = known
        .iter()
        .map(|(name, card)| {
            let family = name.words.concat();
            let bare = ["rtx", "gtx"].iter().find_map(|prefix| family.strip_prefix(prefix));
            let score = strsim::normalized_damerau_levenshtein(&family, key)
                .max(bare.map_or(0.0, |bare| strsim::normalized_damerau_levenshtein(bare, key)));
            (score, card.id.as_str())
        })
        .filter(|(score, _)| *score >= 0.5)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.into_iter().take(3).map(|(_, id)| id.to_owned()).collect()
}
