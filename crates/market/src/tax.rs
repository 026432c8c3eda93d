//! What tax does to a price for a Chinese buyer: a general taxpayer deducts it, a small one pays it.
//!
//! No tax advice: rates are shown with their source, and the user confirms them.

use crate::terms::Terms;
use kasuan_model::{Estimate, Money, MoneyError};
use rust_decimal::Decimal;

/// Who buys, for Chinese VAT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buyer {
    /// 一般纳税人: deducts input VAT against a special invoice.
    General,
    /// 小规模纳税人: pays the price with tax and deducts nothing.
    Small,
}

/// The VAT rate of information technology services (信息技术服务 6 %), where the provider states
/// none; source: the merchant table of Huawei Cloud's marketplace, user to confirm.
pub const USUAL_RATE: Decimal = Decimal::from_parts(6, 0, 0, false, 2);

/// A price seen with its tax.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taxed {
    /// What is paid to the provider, tax included.
    pub paid: Estimate<Money>,
    /// The tax in it.
    pub tax: Estimate<Money>,
    /// What it costs the buyer in the end.
    pub cost: Estimate<Money>,
    /// The rate that was used, 0 to 1.
    pub rate: Decimal,
    /// Whether the rate is the provider's own or [`USUAL_RATE`].
    pub rate_stated: bool,
    /// Whether the provider says that its prices include tax; `None` leads to bounds.
    pub included: Option<bool>,
}

impl Taxed {
    /// Returns the amounts as an invoice has them: what is paid and the tax in it to the coin, so
    /// that cost and deducted tax add up to what is paid.
    pub fn rounded(self) -> Result<Self, MoneyError> {
        let part = |paid: Money, tax: Money, cost: Money| -> Result<[Money; 3], MoneyError> {
            let (whole, tax) = (paid.rounded(), tax.rounded());
            let bears_tax = cost == paid;
            Ok([whole, tax, if bears_tax { whole } else { whole.checked_sub(tax)? }])
        };
        let low = part(self.paid.low, self.tax.low, self.cost.low)?;
        let likely = part(self.paid.likely, self.tax.likely, self.cost.likely)?;
        let high = part(self.paid.high, self.tax.high, self.cost.high)?;
        let [paid, tax, cost] = [0, 1, 2].map(|at| Estimate::new(low[at], likely[at], high[at]));
        Ok(Self { paid, tax, cost, ..self })
    }
}

/// Returns a price with its tax for a buyer; `None` for providers outside China, who give no VAT
/// invoice: their price is the full cost.
pub fn taxed(
    price: Estimate<Money>,
    terms: &Terms,
    buyer: Buyer,
) -> Result<Option<Taxed>, MoneyError> {
    if terms.country != "CN" {
        return Ok(None);
    }
    let rate = terms.tax.rate.unwrap_or(USUAL_RATE);
    let with_tax = Decimal::ONE.checked_add(rate).ok_or(MoneyError::Overflow)?;
    // Without a statement, the price is the one with tax at best and the one without at worst;
    // Chinese price pages for end users usually include it, which is the likely reading.
    let gross = match terms.tax.included {
        Some(true) => price,
        Some(false) => Estimate::new(
            price.low.times(with_tax)?,
            price.likely.times(with_tax)?,
            price.high.times(with_tax)?,
        ),
        None => Estimate::new(price.low, price.likely, price.high.times(with_tax)?),
    };
    let net = Estimate::new(
        gross.low.over(with_tax)?,
        gross.likely.over(with_tax)?,
        gross.high.over(with_tax)?,
    );
    let tax = Estimate::new(
        gross.low.checked_sub(net.low)?,
        gross.likely.checked_sub(net.likely)?,
        gross.high.checked_sub(net.high)?,
    );
    let deducts = buyer == Buyer::General && terms.tax.vat_invoice != Some(false);
    // A general taxpayer of a provider that does not say whether it gives special invoices may
    // have to bear the tax after all.
    let cost = match (deducts, terms.tax.vat_invoice) {
        (false, _) => gross,
        (true, Some(_)) => net,
        (true, None) => Estimate::new(net.low, net.likely, gross.high),
    };
    Ok(Some(Taxed {
        paid: gross,
        tax,
        cost,
        rate,
        rate_stated: terms.tax.rate.is_some(),
        included: terms.tax.included,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;
    use kasuan_model::Currency;
    use proptest::prelude::*;

    fn hundred_and_six() -> Estimate<Money> {
        Estimate::exact(Money::new(Decimal::from(106), Currency::CNY))
    }

    fn text(money: Money) -> String {
        money.rounded().amount().normalize().to_string()
    }

    #[test]
    fn a_general_taxpayer_deducts_six_per_cent_and_a_small_one_nothing() {
        let catalogue = Catalogue::shipped().unwrap();
        let mut terms = catalogue.terms("compshare", None).clone();
        terms.tax.included = Some(true);
        let general = taxed(hundred_and_six(), &terms, Buyer::General).unwrap().unwrap();
        assert_eq!(
            (text(general.cost.likely), text(general.tax.likely)),
            ("100".into(), "6".into())
        );
        let small = taxed(hundred_and_six(), &terms, Buyer::Small).unwrap().unwrap();
        assert_eq!(text(small.cost.likely), "106");
        terms.tax.included = Some(false);
        let on_top = taxed(hundred_and_six(), &terms, Buyer::Small).unwrap().unwrap();
        assert_eq!(text(on_top.cost.likely), "112.36");
    }

    proptest! {
        /// Shown to the coin, the parts are those of the total that is shown.
        #[test]
        fn tax_and_cost_add_up_to_what_is_paid(
            thousandths in 1_i64..100_000_000, general in any::<bool>(),
            included in prop::option::of(any::<bool>()), invoice in prop::option::of(any::<bool>()),
            percent in 1_i64..20,
        ) {
            let mut terms = Catalogue::shipped().unwrap().terms("compshare", None).clone();
            terms.tax.included = included;
            terms.tax.vat_invoice = invoice;
            terms.tax.rate = Some(Decimal::new(percent, 2));
            let total = Estimate::exact(Money::new(Decimal::new(thousandths, 3), Currency::CNY));
            let buyer = if general { Buyer::General } else { Buyer::Small };
            let exact = taxed(total, &terms, buyer).unwrap().unwrap();
            let seen = exact.rounded().unwrap();
            let deducted = general && invoice == Some(true);
            for (paid, tax, cost) in [
                (seen.paid.low, seen.tax.low, seen.cost.low),
                (seen.paid.likely, seen.tax.likely, seen.cost.likely),
            ] {
                prop_assert_eq!(paid, paid.rounded());
                let sum = if deducted { cost.checked_add(tax).unwrap() } else { paid };
                prop_assert_eq!(sum, paid);
            }
            prop_assert!(deducted || invoice.is_none() || seen.cost == seen.paid);
            if included == Some(true) {
                prop_assert_eq!(seen.paid.likely, total.likely.rounded());
            }
        }
    }

    #[test]
    fn whether_prices_include_tax_is_a_range_until_someone_says() {
        let catalogue = Catalogue::shipped().unwrap();
        let terms = catalogue.terms("compshare", None);
        let seen = taxed(hundred_and_six(), terms, Buyer::Small).unwrap().unwrap();
        assert_eq!(seen.included, None);
        assert_eq!((text(seen.cost.low), text(seen.cost.high)), ("106".into(), "112.36".into()));
        assert_eq!(seen.rate, USUAL_RATE);
        assert!(!seen.rate_stated);
    }

    #[test]
    fn a_provider_abroad_gives_no_vat_invoice() {
        let catalogue = Catalogue::shipped().unwrap();
        let dollars = Estimate::exact(Money::new(Decimal::ONE, Currency::USD));
        let seen = taxed(dollars, catalogue.terms("aws", None), Buyer::General).unwrap();
        assert_eq!(seen, None);
    }
}
