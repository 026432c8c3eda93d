//! The commitment optimum against a general LP solver, and against figures with a known answer.

#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::print_stderr,
    reason = "a helper of a test stops at once, compares exact figures, and may say why it skips"
)]

use kasuan_model::Currency;
use kasuan_plan::commitment::{
    Held, Horizon, Levels, OnDemand, Problem, Starts, Tenor, break_even_hours, cheapest_by_use,
    level_use, optimise,
};
use microlp::{ComparisonOp, OptimizationDirection, Problem as Lp};
use proptest::prelude::*;
use rust_decimal::{Decimal, prelude::ToPrimitive as _};

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn problem<'a>(demand: &'a [u32], on_demand: &'a [OnDemand], tenors: &'a [Tenor]) -> Problem<'a> {
    Problem {
        currency: Currency::CNY,
        demand,
        on_demand,
        tenors,
        held: &[],
        horizon: Horizon::Full,
    }
}

fn starts_of(starts: &Starts, hours: usize) -> Vec<usize> {
    (0..hours)
        .filter(|hour| match starts {
            Starts::Any => true,
            Starts::Every { first, step } => {
                *hour >= *first as usize && (*hour - *first as usize).is_multiple_of(*step as usize)
            }
            Starts::At(list) => list.contains(&(*hour as u32)),
        })
        .collect()
}

/// The same problem, written down row by row for a general solver.
fn lp_optimum(problem: &Problem<'_>) -> f64 {
    let hours = problem.demand.len();
    let mut lp = Lp::new(OptimizationDirection::Minimize);
    let mut rows: Vec<Vec<(microlp::Variable, f64)>> = vec![Vec::new(); hours];
    for offer in problem.on_demand {
        let most = offer.stock.map_or(f64::INFINITY, f64::from);
        for (hour, row) in rows.iter_mut().enumerate() {
            let price = offer.hourly[hour.min(offer.hourly.len() - 1)].to_f64().unwrap();
            row.push((lp.add_var(price, (0.0, most)), 1.0));
        }
    }
    for tenor in problem.tenors {
        let mut together = Vec::new();
        for start in starts_of(&tenor.starts, hours) {
            let end = (start + tenor.hours as usize).min(hours);
            let share = match problem.horizon {
                Horizon::Full => 1.0,
                Horizon::ProRata => (end - start) as f64 / f64::from(tenor.hours),
            };
            let variable = lp.add_var(tenor.price.to_f64().unwrap() * share, (0.0, f64::INFINITY));
            for row in &mut rows[start..end] {
                row.push((variable, 1.0));
            }
            together.push((variable, 1.0));
        }
        if let Some(stock) = tenor.stock {
            lp.add_constraint(together.as_slice(), ComparisonOp::Le, f64::from(stock));
        }
    }
    for (hour, row) in rows.iter().enumerate() {
        let held: u32 = problem
            .held
            .iter()
            .filter(|held| held.hours as usize > hour)
            .map(|held| held.count)
            .sum();
        let wanted = problem.demand[hour].saturating_sub(held);
        lp.add_constraint(row.as_slice(), ComparisonOp::Ge, f64::from(wanted));
    }
    lp.solve().unwrap().into_solution().unwrap().objective()
}

fn any_starts() -> impl Strategy<Value = Starts> {
    prop_oneof![
        Just(Starts::Any),
        (0_u32..10, 1_u32..20).prop_map(|(first, step)| Starts::Every { first, step }),
        prop::collection::vec(0_u32..60, 0..6).prop_map(Starts::At),
    ]
}

prop_compose! {
    fn any_tenor(hours: std::ops::Range<u32>)
        (hours in hours, cents in 0_i64..4000, starts in any_starts())
        -> Tenor
    {
        Tenor { hours, price: Decimal::new(cents, 2), stock: None, starts }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_flow_costs_what_the_lp_costs(
        demand in prop::collection::vec(0_u32..9, 1..60),
        tenors in prop::collection::vec(any_tenor(1..50), 0..4),
        prices in prop::collection::vec(1_i64..200, 60),
        flat in any::<bool>(),
        pro_rata in any::<bool>(),
        held in prop::collection::vec((0_u32..4, 0_u32..70), 0..3),
    ) {
        let hourly: Vec<Decimal> = prices.iter().map(|cents| Decimal::new(*cents, 2)).collect();
        let on_demand = if flat { vec![OnDemand::flat(hourly[0])] } else { vec![OnDemand { hourly, stock: None }] };
        let held: Vec<Held> = held.into_iter().map(|(count, hours)| Held { count, hours }).collect();
        let horizon = if pro_rata { Horizon::ProRata } else { Horizon::Full };
        let problem = Problem { currency: Currency::CNY, demand: &demand, on_demand: &on_demand, tenors: &tenors, held: &held, horizon };
        let solution = optimise(&problem).unwrap();
        let cost = solution.cost.amount().to_f64().unwrap();
        let optimum = lp_optimum(&problem);
        prop_assert!((cost - optimum).abs() <= 1e-6 * optimum.max(1.0), "{cost} against {optimum}");
        prop_assert_eq!(solution.cost, solution.lower_bound);
        for (hour, wanted) in demand.iter().enumerate() {
            prop_assert!(solution.committed[hour] + solution.on_demand[hour] >= *wanted);
        }
    }

    #[test]
    fn stock_that_lasts_over_the_horizon_is_exact(
        demand in prop::collection::vec(0_u32..9, 1..40),
        cheap in any_tenor(40..60),
        dear in any_tenor(1..40),
        stock in 0_u32..6,
        first in 0_u32..6,
    ) {
        let tenors = [Tenor { stock: Some(stock), ..cheap }, dear];
        let on_demand = [
            OnDemand { hourly: vec![Decimal::ONE], stock: Some(first) },
            OnDemand::flat(Decimal::TWO),
        ];
        let problem = problem(&demand, &on_demand, &tenors);
        let solution = optimise(&problem).unwrap();
        let cost = solution.cost.amount().to_f64().unwrap();
        let optimum = lp_optimum(&problem);
        prop_assert!((cost - optimum).abs() <= 1e-6 * optimum.max(1.0), "{cost} against {optimum}");
        let bought: u32 = solution.purchases.iter().filter(|p| p.tenor == 0).map(|p| p.count).sum();
        prop_assert!(bought <= stock);
    }

    #[test]
    fn stock_of_short_terms_is_kept_and_the_bound_said(
        demand in prop::collection::vec(0_u32..9, 1..60),
        tenor in any_tenor(2..20),
        stock in 0_u32..5,
    ) {
        let tenors = [Tenor { stock: Some(stock), ..tenor }];
        let on_demand = [OnDemand::flat(Decimal::ONE)];
        let solution = optimise(&problem(&demand, &on_demand, &tenors)).unwrap();
        prop_assert!(solution.lower_bound.amount() <= solution.cost.amount());
        prop_assert!(solution.committed.iter().all(|committed| *committed <= stock));
        let all_on_demand: u32 = demand.iter().sum();
        prop_assert!(solution.cost.amount() <= Decimal::from(all_on_demand));
    }

    #[test]
    fn one_term_over_the_whole_period_is_the_closed_form(
        demand in prop::collection::vec(0_u32..12, 1..200),
        cents in 1_i64..20_000,
    ) {
        let price = Decimal::new(cents, 2);
        let tenors = [Tenor { hours: demand.len() as u32, price, stock: None, starts: Starts::At(vec![0]) }];
        let on_demand = [OnDemand::flat(Decimal::ONE)];
        let solution = optimise(&problem(&demand, &on_demand, &tenors)).unwrap();
        let levels = Levels::of(&demand, Decimal::ONE, price).unwrap();
        prop_assert_eq!(solution.cost.amount(), levels.cost.normalize());
        prop_assert_eq!(levels.used.iter().sum::<u32>(), demand.iter().sum::<u32>());
    }
}

#[test]
fn hours_that_no_stock_can_serve_are_said() {
    let on_demand = [OnDemand { hourly: vec![Decimal::ONE], stock: Some(2) }];
    let solution = optimise(&problem(&[1, 5, 2], &on_demand, &[])).unwrap();
    assert_eq!(solution.unserved, [0, 3, 0]);
    assert_eq!(solution.on_demand, [1, 2, 2]);
    assert_eq!(solution.cost.amount(), Decimal::from(5));
}

#[test]
fn a_freed_commitment_serves_a_lower_level() {
    // Two cards for a day, then one: decided level by level both days would be bought for each.
    let demand: Vec<u32> = [2, 1].iter().flat_map(|cards| vec![*cards; 24]).collect();
    let tenors = [Tenor { hours: 24, price: decimal("12"), stock: None, starts: Starts::Any }];
    let solution = optimise(&problem(&demand, &[OnDemand::flat(Decimal::ONE)], &tenors)).unwrap();
    assert_eq!(solution.cost.amount(), decimal("36"));
    assert_eq!(solution.purchases.iter().map(|p| p.count).sum::<u32>(), 3);
}

#[test]
fn an_empty_demand_costs_nothing() {
    let solution = optimise(&problem(&[], &[OnDemand::flat(Decimal::ONE)], &[])).unwrap();
    assert!(solution.cost.is_zero() && solution.purchases.is_empty());
}

#[test]
fn refuses_what_is_no_price() {
    let bad = [OnDemand::flat(decimal("-1"))];
    assert!(optimise(&problem(&[1], &bad, &[])).is_err());
    assert!(optimise(&problem(&[1], &[], &[])).is_err());
    let short = [OnDemand { hourly: vec![Decimal::ONE, Decimal::ONE], stock: None }];
    assert!(optimise(&problem(&[1, 1, 1], &short, &[])).is_err());
    let huge = [OnDemand::flat(Decimal::MAX)];
    assert!(optimise(&problem(&[1], &huge, &[])).is_err());
}

#[test]
fn fx_004_a_monthly_price_40_to_60_percent_below_breaks_even_at_292_to_438_hours_never_200() {
    let hourly = decimal("5");
    let full = hourly * decimal("730");
    assert_eq!(break_even_hours(full * decimal("0.6"), hourly), Some(decimal("438")));
    assert_eq!(break_even_hours(full * decimal("0.4"), hourly), Some(decimal("292")));
    assert!(break_even_hours(full * decimal("0.28"), hourly).unwrap() > decimal("200"));
}

#[test]
fn fx_005_the_same_300_hours_go_monthly_or_on_demand_by_the_price_pair_alone() {
    let hours = decimal("300");
    let monthly_at = |break_even: &str| {
        let modes =
            [(Decimal::ZERO, decimal("5")), (decimal("5") * decimal(break_even), Decimal::ZERO)];
        cheapest_by_use(&modes, hours)
    };
    assert_eq!(monthly_at("250"), Some(1));
    assert_eq!(monthly_at("604"), Some(0));
}

#[test]
fn fx_066_compshare_4090_breaks_even_at_22_hours_a_day_and_604_a_month() {
    let hourly = decimal("1.66");
    let day = break_even_hours(decimal("36.73"), hourly).unwrap();
    let month = break_even_hours(decimal("1001.95"), hourly).unwrap();
    assert_eq!(day.round_dp(1), decimal("22.1"));
    assert_eq!(month.round_dp(1), decimal("603.6"));
}

#[test]
fn fx_067_featurize_breaks_even_between_250_and_445_hours() {
    for (hourly, month, expected) in [("3.6", "1500", "416.7"), ("0.7", "180", "257.1")] {
        let hours = break_even_hours(decimal(month), decimal(hourly)).unwrap();
        assert_eq!(hours.round_dp(1), decimal(expected));
    }
}

#[test]
fn levels_are_used_as_often_as_the_demand_reaches_them() {
    assert_eq!(level_use(&[0, 3, 1, 1]), [3, 1, 1]);
    assert!(level_use(&[0, 0]).is_empty());
    assert_eq!(break_even_hours(Decimal::ONE, Decimal::ZERO), None);
}
