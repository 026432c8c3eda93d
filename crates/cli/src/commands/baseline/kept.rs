//! Baselines in the ledger, which outlive the box that a run was measured on.

use jiff::Timestamp;
use kasuan_ledger::{Baseline, Ledger, LedgerError};
use kasuan_probe::run::{
    figures::{Figures, figures, record},
    record::RunRecord,
};

/// Keeps a run as its task's baseline.
pub(crate) fn keep(ledger: &mut Ledger, task: &str, run: &RunRecord) -> Result<(), LedgerError> {
    let kept = figures(run);
    ledger.record_baseline(&Baseline {
        job: task.to_owned(),
        card: kept.cards,
        recorded: run.started.parse().unwrap_or_else(|_| Timestamp::now()),
        environment: kept.environment,
        figures: kept.figures,
    })
}

/// Returns the newest baseline of a task.
pub(crate) fn newest(ledger: &mut Ledger, task: &str) -> Result<Option<RunRecord>, LedgerError> {
    Ok(ledger.baselines(task)?.into_iter().next_back().map(|kept| {
        let recorded = kept.recorded;
        let figures =
            Figures { cards: kept.card, figures: kept.figures, environment: kept.environment };
        RunRecord { started: recorded.to_string(), ..record(task, &figures) }
    }))
}
