//! One job of the workload file.

use super::{
    Names,
    error::{Trouble, WorkloadError},
    fields,
    section::{Fields, Reading, nearest, not_of_form},
    tree::{Node, Value},
    values, words,
};
use jiff::civil::{Date, Time};
use kasuan_model::{Phrase, Seconds};
use kasuan_plan::workload::{Amount, Checkpoints, Job, Latency, Load, Model, Runs, Task, Window};
use kasuan_sizing::{Framework, Inference, LoraTarget, Method, Recipe, Training, WeightFormat};
use rust_decimal::Decimal;

/// Time to write a checkpoint and to start again from one, where the file only says that the job
/// may be interrupted: 60 s and 180 s, the middle of the settings that spot traces were replayed
/// with.
const CHECKPOINTS: Checkpoints =
    Checkpoints { write: Seconds::new(60), restart: Seconds::new(180), interval: None };

/// Share of a context that is the prompt, where only the context is given.
const PROMPT_OF_CONTEXT: (u32, u32) = (3, 4);

/// Reads a job.
pub(super) fn read(node: &Node, month: Date, names: &dyn Names) -> Result<Job, WorkloadError> {
    let at = Fields::new(node, &fields::JOB)?;
    let required = || Trouble::new(Phrase::new("workload-empty-value")).at(at.place());
    let name = at.read("name", values::text)?.ok_or_else(required)?;
    let task = at.read("task", task)?.ok_or_else(required)?;
    let mut job = Job::new(name, task);
    job.model = model(&at, names)?;
    job.memory = at.read("memory", values::bytes)?;
    job.runs = at.read("runs", values::runs)?.unwrap_or(job.runs);
    job.weights = at.read("weights", choice(words::WEIGHTS, fields::WEIGHTS))?;
    job.sharding = at.read("sharding", choice(words::SHARDINGS, fields::SHARDINGS))?;
    job.cards = at.read("cards", values::whole(1, 4_096))?;
    job.replicas = at.read("replicas", values::whole(1, 4_096))?;
    job.only_cards = at.several("card", |node| names.card(&values::text(node)?))?;
    job.modes = at.several("modes", values::mode)?;
    job.share_card = at.read("share_card", values::flag)?.unwrap_or(false);
    job.priority = at.read("priority", values::whole(0, 1_000))?.unwrap_or(0);
    job.interruptible = interruptible(&at)?;
    job.latency = latency(&at)?;
    job.window = window(&at, month)?;
    work(&at, &mut job)?;
    job.load = load(&at, &job)?;
    job.amount = amount(&at, task, names)?;
    if task == Task::Qlora && job.weights.is_none() {
        job.weights = Some(WeightFormat::Nf4 { double_quant: true });
    }
    Ok(job)
}

/// Reads a choice by its word; an unknown word is answered with the nearest.
fn choice<T: Copy>(
    table: words::Table<T>,
    shown: &'static [&'static str],
) -> impl Fn(&Node) -> Reading<T> {
    move |node| {
        let text = values::text(node)?;
        words::find(table, &text).ok_or_else(|| match nearest(&text, shown.iter().copied()) {
            Some(near) => {
                not_of_form().hint(Phrase::new("hint-did-you-mean").with("suggestion", near))
            }
            None => not_of_form(),
        })
    }
}

fn task(node: &Node) -> Reading<Task> {
    choice(words::TASKS, fields::TASKS)(node)
}

fn model(at: &Fields<'_>, names: &dyn Names) -> Result<Option<Model>, WorkloadError> {
    let Some(node) = at.node("model") else { return Ok(None) };
    if matches!(node.value, Value::Fields(_)) {
        let counted = Fields::new(node, &fields::MODEL)?;
        let parameters = counted.read("params", values::count)?;
        return Ok(parameters.map(|parameters| Model::Counted { parameters }));
    }
    at.read("model", |node| {
        let text = values::text(node)?;
        let is_path = text.starts_with(['.', '/'])
            || [".json", ".gguf", ".safetensors"].iter().any(|end| text.ends_with(end));
        let known = if is_path { names.configuration(&text)? } else { names.model(&text)? };
        Ok(Model::Known(Box::new(known)))
    })
}

fn interruptible(at: &Fields<'_>) -> Result<Option<Checkpoints>, WorkloadError> {
    let Some(node) = at.node("interruptible") else { return Ok(None) };
    if !matches!(node.value, Value::Fields(_)) {
        let may = at.read("interruptible", values::flag)?.unwrap_or(false);
        return Ok(may.then_some(CHECKPOINTS));
    }
    let detail = Fields::new(node, &fields::CHECKPOINTS)?;
    Ok(Some(Checkpoints {
        write: detail.read("checkpoint", values::span)?.unwrap_or(CHECKPOINTS.write),
        restart: detail.read("restart", values::span)?.unwrap_or(CHECKPOINTS.restart),
        interval: detail.read("every", values::span)?,
    }))
}

fn latency(at: &Fields<'_>) -> Result<Latency, WorkloadError> {
    let Some(node) = at.node("latency") else { return Ok(Latency::default()) };
    let detail = Fields::new(node, &fields::LATENCY)?;
    Ok(Latency {
        ttft: detail.read("ttft", values::latency)?,
        tpot: detail.read("tpot", values::latency)?,
    })
}

fn window(at: &Fields<'_>, month: Date) -> Result<Window, WorkloadError> {
    let mut window = Window {
        daily: at.read("daily", values::clock_hours)?,
        weekdays: at.several("weekdays", values::weekdays)?.concat(),
        deadline: at.read("deadline", values::moment(true))?,
        may_wait: at.read("may_wait", values::span)?.unwrap_or(Seconds::ZERO),
        after: at.read("after", values::text)?,
        not_before: at.read("start", values::moment(false))?,
    };
    window.weekdays.sort_by_key(|day| day.to_monday_zero_offset());
    window.weekdays.dedup();
    if let Some((first, last)) = at.read("days", |node| days(node, month))? {
        let after_last = last.tomorrow().unwrap_or(last).to_datetime(Time::midnight());
        window.not_before.get_or_insert(first.to_datetime(Time::midnight()));
        window.deadline.get_or_insert(after_last);
    }
    if let (Some(start), Some(end)) = (window.not_before, window.deadline)
        && start >= end
    {
        let phrase = Phrase::new("workload-window-empty")
            .with("start", start.strftime("%Y-%m-%d %H:%M"))
            .with("end", end.strftime("%Y-%m-%d %H:%M"));
        let node = at.node("deadline").or_else(|| at.node("days"));
        return Err(Trouble::new(phrase).at(node.map_or(at.place(), |node| node.place)));
    }
    Ok(window)
}

/// Reads days of the planned month: `5-20`, or one day.
fn days(node: &Node, month: Date) -> Reading<(Date, Date)> {
    let text = values::text(node)?;
    let (first, last) = text.split_once(['-', '~', '～']).unwrap_or((&text, &text));
    let day = |text: &str| {
        let day: i16 = text.trim().parse().map_err(|_| not_of_form())?;
        if day < 1 {
            return Err(not_of_form());
        }
        let found = i8::try_from(day).ok().and_then(|day| month.with().day(day).build().ok());
        found.ok_or_else(|| {
            let wanted = format!("{}-{day:02}", month.strftime("%Y-%m"));
            Trouble::new(Phrase::new("workload-no-such-day").with("day", wanted)).hint(
                Phrase::new("workload-hint-days-in-month")
                    .with("month", month.strftime("%Y-%m"))
                    .with("days", month.days_in_month()),
            )
        })
    };
    let (first, last) = (day(first)?, day(last)?);
    if first <= last {
        Ok((first, last))
    } else {
        Err(Trouble::new(Phrase::new("workload-range").with("value", text)))
    }
}

fn load(at: &Fields<'_>, job: &Job) -> Result<Option<Load>, WorkloadError> {
    if let Some(rate) = at.read("rate", values::per_second)? {
        return Ok(Some(Load::PerSecond(rate)));
    }
    let service = job.inference.as_ref().filter(|_| job.task == Task::Inference);
    Ok(service.map(|inference| Load::Concurrency(inference.concurrency)))
}

/// Fills in how the job generates or trains, with every default explicit.
fn work(at: &Fields<'_>, job: &mut Job) -> Result<(), WorkloadError> {
    let tokens = |name| at.read(name, values::whole(1, 100_000_000));
    let (prompt, generated, context) =
        (tokens("prompt")?, tokens("generated")?, tokens("context")?);
    let trains = matches!(job.task, Task::Lora | Task::Qlora | Task::Full | Task::Pretrain);
    if !trains {
        let mut inference = Inference::default();
        let (part, whole) = PROMPT_OF_CONTEXT;
        (inference.prompt, inference.generated) = match (prompt, generated, context) {
            (Some(prompt), Some(generated), _) => (prompt, generated),
            (Some(prompt), None, Some(context)) => (prompt, context.saturating_sub(prompt).max(1)),
            (None, Some(generated), Some(context)) => {
                (context.saturating_sub(generated).max(1), generated)
            }
            (None, None, Some(context)) => {
                let prompt = (context / whole * part).max(1);
                (prompt, context.saturating_sub(prompt).max(1))
            }
            (prompt, generated, None) => {
                (prompt.unwrap_or(inference.prompt), generated.unwrap_or(inference.generated))
            }
        };
        inference.concurrency =
            at.read("concurrency", values::whole(1, 1_000_000))?.unwrap_or(inference.concurrency);
        inference.engine =
            at.read("engine", choice(words::ENGINES, fields::ENGINES))?.unwrap_or(inference.engine);
        inference.kv =
            at.read("kv", choice(words::CACHES, fields::CACHES))?.unwrap_or(inference.kv);
        job.inference = Some(inference);
        return Ok(());
    }
    let mut training = Training::default();
    if matches!(job.task, Task::Full | Task::Pretrain) {
        training.method = Method::Full;
        training.recipe =
            if job.task == Task::Full { Recipe::Autocast } else { Recipe::MasterFp32 };
    }
    if let Method::Lora { rank, targets, .. } = &mut training.method {
        *rank = at.read("rank", values::whole(1, 65_536))?.unwrap_or(*rank);
        let stated = at.several("targets", lora_targets)?.concat();
        if !stated.is_empty() {
            *targets = stated;
            targets.sort();
            targets.dedup();
        }
    }
    let batches = |name, default| -> Result<u32, WorkloadError> {
        Ok(at.read(name, values::whole(1, 1_000_000))?.unwrap_or(default))
    };
    training.micro_batch = batches("batch", training.micro_batch)?;
    training.accumulation = batches("accumulation", training.accumulation)?;
    training.sequence = tokens("seq")?.or(context).unwrap_or(training.sequence);
    let optimizer = at.read("optimizer", choice(words::OPTIMIZERS, fields::OPTIMIZERS))?;
    training.optimizer = optimizer.unwrap_or(training.optimizer);
    training.framework = at.read("framework", framework)?;
    if let Some(framework) = training.framework {
        training.stack = framework.stack.program();
        if job.task == Task::Full {
            training.recipe = framework.stack.recipe();
        }
    }
    let recipe = at.read("recipe", choice(words::RECIPES, fields::RECIPES))?;
    training.recipe = recipe.unwrap_or(training.recipe);
    let recompute =
        at.read("checkpointing", choice(words::CHECKPOINTING, fields::CHECKPOINTING))?;
    training.checkpointing = recompute.unwrap_or(training.checkpointing);
    let kernel = at.read("attention", choice(words::KERNELS, fields::KERNELS))?;
    training.attention = kernel.unwrap_or(training.attention);
    let loss = at.read("loss", choice(words::LOSSES, fields::LOSSES))?;
    training.loss = loss.unwrap_or(training.loss);
    training.packed = at.read("packed", values::flag)?.unwrap_or(training.packed);
    job.training = Some(training);
    Ok(())
}

fn framework(node: &Node) -> Reading<Framework> {
    let text = values::text(node)?;
    Framework::parse(&text).map_err(|_| match nearest(&text, fields::FRAMEWORKS.iter().copied()) {
        Some(near) => not_of_form().hint(Phrase::new("hint-did-you-mean").with("suggestion", near)),
        None => not_of_form(),
    })
}

fn lora_targets(node: &Node) -> Reading<Vec<LoraTarget>> {
    let text = values::text(node)?;
    match text.as_str() {
        "all" | "all-linear" => Ok(LoraTarget::ALL_LINEAR.to_vec()),
        "attention" => Ok(LoraTarget::ATTENTION.to_vec()),
        _ => Ok(vec![choice(words::TARGETS, fields::TARGETS)(node)?]),
    }
}

fn amount(at: &Fields<'_>, task: Task, names: &dyn Names) -> Result<Amount, WorkloadError> {
    let stated = ["hours", "data", "requests"].map(|name| at.node(name).map(|node| (name, node)));
    let mut stated = stated.into_iter().flatten();
    if let (Some((first, _)), Some((second, node))) = (stated.next(), stated.next()) {
        let phrase = Phrase::new("workload-either-or").with("first", first).with("second", second);
        return Err(Trouble::new(phrase).at(node.place));
    }
    if let Some(hours) = at.read("hours", values::hours)? {
        let measured_on = at.read("hours_measured_on", |node| {
            let text = values::text(node)?;
            let split = text.split_once(['x', '×', '*']).and_then(|(count, card)| {
                Some((count.trim().parse::<u32>().ok().filter(|count| *count > 0)?, card.trim()))
            });
            let (count, card) = split.unwrap_or((1, &text));
            Ok((names.card(card)?, count))
        })?;
        return Ok(Amount::Hours { hours, measured_on });
    }
    if let Some(node) = at.node("data") {
        return data(node);
    }
    if let Some(requests) = at.read("requests", values::count)? {
        return Ok(Amount::Requests { requests });
    }
    Ok(if task == Task::Inference { Amount::Service } else { Amount::Unknown })
}

fn data(node: &Node) -> Result<Amount, WorkloadError> {
    let data = Fields::new(node, &fields::DATA)?;
    let epochs = data.read("epochs", values::positive)?.unwrap_or(Decimal::ONE);
    let tokens = data.read("tokens", values::count)?;
    let samples = data.read("samples", values::count)?;
    let mean_tokens = data.read("mean_tokens", values::whole(1, 100_000_000))?;
    match (tokens, samples, mean_tokens) {
        (Some(tokens), None, None) => Ok(Amount::Tokens { tokens, epochs }),
        (None, Some(samples), Some(mean_tokens)) => {
            Ok(Amount::Samples { samples, mean_tokens, epochs })
        }
        _ => Err(Trouble::new(Phrase::new("workload-data"))
            .hint(
                Phrase::new("workload-hint-example")
                    .with("example", "data: {samples: 50k, mean_tokens: 512, epochs: 3}"),
            )
            .at(data.place())),
    }
}

/// Returns how a job's model is written, where it is a name or a path.
pub(super) fn written_model(job: &Node) -> Option<String> {
    let Value::Fields(fields) = &job.value else { return None };
    let (_, _, model) = fields.iter().find(|(name, _, _)| name == "model")?;
    values::text(model).ok()
}

/// Says how many runs a month of 31 days holds at most, to refuse what no calendar can show.
pub(super) fn runs_in_month(runs: Runs) -> u64 {
    match runs {
        Runs::PerMonth(runs) => u64::from(runs),
        Runs::PerWeek(runs) => u64::from(runs) * 5,
        Runs::PerDay(runs) => u64::from(runs) * 31,
    }
}
