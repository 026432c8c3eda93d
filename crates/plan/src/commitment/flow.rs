//! Minimum-cost flow in whole numbers: the solver under the commitment optimiser.
//!
//! Primal-dual: shortest paths by reduced cost (Dijkstra), then a maximum flow over the arcs
//! that are tight, until every supply has found its demand. Every distinct path cost is visited
//! once, so the work does not grow with the size of the fleet. No recursion: paths are as long as
//! the horizon.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A capacity that never binds.
pub(crate) const UNLIMITED: i64 = i64::MAX / 4;

const NONE: u32 = u32::MAX;

/// A directed network with supplies, capacities and costs of at least nothing.
pub(crate) struct Network {
    /// Supply of each node; negative is demand; they add up to nothing.
    supply: Vec<i64>,
    /// Head of each arc; arc `i ^ 1` is the reverse of arc `i`.
    to: Vec<u32>,
    capacity: Vec<i64>,
    cost: Vec<i64>,
    /// Next arc of the same tail, and the first arc of each node.
    next: Vec<u32>,
    first: Vec<u32>,
    /// The price of each node once solved.
    potential: Vec<i64>,
}

/// No flow meets the demand within the capacities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Infeasible;

impl Network {
    /// Creates a network without arcs.
    pub(crate) fn new(supply: Vec<i64>) -> Self {
        let nodes = supply.len();
        Self {
            supply,
            to: Vec::new(),
            capacity: Vec::new(),
            cost: Vec::new(),
            next: Vec::new(),
            first: vec![NONE; nodes],
            potential: vec![0; nodes],
        }
    }

    /// Adds a node without supply and returns its number.
    pub(crate) fn add_node(&mut self) -> usize {
        self.supply.push(0);
        self.first.push(NONE);
        self.supply.len() - 1
    }

    /// Adds an arc and returns its number, by which [`Self::flow`] is asked.
    pub(crate) fn add_arc(&mut self, from: usize, to: usize, capacity: i64, cost: i64) -> usize {
        let arc = self.to.len();
        self.push(from, to, capacity, cost);
        self.push(to, from, 0, -cost);
        arc
    }

    /// Returns the flow on an arc once solved.
    pub(crate) fn flow(&self, arc: usize) -> i64 {
        self.capacity[arc ^ 1]
    }

    /// Returns the cost of one unit on an arc.
    pub(crate) fn cost(&self, arc: usize) -> i64 {
        self.cost[arc]
    }

    /// Returns the price of a node once solved: no arc with room left costs less than the price at
    /// its head less the price at its tail.
    pub(crate) fn potential(&self, node: usize) -> i64 {
        self.potential.get(node).copied().unwrap_or(0)
    }

    /// Sends every supply to a demand at the least cost.
    pub(crate) fn solve(&mut self) -> Result<(), Infeasible> {
        let nodes = self.supply.len();
        let source = self.add_node();
        let sink = self.add_node();
        let mut wanted = 0_i64;
        for node in 0..nodes {
            let supply = self.supply[node];
            if supply > 0 {
                self.add_arc(source, node, supply, 0);
                wanted += supply;
            } else if supply < 0 {
                self.add_arc(node, sink, -supply, 0);
            }
        }
        let mut potential = vec![0_i64; self.supply.len()];
        let mut search = Search::new(self.supply.len());
        while wanted > 0 {
            if !search.shortest_paths(self, source, sink, &mut potential) {
                return Err(Infeasible);
            }
            wanted -= search.saturate(self, source, sink, &potential);
        }
        self.potential = potential;
        Ok(())
    }

    fn push(&mut self, from: usize, to: usize, capacity: i64, cost: i64) {
        self.next.push(self.first[from]);
        self.first[from] = self.to.len() as u32;
        self.to.push(to as u32);
        self.capacity.push(capacity);
        self.cost.push(cost);
    }
}

/// Where a search for tight paths stands with a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    /// Not reached, or left again by a path that was filled.
    Open,
    /// On the path that is followed.
    OnPath,
    /// Nothing leads on from here.
    Dead,
}

/// Working memory that is kept between the rounds.
struct Search {
    distance: Vec<i64>,
    heap: BinaryHeap<Reverse<(i64, u32)>>,
    visit: Vec<Visit>,
    /// The next arc to try from each node.
    current: Vec<u32>,
    path: Vec<u32>,
}

impl Search {
    fn new(nodes: usize) -> Self {
        Self {
            distance: vec![i64::MAX; nodes],
            heap: BinaryHeap::new(),
            visit: vec![Visit::Open; nodes],
            current: vec![NONE; nodes],
            path: Vec::new(),
        }
    }

    /// Raises the potentials so that the shortest paths from source to sink cost nothing, and says
    /// whether there is a path.
    fn shortest_paths(
        &mut self,
        network: &Network,
        source: usize,
        sink: usize,
        potential: &mut [i64],
    ) -> bool {
        self.distance.fill(i64::MAX);
        self.heap.clear();
        self.distance[source] = 0;
        self.heap.push(Reverse((0, source as u32)));
        while let Some(Reverse((distance, node))) = self.heap.pop() {
            let node = node as usize;
            if distance > self.distance[node] {
                continue;
            }
            if node == sink {
                break;
            }
            let mut arc = network.first[node];
            while arc != NONE {
                let i = arc as usize;
                if network.capacity[i] > 0 {
                    let head = network.to[i] as usize;
                    let reach = distance + network.cost[i] + potential[node] - potential[head];
                    if reach < self.distance[head] {
                        self.distance[head] = reach;
                        self.heap.push(Reverse((reach, head as u32)));
                    }
                }
                arc = network.next[i];
            }
        }
        let limit = self.distance[sink];
        if limit == i64::MAX {
            return false;
        }
        for (node, potential) in potential.iter_mut().enumerate() {
            *potential += self.distance[node].min(limit);
        }
        true
    }

    /// Sends as much as possible over tight arcs and returns how much.
    ///
    /// Passes of depth-first search until one finds nothing. A pass passes over arcs that lead
    /// back into its own path, since free arcs form cycles; the next pass looks at them again.
    fn saturate(
        &mut self,
        network: &mut Network,
        source: usize,
        sink: usize,
        potential: &[i64],
    ) -> i64 {
        let mut sent = 0;
        loop {
            self.current.copy_from_slice(&network.first);
            self.visit.fill(Visit::Open);
            match self.pass(network, source, sink, potential) {
                0 => return sent,
                more => sent += more,
            }
        }
    }

    /// Follows tight arcs from the source, fills every path found, and returns what was sent.
    fn pass(
        &mut self,
        network: &mut Network,
        source: usize,
        sink: usize,
        potential: &[i64],
    ) -> i64 {
        let mut sent = 0;
        let mut node = source;
        self.path.clear();
        self.visit[source] = Visit::OnPath;
        loop {
            if node == sink {
                sent += self.fill(network);
                // Goes on from the last node that the filled path still leads to.
                node = self.path.last().map_or(source, |arc| network.to[*arc as usize] as usize);
                continue;
            }
            let arc = self.current[node];
            if arc == NONE {
                self.visit[node] = Visit::Dead;
                let Some(back) = self.path.pop() else { return sent };
                node = network.to[back as usize ^ 1] as usize;
                self.current[node] = network.next[back as usize];
                continue;
            }
            let i = arc as usize;
            let head = network.to[i] as usize;
            if self.visit[head] == Visit::Open && is_tight(network, i, node, head, potential) {
                self.path.push(arc);
                self.visit[head] = Visit::OnPath;
                node = head;
            } else {
                self.current[node] = network.next[i];
            }
        }
    }

    /// Sends as much as the path takes and cuts it at its first arc that is full now.
    fn fill(&mut self, network: &mut Network) -> i64 {
        let mut push = i64::MAX;
        for &arc in &self.path {
            push = push.min(network.capacity[arc as usize]);
        }
        let mut cut = 0;
        for (step, &arc) in self.path.iter().enumerate().rev() {
            let arc = arc as usize;
            network.capacity[arc] -= push;
            network.capacity[arc ^ 1] += push;
            if network.capacity[arc] == 0 {
                cut = step;
            }
        }
        for &arc in &self.path[cut..] {
            self.visit[network.to[arc as usize] as usize] = Visit::Open;
        }
        self.path.truncate(cut);
        push
    }
}

fn is_tight(network: &Network, arc: usize, tail: usize, head: usize, potential: &[i64]) -> bool {
    network.capacity[arc] > 0 && network.cost[arc] + potential[tail] == potential[head]
}
