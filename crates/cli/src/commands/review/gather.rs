//! From the ledger to what a review is made from.

use crate::{
    budgets,
    context::Context,
    error::CommandError,
    month::{Month, Zone},
    store,
};
use jiff::Timestamp;
use kasuan_ledger::{BudgetScope, Ledger};
use kasuan_market::Catalogue;
use kasuan_model::{
    BillingMode, CardId, Charge, ChargeCategory, Currency, Money, MoneyError, Phrase,
    PricingCategory, Rates,
};
use kasuan_review::{
    Input, Planned, Rented, Review, Scope, StoredItem, Thresholds, card_hours, without_overlap,
};
use rust_decimal::Decimal;
use std::{collections::BTreeMap, path::Path};

/// What was asked for.
pub(crate) struct Asked<'a> {
    pub(crate) month: Month,
    pub(crate) zone: Zone,
    pub(crate) currency: Option<Currency>,
    pub(crate) rates: &'a Rates,
    pub(crate) budget: Option<&'a Path>,
    pub(crate) gb_month: Option<Decimal>,
}

/// A month's facts, and what was assumed to gather them.
pub(crate) struct Gathered {
    pub(crate) input: Input,
    pub(crate) notes: Vec<Phrase>,
}

impl Gathered {
    /// Says whether the month cost more than was planned for it in all.
    pub(crate) fn over_budget(&self, review: &Review) -> bool {
        let total = review.budget.get(&Scope::Total).into_iter().flatten().next();
        total
            .and_then(|line| line.planned.zip(line.actual))
            .is_some_and(|(planned, actual)| actual.amount() > planned.amount())
    }
}

const fn scope(scope: BudgetScope) -> Scope {
    match scope {
        BudgetScope::Total => Scope::Total,
        BudgetScope::Line => Scope::Line,
        BudgetScope::Job => Scope::Job,
        BudgetScope::Person => Scope::Person,
        BudgetScope::Card => Scope::Card,
        BudgetScope::Provider => Scope::Provider,
    }
}

/// Reads everything that concerns the month.
pub(crate) fn gather(
    ledger: &mut Ledger,
    asked: &Asked<'_>,
    context: &Context,
) -> Result<Gathered, CommandError> {
    let failed = |error| store::failed(&error);
    let (from, to) = asked
        .month
        .span(asked.zone)
        .ok_or_else(|| CommandError::user(Phrase::new("review-error-empty-span")))?;
    let mut charges = ledger.bill_charges(from, to).map_err(failed)?;
    let mut notes = Vec::new();
    let currency = asked
        .currency
        .or_else(|| charges.first().map(|charge| charge.billed.currency()))
        .unwrap_or(Currency::CNY);
    for charge in &mut charges {
        convert(charge, currency, asked.rates)?;
    }
    let planned = planned(ledger, asked, currency, context)?;
    let catalogue = Catalogue::shipped()?;
    let (rented, card_hour) =
        rented(ledger, (from, to), &charges, &catalogue, (currency, asked.rates))?;
    let stored = ledger.storage_items().map_err(failed)?;
    let stored = stored.into_iter().map(|item| StoredItem {
        path: item.id,
        kind: item.kind,
        size: item.bytes,
        last_used: item.last_used,
        needed: item.used_by.is_some(),
        gb_month: asked.gb_month.map(|price| Money::new(price, currency)),
    });
    if charges.is_empty() {
        notes.push(Phrase::new("review-note-no-charges").with("month", asked.month));
    }
    if planned.is_empty() {
        notes.push(Phrase::new("review-note-no-budget"));
    }
    notes.push(Phrase::new("review-note-thresholds"));
    let watts = catalogue
        .cards()
        .iter()
        .filter_map(|card| Some((card.id.clone(), f64::from(card.power_watts?))));
    let input = Input {
        from,
        to,
        currency,
        planned,
        usage: without_overlap(ledger.usage_hours(from, to).map_err(failed)?),
        runs: ledger.runs(from, to).map_err(failed)?,
        rented,
        stored: stored.collect(),
        card_hour,
        card_watts: watts.collect(),
        thresholds: Thresholds::default(),
        charges,
    };
    Ok(Gathered { input, notes })
}

fn convert(charge: &mut Charge, to: Currency, rates: &Rates) -> Result<(), CommandError> {
    if charge.billed.currency() == to {
        return Ok(());
    }
    let refused = |error: MoneyError| CommandError::from(kasuan_review::ReviewError::from(error));
    let mixed =
        |_: MoneyError| refused(MoneyError::Mixed { left: to, right: charge.billed.currency() });
    let factor = rates.factor(charge.billed.currency(), to).map_err(mixed)?;
    let exchange = |money: Money| {
        money.times(factor).map(|money| Money::new(money.amount(), to)).map_err(refused)
    };
    charge.billed = exchange(charge.billed)?;
    charge.effective = exchange(charge.effective)?;
    charge.list = charge.list.map(exchange).transpose()?;
    Ok(())
}

fn planned(
    ledger: &mut Ledger,
    asked: &Asked<'_>,
    currency: Currency,
    context: &Context,
) -> Result<Vec<Planned>, CommandError> {
    let parts: Vec<(BudgetScope, String, Money, Option<f64>)> = match asked.budget {
        Some(path) => budgets::of_file(path, &[], &[], false, context)?
            .into_iter()
            .map(|part| (part.scope, part.name, part.amount, part.quantity))
            .collect(),
        None => ledger
            .budgets(&asked.month.to_string())
            .map_err(|error| store::failed(&error))?
            .into_iter()
            .map(|kept| (kept.scope, kept.name, kept.amount, kept.quantity))
            .collect(),
    };
    let converted = parts.into_iter().map(|(kind, name, amount, quantity)| {
        let amount = asked.rates.convert(amount, currency).map_err(|_| {
            CommandError::from(kasuan_review::ReviewError::from(MoneyError::Mixed {
                left: currency,
                right: amount.currency(),
            }))
        })?;
        Ok(Planned { scope: scope(kind), name, quantity, amount })
    });
    converted.collect()
}

type Prices = BTreeMap<CardId, Money>;

/// Finds what was rented: from agents and runs that were told their price, and from rows of bills
/// that name a machine and its card. On-demand prices of cards come from what was paid, else from
/// the middle of the shipped offers.
fn rented(
    ledger: &mut Ledger,
    (from, to): (Timestamp, Timestamp),
    charges: &[Charge],
    catalogue: &Catalogue,
    (currency, rates): (Currency, &Rates),
) -> Result<(Vec<Rented>, Prices), CommandError> {
    let mut found: Vec<Rented> = Vec::new();
    let mut paid: BTreeMap<CardId, (Decimal, f64)> = BTreeMap::new();
    for charge in charges {
        let (Some(host), Some(card)) = (&charge.resource, &charge.card) else { continue };
        let paid_for = matches!(charge.category, ChargeCategory::Usage | ChargeCategory::Purchase);
        let Some(hours) = card_hours(charge).filter(|hours| paid_for && *hours > 0.0) else {
            continue;
        };
        let Some(card_hour) =
            Decimal::try_from(hours).ok().and_then(|hours| charge.effective.over(hours).ok())
        else {
            continue;
        };
        let prepaid = charge.pricing == PricingCategory::Committed;
        if !prepaid {
            let sum = paid.entry(card.clone()).or_default();
            *sum = (sum.0 + charge.effective.amount(), sum.1 + hours);
        }
        let (start, end) = charge.charge_period;
        let next = Rented {
            host: host.clone(),
            card: card.clone(),
            cards: charge.cards.unwrap_or(1),
            from: start,
            to: end,
            card_hour,
            prepaid,
            card_hours: Some(hours),
            granularity: catalogue
                .terms(&charge.provider, None)
                .metering
                .granularity
                .map(kasuan_model::Seconds::get),
        };
        match found.iter_mut().rev().find(|before| before.host == *host) {
            // Hourly rows of one machine are one rental.
            Some(before)
                if before.to == start && before.card == next.card && before.prepaid == prepaid =>
            {
                before.to = end;
                before.card_hours = before.card_hours.map(|before| before + hours);
            }
            _ => found.push(next),
        }
    }
    let billed: Vec<String> = found.iter().map(|rented| rented.host.clone()).collect();
    let rentals = ledger.rentals(from, to).map_err(|error| store::failed(&error))?;
    let watched: Vec<String> = rentals
        .iter()
        .filter(|rental| rental.origin == "agent")
        .map(|rental| rental.host.clone())
        .collect();
    for rental in rentals {
        // An agent sees a machine for longer than the jobs on it.
        if rental.origin == "run" && watched.contains(&rental.host) {
            continue;
        }
        let Ok(card_hour) = rates.convert(rental.card_hour, currency) else { continue };
        // What the bill says of a machine goes before what an agent was told.
        if billed.contains(&rental.host) {
            continue;
        }
        found.push(Rented {
            host: rental.host,
            card: rental.card,
            cards: rental.cards,
            from: rental.from,
            to: rental.to,
            card_hour,
            prepaid: rental.prepaid,
            card_hours: None,
            granularity: None,
        });
    }
    let mut prices = market(catalogue, currency);
    for (card, (money, hours)) in paid {
        let hours = Decimal::try_from(hours).ok().filter(|hours| !hours.is_zero());
        if let Some(price) = hours.and_then(|hours| Money::new(money, currency).over(hours).ok()) {
            prices.insert(card, price);
        }
    }
    Ok((found, prices))
}

/// Returns the middle on-demand price of each card among the shipped offers in a currency.
fn market(catalogue: &Catalogue, currency: Currency) -> Prices {
    let mut offers: BTreeMap<CardId, Vec<Decimal>> = BTreeMap::new();
    for offer in catalogue.offers() {
        if offer.mode == BillingMode::OnDemand && offer.price.currency() == currency {
            let hourly = offer.hourly_per_card().amount();
            offers.entry(offer.card.clone()).or_default().push(hourly);
        }
    }
    let middle = offers.into_iter().filter_map(|(card, mut prices)| {
        prices.sort();
        Some((card, Money::new(*prices.get(prices.len() / 2)?, currency)))
    });
    middle.collect()
}
