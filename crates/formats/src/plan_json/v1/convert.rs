//! Turns a plan into the contract; sentences are put into words by the caller.

use super::{
    Baseline, Baselines, Breakdown, Budget, CalendarEntry, Cap, Choice, Commitment, FallbackAction,
    Job, Line, MeasureFirst, Memory, Mix, Packed, Patience, Peak, PerGpu, Plan, Pool, Scaling,
    Sensitivity, Service, Source, Spot, Time, TradeOff,
};
use jiff::civil::{Date, DateTime};
use kasuan_model::{Bytes, Confidence, Money, Phrase, Seconds};
use kasuan_plan::{
    advise::FirstStep,
    outcome::{self, BaselineKind, CostKind, FallbackKind},
    simulate::Driver,
    workload::Task,
};

/// Puts a phrase into the reader's words.
type Say<'a> = &'a dyn Fn(&Phrase) -> String;

/// Turns a plan for a month into the contract.
pub fn plan(plan: &outcome::Plan, month: Date, say: Say<'_>) -> Plan {
    let speak = |phrases: &[Phrase]| phrases.iter().map(say).collect::<Vec<_>>();
    let budget = &plan.budget;
    Plan {
        version: 1,
        currency: plan.total.currency().to_string(),
        month: month.strftime("%Y-%m").to_string(),
        total: money(plan.total),
        budget: Budget {
            p50: money(budget.p50),
            p80: money(budget.p80),
            p90: money(budget.p90),
            flat_20: money(budget.flat.0),
            flat_30: money(budget.flat.1),
            idle: money(budget.idle),
            sensitivity: budget.sensitivity.iter().map(sensitivity).collect(),
            lines: budget.lines.iter().map(|line| self::line(line, say)).collect(),
        },
        jobs: plan.jobs.iter().map(|job| self::job(job, say)).collect(),
        mix: mix(&plan.mix),
        calendar: plan.calendar.iter().map(calendar_entry).collect(),
        peak: plan.peak.map(|peak| Peak {
            cards: peak.cards,
            cards_at: moment(peak.cards_at),
            hourly: money(peak.hourly),
            hourly_at: moment(peak.hourly_at),
        }),
        fallback: plan.fallback.iter().map(|action| self::action(action, say)).collect(),
        cap: plan.cap.as_ref().map(|cap| Cap {
            cap: money(cap.cap),
            met: cap.met,
            total: money(cap.total),
            actions: cap.actions.iter().map(|action| self::action(action, say)).collect(),
            curve: cap.curve.iter().map(|point| trade_off(point, say)).collect(),
        }),
        baselines: baselines(plan, say),
        patience: plan.patience.iter().map(patience).collect(),
        measure_first: plan.measure_first.iter().map(measure_first).collect(),
        unknowns: speak(&plan.unknowns),
        notes: speak(&plan.notes),
        sources: plan.sources.iter().map(source).collect(),
    }
}

/// Returns the stable word for a class of cost.
pub const fn cost_word(kind: CostKind) -> &'static str {
    match kind {
        CostKind::Rent => "rent",
        CostKind::Storage => "storage",
        CostKind::Egress => "egress",
        CostKind::Trial => "trial",
        CostKind::DataMoving => "data_moving",
        CostKind::Operations => "operations",
        CostKind::Tax => "tax",
        CostKind::Margin => "margin",
    }
}

/// Returns the stable word for what moves the total.
pub const fn driver_word(driver: Driver) -> &'static str {
    match driver {
        Driver::Hours => "hours",
        Driver::Failures => "failures",
        Driver::Prices => "prices",
        Driver::Growth => "growth",
        Driver::Reclaims => "reclaims",
        Driver::Others => "others",
    }
}

/// Returns the stable word for a first step.
pub const fn step_word(step: FirstStep) -> &'static str {
    match step {
        FirstStep::Commit => "commit",
        FirstStep::Measure => "measure",
        FirstStep::OnDemand => "on_demand",
    }
}

/// Returns the stable word for a task.
pub const fn task_word(task: Task) -> &'static str {
    match task {
        Task::Inference => "inference",
        Task::Lora => "lora",
        Task::Qlora => "qlora",
        Task::Full => "full",
        Task::Pretrain => "pretrain",
        Task::Batch => "batch",
    }
}

/// Returns the stable word for a confidence.
pub const fn confidence_word(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
        Confidence::Exact => "exact",
    }
}

/// Returns the stable word for a naive choice.
pub const fn baseline_word(kind: BaselineKind) -> &'static str {
    match kind {
        BaselineKind::CheapestHourly => "cheapest_hourly",
        BaselineKind::AllOnDemand => "all_on_demand",
        BaselineKind::TopCard => "top_card",
        BaselineKind::GuideUtilisation => "guide_rule",
        BaselineKind::Guide200Hours => "guide_200_hours",
    }
}

const fn fallback_word(kind: FallbackKind) -> &'static str {
    match kind {
        FallbackKind::Wait => "wait",
        FallbackKind::Spot => "spot",
        FallbackKind::Quantise => "quantise",
        FallbackKind::SmallerCard => "smaller_card",
        FallbackKind::Postpone => "postpone",
        FallbackKind::FewerRuns => "fewer_runs",
    }
}

/// Writes a sum rounded to the smallest coin, with all its decimals and no sign of the currency.
fn money(money: Money) -> String {
    let digits = money.currency().minor_digits() as usize;
    format!("{:.digits$}", money.rounded().amount())
}

/// Writes a price, which may have more decimals than a coin.
fn price(price: Money) -> String {
    price.amount().round_dp(8).normalize().to_string()
}

fn hours(span: Seconds) -> String {
    span.decimal_hours().round_dp(4).normalize().to_string()
}

fn gib(bytes: Bytes) -> String {
    format!("{:.2}", bytes.gib())
}

fn figure(figure: f64) -> String {
    format!("{figure:.4}")
}

fn share(share: f64) -> String {
    format!("{share:.4}")
}

fn moment(moment: DateTime) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%S").to_string()
}

fn line(line: &outcome::BudgetLine, say: Say<'_>) -> Line {
    Line {
        kind: cost_word(line.kind),
        amount: line.amount.map(money),
        low: line.range.map(|range| money(range.low)),
        high: line.range.map(|range| money(range.high)),
        share: share(line.share.get()),
        detail: line.detail.iter().map(say).collect(),
    }
}

fn job(job: &outcome::JobPlan, say: Say<'_>) -> Job {
    Job {
        name: job.name.clone(),
        task: task_word(job.task),
        feasible: job.choice.is_some(),
        choice: job.choice.as_ref().map(|choice| self::choice(choice, say)),
        alternatives: job.alternatives.iter().map(|choice| self::choice(choice, say)).collect(),
        why: job.why.iter().map(say).collect(),
    }
}

fn choice(choice: &outcome::Choice, say: Say<'_>) -> Choice {
    let memory = choice.memory.as_ref();
    Choice {
        card: choice.card.to_string(),
        card_name: choice.card_name.clone(),
        cards: choice.cards,
        replicas: choice.replicas,
        instances: choice.instances,
        offer: choice.offer.clone(),
        provider: choice.provider.clone(),
        region: choice.region.clone(),
        mode: choice.mode.word(),
        hours: hours(choice.used),
        paid_hours: hours(choice.paid),
        hourly: price(choice.hourly),
        cost: money(choice.cost.likely),
        cost_low: money(choice.cost.low),
        cost_high: money(choice.cost.high),
        memory: Memory {
            needed: choice.memory_needed.get(),
            needed_gib: gib(choice.memory_needed),
            per_gpu: memory.map(|memory| PerGpu {
                allocated: memory.allocated.get(),
                allocated_gib: gib(memory.allocated),
                reserved: memory.reserved.get(),
                reserved_gib: gib(memory.reserved),
                nvidia_smi: memory.nvidia_smi.get(),
                nvidia_smi_gib: gib(memory.nvidia_smi),
                upper: memory.upper.get(),
                upper_gib: gib(memory.upper),
            }),
            breakdown: memory.map(|memory| Breakdown {
                weights: memory.breakdown.weights.get(),
                kv_cache: memory.breakdown.kv_cache.get(),
                activations: memory.breakdown.activations.get(),
                logits: memory.breakdown.logits.get(),
                gradients: memory.breakdown.gradients.get(),
                optimizer: memory.breakdown.optimizer.get(),
                adapters: memory.breakdown.adapters.get(),
                framework: memory.breakdown.framework.get(),
            }),
            confidence: memory.map(|memory| confidence_word(memory.confidence)),
        },
        time: Time {
            low: choice.time.low.get(),
            likely: choice.time.likely.get(),
            high: choice.time.high.get(),
            confidence: confidence_word(choice.time_confidence),
        },
        spot: choice.spot.as_ref().map(|spot| Spot {
            checkpoint_interval: spot.interval.get(),
            expected: spot.expected.get(),
            efficiency: share(spot.efficiency.get()),
            effective_ratio: spot.effective_ratio.map(share),
        }),
        service: choice.service.as_ref().map(|load| {
            let all = load.per_replica * f64::from(choice.replicas.max(1));
            Service {
                replicas_needed: load.replicas,
                cards_per_replica: load.cards_per_replica,
                peak: figure(load.peak),
                per_replica: figure(load.per_replica),
                batch: load.batch,
                usable: share(load.usable.get()),
                utilisation: share(load.peak / all),
                tpot: figure(load.tpot),
                in_flight: figure(load.in_flight),
            }
        }),
        scaling: choice
            .scaling
            .iter()
            .map(|one| Scaling {
                cards: one.cards,
                time: one.time.get(),
                efficiency: share(one.efficiency),
            })
            .collect(),
        how: choice.how.iter().map(say).collect(),
    }
}

fn mix(mix: &outcome::Mix) -> Mix {
    Mix {
        commitments: mix
            .commitments
            .iter()
            .map(|one| Commitment {
                offer: one.offer.clone(),
                card: one.card.to_string(),
                mode: one.mode.word(),
                count: one.count,
                start: moment(one.start),
                price: money(one.price),
                given_back: one.given_back.map(moment),
                break_even_hours: hours(one.break_even),
                used_hours: hours(one.used),
            })
            .collect(),
        cost: money(mix.cost),
        lower_bound: money(mix.lower_bound),
        gap: share(mix.gap),
        pools: mix
            .pools
            .iter()
            .map(|pool| Pool {
                card: pool.card.to_string(),
                demand: pool.demand.clone(),
                committed: pool.committed.clone(),
            })
            .collect(),
        packing: mix.packing.iter().map(packed).collect(),
        cost_if_bought: mix.cost_if_bought.map(money),
    }
}

fn packed(packed: &outcome::Packed) -> Packed {
    Packed {
        card: packed.card.to_string(),
        cards: packed.cards,
        apart: packed.apart,
        together: packed.together,
        lower_bound: packed.lower_bound,
        planned: packed.planned,
        jobs: packed.jobs.clone(),
    }
}

fn calendar_entry(entry: &outcome::CalendarEntry) -> CalendarEntry {
    CalendarEntry {
        job: entry.job.clone(),
        run: entry.run,
        start: moment(entry.start),
        end: moment(entry.end),
        card: entry.card.to_string(),
        cards: entry.cards,
        mode: entry.mode.word(),
    }
}

fn action(action: &outcome::FallbackAction, say: Say<'_>) -> FallbackAction {
    FallbackAction {
        kind: fallback_word(action.kind),
        job: action.job.clone(),
        action: say(&action.action),
        saving: money(action.saving),
        total: money(action.total),
        price: say(&action.price),
    }
}

fn baselines(plan: &outcome::Plan, say: Say<'_>) -> Baselines {
    let mut baselines = Baselines::default();
    for baseline in &plan.baselines {
        let place = match baseline.kind {
            BaselineKind::CheapestHourly => &mut baselines.cheapest_hourly,
            BaselineKind::AllOnDemand => &mut baselines.all_on_demand,
            BaselineKind::TopCard => &mut baselines.top_card,
            BaselineKind::GuideUtilisation => &mut baselines.guide_rule,
            BaselineKind::Guide200Hours => &mut baselines.guide_200_hours,
        };
        let saving = baseline.total.and_then(|total| total.checked_sub(plan.total).ok());
        *place = Some(Baseline {
            total: baseline.total.map(money),
            saving: saving.map(money),
            note: baseline.note.iter().map(say).collect(),
        });
    }
    baselines
}

fn sensitivity(one: &kasuan_plan::simulate::Sensitivity) -> Sensitivity {
    Sensitivity { driver: driver_word(one.driver), low: money(one.low), high: money(one.high) }
}

fn trade_off(point: &outcome::TradeOff, say: Say<'_>) -> TradeOff {
    TradeOff {
        total: money(point.total),
        action: point.action.as_ref().map(say),
        late_hours: hours(point.late),
        postponed_runs: point.postponed,
        price: point.price.as_ref().map(say),
    }
}

fn measure_first(one: &outcome::MeasureFirst) -> MeasureFirst {
    let number = |hours: rust_decimal::Decimal| hours.round_dp(2).normalize().to_string();
    MeasureFirst {
        offer: one.offer.clone(),
        card: one.card.to_string(),
        mode: one.mode.word(),
        count: one.count,
        action: step_word(one.step),
        hours_low: number(one.hours.low),
        hours_likely: number(one.hours.likely),
        hours_high: number(one.hours.high),
        assumed_range: one.assumed_range,
        bought: one.bought,
        break_even_hours: number(one.break_even),
        chance_above: share(one.chance_above.get()),
        regret_commit: money(one.regret_commit),
        regret_on_demand: money(one.regret_on_demand),
        regret_measure: money(one.regret_measure),
        value_of_knowing: money(one.value_of_knowing),
        decide_again: one.again.map(moment),
    }
}

fn patience(patience: &outcome::Patience) -> Patience {
    Patience {
        extra_hours: hours(patience.extra),
        rent: money(patience.rent),
        saving: money(patience.saving),
        per_hour: money(patience.per_hour),
    }
}

fn source(source: &kasuan_model::Source) -> Source {
    Source {
        text: source.text.clone(),
        date: source.date.map(|date| date.to_string()),
        licence: source.licence.clone(),
        grade: source.grade.to_string(),
    }
}
