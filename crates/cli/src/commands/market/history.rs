//! `kasuan market history`: how the price of a card moved, provider by provider.

use crate::{
    context::Context,
    error::{CommandError, Exit},
    market,
    settings::Format,
};
use kasuan_market::{Catalogue, Series};
use kasuan_model::{Currency, Money, Phrase};
use kasuan_report::{Cell, Column, Table, Tone};
use rust_decimal::{Decimal, prelude::ToPrimitive as _};

#[derive(Debug, clap::Args)]
pub(crate) struct History {
    #[arg(long, value_name = "CARD")]
    card: Option<String>,
    #[arg(long, value_name = "PROVIDER")]
    provider: Option<String>,
    #[arg(long, value_name = "N", default_value_t = 30)]
    limit: usize,
}

/// Runs the command.
pub(super) fn run(arguments: &History, context: &Context) -> Result<Exit, CommandError> {
    let catalogue = Catalogue::shipped()?;
    let history = Catalogue::shipped_history()?;
    let card = arguments.card.as_deref().map(|text| catalogue.find_card(text)).transpose()?;
    let card = card.map(|found| found.card);
    let series = history.series(card.as_ref(), arguments.provider.as_deref());
    let limit = if arguments.limit == 0 { usize::MAX } else { arguments.limit };
    context.print_table(&table(&series, limit, context))?;
    if context.settings.format == Format::Table {
        if series.len() > limit {
            let more = Phrase::new("market-more").with("count", series.len() - limit);
            context.print_line(&more)?;
        }
        if let Some(moved) = history.volatility(card.as_ref(), arguments.provider.as_deref()) {
            context.print("\n")?;
            context.print_line(
                &Phrase::new("history-volatility")
                    .with("series", moved.series)
                    .with("days", format!("{:.0}", moved.days))
                    .with("moved", format!("{:.0}%", moved.moved * 100.0))
                    .with("range", format!("{:.1}%", moved.median_range * 100.0))
                    .with("low", format!("{:+.0}%", (moved.low - 1.0) * 100.0))
                    .with("high", format!("{:+.0}%", (moved.high - 1.0) * 100.0)),
            )?;
        }
    }
    Ok(if series.is_empty() { Exit::AnswerIsNo } else { Exit::Done })
}

fn table(series: &[Series<'_>], limit: usize, context: &Context) -> Table {
    let word = |key: &str| context.words.word(key);
    let mut table = Table::new(vec![
        Column::words("provider", word("history-provider")),
        Column::words("card", word("offers-card")),
        Column::words("tier", word("history-tier")),
        Column::words("mode", word("offers-mode")),
        Column::words("from", word("bill-from")),
        Column::words("until", word("bill-to")),
        Column::figures("low", word("offers-low")),
        Column::figures("last", word("history-last")),
        Column::figures("high", word("offers-high")),
        market::id_column("chart", word("history-chart")),
    ]);
    for one in series.iter().take(limit) {
        let prices = one.daily();
        let (Some((from, until)), Some(low), Some(high), Some(last)) =
            (one.span(), prices.iter().min(), prices.iter().max(), prices.last())
        else {
            continue;
        };
        let currency = one.stretches.first().map_or(Currency::USD, |first| first.price.currency());
        let cell = |amount: Decimal| market::money(Money::new(amount, currency));
        let moved = if low == high { Tone::Faint } else { Tone::Warn };
        table.push(vec![
            Cell::new(one.provider).toned(Tone::Name),
            Cell::new(one.card.as_str()),
            Cell::new(one.tier),
            Cell::with_raw(context.words.mode(one.mode), one.mode.word()),
            Cell::new(from.to_string()),
            Cell::new(until.to_string()),
            cell(*low),
            cell(*last),
            cell(*high),
            Cell::with_raw(sparkline(&prices, 14), "").toned(moved),
        ]);
    }
    table
}

/// Draws prices as bars, from the lowest to the highest of the series; an unchanged one is a flat
/// line.
fn sparkline(prices: &[Decimal], width: usize) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let values: Vec<f64> = prices.iter().filter_map(Decimal::to_f64).collect();
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let width = width.min(values.len());
    (0..width)
        .filter_map(|at| values.get(at * values.len() / width.max(1)))
        .map(|value| {
            let height = if high > low { (value - low) / (high - low) * 7.0 } else { 3.0 };
            BARS.get(height.round() as usize).copied().unwrap_or('▁')
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_rises_with_the_price_and_is_flat_without_change() {
        let prices: Vec<Decimal> = (0..8).map(Decimal::from).collect();
        assert_eq!(sparkline(&prices, 8), "▁▂▃▄▅▆▇█");
        assert_eq!(sparkline(&[Decimal::ONE; 3], 8), "▄▄▄");
        assert_eq!(sparkline(&[], 8), "");
    }
}
