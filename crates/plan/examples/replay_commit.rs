//! Replays commitment rules on measured demand and prints cost over the perfect-foresight optimum.
//!
//! `cargo run --release -p kasuan-plan --example replay_commit -- SERIES.csv [TERM_HOURS] [HISTORY] [SKIP]`
//! The first column is the hour, every further one a team's demand. Each day a rule sees the demand
//! so far; terms that reach past the end are charged by the hours within, for every rule alike.

use kasuan_model::Currency;
use kasuan_plan::commitment::{
    Held, Horizon, Observed, OnDemand, Problem, Starts, Tenor, Term, advise, level_use, optimise,
};
use rust_decimal::{Decimal, prelude::ToPrimitive as _};

const RATIOS: [i64; 5] = [40, 50, 60, 70, 84];

/// What a rule is given each day: demand so far, what is held, the term, and its break-even.
struct Day<'a> {
    demand: &'a [u32],
    held: Vec<Held>,
    term: Term,
    break_even: f64,
}

type Rule = fn(&Day<'_>) -> u32;

const RULES: [(&str, Rule); 10] = [
    ("all on demand", |_| 0),
    ("guide: utilisation of the fleet", guide_fleet),
    ("guide: from 50 % for each card", |day| for_each_card(day, 0.5)),
    ("guide: from 70 % for each card", |day| for_each_card(day, 0.7)),
    ("guide: above 200 h for each card", |day| for_each_card(day, 200.0 / 720.0)),
    ("trailing 7 days", |day| above(day, &[168], 1.0)),
    ("trailing term", |day| above(day, &[day.term.hours as usize], 1.0)),
    ("1, 7, 30 days agree", |day| above(day, &[24, 168, 720], 1.0)),
    ("the same, 1.2 x break-even", |day| above(day, &[24, 168, 720], 1.2)),
    ("kasuan advise commit", |day| {
        let terms = [day.term];
        let observed = Observed {
            demand: day.demand,
            on_demand: Decimal::ONE,
            terms: &terms,
            held: &day.held,
        };
        advise(&observed).map_or(0, |advice| advice.buy.iter().map(|buy| buy.count).sum())
    }),
];

/// Cards whose use is above break-even in every window, beyond those held.
fn above(day: &Day<'_>, windows: &[usize], margin: f64) -> u32 {
    let limit = (day.break_even * margin).min(0.999);
    let levels = windows.iter().map(|hours| {
        let seen = &day.demand[day.demand.len().saturating_sub(*hours)..];
        let used = level_use(seen);
        let enough = |used: &&u32| f64::from(**used) / seen.len() as f64 > limit;
        used.iter().take_while(enough).count() as u32
    });
    let held: u32 = day.held.iter().map(|held| held.count).sum();
    levels.min().unwrap_or(0).saturating_sub(held)
}

/// The founding guide's rule for each card alone: a term for a card that was in use for this share
/// of the last 30 days.
fn for_each_card(day: &Day<'_>, share: f64) -> u32 {
    let seen = &day.demand[day.demand.len().saturating_sub(720)..];
    let used = level_use(seen);
    let enough = used.iter().take_while(|used| f64::from(**used) / seen.len() as f64 >= share);
    let held: u32 = day.held.iter().map(|held| held.count).sum();
    (enough.count() as u32).saturating_sub(held)
}

/// The same rule for the fleet as one: the mean over the peak of the last 30 days is its
/// utilisation; from 50 % the mean is committed, from 70 % the peak.
fn guide_fleet(day: &Day<'_>) -> u32 {
    let seen = &day.demand[day.demand.len().saturating_sub(720)..];
    let peak = seen.iter().copied().max().unwrap_or(0);
    let mean = f64::from(seen.iter().sum::<u32>()) / seen.len().max(1) as f64;
    let wanted = match mean / f64::from(peak.max(1)) {
        utilisation if utilisation > 0.7 => peak,
        utilisation if utilisation >= 0.5 => mean.round() as u32,
        _ => 0,
    };
    let held: u32 = day.held.iter().map(|held| held.count).sum();
    wanted.saturating_sub(held)
}

fn play(demand: &[u32], history: usize, term: Term, break_even: f64, rule: Rule) -> f64 {
    let whole = term.hours as usize;
    let fee = break_even * whole as f64;
    let (mut held, mut cost): (Vec<(u32, usize)>, f64) = (Vec::new(), 0.0);
    for hour in history..demand.len() {
        if (hour - history).is_multiple_of(24) {
            held.retain(|(_, end)| *end > hour);
            let now =
                held.iter().map(|(count, end)| Held { count: *count, hours: (end - hour) as u32 });
            let day = Day { demand: &demand[..hour], held: now.collect(), term, break_even };
            let count = rule(&day);
            if count > 0 {
                held.push((count, hour + whole));
                let within = demand.len().min(hour + whole) - hour;
                cost += f64::from(count) * fee * within as f64 / whole as f64;
            }
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
    solution.ok().and_then(|solution| solution.cost.amount().to_f64()).unwrap_or(f64::NAN)
}

fn read(path: &str, skip: usize) -> std::io::Result<Vec<Vec<u32>>> {
    let text = std::fs::read_to_string(path)?;
    let mut series: Vec<Vec<u32>> = Vec::new();
    for line in text.lines().skip(1 + skip) {
        for (index, cell) in line.split(',').skip(1).enumerate() {
            let value = cell.trim().parse::<f64>().unwrap_or(0.0).round_ties_even().max(0.0);
            if series.len() <= index {
                series.push(Vec::new());
            }
            series[index].push(value as u32);
        }
    }
    Ok(series)
}

#[expect(clippy::print_stdout, reason = "an example prints its table")]
fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_default();
    let mut number = |default| arguments.next().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (hours, history, skip): (usize, usize, usize) = (number(720), number(720), number(0));
    let series = read(&path, skip)?;
    let busy = |demand: &&Vec<u32>| {
        let test = demand.get(history..).unwrap_or_default();
        !test.is_empty() && f64::from(test.iter().sum::<u32>()) >= 3.0 * test.len() as f64
    };
    let series: Vec<_> = series.iter().filter(busy).collect();
    println!(
        "{} series; mean / max of cost over the optimum, worst cost over on demand",
        series.len()
    );
    print!("| rule |");
    for percent in RATIOS {
        print!(" {:.2} |", percent as f64 / 100.0);
    }
    println!();
    print!("| perfect foresight, saving against on demand: mean / most |");
    for percent in RATIOS {
        let price = Decimal::new(hours as i64 * percent, 2);
        let term = Term { hours: hours as u32, price };
        let saving = |demand: &&Vec<u32>| {
            let test = &demand[history..];
            1.0 - optimum(test, term) / f64::from(test.iter().sum::<u32>())
        };
        let savings: Vec<f64> = series.iter().map(saving).collect();
        let most = savings.iter().copied().fold(0.0, f64::max);
        print!(" {:.3} / {most:.3} |", savings.iter().sum::<f64>() / savings.len() as f64);
    }
    println!();
    for (name, rule) in RULES {
        print!("| {name} |");
        for percent in RATIOS {
            let price = Decimal::new(hours as i64 * percent, 2);
            let term = Term { hours: hours as u32, price };
            let (mut sum, mut most, mut worst) = (0.0, 0.0_f64, 0.0_f64);
            for demand in &series {
                let test = &demand[history..];
                let cost = play(demand, history, term, percent as f64 / 100.0, rule);
                let ratio = cost / optimum(test, term);
                sum += ratio;
                most = most.max(ratio);
                worst = worst.max(cost / f64::from(test.iter().sum::<u32>()));
            }
            print!(" {:.3} / {most:.3}, {worst:.2} |", sum / series.len() as f64);
        }
        println!();
    }
    Ok(())
}
