//! Plans beside each other: the current one and up to four that were saved.

use super::{saved, view::Look};
use crate::{charts::escape, form::Form, numbers, pages::html, planning::Planned};
use kasuan_formats::plan_json::v1::cost_word;
use kasuan_model::Phrase;
use kasuan_plan::outcome::CostKind;
use std::{fmt::Write as _, sync::Arc};

/// The lines that are compared.
const LINES: [CostKind; 4] =
    [CostKind::Rent, CostKind::Storage, CostKind::Operations, CostKind::Margin];

/// Writes the section; nothing when nothing was saved.
pub(super) fn body(look: &Look<'_>, form: &Form) -> String {
    if form.saved.is_empty() {
        return String::new();
    }
    let others: Vec<Option<(Form, Arc<Planned>)>> =
        form.saved.iter().map(|text| saved(look.state, text)).collect();
    let title = look.word("web-compare");
    let mut text = html::open_table(&title, "compare");
    let _ = write!(
        text,
        "<thead><tr><th scope=\"col\"></th>{}",
        html::heading(&look.word("web-this-plan"), true)
    );
    for number in 0..others.len() {
        let name = look.words.say(&Phrase::new("web-saved").with("number", number + 1));
        let _ = write!(
            text,
            "<th scope=\"col\" class=\"figure\">{}<br>{}{}</th>",
            escape(&name),
            button(&look.word("web-restore"), &format!("restore={number}"), &name),
            button(&look.word("web-forget"), &format!("forget={number}"), &name),
        );
    }
    text.push_str("</tr></thead><tbody>");
    let mut line = |name: String, figure: &dyn Fn(&Planned) -> String| {
        let _ = write!(text, "<tr><th scope=\"row\">{}</th>", escape(&name));
        text.push_str(&html::figures(&figure(look.planned)));
        for other in &others {
            let shown = other
                .as_ref()
                .map_or_else(|| look.word("web-no-plan"), |(_, planned)| figure(planned));
            text.push_str(&html::figures(&shown));
        }
        text.push_str("</tr>");
    };
    let total = look.planned.plan.total;
    line(look.word("report-sum"), &|planned| planned.plan.total.to_string());
    line(look.word("web-difference"), &|planned| {
        numbers::more(planned.plan.total, total).unwrap_or_else(|| "—".to_owned())
    });
    line(look.word("web-tile-p80"), &|planned| planned.plan.budget.p80.to_string());
    for kind in LINES {
        line(look.word(&format!("cost-{}", cost_word(kind))), &|planned| {
            let lines = &planned.plan.budget.lines;
            let amount = lines.iter().find(|line| line.kind == kind).and_then(|line| line.amount);
            amount.map_or_else(|| look.word("report-unknown"), |amount| amount.to_string())
        });
    }
    line(look.word("report-rent"), &|planned| {
        let jobs = planned.plan.jobs.iter().filter_map(|job| job.choice.as_ref());
        let cards: Vec<_> = jobs
            .map(|choice| {
                format!("{} × {}", choice.cards * choice.replicas.max(1), choice.card_name)
            })
            .collect();
        cards.join(" · ")
    });
    text.push_str("</tbody></table></div>");
    text
}

fn button(text: &str, act: &str, of: &str) -> String {
    format!(
        "<button class=\"link\" form=\"ask\" name=\"act\" value=\"{act}\" formaction=\"/plan/edit\" \
         hx-post=\"/plan/edit\" hx-target=\"#plan\" hx-select=\"#plan\" hx-swap=\"outerHTML\" \
         aria-label=\"{}: {}\">{}</button> ",
        escape(text),
        escape(of),
        escape(text)
    )
}
