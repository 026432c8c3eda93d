//! The named rules beside the dynamic programme, and the clock that all of them share.

use super::deadline::{Action, Machine, Situation};
use kasuan_model::Seconds;

/// Time in whole steps and work in whole units, rounded so that a deadline is never missed by
/// rounding: work up, time down.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    /// Steps to the deadline.
    pub(super) left: usize,
    /// Units of work that are left.
    pub(super) remaining: usize,
    /// Units of work in a full step.
    pub(super) full: usize,
    /// Units of work that a start loses.
    pub(super) start: usize,
    /// Units by which a start loses more than its step brings.
    pub(super) regress: usize,
    /// Steps of the caller in one step of the clock.
    pub(super) steps_joined: usize,
    /// Hours of a step.
    pub(super) step_hours: f64,
}

impl Clock {
    /// Reads the situation; steps are joined until there are at most `most`.
    pub(super) fn of(situation: &Situation, most: usize) -> Self {
        let own = situation.step.get().max(1);
        let joined = (situation.left.get() / own).div_ceil(most.max(1) as u64).max(1);
        let step = own.saturating_mul(joined);
        // The finest unit that divides a step and a start, but not finer than a tenth of a step.
        let unit = greatest_divisor(step, situation.restart.get()).max(step.div_ceil(10));
        let full = (step / unit).max(1);
        let start = situation.restart.get().div_ceil(unit);
        Self {
            left: (situation.left.get() / step) as usize,
            remaining: situation.remaining.get().div_ceil(unit) as usize,
            full: full as usize,
            start: start as usize,
            regress: start.saturating_sub(full) as usize,
            steps_joined: joined as usize,
            step_hours: step as f64 / 3600.0,
        }
    }

    /// Returns the work that is left after a step on a machine.
    pub(super) fn rest(&self, left: usize, held: Machine, target: Machine) -> usize {
        let start = if held == target { 0 } else { self.start };
        (left + start).saturating_sub(self.full)
    }

    /// Says whether the work can still be done on demand in so many steps.
    pub(super) fn can_still(&self, steps: usize, work: usize, held: Machine) -> bool {
        let start = self.start_of(held);
        work == 0 || work + start <= steps * self.full
    }

    /// Returns the work that a start on demand loses.
    pub(super) fn start_of(&self, held: Machine) -> usize {
        if held == Machine::OnDemand { 0 } else { self.start }
    }

    /// Returns the time that could be lost with the deadline still met on demand.
    pub(super) fn slack(&self, situation: &Situation) -> Seconds {
        let start = match situation.now {
            Machine::OnDemand => Seconds::ZERO,
            Machine::Idle | Machine::Spot => situation.restart,
        };
        let needed = situation.remaining + start;
        Seconds::new(situation.left.get().saturating_sub(needed.get()))
    }
}

const fn greatest_divisor(mut left: u64, mut right: u64) -> u64 {
    while right > 0 {
        (left, right) = (right, left % right);
    }
    left
}

/// Spot when it is there and safe, else nothing while that is safe, else on demand.
pub(super) fn greedy(is_up: bool, sure: &[Action]) -> Action {
    let wanted = if is_up { [Action::Spot, Action::Wait] } else { [Action::Wait, Action::Wait] };
    wanted.into_iter().find(|action| sure.contains(action)).unwrap_or(Action::OnDemand)
}

/// Uniform Progress: work should fall along the straight line from the job's start to its deadline.
///
/// Idle, spot is taken when it is there, and on demand when the job is behind the line. On demand
/// is kept until the job is ahead of where the line will be two starts later.
pub(super) fn uniform_progress(situation: &Situation, is_up: bool, sure: &[Action]) -> Action {
    let line = |later: Seconds| {
        let (work, window) = situation.whole.unwrap_or((situation.remaining, situation.left));
        let passed = window.get().saturating_sub(situation.left.get()) + later.get();
        let done = work.get().saturating_sub(situation.remaining.get());
        // done / work < passed / window, without a division.
        u128::from(done) * u128::from(window.get()) < u128::from(passed) * u128::from(work.get())
    };
    let wanted = match situation.now {
        Machine::Spot if is_up => Action::Spot,
        Machine::OnDemand if line(situation.restart.saturating_mul(2)) => Action::OnDemand,
        _ if is_up => Action::Spot,
        _ if line(Seconds::ZERO) => Action::OnDemand,
        _ => Action::Wait,
    };
    if sure.contains(&wanted) { wanted } else { greedy(is_up, sure) }
}
