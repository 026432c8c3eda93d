//! Alerts: what a team should hear of today, from the ledger's facts.

use jiff::Timestamp;
use kasuan_model::{Money, Phrase, Run};
use rust_decimal::{Decimal, prelude::ToPrimitive as _};

/// Days before a prepaid card ends at which it is told.
const EXPIRY_DAYS: i64 = 3;
/// How long a host must be idle before it is told.
const IDLE_SECONDS: i64 = 30 * 60;
/// How long an agent may be silent: it writes every minute.
const SILENT_SECONDS: i64 = 15 * 60;

/// Something to tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Alert {
    /// What makes it the same alert tomorrow.
    pub key: String,
    /// Whether it goes out at once, or waits for the daily digest.
    pub urgent: bool,
    /// What happened.
    pub text: Phrase,
    /// What to do.
    pub remedy: Phrase,
}

/// A host as its agent told it.
#[derive(Clone, Debug, PartialEq)]
pub struct Watched {
    /// The host.
    pub host: String,
    /// When its agent wrote last.
    pub seen: Timestamp,
    /// For how long every card has been idle, in seconds.
    pub idle: Option<i64>,
    /// What it costs an hour.
    pub hourly: Option<Money>,
}

/// The facts of the moment.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Now.
    pub now: Timestamp,
    /// The month, for keys: `2026-12`.
    pub month: String,
    /// The month's budget and what it has cost so far.
    pub budget: Option<(Money, Money)>,
    /// Hosts with an agent.
    pub watched: Vec<Watched>,
    /// Prepaid machines and when they end.
    pub prepaid: Vec<(String, Timestamp)>,
    /// Runs of the last day.
    pub runs: Vec<Run>,
    /// Idle hosts that cost less than this an hour are left to the digest.
    pub idle_over: Decimal,
}

/// Returns what there is to tell, urgent things first. Silence of an agent is not idleness: it is
/// told as silence, and nothing here ever stops a machine.
pub fn alerts(moment: &Moment) -> Vec<Alert> {
    let mut found = Vec::new();
    found.extend(budget(moment));
    for host in &moment.watched {
        found.extend(host_alert(moment, host));
    }
    for (host, end) in &moment.prepaid {
        let left = end.as_second() - moment.now.as_second();
        if (0..=EXPIRY_DAYS * 86_400).contains(&left) {
            found.push(Alert {
                key: format!("expiry:{host}:{}", end.as_second()),
                urgent: true,
                text: Phrase::new("alert-expiry").with("host", host).with("hours", left / 3600),
                remedy: Phrase::new("alert-expiry-remedy"),
            });
        }
    }
    for run in &moment.runs {
        // 128 + SIGTERM or SIGKILL: ended from outside, as a spot machine's reclaim does it.
        let killed = matches!(run.exit_code, Some(137 | 143));
        let recent = run.end.is_some_and(|end| moment.now.as_second() - end.as_second() < 86_400);
        if killed && recent {
            found.push(Alert {
                key: format!("killed:{}", run.id),
                urgent: true,
                text: Phrase::new("alert-killed").with("job", &run.job).with("host", &run.host),
                remedy: Phrase::new("alert-killed-remedy").with("job", &run.job),
            });
        }
    }
    found.sort_by(|a, b| b.urgent.cmp(&a.urgent).then(a.key.cmp(&b.key)));
    found
}

/// The highest of 50, 80 and 100 per cent that is reached; 50 waits for the digest.
fn budget(moment: &Moment) -> Option<Alert> {
    let (planned, spent) = moment.budget?;
    let share = spent.amount().checked_div(planned.amount())?.to_f64()?;
    let step = [100_u32, 80, 50].into_iter().find(|step| share * 100.0 >= f64::from(*step))?;
    Some(Alert {
        key: format!("budget:{}:{step}", moment.month),
        urgent: step >= 80,
        text: Phrase::new("alert-budget")
            .with("month", &moment.month)
            .with("share", format!("{:.0}%", share * 100.0))
            .with("spent", spent)
            .with("planned", planned),
        remedy: Phrase::new("alert-budget-remedy").with("month", &moment.month),
    })
}

fn host_alert(moment: &Moment, host: &Watched) -> Option<Alert> {
    let silent = moment.now.as_second() - host.seen.as_second();
    if silent > SILENT_SECONDS {
        // A day of silence is an agent that was taken away.
        return (silent < 7 * 86_400).then(|| Alert {
            key: format!("stale:{}", host.host),
            urgent: false,
            text: Phrase::new("alert-stale").with("host", &host.host).with("minutes", silent / 60),
            remedy: Phrase::new("alert-stale-remedy").with("host", &host.host),
        });
    }
    let idle = host.idle.filter(|idle| *idle >= IDLE_SECONDS)?;
    let spent = host
        .hourly
        .and_then(|hourly| hourly.times(Decimal::from(idle)).ok()?.over(Decimal::from(3600)).ok());
    let told = |money: Option<Money>| money.map_or_else(|| "—".to_owned(), |m| m.to_string());
    let dear = host.hourly.is_some_and(|hourly| hourly.amount() >= moment.idle_over);
    Some(Alert {
        key: format!("idle:{}:{}", host.host, (host.seen.as_second() - idle) / 86_400),
        urgent: dear,
        text: Phrase::new("alert-idle")
            .with("host", &host.host)
            .with("minutes", idle / 60)
            .with("hourly", told(host.hourly))
            .with("spent", told(spent)),
        remedy: Phrase::new("alert-idle-remedy").with("host", &host.host),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasuan_model::Currency;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn cny(amount: i64) -> Money {
        Money::new(Decimal::from(amount), Currency::CNY)
    }

    fn moment() -> Moment {
        Moment {
            now: at(0),
            month: "2027-01".to_owned(),
            budget: None,
            watched: Vec::new(),
            prepaid: Vec::new(),
            runs: Vec::new(),
            idle_over: Decimal::from(5),
        }
    }

    fn keys(moment: &Moment) -> Vec<(String, bool)> {
        alerts(moment).into_iter().map(|alert| (alert.key, alert.urgent)).collect()
    }

    #[test]
    fn fx_115_a_budget_is_told_at_50_80_and_100_per_cent_and_only_the_highest() {
        let with = |spent| Moment { budget: Some((cny(1000), cny(spent))), ..moment() };
        assert_eq!(keys(&with(499)), []);
        assert_eq!(keys(&with(500)), [("budget:2027-01:50".to_owned(), false)]);
        assert_eq!(keys(&with(990)), [("budget:2027-01:80".to_owned(), true)]);
        assert_eq!(keys(&with(1000)), [("budget:2027-01:100".to_owned(), true)]);
        assert_eq!(keys(&Moment { budget: Some((cny(0), cny(9))), ..moment() }), []);
    }

    #[test]
    fn silence_is_not_idleness_and_a_cheap_idle_host_can_wait() {
        let host =
            |seen, idle, hourly| Watched { host: "box".to_owned(), seen: at(seen), idle, hourly };
        let with = |host| Moment { watched: vec![host], ..moment() };
        assert_eq!(keys(&with(host(-30, None, Some(cny(9))))), []);
        assert_eq!(keys(&with(host(-30, Some(1700), Some(cny(9))))), []);
        assert!(keys(&with(host(-30, Some(1800), Some(cny(9)))))[0].1);
        assert!(!keys(&with(host(-30, Some(1800), Some(cny(2)))))[0].1);
        let stale = keys(&with(host(-3600, Some(90_000), Some(cny(9)))));
        assert_eq!(stale, [("stale:box".to_owned(), false)]);
    }

    #[test]
    fn an_end_within_three_days_is_told() {
        let with =
            |days: i64| Moment { prepaid: vec![("box".to_owned(), at(days * 86_400))], ..moment() };
        assert_eq!(keys(&with(4)), []);
        assert_eq!(keys(&with(-1)), []);
        assert_eq!(keys(&with(2)).len(), 1);
    }
}
