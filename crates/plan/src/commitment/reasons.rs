//! Why the adviser says what it says, as phrases.

use super::online::{CommitAdvice, REGRET_SHARE};
use kasuan_model::{Currency, Money, Phrase, Share};

/// Hours of demand below which the adviser says how little it has seen.
const A_WEEK: usize = 168;

impl CommitAdvice {
    /// Returns the reasons, most important first; `names` are the terms' names in their order.
    pub fn reasons(&self, names: &[String], currency: Currency) -> Vec<Phrase> {
        let name = |term: usize| names.get(term).map(String::as_str).unwrap_or_default();
        let mut reasons = Vec::new();
        for buy in &self.buy {
            let evidence = &buy.weakest;
            let least = evidence.use_of.iter().map(|window| window.share).fold(1.0, f64::min);
            reasons.push(
                Phrase::new("advise-commit-buy")
                    .with("count", buy.count)
                    .with("term", name(buy.term))
                    .with("use", percent(least))
                    .with("break_even", percent(evidence.break_even))
                    .with("forgone", hours(evidence.forgone_hours))
                    .with("stake", hours(evidence.stake_hours)),
            );
        }
        if self.buy.is_empty() {
            reasons.push(Phrase::new("advise-commit-nothing").with("held", self.held));
        } else {
            let at_risk = Money::new(self.at_risk, currency);
            reasons.push(Phrase::new("advise-commit-risk").with("amount", at_risk));
        }
        if let Some(next) = &self.next {
            let evidence = &next.evidence;
            let needed = REGRET_SHARE * evidence.stake_hours;
            reasons.push(if evidence.break_even >= 1.0 {
                Phrase::new("advise-commit-never").with("term", name(next.term))
            } else if let Some(window) = evidence.slack_window() {
                Phrase::new("advise-commit-next-use")
                    .with("level", next.level)
                    .with("term", name(next.term))
                    .with("hours", window.hours)
                    .with("use", percent(window.share))
                    .with("break_even", percent(evidence.break_even))
            } else {
                Phrase::new("advise-commit-next-wait")
                    .with("level", next.level)
                    .with("term", name(next.term))
                    .with("forgone", hours(evidence.forgone_hours))
                    .with("needed", hours(needed))
                    .with("stake", hours(evidence.stake_hours))
            });
        }
        if self.seen < A_WEEK {
            reasons.push(Phrase::new("advise-commit-short").with("seen", self.seen));
        }
        reasons.push(Phrase::new("advise-commit-again"));
        reasons
    }
}

fn percent(share: f64) -> String {
    Share::new(share).map_or_else(|_| format!("{:.1}%", share * 100.0), |share| share.to_string())
}

fn hours(hours: f64) -> String {
    format!("{:.0}", hours.max(0.0))
}
