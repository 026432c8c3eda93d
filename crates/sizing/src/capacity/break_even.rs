//! When rented cards are cheaper than an interface that is paid by the token.

use kasuan_model::{Money, MoneyError, Share};
use rust_decimal::{Decimal, prelude::ToPrimitive as _};

/// What a paid interface charges, as the user states it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaidInterface {
    /// For a million tokens read.
    pub input: Money,
    /// For a million tokens written.
    pub output: Money,
}

/// Where rented cards and a paid interface cost the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BreakEven {
    /// What a thousand requests cost at the interface.
    pub interface_per_thousand: Money,
    /// Requests in a month from which renting is cheaper.
    pub requests: f64,
    /// Share of the rented capacity that those requests need; `None` when even full cards cost
    /// more than the interface.
    pub utilisation: Option<Share>,
}

/// Compares a month's rent, every paid hour of it, idle ones included, with an interface.
///
/// `capacity` is how many requests the rented cards can do in the month. `None` when the interface
/// is free, so that renting never pays.
pub fn break_even(
    month_rent: Money,
    interface: PaidInterface,
    prompt: Decimal,
    generated: Decimal,
    capacity: f64,
) -> Result<Option<BreakEven>, MoneyError> {
    let million = Decimal::from(1_000_000);
    let a_request = interface
        .input
        .times(prompt)?
        .checked_add(interface.output.times(generated)?)?
        .over(million)?;
    month_rent.compare(a_request)?;
    if a_request.amount() <= Decimal::ZERO {
        return Ok(None);
    }
    let requests = month_rent.over(a_request.amount())?.amount().to_f64().unwrap_or(f64::INFINITY);
    let utilisation =
        (capacity > 0.0 && requests <= capacity).then(|| Share::of(requests, capacity));
    Ok(Some(BreakEven {
        interface_per_thousand: a_request.times(Decimal::from(1000))?,
        requests,
        utilisation,
    }))
}
