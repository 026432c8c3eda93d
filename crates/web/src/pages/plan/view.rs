//! The answer as the page shows it: the total, then a section for each question.

use super::{billing, budget, compare, jobs, month, place};
use crate::{
    form::Form, measured::Hours, numbers, pages::html, planning::Planned, problem::Problem,
    state::AppState,
};
use kasuan_model::{Money, Phrase};
use kasuan_plan::outcome::BaselineKind;
use kasuan_report::{Document, Tone, Words};
use rust_decimal::prelude::ToPrimitive as _;

/// A section of the answer.
#[derive(Debug)]
pub(crate) struct Section {
    /// Its anchor.
    pub(crate) id: &'static str,
    /// Its heading.
    pub(crate) title: String,
    /// Pictures and tables, as HTML.
    pub(crate) body: String,
    /// How it was computed, as HTML; empty when there is nothing more to say.
    pub(crate) how: String,
}

/// What stands below the form.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// What is wrong, when there is no plan.
    pub(crate) wrong: Option<Wrong>,
    /// What to do when nothing was asked.
    pub(crate) hint: String,
    /// What the plan is of.
    pub(crate) title: String,
    /// The figure that matters most.
    pub(crate) total: String,
    /// What is said below it: a class and a text.
    pub(crate) summary: Vec<(&'static str, String)>,
    /// Small figures beside it: a name and a figure.
    pub(crate) tiles: Vec<(String, String)>,
    /// The sections.
    pub(crate) sections: Vec<Section>,
    slider: u64,
}

/// What is wrong with what was typed.
#[derive(Debug)]
pub(crate) struct Wrong {
    /// Where.
    pub(crate) place: String,
    /// The row; 0 when it is none.
    pub(crate) row: usize,
    /// The column.
    pub(crate) column: &'static str,
    /// What.
    pub(crate) message: String,
    /// What to try.
    pub(crate) hints: Vec<String>,
}

impl Answer {
    /// Says that too many wait already.
    pub(super) fn busy(words: &Words) -> Self {
        Self { hint: words.word("serve-busy"), ..Self::default() }
    }

    /// Says how to begin.
    pub(super) fn empty(words: &Words) -> Self {
        Self { hint: words.word("web-empty"), ..Self::default() }
    }

    /// Says what is wrong.
    pub(super) fn problem(problem: &Problem, form: &Form, words: &Words) -> Self {
        let (place, row, column) = place(form, problem, words).unwrap_or_default();
        let message = problem.message(words);
        let wrong = Wrong { place, row, column, message, hints: problem.hints(words) };
        Self { wrong: Some(wrong), ..Self::default() }
    }

    /// Returns the most that the slider of the cap reaches, in whole units of the currency.
    pub(super) const fn slider(&self) -> u64 {
        self.slider
    }

    /// Shows a plan.
    pub(super) fn plan(
        state: &AppState,
        form: &Form,
        planned: &Planned,
        measured: &Hours,
        words: &Words,
    ) -> Self {
        let plan = &planned.plan;
        let short = planned.report(state, false).document(words);
        let long = planned.report(state, true).document(words);
        let look = Look { state, planned, words, measured, short: &short, long: &long };
        // The first line says the simulated range, which stands in the tiles.
        let mut summary: Vec<_> = short
            .summary
            .iter()
            .skip(1)
            .map(|line| (html::class(line.tone), line.text.clone()))
            .collect();
        for job in plan.jobs.iter().filter(|job| job.choice.is_none()) {
            let phrase = Phrase::new("plan-infeasible").with("job", &job.name);
            summary.push((html::class(Tone::Bad), words.say(&phrase)));
        }
        summary.extend(planned.guesses.iter().map(|guess| ("warn", words.say(guess))));
        let sections = [
            ("jobs", "report-jobs", jobs::body(&look)),
            ("budget", "report-budget", budget::body(&look)),
            ("fallback", "report-fallback", look.section("report-fallback")),
            ("mix", "report-mix", month::mix(&look)),
            ("calendar", "report-calendar", month::calendar(&look)),
            ("billing", "web-billing", billing::body(&look)),
            ("compare", "web-compare", compare::body(&look, form)),
            ("unknowns", "report-unknowns", look.section("report-unknowns")),
            ("notes", "report-notes", look.section("report-notes")),
            ("sources", "report-sources", look.section("report-sources")),
        ];
        let sections = sections
            .into_iter()
            .filter(|(_, _, body)| !body.is_empty())
            .map(|(id, title, body)| Section {
                id,
                title: words.word(title),
                how: look.how(title, &body),
                body,
            })
            .collect();
        Self {
            title: short.title.clone(),
            total: plan.total.to_string(),
            tiles: tiles(&look),
            slider: slider(plan.total),
            summary,
            sections,
            ..Self::default()
        }
    }
}

/// What every section is made from.
pub(super) struct Look<'a> {
    /// What every request may use.
    pub(super) state: &'a AppState,
    /// The plan.
    pub(super) planned: &'a Planned,
    /// The reader's words.
    pub(super) words: &'a Words,
    /// Hours that cards were used, as the ledger has them.
    pub(super) measured: &'a Hours,
    short: &'a Document,
    long: &'a Document,
}

impl Look<'_> {
    /// Returns the words of a key.
    pub(super) fn word(&self, key: &str) -> String {
        self.words.word(key)
    }

    /// Returns a section of the report, as HTML.
    pub(super) fn section(&self, title: &str) -> String {
        Self::find(self.short, &self.word(title))
    }

    /// Returns the same section with every figure explained, when that says more.
    fn how(&self, title: &str, body: &str) -> String {
        let explained = Self::find(self.long, &self.word(title));
        if body.contains(&explained) { String::new() } else { explained }
    }

    fn find(document: &Document, title: &str) -> String {
        let found = document.sections.iter().find(|section| section.title == title);
        found.map(html::section).unwrap_or_default()
    }
}

/// Returns the figures beside the total.
fn tiles(look: &Look<'_>) -> Vec<(String, String)> {
    let plan = &look.planned.plan;
    let mut tiles = vec![
        (look.word("web-tile-p50"), plan.budget.p50.to_string()),
        (look.word("web-tile-p80"), plan.budget.p80.to_string()),
        (look.word("web-tile-p90"), plan.budget.p90.to_string()),
    ];
    let on_demand = plan.baselines.iter().find(|one| one.kind == BaselineKind::AllOnDemand);
    if let Some(more) =
        on_demand.and_then(|one| one.total).and_then(|total| numbers::more(total, plan.total))
    {
        tiles.push((look.word("web-tile-on-demand"), more));
    }
    tiles
}

/// Returns a round sum well above the total.
fn slider(total: Money) -> u64 {
    let most = total.amount().to_f64().unwrap_or(0.0) * 1.5;
    let unit = 10_f64.powf(most.max(10.0).log10().floor() - 1.0);
    ((most / unit).ceil() * unit) as u64
}
