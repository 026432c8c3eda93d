//! The words of both languages: Fluent files in `locales/`, one for each room.

use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle};
use kasuan_model::{BillingMode, Phrase};
use std::sync::OnceLock;
use unic_langid::LanguageIdentifier;

mod embedded {
    include!(concat!(env!("OUT_DIR"), "/locales.rs"));
}

/// A language that reports are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// 简体中文.
    Chinese,
    /// English.
    English,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 2] = [Self::Chinese, Self::English];

    /// Returns the language for a POSIX locale or a language tag: Chinese for `zh*`, otherwise
    /// English.
    pub fn from_locale(locale: &str) -> Self {
        if locale.to_ascii_lowercase().starts_with("zh") { Self::Chinese } else { Self::English }
    }

    /// Returns the folder of its words, which is also its language tag.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Chinese => "zh-CN",
            Self::English => "en",
        }
    }

    fn identifier(self) -> LanguageIdentifier {
        self.tag().parse().unwrap_or_default()
    }
}

/// Returns the embedded Fluent files of a language, as file name and text.
pub const fn sources(language: Language) -> &'static [(&'static str, &'static str)] {
    match language {
        Language::Chinese => embedded::ZH,
        Language::English => embedded::EN,
    }
}

/// In which of a language's files each key stands.
const fn keys(language: Language) -> &'static [(&'static str, u16)] {
    match language {
        Language::Chinese => embedded::ZH_KEYS,
        Language::English => embedded::EN_KEYS,
    }
}

/// The words of one language, ready to speak; a file is read when something in it is first said.
pub struct Words {
    language: Language,
    files: Vec<OnceLock<FluentBundle<FluentResource>>>,
}

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Words").field(&self.language).finish()
    }
}

impl Words {
    /// Takes the embedded words of a language.
    pub fn new(language: Language) -> Self {
        Self { language, files: sources(language).iter().map(|_| OnceLock::new()).collect() }
    }

    /// Returns the file that a key stands in, read.
    ///
    /// A file that does not parse or a key that stands twice is found by the tests of this crate;
    /// at run time the parts that are well formed are used.
    fn bundle(&self, key: &str) -> Option<&FluentBundle<FluentResource>> {
        let keys = keys(self.language);
        let place = keys.binary_search_by(|(known, _)| (*known).cmp(key)).ok()?;
        let file = usize::from(keys.get(place)?.1);
        let (_, text) = sources(self.language).get(file)?;
        Some(self.files.get(file)?.get_or_init(|| {
            let mut bundle = FluentBundle::new_concurrent(vec![self.language.identifier()]);
            bundle.set_use_isolating(false);
            let resource = match FluentResource::try_new((*text).to_owned()) {
                Ok(resource) | Err((resource, _)) => resource,
            };
            // An error here is a key that stands twice; the first one stays in use.
            let _ = bundle.add_resource(resource);
            bundle
        }))
    }

    /// Returns the language.
    pub const fn language(&self) -> Language {
        self.language
    }

    /// Says whether a key has words.
    pub fn has(&self, key: &str) -> bool {
        let message = self.bundle(key).and_then(|bundle| bundle.get_message(key));
        message.is_some_and(|message| message.value().is_some())
    }

    /// Puts a message into words.
    pub fn say(&self, phrase: &Phrase) -> String {
        let mut args = FluentArgs::new();
        for (name, value) in phrase.args() {
            args.set(*name, self.argument(value));
        }
        self.format(phrase.key(), &args)
    }

    /// Returns the words of a key that takes no arguments.
    pub fn word(&self, key: &str) -> String {
        self.format(key, &FluentArgs::new())
    }

    /// Returns the word for a billing mode.
    pub fn mode(&self, mode: BillingMode) -> String {
        match mode {
            BillingMode::Reserved { months } => {
                self.say(&Phrase::new("mode-reserved").with("months", months))
            }
            other => self.word(&format!("mode-{}", other.word())),
        }
    }

    fn format(&self, key: &str, args: &FluentArgs<'_>) -> String {
        // Tests hold that every key exists; a reader who meets this can at least report it.
        let unknown = || format!("[{key}]");
        let Some(bundle) = self.bundle(key) else { return unknown() };
        let Some(pattern) = bundle.get_message(key).and_then(|message| message.value()) else {
            return unknown();
        };
        let mut problems = Vec::new();
        bundle.format_pattern(pattern, Some(args), &mut problems).into_owned()
    }

    /// Turns an argument into a Fluent value: the words of another key, a count that plural forms
    /// can be chosen by, or the text as it stands.
    fn argument(&self, value: &str) -> FluentValue<'static> {
        if let Some(key) = Phrase::word_key(value) {
            if let Some(months) =
                key.strip_prefix("mode-reserved_").and_then(|k| k.strip_suffix('m'))
            {
                return FluentValue::from(
                    self.say(&Phrase::new("mode-reserved").with("months", months)),
                );
            }
            return FluentValue::from(self.word(key));
        }
        let is_count = !value.is_empty()
            && value.len() <= 15
            && value.bytes().all(|byte| byte.is_ascii_digit())
            && (value.len() == 1 || !value.starts_with('0'));
        match value.parse::<u64>() {
            Ok(count) if is_count => FluentValue::from(count),
            _ => FluentValue::from(value.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_words_and_a_chinese_locale_means_chinese() {
        for language in Language::ALL {
            assert!(Words::new(language).has("cmd-kasuan"));
        }
        assert_eq!(Language::from_locale("zh_CN.UTF-8"), Language::Chinese);
        assert_eq!(Language::from_locale("C.UTF-8"), Language::English);
    }

    #[test]
    fn every_message_of_every_file_is_found_in_it() {
        for language in Language::ALL {
            let words = Words::new(language);
            for (file, text) in sources(language) {
                let resource = FluentResource::try_new((*text).to_owned()).unwrap();
                for entry in resource.entries() {
                    if let fluent_syntax::ast::Entry::Message(message) = entry {
                        assert!(words.has(message.id.name), "{file}: {}", message.id.name);
                    }
                }
            }
        }
    }

    #[test]
    fn an_argument_may_be_a_word_of_the_readers_language() {
        let phrase = Phrase::new("error-line").with_word("message", "mode-spot");
        assert_eq!(Words::new(Language::Chinese).say(&phrase), "错误：竞价");
        assert_eq!(Words::new(Language::English).say(&phrase), "error: spot");
    }

    #[test]
    fn long_numbers_are_said_digit_by_digit() {
        let words = Words::new(Language::English);
        for text in ["12345678901234567890", "007", "1.50", "999999999999999"] {
            assert_eq!(
                words.say(&Phrase::new("error-line").with("message", text)),
                format!("error: {text}")
            );
        }
    }
}
