//! The review of a month, for people and for programs.

use crate::{
    Cell, Column, Document, Line, Part, Table, Tone, Words, WorkbookError, tables_workbook,
};
use kasuan_formats::plan_json::v1::confidence_word;
use kasuan_model::{Money, Phrase};
use kasuan_review::{BudgetComparison, FindingKind, KpiGroup, Review, Scope, Variance};
use rust_decimal::Decimal;
use serde_json::{Value, json};

/// A review with what a reader must know beside it.
#[derive(Clone, Debug)]
pub struct ReviewReport<'a> {
    /// The review.
    pub review: &'a Review,
    /// The month, as `2026-11`.
    pub month: String,
    /// The zone that the month begins and ends in.
    pub zone: String,
    /// What was assumed to make it.
    pub notes: &'a [Phrase],
}

/// Returns the stable word of a scope.
const fn scope_word(scope: Scope) -> &'static str {
    match scope {
        Scope::Total => "total",
        Scope::Line => "line",
        Scope::Job => "job",
        Scope::Person => "person",
        Scope::Card => "card",
        Scope::Provider => "provider",
    }
}

const fn scope_phrase(scope: Scope) -> Phrase {
    match scope {
        Scope::Total => Phrase::new("review-scope-total"),
        Scope::Line => Phrase::new("review-scope-line"),
        Scope::Job => Phrase::new("review-scope-job"),
        Scope::Person => Phrase::new("review-scope-person"),
        Scope::Card => Phrase::new("review-scope-card"),
        Scope::Provider => Phrase::new("review-scope-provider"),
    }
}

const fn finding(kind: FindingKind) -> (&'static str, Phrase) {
    match kind {
        FindingKind::IdleCard => ("idle_card", Phrase::new("review-finding-idle_card")),
        FindingKind::ForgottenHost => {
            ("forgotten_host", Phrase::new("review-finding-forgotten_host"))
        }
        FindingKind::UnusedCards => ("unused_cards", Phrase::new("review-finding-unused_cards")),
        FindingKind::LowUse => ("low_use", Phrase::new("review-finding-low_use")),
        FindingKind::OversizedCard => {
            ("oversized_card", Phrase::new("review-finding-oversized_card"))
        }
        FindingKind::CalendarGap => ("calendar_gap", Phrase::new("review-finding-calendar_gap")),
        FindingKind::UnderusedCommitment => {
            ("underused_commitment", Phrase::new("review-finding-underused_commitment"))
        }
        FindingKind::StorageDearerThanCards => {
            ("storage_dearer", Phrase::new("review-finding-storage_dearer"))
        }
        FindingKind::OldData => ("old_data", Phrase::new("review-finding-old_data")),
        FindingKind::FailingLoop => ("failing_loop", Phrase::new("review-finding-failing_loop")),
        FindingKind::PoorScaling => ("poor_scaling", Phrase::new("review-finding-poor_scaling")),
        FindingKind::WaitingCards => ("waiting_cards", Phrase::new("review-finding-waiting_cards")),
        FindingKind::BusyWithoutWork => {
            ("busy_without_work", Phrase::new("review-finding-busy_without_work"))
        }
        FindingKind::ShortRuns => ("short_runs", Phrase::new("review-finding-short_runs")),
        FindingKind::SilentHost => ("silent_host", Phrase::new("review-finding-silent_host")),
        FindingKind::CrossRegion => ("cross_region", Phrase::new("review-finding-cross_region")),
    }
}

fn exact(money: Money) -> String {
    money.amount().round_dp(8).normalize().to_string()
}

fn money(amount: Option<Money>) -> Cell {
    match amount {
        Some(amount) => Cell::with_raw(amount.to_string(), exact(amount)),
        None => Cell::unknown("—"),
    }
}

fn figure(amount: Option<f64>) -> Cell {
    match amount {
        Some(amount) => Cell::with_raw(format!("{amount:+.2}"), format!("{amount:.4}")),
        None => Cell::unknown("—"),
    }
}

fn percent(share: Option<f64>, words: &Words) -> Cell {
    match share {
        Some(share) => Cell::with_raw(format!("{:.0}%", share * 100.0), format!("{share:.4}")),
        None => Cell::unknown(words.word("review-unknown")),
    }
}

impl ReviewReport<'_> {
    fn name(line: &BudgetComparison, scope: Scope, words: &Words) -> Cell {
        let shown = match (scope, line.name.as_str()) {
            (Scope::Total, _) => words.word("review-scope-total"),
            (_, "") => words.word("review-nobody"),
            (Scope::Line, "other") => words.word("review-line-other"),
            (Scope::Line, kind) if words.has(&format!("cost-{kind}")) => {
                words.word(&format!("cost-{kind}"))
            }
            (_, name) => name.to_owned(),
        };
        Cell::with_raw(shown, line.name.clone())
    }

    /// Returns the plan beside what was paid, one row for every name of every scope.
    pub fn table(&self, words: &Words) -> Table {
        let mut table = Table::new(vec![
            Column::words("scope", words.word("review-column-scope")),
            Column::words("name", words.word("review-column-name")),
            Column::figures("planned", words.word("review-column-planned")),
            Column::figures("actual", words.word("review-column-actual")),
            Column::figures("billed", words.word("review-column-billed")),
            Column::figures("difference", words.word("review-column-difference")),
            Column::figures("price", words.word("review-column-price")),
            Column::figures("volume", words.word("review-column-volume")),
            Column::figures("mix", words.word("review-column-mix")),
        ]);
        for scope in Scope::ALL {
            for line in self.review.budget.get(&scope).into_iter().flatten() {
                let variance = line.variance.filter(|_| scope != Scope::Total);
                table.push(Self::row(line, scope, variance, words));
            }
        }
        if let Some(variance) = self.review.variance {
            table.push(vec![
                Cell::with_raw(words.word("review-scope-card"), "card"),
                Cell::with_raw(words.word("review-all-cards"), "*"),
                Cell::unknown("—"),
                Cell::unknown("—"),
                Cell::unknown("—"),
                figure(Some(variance.total())),
                figure(Some(variance.price)),
                figure(Some(variance.volume)),
                figure(Some(variance.mix)),
            ]);
        }
        table
    }

    fn row(
        line: &BudgetComparison,
        scope: Scope,
        variance: Option<Variance>,
        words: &Words,
    ) -> Vec<Cell> {
        let difference = line
            .planned
            .zip(line.actual)
            .and_then(|(planned, actual)| actual.checked_sub(planned).ok());
        let over = difference.is_some_and(|d| d.amount() > Decimal::ZERO);
        let tone = if over { Tone::Warn } else { Tone::Plain };
        vec![
            Cell::with_raw(words.say(&scope_phrase(scope)), scope_word(scope)),
            Self::name(line, scope, words),
            money(line.planned),
            money(line.actual),
            money(line.billed),
            money(difference).toned(tone),
            figure(variance.map(|v| v.price)),
            figure(variance.map(|v| v.volume)),
            figure(variance.map(|v| v.mix)),
        ]
    }

    fn use_table(&self, words: &Words) -> Table {
        let used = &self.review.utilisation;
        let hours = |hours: f64| Cell::with_raw(format!("{hours:.1}"), format!("{hours:.4}"));
        let mut table = Table::new(vec![
            Column::words("measure", words.word("review-column-measure")),
            Column::figures("value", words.word("review-column-value")),
        ]);
        for (key, cell) in [
            ("review-use-paid", hours(used.paid)),
            ("review-use-occupied", percent(used.occupied_share(), words)),
            ("review-use-busy", percent(used.busy, words)),
            ("review-use-memory", percent(used.memory_peak, words)),
            ("review-use-coverage", percent(used.coverage(), words)),
        ] {
            table.push(vec![Cell::with_raw(words.word(key), key), cell]);
        }
        table
    }

    fn findings_table(&self, words: &Words) -> Table {
        let mut table = Table::new(vec![
            Column::words("finding", words.word("review-column-finding")),
            Column::words("subject", words.word("review-column-subject")),
            Column::words("evidence", words.word("review-column-evidence")),
            Column::figures("money", words.word("review-column-money")),
            Column::words("confidence", words.word("review-column-confidence")),
            Column::words("remedy", words.word("review-column-remedy")),
            Column::words("command", words.word("review-column-command")),
        ]);
        for found in &self.review.findings {
            let (word, phrase) = finding(found.kind);
            let confidence = confidence_word(found.confidence);
            table.push(vec![
                Cell::with_raw(words.say(&phrase), word),
                Cell::new(&found.subject),
                Cell::new(words.say(&found.evidence)),
                money(found.money),
                Cell::with_raw(words.word(&format!("confidence-{confidence}")), confidence),
                Cell::new(words.say(&found.remedy)),
                Cell::new(&found.command),
            ]);
        }
        table
    }

    fn kpi_table(&self, words: &Words) -> Table {
        let mut table = Table::new(vec![
            Column::words("group", words.word("review-column-scope")),
            Column::words("name", words.word("review-column-name")),
            Column::figures("runs", words.word("review-column-runs")),
            Column::figures("card_hours", words.word("review-column-card_hours")),
            Column::figures("cost", words.word("review-column-cost")),
            Column::figures("cost_per_run", words.word("review-column-per_run")),
            Column::figures("cost_per_unit", words.word("review-column-per_unit")),
            Column::words("unit", words.word("review-column-unit")),
            Column::figures("useful_hour", words.word("review-column-useful_hour")),
            Column::figures("busy", words.word("review-column-busy")),
        ]);
        for kpi in &self.review.kpi {
            let scope = if kpi.group == KpiGroup::Job { Scope::Job } else { Scope::Person };
            let (per_unit, unit) = per_unit(kpi);
            table.push(vec![
                Cell::with_raw(words.say(&scope_phrase(scope)), scope_word(scope)),
                Cell::new(&kpi.name),
                Cell::new(kpi.runs.to_string()),
                Cell::with_raw(format!("{:.1}", kpi.card_hours), format!("{:.4}", kpi.card_hours)),
                money(kpi.cost),
                money(kpi.cost_per_run()),
                money(per_unit),
                unit.map_or_else(
                    || Cell::unknown("—"),
                    |unit| {
                        let shown = match unit.as_str() {
                            "1M tokens" => words.word("review-unit-million-tokens"),
                            "1k requests" => words.word("review-unit-thousand-requests"),
                            "steps" => words.word("review-unit-steps"),
                            "samples" => words.word("review-unit-samples"),
                            other => other.to_owned(),
                        };
                        Cell::with_raw(shown, unit)
                    },
                ),
                money(useful_hour(kpi)),
                percent(kpi.busy, words),
            ]);
        }
        table
    }

    /// Returns the report for people.
    pub fn document(&self, words: &Words) -> Document {
        let review = self.review;
        let mut document = Document {
            title: words.say(
                &Phrase::new("review-title").with("month", &self.month).with("zone", &self.zone),
            ),
            headline: review.effective.to_string(),
            summary: vec![Line::plain(
                words.say(
                    &Phrase::new("review-summary")
                        .with("billed", review.billed)
                        .with("recoverable", review.recoverable),
                ),
            )],
            sections: Vec::new(),
        };
        document.push(words.word("review-section-budget"), vec![Part::Table(self.table(words))]);
        document.push(words.word("review-section-use"), vec![Part::Table(self.use_table(words))]);
        let mut lines = Vec::new();
        for found in &review.findings {
            let (_, phrase) = finding(found.kind);
            let head = Phrase::new("review-finding-line")
                .with("finding", words.say(&phrase))
                .with("subject", &found.subject)
                .with(
                    "money",
                    found.money.map_or_else(|| words.word("review-unknown"), |m| m.to_string()),
                )
                .with_word("confidence", confidence_key(found.confidence));
            lines.push(Line::item(words.say(&head)).toned(Tone::Warn));
            lines.push(Line::plain(words.say(&found.evidence)).deeper());
            lines.push(Line::plain(words.say(&found.remedy)).deeper());
            let command = format!("$ {}", found.command);
            lines.push(Line::plain(command).toned(Tone::Faint).deeper());
        }
        if lines.is_empty() {
            lines.push(Line::plain(words.word("review-no-findings")));
        }
        document.push(words.word("review-section-findings"), vec![Part::Lines(lines)]);
        document.push(words.word("review-section-kpi"), vec![Part::Table(self.kpi_table(words))]);
        let notes = review.unknowns.iter().chain(self.notes);
        let notes = notes.map(|note| Line::item(words.say(note))).collect();
        document.push(words.word("review-section-notes"), vec![Part::Lines(notes)]);
        document
    }

    /// Writes every table to a sheet of a workbook.
    ///
    /// # Errors
    ///
    /// When a table is larger than a sheet can be.
    pub fn workbook(&self, words: &Words) -> Result<Vec<u8>, WorkbookError> {
        tables_workbook(&[
            (words.word("review-section-budget"), self.table(words)),
            (words.word("review-section-use"), self.use_table(words)),
            (words.word("review-section-findings"), self.findings_table(words)),
            (words.word("review-section-kpi"), self.kpi_table(words)),
        ])
    }

    /// Returns version 1 of the review's JSON contract. Decimals are strings, unknown is null.
    pub fn json(&self, words: &Words) -> Value {
        let review = self.review;
        let used = &review.utilisation;
        let optional = |amount: Option<Money>| amount.map(exact);
        let causes = |variance: Option<Variance>| {
            variance.map(|v| json!({"price": v.price, "volume": v.volume, "mix": v.mix}))
        };
        let budget: serde_json::Map<String, Value> = Scope::ALL
            .into_iter()
            .map(|scope| {
                let lines = review.budget.get(&scope).into_iter().flatten().map(|line| {
                    json!({
                        "name": line.name,
                        "planned": optional(line.planned),
                        "actual": optional(line.actual),
                        "billed": optional(line.billed),
                        "variance": causes(line.variance),
                    })
                });
                (scope_word(scope).to_owned(), lines.collect::<Vec<_>>().into())
            })
            .collect();
        let findings = review.findings.iter().map(|found| {
            json!({
                "finding": finding(found.kind).0,
                "subject": found.subject,
                "evidence": words.say(&found.evidence),
                "money": optional(found.money),
                "confidence": confidence_word(found.confidence),
                "remedy": words.say(&found.remedy),
                "command": found.command,
            })
        });
        let kpi = review.kpi.iter().map(|kpi| {
            let (per_unit, unit) = per_unit(kpi);
            json!({
                "group": if kpi.group == KpiGroup::Job { "job" } else { "person" },
                "name": kpi.name,
                "runs": kpi.runs,
                "card_hours": kpi.card_hours,
                "cost": optional(kpi.cost),
                "cost_per_run": optional(kpi.cost_per_run()),
                "cost_per_unit": optional(per_unit),
                "unit": unit,
                "cost_per_useful_card_hour": optional(useful_hour(kpi)),
                "busy": kpi.busy,
            })
        });
        let said = |phrases: &mut dyn Iterator<Item = &Phrase>| -> Vec<String> {
            phrases.map(|phrase| words.say(phrase)).collect()
        };
        json!({
            "version": 1,
            "month": self.month,
            "zone": self.zone,
            "currency": review.billed.currency().code(),
            "billed": exact(review.billed),
            "effective": exact(review.effective),
            "recoverable": exact(review.recoverable),
            "budget": budget,
            "variance": causes(review.variance),
            "utilisation": {
                "paid_card_hours": used.paid,
                "occupied_card_hours": used.occupied,
                "measured_card_hours": used.measured,
                "occupied_share": used.occupied_share(),
                "busy_share": used.busy,
                "memory_peak_share": used.memory_peak,
                "coverage": used.coverage(),
            },
            "findings": findings.collect::<Vec<_>>(),
            "kpi": kpi.collect::<Vec<_>>(),
            "unknowns": said(&mut review.unknowns.iter()),
            "notes": said(&mut self.notes.iter()),
        })
    }
}

const fn confidence_key(confidence: kasuan_model::Confidence) -> &'static str {
    match confidence {
        kasuan_model::Confidence::Low => "confidence-low",
        kasuan_model::Confidence::Medium => "confidence-medium",
        kasuan_model::Confidence::High => "confidence-high",
        kasuan_model::Confidence::Exact => "confidence-exact",
    }
}

/// Returns the cost of a unit that people speak of: a million tokens, a thousand requests.
fn per_unit(kpi: &kasuan_review::Kpi) -> (Option<Money>, Option<String>) {
    let Some((_, unit)) = &kpi.work else { return (None, None) };
    let (factor, name) = match unit.as_str() {
        "tokens" => (1_000_000, "1M tokens".to_owned()),
        "requests" => (1_000, "1k requests".to_owned()),
        other => (1, other.to_owned()),
    };
    let cost = kpi.cost_per_unit().and_then(|cost| cost.times(Decimal::from(factor)).ok());
    (cost, Some(name))
}

/// Returns what an hour of a card that worked all the time cost.
fn useful_hour(kpi: &kasuan_review::Kpi) -> Option<Money> {
    let useful = Decimal::try_from(kpi.card_hours * kpi.busy?).ok()?;
    kpi.cost?.over(Some(useful).filter(|hours| !hours.is_zero())?).ok()
}
