//! Why the spot adviser says what it says, as phrases.

use super::deadline::{Action, SpotAdvice};
use kasuan_model::{Currency, Money, Phrase, Share};
use rust_decimal::{Decimal, prelude::FromPrimitive as _};

impl SpotAdvice {
    /// Returns the reasons, most important first; prices were in this currency.
    pub fn reasons(&self, currency: Currency) -> Vec<Phrase> {
        if self.done {
            return vec![Phrase::new("advise-spot-done")];
        }
        vec![self.decision(), self.money(currency), self.past()]
    }

    fn decision(&self) -> Phrase {
        let slack = format!("{:.1}", self.slack.hours());
        let with_slack = |key| Phrase::new(key).with("slack", &slack);
        match self.action {
            _ if self.deadline_chance.get() < 1.0 => Phrase::new("advise-spot-impossible"),
            Action::OnDemand if self.spot_not_cheaper => Phrase::new("advise-spot-not-cheaper"),
            Action::OnDemand if self.forced => with_slack("advise-spot-forced"),
            Action::OnDemand if self.market.is_up => with_slack("advise-spot-not-worth"),
            Action::OnDemand => with_slack("advise-spot-on-demand"),
            Action::Spot => with_slack("advise-spot-take"),
            Action::Wait => with_slack("advise-spot-wait"),
        }
    }

    fn money(&self, currency: Currency) -> Phrase {
        let money = |amount: f64| {
            Money::new(Decimal::from_f64(amount).unwrap_or_default(), currency).rounded()
        };
        let (expected, on_demand) = (money(self.expected_cost), money(self.on_demand_cost));
        if expected.amount() >= on_demand.amount() {
            return Phrase::new("advise-spot-cost-same").with("on_demand", on_demand);
        }
        let saving = Share::of(self.on_demand_cost - self.expected_cost, self.on_demand_cost);
        Phrase::new("advise-spot-cost")
            .with("expected", expected)
            .with("on_demand", on_demand)
            .with("saving", saving)
    }

    fn past(&self) -> Phrase {
        let Some(share) = self.market.share else { return Phrase::new("advise-spot-no-history") };
        let key =
            if self.market.is_up { "advise-spot-market-up" } else { "advise-spot-market-down" };
        Phrase::new(key)
            .with("seen", format!("{:.0}", self.market.seen_hours))
            .with("share", Share::of(share, 1.0))
            .with("spell", format!("{:.1}", self.market.spell_hours))
            .with("rest", format!("{:.1}", self.market.rest_hours))
    }
}
