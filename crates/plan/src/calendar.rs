//! Where each run is put: within its window and its patience, into paid idle hours first, then
//! into the emptiest hours, so that the base that is worth committing to grows flat.

use crate::{
    demand::{Demand, HOUR, Span, Stretch, room},
    workload::Job,
};
use kasuan_market::Night;

/// How busy a pool is in each hour, and what of it is paid anyway.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    /// Instances in use.
    used: Vec<u32>,
    /// Instances on a term.
    paid: Vec<u32>,
    /// What an hour of the day costs where it is not paid, in thousandths of its price by day.
    price: [u64; 24],
}

impl Load {
    /// Creates an empty span.
    pub(crate) fn new(span: Span) -> Self {
        Self { used: vec![0; span.hours()], paid: vec![0; span.hours()], price: [1000; 24] }
    }

    /// Lets hours of the night count as cheap as they are.
    pub(crate) fn by_night(mut self, night: Option<Night>) -> Self {
        let Some(night) = night else { return self };
        let off = f64::try_from(night.off()).unwrap_or(0.0);
        for (hour, price) in self.price.iter_mut().enumerate() {
            let part = night.seconds(hour as u64 * HOUR, HOUR) as f64 / HOUR as f64;
            *price = (1000.0 * (1.0 - off * part)).round() as u64;
        }
        self
    }

    /// Marks instances as in use.
    pub(crate) fn add(&mut self, stretch: Stretch, units: u32) {
        for hour in hours(stretch, self.used.len()) {
            self.used[hour] = self.used[hour].saturating_add(units);
        }
    }

    /// Marks instances as paid for a term.
    pub(crate) fn pay(&mut self, stretch: Stretch, units: u32) {
        for hour in hours(stretch, self.paid.len()) {
            self.paid[hour] = self.paid[hour].saturating_add(units);
        }
    }

    /// Returns the instances in use in each hour.
    pub(crate) fn used(&self) -> &[u32] {
        &self.used
    }

    /// Returns the instances on a term in each hour.
    pub(crate) fn paid(&self) -> &[u32] {
        &self.paid
    }

    /// Returns how bad a stretch is: what the hours cost that are not paid yet, then how busy they
    /// are.
    fn badness(&self, stretch: Stretch, units: u32) -> (u64, u64) {
        let mut unpaid = 0;
        let mut busy = 0;
        for hour in hours(stretch, self.used.len()) {
            let used = self.used[hour].saturating_add(units);
            let more = u64::from(used.saturating_sub(self.paid[hour]).min(units));
            unpaid += more * self.price[hour % 24];
            busy += u64::from(self.used[hour]);
        }
        (unpaid, busy)
    }
}

/// Returns the hours of a span that a stretch touches.
fn hours(stretch: Stretch, most: usize) -> std::ops::Range<usize> {
    let first = usize::try_from(stretch.start / HOUR).unwrap_or(most).min(most);
    let last = usize::try_from(stretch.end.div_ceil(HOUR)).unwrap_or(most).min(most);
    first..last.max(first)
}

/// Says whether the runs of a job can be moved at all.
pub(crate) fn is_flexible(job: &Job, demand: &Demand) -> bool {
    matches!(demand, Demand::Runs(_))
        && (job.window.daily.is_some() || job.window.may_wait.get() > 0)
}

/// Puts the runs of a job, and marks them in the load; `None` when one of them does not fit its
/// window.
///
/// A run is one stretch, or several where the job may be interrupted and no window is long enough.
pub(crate) fn place(
    span: Span,
    job: &Job,
    demand: &Demand,
    length: u64,
    units: u32,
    load: &mut Load,
) -> Option<Vec<Vec<Stretch>>> {
    let starts = match demand {
        Demand::Service(stretches) => {
            for stretch in stretches {
                load.add(*stretch, units);
            }
            return Some(stretches.iter().map(|stretch| vec![*stretch]).collect());
        }
        Demand::Runs(starts) => starts,
    };
    let mut runs = Vec::with_capacity(starts.len());
    for start in starts {
        let run = place_run(span, job, *start, length, units, load)?;
        for stretch in &run {
            load.add(*stretch, units);
        }
        runs.push(run);
    }
    Some(runs)
}

/// Puts one run that may start from `nominal` on.
pub(crate) fn place_run(
    span: Span,
    job: &Job,
    nominal: u64,
    length: u64,
    units: u32,
    load: &Load,
) -> Option<Vec<Stretch>> {
    let whole = span.seconds();
    if length > whole {
        return None;
    }
    // A run ends within the span and before its deadline: near them it starts earlier.
    let nominal = if job.window.daily.is_none() {
        let opens = job.window.not_before.map_or(0, |moment| span.seconds_to(moment));
        let closes = job.window.deadline.map_or(whole, |moment| span.seconds_to(moment)).min(whole);
        nominal.min(closes.checked_sub(length)?).max(opens)
    } else {
        nominal
    };
    let rooms = room(span, &job.window, nominal, length);
    let mut best: Option<((u64, u64), Stretch)> = None;
    for open in &rooms {
        let end = last_end(span, job, *open);
        let mut start = open.start;
        while start + length <= end && start < whole {
            let stretch = Stretch { start, end: start + length };
            let badness = load.badness(stretch, units);
            if best.is_none_or(|(known, _)| badness < known) {
                best = Some((badness, stretch));
            }
            // Whole hours of the clock after the first try.
            start = (start / HOUR + 1) * HOUR;
        }
    }
    if let Some((_, stretch)) = best {
        return Some(vec![stretch]);
    }
    job.interruptible.as_ref()?;
    split(&rooms, whole, length)
}

/// Returns when a run in a room has to be done: a night that begins within the span may end after
/// it, everything else ends with it.
pub(crate) fn last_end(span: Span, job: &Job, open: Stretch) -> u64 {
    let over_night = open.start < span.seconds() && job.window.daily.is_some();
    if over_night { open.end } else { open.end.min(span.seconds()) }
}

/// Fills the rooms in order until the run is done.
fn split(rooms: &[Stretch], whole: u64, length: u64) -> Option<Vec<Stretch>> {
    let mut left = length;
    let mut parts = Vec::new();
    for open in rooms {
        let end = open.end.min(whole).min(open.start.saturating_add(left));
        if end > open.start {
            parts.push(Stretch { start: open.start, end });
            left -= end - open.start;
        }
        if left == 0 {
            return Some(parts);
        }
    }
    None
}
