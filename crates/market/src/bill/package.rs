//! Packages paid ahead: how many are bought, and what comes back when one is given back early.

use super::{BillError, BillLine, Billing, LineKind, Unit, Usage, seconds_between};
use kasuan_model::{Estimate, Money, Phrase, Seconds};
use rust_decimal::Decimal;

impl Billing<'_> {
    /// Adds the lines of a package: whole terms from the first start to the last stop, and the
    /// refund when it is given back early.
    pub(super) fn package(&mut self, usage: &Usage) -> Result<(), BillError> {
        let (Some(first), Some(last)) = (usage.runs.first(), usage.runs.last()) else {
            return Ok(());
        };
        let term = self.tariff.term.unwrap_or(Seconds::from_hours(720));
        let needed = seconds_between(first.from, last.to).max(Seconds::new(1));
        let bought = needed.get().div_ceil(term.get().max(1));
        let count = Decimal::from(bought);
        let paid = self.tariff.price.times(count)?;
        self.lines.push(BillLine {
            kind: LineKind::Package,
            from: Some(first.from),
            to: Some(last.to),
            quantity: Estimate::exact(count),
            unit: Unit::Package,
            unit_price: self.tariff.price,
            amount: Estimate::exact(paid),
            how: vec![
                Phrase::new("market-bill-packages")
                    .with("count", bought)
                    .with("hours", term.decimal_hours().normalize()),
            ],
        });
        if let Some(given_back) = usage.given_back {
            let total = term.saturating_mul(bought);
            self.refund(paid, seconds_between(first.from, given_back), total, usage)?;
        }
        if self.terms.packages.early_exit == Some(false) {
            self.warnings.push(Phrase::new("market-warn-no-early-exit"));
        }
        if let Some(kept) = self.terms.packages.recycle_after_expiry {
            let days = kept.get() / 86_400;
            self.warnings.push(Phrase::new("market-warn-recycled").with("days", days));
        }
        Ok(())
    }

    /// Adds the refund of `paid` after `used` of `total`.
    fn refund(
        &mut self,
        paid: Money,
        used: Seconds,
        total: Seconds,
        usage: &Usage,
    ) -> Result<(), BillError> {
        let packages = &self.terms.packages;
        if packages.early_exit == Some(false) || used >= total {
            return Ok(());
        }
        let share = Decimal::from(used.get()) / Decimal::from(total.get().max(1));
        let zero = Money::zero(paid.currency());
        let back = |factor: Decimal| -> Result<Money, BillError> {
            // Multiplied before it is divided, so that round shares stay exact.
            let kept = paid.times(Decimal::from(used.get()))?.times(factor)?;
            let kept = kept.over(Decimal::from(total.get().max(1)))?;
            let back = paid.checked_sub(kept)?;
            let back = if back.amount().is_sign_negative() { zero } else { back };
            Ok(zero.checked_sub(back)?)
        };
        let (amount, how) = match self.terms.refund_factor(self.offer.mode) {
            Some(factor) => {
                let how = Phrase::new("market-bill-refund")
                    .with("paid", paid)
                    .with("share", (share * Decimal::ONE_HUNDRED).round_dp(1))
                    .with("factor", factor);
                (Estimate::exact(back(factor)?), how)
            }
            None => {
                // Nothing stated: at best the unused share comes back, at worst nothing.
                self.say_unknown(Phrase::new("market-unknown-refund"));
                let best = back(Decimal::ONE)?;
                (Estimate::new(best, zero, zero), Phrase::new("market-bill-refund-unknown"))
            }
        };
        self.lines.push(BillLine {
            kind: LineKind::Refund,
            from: usage.given_back,
            to: None,
            quantity: Estimate::exact(Decimal::ONE),
            unit: Unit::Package,
            unit_price: amount.likely,
            amount,
            how: vec![how],
        });
        Ok(())
    }
}
