//! Findings: detected waste, each with its evidence, its money, how sure it is, and what to do.

mod bills;
mod cards;
mod idle;
mod quiet;
mod runs;

use crate::input::Input;
use kasuan_model::{Confidence, Money, Phrase};

/// Which rule found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// Cards that did nothing for hours in a row.
    IdleCard,
    /// Paid hours of a host that nobody measured or used at all.
    ForgottenHost,
    /// Some cards of a host idle all month while others work.
    UnusedCards,
    /// A job whose cards are hardly ever busy.
    LowUse,
    /// A job that never needs half of the card's memory and hardly its speed.
    OversizedCard,
    /// The same hours of the day are idle on most days.
    CalendarGap,
    /// A prepaid card that was used for fewer hours than on demand would have cost.
    UnderusedCommitment,
    /// Storage that costs more than the cards.
    StorageDearerThanCards,
    /// Old checkpoints and caches on paid storage.
    OldData,
    /// A job that fails again and again.
    FailingLoop,
    /// More cards that do not bring proportionally more work.
    PoorScaling,
    /// A job whose cards wait for more than they work.
    WaitingCards,
    /// Cards that are busy and draw hardly any power.
    BusyWithoutWork,
    /// Runs much shorter than the step that the provider rounds up to.
    ShortRuns,
    /// A host that was measured, then fell silent while it was still paid for.
    SilentHost,
    /// Traffic between regions.
    CrossRegion,
}

/// Detected waste.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Which rule found it.
    pub kind: FindingKind,
    /// The host, job, service or path it is about.
    pub subject: String,
    /// What was seen.
    pub evidence: Phrase,
    /// What it cost in the month; `None` when no price is known.
    pub money: Option<Money>,
    /// How sure it is.
    pub confidence: Confidence,
    /// What to do.
    pub remedy: Phrase,
    /// A command that shows it, or does the first step of the remedy. Nothing is ever stopped by one.
    pub command: String,
}

/// Runs every rule; dearest first, findings without a price last.
pub(crate) fn all(input: &Input) -> Vec<Finding> {
    let mut found = idle::find(input);
    found.extend(cards::find(input));
    found.extend(runs::find(input));
    found.extend(quiet::find(input));
    found.extend(bills::find(input));
    for finding in &mut found {
        finding.command = command(finding.kind, &finding.subject);
    }
    found.sort_by(|a, b| {
        let amount = |finding: &Finding| finding.money.map(Money::amount);
        amount(b).cmp(&amount(a)).then(a.kind.cmp(&b.kind)).then(a.subject.cmp(&b.subject))
    });
    found
}

/// Returns the command for a finding about a host, a job or a card.
fn command(kind: FindingKind, subject: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@".contains(c);
    let quoted = if !subject.is_empty() && subject.chars().all(plain) {
        subject.to_owned()
    } else {
        format!("'{}'", subject.replace('\'', "'\\''"))
    };
    match kind {
        // The finding of a card names its host before the card.
        FindingKind::IdleCard => {
            "kasuan alerts check --channels channels.toml --idle-over 1".into()
        }
        FindingKind::ForgottenHost => format!("kasuan agent --host {quoted} --ledger ledger.db"),
        FindingKind::SilentHost => format!("ssh {quoted} systemctl status kasuan-agent"),
        FindingKind::BusyWithoutWork => "kasuan watch".into(),
        FindingKind::LowUse | FindingKind::WaitingCards => {
            format!("kasuan run --task {quoted} --interval 1 -- COMMAND")
        }
        FindingKind::FailingLoop => "kasuan doctor".into(),
        FindingKind::CalendarGap => "kasuan plan jobs.yaml --calendar cron".into(),
        FindingKind::StorageDearerThanCards | FindingKind::OldData => {
            "kasuan storage scan PATH --plan plan.json".into()
        }
        FindingKind::ShortRuns | FindingKind::CrossRegion => "kasuan plan jobs.yaml".into(),
        FindingKind::UnusedCards
        | FindingKind::OversizedCard
        | FindingKind::UnderusedCommitment
        | FindingKind::PoorScaling => "kasuan advise next jobs.yaml".into(),
    }
}

/// Returns what some card-hours cost at a price.
pub(crate) fn cost(price: Option<Money>, card_hours: f64) -> Option<Money> {
    use rust_decimal::{Decimal, prelude::FromPrimitive as _};
    price?.times(Decimal::from_f64(card_hours)?).ok()
}

/// Writes hours with one decimal.
pub(crate) fn hours(hours: f64) -> String {
    format!("{hours:.1}")
}

/// Writes a share as whole per cent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}
