//! The hours of the week: how busy cards were in each, and what the idle ones cost.

use crate::{charts::escape, numbers, pages::html};
use jiff::tz::Offset;
use kasuan_ledger::Rental;
use kasuan_model::{Money, Phrase, UsageHour};
use kasuan_report::{Cell, Column, Table, Tone, Words};
use rust_decimal::Decimal;
use std::{collections::BTreeMap, fmt::Write as _};

/// A card that is busy for less than this share of an hour counts as idle in it, as in reviews.
const IDLE: f64 = 0.05;

/// What was seen in one hour of the week.
#[derive(Clone, Copy, Default)]
struct Seen {
    seconds: f64,
    known: f64,
    busy: f64,
}

/// Draws a table of weekdays and hours, darker where cards were busier.
pub(super) fn map(hours: &[UsageHour], zone: Offset, words: &Words) -> String {
    let mut week = [[Seen::default(); 24]; 7];
    for hour in hours {
        let at = zone.to_datetime(hour.hour);
        let day = usize::try_from(at.weekday().to_monday_zero_offset()).unwrap_or(0);
        let cell = week.get_mut(day).and_then(|day| day.get_mut(at.hour().unsigned_abs() as usize));
        if let Some(cell) = cell {
            cell.seconds += hour.seen;
            cell.known += hour.busy_known;
            cell.busy += hour.busy;
        }
    }
    let title = words.word("web-heat");
    let mut text = format!(
        "<h3>{}</h3><p class=\"faint\">{}</p>",
        escape(&title),
        escape(&words.word("web-heat-help"))
    );
    text.push_str(&html::open_table(&title, "heat"));
    let _ =
        write!(text, "<thead><tr><th scope=\"col\">{}</th>", escape(&words.word("web-weekday")));
    for hour in 0..24 {
        let _ = write!(text, "<th scope=\"col\" class=\"figure\">{hour}</th>");
    }
    text.push_str("</tr></thead><tbody>");
    for (day, cells) in week.iter().enumerate() {
        let name = words.word(&format!("web-day-{day}"));
        let _ = write!(text, "<tr><th scope=\"row\">{}</th>", escape(&name));
        for (hour, cell) in cells.iter().enumerate() {
            text.push_str(&one(cell, &name, hour, words));
        }
        text.push_str("</tr>");
    }
    text.push_str("</tbody></table></div>");
    text
}

fn one(cell: &Seen, day: &str, hour: usize, words: &Words) -> String {
    if cell.known <= 0.0 {
        let unknown = if cell.seconds > 0.0 { "?" } else { "" };
        return format!("<td class=\"figure none\">{unknown}</td>");
    }
    let share = (cell.busy / cell.known).clamp(0.0, 1.0);
    let level = (share * 10.0).round() as u8;
    let title = words.say(
        &Phrase::new("web-heat-cell")
            .with("day", day)
            .with("hour", hour)
            .with("busy", numbers::percent(share))
            .with("hours", format!("{:.1}", cell.seconds / 3600.0)),
    );
    format!("<td class=\"figure h{level}\" title=\"{}\">{:.0}</td>", escape(&title), share * 100.0)
}

/// Says for each host what its idle card-hours cost, where its price is known.
pub(super) fn idle(hours: &[UsageHour], rentals: &[Rental], words: &Words) -> String {
    let mut hosts: BTreeMap<&str, (f64, f64, Option<Money>)> = BTreeMap::new();
    // Several jobs may have shared a card in an hour; a card is idle when all together were.
    let mut cards: BTreeMap<(&str, &str, i64), (f64, f64, f64)> = BTreeMap::new();
    for hour in hours {
        let key = (hour.host.as_ref(), hour.device.as_ref(), hour.hour.as_second());
        let card = cards.entry(key).or_default();
        *card = (card.0 + hour.seen, card.1 + hour.busy_known, card.2 + hour.busy);
    }
    for ((host, _, at), (seen, known, busy)) in cards {
        let entry = hosts.entry(host).or_default();
        entry.0 += seen;
        if known > 0.0 && busy / known < IDLE {
            entry.1 += seen;
            let rental = rentals.iter().rev().find(|rental| {
                // An hour row begins before the moment at which an agent started in it.
                rental.host == host
                    && rental.from.as_second() < at + 3600
                    && rental.to.as_second() >= at
            });
            let cost = rental.and_then(|rental| {
                let seconds = Decimal::try_from(seen.round()).ok()?;
                rental.card_hour.times(seconds).ok()?.over(Decimal::from(3600)).ok()
            });
            entry.2 = match (entry.2, cost) {
                (Some(sum), Some(cost)) => sum.checked_add(cost).ok(),
                (sum, cost) => sum.or(cost),
            };
        }
    }
    let mut table = Table::new(vec![
        Column::words("host", words.word("web-host")),
        Column::figures("hours", words.word("review-column-card_hours")),
        Column::figures("idle", words.word("web-idle-hours")),
        Column::figures("cost", words.word("web-idle-cost")),
    ]);
    for (host, (seen, idle, cost)) in hosts {
        let unknown = || Cell::unknown(words.word("report-unknown")).toned(Tone::Faint);
        let cost = match cost {
            Some(cost) => Cell::new(cost.rounded().to_string()).toned(Tone::Warn),
            None if idle <= 0.0 => Cell::new("0"),
            None => unknown(),
        };
        table.push(vec![
            Cell::new(host),
            Cell::new(format!("{:.1}", seen / 3600.0)),
            Cell::new(format!("{:.1}", idle / 3600.0)),
            cost,
        ]);
    }
    let title = words.word("web-idle-by-host");
    format!("<h3>{}</h3>{}", escape(&title), html::table(&table, &title))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasuan_model::{CardId, Currency};
    use kasuan_report::Language;

    fn hour(at: &str, busy: f64) -> UsageHour {
        UsageHour {
            hour: at.parse().unwrap(),
            host: "box".into(),
            device: "GPU-a".into(),
            seen: 3600.0,
            busy_known: 3600.0,
            busy: busy * 3600.0,
            ..UsageHour::default()
        }
    }

    #[test]
    fn an_hour_stands_under_its_weekday_in_the_readers_zone() {
        // 2026-11-29 was a Sunday; 17:00 UTC is Monday 01:00 eight hours further east.
        let words = Words::new(Language::English);
        let drawn = map(&[hour("2026-11-29T17:00:00Z", 0.5)], Offset::constant(8), &words);
        let monday = drawn.split("<tr>").find(|row| row.contains("Monday")).unwrap();
        assert!(monday.contains("class=\"figure h5\""), "{monday}");
        assert_eq!(drawn.matches("class=\"figure h5\"").count(), 1);
    }

    #[test]
    fn only_hours_without_work_cost_idle_money_and_what_has_no_price_is_unknown() {
        let words = Words::new(Language::English);
        let hours = [hour("2026-11-29T17:00:00Z", 0.0), hour("2026-11-29T18:00:00Z", 0.9)];
        let rental = Rental {
            host: "box".into(),
            card: CardId::new("a100-sxm4-80"),
            cards: 1,
            from: "2026-11-29T17:20:00Z".parse().unwrap(),
            to: "2026-11-29T19:00:00Z".parse().unwrap(),
            card_hour: Money::new(Decimal::from(6), Currency::CNY),
            prepaid: false,
            origin: "agent".to_owned(),
        };
        assert!(idle(&hours, &[rental], &words).contains("¥6.00"));
        assert!(idle(&hours, &[], &words).contains("unknown"));
    }
}
