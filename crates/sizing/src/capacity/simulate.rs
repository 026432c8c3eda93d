//! A small simulation of continuous batching: prompts first, then one token a step for all.
//!
//! Between an arrival and a finish nothing changes, so time moves from event to event, not from
//! step to step; a day of traffic is some hundred thousand events.

use super::Server;
use kasuan_model::Share;
use std::{cmp::Reverse, collections::BinaryHeap};

/// One request of a log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// Seconds since the start of the log; requests are in this order.
    pub arrival: f64,
    /// Tokens of the prompt.
    pub prompt: u32,
    /// Tokens that are written.
    pub generated: u32,
}

/// What requests met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Requests that were answered; those larger than the card are not.
    pub answered: u64,
    /// Requests that do not fit the card at all.
    pub refused: u64,
    /// Seconds to the first token: half, 95 % and 99 % of the requests waited less.
    pub ttft: [f64; 3],
    /// Seconds for each further token: half, 95 % and 99 % of the requests took less.
    pub tpot: [f64; 3],
    /// Share of the time with work to do.
    pub busy: Share,
    /// Tokens written.
    pub tokens: u64,
    /// Seconds from the first arrival to the last token.
    pub seconds: f64,
}

/// A running sequence, ordered by the step in which it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Running {
    ends: u64,
    tokens: u64,
    generated: u32,
    /// Nanoseconds of its first token.
    first: u64,
}

/// Runs a log of requests through `replicas` equal replicas that take turns.
pub fn simulate(server: &Server, requests: &[Request], replicas: u32) -> Outcome {
    let replicas = replicas.max(1) as usize;
    let mut seen = Seen::default();
    for replica in 0..replicas {
        let own = requests.iter().skip(replica).step_by(replicas);
        one(server, own.copied(), &mut seen);
    }
    let span = (seen.last - requests.first().map_or(0.0, |r| r.arrival)).max(0.0);
    Outcome {
        answered: seen.ttft.len() as u64,
        refused: seen.refused,
        ttft: percentiles(&mut seen.ttft),
        tpot: percentiles(&mut seen.tpot),
        busy: Share::of(seen.busy, span * replicas as f64),
        tokens: seen.tokens,
        seconds: span,
    }
}

/// Returns the fewest replicas, `most` at most, with which 95 % of a log's requests keep a target,
/// and what they met; `None` when `most` replicas do not keep it or a request is too large.
pub fn fewest(
    server: &Server,
    requests: &[Request],
    target: &super::Target,
    most: u32,
) -> Option<(u32, Outcome)> {
    let keeps = |met: &Outcome| {
        met.refused == 0
            && target.ttft.is_none_or(|limit| met.ttft[1] <= limit)
            && target.tpot.is_none_or(|limit| met.tpot[1] <= limit)
    };
    let mut found = Some((most, simulate(server, requests, most))).filter(|(_, met)| keeps(met))?;
    let (mut low, mut high) = (1, most);
    while low < high {
        let middle = low + (high - low) / 2;
        let met = simulate(server, requests, middle);
        if keeps(&met) {
            (high, found) = (middle, (middle, met));
        } else {
            low = middle + 1;
        }
    }
    Some(found)
}

#[derive(Default)]
struct Seen {
    ttft: Vec<f64>,
    tpot: Vec<f64>,
    refused: u64,
    busy: f64,
    tokens: u64,
    last: f64,
}

fn one(server: &Server, requests: impl Iterator<Item = Request>, seen: &mut Seen) {
    let mut waiting = requests.filter(|r| r.arrival.is_finite()).peekable();
    let mut running: BinaryHeap<Reverse<Running>> = BinaryHeap::new();
    let (mut now, mut steps, mut held) = (0.0_f64, 0_u64, 0_u64);
    loop {
        let mut fits = true;
        while let Some(next) = waiting.peek().copied() {
            let tokens = u64::from(next.prompt) + u64::from(next.generated.max(1));
            if tokens as f64 > server.room {
                seen.refused += 1;
                waiting.next();
                continue;
            }
            fits = running.len() < server.most() && (held + tokens) as f64 <= server.room;
            if next.arrival > now || !fits {
                break;
            }
            let reading = server.prompt_token * f64::from(next.prompt);
            now += reading;
            seen.busy += reading;
            seen.ttft.push(now - next.arrival + server.front_end);
            held += tokens;
            running.push(Reverse(Running {
                ends: steps + u64::from(next.generated.max(1)) - 1,
                tokens,
                generated: next.generated.max(1),
                first: (now * 1e9) as u64,
            }));
            waiting.next();
        }
        let Some(Reverse(soonest)) = running.peek().copied() else {
            match waiting.peek() {
                Some(next) => now = now.max(next.arrival),
                None => break,
            }
            continue;
        };
        let step = server.step_at(running.len());
        let mut ahead = soonest.ends.saturating_sub(steps);
        if let Some(next) = waiting.peek().filter(|next| fits && next.arrival > now) {
            ahead = ahead.min(((next.arrival - now) / step).ceil().max(1.0) as u64);
        }
        steps += ahead;
        now += ahead as f64 * step;
        seen.busy += ahead as f64 * step;
        while let Some(Reverse(done)) = running.peek().copied().filter(|r| r.0.ends <= steps) {
            running.pop();
            held -= done.tokens;
            seen.tokens += u64::from(done.generated);
            if done.generated > 1 {
                let since = now - done.first as f64 / 1e9;
                seen.tpot.push(since / f64::from(done.generated - 1));
            }
        }
    }
    seen.last = seen.last.max(now);
}

fn percentiles(values: &mut [f64]) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [0.5, 0.95, 0.99].map(|share| {
        let at = (share * values.len() as f64).ceil() as usize;
        values.get(at.saturating_sub(1)).copied().unwrap_or(0.0)
    })
}
