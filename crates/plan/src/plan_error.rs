//! Why a workload cannot be planned at all; "nothing fits" is an answer, not one of these.

use jiff::civil::Date;
use kasuan_model::{CardId, MoneyError, Phrase, Phrased};

/// Why a workload cannot be planned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// There is nothing to plan.
    #[error("the workload has no jobs")]
    NoJobs,
    /// Two jobs cannot be told apart.
    #[error("two jobs are called `{name}`")]
    SameName {
        /// The name.
        name: String,
    },
    /// The planned span is empty or longer than a year.
    #[error("{days} days from {month} cannot be planned; a plan is for 1 to 366 days")]
    Days {
        /// The first day.
        month: Date,
        /// How many days were asked for.
        days: u32,
    },
    /// Hours that are not a span of time.
    #[error("job `{job}` is given {hours} hours")]
    Hours {
        /// The job.
        job: String,
        /// What was given.
        hours: String,
    },
    /// More runs than a plan can hold.
    #[error("job `{job}` asks for {runs} runs; a plan holds at most {most} for one job")]
    Runs {
        /// The job.
        job: String,
        /// What was asked for.
        runs: u64,
        /// The most for one job.
        most: u64,
    },
    /// A job waits for one that is not there.
    #[error("job `{job}` waits for `{after}`, which is not in the workload")]
    After {
        /// The job.
        job: String,
        /// What it waits for.
        after: String,
    },
    /// Jobs wait for each other.
    #[error("job `{job}` waits, through others, for itself")]
    Circle {
        /// One of them.
        job: String,
    },
    /// A card that is not in the card table.
    #[error("job `{job}` wants the card `{card}`, which is not in the card table")]
    Card {
        /// The job.
        job: String,
        /// The card.
        card: CardId,
    },
    /// A share that is not from 0 to 1.
    #[error("`{field}` is {value}; it must be from 0 to 1")]
    Share {
        /// Which setting.
        field: &'static str,
        /// What was given.
        value: f64,
    },
    /// Sums that cannot be combined.
    #[error("an amount cannot be computed")]
    Money(#[from] MoneyError),
}

impl Phrased for PlanError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::NoJobs => Phrase::new("plan-error-no-jobs"),
            Self::SameName { name } => Phrase::new("plan-error-same-name").with("name", name),
            Self::Days { month, days } => {
                Phrase::new("plan-error-days").with("month", month).with("days", days)
            }
            Self::Hours { job, hours } => {
                Phrase::new("plan-error-hours").with("job", job).with("hours", hours)
            }
            Self::Runs { job, runs, most } => Phrase::new("plan-error-runs")
                .with("job", job)
                .with("runs", runs)
                .with("most", most),
            Self::After { job, after } => {
                Phrase::new("plan-error-after").with("job", job).with("after", after)
            }
            Self::Circle { job } => Phrase::new("plan-error-circle").with("job", job),
            Self::Card { job, card } => {
                Phrase::new("plan-error-card").with("job", job).with("card", card)
            }
            Self::Share { field, value } => {
                Phrase::new("plan-error-share").with("field", field).with("value", value)
            }
            Self::Money(error) => match error {
                MoneyError::Mixed { left, right } => {
                    Phrase::new("plan-error-mixed").with("left", left).with("right", right)
                }
                MoneyError::Overflow => Phrase::new("plan-error-overflow"),
                MoneyError::NoRate { from, to } => {
                    Phrase::new("plan-error-no-rate").with("from", from).with("to", to)
                }
            },
        }
    }

    fn hints(&self) -> Vec<Phrase> {
        match self {
            Self::NoJobs => vec![Phrase::new("plan-hint-no-jobs")],
            Self::SameName { .. } => vec![Phrase::new("plan-hint-same-name")],
            Self::Hours { .. } => vec![Phrase::new("plan-hint-hours")],
            Self::Runs { .. } => vec![Phrase::new("plan-hint-runs")],
            Self::After { .. } => vec![Phrase::new("plan-hint-after")],
            Self::Card { .. } => vec![Phrase::new("plan-hint-card")],
            Self::Money(MoneyError::NoRate { from, to }) => {
                vec![Phrase::new("plan-hint-no-rate").with("from", from).with("to", to)]
            }
            _ => Vec::new(),
        }
    }
}
