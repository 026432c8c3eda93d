//! When the jobs of a month run: the planned span in seconds, service hours, and the runs with the
//! room that each may be moved in.

use crate::{
    PlanError,
    workload::{Amount, Job, Runs, Task, Window, Workload},
};
use jiff::{
    ToSpan as _,
    civil::{Date, DateTime, Time},
};
use kasuan_model::Seconds;

/// Seconds of a day and of an hour.
pub(crate) const DAY: u64 = 86_400;
pub(crate) const HOUR: u64 = 3_600;

/// The most runs of one job that a plan holds.
pub(crate) const MOST_RUNS: u64 = 100_000;

/// The start of a run on a day for which the workload names no hours: the start of office hours.
const OFFICE_START: u64 = 9 * HOUR;

/// The planned span, from midnight of its first day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    first: Date,
    days: u32,
}

impl Span {
    /// Reads the span of a workload: its days, or the rest of the calendar month.
    pub(crate) fn of(workload: &Workload) -> Result<Self, PlanError> {
        let month = workload.month;
        let rest = u32::try_from(month.days_in_month() - month.day() + 1).unwrap_or(1);
        let days = workload.days.unwrap_or(rest);
        if !(1..=366).contains(&days) || month.checked_add(i64::from(days).days()).is_err() {
            return Err(PlanError::Days { month, days });
        }
        Ok(Self { first: month, days })
    }

    /// Returns the days.
    pub(crate) const fn days(self) -> u32 {
        self.days
    }

    /// Returns the seconds.
    pub(crate) const fn seconds(self) -> u64 {
        self.days as u64 * DAY
    }

    /// Returns the whole hours.
    pub(crate) const fn hours(self) -> usize {
        self.days as usize * 24
    }

    /// Returns the moment so many seconds after the start.
    pub(crate) fn moment(self, seconds: u64) -> DateTime {
        let start = self.first.to_datetime(Time::midnight());
        let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
        start.checked_add(seconds.seconds()).unwrap_or(DateTime::MAX)
    }

    /// Returns the seconds from the start to a moment, before it as nothing.
    pub(crate) fn seconds_to(self, moment: DateTime) -> u64 {
        let days = moment.date().since(self.first).map_or(0, |span| i64::from(span.get_days()));
        let time = moment.time();
        let seconds = i64::from(time.hour()) * 3600
            + i64::from(time.minute()) * 60
            + i64::from(time.second());
        u64::try_from(days.saturating_mul(86_400).saturating_add(seconds)).unwrap_or(0)
    }

    /// Says whether a run may start on a day of the span: between the start and the deadline, on
    /// one of its days of the week.
    fn may_start_on(self, window: &Window, day: u32) -> bool {
        let opens = window.not_before.map_or(0, |moment| self.seconds_to(moment));
        let closes = window.deadline.map_or(u64::MAX, |moment| self.seconds_to(moment));
        let (start, end) = (u64::from(day) * DAY, (u64::from(day) + 1) * DAY);
        end > opens && start < closes && self.open_on(window, day)
    }

    /// Says whether the window is open on a day of the span.
    fn open_on(self, window: &Window, day: u32) -> bool {
        if window.weekdays.is_empty() {
            return true;
        }
        self.first
            .checked_add(i64::from(day).days())
            .is_ok_and(|date| window.weekdays.contains(&date.weekday()))
    }
}

fn of_day(time: Time) -> u64 {
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    u64::try_from(i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second)).unwrap_or(0)
}

/// A stretch of time within the span, in seconds from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stretch {
    /// When it starts.
    pub(crate) start: u64,
    /// When it ends.
    pub(crate) end: u64,
}

impl Stretch {
    /// Returns how long it is.
    pub(crate) const fn length(self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

/// Returns the daily hours of a window on a day: its start and its length.
fn daily_hours(window: &Window) -> (u64, u64) {
    match window.daily {
        None => (0, DAY),
        Some((from, to)) => {
            let (from, to) = (of_day(from), of_day(to));
            // An end at or before the start runs over midnight; equal ends mean all day.
            let length = if to > from { to - from } else { to + DAY - from };
            (from, length)
        }
    }
}

/// Returns the open stretches of a window, joined where they touch and cut at the span's ends.
///
/// A stretch over midnight belongs to the day that it starts on.
pub(crate) fn open_stretches(span: Span, window: &Window) -> Vec<Stretch> {
    let (from, length) = daily_hours(window);
    let opens = window.not_before.map_or(0, |moment| span.seconds_to(moment));
    let closes = window.deadline.map_or(span.seconds(), |moment| span.seconds_to(moment));
    let closes = closes.min(span.seconds());
    let mut stretches: Vec<Stretch> = Vec::new();
    // The evening before the first day may reach into it.
    let carried = from + length > DAY && before_first_is_open(span, window);
    if carried {
        let end = (from + length - DAY).min(closes);
        push_joined(&mut stretches, Stretch { start: opens, end });
    }
    for day in (0..span.days()).filter(|day| span.open_on(window, *day)) {
        let start = (u64::from(day) * DAY + from).max(opens);
        let end = (u64::from(day) * DAY + from + length).min(closes);
        push_joined(&mut stretches, Stretch { start, end });
    }
    stretches
}

fn before_first_is_open(span: Span, window: &Window) -> bool {
    let weekday = span.first.yesterday().map(|date| date.weekday());
    window.weekdays.is_empty() || weekday.is_ok_and(|weekday| window.weekdays.contains(&weekday))
}

fn push_joined(stretches: &mut Vec<Stretch>, next: Stretch) {
    if next.end <= next.start {
        return;
    }
    match stretches.last_mut() {
        Some(last) if next.start <= last.end => last.end = last.end.max(next.end),
        _ => stretches.push(next),
    }
}

/// When a job runs, before any card is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// Up in these stretches.
    Service(Vec<Stretch>),
    /// Runs, each from its nominal start on.
    Runs(Vec<u64>),
}

impl Demand {
    /// Returns how often it is started.
    pub(crate) fn starts(&self) -> usize {
        match self {
            Self::Service(stretches) => stretches.len(),
            Self::Runs(starts) => starts.len(),
        }
    }
}

/// Says whether a job is a service: up during its hours, whatever the load.
pub(crate) fn is_service(job: &Job) -> bool {
    match job.amount {
        Amount::Service => true,
        Amount::Unknown => job.task == Task::Inference,
        _ => false,
    }
}

/// Returns when a job runs in the span.
pub(crate) fn demand(span: Span, job: &Job) -> Result<Demand, PlanError> {
    if is_service(job) {
        return Ok(Demand::Service(open_stretches(span, &job.window)));
    }
    let (each, blocks) = rhythm(span, job);
    let runs = u64::from(each).saturating_mul(blocks.len() as u64);
    if runs > MOST_RUNS {
        return Err(PlanError::Runs { job: job.name.clone(), runs, most: MOST_RUNS });
    }
    let opens = job.window.not_before.map_or(0, |moment| span.seconds_to(moment));
    let mut starts = Vec::with_capacity(usize::try_from(runs).unwrap_or(0));
    for days in &blocks {
        spread(&job.window, each, days, &mut starts);
    }
    for start in &mut starts {
        *start = (*start).max(opens);
    }
    starts.sort_unstable();
    Ok(Demand::Runs(starts))
}

/// Returns the runs in a block of days and the open days of each block: the whole span, each week
/// of seven days from its first on (a rest of four days or more counts as a week), or each day.
fn rhythm(span: Span, job: &Job) -> (u32, Vec<Vec<u32>>) {
    let open = |from: u32, to: u32| -> Vec<u32> {
        let days: Vec<u32> = (from..to.min(span.days()))
            .filter(|day| span.may_start_on(&job.window, *day))
            .collect();
        days
    };
    match job.runs {
        Runs::PerMonth(each) => (each, vec![open(0, span.days())]),
        Runs::PerWeek(each) => {
            let weeks = (span.days() + 3) / 7;
            let blocks = (0..weeks.max(1)).map(|week| open(week * 7, week * 7 + 7));
            (each, blocks.filter(|days| !days.is_empty()).collect())
        }
        Runs::PerDay(each) => {
            (each, open(0, span.days()).into_iter().map(|day| vec![day]).collect())
        }
    }
}

/// Spreads runs evenly over the open days of a block; runs of one day all start with its window,
/// or evenly over the day where no hours are named.
fn spread(window: &Window, runs: u32, days: &[u32], starts: &mut Vec<u64>) {
    let (from, length) = match window.daily {
        Some(_) => (daily_hours(window).0, 0),
        None => (OFFICE_START, DAY - OFFICE_START),
    };
    let (runs, count) = (u64::from(runs), days.len() as u64);
    for (index, day) in days.iter().enumerate() {
        let index = index as u64;
        let first = (index * runs).div_ceil(count);
        let next = ((index + 1) * runs).div_ceil(count);
        for run in first..next {
            let within = (run - first) * length / (next - first);
            starts.push(u64::from(*day) * DAY + from + within);
        }
    }
}

/// Returns the stretches that a run may lie in: the open hours of its day and of the days that it
/// may wait for; without daily hours, from its start to the end of its patience.
///
/// `length` is how long the run takes; `None` for the start of the room alone.
pub(crate) fn room(span: Span, window: &Window, nominal: u64, length: u64) -> Vec<Stretch> {
    let closes = window.deadline.map_or(u64::MAX, |moment| span.seconds_to(moment));
    let latest = nominal.saturating_add(window.may_wait.get());
    if window.daily.is_none() {
        let end = latest.saturating_add(length).min(closes);
        return vec![Stretch { start: nominal, end }];
    }
    let (from, hours) = daily_hours(window);
    let mut stretches = Vec::new();
    let first = (nominal.saturating_sub(from) / DAY).saturating_sub(1);
    for day in first..=(latest / DAY).min(u64::from(span.days())) {
        let Ok(index) = u32::try_from(day) else { break };
        if !span.open_on(window, index) {
            continue;
        }
        let start = day * DAY + from;
        let end = (start + hours).min(closes);
        if end > nominal && start <= latest {
            push_joined(&mut stretches, Stretch { start: start.max(nominal), end });
        }
    }
    stretches
}

/// Counts the seconds of lengths of time that are billed apart, grouped by length.
pub(crate) fn lengths(demand: &Demand, run: Seconds) -> Vec<(Seconds, u64)> {
    match demand {
        Demand::Runs(starts) => vec![(run, starts.len() as u64)],
        Demand::Service(stretches) => {
            let mut all: Vec<u64> = stretches.iter().map(|stretch| stretch.length()).collect();
            all.sort_unstable();
            let mut grouped: Vec<(Seconds, u64)> = Vec::new();
            for length in all {
                match grouped.last_mut() {
                    Some((same, count)) if same.get() == length => *count += 1,
                    _ => grouped.push((Seconds::new(length), 1)),
                }
            }
            grouped
        }
    }
}
