//! Which way each job takes, chosen for all jobs together: jobs of one pool share its terms, so
//! that the cheapest way of each alone is not the cheapest for all.

mod bound;
mod exact;
mod search;
mod uses;

pub(crate) use uses::{Owners, Use};

use crate::{
    calendar::{Load, is_flexible, place},
    candidates::{JobWays, Micros, Paid, Pool, Rate, Way},
    demand::{Demand, Span, Stretch},
    mix::{Bill, HeldUnits, Item, buy},
    workload::Job,
};
use kasuan_market::Night;
use kasuan_model::{BillingMode, Seconds};
use rust_decimal::Decimal;
use std::collections::BTreeMap;

/// Everything the choice depends on.
pub(crate) struct Problem<'a> {
    /// The planned span.
    pub(crate) span: Span,
    /// The jobs as the user described them.
    pub(crate) jobs: &'a [Job],
    /// What can be done with each.
    pub(crate) ways: &'a [JobWays],
    /// The pools.
    pub(crate) pools: &'a [Pool],
    /// What is held already, by pool.
    pub(crate) held: BTreeMap<usize, Vec<HeldUnits>>,
    /// Whether jobs that need part of a machine may share one.
    pub(crate) share_machines: bool,
    /// The choice of a solution that this one differs little from, to search on from.
    pub(crate) near: Option<Vec<Option<usize>>>,
}

/// A job on one of its ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Member {
    /// The job.
    pub(crate) job: usize,
    /// Its way.
    pub(crate) way: usize,
}

/// A pool with the jobs that share it.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    /// Who shares it.
    pub(crate) members: Vec<Member>,
    /// The runs of each member, each in one or more stretches.
    pub(crate) runs: Vec<Vec<Vec<Stretch>>>,
    /// What is billed as one each, for whom.
    pub(crate) uses: Vec<Use>,
    /// What is bought for them; one item for each use, in order.
    pub(crate) bill: Bill,
    /// How busy the pool is.
    pub(crate) load: Load,
}

impl Shared {
    /// Says whether a job meets others on a machine.
    pub(crate) fn is_together(&self, job: usize) -> bool {
        self.uses.iter().any(|one| match &one.owners {
            Owners::One(_) => false,
            Owners::Several(owners) => {
                owners.len() > 1 && owners.iter().any(|(at, _)| self.members[*at].job == job)
            }
        })
    }
}

/// A choice for all jobs.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The way of each job; `None` when it has none.
    pub(crate) ways: Vec<Option<usize>>,
    /// The pools that are shared.
    pub(crate) shared: BTreeMap<usize, Shared>,
    /// What all of it costs.
    pub(crate) cost: i128,
    /// No choice can cost less.
    pub(crate) bound: i128,
}

impl Problem<'_> {
    /// Returns a way of a job.
    pub(crate) fn way(&self, member: Member) -> &Way {
        &self.ways[member.job].ways[member.way]
    }

    /// Returns what one instance costs on demand for a stretch.
    pub(crate) fn alone(&self, job: usize, way: &Way, stretch: Stretch) -> Micros {
        let modes = &self.jobs[job].modes;
        if !modes.is_empty() && !modes.contains(&BillingMode::OnDemand) {
            return crate::candidates::IMPOSSIBLE;
        }
        let rate = self.pools[way.pool].on_demand.as_ref();
        rate.map_or(crate::candidates::IMPOSSIBLE, |rate| {
            rate.micros_from(stretch.start, Seconds::new(stretch.length()))
        })
    }

    /// Returns the lower price by night of a pool.
    fn night(&self, pool: usize) -> Option<Night> {
        self.pools[pool].on_demand.as_ref().and_then(Rate::night)
    }

    /// Puts the runs of a job that shares nothing; returns them and what is billed as one.
    pub(crate) fn apart(&self, job: usize, way: &Way) -> (Vec<Vec<Stretch>>, Vec<Stretch>) {
        let demand = &self.ways[job].demand;
        let night = if matches!(way.paid, Paid::OnDemand) { self.night(way.pool) } else { None };
        let mut load = Load::new(self.span).by_night(night);
        let (job, run) = (&self.jobs[job], way.run.get());
        let runs = place(self.span, job, demand, run, way.instances, &mut load);
        let runs = runs.unwrap_or_default();
        let billed = match demand {
            // One start each, in parts or not.
            Demand::Runs(starts) => starts
                .iter()
                .enumerate()
                .map(|(at, nominal)| {
                    let first = runs.get(at).and_then(|parts| parts.first());
                    let start = first.map_or(*nominal, |part| part.start);
                    Stretch { start, end: start + run }
                })
                .collect(),
            Demand::Service(stretches) => stretches.clone(),
        };
        (runs, billed)
    }

    /// Returns the part of a job's instances that it does not use: cards of a machine beyond its
    /// own; `None` when it uses all.
    pub(crate) fn unused_share(&self, member: Member) -> Option<Decimal> {
        let (used, rented) = self.cards(self.way(member), member.job);
        let unused = rented.checked_sub(used).filter(|unused| *unused > 0)?;
        Some(Decimal::from(unused) / Decimal::from(rented))
    }

    /// Puts the runs of the members of a pool and buys what they use; `None` when a run does not
    /// fit its window.
    pub(crate) fn share(&self, pool: usize, members: &[Member]) -> Option<Shared> {
        let mut runs = self.place_all(members, &mut Load::new(self.span))?;
        let held = self.held.get(&pool).map_or(&[][..], Vec::as_slice);
        let (mut uses, mut bill) = self.bill(pool, members, &runs, held);
        let night = self.night(pool);
        let moves = members
            .iter()
            .any(|member| is_flexible(&self.jobs[member.job], &self.ways[member.job].demand));
        // Where nights are cheaper, what can move may go there; flat days carry terms better.
        if let Some(by_night) = night.filter(|_| moves)
            && let Some(moved) =
                self.place_all(members, &mut Load::new(self.span).by_night(Some(by_night)))
        {
            let (other, cheaper) = self.bill(pool, members, &moved, held);
            if cheaper.cost < bill.cost {
                (runs, uses, bill) = (moved, other, cheaper);
            }
        }
        // Once terms are bought, what can move into their idle hours does, if that saves money.
        if moves && (!bill.bought.is_empty() || !held.is_empty()) {
            let mut paid = self.paid(&bill, held).by_night(night);
            if let Some(moved) = self.place_all(members, &mut paid) {
                let (other, cheaper) = self.bill(pool, members, &moved, held);
                if cheaper.cost < bill.cost {
                    (runs, uses, bill) = (moved, other, cheaper);
                }
            }
        }
        let mut load = self.paid(&bill, held);
        for one in &uses {
            load.add(one.stretch, one.units);
        }
        Some(Shared { members: members.to_vec(), runs, uses, bill, load })
    }

    /// Returns an empty span with what is paid for terms.
    fn paid(&self, bill: &Bill, held: &[HeldUnits]) -> Load {
        let mut load = Load::new(self.span);
        for term in &bill.bought {
            load.pay(term.stretch, term.units);
        }
        for held in held {
            load.pay(Stretch { start: 0, end: held.until }, held.units);
        }
        load
    }

    /// Puts fixed runs first, then what can move, longest first.
    fn place_all(&self, members: &[Member], load: &mut Load) -> Option<Vec<Vec<Vec<Stretch>>>> {
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by_key(|index| {
            let member = members[*index];
            let ways = &self.ways[member.job];
            let flexible = is_flexible(&self.jobs[member.job], &ways.demand);
            (
                flexible,
                std::cmp::Reverse(if flexible { ways.ways[member.way].run.get() } else { 0 }),
            )
        });
        let mut all = vec![Vec::new(); members.len()];
        for index in order {
            let member = members[index];
            let way = self.way(member);
            let job = &self.jobs[member.job];
            let demand = &self.ways[member.job].demand;
            all[index] = place(self.span, job, demand, way.run.get(), way.instances, load)?;
        }
        Some(all)
    }

    /// Buys what the runs use, each job on machines of its own or together on fewer, whichever is
    /// cheaper.
    fn bill(
        &self,
        pool: usize,
        members: &[Member],
        runs: &[Vec<Vec<Stretch>>],
        held: &[HeldUnits],
    ) -> (Vec<Use>, Bill) {
        let buy = |uses: Vec<Use>| {
            let items: Vec<Item> = uses.iter().map(Use::item).collect();
            let bill = buy(&self.pools[pool], &items, held, self.span.seconds());
            (uses, bill)
        };
        let mut apart = buy(self.uses_apart(members, runs, false));
        if self.outlasts(pool, members) {
            let cut = buy(self.uses_apart(members, runs, true));
            if cut.1.cost < apart.1.cost {
                apart = cut;
            }
        }
        match self.uses_together(pool, members, runs).map(buy) {
            Some(together) if together.1.cost < apart.1.cost => together,
            _ => apart,
        }
    }

    /// Costs a choice of ways: what is shared by pool, the rest alone.
    pub(crate) fn evaluate(&self, ways: Vec<Option<usize>>) -> Option<Choice> {
        let mut members: BTreeMap<usize, Vec<Member>> = BTreeMap::new();
        let mut cost = 0_i128;
        for (job, way) in ways.iter().enumerate() {
            let Some(way) = *way else { continue };
            let member = Member { job, way };
            let chosen = self.way(member);
            match chosen.paid {
                Paid::Pooled => members.entry(chosen.pool).or_default().push(member),
                Paid::OnDemand | Paid::Spot(_) | Paid::Term(_) | Paid::Beside(_) => {
                    cost += i128::from(chosen.alone);
                }
            }
        }
        let mut shared = BTreeMap::new();
        for (pool, members) in members {
            let bill = self.share(pool, &members)?;
            cost += bill.bill.cost;
            shared.insert(pool, bill);
        }
        Some(Choice { ways, shared, cost, bound: 0 })
    }
}

impl Choice {
    /// Leaves out jobs that no stock holds, the last of the workload first, until what is left can
    /// be rented.
    pub(crate) fn keep_stock(&mut self, problem: &Problem<'_>) {
        let impossible = i128::from(crate::candidates::IMPOSSIBLE);
        loop {
            let over = self.shared.iter().find(|(_, shared)| shared.bill.cost >= impossible);
            let Some((&pool, shared)) = over else { return };
            let on_demand = |(one, covered): &(&Use, &u32)| **covered < one.units;
            let out = shared.uses.iter().zip(&shared.bill.covered).filter(on_demand);
            let Some(last) = out.flat_map(|(one, _)| one.members()).max() else { return };
            let job = shared.members[last].job;
            let rest: Vec<Member> =
                shared.members.iter().filter(|member| member.job != job).copied().collect();
            self.cost -= shared.bill.cost;
            self.ways[job] = None;
            self.shared.remove(&pool);
            if !rest.is_empty()
                && let Some(shared) = problem.share(pool, &rest)
            {
                self.cost += shared.bill.cost;
                self.shared.insert(pool, shared);
            }
            self.bound = self.bound.min(self.cost);
        }
    }
}

/// Returns the cheapest choice that was found, with a bound on every other.
pub(crate) fn choose(problem: &Problem<'_>) -> Choice {
    exact::choose(problem).unwrap_or_else(|| search::choose(problem))
}
