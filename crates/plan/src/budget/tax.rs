//! The tax on what providers bill: on top where prices are without it, and what the buyer may
//! deduct of it.

use super::lines::{Paid, line};
use crate::{
    PlanError,
    outcome::{BudgetLine, CostKind},
    workload::{Tax, Workload},
};
use kasuan_market::{Buyer, taxed};
use kasuan_model::{Estimate, Money, Phrase};
use rust_decimal::Decimal;

/// What the tax adds to the price of a provider, and how it came about; `None` is unknown.
struct Added {
    amount: Option<Estimate<Money>>,
    detail: Option<Phrase>,
}

/// Returns the line for what is paid to each provider, storage and traffic included.
pub(super) fn tax(workload: &Workload, paid: &[Paid<'_>]) -> Result<BudgetLine, PlanError> {
    let mut sum = Estimate::exact(Money::zero(workload.currency));
    let mut detail = Vec::new();
    let mut unknown = 0;
    for one in paid {
        let added = added(workload, one)?;
        detail.extend(added.detail);
        match added.amount {
            Some(amount) => {
                sum = Estimate::new(
                    sum.low.checked_add(amount.low)?,
                    sum.likely.checked_add(amount.likely)?,
                    sum.high.checked_add(amount.high)?,
                );
            }
            None => unknown += 1,
        }
    }
    let known = (unknown == 0 || !sum.likely.is_zero()).then_some(sum);
    Ok(BudgetLine { unknown: known.is_some() && unknown > 0, ..line(CostKind::Tax, known, detail) })
}

/// Returns what the tax adds to what a provider bills, as a share of it; `None` where it is unknown
/// or nothing is billed.
pub(super) fn share(workload: &Workload, paid: &Paid<'_>) -> Result<Option<Decimal>, PlanError> {
    let added = added(workload, paid)?.amount;
    Ok(added.and_then(|added| added.likely.amount().checked_div(paid.amount.amount())))
}

fn added(workload: &Workload, paid: &Paid<'_>) -> Result<Added, PlanError> {
    let nothing = Estimate::exact(Money::zero(workload.currency));
    let provider = paid.provider.as_str();
    let on_top = |rate: Decimal| -> Result<Added, PlanError> {
        let amount = paid.amount.times(rate)?;
        let phrase = Phrase::new("plan-line-tax")
            .with("provider", provider)
            .with("rate", per_cent(rate))
            .with("amount", amount);
        let detail = (!rate.is_zero()).then_some(phrase);
        Ok(Added { amount: Some(Estimate::exact(amount)), detail })
    };
    let tax = &paid.terms.tax;
    match (workload.policy.tax, tax.included, tax.rate) {
        (Tax::Buyer(buyer), _, _) => {
            let Some(seen) = taxed(Estimate::exact(paid.amount), paid.terms, buyer)? else {
                let detail = Phrase::new("plan-line-tax-abroad").with("provider", provider);
                return Ok(Added { amount: Some(nothing), detail: Some(detail) });
            };
            let over = |cost: Money| cost.checked_sub(paid.amount);
            let amount =
                Estimate::new(over(seen.cost.low)?, over(seen.cost.likely)?, over(seen.cost.high)?);
            let detail = buyer_words(paid, seen.rate, buyer, amount);
            Ok(Added { amount: Some(amount), detail: Some(detail) })
        }
        (Tax::Included, _, _) | (_, Some(true), _) => {
            Ok(Added { amount: Some(nothing), detail: None })
        }
        (Tax::Rate(rate), _, _) | (Tax::Unsaid, Some(false), Some(rate)) => on_top(rate),
        (Tax::Unsaid, _, _) => {
            let detail = Phrase::new("plan-line-tax-unknown").with("provider", provider);
            Ok(Added { amount: None, detail: Some(detail) })
        }
    }
}

fn buyer_words(paid: &Paid<'_>, rate: Decimal, buyer: Buyer, amount: Estimate<Money>) -> Phrase {
    match (buyer, paid.terms.tax.included) {
        (Buyer::General, _) => Phrase::new("plan-line-tax-deducted")
            .with("provider", &paid.provider)
            .with("rate", per_cent(rate))
            .with("amount", amount.likely)
            .with("high", amount.high),
        (Buyer::Small, Some(_)) => Phrase::new("plan-line-tax-borne")
            .with("provider", &paid.provider)
            .with("rate", per_cent(rate))
            .with("amount", amount.likely),
        (Buyer::Small, None) => Phrase::new("plan-line-tax-borne-open")
            .with("provider", &paid.provider)
            .with("rate", per_cent(rate))
            .with("amount", amount.likely)
            .with("high", amount.high),
    }
}

fn per_cent(rate: Decimal) -> String {
    format!("{}%", (rate * Decimal::ONE_HUNDRED).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kasuan_market::Terms;
    use kasuan_model::Currency;

    fn line_of(tax_rule: Tax, included: Option<bool>) -> BudgetLine {
        let mut terms = Terms::unstated("home", Currency::CNY);
        terms.country = "CN".to_owned();
        terms.tax.included = included;
        terms.tax.vat_invoice = Some(true);
        let workload = Workload {
            currency: Currency::CNY,
            month: jiff::civil::date(2026, 12, 1),
            days: None,
            jobs: Vec::new(),
            storage: Vec::new(),
            transfer: crate::workload::Transfer::default(),
            team: crate::workload::Team::default(),
            policy: crate::workload::Policy { tax: tax_rule, ..Default::default() },
            rates: kasuan_model::Rates::default(),
            held: Vec::new(),
        };
        let amount = Money::new(Decimal::from(106), Currency::CNY);
        let paid = [Paid { provider: "home".to_owned(), amount, terms: &terms }];
        tax(&workload, &paid).unwrap()
    }

    fn text(line: &BudgetLine) -> String {
        match line.range {
            Some(range) => {
                format!("{} {}", range.likely.amount().normalize(), range.high.amount().normalize())
            }
            None => "unknown".to_owned(),
        }
    }

    #[test]
    fn a_small_taxpayer_bears_the_tax_that_prices_leave_out_and_is_not_the_same_as_included() {
        assert_eq!(text(&line_of(Tax::Buyer(Buyer::Small), Some(false))), "6.36 6.36");
        assert_eq!(text(&line_of(Tax::Buyer(Buyer::Small), Some(true))), "0 0");
        // Nobody says whether the price is with tax: nothing at best, 6 % at worst.
        assert_eq!(text(&line_of(Tax::Buyer(Buyer::Small), None)), "0 6.36");
        assert_eq!(text(&line_of(Tax::Included, None)), "0 0");
    }

    #[test]
    fn a_general_taxpayer_deducts_what_the_price_holds() {
        assert_eq!(text(&line_of(Tax::Buyer(Buyer::General), Some(true))), "-6 -6");
    }

    #[test]
    fn a_stated_rate_is_put_on_top_and_an_unsaid_one_is_unknown() {
        let rate = Tax::Rate(Decimal::new(13, 2));
        assert_eq!(text(&line_of(rate, None)), "13.78 13.78");
        assert_eq!(text(&line_of(rate, Some(true))), "0 0");
        assert_eq!(text(&line_of(Tax::Unsaid, None)), "unknown");
    }
}
