//! A question in the address: names and values, each taken once, none left over.

use crate::problem::Problem;
use axum::http::{StatusCode, Uri};
use kasuan_model::Phrase;
use std::{cell::RefCell, collections::BTreeSet, str::FromStr};

/// The names and values behind the `?` of an address.
#[derive(Debug)]
pub(crate) struct Question {
    pairs: Vec<(String, String)>,
    asked: RefCell<BTreeSet<&'static str>>,
}

impl Question {
    /// Reads an address; empty values count as not given, as a form sends them.
    pub(crate) fn new(uri: &Uri) -> Self {
        let mut question = Self::of_program(uri);
        question.pairs.retain(|(_, value)| !value.trim().is_empty());
        question
    }

    /// Reads an address that a program wrote: an empty value is a value, and most often a wrong one.
    pub(crate) fn of_program(uri: &Uri) -> Self {
        let query = uri.query().unwrap_or_default();
        let pairs = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        Self { pairs, asked: RefCell::new(BTreeSet::from(["lang"])) }
    }

    /// Says whether nothing is asked.
    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.iter().all(|(name, _)| name == "lang")
    }

    /// Returns every value of a name.
    pub(crate) fn all(&self, name: &'static str) -> Vec<String> {
        self.asked.borrow_mut().insert(name);
        let same = self.pairs.iter().filter(|(other, _)| other == name);
        same.map(|(_, value)| value.trim().to_owned()).collect()
    }

    /// Returns the last value of a name.
    pub(crate) fn text(&self, name: &'static str) -> Option<String> {
        self.all(name).pop()
    }

    /// Reads the value of a name.
    pub(crate) fn read<T: FromStr>(&self, name: &'static str) -> Result<Option<T>, Problem> {
        let Some(text) = self.text(name) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| wrong(name, &text))
    }

    /// Reads a count, which is at least one.
    pub(crate) fn count(&self, name: &'static str) -> Result<Option<u32>, Problem> {
        match self.read(name)? {
            Some(0) => Err(wrong(name, "0")),
            count => Ok(count),
        }
    }

    /// Says whether a name is set: `1`, `true` or `on`.
    pub(crate) fn flag(&self, name: &'static str) -> Result<bool, Problem> {
        match self.text(name).as_deref() {
            None | Some("0" | "false") => Ok(false),
            Some("1" | "true" | "on") => Ok(true),
            Some(other) => Err(wrong(name, other)),
        }
    }

    /// Refuses a name that nothing asked for.
    pub(crate) fn done(&self) -> Result<(), Problem> {
        let asked = self.asked.borrow();
        match self.pairs.iter().find(|(name, _)| !asked.contains(name.as_str())) {
            None => Ok(()),
            Some((name, _)) => Err(Problem::new(
                StatusCode::BAD_REQUEST,
                Phrase::new("error-argument-unknown").with("argument", shortened(name)),
            )
            .hint(
                Phrase::new("hint-possible-values")
                    .with("values", asked.iter().copied().collect::<Vec<_>>().join(", ")),
            )),
        }
    }
}

/// Says that a value cannot be read.
pub(crate) fn wrong(name: &str, value: &str) -> Problem {
    Problem::new(
        StatusCode::BAD_REQUEST,
        Phrase::new("error-argument-value").with("value", shortened(value)).with("argument", name),
    )
}

/// Keeps an error readable, whatever was sent.
fn shortened(text: &str) -> String {
    if text.chars().count() <= 80 {
        return text.to_owned();
    }
    format!("{}…", text.chars().take(80).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(query: &str) -> Question {
        Question::new(&format!("/x?{query}").parse().unwrap())
    }

    #[test]
    fn a_question_is_read_whole_or_refused() {
        let question = ask("count=2&card=a&card=b&empty=&lang=zh");
        assert_eq!(question.read::<u32>("count").unwrap(), Some(2));
        assert!(question.done().is_err());
        assert_eq!(question.all("card"), ["a", "b"]);
        assert!(question.done().is_ok());
        assert!(ask("count=two").read::<u32>("count").is_err());
        assert!(ask("count=0").count("count").is_err());
        assert!(ask("x=yes").flag("x").is_err() && ask("x=on").flag("x").unwrap());
    }
}
