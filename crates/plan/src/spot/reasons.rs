//! Why the spot adviser says what it says, as phrases.

use super::deadline::{Action, SpotAdvice};
use kasuan_model::{Phrase, Share};

impl SpotAdvice {
    /// Returns the reasons, most important first.
    pub fn reasons(&self) -> Vec<Phrase> {
        let mut reasons = Vec::new();
        let slack = format!("{:.1}", self.slack.hours());
        let saving = Share::of(self.on_demand_cost - self.expected_cost, self.on_demand_cost);
        let done = self.on_demand_cost <= 0.0;
        reasons.push(match self.action {
            _ if self.expected_cost <= 0.0 && self.action == Action::Wait && !done => {
                Phrase::new("advise-spot-done")
            }
            _ if self.deadline_chance.get() < 1.0 => Phrase::new("advise-spot-impossible"),
            Action::OnDemand if self.spot_not_cheaper => Phrase::new("advise-spot-not-cheaper"),
            Action::OnDemand if self.forced => {
                Phrase::new("advise-spot-forced").with("slack", slack)
            }
            Action::OnDemand => Phrase::new("advise-spot-on-demand").with("slack", slack),
            Action::Spot => Phrase::new("advise-spot-take").with("slack", slack),
            Action::Wait => Phrase::new("advise-spot-wait").with("slack", slack),
        });
        reasons.push(
            Phrase::new("advise-spot-cost")
                .with("expected", format!("{:.2}", self.expected_cost))
                .with("on_demand", format!("{:.2}", self.on_demand_cost))
                .with("saving", saving),
        );
        reasons.push(match self.market.share {
            None => Phrase::new("advise-spot-no-history"),
            Some(share) => {
                let share = Share::of(share, 1.0);
                let spell = format!("{:.1}", self.market.spell_hours);
                let rest = format!("{:.1}", self.market.rest_hours);
                if self.market.is_up {
                    Phrase::new("advise-spot-market-up")
                        .with("share", share)
                        .with("spell", spell)
                        .with("rest", rest)
                } else {
                    Phrase::new("advise-spot-market-down")
                        .with("share", share)
                        .with("spell", spell)
                        .with("rest", rest)
                }
            }
        });
        reasons
    }
}
