//! Who reads: the language that a request asks for, and whether it wants a page or a document.

use crate::access::cookie;
use axum::http::{HeaderMap, Uri, header};
use kasuan_report::Language;

/// The cookie that remembers the language.
pub(crate) const LANGUAGE_COOKIE: &str = "kasuan_lang";

/// Returns the language that is written as a word.
pub(crate) fn language_of(text: &str) -> Option<Language> {
    match text {
        "zh" | "zh-CN" => Some(Language::Chinese),
        "en" => Some(Language::English),
        _ => None,
    }
}

/// Returns the word of a language in links.
pub(crate) const fn word(language: Language) -> &'static str {
    match language {
        Language::Chinese => "zh",
        Language::English => "en",
    }
}

/// Returns the language that an address asks for.
pub(crate) fn chosen(uri: &Uri) -> Option<Language> {
    let mut pairs = uri.query().unwrap_or_default().split('&');
    pairs.find_map(|pair| pair.strip_prefix("lang=")).and_then(language_of)
}

/// Returns the language of a request: what its address says, then the cookie, then the first that
/// the browser prefers and that we speak; Chinese where nothing is said.
pub(crate) fn language(headers: &HeaderMap, uri: &Uri) -> Language {
    if let Some(language) = chosen(uri) {
        return language;
    }
    if let Some(language) = cookie(headers, LANGUAGE_COOKIE).and_then(language_of) {
        return language;
    }
    let preferred = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let tags = preferred.unwrap_or_default().split(',');
    let spoken = tags.map(|tag| tag.trim().to_ascii_lowercase()).find_map(|tag| {
        if tag.starts_with("zh") {
            Some(Language::Chinese)
        } else if tag.starts_with("en") {
            Some(Language::English)
        } else {
            None
        }
    });
    spoken.unwrap_or(Language::Chinese)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(query: &str, cookie: &str, accept: &str) -> Language {
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, cookie.parse().unwrap());
        headers.insert(header::ACCEPT_LANGUAGE, accept.parse().unwrap());
        language(&headers, &format!("/{query}").parse().unwrap())
    }

    #[test]
    fn the_address_goes_before_the_cookie_and_the_cookie_before_the_browser() {
        assert_eq!(said("?lang=en", "kasuan_lang=zh", "zh-CN"), Language::English);
        assert_eq!(said("", "kasuan_lang=zh", "en-GB,en"), Language::Chinese);
        assert_eq!(said("", "", "fr, en;q=0.8, zh;q=0.5"), Language::English);
        assert_eq!(said("?lang=xx", "", "fr"), Language::Chinese);
    }
}
