//! Replays a policy on recorded availability, and the best that hindsight could have done.

use super::{
    deadline::{Action, Machine, Rule, Situation, advise},
    rules::Clock,
};
use kasuan_model::Seconds;

/// A job that is replayed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// Useful time of the job.
    pub work: Seconds,
    /// Time from the start to the deadline.
    pub window: Seconds,
    /// Paid time that a start on another machine loses.
    pub restart: Seconds,
    /// Time between two decisions, and between two entries of the trace.
    pub step: Seconds,
    /// Price of a spot hour.
    pub spot_price: f64,
    /// Price of an on-demand hour.
    pub on_demand_price: f64,
}

/// How a replay ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// What was paid.
    pub cost: f64,
    /// Whether the deadline was missed.
    pub missed: bool,
    /// Hours that were paid on spot.
    pub spot_hours: f64,
    /// Hours that were paid on demand.
    pub on_demand_hours: f64,
    /// Starts on another machine.
    pub starts: u32,
}

impl Trial {
    fn situation(&self, remaining: Seconds, left: Seconds, now: Machine) -> Situation {
        Situation {
            remaining,
            left,
            restart: self.restart,
            step: self.step,
            spot_price: self.spot_price,
            on_demand_price: self.on_demand_price,
            now,
            whole: Some((self.work, self.window)),
        }
    }
}

/// Plays a job from entry `start` of the trace; what came before is the history. `None` when the
/// trace ends before the deadline.
pub fn replay(trial: &Trial, trace: &[bool], start: usize, rule: Rule) -> Option<Outcome> {
    let steps = (trial.window.get() / trial.step.get().max(1)) as usize;
    let window = trace.get(start..start.checked_add(steps)?)?;
    let mut outcome =
        Outcome { cost: 0.0, missed: false, spot_hours: 0.0, on_demand_hours: 0.0, starts: 0 };
    let mut remaining = trial.work.get();
    let mut held = Machine::Idle;
    for (step, is_up) in window.iter().enumerate() {
        if remaining == 0 {
            break;
        }
        let left = trial.step.saturating_mul((steps - step) as u64);
        let situation = trial.situation(Seconds::new(remaining), left, held);
        let target = match advise(&situation, &trace[..=start + step], rule).action {
            Action::Spot if *is_up => Machine::Spot,
            Action::OnDemand => Machine::OnDemand,
            Action::Spot | Action::Wait => Machine::Idle,
        };
        if target != Machine::Idle {
            let lost = if target == held { 0 } else { trial.restart.get() };
            outcome.starts += u32::from(target != held);
            remaining = (remaining + lost).saturating_sub(trial.step.get());
            let hours = trial.step.hours();
            if target == Machine::Spot {
                outcome.spot_hours += hours;
                outcome.cost += hours * trial.spot_price;
            } else {
                outcome.on_demand_hours += hours;
                outcome.cost += hours * trial.on_demand_price;
            }
        }
        let goes_on = window.get(step + 1).copied().unwrap_or(true);
        held = if target == Machine::Spot && !goes_on { Machine::Idle } else { target };
    }
    outcome.missed = remaining > 0;
    Some(outcome)
}

/// Returns the least that the job could have cost from entry `start` had the trace been known;
/// `None` when the trace ends before the deadline or no policy could have met it.
pub fn hindsight(trial: &Trial, trace: &[bool], start: usize) -> Option<f64> {
    let steps = (trial.window.get() / trial.step.get().max(1)) as usize;
    let window = trace.get(start..start.checked_add(steps)?)?;
    let situation = trial.situation(trial.work, trial.window, Machine::Idle);
    let clock = Clock::of(&situation, usize::MAX);
    let units = clock.remaining + 4 * clock.regress;
    let mut next = vec![[f64::INFINITY; 3]; units + 1];
    next[0] = [0.0; 3];
    for is_up in window.iter().rev() {
        let mut here = next.clone();
        for left in 1..=units {
            for (index, held) in Machine::ALL.into_iter().enumerate() {
                let mut best = next[left][0];
                for (target, price) in
                    [(Machine::Spot, trial.spot_price), (Machine::OnDemand, trial.on_demand_price)]
                {
                    let rest = clock.rest(left, held, target);
                    if (target == Machine::Spot && !is_up) || rest > units {
                        continue;
                    }
                    let machine = if target == Machine::Spot { 1 } else { 2 };
                    best = best.min(price * clock.step_hours + next[rest][machine]);
                }
                here[left][index] = best;
            }
        }
        next = here;
    }
    let cost = next.get(clock.remaining)?[0];
    cost.is_finite().then_some(cost)
}
