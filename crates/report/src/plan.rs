//! The plan as a report: what to rent, where the money goes, what to do when it is not there.

mod budget;
mod jobs;
mod others;
mod when;

use crate::{Document, Line, Part, Table, Tone, Words};
use jiff::civil::Date;
use kasuan_market::Catalogue;
use kasuan_model::{CardId, Money, Phrase, Seconds};
use kasuan_plan::{outcome::Plan, workload::Workload};

/// What a report on a plan is made from.
#[derive(Clone, Copy, Debug)]
pub struct PlanReport<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// What was asked for.
    pub workload: &'a Workload,
    /// What it was chosen from, for the sources of prices.
    pub catalogue: &'a Catalogue,
    /// The day on which it was made.
    pub today: Date,
    /// Whether each figure's formula, inputs and source are told.
    pub explain: bool,
}

impl PlanReport<'_> {
    /// Writes the report in the reader's language.
    pub fn document(&self, words: &Words) -> Document {
        let mut document = Document {
            title: words.say(&self.title()),
            headline: words.say(&self.headline()),
            summary: self.summary(words),
            ..Document::default()
        };
        let say = |key: &str| words.word(key);
        document.push(say("report-jobs"), jobs::section(self, words));
        document.push(say("report-budget"), budget::section(self, words));
        if self.any_choice() {
            document.push(say("report-mix"), others::mix(self, words));
        }
        document.push(say("report-calendar"), others::calendar(self, words));
        document.push(say("report-fallback"), others::fallback(self, words));
        document.push(say("report-baselines"), others::baselines(self, words));
        document
            .push(say("report-unknowns"), others::spoken(&self.plan.unknowns, Tone::Warn, words));
        document.push(say("report-notes"), others::spoken(&self.plan.notes, Tone::Plain, words));
        document.push(say("report-sources"), others::sources(self, words));
        document
    }

    /// Writes the jobs as one table, for programs that read CSV.
    pub fn table(&self, words: &Words) -> Table {
        jobs::wide_table(self, words)
    }

    /// Returns the total; without the jobs that nothing fits it is only a part, and says so.
    fn headline(&self) -> Phrase {
        let whole = self.plan.jobs.iter().all(|job| job.choice.is_some());
        let key = if whole { "report-total" } else { "report-total-known" };
        Phrase::new(key).with("total", self.plan.total)
    }

    fn any_choice(&self) -> bool {
        self.plan.jobs.iter().any(|job| job.choice.is_some())
    }

    /// Returns what people call a card.
    pub(crate) fn card_name(&self, id: &CardId) -> String {
        self.catalogue.card(id).map_or_else(|| id.to_string(), |card| card.display.clone())
    }

    fn title(&self) -> Phrase {
        let month = self.workload.month;
        Phrase::new("report-title")
            .with("year", month.year().to_string())
            .with("month", month.month())
    }

    fn summary(&self, words: &Words) -> Vec<Line> {
        let budget = &self.plan.budget;
        let range = Phrase::new("report-range")
            .with("p50", budget.p50)
            .with("p80", budget.p80)
            .with("p90", budget.p90);
        if !self.any_choice() {
            return Vec::new();
        }
        let mut lines = vec![Line::plain(words.say(&range)).toned(Tone::Faint)];
        if let Some(cap) = self.workload.policy.cap {
            let over = self.plan.total.checked_sub(cap).ok();
            let over = over.filter(|over| over.amount().is_sign_positive() && !over.is_zero());
            lines.push(match over {
                Some(over) => Line::plain(
                    words.say(&Phrase::new("report-over-cap").with("cap", cap).with("over", over)),
                )
                .toned(Tone::Bad),
                None => Line::plain(words.say(&Phrase::new("report-under-cap").with("cap", cap)))
                    .toned(Tone::Good),
            });
        }
        let policy = &self.workload.policy;
        if let Some(peak) = self.plan.peak {
            if let Some(cap) = policy.hourly_cap.filter(|cap| peak.breaks_hourly(*cap)) {
                let over = Phrase::new("report-over-hourly")
                    .with("hourly", peak.hourly)
                    .with("at", peak.hourly_at.strftime("%m-%d %H:%M"))
                    .with("cap", cap);
                lines.push(Line::plain(words.say(&over)).toned(Tone::Bad));
            }
            if let Some(cap) = policy.cards_cap.filter(|cap| peak.cards > *cap) {
                let over = Phrase::new("report-over-cards")
                    .with("cards", peak.cards)
                    .with("at", peak.cards_at.strftime("%m-%d %H:%M"))
                    .with("cap", cap);
                lines.push(Line::plain(words.say(&over)).toned(Tone::Bad));
            }
        }
        lines
    }
}

/// Writes a span in hours, or in minutes below two hours.
pub(crate) fn span(span: Seconds, words: &Words) -> String {
    if span.get() < 7_200 && !span.get().is_multiple_of(3_600) {
        let minutes = span.get().div_ceil(60);
        return words.say(&Phrase::new("report-minutes").with("minutes", minutes));
    }
    words.say(&Phrase::new("report-hours").with("hours", hours(span)))
}

/// Writes a span in hours with at most one decimal.
pub(crate) fn hours(span: Seconds) -> String {
    let hours = span
        .decimal_hours()
        .round_dp_with_strategy(1, rust_decimal::RoundingStrategy::MidpointAwayFromZero);
    hours.normalize().to_string()
}

/// Writes how much dearer one sum is than another, in per cent.
pub(crate) fn per_cent_more(dearer: Money, cheaper: Money) -> Option<String> {
    let difference = dearer.checked_sub(cheaper).ok()?.amount();
    let ratio = difference.checked_div(cheaper.amount())?;
    let per_cent = ratio * rust_decimal::Decimal::ONE_HUNDRED;
    // Below ten a whole per cent is too coarse, and `+0%` reads as if nothing differed.
    let digits = u32::from(per_cent.abs() < rust_decimal::Decimal::TEN);
    let shown = per_cent
        .round_dp_with_strategy(digits, rust_decimal::RoundingStrategy::MidpointAwayFromZero);
    let sign = match (ratio.is_zero(), ratio.is_sign_negative()) {
        (true, _) => return Some("0%".to_owned()),
        (_, true) => "-",
        (_, false) => "+",
    };
    let shown = shown.abs();
    Some(if shown.is_zero() { format!("{sign}<0.1%") } else { format!("{sign}{shown}%") })
}

/// Makes a part of lines.
pub(crate) const fn lines(lines: Vec<Line>) -> Part {
    Part::Lines(lines)
}
