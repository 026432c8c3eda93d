//! What traffic costs: tiers are marginal, each byte at the price of its own tier.

use crate::terms::Traffic;
use kasuan_model::{Bytes, Money, MoneyError};
use rust_decimal::{Decimal, prelude::ToPrimitive as _};

/// One tier's part of a bill.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TierPart {
    /// Bytes within the tier.
    pub size: Bytes,
    /// Price of a GB within the tier.
    pub price: Money,
    /// Their product.
    pub cost: Money,
}

impl Traffic {
    /// Returns what a month's egress costs in all; `None` when the provider states no price.
    pub fn egress_cost(&self, size: Bytes, stored: Bytes) -> Result<Option<Money>, MoneyError> {
        let Some(first) = self.egress.first() else { return Ok(None) };
        let mut total = Money::zero(first.price.currency());
        for part in self.egress_parts(size, stored)? {
            total = total.checked_add(part.cost)?;
        }
        Ok(Some(total))
    }

    /// Returns how much leaves for free in a month before the tiers begin.
    pub fn free(&self, stored: Bytes) -> Bytes {
        let free = self
            .free_times_stored
            .and_then(|times| times.checked_mul(Decimal::from(stored.get()))?.floor().to_u64());
        Bytes::new(free.unwrap_or(0))
    }

    /// Returns what a month's egress costs, tier by tier. `stored` counts where a provider lets a
    /// multiple of the stored amount leave for free.
    pub fn egress_parts(&self, size: Bytes, stored: Bytes) -> Result<Vec<TierPart>, MoneyError> {
        let size = size.saturating_sub(self.free(stored));
        let mut parts = Vec::new();
        let mut below = Bytes::ZERO;
        for tier in &self.egress {
            let reach = tier.up_to.map_or(size, |up_to| up_to.min(size));
            let within = reach.saturating_sub(below);
            if within > Bytes::ZERO {
                let cost = tier.price.times(within.gb())?;
                parts.push(TierPart { size: within, price: tier.price, cost });
            }
            below = reach;
        }
        Ok(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;

    fn aws(gb: u32) -> String {
        let catalogue = Catalogue::shipped().unwrap();
        let traffic = &catalogue.terms("aws", None).traffic;
        let cost = traffic.egress_cost(Bytes::from_gb(gb), Bytes::ZERO).unwrap().unwrap();
        cost.amount().normalize().to_string()
    }

    /// The tiers by hand: 100 GB free, 10,140 GB at 0.09, 40,960 at 0.085, 102,400 at 0.07, rest
    /// 0.05. SkyPilot 0.14.1 gives $0.00 for 10,240 and for 51,200 GB.
    #[test]
    fn ten_terabytes_out_of_aws_are_not_free() {
        assert_eq!(aws(100), "0");
        assert_eq!(aws(10_240), "912.6");
        assert_eq!(aws(20_480), "1783");
        assert_eq!(aws(30_720), "2653.4");
        assert_eq!(aws(51_200), "4394.2");
        assert_eq!(aws(200_000), "13882.2");
    }

    /// SkyPilot 0.14.1 gives $122.88 for 1,024 GB and $112.75 for 1,025 GB: more traffic, less money.
    #[test]
    fn one_more_gigabyte_never_costs_less() {
        let catalogue = Catalogue::shipped().unwrap();
        let traffic = &catalogue.terms("gcp", None).traffic;
        let cost = |gb| traffic.egress_cost(Bytes::from_gb(gb), Bytes::ZERO).unwrap().unwrap();
        assert_eq!(cost(1024).amount().normalize().to_string(), "122.88");
        assert_eq!(cost(1025).amount().normalize().to_string(), "122.99");
    }

    #[test]
    fn fx_079_egress_of_once_the_stored_amount_is_free_and_beyond_three_times_a_cent_a_gb() {
        let catalogue = Catalogue::shipped().unwrap();
        let traffic = &catalogue.terms("backblaze-b2", None).traffic;
        let cost = |out| {
            let stored = Bytes::from_gb(1000);
            traffic.egress_cost(Bytes::from_gb(out), stored).unwrap().unwrap()
        };
        assert!(cost(1000).is_zero());
        assert!(cost(3000).is_zero());
        assert_eq!(cost(3100).amount().normalize().to_string(), "1");
    }

    #[test]
    fn a_provider_that_states_no_egress_price_has_none() {
        let catalogue = Catalogue::shipped().unwrap();
        let traffic = &catalogue.terms("compshare", None).traffic;
        assert_eq!(traffic.egress_cost(Bytes::from_gb(1), Bytes::ZERO).unwrap(), None);
    }
}
