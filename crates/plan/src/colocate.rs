//! A service and a training job on one card: only when both ask for it, memory fits with the
//! policy's headroom, and the service still keeps its latency while both run.

pub mod share;

use crate::{
    calendar::last_end,
    candidates::{JobWays, Need, Paid, Pool, Supply, Way, interconnect},
    choose::{Choice, Problem, choose},
    demand::{Demand, Stretch, is_service, room},
    workload::{Job, Load, Model, Workload},
};
use kasuan_model::Seconds;
use kasuan_sizing::time;
use std::{collections::BTreeMap, rc::Rc};

/// What two programs on one card make of each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interference {
    /// Speed of each over its speed alone.
    pub speed: f64,
    /// Work done together over what the card does for one.
    pub total: f64,
}

/// Estimates what two programs on one card make of each other, from the share of time that each
/// keeps the card busy alone: `1 / max(1, u1 + u2)`.
///
/// Against 1,388 measured pairs of small vision and language models (Lucid, ASPLOS 2023) the mean
/// error is 0.08; the measured slower job is at 0.93 to 0.96 up to a sum of 1, 0.89 to 1.2, 0.81 to
/// 1.4, 0.74 to 1.6 and 0.61 to 0.66 above. It holds with MPS; without it, time slicing can lose
/// more than it gains (two replicas of a speech service on an H100 did 0.6 times the work of one).
pub fn interference(first: f64, second: f64) -> Interference {
    let (first, second) = (first.clamp(0.0, 1.0), second.clamp(0.0, 1.0));
    let speed = 1.0 / (first + second).max(1.0);
    Interference { speed, total: (first + second) * speed }
}

/// A job that runs beside a service, on the service's card.
#[derive(Clone, Debug)]
pub(crate) struct Beside {
    /// The service, as an index of a job.
    pub(crate) service: usize,
    /// When its runs lie.
    pub(crate) runs: Vec<Vec<Stretch>>,
    /// How much longer everything on the card takes while both run.
    pub(crate) slowdown: f64,
}

/// Puts jobs that ask for it beside services that ask for it, where that saves money: changes the
/// choice for the others and returns the ways of those that moved; nothing when nobody asks.
///
/// A job beside a service costs no rent. Its bound stays one: leaving a job out of the month costs
/// no more than any way of running it.
pub(crate) fn beside(
    workload: &Workload,
    supply: &Supply,
    problem: &Problem<'_>,
    choice: &mut Choice,
) -> Vec<(usize, Way)> {
    let ways = problem.ways;
    let asks = |job: &&usize| workload.jobs[**job].share_card && choice.ways[**job].is_some();
    let all: Vec<usize> = (0..workload.jobs.len()).collect();
    let (services, mut guests): (Vec<usize>, Vec<usize>) =
        all.iter().filter(asks).partition(|job| is_service(&workload.jobs[**job]));
    if services.is_empty() || guests.is_empty() {
        return Vec::new();
    }
    // The longest first: what is left of the hours suits the short ones.
    guests.sort_by_key(|job| std::cmp::Reverse(longest(&ways[*job])));
    let mut staying = guests;
    // Without its guests a service may move elsewhere, where not all of them fit: then with fewer.
    while !staying.is_empty() {
        let mut without = ways.to_vec();
        for guest in &staying {
            without[*guest].ways.clear();
        }
        let reduced =
            Problem { ways: &without, near: None, held: problem.held.clone(), ..*problem };
        let alone = choose(&reduced);
        let mut taken: BTreeMap<usize, Vec<Stretch>> = BTreeMap::new();
        let mut found: Vec<(usize, Way)> = Vec::new();
        for &guest in &staying {
            let put = services.iter().find_map(|&service| {
                let host = &without[service].ways[alone.ways[service]?];
                let place = Place {
                    workload,
                    problem,
                    supply,
                    service,
                    host,
                    host_ways: &without[service],
                };
                let busy = taken.entry(service).or_default();
                place.put(guest, &ways[guest], busy)
            });
            if let Some(way) = put {
                found.push((guest, way));
            }
        }
        if found.len() < staying.len() {
            staying = found.into_iter().map(|(guest, _)| guest).collect();
            continue;
        }
        if alone.cost >= choice.cost {
            return Vec::new();
        }
        *choice = alone;
        return found;
    }
    Vec::new()
}

fn longest(ways: &JobWays) -> u64 {
    ways.ways.iter().map(|way| way.run.get()).max().unwrap_or(0)
}

/// A service's card as a place for guests.
struct Place<'a> {
    workload: &'a Workload,
    problem: &'a Problem<'a>,
    supply: &'a Supply,
    service: usize,
    host: &'a Way,
    host_ways: &'a JobWays,
}

impl Place<'_> {
    /// Puts a job beside the service; `None` where it does not fit, slows it too much, or has no
    /// room within the service's hours.
    fn put(&self, guest: usize, ways: &JobWays, taken: &mut Vec<Stretch>) -> Option<Way> {
        let pool: &Pool = &self.supply.pools[self.host.pool];
        let (_, hosted) = &self.host_ways.needs[self.host.need];
        // One card each, so that there is one card to share.
        if pool.count != 1 || self.host.instances != 1 || hosted.cards != 1 || hosted.replicas != 1
        {
            return None;
        }
        let of_card = |(kind, need): &&(usize, Need)| *kind == pool.kind && need.cards == 1;
        let need = ways.needs.iter().position(|need| of_card(&need))?;
        let (_, wanted) = &ways.needs[need];
        let kind = &self.supply.kinds[pool.kind];
        let both = hosted.memory_needed?.get().checked_add(wanted.memory_needed?.get())?;
        let free = kind.memory.get() as f64 * (1.0 - self.workload.policy.headroom);
        if both as f64 > free {
            return None;
        }
        // At the service's peak both keep the card busy all the time.
        let slowdown = 1.0 / interference(1.0, 1.0).speed;
        if !self.keeps_latency(hosted, slowdown) {
            return None;
        }
        let run = Seconds::from_estimate(wanted.time.likely.get() as f64 * slowdown);
        let Demand::Service(open) = &self.host_ways.demand else { return None };
        let Demand::Runs(starts) = &ways.demand else { return None };
        let mut all = taken.clone();
        let mut runs = Vec::with_capacity(starts.len());
        for start in starts {
            let stretch = self.room(&self.workload.jobs[guest], *start, run.get(), open, &all)?;
            all.push(stretch);
            runs.push(vec![stretch]);
        }
        *taken = all;
        let beside = Beside { service: self.service, runs, slowdown };
        let paid = Paid::Beside(Rc::new(beside));
        Some(Way { pool: self.host.pool, need, instances: 1, run, paid, alone: 0, floor: 0 })
    }

    /// Says whether the service keeps its latency and its rate when everything takes longer; what
    /// cannot be estimated is not promised.
    fn keeps_latency(&self, need: &Need, slowdown: f64) -> bool {
        let job = &self.workload.jobs[self.service];
        let rate = match job.load {
            Some(Load::PerSecond(rate)) => Some(rate),
            _ => None,
        };
        if job.latency.ttft.is_none() && job.latency.tpot.is_none() && rate.is_none() {
            return true;
        }
        let (Some(Model::Known(model)), Some(setup)) = (&job.model, &need.setup) else {
            return false;
        };
        let card = &self.supply.kinds[self.supply.pools[self.host.pool].kind].card;
        time::serving(model, setup, card, interconnect(card)).is_ok_and(|served| {
            job.latency.tpot.is_none_or(|most| served.tpot.likely * slowdown <= most)
                && job.latency.ttft.is_none_or(|most| served.prefill * slowdown <= most)
                && rate.is_none_or(|rate| served.requests_per_second.likely / slowdown >= rate)
        })
    }

    /// Returns the first room within the service's hours and the job's own window.
    fn room(
        &self,
        job: &Job,
        nominal: u64,
        length: u64,
        open: &[Stretch],
        taken: &[Stretch],
    ) -> Option<Stretch> {
        let span = self.problem.span;
        for own in room(span, &job.window, nominal, length) {
            let end_of_own = last_end(span, job, own);
            for hours in open {
                let mut start = own.start.max(hours.start);
                let end = end_of_own.min(hours.end);
                while start + length <= end && start < span.seconds() {
                    let stretch = Stretch { start, end: start + length };
                    let clash = taken
                        .iter()
                        .find(|other| other.start < stretch.end && stretch.start < other.end);
                    match clash {
                        None => return Some(stretch),
                        Some(other) => start = other.end,
                    }
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_follows_the_measured_classes_of_pairs() {
        // Slower job by summed utilisation, Lucid's 1,388 pairs: the middle of each class.
        for (sum, measured) in [(0.9, 0.95), (1.1, 0.89), (1.3, 0.81), (1.5, 0.74), (1.8, 0.63)] {
            let estimated = interference(sum / 2.0, sum / 2.0).speed;
            assert!((estimated - measured).abs() < 0.09, "{sum}: {estimated} {measured}");
        }
    }

    #[test]
    fn fx_125_idle_share_is_not_free_capacity() {
        // Two busy programs do no more together than one alone, however idle either looks.
        assert_eq!(interference(1.0, 1.0), Interference { speed: 0.5, total: 1.0 });
        // What is idle is shared out at most once.
        assert!(interference(0.29, 0.29).total < 1.0);
    }
}
