//! What to rent for each job: the choice and what else was possible, cheapest for the job first,
//! with the memory of each against its card.

use super::view::Look;
use crate::{
    charts::{self, Stack, escape},
    numbers,
    pages::html,
};
use kasuan_formats::fit::{causes, format_word};
use kasuan_model::Phrase;
use kasuan_plan::outcome::{Choice, JobPlan};
use kasuan_report::MEMORY_CAUSES;

/// The classes of the causes, in the order of `formats::fit::causes`.
const CLASSES: [&str; 8] = ["m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7"];

/// Writes the section.
pub(super) fn body(look: &Look<'_>) -> String {
    let mut text = legend(look);
    for job in &look.planned.plan.jobs {
        text.push_str(&article(look, job));
    }
    text
}

fn legend(look: &Look<'_>) -> String {
    let mut text = String::from("<p class=\"legend\">");
    let entries = CLASSES.into_iter().zip(MEMORY_CAUSES).chain([("reserve", "web-reserve")]);
    for (class, name) in entries {
        text.push_str(&format!(
            "<span><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><rect class=\"{class}\" \
             width=\"12\" height=\"12\"/></svg>{}</span>",
            escape(&look.word(name))
        ));
    }
    text.push_str(&format!(
        "<span><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><line class=\"limit\" x1=\"6\" \
         x2=\"6\" y1=\"0\" y2=\"12\"/></svg>{}</span></p>",
        escape(&look.word("web-card-limit"))
    ));
    text
}

fn article(look: &Look<'_>, job: &JobPlan) -> String {
    let task = look.word(&format!("task-{}", kasuan_formats::plan_json::v1::task_word(job.task)));
    let mut text = format!(
        "<article class=\"job\"><h3>{} <small>{}</small></h3>",
        escape(&job.name),
        escape(&task)
    );
    match &job.choice {
        Some(choice) => text.push_str(&ranked(look, job, choice)),
        None => text.push_str(&format!(
            "<p class=\"bad\">{}</p>",
            escape(&look.word("report-nothing-fits"))
        )),
    }
    if !job.why.is_empty() {
        text.push_str("<ul class=\"why\">");
        for why in &job.why {
            text.push_str(&format!("<li>{}</li>", escape(&look.words.say(why))));
        }
        text.push_str("</ul>");
    }
    text.push_str("</article>");
    text
}

fn ranked(look: &Look<'_>, job: &JobPlan, chosen: &Choice) -> String {
    let caption = look.words.say(&Phrase::new("web-ranked").with("job", &job.name));
    let mut text = html::open_table(&caption, "ranked");
    text.push_str("<thead><tr>");
    for (key, is_figure) in [
        ("report-rent", false),
        ("web-memory", false),
        ("report-where", false),
        ("report-used", true),
        ("report-hourly", true),
        ("report-cost", true),
        ("web-dearer", true),
    ] {
        text.push_str(&html::heading(&look.word(key), is_figure));
    }
    text.push_str("</tr></thead><tbody>");
    let all: Vec<&Choice> = std::iter::once(chosen).chain(&job.alternatives).collect();
    let whole =
        all.iter().map(|choice| limit(look, choice).max(needed(choice))).fold(0.0, f64::max);
    for (at, choice) in all.into_iter().enumerate() {
        text.push_str(&row(look, choice, chosen, at == 0, whole));
    }
    text.push_str("</tbody></table></div>");
    text
}

fn row(look: &Look<'_>, choice: &Choice, chosen: &Choice, is_chosen: bool, whole: f64) -> String {
    let mut cards = format!("{} × {}", choice.cards, choice.card_name);
    if choice.replicas > 1 {
        let phrase =
            Phrase::new("report-replicas").with("replicas", choice.replicas).with("cards", &cards);
        cards = look.words.say(&phrase);
    }
    let setup = choice.setup.as_ref().map(|setup| {
        let parallel = setup.parallelism;
        let mut text = format_word(setup.weights);
        for (name, size) in
            [("TP", parallel.tensor), ("PP", parallel.pipeline), ("DP", parallel.data)]
        {
            if size > 1 {
                text.push_str(&format!(" · {name}{size}"));
            }
        }
        text
    });
    let dearer = if is_chosen {
        format!("<span class=\"chip\">{}</span>", escape(&look.word("sheet-chosen")))
    } else {
        let more = numbers::more(choice.cost.likely, chosen.cost.likely);
        escape(&more.unwrap_or_default())
    };
    format!(
        "<tr{}><th scope=\"row\"><b>{}</b>{}</th><td class=\"memory\">{}</td><td>{} · {}<br>\
         <small>{}</small></td>{}{}{}<td class=\"figure\">{dearer}</td></tr>",
        if is_chosen { " class=\"chosen\"" } else { "" },
        escape(&cards),
        setup.map(|setup| format!("<br><small>{}</small>", escape(&setup))).unwrap_or_default(),
        memory(look, choice, whole),
        escape(&choice.provider),
        escape(&look.words.mode(choice.mode)),
        escape(&choice.region),
        html::figures(&numbers::hours(choice.used)),
        html::figures(&choice.hourly.to_string()),
        html::figures(&choice.cost.likely.to_string()),
    )
}

fn limit(look: &Look<'_>, choice: &Choice) -> f64 {
    let card = look.planned.catalogue(look.state).card(&choice.card);
    card.map_or(0.0, |card| card.memory_for_jobs().gib())
}

fn needed(choice: &Choice) -> f64 {
    choice.memory.as_ref().map_or(choice.memory_needed, |memory| memory.upper).gib()
}

fn memory(look: &Look<'_>, choice: &Choice, whole: f64) -> String {
    let limit = limit(look, choice);
    let (parts, upper) = match &choice.memory {
        Some(memory) => {
            let parts = causes(&memory.breakdown);
            let parts = parts.iter().zip(CLASSES).map(|((_, bytes), class)| (class, bytes.gib()));
            (parts.collect(), memory.upper)
        }
        None => (vec![("m0", choice.memory_needed.gib())], choice.memory_needed),
    };
    let said = Phrase::new("web-memory-of")
        .with("needed", numbers::gib(upper))
        .with("limit", format!("{limit:.1}"));
    let said = look.words.say(&said);
    let drawn = charts::stack(&Stack { parts, upper: upper.gib(), limit, whole, label: &said });
    format!("{drawn}<small>{}</small>", escape(&said))
}
