//! What the planner's tests share: small worlds, jobs, and the one place that calls the planner.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use jiff::civil::{Date, date};
use kasuan_market::{CardNames, Catalogue, Terms};
use kasuan_model::{
    BillingMode, CardId, Currency, Estimate, Interconnect, Money, Offer, PricePer, Rates, Seconds,
    Source,
};
use kasuan_plan::{
    PlanError, World, mix_only,
    outcome::{BaselineKind, CostKind, Mix, Plan},
    plan,
    workload::{
        Amount, Checkpoints, Job, Margin, Policy, Runs, Task, Team, Transfer, Trial, Workload,
    },
};
use rust_decimal::Decimal;

pub const TODAY: Date = date(2026, 12, 1);

pub fn money(text: &str) -> Money {
    Money::new(text.parse().unwrap(), Currency::CNY)
}

/// An offer of one card of a provider, as a user's price card would state it.
pub fn offer(provider: &str, card: &str, mode: BillingMode, price: &str) -> Offer {
    let per = if mode.is_commitment() { PricePer::Term } else { PricePer::Hour };
    let mut source = Source::stated("price card");
    source.date = Some(TODAY);
    Offer {
        id: format!("{provider}/{card}/{mode}"),
        provider: provider.to_owned(),
        region: String::new(),
        country: "CN".to_owned(),
        product: card.to_owned(),
        card: CardId::new(card),
        card_raw: card.to_owned(),
        count: 1,
        slices: 1,
        tier: String::new(),
        host_included: Some(true),
        vcpus: None,
        memory: None,
        disk: None,
        interconnect: Interconnect::Unknown,
        mode,
        price: money(price),
        per,
        granularity: Some(Seconds::new(1)),
        minimum: None,
        stock: None,
        source,
        notes: String::new(),
    }
}

pub fn catalogue(offers: Vec<Offer>) -> Catalogue {
    let shipped = Catalogue::shipped().unwrap();
    Catalogue::new(shipped.cards().to_vec(), CardNames::default(), offers, Vec::new())
}

/// A catalogue of a provider `a` whose packages of this mode can be given back at this factor.
pub fn refunding(offers: Vec<Offer>, mode: BillingMode, factor: &str) -> Catalogue {
    let shipped = Catalogue::shipped().unwrap();
    let mut terms = Terms::unstated("a", Currency::CNY);
    terms.packages.refund = vec![(mode, factor.parse().unwrap())];
    Catalogue::new(shipped.cards().to_vec(), CardNames::default(), offers, vec![terms])
}

/// A workload of December 2026 with no trial, no margin and nothing stored.
pub fn workload(jobs: Vec<Job>) -> Workload {
    Workload {
        currency: Currency::CNY,
        month: date(2026, 12, 1),
        days: None,
        jobs,
        storage: Vec::new(),
        transfer: Transfer::default(),
        team: Team::default(),
        policy: Policy {
            margin: Margin::Nothing,
            trial: Trial::Amount(Money::zero(Currency::CNY)),
            // What a guess is worth has tests of its own.
            trust_hours: true,
            ..Policy::default()
        },
        rates: Rates::default(),
        held: Vec::new(),
    }
}

/// A job of so many hours, so often.
pub fn runs(name: &str, hours: &str, runs: Runs) -> Job {
    let mut job = Job::new(name, Task::Batch);
    let hours: Decimal = hours.parse().unwrap();
    job.amount = Amount::Hours { hours: Estimate::exact(hours), measured_on: None };
    job.memory = Some("8 GiB".parse().unwrap());
    job.runs = runs;
    job
}

/// A service that is up from one hour of the day to another.
pub fn service(name: &str, from: i8, to: i8) -> Job {
    let mut job = Job::new(name, Task::Inference);
    job.amount = Amount::Service;
    job.memory = Some("16 GiB".parse().unwrap());
    job.window.daily = Some((jiff::civil::time(from, 0, 0, 0), jiff::civil::time(to, 0, 0, 0)));
    job
}

pub fn checkpoints() -> Checkpoints {
    Checkpoints {
        write: Seconds::from_minutes(1),
        restart: Seconds::from_minutes(3),
        interval: None,
    }
}

/// The only place that calls the planner.
pub fn try_check(workload: &Workload, catalogue: &Catalogue) -> Result<Plan, PlanError> {
    plan(workload, &World { catalogue, today: TODAY, seed: 1, measured: &[] })
}

pub fn check(workload: &Workload, catalogue: &Catalogue) -> Plan {
    try_check(workload, catalogue).unwrap()
}

/// The mix alone.
pub fn mix(workload: &Workload, catalogue: &Catalogue) -> Mix {
    let world = World { catalogue, today: TODAY, seed: 1, measured: &[] };
    mix_only(workload, &world).unwrap()
}

pub fn amount(plan: &Plan, kind: CostKind) -> Option<Money> {
    plan.budget.lines.iter().find(|line| line.kind == kind).and_then(|line| line.amount)
}

pub fn baseline(plan: &Plan, kind: BaselineKind) -> Option<Money> {
    plan.baselines.iter().find(|baseline| baseline.kind == kind).and_then(|one| one.total)
}

/// The plan as text: choices, lines and totals, without the words of any language.
pub fn render(plan: &Plan) -> String {
    let mut text = String::new();
    for job in &plan.jobs {
        match &job.choice {
            Some(choice) => text.push_str(&format!(
                "{}: {} x{} {} {} used {:.1} h paid {:.1} h cost {}\n",
                job.name,
                choice.card,
                choice.cards * choice.replicas,
                choice.provider,
                choice.mode,
                choice.used.hours(),
                choice.paid.hours(),
                choice.cost.likely,
            )),
            None => {
                let why: Vec<String> = job.why.iter().map(words).collect();
                text.push_str(&format!("{}: nothing ({})\n", job.name, why.join("; ")));
            }
        }
    }
    for one in &plan.mix.commitments {
        text.push_str(&format!(
            "buy {} x {} {} from {} for {} (break-even {:.1} h)\n",
            one.count,
            one.card,
            one.mode,
            one.start,
            one.price,
            one.break_even.hours(),
        ));
    }
    for line in &plan.budget.lines {
        match line.amount {
            Some(amount) => text.push_str(&format!("{:?} {}\n", line.kind, amount)),
            None => text.push_str(&format!("{:?} unknown\n", line.kind)),
        }
    }
    text.push_str(&format!("total {} idle {}\n", plan.total, plan.budget.idle));
    text
}

/// A phrase as key and arguments.
pub fn words(phrase: &kasuan_model::Phrase) -> String {
    let args: Vec<String> =
        phrase.args().iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("{} {}", phrase.key(), args.join(" ")).trim_end().to_owned()
}
