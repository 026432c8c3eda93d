//! What to do now with a job that has a deadline: take spot, take on demand, or wait.
//!
//! A dynamic programme over the steps to the deadline, the work that is left, the machine that is
//! held and the state of the market ([`Availability`]): the cheapest expected cost among all
//! policies that are sure to meet the deadline on demand whatever the market does.

use super::{
    availability::Availability,
    rules::{self, Clock},
};
use kasuan_model::{Seconds, Share};

/// What to do until the next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Run on a spot machine.
    Spot,
    /// Run on demand.
    OnDemand,
    /// Run on nothing.
    Wait,
}

/// What the job runs on now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// Nothing.
    Idle,
    /// A spot machine.
    Spot,
    /// An on-demand machine.
    OnDemand,
}

impl Machine {
    /// Every machine, in the order of the tables.
    pub(super) const ALL: [Self; 3] = [Self::Idle, Self::Spot, Self::OnDemand];
}

/// Which policy advises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// The dynamic programme.
    #[default]
    Programme,
    /// Uniform Progress (Wu and others, Can't Be Late, NSDI 2024): no history is needed.
    UniformProgress,
    /// Spot when it is there, nothing when it is not, on demand once nothing else is sure.
    Greedy,
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Situation {
    /// Useful time that is left.
    pub remaining: Seconds,
    /// Time to the deadline.
    pub left: Seconds,
    /// Paid time that a start on another machine loses.
    pub restart: Seconds,
    /// Time between two decisions.
    pub step: Seconds,
    /// Price of a spot hour.
    pub spot_price: f64,
    /// Price of an on-demand hour.
    pub on_demand_price: f64,
    /// What it runs on.
    pub now: Machine,
    /// The whole job's work and the time from its start to its deadline, which only
    /// [`Rule::UniformProgress`] needs; `None` counts from now.
    pub whole: Option<(Seconds, Seconds)>,
}

/// The advice and what it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpotAdvice {
    /// What to do until the next step.
    pub action: Action,
    /// Expected cost of the rest of the job under the programme; on demand to the end is one of its
    /// choices, so that it is never above `on_demand_cost` while the deadline can be met.
    pub expected_cost: f64,
    /// Cost of the rest on demand from now on.
    pub on_demand_cost: f64,
    /// Chance that the deadline is met; 1 while on demand can still make it.
    pub deadline_chance: Share,
    /// Time that could be lost and the deadline still be met on demand.
    pub slack: Seconds,
    /// Whether only on demand is left to be sure.
    pub forced: bool,
    /// Whether spot is not cheaper than on demand, so that it is not considered.
    pub spot_not_cheaper: bool,
    /// Whether no work is left.
    pub done: bool,
    /// What the past says of the market.
    pub market: Market,
}

/// What the past says of the market.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Market {
    /// Share of the past in which machines were there; `None` without a past, when everything below
    /// but `is_up` rests on the assumed length of a spell.
    pub share: Option<f64>,
    /// Hours of the past that were looked at, the present step left out.
    pub seen_hours: f64,
    /// Whether machines are there now.
    pub is_up: bool,
    /// Hours that this has lasted.
    pub spell_hours: f64,
    /// Hours that it is expected to last on.
    pub rest_hours: f64,
}

/// The longest time to a deadline that is advised on: a hundred days. What the market does beyond
/// is not in any past that is worth reading, and the steps would grow to days.
pub const LONGEST: Seconds = Seconds::from_hours(2400);

/// The most cells of the table, so that an answer takes milliseconds.
const LARGEST_TABLE: usize = 3_000_000;

/// Advises what to do until the next step; the last entry of `history` is the present.
///
/// Meant for times up to [`LONGEST`].
pub fn advise(situation: &Situation, history: &[bool], rule: Rule) -> SpotAdvice {
    let clock = Clock::of(situation, largest_steps(situation));
    let market = coarsened(history, clock.steps_joined);
    let step_hours = clock.step_hours;
    let availability = Availability::learn(&market, step_hours);
    let is_up = history.last().copied().unwrap_or(false);
    let on_demand_cost = on_demand_cost(situation);
    let slack = clock.slack(situation);
    let needed = situation.remaining.get() + restart(situation).get();
    let possible = needed <= situation.left.get();
    // Whole steps hold less than all of the time that is left.
    let in_steps = clock.can_still(clock.left, clock.remaining, situation.now);
    let spot_not_cheaper = situation.spot_price >= situation.on_demand_price;
    let base = SpotAdvice {
        action: Action::OnDemand,
        expected_cost: on_demand_cost,
        on_demand_cost,
        deadline_chance: Share::of(f64::from(u8::from(possible)), 1.0),
        slack,
        forced: false,
        spot_not_cheaper,
        done: situation.remaining == Seconds::ZERO,
        market: Market {
            share: availability.share().filter(|_| history.len() > 1),
            seen_hours: history.len().saturating_sub(1) as f64 * situation.step.hours(),
            is_up,
            spell_hours: availability.spell().1 as f64 * step_hours,
            rest_hours: availability.expected_rest() * step_hours,
        },
    };
    if base.done {
        let (action, deadline_chance) = (Action::Wait, Share::of(1.0, 1.0));
        let (expected_cost, on_demand_cost) = (0.0, 0.0);
        return SpotAdvice { action, expected_cost, on_demand_cost, deadline_chance, ..base };
    }
    if !possible || !in_steps {
        // Nothing but on demand meets it for sure, or loses the least time where nothing does.
        return SpotAdvice { forced: true, ..base };
    }
    let table = Table::solve(&clock, situation, &availability);
    let choices = table.choices(&clock, situation, is_up, availability.present());
    let sure: Vec<Action> =
        choices.iter().filter(|(_, cost)| cost.is_finite()).map(|(action, _)| *action).collect();
    let forced = sure == [Action::OnDemand];
    let best = choices
        .iter()
        .copied()
        .min_by(|left, right| left.1.total_cmp(&right.1))
        .unwrap_or((Action::OnDemand, on_demand_cost));
    let action = match rule {
        Rule::Programme => best.0,
        Rule::UniformProgress => rules::uniform_progress(situation, is_up, &sure),
        Rule::Greedy => rules::greedy(is_up, &sure),
    };
    // The table charges whole steps, bills go to the second: on demand both are known, and what is
    // expected is off by the same part.
    let steps = (clock.remaining + clock.start_of(situation.now)).div_ceil(clock.full.max(1));
    let in_whole_steps = steps as f64 * clock.step_hours * situation.on_demand_price;
    let part = if in_whole_steps > 0.0 { on_demand_cost / in_whole_steps } else { 1.0 };
    let expected_cost = (best.1 * part.min(1.0)).min(on_demand_cost);
    SpotAdvice { action, expected_cost, forced, ..base }
}

/// What the rest costs when it runs on demand from now on.
fn on_demand_cost(situation: &Situation) -> f64 {
    (situation.remaining + restart(situation)).hours() * situation.on_demand_price
}

/// The time that a start on demand loses now.
fn restart(situation: &Situation) -> Seconds {
    match situation.now {
        Machine::OnDemand => Seconds::ZERO,
        Machine::Idle | Machine::Spot => situation.restart,
    }
}

/// The most steps that the table can have, given the work that is left.
fn largest_steps(situation: &Situation) -> usize {
    let units = (situation.remaining.get() / (situation.step.get() / 5).max(1)) as usize + 1;
    (LARGEST_TABLE / (units.min(600) * Availability::states())).max(48)
}

/// Joins steps; a joined step has machines when all of its steps have. The end stays aligned.
fn coarsened(history: &[bool], joined: usize) -> Vec<bool> {
    let mut blocks: Vec<bool> =
        history.rchunks(joined.max(1)).map(|block| block.iter().all(|up| *up)).collect();
    blocks.reverse();
    if let (Some(last), Some(now)) = (blocks.last_mut(), history.last()) {
        *last = *now;
    }
    blocks
}

/// Expected cost to go after the present step: by machine, work left and market state.
struct Table {
    cost: Vec<f32>,
    units: usize,
}

impl Table {
    /// Solves backwards from the deadline to the step after the present one.
    fn solve(clock: &Clock, situation: &Situation, availability: &Availability) -> Self {
        let states = Availability::states();
        // Work beyond what the time holds is never done.
        let most = clock.left.saturating_mul(clock.full).max(clock.remaining);
        let units = (clock.remaining + clock.regress * 4).min(most);
        let row = states;
        let plane = (units + 1) * row;
        let following: Vec<[(usize, f32); 3]> = (0..states)
            .map(|state| availability.following(state).map(|(next, chance)| (next, chance as f32)))
            .collect();
        let price = [0.0, situation.spot_price, situation.on_demand_price]
            .map(|price| (price * clock.step_hours) as f32);
        // No work left costs nothing; work left at the deadline is not allowed.
        let mut next = vec![f32::INFINITY; 3 * plane];
        for machine in 0..3 {
            next[machine * plane..machine * plane + row].fill(0.0);
        }
        let mut after = next.clone();
        let mut here = next.clone();
        for _ in 1..clock.left {
            expect(&next, &mut after, &following, units, plane);
            for left in 1..=units {
                for state in 0..states {
                    let wait = after[left * row + state];
                    for (machine, held) in Machine::ALL.into_iter().enumerate() {
                        let mut best = wait;
                        for (index, target) in [(1, Machine::Spot), (2, Machine::OnDemand)] {
                            if index == 1 && !Availability::is_up(state) {
                                continue;
                            }
                            let rest = clock.rest(left, held, target);
                            if rest <= units {
                                let cost = price[index] + after[index * plane + rest * row + state];
                                best = best.min(cost);
                            }
                        }
                        here[machine * plane + left * row + state] = best;
                    }
                }
            }
            std::mem::swap(&mut next, &mut here);
        }
        expect(&next, &mut after, &following, units, plane);
        Self { cost: after, units }
    }

    /// Returns what each action costs now, the rest included.
    fn choices(
        &self,
        clock: &Clock,
        situation: &Situation,
        is_up: bool,
        state: usize,
    ) -> [(Action, f64); 3] {
        let row = Availability::states();
        let plane = (self.units + 1) * row;
        let cost = |machine: usize, rest: usize| {
            if rest > self.units {
                return f64::INFINITY;
            }
            f64::from(self.cost[machine * plane + rest * row + state])
        };
        let run = |index: usize, machine: Machine, price: f64| {
            let rest = clock.rest(clock.remaining, situation.now, machine);
            price * clock.step_hours + cost(index, rest)
        };
        let spot = if is_up && situation.spot_price < situation.on_demand_price {
            run(1, Machine::Spot, situation.spot_price)
        } else {
            f64::INFINITY
        };
        [
            (Action::Spot, spot),
            (Action::OnDemand, run(2, Machine::OnDemand, situation.on_demand_price)),
            (Action::Wait, cost(0, clock.remaining)),
        ]
    }
}

/// Takes the expectation over the next market state; a spot machine that is reclaimed is lost.
fn expect(
    next: &[f32],
    after: &mut [f32],
    following: &[[(usize, f32); 3]],
    units: usize,
    plane: usize,
) {
    let row = following.len();
    for machine in 0..3 {
        for left in 0..=units {
            for (state, followers) in following.iter().enumerate() {
                let mut sum = 0.0;
                for (follower, chance) in followers {
                    let lost = machine == 1 && !Availability::is_up(*follower);
                    let held = if lost { 0 } else { machine };
                    if *chance > 0.0 {
                        sum += chance * next[held * plane + left * row + follower];
                    }
                }
                after[machine * plane + left * row + state] = sum;
            }
        }
    }
}
