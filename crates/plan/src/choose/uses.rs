//! What is billed as one: a run on machines of its own, or a machine that several jobs share.

use super::{Member, Problem};
use crate::{
    calendar::{Load, is_flexible},
    candidates::{IMPOSSIBLE, Micros, Paid, Way},
    demand::{DAY, Demand, Stretch},
    mix::{Item, buy_unlimited},
    pack::{Part, first_fit},
};
use kasuan_model::Seconds;
use std::collections::BTreeMap;

/// Machines that are up together and billed as one start each.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    /// When they are up.
    pub(crate) stretch: Stretch,
    /// Machines.
    pub(crate) units: u32,
    /// Who runs on them.
    pub(crate) owners: Owners,
    alone: Micros,
    firm: bool,
}

/// Who runs on machines, by their place among the members of the pool.
#[derive(Clone, Debug)]
pub(crate) enum Owners {
    /// One job, each run on machines of its own.
    One(usize),
    /// Runs together on one machine, with the card-seconds that each uses of it.
    Several(Vec<(usize, u64)>),
}

impl Use {
    /// Returns who runs in it, by their place among the members.
    pub(super) fn members(&self) -> Vec<usize> {
        match &self.owners {
            Owners::One(member) => vec![*member],
            Owners::Several(owners) => owners.iter().map(|(member, _)| *member).collect(),
        }
    }

    /// Returns what has to be bought.
    pub(super) const fn item(&self) -> Item {
        Item { stretch: self.stretch, units: self.units, alone: self.alone, firm: self.firm }
    }
}

impl Problem<'_> {
    /// Gives each run machines of its own; with `cut` services are cut where a term may end, so that
    /// the rest of a long one can be on demand.
    pub(super) fn uses_apart(
        &self,
        members: &[Member],
        runs: &[Vec<Vec<Stretch>>],
        cut: bool,
    ) -> Vec<Use> {
        let mut uses = Vec::with_capacity(runs.iter().map(Vec::len).sum());
        for (index, (member, runs)) in members.iter().zip(runs).enumerate() {
            let way = self.way(*member);
            let firm = !self.jobs[member.job].hours_wait;
            let cut = cut && self.is_service(member.job);
            let mut add = |stretch: Stretch| {
                uses.push(Use {
                    stretch,
                    units: way.instances,
                    owners: Owners::One(index),
                    alone: self.alone(member.job, way, stretch),
                    firm,
                });
            };
            for stretch in runs.iter().flatten() {
                if cut {
                    self.pieces(way.pool, *stretch, |_| true).into_iter().for_each(&mut add);
                } else {
                    add(*stretch);
                }
            }
        }
        uses
    }

    fn is_service(&self, job: usize) -> bool {
        matches!(self.ways[job].demand, Demand::Service(_))
    }

    /// Says whether a service of a pool is up for longer than one of its terms.
    pub(super) fn outlasts(&self, pool: usize, members: &[Member]) -> bool {
        let terms = self.pools[pool].terms.iter().map(|term| term.term.get());
        let shortest = terms.filter(|term| *term > DAY).min().unwrap_or(u64::MAX);
        let held = self.held.contains_key(&pool);
        members.iter().any(|member| match &self.ways[member.job].demand {
            Demand::Runs(_) => false,
            Demand::Service(stretches) => {
                held || stretches.iter().any(|stretch| stretch.length() > shortest)
            }
        })
    }

    /// Cuts a stretch where a term from its start would end and where one to its end would begin,
    /// and where something held ends.
    fn pieces(&self, pool: usize, stretch: Stretch, may_cut: impl Fn(u64) -> bool) -> Vec<Stretch> {
        let terms = self.pools[pool].terms.iter().filter(|term| term.term.get() > DAY);
        let mut cuts: Vec<u64> = Vec::new();
        for length in terms.map(|term| term.term.get()) {
            cuts.extend([stretch.start + length, stretch.end.saturating_sub(length)]);
        }
        let held = self.held.get(&pool).into_iter().flatten();
        cuts.extend(held.map(|held| held.until));
        cuts.retain(|cut| stretch.start < *cut && *cut < stretch.end && may_cut(*cut));
        cuts.sort_unstable();
        cuts.dedup();
        cuts.push(stretch.end);
        let mut start = stretch.start;
        let piece = |end| Stretch { start: std::mem::replace(&mut start, end), end };
        cuts.into_iter().map(piece).collect()
    }

    /// Puts runs that need part of a machine together on as few as first fit finds; `None` where
    /// there are not two of them.
    pub(super) fn uses_together(
        &self,
        pool: usize,
        members: &[Member],
        runs: &[Vec<Vec<Stretch>>],
    ) -> Option<Vec<Use>> {
        let count = self.pools[pool].count;
        let partial = |member: &&Member| self.shares(self.way(**member), member.job);
        if !self.share_machines || count < 2 || members.iter().filter(partial).count() == 0 {
            return None;
        }
        let mut uses = Vec::new();
        let mut parts: Vec<Part> = Vec::new();
        let mut part_of: Vec<usize> = Vec::new();
        for (index, (member, runs)) in members.iter().zip(runs).enumerate() {
            let way = self.way(*member);
            let each = self.cards_of_instances(way, member.job);
            let whole = each.iter().filter(|cards| **cards >= count).count();
            for stretch in runs.iter().flatten() {
                if whole > 0 {
                    uses.push(Use {
                        stretch: *stretch,
                        units: u32::try_from(whole).unwrap_or(u32::MAX),
                        owners: Owners::One(index),
                        alone: self.alone(member.job, way, *stretch),
                        firm: !self.jobs[member.job].hours_wait,
                    });
                }
                for cards in each.iter().filter(|cards| **cards < count) {
                    parts.push(Part { cards: *cards, start: stretch.start, end: stretch.end });
                    part_of.push(index);
                }
            }
        }
        if parts.len() < 2 {
            return None;
        }
        let packing = first_fit(count, &parts);
        let mut machines: Vec<Vec<usize>> = vec![Vec::new(); packing.machines];
        for (part, machine) in packing.machine.iter().enumerate() {
            machines.get_mut((*machine)?)?.push(part);
        }
        let machine = Machine { problem: self, pool, members, parts: &parts, part_of: &part_of };
        for on in &mut machines {
            on.sort_by_key(|part| (parts[*part].start, *part));
            let mut up: Option<(Stretch, Vec<usize>)> = None;
            for &part in on.iter() {
                let Part { start, end, .. } = parts[part];
                match &mut up {
                    Some((stretch, together)) if start <= stretch.end => {
                        stretch.end = stretch.end.max(end);
                        together.push(part);
                    }
                    _ => {
                        if let Some((stretch, together)) = up.take() {
                            machine.add(stretch, &together, &mut uses);
                        }
                        up = Some((Stretch { start, end }, vec![part]));
                    }
                }
            }
            if let Some((stretch, together)) = up {
                machine.add(stretch, &together, &mut uses);
            }
        }
        Some(uses)
    }

    /// Returns the cards that a job uses of each of its instances.
    fn cards_of_instances(&self, way: &Way, job: usize) -> Vec<u32> {
        let count = self.pools[way.pool].count;
        let Some((_, need)) = self.ways[job].needs.get(way.need) else {
            return vec![count; way.instances as usize];
        };
        if need.cards >= count {
            return vec![count; way.instances as usize];
        }
        // Replicas are not cut in two.
        let each = count / need.cards.max(1);
        let mut left = need.replicas;
        let mut cards = Vec::with_capacity(way.instances as usize);
        for _ in 0..way.instances {
            let here = left.min(each);
            left -= here;
            cards.push(here * need.cards);
        }
        cards
    }

    /// Returns what the machines of a pool cost at the least when they are filled without gaps; no
    /// figure where a run can be moved.
    pub(super) fn filled(&self, pool: usize, members: &[Member]) -> Option<i128> {
        let count = u64::from(self.pools[pool].count.max(1));
        let mut steps: BTreeMap<u64, i64> = BTreeMap::new();
        for member in members {
            let way = self.way(*member);
            let demand = &self.ways[member.job].demand;
            if is_flexible(&self.jobs[member.job], demand) {
                return None;
            }
            let runs = self.place_all(&[*member], &mut Load::new(self.span))?;
            let cards = i64::try_from(self.cards(way, member.job).0).ok()?;
            for stretch in runs.iter().flatten().flatten() {
                *steps.entry(stretch.start).or_default() += cards;
                *steps.entry(stretch.end).or_default() -= cards;
            }
        }
        let way = self.way(*members.first()?);
        let mut items = Vec::new();
        let (mut cards, mut since) = (0_i64, 0);
        for (time, change) in steps {
            let units = u64::try_from(cards).ok()?.div_ceil(count);
            if units > 0 && since < time {
                let stretch = Stretch { start: since, end: time };
                let alone = self.least_alone(way, Seconds::new(stretch.length()));
                let units = u32::try_from(units).ok()?;
                items.push(Item { stretch, units, alone, firm: true });
            }
            (cards, since) = (cards + change, time);
        }
        let held = self.held.get(&pool).map_or(&[][..], Vec::as_slice);
        Some(buy_unlimited(&self.pools[pool], &items, held, self.span.seconds()).cost)
    }

    /// Says whether the cheapest bill of a pool is found exactly: no machine is shared, no stock
    /// limited and no service cut.
    pub(super) fn is_exact(&self) -> bool {
        !self.ways.iter().enumerate().any(|(job, ways)| {
            let pooled = ways.ways.iter().filter(|way| matches!(way.paid, Paid::Pooled));
            pooled.clone().any(|way| {
                let member = Member { job, way: 0 };
                self.shares(way, job)
                    || self.pools[way.pool].is_limited()
                    || self.outlasts(way.pool, &[member])
            })
        })
    }

    /// Says whether a job leaves cards of its machines unused that others may take.
    pub(super) fn shares(&self, way: &Way, job: usize) -> bool {
        let (cards, rented) = self.cards(way, job);
        self.share_machines && cards < rented
    }

    /// Returns the cards that a job uses, and those of its instances.
    pub(crate) fn cards(&self, way: &Way, job: usize) -> (u64, u64) {
        let rented = u64::from(self.pools[way.pool].count) * u64::from(way.instances);
        let needs = self.ways[job].needs.get(way.need);
        let cards = needs.map(|(_, need)| u64::from(need.cards) * u64::from(need.replicas));
        (cards.unwrap_or(rented).min(rented), rented)
    }

    /// Returns what an instance of a pool costs on demand for a time, no rounding counted: what a
    /// part of a shared machine cannot be under.
    pub(super) fn least_alone(&self, way: &Way, time: Seconds) -> Micros {
        let Some(rate) = &self.pools[way.pool].on_demand else { return IMPOSSIBLE };
        let all = i128::from(rate.least_micros()) * i128::from(time.get()) / 3600;
        i64::try_from(all).unwrap_or(IMPOSSIBLE).min(IMPOSSIBLE)
    }
}

/// A machine that runs share, with what is known of them.
struct Machine<'a> {
    problem: &'a Problem<'a>,
    pool: usize,
    members: &'a [Member],
    parts: &'a [Part],
    part_of: &'a [usize],
}

impl Machine<'_> {
    /// Adds a time that it is up, cut where a term may end and nothing but services runs on.
    fn add(&self, stretch: Stretch, together: &[usize], uses: &mut Vec<Use>) {
        let may_cut = |cut: u64| {
            together.iter().all(|part| {
                let Part { start, end, .. } = self.parts[*part];
                let job = self.members[self.part_of[*part]].job;
                cut <= start || end <= cut || self.problem.is_service(job)
            })
        };
        for piece in self.problem.pieces(self.pool, stretch, may_cut) {
            uses.push(self.shared(piece, together));
        }
    }

    fn shared(&self, stretch: Stretch, together: &[usize]) -> Use {
        let mut owners: Vec<(usize, u64)> = Vec::new();
        let mut alone = 0;
        let mut firm = false;
        for &part in together {
            let owner = self.part_of[part];
            let Part { cards, start, end } = self.parts[part];
            let within = end.min(stretch.end).saturating_sub(start.max(stretch.start));
            if within == 0 {
                continue;
            }
            let seconds = within.saturating_mul(u64::from(cards));
            match owners.iter_mut().find(|(known, _)| *known == owner) {
                Some((_, sum)) => *sum += seconds,
                None => {
                    let member = self.members[owner];
                    let way = self.problem.way(member);
                    alone = alone.max(self.problem.alone(member.job, way, stretch));
                    firm |= !self.problem.jobs[member.job].hours_wait;
                    owners.push((owner, seconds));
                }
            }
        }
        let owners = Owners::Several(owners);
        Use { stretch, units: 1, owners, alone: alone.min(IMPOSSIBLE), firm }
    }
}
