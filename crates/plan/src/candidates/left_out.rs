//! Why offers take no part, and how that is said.

use kasuan_market::Lack;
use kasuan_model::{Currency, Phrase};
use std::collections::BTreeMap;

/// Why offers were left out, and how many for each reason.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftOut {
    /// Offers that the policy names out: provider, country, region, mode, age.
    pub(crate) policy: BTreeMap<&'static str, u32>,
    /// Offers in a currency without a stated rate.
    pub(crate) currency: BTreeMap<Currency, u32>,
    /// Prices for requests, not for a box.
    pub(crate) serverless: u32,
    /// Offers whose price is not good enough to choose by.
    pub(crate) doubtful: BTreeMap<Lack, u32>,
    /// Terms longer than the plan, which nothing in it can justify.
    pub(crate) long_terms: u32,
    /// Offers of a card that is not in the card table, or without a price.
    pub(crate) unusable: u32,
}

/// Says what was left out, one line for each reason.
pub(crate) fn left_out_notes(left_out: &LeftOut) -> Vec<Phrase> {
    let mut notes = Vec::new();
    for (reason, count) in &left_out.policy {
        notes.push(
            Phrase::new("plan-note-left-out-policy").with_word("rule", reason).with("count", count),
        );
    }
    for (currency, count) in &left_out.currency {
        notes.push(
            Phrase::new("plan-note-left-out-currency")
                .with("currency", currency)
                .with("count", count),
        );
    }
    for (lack, count) in &left_out.doubtful {
        notes.push(match lack {
            Lack::Undated => Phrase::new("plan-note-left-out-undated").with("count", count),
            Lack::Old => Phrase::new("plan-note-left-out-old")
                .with("count", count)
                .with("days", kasuan_market::standing::DEFAULT_AGE),
            Lack::Grade => Phrase::new("plan-note-left-out-grade").with("count", count),
            Lack::FarBelow => Phrase::new("plan-note-left-out-far-below").with("count", count),
        });
    }
    if left_out.long_terms > 0 {
        notes.push(Phrase::new("plan-note-left-out-terms").with("count", left_out.long_terms));
    }
    if left_out.unusable > 0 {
        notes.push(Phrase::new("plan-note-left-out-unusable").with("count", left_out.unusable));
    }
    if left_out.serverless > 0 {
        notes.push(Phrase::new("plan-note-left-out-serverless").with("count", left_out.serverless));
    }
    notes
}
