//! The sacrifices themselves: what each does to a workload, and what it costs in quality or time.

use crate::{
    demand::is_service,
    outcome::FallbackKind,
    workload::{Checkpoints, Job, Model, Runs, Task, Workload},
};
use kasuan_model::{Phrase, Seconds};
use kasuan_sizing::WeightFormat;

/// Checkpoints of a job that has none yet: a minute to write, five to be back.
const NEW_CHECKPOINTS: Checkpoints = Checkpoints {
    write: Seconds::from_minutes(1),
    restart: Seconds::from_minutes(5),
    interval: None,
};

/// A sacrifice.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    /// Every run that is no service may wait this much longer.
    Wait(Seconds),
    /// A job gets checkpoints and may go on spot.
    Spot(String),
    /// A job's weights take fewer bits.
    Quantise(String, WeightFormat),
    /// A job may take any card, and fill it to the estimate.
    SmallerCard(String),
    /// A job runs next month.
    Postpone(String),
    /// A job runs half as often.
    FewerRuns(String, Runs),
}

impl Change {
    /// All kinds, least painful first.
    pub(crate) const KINDS: [FallbackKind; 6] = [
        FallbackKind::Wait,
        FallbackKind::Spot,
        FallbackKind::Quantise,
        FallbackKind::SmallerCard,
        FallbackKind::Postpone,
        FallbackKind::FewerRuns,
    ];

    /// Says whether a job could wait at all.
    pub(crate) fn can_wait(job: &Job) -> bool {
        !is_service(job)
    }

    /// Returns the change of a kind for a job; `None` when it makes no sense there.
    pub(crate) fn of(kind: FallbackKind, job: &Job) -> Option<Self> {
        let name = || job.name.clone();
        let service = is_service(job);
        match kind {
            FallbackKind::Wait => {
                Self::can_wait(job).then_some(Self::Wait(Seconds::from_hours(24)))
            }
            FallbackKind::Spot => {
                let fits = !service && job.interruptible.is_none();
                fits.then(|| Self::Spot(name()))
            }
            FallbackKind::Quantise => Some(Self::Quantise(name(), fewer_bits(job)?)),
            FallbackKind::SmallerCard => {
                let bound =
                    !job.only_cards.is_empty() || matches!(job.model, Some(Model::Known(_)));
                bound.then(|| Self::SmallerCard(name()))
            }
            FallbackKind::Postpone => (!service).then(|| Self::Postpone(name())),
            FallbackKind::FewerRuns => {
                if service {
                    return None;
                }
                let half = |runs: u32| (runs >= 2).then_some(runs / 2);
                let runs = match job.runs {
                    Runs::PerMonth(runs) => Runs::PerMonth(half(runs)?),
                    Runs::PerWeek(1) => Runs::PerMonth(2),
                    Runs::PerWeek(runs) => Runs::PerWeek(half(runs)?),
                    Runs::PerDay(1) => Runs::PerWeek(3),
                    Runs::PerDay(runs) => Runs::PerDay(half(runs)?),
                };
                Some(Self::FewerRuns(name(), runs))
            }
        }
    }

    /// Returns the kind.
    pub(crate) const fn kind(&self) -> FallbackKind {
        match self {
            Self::Wait(_) => FallbackKind::Wait,
            Self::Spot(_) => FallbackKind::Spot,
            Self::Quantise(..) => FallbackKind::Quantise,
            Self::SmallerCard(_) => FallbackKind::SmallerCard,
            Self::Postpone(_) => FallbackKind::Postpone,
            Self::FewerRuns(..) => FallbackKind::FewerRuns,
        }
    }

    /// Returns the job it is done to.
    pub(crate) fn job(&self) -> Option<&str> {
        match self {
            Self::Wait(_) => None,
            Self::Spot(job)
            | Self::Quantise(job, _)
            | Self::SmallerCard(job)
            | Self::Postpone(job)
            | Self::FewerRuns(job, _) => Some(job),
        }
    }

    /// Returns the workload with the change.
    pub(crate) fn apply(&self, workload: &Workload) -> Workload {
        let mut changed = workload.clone();
        match self {
            Self::Wait(extra) => {
                for job in changed.jobs.iter_mut().filter(|job| Self::can_wait(job)) {
                    job.window.may_wait = job.window.may_wait + *extra;
                }
                return changed;
            }
            Self::Postpone(name) => {
                changed.jobs.retain(|job| job.name != *name);
                for job in &mut changed.jobs {
                    if job.window.after.as_ref() == Some(name) {
                        job.window.after = None;
                    }
                }
                return changed;
            }
            _ => {}
        }
        let Some(job) = changed.jobs.iter_mut().find(|job| Some(job.name.as_str()) == self.job())
        else {
            return changed;
        };
        match self {
            Self::Spot(_) => job.interruptible = Some(NEW_CHECKPOINTS),
            Self::Quantise(_, format) => {
                job.weights = Some(*format);
                if job.task == Task::Lora {
                    job.task = Task::Qlora;
                }
            }
            Self::SmallerCard(_) => {
                job.only_cards.clear();
                job.fill_card = true;
            }
            Self::FewerRuns(_, runs) => job.runs = *runs,
            Self::Wait(_) | Self::Postpone(_) => {}
        }
        changed
    }

    /// Returns the key of the word for a kind.
    pub(crate) const fn word(kind: FallbackKind) -> &'static str {
        match kind {
            FallbackKind::Wait => "plan-kind-wait",
            FallbackKind::Spot => "plan-kind-spot",
            FallbackKind::Quantise => "plan-kind-quantise",
            FallbackKind::SmallerCard => "plan-kind-smaller-card",
            FallbackKind::Postpone => "plan-kind-postpone",
            FallbackKind::FewerRuns => "plan-kind-fewer-runs",
        }
    }

    /// Returns what to do and what it costs in quality, risk or time.
    pub(crate) fn words(&self) -> (Phrase, Phrase) {
        let job = self.job().unwrap_or("");
        match self {
            Self::Wait(extra) => (
                Phrase::new("plan-fallback-wait").with("hours", extra.get() / 3600),
                Phrase::new("plan-fallback-wait-price").with("hours", extra.get() / 3600),
            ),
            Self::Spot(_) => (
                Phrase::new("plan-fallback-spot").with("job", job),
                Phrase::new("plan-fallback-spot-price"),
            ),
            Self::Quantise(_, format) => (
                Phrase::new("plan-fallback-quantise")
                    .with("job", job)
                    .with("format", word_of(*format)),
                Phrase::new("plan-fallback-quantise-price"),
            ),
            Self::SmallerCard(_) => (
                Phrase::new("plan-fallback-smaller-card").with("job", job),
                Phrase::new("plan-fallback-smaller-card-price"),
            ),
            Self::Postpone(_) => (
                Phrase::new("plan-fallback-postpone").with("job", job),
                Phrase::new("plan-fallback-postpone-price"),
            ),
            Self::FewerRuns(..) => (
                Phrase::new("plan-fallback-fewer-runs").with("job", job),
                Phrase::new("plan-fallback-fewer-runs-price"),
            ),
        }
    }
}

/// Returns the next smaller weight format of a job with a model; `None` where there is none.
fn fewer_bits(job: &Job) -> Option<WeightFormat> {
    job.model.as_ref()?;
    match job.task {
        Task::Lora => Some(WeightFormat::Nf4 { double_quant: true }),
        Task::Inference | Task::Batch => match job.weights {
            None | Some(WeightFormat::Bf16 | WeightFormat::Fp16 | WeightFormat::Fp32) => {
                Some(WeightFormat::Awq4 { group: 128 })
            }
            Some(WeightFormat::Int8 | WeightFormat::Fp8) => Some(WeightFormat::Awq4 { group: 128 }),
            Some(_) => None,
        },
        Task::Qlora | Task::Full | Task::Pretrain => None,
    }
}

fn word_of(format: WeightFormat) -> &'static str {
    match format {
        WeightFormat::Nf4 { .. } => "NF4 (QLoRA)",
        WeightFormat::Awq4 { .. } => "AWQ 4-bit",
        _ => "8-bit",
    }
}
