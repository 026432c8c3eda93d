//! The words of both languages: Fluent files in `locales/`, one for each room.

use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle};
use kasuan_model::{BillingMode, Phrase};
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

/// The words of one language, ready to speak.
pub struct Words {
    language: Language,
    bundle: FluentBundle<FluentResource>,
}

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Words").field(&self.language).finish()
    }
}

impl Words {
    /// Loads the embedded words of a language.
    ///
    /// A file that does not parse or a key that stands twice is found by the tests of this crate;
    /// at run time the parts that are well formed are used.
    pub fn new(language: Language) -> Self {
        let mut bundle = FluentBundle::new_concurrent(vec![language.identifier()]);
        bundle.set_use_isolating(false);
        for (_, text) in sources(language) {
            let resource = match FluentResource::try_new((*text).to_owned()) {
                Ok(resource) | Err((resource, _)) => resource,
            };
            // An error here is a key that stands twice; the first one stays in use.
            let _ = bundle.add_resource(resource);
        }
        Self { language, bundle }
    }

    /// Returns the language.
    pub const fn language(&self) -> Language {
        self.language
    }

    /// Says whether a key has words.
    pub fn has(&self, key: &str) -> bool {
        self.bundle.get_message(key).is_some_and(|message| message.value().is_some())
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
        let Some(pattern) = self.bundle.get_message(key).and_then(|message| message.value()) else {
            // Tests hold that every key exists; a reader who meets this can at least report it.
            return format!("[{key}]");
        };
        let mut problems = Vec::new();
        self.bundle.format_pattern(pattern, Some(args), &mut problems).into_owned()
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
