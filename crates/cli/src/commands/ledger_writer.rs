//! Writes measured use into the ledger while a job or an agent runs: nothing is lost while the store
//! cannot be reached, and nothing counts twice when it is sent again.

use super::import::Cards;
use crate::{context::Context, error::CommandError, store::Store};
use jiff::Timestamp;
use kasuan_ledger::{AgentSeen, Ledger, LedgerError, Rental};
use kasuan_model::{Money, Phrase, Phrased as _, Run, UsageHour};
use kasuan_probe::{
    capture::Snapshot,
    rollup::{Owner, Rollup},
};
use rust_decimal::Decimal;
use std::time::{Duration, Instant};

/// How often sums are written.
const WRITE_EVERY: Duration = Duration::from_secs(60);

/// A ledger that is written to, or that waits until it can be.
pub(crate) struct LedgerWriter {
    store: Store,
    ledger: Option<Ledger>,
    cards: Cards,
    agent: String,
    host: String,
    hourly: Option<Money>,
    began: Timestamp,
    rollup: Rollup,
    /// Batches that are not acknowledged, with their numbers.
    waiting: Vec<(i64, Vec<UsageHour>)>,
    next: i64,
    written: Instant,
    last: Option<(Timestamp, Snapshot)>,
    /// The cards that were seen last: how many, and the name of the first.
    cards_seen: Option<(u32, String)>,
    idle_since: Option<Timestamp>,
    origin: &'static str,
    complained: bool,
}

impl LedgerWriter {
    /// Opens the ledger, which must be reachable now: a wrong address is better told at once.
    pub(crate) fn open(
        store: &Store,
        owner: Owner,
        hourly: Option<Money>,
        origin: &'static str,
        context: &Context,
    ) -> Result<Self, CommandError> {
        let (ledger, _) = store.open(context)?;
        let began = Timestamp::now();
        let host = owner.host.clone();
        Ok(Self {
            store: store.clone(),
            ledger: Some(ledger),
            cards: Cards::shipped()?,
            // A second life of an agent must not reuse the numbers of its first.
            agent: format!("{host}/{origin}/{}", began.as_millisecond()),
            host,
            hourly,
            began,
            rollup: Rollup::new(owner),
            waiting: Vec::new(),
            next: 1,
            written: Instant::now(),
            last: None,
            cards_seen: None,
            idle_since: None,
            origin,
            complained: false,
        })
    }

    /// Adds a sample, which stands for the time until the next one; `None` ends what the one before
    /// stood for, because nothing is known of the time after it.
    pub(crate) fn sample(&mut self, snapshot: Option<&Snapshot>, idle: Option<bool>) {
        let now = Timestamp::now();
        if let Some((at, before)) = self.last.take() {
            let seconds = now.duration_since(at).as_secs_f64();
            // A clock that was set back, or a machine that slept, tells nothing about the time.
            if (0.0..600.0).contains(&seconds) {
                let cards = &self.cards;
                self.rollup.add(at, seconds, &before, &|name| cards.card(name));
            }
        }
        self.idle_since = match idle {
            Some(true) => self.idle_since.or(Some(now)),
            _ => None,
        };
        self.last = snapshot.map(|snapshot| (now, snapshot.clone()));
        if let Some(snapshot) = snapshot {
            let whole = snapshot.gpus.iter().filter(|gpu| gpu.slice.is_none());
            let name = whole.clone().find_map(|gpu| gpu.name.clone());
            let cards = u32::try_from(whole.count()).ok().filter(|cards| *cards > 0);
            self.cards_seen = cards.zip(name).or_else(|| self.cards_seen.take());
        }
    }

    /// Writes when it is time to.
    pub(crate) fn tick(&mut self, context: &Context) {
        if self.written.elapsed() >= WRITE_EVERY {
            self.write(context);
        }
    }

    /// Writes everything that is known so far.
    pub(crate) fn write(&mut self, context: &Context) {
        self.written = Instant::now();
        if !self.rollup.is_empty() {
            self.waiting.push((self.next, self.rollup.take()));
            self.next += 1;
        }
        let result = self.try_write(context);
        self.judge(result, context);
    }

    /// Records a run, when it starts and when it ends.
    pub(crate) fn run(&mut self, run: &Run, context: &Context) {
        let result = match self.ledger(context) {
            Some(ledger) => ledger.record_run(run),
            None => return,
        };
        self.judge(result, context);
    }

    /// Does something else with the ledger; `None` where it cannot be reached, which is said.
    pub(crate) fn with<T>(
        &mut self,
        context: &Context,
        work: impl FnOnce(&mut Ledger) -> Result<T, LedgerError>,
    ) -> Option<T> {
        match work(self.ledger(context)?) {
            Ok(done) => {
                self.judge(Ok(()), context);
                Some(done)
            }
            Err(error) => {
                self.judge(Err(error), context);
                None
            }
        }
    }

    /// Returns the card that a driver's name means.
    pub(crate) const fn cards(&self) -> &Cards {
        &self.cards
    }

    /// Returns the host.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    fn ledger(&mut self, context: &Context) -> Option<&mut Ledger> {
        if self.ledger.is_none() {
            self.ledger = self.store.open(context).ok().map(|(ledger, _)| ledger);
        }
        self.ledger.as_mut()
    }

    fn judge(&mut self, result: Result<(), LedgerError>, context: &Context) {
        match result {
            Ok(()) => self.complained = false,
            Err(error) => {
                // The connection may be gone; the next write opens a new one.
                self.ledger = None;
                if !self.complained {
                    self.complained = true;
                    let reason = context.say(&error.phrase());
                    context.warn(&Phrase::new("writer-waits").with("reason", reason));
                }
            }
        }
    }

    fn try_write(&mut self, context: &Context) -> Result<(), LedgerError> {
        let now = Timestamp::now();
        let seen = AgentSeen {
            name: self.host.clone(),
            seen: now,
            idle: self.idle_since.map(|since| now.as_second() - since.as_second()),
            told: self.hourly.map_or_else(String::new, |hourly| {
                format!("{} {}", hourly.amount().normalize(), hourly.currency())
            }),
        };
        let rental = self.rental(now);
        let is_agent = self.origin == "agent";
        let (agent, waiting) = (self.agent.clone(), std::mem::take(&mut self.waiting));
        let mut waiting = waiting.into_iter();
        let mut left = Vec::new();
        let mut failed = None;
        match self.ledger(context) {
            None => left.extend(waiting),
            Some(ledger) => {
                for (number, hours) in waiting.by_ref() {
                    if let Err(error) = ledger.add_usage(&agent, number, &hours) {
                        failed = Some(error);
                        left.push((number, hours));
                        break;
                    }
                }
                left.extend(waiting);
                if failed.is_none() {
                    let told = rental.as_ref().map_or(Ok(()), |r| ledger.record_rental(r));
                    let told = told
                        .and_then(|()| if is_agent { ledger.agent_seen(&seen) } else { Ok(()) });
                    failed = told.err();
                }
            }
        }
        self.waiting = left;
        failed.map_or(Ok(()), Err)
    }

    /// Returns what the machine cost since the beginning, where its price and its card are known.
    fn rental(&self, now: Timestamp) -> Option<Rental> {
        let (cards, name) = self.cards_seen.as_ref()?;
        let (cards, card) = (*cards, self.cards.card(name)?);
        let card_hour = self.hourly?.over(Decimal::from(cards)).ok()?;
        Some(Rental {
            host: self.host.clone(),
            card,
            cards,
            from: self.began,
            to: now,
            card_hour,
            prepaid: false,
            origin: self.origin.to_owned(),
        })
    }
}

/// Returns the host's name as the kernel has it.
pub(crate) fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "localhost".to_owned() } else { name.to_owned() }
}
