//! Where the money goes: each line from where the one before ended, the simulated months, and what
//! naive choices would cost.

use super::view::Look;
use crate::{
    charts::{self, escape},
    numbers,
    pages::html,
};
use kasuan_formats::plan_json::v1::{baseline_word, cost_word};
use kasuan_model::{Money, Phrase};
use kasuan_plan::outcome::CostKind;

/// Writes the section.
pub(super) fn body(look: &Look<'_>) -> String {
    format!("{}{}{}", waterfall(look), months(look), baselines(look))
}

fn waterfall(look: &Look<'_>) -> String {
    let budget = &look.planned.plan.budget;
    let total = look.planned.plan.total;
    let whole = numbers::length(total);
    let mut text = html::open_table(&look.word("report-budget"), "bars");
    text.push_str("<thead><tr>");
    for (key, is_figure) in [
        ("report-line", false),
        ("web-share-of-total", false),
        ("report-amount", true),
        ("report-likely-range", true),
    ] {
        text.push_str(&html::heading(&look.word(key), is_figure));
    }
    text.push_str("</tr></thead><tbody>");
    let mut before = 0.0;
    for line in &budget.lines {
        let name = look.word(&format!("cost-{}", cost_word(line.kind)));
        let Some(amount) = line.amount else {
            text.push_str(&format!(
                "<tr><th scope=\"row\">{}</th><td class=\"warn\">{}</td><td class=\"figure warn\">{}</td>\
                 <td></td></tr>",
                escape(&name),
                escape(&look.word("report-not-counted")),
                escape(&look.word("report-unknown"))
            ));
            continue;
        };
        if amount.is_zero() && line.kind != CostKind::Margin {
            continue;
        }
        let with = before + numbers::length(amount);
        let class = if line.kind == CostKind::Margin { "margin" } else { "bar" };
        let said = format!("{name} {amount}");
        let range = line.range.filter(|range| range.low != range.high);
        let range = range.map(|range| format!("{} – {}", range.low, range.high));
        text.push_str(&format!(
            "<tr><th scope=\"row\">{}</th><td class=\"draw\">{}</td>{}<td class=\"figure faint\">{}</td></tr>",
            escape(&name),
            charts::waterfall(before, with, whole, class, &said),
            html::figures(&amount.to_string()),
            escape(&range.unwrap_or_default())
        ));
        if line.kind == CostKind::Rent && !budget.idle.is_zero() {
            text.push_str(&idle(look, before, budget.idle, whole));
        }
        before = with;
    }
    let name = look.word("report-sum");
    text.push_str(&format!(
        "</tbody><tfoot><tr><th scope=\"row\">{}</th><td class=\"draw\">{}</td>{}<td></td></tr></tfoot>\
         </table></div>",
        escape(&name),
        charts::waterfall(0.0, whole, whole, "bar-total", &format!("{name} {total}")),
        html::figures(&total.to_string())
    ));
    text
}

fn idle(look: &Look<'_>, before: f64, idle: Money, whole: f64) -> String {
    let name = look.word("report-idle");
    format!(
        "<tr class=\"faint\"><th scope=\"row\">{}</th><td class=\"draw\">{}</td>{}<td></td></tr>",
        escape(&name),
        charts::waterfall(
            before,
            before + numbers::length(idle),
            whole,
            "idle",
            &format!("{name} {idle}")
        ),
        html::figures(&idle.to_string())
    )
}

/// The simulated months beside the flat rule of the guide.
fn months(look: &Look<'_>) -> String {
    let budget = &look.planned.plan.budget;
    let rows = [
        ("web-tile-p50", budget.p50),
        ("web-tile-p80", budget.p80),
        ("web-tile-p90", budget.p90),
        ("sheet-flat-20", budget.flat.0),
        ("sheet-flat-30", budget.flat.1),
    ];
    let mut bars: Vec<Bar> = rows.map(|(key, sum)| Bar::new(look.word(key), sum)).into();
    if let Some(cap) = look.planned.document.workload.policy.cap {
        bars.push(Bar { class: "bar-total", ..Bar::new(look.word("sheet-cap"), cap) });
    }
    compared(look, &look.word("web-months"), &bars, &look.word("web-months"))
}

fn baselines(look: &Look<'_>) -> String {
    let plan = &look.planned.plan;
    let mut bars =
        vec![Bar { class: "bar-total", ..Bar::new(look.word("web-this-plan"), plan.total) }];
    for baseline in &plan.baselines {
        let notes: Vec<_> = baseline.note.iter().map(|note| look.words.say(note)).collect();
        bars.push(Bar {
            name: look.word(&format!("baseline-{}", baseline_word(baseline.kind))),
            sum: baseline.total,
            more: baseline.total.and_then(|total| numbers::more(total, plan.total)),
            note: notes.join(&look.word("report-comma")),
            class: "bar",
        });
    }
    compared(look, &look.word("report-baselines"), &bars, &look.word("report-naive"))
}

struct Bar {
    name: String,
    sum: Option<Money>,
    more: Option<String>,
    note: String,
    class: &'static str,
}

impl Bar {
    const fn new(name: String, sum: Money) -> Self {
        Self { name, sum: Some(sum), more: None, note: String::new(), class: "bar" }
    }
}

/// Sums under each other, each as a bar.
fn compared(look: &Look<'_>, title: &str, bars: &[Bar], first: &str) -> String {
    let whole = bars.iter().filter_map(|bar| bar.sum).map(numbers::length).fold(0.0, f64::max);
    let has_more = bars.iter().any(|bar| bar.more.is_some());
    let mut text = format!("<h3>{}</h3>", escape(title));
    text.push_str(&html::open_table(title, "bars"));
    text.push_str("<thead><tr>");
    text.push_str(&html::heading(first, false));
    text.push_str(&html::heading(&look.word("web-bar"), false));
    text.push_str(&html::heading(&look.word("report-amount"), true));
    if has_more {
        text.push_str(&html::heading(&look.word("report-more"), true));
    }
    text.push_str("</tr></thead><tbody>");
    for bar in bars {
        let shown = bar.sum.map_or_else(|| look.word("report-impossible"), |sum| sum.to_string());
        let drawn = bar.sum.map(|sum| {
            let said = look
                .words
                .say(&Phrase::new("web-named-sum").with("name", &bar.name).with("sum", sum));
            charts::waterfall(0.0, numbers::length(sum), whole, bar.class, &said)
        });
        let note = if bar.note.is_empty() {
            String::new()
        } else {
            format!("<br><small>{}</small>", escape(&bar.note))
        };
        text.push_str(&format!(
            "<tr><th scope=\"row\">{}{note}</th><td class=\"draw\">{}</td>{}",
            escape(&bar.name),
            drawn.unwrap_or_default(),
            html::figures(&shown)
        ));
        if has_more {
            text.push_str(&html::figures(bar.more.as_deref().unwrap_or_default()));
        }
        text.push_str("</tr>");
    }
    text.push_str("</tbody></table></div>");
    text
}
