//! Which price and which line of cost stands in which row, before any sheet is written.

use crate::{PlanReport, Words};
use jiff::civil::Date;
use kasuan_model::{Bytes, Money, Phrase};
use kasuan_plan::{
    outcome::{BudgetLine, CostKind},
    workload::{Margin, Trial},
};
use rust_decimal::{Decimal, prelude::FromPrimitive as _};

/// The names of the sheets in the reader's language.
#[derive(Clone, Debug)]
pub(super) struct SheetNames {
    pub(super) summary: String,
    pub(super) jobs: String,
    pub(super) resources: String,
    pub(super) prices: String,
    pub(super) cost: String,
    pub(super) billing: String,
    pub(super) margin: String,
    pub(super) sources: String,
}

impl SheetNames {
    pub(super) fn new(words: &Words) -> Self {
        Self {
            summary: words.word("sheet-summary"),
            jobs: words.word("sheet-jobs"),
            resources: words.word("sheet-resources"),
            prices: words.word("sheet-prices"),
            cost: words.word("sheet-cost"),
            billing: words.word("sheet-billing"),
            margin: words.word("sheet-margin"),
            sources: words.word("sheet-sources"),
        }
    }
}

/// A price that the reader may change.
#[derive(Clone, Debug)]
pub(super) struct Price {
    /// What it is the price of: an offer's id, or a word.
    pub(super) id: String,
    /// The provider, where there is one.
    pub(super) provider: String,
    /// What is priced, in words.
    pub(super) what: String,
    /// How it is billed, in words.
    pub(super) mode: String,
    /// What the price is for, in words.
    pub(super) unit: String,
    /// The price.
    pub(super) price: Decimal,
    /// Where it comes from.
    pub(super) source: String,
    /// When it was seen.
    pub(super) date: Option<Date>,
}

/// A line of cost that is a quantity times a price.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// What it is, in words.
    pub(super) what: String,
    /// How much of it.
    pub(super) quantity: Decimal,
    /// Which price, as an index into the prices.
    pub(super) price: usize,
    /// Its cost, unrounded.
    pub(super) amount: Decimal,
}

/// How a line of the budget is computed in the sheet.
#[derive(Clone, Debug)]
pub(super) enum Rule {
    /// The sum of the items of rent.
    Rent,
    /// A quantity times a price.
    Item(Item),
    /// A share of the rent.
    ShareOfRent(Decimal),
    /// A share of what providers bill.
    ShareOfBill(Decimal),
    /// A share of everything before it.
    Margin(Decimal),
    /// An amount that the user stated.
    Stated,
    /// Unknown, and not counted.
    Unknown,
}

/// Everything that the sheets agree on.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) names: SheetNames,
    pub(super) prices: Vec<Price>,
    pub(super) rent: Vec<Item>,
    pub(super) lines: Vec<(BudgetLine, Rule)>,
}

/// The first row of prices, and of the items of rent, counted from 1.
pub(super) const FIRST: u32 = 3;

impl Layout {
    pub(super) fn new(report: &PlanReport<'_>, words: &Words) -> Self {
        let mut layout = Self {
            names: SheetNames::new(words),
            prices: Vec::new(),
            rent: Vec::new(),
            lines: Vec::new(),
        };
        layout.add_rent(report, words);
        for line in &report.plan.budget.lines {
            let rule = layout.rule(report, line, words);
            layout.lines.push((line.clone(), rule));
        }
        layout
    }

    /// Returns the row of a price, counted from 1.
    pub(super) fn price_row(index: usize) -> u32 {
        FIRST + u32::try_from(index).unwrap_or(u32::MAX / 2)
    }

    /// Returns the row of an item of rent.
    pub(super) fn rent_row(index: usize) -> u32 {
        Self::price_row(index)
    }

    /// Returns the row of a line of the budget: behind the items of rent, with a heading between.
    pub(super) fn line_row(&self, index: usize) -> u32 {
        Self::rent_row(self.rent.len()) + 2 + u32::try_from(index).unwrap_or(u32::MAX / 2)
    }

    /// Returns the row of a class of cost.
    pub(super) fn row_of(&self, kind: CostKind) -> Option<u32> {
        let index = self.lines.iter().position(|(line, _)| line.kind == kind)?;
        Some(self.line_row(index))
    }

    /// Returns the row of the total.
    pub(super) fn total_row(&self) -> u32 {
        self.line_row(self.lines.len())
    }

    /// Returns the sum before the margin.
    pub(super) fn before_margin(&self) -> Decimal {
        let lines = self.lines.iter().filter(|(line, _)| line.kind != CostKind::Margin);
        lines.filter_map(|(line, _)| line.amount).map(Money::amount).sum()
    }

    fn price(&mut self, price: Price) -> usize {
        let same = |other: &Price| other.id == price.id && other.price == price.price;
        if let Some(index) = self.prices.iter().position(same) {
            return index;
        }
        self.prices.push(price);
        self.prices.len() - 1
    }

    fn offer_price(
        &mut self,
        report: &PlanReport<'_>,
        words: &Words,
        id: &str,
        (card, unit): (String, String),
        price: Money,
    ) -> usize {
        let offer = report.catalogue.offer(id);
        self.price(Price {
            id: id.to_owned(),
            provider: offer.map(|offer| offer.provider.clone()).unwrap_or_default(),
            what: card,
            mode: offer.map(|offer| words.mode(offer.mode)).unwrap_or_default(),
            unit,
            price: price.amount(),
            source: offer.map(|offer| offer.source.text.clone()).unwrap_or_default(),
            date: offer.and_then(|offer| offer.source.date),
        })
    }

    fn add_rent(&mut self, report: &PlanReport<'_>, words: &Words) {
        let mut rest = report.plan.mix.cost.amount();
        for one in &report.plan.mix.commitments {
            let count = Decimal::from(one.count.max(1));
            let each = Money::new(one.price.amount() / count, one.price.currency());
            let mode = words.mode(one.mode);
            let card = (
                one.card.to_string(),
                words.say(&Phrase::new("sheet-per-term").with("mode", &mode)),
            );
            let price = self.offer_price(report, words, &one.offer, card, each);
            let phrase = Phrase::new("sheet-commitment").with("card", &one.card).with("mode", mode);
            rest -= one.price.amount();
            self.rent.push(Item {
                what: words.say(&phrase),
                quantity: Decimal::from(one.count),
                price,
                amount: one.price.amount(),
            });
        }
        for job in &report.plan.jobs {
            let Some(choice) = &job.choice else { continue };
            let hourly = choice.hourly.amount();
            let amount = choice.cost.likely.amount();
            if choice.mode.is_commitment() || hourly.is_zero() {
                continue;
            }
            let card = (choice.card_name.clone(), words.word("sheet-per-hour"));
            let price = self.offer_price(report, words, &choice.offer, card, choice.hourly);
            rest -= amount;
            self.rent.push(Item {
                what: job.name.clone(),
                quantity: amount / hourly,
                price,
                amount,
            });
        }
        if rest.round_dp(2) != Decimal::ZERO {
            let what = words.word("sheet-rest-of-rent");
            let price = self.price(Price {
                id: "rest".to_owned(),
                provider: String::new(),
                what: what.clone(),
                mode: words.word("mode-on_demand"),
                unit: words.word("sheet-per-month"),
                price: rest,
                source: words.word("sheet-from-plan"),
                date: None,
            });
            self.rent.push(Item { what, quantity: Decimal::ONE, price, amount: rest });
        }
    }

    fn rule(&mut self, report: &PlanReport<'_>, line: &BudgetLine, words: &Words) -> Rule {
        let Some(amount) = line.amount.map(Money::amount) else { return Rule::Unknown };
        let workload = report.workload;
        let label =
            words.word(&format!("cost-{}", kasuan_formats::plan_json::v1::cost_word(line.kind)));
        match line.kind {
            CostKind::Rent => Rule::Rent,
            CostKind::Storage => {
                let size: Bytes = workload.storage.iter().map(|need| need.size).sum();
                self.by_unit(label, size.gb(), amount, words.word("sheet-per-gb-month"), words)
            }
            CostKind::Egress => {
                let size = workload.transfer.egress.gb();
                self.by_unit(label, size, amount, words.word("sheet-per-gb"), words)
            }
            CostKind::Trial => match workload.policy.trial {
                Trial::Amount(_) => Rule::Stated,
                Trial::ShareOfRent(share) => {
                    Rule::ShareOfRent(Decimal::from_f64(share).unwrap_or_default())
                }
            },
            CostKind::DataMoving | CostKind::Operations => {
                let hours = if line.kind == CostKind::DataMoving {
                    workload.team.data_hours
                } else {
                    workload.team.ops_hours
                };
                let unit = words.word("sheet-per-engineer-hour");
                match (hours.filter(|hours| !hours.is_zero()), workload.team.engineer_hour) {
                    (Some(hours), Some(price)) => {
                        let price = self.price(Price {
                            id: "engineer".to_owned(),
                            provider: String::new(),
                            what: words.word("sheet-engineer"),
                            mode: String::new(),
                            unit,
                            price: price.amount(),
                            source: words.word("sheet-stated"),
                            date: None,
                        });
                        Rule::Item(Item { what: label, quantity: hours, price, amount })
                    }
                    _ => Rule::Stated,
                }
            }
            CostKind::Tax => {
                let billed = [CostKind::Rent, CostKind::Storage, CostKind::Egress];
                let lines = self.lines.iter().filter(|(line, _)| billed.contains(&line.kind));
                let sum: Decimal =
                    lines.filter_map(|(line, _)| line.amount).map(Money::amount).sum();
                Rule::ShareOfBill(amount.checked_div(sum).unwrap_or_default())
            }
            CostKind::Margin => match workload.policy.margin {
                Margin::Flat(share) => Rule::Margin(Decimal::from_f64(share).unwrap_or_default()),
                _ => Rule::Margin(amount.checked_div(self.before_margin()).unwrap_or_default()),
            },
        }
    }

    /// A line that is a size times a mean price, which tiers and free quotas have gone into.
    fn by_unit(
        &mut self,
        what: String,
        size: Decimal,
        amount: Decimal,
        unit: String,
        words: &Words,
    ) -> Rule {
        let Some(each) = amount.checked_div(size) else { return Rule::Stated };
        let price = self.price(Price {
            id: what.clone(),
            provider: String::new(),
            what: what.clone(),
            mode: String::new(),
            unit,
            price: each,
            source: words.word("sheet-from-plan"),
            date: None,
        });
        Rule::Item(Item { what, quantity: size, price, amount })
    }
}
