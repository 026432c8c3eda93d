//! The answer: a verdict, and every check with its evidence, its source and what to do.

use kasuan_model::Phrase;

/// The answer to "will it run?".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It runs, as far as these parts go.
    Ok,
    /// It does not run.
    Fail,
    /// Something decisive is not stated, or is not in the tables.
    Unknown,
}

impl Verdict {
    /// Returns the word of the JSON contract: `ok`, `fail`, `unknown`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Fail => "fail",
            Self::Unknown => "unknown",
        }
    }
}

/// The outcome of one check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Holds.
    Pass,
    /// Holds under a condition that the evidence names.
    Assumed,
    /// Does not hold.
    Fail,
    /// Cannot be told.
    Unknown,
}

impl Outcome {
    /// Returns the word of the JSON contract.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Assumed => "assumed",
            Self::Fail => "fail",
            Self::Unknown => "unknown",
        }
    }
}

/// One rule applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The rule's id, for example `DRIVER` or `ARCH`.
    pub rule: String,
    /// What came out.
    pub outcome: Outcome,
    /// What was compared.
    pub evidence: Phrase,
    /// What to do about it.
    pub fix: Option<Phrase>,
    /// Where the rule's figures come from.
    pub source: String,
}

impl Check {
    pub(super) fn new(rule: &str, outcome: Outcome, evidence: Phrase, source: &str) -> Self {
        Self { rule: rule.to_owned(), outcome, evidence, fix: None, source: source.to_owned() }
    }

    #[must_use]
    pub(super) fn fix(mut self, fix: Phrase) -> Self {
        self.fix = Some(fix);
        self
    }
}

/// The whole answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// The answer in one word.
    pub verdict: Verdict,
    /// Every check made, failures first.
    pub checks: Vec<Check>,
    /// What to install or take instead, where the tables name something that passes.
    pub remedy: Option<Phrase>,
}

impl Diagnosis {
    pub(super) fn new(mut checks: Vec<Check>, remedy: Option<Phrase>) -> Self {
        checks.sort_by_key(|check| match check.outcome {
            Outcome::Fail => 0,
            Outcome::Unknown => 1,
            Outcome::Assumed => 2,
            Outcome::Pass => 3,
        });
        let verdict = match checks.first().map(|check| check.outcome) {
            Some(Outcome::Fail) => Verdict::Fail,
            Some(Outcome::Unknown) | None => Verdict::Unknown,
            Some(Outcome::Pass | Outcome::Assumed) => Verdict::Ok,
        };
        Self { verdict, checks, remedy }
    }

    /// Returns the check that decided: the first failure, else the first open question.
    pub fn deciding(&self) -> Option<&Check> {
        self.checks.first()
    }
}
