//! Calendars are read back by readers of their own rules.

use super::*;
use kasuan_model::{BillingMode, CardId, Currency, Money, Share};
use kasuan_plan::{
    outcome::{Budget, Mix},
    workload::{Job, Policy, Task, Team, Transfer},
};
use proptest::prelude::*;

const MONTH: Date = jiff::civil::date(2026, 12, 1);

fn entry(job: &str, run: u32, start: DateTime, hours: i64) -> CalendarEntry {
    CalendarEntry {
        job: job.to_owned(),
        run,
        start,
        end: start.checked_add(jiff::ToSpan::hours(hours)).unwrap(),
        card: CardId::new("rtx-4090"),
        cards: 2,
        mode: BillingMode::OnDemand,
    }
}

fn plan(calendar: Vec<CalendarEntry>) -> Plan {
    let nothing = Money::zero(Currency::CNY);
    Plan {
        calendar,
        ..Plan::empty(nothing)
    }
}
