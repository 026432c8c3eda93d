//! How long a card has to be used before paying for the month is cheaper: cost against hours for
//! each way that the chosen product is sold, by the bill's own rules.

use super::view::Look;
use crate::{
    charts::{self, Curve, Mark, escape},
    numbers,
    pages::html,
};
use kasuan_market::{Catalogue, Tariff, break_even};
use kasuan_model::{Currency, Money, Offer, Phrase, Seconds};
use kasuan_plan::outcome::Choice;
use rust_decimal::{Decimal, prelude::ToPrimitive as _};
use std::{collections::BTreeSet, fmt::Write as _};

/// Products that are shown; the others have the same shape.
const MOST: usize = 4;
/// Hours between two points of a curve.
const STEP: u32 = 8;

/// Writes the section: each chosen product that is sold in more ways than one.
pub(super) fn body(look: &Look<'_>) -> String {
    let catalogue = look.planned.catalogue(look.state);
    let mut seen = BTreeSet::new();
    let mut text = String::new();
    for job in &look.planned.plan.jobs {
        let Some(choice) = &job.choice else { continue };
        let Some(offer) = catalogue.offer(&choice.offer) else { continue };
        let mut ways: Vec<&Offer> = catalogue
            .same_product(offer)
            .chain(std::iter::once(offer))
            .filter(|other| other.price.currency() == offer.price.currency())
            .collect();
        ways.sort_by_key(|way| (way.mode, way.id.clone()));
        ways.dedup_by_key(|way| way.mode);
        let product = (offer.provider.clone(), offer.card.clone(), offer.count);
        if ways.len() > 1 && seen.len() < MOST && seen.insert(product) {
            text.push_str(&product_of(look, catalogue, offer, &ways, choice));
        }
    }
    text
}

fn product_of(
    look: &Look<'_>,
    catalogue: &Catalogue,
    offer: &Offer,
    ways: &[&Offer],
    choice: &Choice,
) -> String {
    let most = 744_u32;
    let currency = offer.price.currency();
    let mut curves = Vec::new();
    for way in ways {
        let tariff = Tariff::new(way, catalogue.terms(&way.provider, None));
        let points: Vec<_> = (0..=most / STEP)
            .filter_map(|step| {
                let length = Seconds::from_hours(step * STEP);
                let cost = tariff.run(length).ok()?.cost.likely;
                Some((f64::from(step * STEP), numbers::length(cost)))
            })
            .collect();
        curves.push(Curve { name: look.words.mode(way.mode), points });
    }
    // A year's price would press everything else flat; it is in the table.
    let metered = curves.first().and_then(|curve| curve.points.last()).map_or(0.0, |last| last.1);
    curves.retain(|curve| curve.points.iter().all(|(_, cost)| *cost <= metered * 2.0));
    let base = ways.iter().find(|way| !way.mode.is_commitment());
    let evens: Vec<(&Offer, Option<Seconds>)> =
        ways.iter().map(|way| (*way, base.and_then(|base| break_even(way, base)))).collect();
    let marks: Vec<Mark> = evens
        .iter()
        .filter_map(|(_, even)| *even)
        .map(|even| Mark { at: even.hours(), label: numbers::hours(even) })
        .collect();
    let used = hours_of_one(choice);
    let title = look.words.say(
        &Phrase::new("web-billing-of")
            .with("provider", &offer.provider)
            .with("card", &choice.card_name)
            .with("count", offer.count),
    );
    let measured = look.measured.get(&offer.card).copied();
    let band = measured.or_else(|| used.map(|hours| (hours, hours)));
    let drawn =
        charts::curves(&curves, &marks, band, &title, &|hours| format!("{hours:.0} h"), &|sum| {
            short(sum, currency)
        });
    let mut text = format!(
        "<h3>{}</h3><div class=\"scroll\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">{drawn}</div>",
        escape(&title),
        escape(&title)
    );
    if let Some((low, high)) = measured {
        let phrase = Phrase::new("web-billing-measured")
            .with("low", format!("{low:.0}"))
            .with("high", format!("{high:.0}"));
        let _ = write!(text, "<p class=\"faint\">{}</p>", escape(&look.words.say(&phrase)));
    } else if let Some(hours) = used {
        let phrase = Phrase::new("web-billing-band").with("hours", format!("{hours:.0}"));
        let _ = write!(text, "<p class=\"faint\">{}</p>", escape(&look.words.say(&phrase)));
    }
    text.push_str(&html::open_table(&title, ""));
    let _ = write!(
        text,
        "<thead><tr>{}{}{}</tr></thead><tbody>",
        html::heading(&look.word("report-mode"), false),
        html::heading(&look.word("sheet-price"), true),
        html::heading(&look.word("report-break-even"), true),
    );
    for (way, even) in evens {
        let even = even.map_or_else(|| "—".to_owned(), numbers::hours);
        let _ = write!(
            text,
            "<tr><th scope=\"row\">{}</th>{}{}</tr>",
            escape(&look.words.mode(way.mode)),
            html::figures(&way.price.to_string()),
            html::figures(&even),
        );
    }
    text.push_str("</tbody></table></div>");
    text
}

/// Returns the hours that one instance of a choice is used in the month.
fn hours_of_one(choice: &Choice) -> Option<f64> {
    let cards = choice.cards.checked_mul(choice.replicas.max(1))?;
    let hours = choice.used.decimal_hours().checked_div(Decimal::from(cards))?;
    hours.to_f64()
}

/// Writes a sum for a scale.
fn short(sum: f64, currency: Currency) -> String {
    let whole = Decimal::try_from(sum).unwrap_or_default().round_dp(if sum < 10.0 { 1 } else { 0 });
    let money = Money::new(whole, currency);
    format!("{}{}", money.currency().sign(), whole.normalize())
}
