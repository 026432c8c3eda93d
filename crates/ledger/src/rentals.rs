//! Rentals: what a host's cards cost an hour, as agents and bills tell, and who was seen when.

use crate::{
    Ledger, LedgerError,
    driver::{Row, Value},
    ledger::{Cells, count, damaged, seconds},
};
use jiff::Timestamp;
use kasuan_model::{CardId, Currency, Money};

/// Cards of a host that were paid for over a span.
#[derive(Clone, Debug, PartialEq)]
pub struct Rental {
    /// The host, as in usage rows.
    pub host: String,
    /// The card.
    pub card: CardId,
    /// How many.
    pub cards: u32,
    /// From when.
    pub from: Timestamp,
    /// Until when.
    pub to: Timestamp,
    /// Price of one card for one hour.
    pub card_hour: Money,
    /// Whether it was paid ahead.
    pub prepaid: bool,
    /// Who says so: `agent`, `run` or `stated`.
    pub origin: String,
}

/// When an agent wrote last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSeen {
    /// The agent.
    pub name: String,
    /// When it wrote last.
    pub seen: Timestamp,
    /// How long every card of its host has been idle, in seconds; `None` while one is busy or
    /// unknown.
    pub idle: Option<i64>,
    /// What it costs an hour, or another remark, as text.
    pub told: String,
}

fn rental(row: &Row) -> Result<Rental, LedgerError> {
    let mut cells = Cells::of(row);
    let host = cells.text("a host")?;
    let card = CardId::new(&cells.text("a card")?);
    let (from, to) = (cells.time()?, cells.time()?);
    let cards = u32::try_from(cells.integer("a count of cards")?)
        .map_err(|_| damaged("", "a count of cards"))?;
    let currency: Currency = cells.parsed("a currency")?;
    let card_hour = Money::new(cells.parsed("an amount")?, currency);
    let prepaid = cells.integer("yes or no")? != 0;
    let origin = cells.text("an origin")?;
    Ok(Rental { host, card, cards, from, to, card_hour, prepaid, origin })
}

fn agent_seen(row: &Row) -> Result<AgentSeen, LedgerError> {
    let mut cells = Cells::of(row);
    Ok(AgentSeen {
        name: cells.text("an agent")?,
        seen: cells.time()?,
        idle: cells.optional_integer(),
        told: cells.text("a remark")?,
    })
}

impl Ledger {
    /// Records a rental; the same host, card and start again moves its end.
    pub fn record_rental(&mut self, rental: &Rental) -> Result<(), LedgerError> {
        let sql = "INSERT INTO rentals
               (host, card, from_s, to_s, cards, currency, card_hour, prepaid, origin)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             ON CONFLICT (host, card, from_s) DO UPDATE SET to_s = excluded.to_s,
               cards = excluded.cards, currency = excluded.currency,
               card_hour = excluded.card_hour, prepaid = excluded.prepaid,
               origin = excluded.origin";
        let values = [
            Value::text(&rental.host),
            Value::text(rental.card.as_str()),
            seconds(rental.from),
            seconds(rental.to),
            count(rental.cards),
            Value::text(rental.card_hour.currency().code()),
            Value::text(rental.card_hour.amount().to_string()),
            Value::Integer(rental.prepaid.into()),
            Value::text(&rental.origin),
        ];
        self.driver.execute(sql, &values).map(drop)
    }

    /// Returns rentals that were paid for at any moment from `from` to before `to`.
    pub fn rentals(&mut self, from: Timestamp, to: Timestamp) -> Result<Vec<Rental>, LedgerError> {
        let sql = "SELECT host, card, from_s, to_s, cards, currency, card_hour, prepaid, origin
             FROM rentals WHERE from_s < $2 AND to_s > $1 ORDER BY host, card, from_s";
        self.driver.query(sql, &[seconds(from), seconds(to)])?.iter().map(rental).collect()
    }

    /// Notes that an agent is alive.
    pub fn agent_seen(&mut self, agent: &AgentSeen) -> Result<(), LedgerError> {
        let sql = "INSERT INTO agents (name, seen_s, idle_s, told) VALUES ($1, $2, $3, $4)
             ON CONFLICT (name) DO UPDATE SET seen_s = excluded.seen_s, idle_s = excluded.idle_s,
               told = excluded.told";
        let values = [
            Value::text(&agent.name),
            seconds(agent.seen),
            agent.idle.map_or(Value::Null, Value::Integer),
            Value::text(&agent.told),
        ];
        self.driver.execute(sql, &values).map(drop)
    }

    /// Returns every agent that ever wrote.
    pub fn agents(&mut self) -> Result<Vec<AgentSeen>, LedgerError> {
        let sql = "SELECT name, seen_s, idle_s, told FROM agents ORDER BY name";
        self.driver.query(sql, &[])?.iter().map(agent_seen).collect()
    }

    /// Returns when an alert was last sent through a channel.
    pub fn alert_sent(
        &mut self,
        channel: &str,
        alert: &str,
    ) -> Result<Option<Timestamp>, LedgerError> {
        let sql = "SELECT at_s FROM alerts WHERE channel = $1 AND alert = $2";
        let rows = self.driver.query(sql, &[Value::text(channel), Value::text(alert)])?;
        rows.first().map(|row| Cells::of(row).time()).transpose()
    }

    /// Notes that an alert was sent.
    pub fn note_alert(
        &mut self,
        channel: &str,
        alert: &str,
        at: Timestamp,
    ) -> Result<(), LedgerError> {
        let sql = "INSERT INTO alerts (channel, alert, at_s) VALUES ($1, $2, $3)
             ON CONFLICT (channel, alert) DO UPDATE SET at_s = excluded.at_s";
        let values = [Value::text(channel), Value::text(alert), seconds(at)];
        self.driver.execute(sql, &values).map(drop)
    }

    /// Returns until when a source has been read.
    pub fn progress(&mut self, source: &str) -> Result<Option<Timestamp>, LedgerError> {
        let sql = "SELECT until_s FROM progress WHERE source = $1";
        let rows = self.driver.query(sql, &[Value::text(source)])?;
        rows.first().map(|row| Cells::of(row).time()).transpose()
    }
}
