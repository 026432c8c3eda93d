//! The advisers on measured and generated series: the figures that the docs promise.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

use kasuan_model::{Currency, Seconds};
use kasuan_plan::{
    commitment::{
        Held, Horizon, Observed, OnDemand, Problem, Starts, Tenor, Term, advise, level_use,
        optimise,
    },
    simulate::Random,
    spot::{Rule, Trial, hindsight, replay},
};
use rust_decimal::{Decimal, prelude::ToPrimitive as _};

/// Says how many cards to commit to, from the demand so far and what is held.
type Committer<'a> = dyn Fn(&[u32], &[Held]) -> u32 + 'a;

/// Hourly demand of 15 teams; source and licence in `data/README.md`.
const PHILLY: &str = include_str!("data/philly_vc_hourly.csv");

fn philly(skip: usize) -> Vec<Vec<u32>> {
    let mut series: Vec<Vec<u32>> = Vec::new();
    for line in PHILLY.lines().skip(1 + skip) {
        for (index, cell) in line.split(',').skip(1).enumerate() {
            if series.len() <= index {
                series.push(Vec::new());
            }
            series[index].push(cell.parse().unwrap());
        }
    }
    series
}

fn busy(series: Vec<Vec<u32>>, history: usize) -> Vec<Vec<u32>> {
    let enough = |demand: &Vec<u32>| {
        let test = &demand[history..];
        f64::from(test.iter().sum::<u32>()) >= 3.0 * test.len() as f64
    };
    series.into_iter().filter(enough).collect()
}

/// Cost of a rule that is asked every day and sees only the past; terms past the end pro rata.
fn play(demand: &[u32], history: usize, term: Term, rule: &dyn Fn(&[u32], &[Held]) -> u32) -> f64 {
    let whole = term.hours as usize;
    let fee = term.price.to_f64().unwrap();
    let (mut held, mut cost): (Vec<(u32, usize)>, f64) = (Vec::new(), 0.0);
    for hour in history..demand.len() {
        if (hour - history).is_multiple_of(24) {
            held.retain(|(_, end)| *end > hour);
            let now: Vec<Held> = held
                .iter()
                .map(|(count, end)| Held { count: *count, hours: (end - hour) as u32 })
                .collect();
            let count = rule(&demand[..hour], &now);
            held.push((count, hour + whole));
            let within = demand.len().min(hour + whole) - hour;
            cost += f64::from(count) * fee * within as f64 / whole as f64;
        }
        let covered: u32 = held.iter().filter(|(_, end)| *end > hour).map(|(c, _)| c).sum();
        cost += f64::from(demand[hour].saturating_sub(covered));
    }
    cost
}

fn optimum(demand: &[u32], term: Term) -> f64 {
    let tenors = [Tenor { hours: term.hours, price: term.price, stock: None, starts: Starts::Any }];
    let solution = optimise(&Problem {
        currency: Currency::CNY,
        demand,
        on_demand: &[OnDemand::flat(Decimal::ONE)],
        tenors: &tenors,
        held: &[],
        horizon: Horizon::ProRata,
    });
    solution.unwrap().cost.amount().to_f64().unwrap()
}

/// Mean and most of cost over the optimum, by the adviser and by the trailing seven days.
fn compare(series: &[Vec<u32>], history: usize, hours: u32, percent: i64) -> [(f64, f64); 2] {
    let term = Term { hours, price: Decimal::new(i64::from(hours) * percent, 2) };
    let ratio = percent as f64 / 100.0;
    let adviser = |demand: &[u32], held: &[Held]| {
        let terms = [term];
        let observed = Observed { demand, on_demand: Decimal::ONE, terms: &terms, held };
        advise(&observed).unwrap().buy.iter().map(|buy| buy.count).sum()
    };
    let trailing = |demand: &[u32], held: &[Held]| {
        let week = &demand[demand.len().saturating_sub(168)..];
        let used = level_use(week);
        let enough = |used: &&u32| f64::from(**used) > ratio * week.len() as f64;
        let wanted = used.iter().take_while(enough).count() as u32;
        wanted.saturating_sub(held.iter().map(|held| held.count).sum())
    };
    let mut figures = [(0.0, 0.0_f64); 2];
    for demand in series {
        let best = optimum(&demand[history..], term);
        let rules: [&Committer<'_>; 2] = [&adviser, &trailing];
        for (figure, rule) in figures.iter_mut().zip(rules) {
            let over = play(demand, history, term, rule) / best;
            figure.0 += over / series.len() as f64;
            figure.1 = figure.1.max(over);
        }
    }
    figures
}

#[test]
fn on_philly_the_adviser_stays_within_12_per_cent_of_hindsight_on_average() {
    let series = busy(philly(336), 720);
    assert_eq!(series.len(), 10);
    let [(mean, most), (trailing, trailing_most)] = compare(&series, 720, 720, 50);
    assert!(mean <= 1.12 && most <= 1.35, "{mean} {most}");
    assert!(mean < trailing && most < trailing_most, "{trailing} {trailing_most}");
}

#[test]
fn the_adviser_beats_the_trailing_week_at_a_weak_discount_too() {
    let series: Vec<Vec<u32>> = busy(philly(336), 720).into_iter().take(4).collect();
    let [(mean, most), (trailing, trailing_most)] = compare(&series, 720, 720, 84);
    assert!(mean < trailing && most < trailing_most, "{mean} {most} {trailing} {trailing_most}");
}

#[test]
fn weekly_terms_with_a_week_of_history_are_advised_as_well() {
    let short: Vec<Vec<u32>> = philly(336).iter().map(|d| d[..900].to_vec()).collect();
    let [(mean, _), (trailing, _)] = compare(&busy(short, 168), 168, 168, 50);
    assert!(mean < trailing, "{mean} against {trailing}");
}

/// Spells of availability with heavy tails: `exp` of a normal number, in half hours.
fn zone(seed: u64, up: f64, down: f64, steps: usize) -> Vec<bool> {
    let mut random = Random::seeded(seed);
    let mut trace = Vec::with_capacity(steps);
    let mut is_up = false;
    while trace.len() < steps {
        let median = if is_up { up } else { down };
        let length = (median * (1.3 * random.normal()).exp()).ceil().max(1.0);
        trace.extend(std::iter::repeat_n(is_up, length as usize));
        is_up = !is_up;
    }
    trace.truncate(steps);
    trace
}

fn trial(slack: u32) -> Trial {
    Trial {
        work: Seconds::from_hours(6),
        window: Seconds::from_hours(6 + slack),
        restart: Seconds::new(720),
        step: Seconds::from_minutes(30),
        spot_price: 0.317,
        on_demand_price: 1.0,
    }
}

#[test]
fn no_deadline_is_missed_and_the_programme_is_cheaper_than_the_rules() {
    let zones = [zone(1, 3.0, 6.0, 900), zone(2, 8.0, 8.0, 900), zone(3, 20.0, 5.0, 900)];
    let mut cost = [0.0; 3];
    let mut best = 0.0;
    for trace in &zones {
        for start in [500, 540, 600, 650, 710] {
            let trial = trial(5);
            best += hindsight(&trial, trace, start).unwrap();
            for (sum, rule) in
                cost.iter_mut().zip([Rule::Programme, Rule::UniformProgress, Rule::Greedy])
            {
                let outcome = replay(&trial, trace, start, rule).unwrap();
                assert!(!outcome.missed, "{rule:?} missed a deadline");
                *sum += outcome.cost;
            }
        }
    }
    assert!(cost[0] < cost[1] && cost[0] < cost[2], "{cost:?}");
    assert!(cost[0] < 1.15 * best, "{} against {best}", cost[0]);
}

#[test]
fn a_deadline_is_met_in_zones_that_never_have_machines_and_in_zones_that_flap() {
    let dark = vec![false; 400];
    let flapping: Vec<bool> = (0..400).map(|step| step % 2 == 0).collect();
    for trace in [dark, flapping] {
        for slack in [1, 3] {
            for rule in [Rule::Programme, Rule::UniformProgress, Rule::Greedy] {
                let outcome = replay(&trial(slack), &trace, 200, rule).unwrap();
                assert!(!outcome.missed, "{rule:?} with {slack} h of slack");
            }
        }
    }
}
