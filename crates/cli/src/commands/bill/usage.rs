//! What the arguments of `kasuan bill` say of a usage; what contradicts itself is refused.

use super::Bill;
use crate::error::CommandError;
use jiff::civil::{Date, DateTime};
use kasuan_market::{
    Usage,
    bill::{Keep, Run},
};
use kasuan_model::{Bytes, Offer, Phrase};
use std::str::FromStr as _;

type Interval = (DateTime, DateTime);

/// Reads the usage of an offer.
pub(super) fn usage(arguments: &Bill, offer: &Offer) -> Result<Usage, CommandError> {
    let from = moment(&arguments.from)?;
    let to = moment(&arguments.to)?;
    if to <= from {
        let error = CommandError::user(Phrase::new("bill-no-time").with("from", from));
        return Err(error.hint(Phrase::new("bill-no-time-hint")));
    }
    let mut pauses = intervals(&arguments.stop)?;
    pauses.sort();
    let without_card = intervals(&arguments.no_card)?;
    if offer.mode.is_commitment() && !(pauses.is_empty() && without_card.is_empty()) {
        let refused = Phrase::new("bill-package-stops").with("offer", &offer.id);
        return Err(CommandError::user(refused).hint(Phrase::new("bill-package-stops-hint")));
    }
    if let Some((stop, start)) = pauses.iter().find(|(stop, start)| *stop < from || *start > to) {
        let phrase = Phrase::new("bill-stop-outside")
            .with("stop", stop)
            .with("start", start)
            .with("from", from)
            .with("to", to);
        return Err(CommandError::user(phrase));
    }
    let outside = |(start, end): &&Interval| {
        !pauses.iter().any(|(stop, restart)| stop <= start && end <= restart)
    };
    if let Some((start, end)) = without_card.iter().find(outside) {
        let phrase = Phrase::new("bill-no-card-outside").with("from", start).with("to", end);
        return Err(CommandError::user(phrase).hint(Phrase::new("bill-no-card-outside-hint")));
    }
    let mut runs = Vec::new();
    let mut at = from;
    for (stop, start) in &pauses {
        if *stop > at {
            runs.push(Run::new(at, *stop));
        }
        at = at.max(*start);
    }
    if at < to {
        runs.push(Run::new(at, to));
    }
    if arguments.reclaimed {
        // What is stopped cannot be taken away while it runs.
        match runs.last_mut().filter(|run| run.to == to) {
            Some(last) => last.reclaimed = true,
            None => {
                let phrase = Phrase::new("bill-reclaimed-stopped").with("to", to);
                return Err(CommandError::user(phrase));
            }
        }
    }
    runs.extend(
        without_card
            .into_iter()
            .map(|(start, end)| Run { without_card: true, ..Run::new(start, end) }),
    );
    runs.sort_by_key(|run| run.from);
    Ok(Usage {
        runs,
        released: Some(to),
        given_back: arguments.given_back.as_deref().map(moment).transpose()?,
        storage: storage(&arguments.storage, from, to)?,
        egress: arguments.egress.unwrap_or_default(),
    })
}

fn storage(texts: &[String], from: DateTime, to: DateTime) -> Result<Vec<Keep>, CommandError> {
    let keep = |text: &String| {
        let (kind, size) = match text.split_once('=') {
            Some((kind, size)) => (Some(kind.trim().to_owned()), size),
            None => (None, text.as_str()),
        };
        let size = Bytes::from_str(size)
            .map_err(|_| CommandError::user(Phrase::new("error-size").with("text", size)))?;
        Ok(Keep { kind, size, from, to })
    };
    texts.iter().map(keep).collect()
}

/// Reads `2026-12-01T09:00`, with a blank in the middle, or a bare date, which is its midnight.
fn moment(text: &str) -> Result<DateTime, CommandError> {
    let text = text.trim();
    text.parse::<DateTime>()
        .or_else(|_| text.replacen(' ', "T", 1).parse())
        .or_else(|_| text.parse::<Date>().map(|date| date.at(0, 0, 0, 0)))
        .map_err(|_| {
            CommandError::user(Phrase::new("error-moment").with("text", text))
                .hint(Phrase::new("hint-moment"))
        })
}

fn intervals(texts: &[String]) -> Result<Vec<Interval>, CommandError> {
    let interval = |text: &String| {
        let wrong = || {
            CommandError::user(Phrase::new("error-interval").with("text", text))
                .hint(Phrase::new("hint-interval"))
        };
        let (from, to) = text.split_once("..").ok_or_else(wrong)?;
        let (from, to) = (moment(from)?, moment(to)?);
        if from < to { Ok((from, to)) } else { Err(wrong()) }
    };
    texts.iter().map(interval).collect()
}
