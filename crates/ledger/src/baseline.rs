//! Baselines of jobs, and decisions that were taken on the program's advice.

use crate::{
    Ledger, LedgerError,
    driver::{Row, Value},
    ledger::{Cells, damaged, seconds},
};
use jiff::Timestamp;
use std::collections::BTreeMap;

/// What a job was measured to do on a card, to compare later runs with.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// The job.
    pub job: String,
    /// The card, as named on the box.
    pub card: String,
    /// When it was recorded.
    pub recorded: Timestamp,
    /// A digest of the environment (driver, CUDA, framework versions).
    pub environment: String,
    /// The figures by name, for example `step_seconds` or `peak_memory_bytes`.
    pub figures: BTreeMap<String, f64>,
}

/// A decision and the advice it followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// When it was taken.
    pub at: Timestamp,
    /// What kind, for example `commit` or `downgrade`.
    pub kind: String,
    /// What it is about.
    pub subject: String,
    /// What was decided, as JSON.
    pub told: String,
}

fn baseline(row: &Row) -> Result<Baseline, LedgerError> {
    let mut cells = Cells::of(row);
    let job = cells.text("a job")?;
    let card = cells.text("a card")?;
    let recorded = cells.time()?;
    let environment = cells.text("an environment")?;
    let figures = cells.text("figures")?;
    let figures = serde_json::from_str(&figures).map_err(|_| damaged(&figures, "figures"))?;
    Ok(Baseline { job, card, recorded, environment, figures })
}

fn decision(row: &Row) -> Result<Decision, LedgerError> {
    let mut cells = Cells::of(row);
    Ok(Decision {
        at: cells.time()?,
        kind: cells.text("a kind")?,
        subject: cells.text("a subject")?,
        told: cells.text("a decision")?,
    })
}

impl Ledger {
    /// Records a baseline; the same job, card and second again replaces it.
    pub fn record_baseline(&mut self, baseline: &Baseline) -> Result<(), LedgerError> {
        let figures = serde_json::to_string(&baseline.figures).map_err(|error| {
            LedgerError::Store { doing: "write a baseline", source: error.into() }
        })?;
        self.driver
            .execute(
                "INSERT INTO baselines (job, card, recorded_s, environment, figures)
                 VALUES ($1, $2, $3, $4, $5)
                 ON CONFLICT (job, card, recorded_s)
                 DO UPDATE SET environment = excluded.environment, figures = excluded.figures",
                &[
                    Value::text(&baseline.job),
                    Value::text(&baseline.card),
                    seconds(baseline.recorded),
                    Value::text(&baseline.environment),
                    Value::Text(figures),
                ],
            )
            .map(drop)
    }

    /// Returns the baselines of a job, oldest first.
    pub fn baselines(&mut self, job: &str) -> Result<Vec<Baseline>, LedgerError> {
        let rows = self.driver.query(
            "SELECT job, card, recorded_s, environment, figures FROM baselines
             WHERE job = $1 ORDER BY recorded_s, card",
            &[Value::text(job)],
        )?;
        rows.iter().map(baseline).collect()
    }

    /// Records a decision; the same one again changes nothing.
    pub fn record_decision(&mut self, decision: &Decision) -> Result<(), LedgerError> {
        self.driver
            .execute(
                "INSERT INTO decisions (at_s, kind, subject, told) VALUES ($1, $2, $3, $4)
                 ON CONFLICT DO NOTHING",
                &[
                    seconds(decision.at),
                    Value::text(&decision.kind),
                    Value::text(&decision.subject),
                    Value::text(&decision.told),
                ],
            )
            .map(drop)
    }

    /// Returns the decisions from `from` to before `to`, oldest first.
    pub fn decisions(
        &mut self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<Decision>, LedgerError> {
        let rows = self.driver.query(
            "SELECT at_s, kind, subject, told FROM decisions
             WHERE at_s >= $1 AND at_s < $2 ORDER BY at_s, kind, subject",
            &[seconds(from), seconds(to)],
        )?;
        rows.iter().map(decision).collect()
    }
}
