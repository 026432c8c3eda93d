//! Brings model names to plain forms, so that spacing, case and variant words do not matter.

/// Words that say how a model was tuned or stored but not how it is built.
const VARIANTS: &[&str] = &[
    "instruct",
    "chat",
    "it",
    "base",
    "hf",
    "meta",
    "awq",
    "gptq",
    "int4",
    "int8",
    "fp8",
    "bf16",
    "fp16",
    "gguf",
    "4bit",
    "4bits",
    "8bit",
    "8bits",
    "bnb",
    "w8a8",
    "w4a16",
    "nf4",
    "mlx",
    "nvfp4",
    "mxfp4",
    "dynamic",
    "quantized",
    "pt",
    "latest",
];

/// A model's name in three plain forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// Owner and name, lower case, letters and digits only.
    pub(super) full: String,
    /// The same without the owner.
    pub(super) without_owner: String,
    /// The same without words that say only how the model was tuned or stored.
    pub(super) loose: String,
}

impl Name {
    /// Brings a name to its plain forms.
    pub(super) fn new(text: &str) -> Self {
        let lower = text.trim().to_lowercase();
        let name = lower.rsplit('/').next().unwrap_or(&lower);
        let words: Vec<&str> =
            name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let loose = words
            .iter()
            .enumerate()
            .filter(|(at, word)| {
                let before = at.checked_sub(1).and_then(|before| words.get(before));
                !(VARIANTS.contains(word) || is_date(word) || **word == "v0")
                    && before.is_none_or(|before| *before != "v0")
            })
            .map(|(_, word)| *word)
            .collect();
        Self { full: plain(&lower), without_owner: plain(name), loose }
    }
}

/// Says whether a word is the month or day of a release (`2407`, `0324`), which changes no shape.
fn is_date(word: &str) -> bool {
    word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Keeps letters and digits only.
fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}
