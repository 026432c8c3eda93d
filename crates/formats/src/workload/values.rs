//! Single values as people write them: counts, spans, sums, shares, clock hours, days.

use super::error::Trouble;
use super::{
    section::{Reading, not_of_form},
    tree::{Node, Value},
};
use jiff::civil::{Date, DateTime, Time, Weekday};
use kasuan_model::{BillingMode, Bytes, Currency, Estimate, Money, Phrase, Seconds};
use kasuan_plan::workload::Runs;
use rust_decimal::{Decimal, prelude::ToPrimitive as _};

/// The largest amount of memory or storage that is taken for meant: 100 PB.
const LARGEST_BYTES: Bytes = Bytes::new(100_000_000_000_000_000);
/// The longest span that is taken for meant: ten years.
const LONGEST: Seconds = Seconds::new(10 * 366 * 86_400);
/// The largest sum that is taken for meant.
const LARGEST_SUM: Decimal = Decimal::from_parts(1_000_000_000, 0, 0, false, 0);

/// The longest name or text, in characters.
const LONGEST_TEXT: usize = 200;

/// Says that a number is beyond what can be meant.
fn absurd(value: &str) -> Trouble {
    let shown: String = if value.chars().count() > 30 {
        format!("{}…", value.chars().take(30).collect::<String>())
    } else {
        value.to_owned()
    };
    Trouble::new(Phrase::new("workload-absurd").with("value", shown))
        .hint(Phrase::new("workload-hint-absurd"))
}

fn negative(value: &str) -> Trouble {
    Trouble::new(Phrase::new("workload-negative").with("value", value))
}

/// Returns a scalar's text.
pub(super) fn text(node: &Node) -> Reading<String> {
    match &node.value {
        Value::Text(text) | Value::Number(text) if !text.trim().is_empty() => {
            let clean = text.trim();
            let is_number = matches!(node.value, Value::Number(_));
            let is_long = clean.chars().count() > LONGEST_TEXT && !is_number;
            if is_long || clean.chars().any(char::is_control) {
                return Err(Trouble::new(Phrase::new("workload-text-odd")));
            }
            Ok(clean.to_owned())
        }
        _ => Err(not_of_form()),
    }
}

/// Reads a number that is not negative.
pub(super) fn number(node: &Node) -> Reading<Decimal> {
    let text = text(node)?;
    let number: Decimal = match text.replace(['_', ','], "").parse() {
        Ok(number) => number,
        Err(_) if text.parse::<f64>().is_ok() => return Err(absurd(&text)),
        Err(_) => return Err(not_of_form()),
    };
    if number.is_sign_negative() && !number.is_zero() { Err(negative(&text)) } else { Ok(number) }
}

/// Reads a number above zero.
pub(super) fn positive(node: &Node) -> Reading<Decimal> {
    let number = number(node)?;
    if number.is_zero() {
        return Err(Trouble::new(Phrase::new("workload-zero")));
    }
    if number > LARGEST_SUM {
        return Err(absurd(&number.to_string()));
    }
    Ok(number)
}

/// Reads a whole number from `least` to `most`.
pub(super) fn whole(least: u32, most: u32) -> impl Fn(&Node) -> Reading<u32> {
    move |node| {
        let number = number(node)?;
        if number.fract() != Decimal::ZERO {
            return Err(not_of_form());
        }
        match number.to_u32() {
            Some(whole) if (least..=most).contains(&whole) => Ok(whole),
            Some(whole) if whole < least => Err(not_of_form()),
            _ => Err(absurd(&number.to_string())),
        }
    }
}

/// Reads true or false.
pub(super) fn flag(node: &Node) -> Reading<bool> {
    match &node.value {
        Value::Flag(flag) => Ok(*flag),
        Value::Text(text) => match text.trim().to_lowercase().as_str() {
            "yes" | "on" | "是" => Ok(true),
            "no" | "off" | "否" => Ok(false),
            _ => Err(not_of_form()),
        },
        _ => Err(not_of_form()),
    }
}

/// Reads a count such as `20M`, `50k`, `7B` or `100万`.
pub(super) fn count(node: &Node) -> Reading<u64> {
    let written = text(node)?;
    if written.starts_with('-') {
        return Err(negative(&written));
    }
    let plain = written.replace(['_', ',', ' '], "");
    let split = plain.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(plain.len());
    let (digits, unit) = plain.split_at(split);
    let scale: u64 = match unit.to_lowercase().as_str() {
        "" => 1,
        "k" | "千" => 1_000,
        "万" | "w" => 10_000,
        "m" | "百万" => 1_000_000,
        "亿" => 100_000_000,
        "b" | "g" | "十亿" => 1_000_000_000,
        "t" => 1_000_000_000_000,
        _ => return Err(not_of_form()),
    };
    let number: Decimal = digits.parse().map_err(|_| not_of_form())?;
    let count = number.checked_mul(Decimal::from(scale)).and_then(|count| count.ceil().to_u64());
    match count {
        Some(0) => Err(Trouble::new(Phrase::new("workload-zero"))),
        Some(count) if count <= 1_000_000_000_000_000_000 => Ok(count),
        _ => Err(absurd(&written)),
    }
}

/// Reads an amount of memory, storage or traffic.
pub(super) fn bytes(node: &Node) -> Reading<Bytes> {
    let text = text(node)?;
    if text.starts_with('-') {
        return Err(negative(&text));
    }
    match text.parse::<Bytes>() {
        Ok(bytes) if bytes <= LARGEST_BYTES => Ok(bytes),
        Ok(_) => Err(absurd(&text)),
        Err(_) if is_too_large::<Bytes>(&text) => Err(absurd(&text)),
        Err(_) => Err(not_of_form()),
    }
}

/// Says whether a text would have the right form if only its number were small.
fn is_too_large<T: std::str::FromStr>(text: &str) -> bool {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
    unit.len() < text.len() && format!("1{unit}").parse::<T>().is_ok()
}

/// Reads a span of time.
pub(super) fn span(node: &Node) -> Reading<Seconds> {
    let text = text(node)?;
    if text.starts_with('-') {
        return Err(negative(&text));
    }
    match text.parse::<Seconds>() {
        Ok(span) if span <= LONGEST => Ok(span),
        Ok(_) => Err(absurd(&text)),
        Err(_) if is_too_large::<Seconds>(&text) => Err(absurd(&text)),
        Err(_) => Err(not_of_form()),
    }
}

/// Reads a latency such as `1s` or `60ms`, in seconds.
pub(super) fn latency(node: &Node) -> Reading<f64> {
    let text = text(node)?.to_lowercase();
    let (digits, scale) = match text.strip_suffix("ms") {
        Some(digits) => (digits, 1e-3),
        None => (text.strip_suffix('s').ok_or_else(not_of_form)?, 1.0),
    };
    let number: f64 = digits.trim().parse().map_err(|_| not_of_form())?;
    let seconds = number * scale;
    if seconds > 0.0 && seconds <= 3_600.0 { Ok(seconds) } else { Err(absurd(&text)) }
}

/// Reads the hours of a run: `8`, `8h`, `90 min`, a range `6-10`, or `6-8-12`.
pub(super) fn hours(node: &Node) -> Reading<Estimate<Decimal>> {
    let text = text(node)?;
    if text.starts_with('-') {
        return Err(negative(&text));
    }
    let parts: Vec<Decimal> =
        text.split(['-', '~', '～']).map(one_hours).collect::<Reading<_>>()?;
    let range = match parts[..] {
        [hours] => Estimate::exact(hours),
        [low, high] => {
            let sum = low.checked_add(high).ok_or_else(|| absurd(&text))?;
            Estimate::new(low, sum / Decimal::TWO, high)
        }
        [low, likely, high] => Estimate::new(low, likely, high),
        _ => return Err(not_of_form()),
    };
    if range.low > range.likely || range.likely > range.high {
        return Err(Trouble::new(Phrase::new("workload-range").with("value", text)));
    }
    if range.low.is_zero() {
        return Err(Trouble::new(Phrase::new("workload-zero")));
    }
    if range.high > LONGEST.decimal_hours() {
        return Err(absurd(&text));
    }
    Ok(range)
}

fn one_hours(text: &str) -> Reading<Decimal> {
    let text = text.trim();
    if let Ok(hours) = text.parse::<Decimal>() {
        return Ok(hours);
    }
    if text.parse::<f64>().is_ok() {
        return Err(absurd(text));
    }
    text.parse::<Seconds>().map(Seconds::decimal_hours).map_err(|_| not_of_form())
}

/// Reads how often a job runs: `2/month`, `1/week`, `3/day`, or a number for the month.
pub(super) fn runs(node: &Node) -> Reading<Runs> {
    let text = text(node)?;
    if text.starts_with('-') {
        return Err(negative(&text));
    }
    let (number, per) = text.split_once('/').unwrap_or((&text, "month"));
    let number = number.trim().trim_end_matches(['次', 'x']);
    let number: u32 = match number.parse() {
        Ok(0) => return Err(Trouble::new(Phrase::new("workload-zero"))),
        Ok(number) if number <= 100_000 => number,
        Ok(_) => return Err(absurd(&text)),
        Err(_) if number.parse::<u128>().is_ok() => return Err(absurd(&text)),
        Err(_) => return Err(not_of_form()),
    };
    match per.trim().to_lowercase().as_str() {
        "month" | "mo" | "月" => Ok(Runs::PerMonth(number)),
        "week" | "周" => Ok(Runs::PerWeek(number)),
        "day" | "天" | "日" => Ok(Runs::PerDay(number)),
        _ => Err(not_of_form()),
    }
}

/// Reads requests per second: `5`, `5/s`, `300/min`, `10000/h`, `1M/day`.
pub(super) fn per_second(node: &Node) -> Reading<f64> {
    let text = text(node)?;
    if text.starts_with('-') {
        return Err(negative(&text));
    }
    let (number, per) = text.split_once('/').unwrap_or((&text, "s"));
    let number = Node { place: node.place, value: Value::Text(number.trim().to_owned()) };
    let scale = match per.trim().to_lowercase().as_str() {
        "s" | "sec" | "second" | "秒" => 1.0,
        "min" | "minute" | "分钟" => 60.0,
        "h" | "hour" | "小时" => 3_600.0,
        "day" | "d" | "天" => 86_400.0,
        _ => return Err(not_of_form()),
    };
    let number = match number_or_count(&number)? {
        rate if rate > 0.0 => rate / scale,
        _ => return Err(Trouble::new(Phrase::new("workload-zero"))),
    };
    if number <= 1e6 { Ok(number) } else { Err(absurd(&text)) }
}

fn number_or_count(node: &Node) -> Reading<f64> {
    match number(node) {
        Ok(number) => number.to_f64().ok_or_else(not_of_form),
        Err(_) => count(node).map(|count| count as f64),
    }
}

/// Reads a sum of money, alone or per something: `3000`, `3000 CNY`, `¥3000`, `120 CNY/h`.
pub(super) fn money(currency: Currency, per: &'static str) -> impl Fn(&Node) -> Reading<Money> {
    move |node| {
        let written = text(node)?;
        let bare = match written.split_once('/') {
            Some((bare, unit)) => {
                let unit = unit.trim().to_lowercase();
                let fits = match per {
                    "h" => matches!(unit.as_str(), "h" | "hour" | "小时" | "时"),
                    "gb" => matches!(unit.as_str(), "gb" | "gb/month" | "gb/月" | "gb/mo"),
                    _ => false,
                };
                if !fits {
                    return Err(not_of_form());
                }
                bare.trim()
            }
            None => written.trim(),
        };
        let digits: String =
            bare.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | '-')).collect();
        let sign: String = bare
            .chars()
            .filter(|c| {
                !(c.is_ascii_digit() || matches!(c, '.' | '-' | ',' | '_') || c.is_whitespace())
            })
            .collect();
        let stated = match sign.as_str() {
            "" => currency,
            "¥" | "￥" | "元" => Currency::CNY,
            "$" | "美元" => Currency::USD,
            "€" => Currency::EUR,
            code => code.parse::<Currency>().map_err(|_| {
                Trouble::new(Phrase::new("workload-currency-unknown").with("text", code))
                    .hint(Phrase::new("workload-hint-currency"))
            })?,
        };
        let amount: Decimal = digits.parse().map_err(|_| not_of_form())?;
        if amount.is_sign_negative() && !amount.is_zero() {
            return Err(negative(&written));
        }
        if amount > LARGEST_SUM {
            return Err(absurd(&written));
        }
        Ok(Money::new(amount, stated))
    }
}

/// Reads a share such as `20%` or `0.2`.
pub(super) fn share(node: &Node) -> Reading<Decimal> {
    let written = text(node)?;
    let share = match written.strip_suffix(['%', '％']) {
        Some(digits) => digits.trim().parse::<Decimal>().map(|share| share / Decimal::ONE_HUNDRED),
        None => written.parse::<Decimal>(),
    };
    let share = share.map_err(|_| not_of_form())?;
    if share.is_sign_negative() && !share.is_zero() {
        return Err(negative(&written));
    }
    if share > Decimal::ONE {
        return Err(Trouble::new(Phrase::new("workload-share").with("value", written))
            .hint(Phrase::new("workload-hint-share")));
    }
    Ok(share)
}

/// Reads daily hours: `08:00-18:00`; over midnight and `00:00-24:00` too.
pub(super) fn clock_hours(node: &Node) -> Reading<(Time, Time)> {
    let text = text(node)?;
    let (start, end) = text.split_once(['-', '~', '～', '–']).ok_or_else(not_of_form)?;
    Ok((clock(start)?, clock(end)?))
}

fn clock(text: &str) -> Reading<Time> {
    let text = text.trim().replace('：', ":");
    let (hour, minute) = text.split_once(':').unwrap_or((&text, "0"));
    let hour: i8 = hour.parse().map_err(|_| not_of_form())?;
    let minute: i8 = minute.parse().map_err(|_| not_of_form())?;
    if (hour, minute) == (24, 0) {
        return Ok(Time::midnight());
    }
    Time::new(hour, minute, 0, 0).map_err(|_| not_of_form())
}

/// Reads days of the week; `mon-fri` gives several.
pub(super) fn weekdays(node: &Node) -> Reading<Vec<Weekday>> {
    use Weekday::{Friday, Monday, Saturday, Sunday, Thursday, Tuesday, Wednesday};
    let text = text(node)?.to_lowercase();
    Ok(match text.as_str() {
        "mon" | "monday" | "周一" => vec![Monday],
        "tue" | "tuesday" | "周二" => vec![Tuesday],
        "wed" | "wednesday" | "周三" => vec![Wednesday],
        "thu" | "thursday" | "周四" => vec![Thursday],
        "fri" | "friday" | "周五" => vec![Friday],
        "sat" | "saturday" | "周六" => vec![Saturday],
        "sun" | "sunday" | "周日" | "周天" => vec![Sunday],
        "mon-fri" | "workdays" | "工作日" => vec![Monday, Tuesday, Wednesday, Thursday, Friday],
        "weekend" | "sat-sun" | "周末" => vec![Saturday, Sunday],
        _ => return Err(not_of_form()),
    })
}

/// Reads a billing mode.
pub(super) fn mode(node: &Node) -> Reading<BillingMode> {
    text(node)?.parse().map_err(|_| not_of_form())
}

/// Reads a day, and the time where one is given; `end` chooses the end of the day otherwise.
pub(super) fn moment(end: bool) -> impl Fn(&Node) -> Reading<DateTime> {
    move |node| {
        let text = text(node)?.replace('/', "-");
        let is_day = !text.contains([' ', 'T', ':']);
        if is_day && let Ok(date) = text.parse::<Date>() {
            let next = if end { date.tomorrow().map_err(|_| not_of_form())? } else { date };
            return Ok(next.to_datetime(Time::midnight()));
        }
        let moment = text.replace(' ', "T");
        moment.parse::<DateTime>().map_err(|_| no_such_day(&text))
    }
}

/// Says that a day is not in the calendar, or that the text is no day at all.
fn no_such_day(text: &str) -> Trouble {
    let day = text.split([' ', 'T']).next().unwrap_or_default();
    let mut parts = day.split('-').map(|part| part.parse::<i16>().ok());
    let known = match (parts.next().flatten(), parts.next().flatten(), parts.next().flatten()) {
        (Some(year), Some(month), Some(wanted)) => i8::try_from(month)
            .ok()
            .and_then(|month| Date::new(year, month, 1).ok())
            .filter(|first| wanted > i16::from(first.days_in_month())),
        _ => None,
    };
    match known {
        Some(first) => Trouble::new(Phrase::new("workload-no-such-day").with("day", day)).hint(
            Phrase::new("workload-hint-days-in-month")
                .with("month", first.strftime("%Y-%m"))
                .with("days", first.days_in_month()),
        ),
        None => not_of_form(),
    }
}

/// Reads a month such as `2026-12`.
pub(super) fn month(node: &Node) -> Reading<Date> {
    let text = text(node)?;
    let (year, rest) = text.split_once(['-', '/']).ok_or_else(not_of_form)?;
    let year: i16 = year.parse().map_err(|_| not_of_form())?;
    let month: i8 = rest.parse().map_err(|_| not_of_form())?;
    if !(2000..=2100).contains(&year) {
        return Err(absurd(&text));
    }
    Date::new(year, month, 1).map_err(|_| not_of_form())
}

/// Reads a line's speed such as `100 Mbps`, in bytes per second.
pub(super) fn line_speed(node: &Node) -> Reading<f64> {
    let text = text(node)?.to_lowercase().replace(' ', "");
    let scale = [("kbps", 1e3), ("mbps", 1e6), ("gbps", 1e9)];
    let found = scale.iter().find_map(|(unit, bits)| Some((text.strip_suffix(unit)?, bits)));
    let (digits, bits) = found.ok_or_else(not_of_form)?;
    let number: f64 = digits.parse().map_err(|_| not_of_form())?;
    let speed = number * bits / 8.0;
    if speed > 0.0 && speed <= 1e12 { Ok(speed) } else { Err(absurd(&text)) }
}
