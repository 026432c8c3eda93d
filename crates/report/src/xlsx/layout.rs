//! Which price and which line of cost stands in which row, before any sheet is written.

use crate::{PlanReport, Words};
use jiff::civil::Date;
use kasuan_market::terms::StoragePer;
use kasuan_model::{Money, Phrase};
use kasuan_plan::{
    outcome::{BudgetLine, CostKind, LinePart},
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

/// How much of something there is, and how the sheet reckons it.
#[derive(Clone, Debug)]
pub(super) enum Quantity {
    /// A number that the reader may change.
    Stated(Decimal),
    /// A share that the reader may change.
    Share(Decimal),
    /// Data above what is free, for so many spans.
    Kept { size: Decimal, free: Decimal, times: Decimal },
    /// Traffic above what is free that falls between two bounds.
    Sent { size: Decimal, free: Decimal, from: Decimal, to: Option<Decimal> },
}

/// What one of it costs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rate {
    /// A price on the sheet of prices, as an index.
    Price(usize),
    /// What the item's provider bills: rent, and the lines of data where they are with it.
    Bill { base: Decimal, with_data: bool },
}

/// A line of cost that is a quantity times a price.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Which line of the budget it is part of.
    pub(super) kind: CostKind,
    /// What it is, in words.
    pub(super) what: String,
    /// The provider; empty where the user states the price.
    pub(super) provider: String,
    /// How much of it.
    pub(super) quantity: Quantity,
    /// The same as a number.
    pub(super) amount_of: Decimal,
    /// What one of it costs.
    pub(super) rate: Rate,
    /// Its cost, unrounded.
    pub(super) amount: Decimal,
    /// What the quantity counts, in words.
    pub(super) unit: String,
}

/// How a line of the budget is computed in the sheet.
#[derive(Clone, Debug)]
pub(super) enum Rule {
    /// The sum of its items.
    Items,
    /// Hours of labour at a price.
    Labour { hours: Decimal, price: usize },
    /// A share of the rent.
    ShareOfRent(Decimal),
    /// A share of everything before it.
    Margin(Decimal),
    /// An amount that the user stated.
    Stated,
    /// An amount that rests on nothing in the sheet.
    Fixed,
    /// Unknown, and not counted.
    Unknown,
}

/// Everything that the sheets agree on.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) names: SheetNames,
    pub(super) prices: Vec<Price>,
    pub(super) items: Vec<Item>,
    pub(super) lines: Vec<(BudgetLine, Rule)>,
}

/// The first row of prices, and of items, counted from 1.
pub(super) const FIRST: u32 = 3;

impl Layout {
    pub(super) fn new(report: &PlanReport<'_>, words: &Words) -> Self {
        let mut layout = Self {
            names: SheetNames::new(words),
            prices: Vec::new(),
            items: Vec::new(),
            lines: Vec::new(),
        };
        for part in &report.plan.budget.parts {
            layout.add(part, report, words);
        }
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

    /// Returns the row of an item.
    pub(super) fn item_row(index: usize) -> u32 {
        Self::price_row(index)
    }

    /// Returns the first and the last row of the items of a class of cost, which stand together.
    pub(super) fn items_of(&self, kind: CostKind) -> Option<(u32, u32)> {
        let first = self.items.iter().position(|item| item.kind == kind)?;
        let last = self.items.iter().rposition(|item| item.kind == kind)?;
        Some((Self::item_row(first), Self::item_row(last)))
    }

    /// Returns the row of a line of the budget: behind the items, with a heading between.
    pub(super) fn line_row(&self, index: usize) -> u32 {
        Self::item_row(self.items.len()) + 2 + u32::try_from(index).unwrap_or(u32::MAX / 2)
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

    /// Adds an item for a part of a line.
    fn add(&mut self, part: &LinePart, report: &PlanReport<'_>, words: &Words) {
        let (amount_of, amount) = (part.quantity(), part.amount());
        let price = part.price();
        let provider = match part {
            LinePart::Hours { provider, .. }
            | LinePart::Term { provider, .. }
            | LinePart::Kept { provider, .. }
            | LinePart::Sent { provider, .. }
            | LinePart::Billed { provider, .. } => provider.clone(),
        };
        let data = |id: &str, what: &str, unit: &str, source: &str| Price {
            id: format!("{provider}{id}"),
            provider: provider.clone(),
            what: what.to_owned(),
            mode: String::new(),
            unit: unit.to_owned(),
            price: price.amount(),
            source: source.to_owned(),
            date: None,
        };
        let terms = || {
            let source = &report.catalogue.terms(&provider, Some(report.today)).source;
            (source.text.clone(), source.date)
        };
        let (what, quantity, rate, unit) = match part {
            LinePart::Hours { job, offer, .. } => {
                let job = report.plan.jobs.get(*job);
                let card = job.and_then(|job| job.choice.as_ref());
                let card = card.map(|choice| choice.card_name.clone()).unwrap_or_default();
                let unit = words.word("sheet-per-hour");
                let at = self.offer_price(report, words, offer, (card, unit.clone()), price);
                let what = job.map(|job| job.name.clone()).unwrap_or_default();
                (what, Quantity::Stated(amount_of), Rate::Price(at), unit)
            }
            LinePart::Term { offer, card, mode, .. } => {
                let mode = words.mode(*mode);
                let unit = words.say(&Phrase::new("sheet-per-term").with("mode", &mode));
                let at =
                    self.offer_price(report, words, offer, (card.clone(), unit.clone()), price);
                let what = Phrase::new("sheet-commitment").with("card", card).with("mode", mode);
                (words.say(&what), Quantity::Stated(amount_of), Rate::Price(at), unit)
            }
            LinePart::Kept { name, size, free, times, per, binary, .. } => {
                let label = words.word("cost-storage");
                let what = if name.is_empty() { label } else { format!("{label} {name}") };
                let unit = words.word(kept_unit(*per, *binary));
                let stated = words.word("sheet-stated");
                let mut row = data(&format!("/storage {name}"), &what, &unit, &stated);
                if !provider.is_empty() {
                    (row.source, row.date) = terms();
                }
                let at = self.price(row);
                let quantity = Quantity::Kept { size: *size, free: *free, times: *times };
                (what, quantity, Rate::Price(at), unit)
            }
            LinePart::Sent { size, free, from, to, .. } => {
                let start = from.normalize();
                let what = words.say(&match to {
                    Some(to) => {
                        Phrase::new("sheet-tier").with("from", start).with("to", to.normalize())
                    }
                    None => Phrase::new("sheet-last-tier").with("from", start),
                });
                let unit = words.word("sheet-per-gb");
                let mut row = data(&format!("/egress {from}"), &what, &unit, "");
                (row.source, row.date) = terms();
                let at = self.price(row);
                let quantity = Quantity::Sent { size: *size, free: *free, from: *from, to: *to };
                (what, quantity, Rate::Price(at), unit)
            }
            LinePart::Billed { base, share, with_data, .. } => (
                words.word("cost-tax"),
                Quantity::Share(*share),
                Rate::Bill { base: base.amount(), with_data: *with_data },
                words.word("sheet-of-bill"),
            ),
        };
        let kind = part.kind();
        self.items.push(Item { kind, what, provider, quantity, amount_of, rate, amount, unit });
    }

    fn rule(&mut self, report: &PlanReport<'_>, line: &BudgetLine, words: &Words) -> Rule {
        let Some(amount) = line.amount.map(Money::amount) else { return Rule::Unknown };
        let workload = report.workload;
        match line.kind {
            CostKind::Rent | CostKind::Storage | CostKind::Egress | CostKind::Tax => {
                match self.items_of(line.kind) {
                    Some(_) => Rule::Items,
                    None => Rule::Fixed,
                }
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
                match (hours.filter(|hours| !hours.is_zero()), workload.team.engineer_hour) {
                    (Some(hours), Some(price)) => {
                        let price = workload.rates.convert(price, workload.currency);
                        let price = self.price(Price {
                            id: "engineer".to_owned(),
                            provider: String::new(),
                            what: words.word("sheet-engineer"),
                            mode: String::new(),
                            unit: words.word("sheet-per-engineer-hour"),
                            price: price.map(Money::amount).unwrap_or_default(),
                            source: words.word("sheet-stated"),
                            date: None,
                        });
                        Rule::Labour { hours, price }
                    }
                    _ => Rule::Stated,
                }
            }
            CostKind::Margin => match workload.policy.margin {
                Margin::Flat(share) => Rule::Margin(Decimal::from_f64(share).unwrap_or_default()),
                _ => Rule::Margin(amount.checked_div(self.before_margin()).unwrap_or_default()),
            },
        }
    }
}

/// Returns the key of what a price of storage is for.
const fn kept_unit(per: StoragePer, binary: bool) -> &'static str {
    match (per, binary) {
        (StoragePer::Month, false) => "sheet-per-gb-month",
        (StoragePer::Day, false) => "sheet-per-gb-day",
        (StoragePer::Hour, false) => "sheet-per-gb-hour",
        (StoragePer::Month, true) => "sheet-per-gib-month",
        (StoragePer::Day, true) => "sheet-per-gib-day",
        (StoragePer::Hour, true) => "sheet-per-gib-hour",
    }
}
