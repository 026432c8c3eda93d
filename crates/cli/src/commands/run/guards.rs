//! What watches over a run: its cost, idle cards, a stall, the machine's end.

use super::{Job, clock, notice, signals::send};
use kasuan_model::{Money, Phrase};
use std::{
    process::Child,
    time::{Duration, Instant},
};

/// A step that takes this many times the usual is a stall and not a slow step.
const SLOW_STEP: f64 = 10.0;

impl Job<'_> {
    /// Asks the command to save and end when the provider has said that it takes the machine back.
    pub(super) fn listen(&mut self, child: &Child) {
        let heard = self.listener.as_ref().map(notice::Listener::heard).unwrap_or_default();
        for heard in heard {
            match heard {
                notice::Heard::TakenBack(at) if self.taken_back.is_none() => {
                    let now = jiff::Timestamp::now();
                    self.taken_back = Some(now);
                    let left = at.map(|at| at.duration_since(now));
                    if let Some(left) = left.and_then(|left| Duration::try_from(left).ok()) {
                        self.notice = self.notice.min(left);
                    }
                    let seconds = self.notice.as_secs();
                    self.context.warn(&Phrase::new("run-taken-back").with("seconds", seconds));
                    if self.ending_since.is_none() {
                        self.ending_since = Some(Instant::now());
                        send(child, rustix::process::Signal::TERM);
                    }
                }
                notice::Heard::TakenBack(_) => {}
                notice::Heard::Trouble(reason) => {
                    let reason = self.context.say(&reason);
                    if self.told.get("notice") != Some(&reason) {
                        self.context.warn(&Phrase::new("run-notice-deaf").with("reason", &reason));
                        self.told.insert("notice", reason);
                    }
                }
            }
        }
    }

    /// After half of the notice that a machine gets before it is taken away, the command is ended
    /// by force: the other half is for what it has saved.
    pub(super) fn hurry(&mut self, child: &Child) {
        let half = self.notice / 2;
        if self.ending_since.is_some_and(|since| since.elapsed() >= half)
            && !self.told.contains_key("hurry")
        {
            self.told.insert("hurry", String::new());
            self.context.warn(&Phrase::new("run-hurry").with("seconds", half.as_secs()));
            send(child, rustix::process::Signal::KILL);
        }
    }

    /// Warns, or with `--enforce` asks the command to end, when a limit is reached.
    pub(super) fn guard(&mut self, child: &Child, start: Instant) {
        if let (Some(spent), Some(most)) = (self.spent(start), self.arguments.max_cost)
            && spent.amount() >= most
        {
            let limit = Money::new(most, spent.currency());
            self.stop("cost", &Phrase::new("run-max-cost").with("limit", limit), child);
        }
        if let (Some(since), Some(limit)) = (self.idle_since, self.arguments.idle_stop) {
            let idle = since.elapsed();
            let limit = Duration::from_secs(limit.get());
            if idle >= limit {
                let time = clock(idle.as_secs());
                self.stop("idle", &Phrase::new("run-idle").with("time", time), child);
            } else if idle >= limit / 2 && !self.told.contains_key("idle-soon") {
                // First said, then done: whoever reads it can still act.
                self.told.insert("idle-soon", String::new());
                self.context.warn(
                    &Phrase::new("run-idle-soon")
                        .with("time", clock(idle.as_secs()))
                        .with("limit", clock(limit.as_secs())),
                );
            }
        } else {
            self.told.remove("idle-soon");
        }
        self.look_for_a_stall();
    }

    /// A job that stands still in a collective call shows fully busy cards; that no step comes is
    /// what tells it, and multiprocessors or power say whether the cards work at all. It is told
    /// and no more: a long evaluation looks alike.
    fn look_for_a_stall(&mut self) {
        let Some((_, since)) = self.last_step else { return };
        let limit = self.arguments.stall_after.get();
        let silent = since.elapsed();
        if limit == 0 || silent.as_secs() < limit || self.told.contains_key("stall") {
            return;
        }
        let usual = self.tally.steps().step_seconds_median.unwrap_or(0.0) * SLOW_STEP;
        if silent.as_secs_f64() < usual {
            return;
        }
        self.told.insert("stall", String::new());
        let percent = |share: f64| format!("{:.0}%", share * 100.0);
        let time = clock(silent.as_secs());
        let said = match (self.signs.busy, self.signs.sm_active, self.signs.power) {
            (Some(busy), Some(sm), _) => Phrase::new("run-stalled-sm")
                .with("busy", percent(busy))
                .with("sm", percent(sm))
                .with("time", time),
            (Some(busy), None, Some(power)) => Phrase::new("run-stalled-power")
                .with("busy", percent(busy))
                .with("power", percent(power))
                .with("time", time),
            _ => Phrase::new("run-stalled").with("time", time),
        };
        self.context.warn(&said);
    }

    /// Says once at the start which limits hold, so that nobody has to guess which one ended a job.
    pub(super) fn say_guards(&self) {
        let mut limits = Vec::new();
        if let (Some(most), Some(hourly)) = (self.arguments.max_cost, self.hourly) {
            let limit = Money::new(most, hourly.currency());
            limits.push(self.context.say(&Phrase::new("run-guard-cost").with("limit", limit)));
        }
        if let Some(limit) = self.arguments.idle_stop {
            let limit = clock(limit.get());
            limits.push(self.context.say(&Phrase::new("run-guard-idle").with("limit", limit)));
        }
        if !limits.is_empty() {
            let separator = self.context.words.word("run-guard-separator");
            let key = if self.arguments.enforce { "run-guards-enforced" } else { "run-guards-dry" };
            self.context.tell(&Phrase::new(key).with("limits", limits.join(&separator)));
        }
    }

    fn stop(&mut self, key: &'static str, why: &Phrase, child: &Child) {
        if self.told.contains_key(key) {
            return;
        }
        self.told.insert(key, String::new());
        self.context.warn(why);
        if self.arguments.enforce {
            send(child, rustix::process::Signal::TERM);
        } else {
            self.context.warn(&Phrase::new("run-dry"));
        }
    }
}
