//! Past prices: how those of a card moved, provider by provider, as a table and a chart.

use crate::{
    context::Context,
    error::{CommandError, Exit},
    market,
    settings::Format,
};
use jiff::{ToSpan as _, civil::Date};
use kasuan_market::{Bands, History, Series};
use kasuan_model::{BillingMode, CardId, Currency, Money, Phrase, Source};
use kasuan_report::{Cell, Chart, ChartLine, Column, Table, Tone, market as tables, sparkline};
use rust_decimal::{
    Decimal,
    prelude::{FromPrimitive as _, ToPrimitive as _},
};

/// Whose past prices are shown.
pub(crate) struct Wanted {
    pub(crate) cards: Vec<CardId>,
    pub(crate) providers: Vec<String>,
    pub(crate) modes: Vec<BillingMode>,
    pub(crate) serverless: bool,
    pub(crate) currency: Option<Currency>,
    pub(crate) limit: usize,
    pub(crate) bands: Bands,
}

/// Shows the series; none is an answer.
pub(crate) fn show(
    history: &History,
    wanted: &Wanted,
    context: &Context,
) -> Result<Exit, CommandError> {
    let series = choose(history, wanted);
    let limit = if wanted.limit == 0 { usize::MAX } else { wanted.limit };
    if context.settings.format == Format::Json {
        context.print_json(&json(&series, wanted.bands, context))?;
    } else if context.settings.format != Format::Table {
        context.print_table(&table(&series, usize::MAX, wanted.bands, context))?;
    } else if series.is_empty() {
        context.warn(&Phrase::new("history-none"));
    } else {
        context.print_table(&table(&series, limit, wanted.bands, context))?;
        if series.len() > limit {
            let more = Phrase::new("market-more").with("count", series.len() - limit);
            context.print_line(&more)?;
        }
        volatility(history, wanted, context)?;
        chart(&series, context)?;
    }
    Ok(if series.is_empty() { Exit::AnswerIsNo } else { Exit::Done })
}

/// Returns the wanted series, cheapest last price first within a currency.
fn choose<'a>(history: &'a History, wanted: &Wanted) -> Vec<Series<'a>> {
    let mut series = history.series(None, None);
    series.retain(|one| {
        (wanted.cards.is_empty() || wanted.cards.contains(one.card))
            && (wanted.providers.is_empty()
                || wanted.providers.iter().any(|name| name.eq_ignore_ascii_case(one.provider)))
            && (wanted.modes.is_empty() || wanted.modes.contains(&one.mode))
            && (wanted.serverless || one.tier != "serverless")
            && wanted.currency.is_none_or(|currency| one.currency == currency)
    });
    series.sort_by_key(|one| (one.currency, one.daily().last().copied().unwrap_or_default()));
    series
}

/// Says how far prices of the class moved.
fn volatility(history: &History, wanted: &Wanted, context: &Context) -> Result<(), CommandError> {
    let (card, provider) = (only(&wanted.cards), only(&wanted.providers));
    let provider = provider.map(|name| name.to_lowercase());
    let Some(moved) = history.volatility(card, provider.as_deref()) else { return Ok(()) };
    context.print("\n")?;
    let per_cent = |factor: f64| format!("{:+.0}%", (factor - 1.0) * 100.0);
    context.print_line(
        &Phrase::new("history-volatility")
            .with(
                "class",
                match (moved.of_card, moved.of_provider) {
                    (true, true) => "both",
                    (true, false) => "card",
                    (false, true) => "provider",
                    (false, false) => "all",
                },
            )
            .with("series", moved.series)
            .with("days", format!("{:.0}", moved.days))
            .with("moved", format!("{:.0}%", moved.moved * 100.0))
            .with("range", format!("{:.1}%", moved.median_range * 100.0))
            .with("low", per_cent(moved.low))
            .with("high", per_cent(moved.high)),
    )?;
    let Some(card) = card else { return Ok(()) };
    let provider = provider.as_deref().unwrap_or("");
    for mode in [BillingMode::OnDemand, BillingMode::Spot] {
        if !wanted.modes.is_empty() && !wanted.modes.contains(&mode) {
            continue;
        }
        if let Some(moves) = history.monthly_move(card, provider, mode) {
            context.print_line(
                &Phrase::new("history-monthly")
                    .with("mode", context.words.mode(mode))
                    .with("chance", format!("{:.0}%", moves.chance * 100.0))
                    .with("deviation", format!("{:.0}%", moves.deviation.exp_m1() * 100.0)),
            )?;
        }
    }
    Ok(())
}

fn only<T>(list: &[T]) -> Option<&T> {
    match list {
        [one] => Some(one),
        _ => None,
    }
}

fn table(series: &[Series<'_>], limit: usize, bands: Bands, context: &Context) -> Table {
    let word = |key: &str| context.words.word(key);
    let shown: Vec<&Series<'_>> = series.iter().take(limit).collect();
    let with_product = shown.iter().any(|one| !one.product.is_empty());
    let mut columns = vec![
        market::id_column("provider", word("history-provider")),
        market::id_column("card", word("offers-card")),
    ];
    if with_product {
        columns.push(Column::words("product", word("history-product")));
    }
    columns.extend([
        Column::words("tier", word("history-tier")),
        Column::words("mode", word("offers-mode")),
        market::id_column("from", word("bill-from")),
        market::id_column("until", word("bill-to")),
        Column::figures("low", word("offers-low")),
        Column::figures("last", word("history-last")),
        Column::figures("high", word("offers-high")),
        Column::figures("change", word("history-change")),
        market::id_column("chart", word("history-chart")),
        Column::words("seen", word("offers-age")),
    ]);
    let mut table = Table::new(columns);
    for one in shown {
        let prices = one.daily();
        let (Some((from, until)), Some(low), Some(high), Some(first), Some(last)) =
            (one.span(), prices.iter().min(), prices.iter().max(), prices.first(), prices.last())
        else {
            continue;
        };
        let cell = |amount: Decimal| market::money(Money::new(amount, one.currency));
        let moved = if low == high { Tone::Faint } else { Tone::Warn };
        let floats: Vec<f64> = prices.iter().filter_map(Decimal::to_f64).collect();
        let mut row = vec![Cell::new(one.provider).toned(Tone::Name), Cell::new(one.card.as_str())];
        if with_product {
            row.push(Cell::new(one.product));
        }
        row.extend([
            Cell::new(one.tier),
            Cell::with_raw(context.words.mode(one.mode), one.mode.word()),
            day(from),
            day(until),
            cell(*low),
            cell(*last),
            cell(*high),
            change(*first, *last).toned(moved),
            Cell::with_raw(sparkline(&floats, 14), "").toned(moved),
            market::age(&last_seen(one, until), bands, context),
        ]);
        table.push(row);
    }
    table
}

/// Returns the source of the last price, seen on the last day.
fn last_seen(one: &Series<'_>, until: Date) -> Source {
    let last = one.stretches.last().map(|stretch| stretch.source.clone());
    Source { date: Some(until), ..last.unwrap_or_else(|| Source::stated("")) }
}

fn day(day: Date) -> Cell {
    Cell::with_raw(day.strftime("%y-%m-%d").to_string(), day.to_string())
}

/// Returns by how much the last price is off the first.
fn change(first: Decimal, last: Decimal) -> Cell {
    let share = last.checked_div(first).map(|ratio| (ratio - Decimal::ONE).round_dp(4));
    match share {
        Some(share) if share.is_zero() => Cell::with_raw("", "0"),
        Some(share) => {
            let shown = format!("{:+.1}%", share.to_f64().unwrap_or(0.0) * 100.0);
            Cell::with_raw(shown, share.normalize().to_string())
        }
        None => Cell::unknown("?"),
    }
}

/// Draws lowest and median on-demand price of each day, or of spot where that alone is wanted, in
/// the currency with most series.
fn chart(series: &[Series<'_>], context: &Context) -> Result<(), CommandError> {
    let mode = if series.iter().any(|one| one.mode == BillingMode::OnDemand) {
        BillingMode::OnDemand
    } else {
        BillingMode::Spot
    };
    let of_mode = || series.iter().filter(|one| one.mode == mode);
    let currencies = of_mode().map(|one| one.currency);
    let Some(currency) =
        currencies.clone().max_by_key(|it| currencies.clone().filter(|one| one == it).count())
    else {
        return Ok(());
    };
    let same: Vec<&Series<'_>> = of_mode().filter(|one| one.currency == currency).collect();
    let spans: Vec<(Date, Date)> = same.iter().filter_map(|one| one.span()).collect();
    let (Some(first), Some(last)) =
        (spans.iter().map(|span| span.0).min(), spans.iter().map(|span| span.1).max())
    else {
        return Ok(());
    };
    if first == last {
        return Ok(());
    }
    let daily: Vec<(Date, Vec<Decimal>)> =
        same.iter().filter_map(|one| Some((one.span()?.0, one.daily()))).collect();
    let (mut lowest, mut median) = (Vec::new(), Vec::new());
    for day in first.series(1.day()).take_while(|day| *day <= last) {
        let mut prices: Vec<f64> = daily
            .iter()
            .filter_map(|(from, prices)| {
                let at = usize::try_from(day.since(*from).ok()?.get_days()).ok()?;
                prices.get(at)?.to_f64()
            })
            .collect();
        prices.sort_by(f64::total_cmp);
        lowest.push(prices.first().copied());
        median.push(prices.get(prices.len() / 2).copied());
    }
    let lines =
        vec![ChartLine { mark: '·', values: median }, ChartLine { mark: '●', values: lowest }];
    let chart = Chart { lines, first: first.to_string(), last: last.to_string() };
    let label = |value: f64| {
        let amount = Decimal::from_f64(value).unwrap_or_default().round_dp(4);
        market::small(Money::new(amount, currency))
    };
    context.print("\n")?;
    context.print_line(
        &Phrase::new("history-chart-title")
            .with("mode", context.words.mode(mode))
            .with("series", same.len()),
    )?;
    context.print(&chart.draw(context.settings.width.min(76), 8, label))
}

fn json(series: &[Series<'_>], bands: Bands, context: &Context) -> serde_json::Value {
    let rows = table(series, usize::MAX, bands, context).to_json();
    let mut list = rows.as_array().cloned().unwrap_or_default();
    let today = context.settings.today;
    for (row, one) in list.iter_mut().zip(series) {
        let steps: Vec<serde_json::Value> = one
            .stretches
            .iter()
            .map(|stretch| {
                serde_json::json!({
                    "from": stretch.from.to_string(),
                    "until": stretch.until.to_string(),
                    "price": stretch.price.amount().normalize().to_string(),
                    "source": stretch.source.text,
                })
            })
            .collect();
        if let Some(row) = row.as_object_mut() {
            row.remove("chart");
            let until = one.span().map(|(_, until)| until);
            let seen = until.map(|until| tables::age_json(&last_seen(one, until), bands, today));
            row.insert("seen".to_owned(), seen.into());
            row.insert("currency".to_owned(), one.currency.code().into());
            row.insert("prices".to_owned(), steps.into());
        }
    }
    serde_json::json!({ "series": list })
}
