//! The adviser on demands whose right answer is plain.

use super::*;
use proptest::prelude::*;

const MONTH: Term = Term { hours: 720, price: Decimal::from_parts(360, 0, 0, false, 0) };
const WEEK_AT_70: Term = Term { hours: 168, price: Decimal::from_parts(1176, 0, 0, false, 1) };

fn buys(demand: &[u32], terms: &[Term], held: &[Held]) -> Vec<(usize, u32)> {
    let observed = Observed { demand, on_demand: Decimal::ONE, terms, held };
    advise(&observed).unwrap().buy.iter().map(|buy| (buy.term, buy.count)).collect()
}

fn steady(cards: u32, hours: usize) -> Vec<u32> {
    vec![cards; hours]
}

#[test]
fn a_steady_month_is_committed_and_a_new_use_is_not() {
    assert_eq!(buys(&steady(4, 720), &[MONTH], &[]), [(0, 4)]);
    assert!(buys(&steady(4, 48), &[MONTH], &[]).is_empty());
    assert!(buys(&[], &[MONTH], &[]).is_empty());
}

#[test]
fn the_wait_is_over_when_what_it_cost_is_two_fifths_of_what_could_be_lost() {
    // 0.4 x 0.5 x 720 = 144 saved hours, at half an hour saved for each hour: 288 hours.
    assert!(buys(&steady(1, 287), &[MONTH], &[]).is_empty());
    assert_eq!(buys(&steady(1, 288), &[MONTH], &[]), [(0, 1)]);
}

#[test]
fn what_is_held_is_not_bought_again() {
    let held = [Held { count: 3, hours: 400 }];
    assert_eq!(buys(&steady(4, 720), &[MONTH], &held), [(0, 1)]);
    assert!(buys(&steady(3, 720), &[MONTH], &held).is_empty());
}

#[test]
fn a_level_that_has_stopped_is_not_committed_whatever_it_was() {
    let mut demand = steady(8, 2000);
    demand.extend(steady(2, 24));
    assert_eq!(buys(&demand, &[MONTH], &[]), [(0, 2)]);
}

#[test]
fn a_burst_of_a_week_is_not_committed_for_a_month() {
    let mut demand = steady(1, 720);
    demand.extend(steady(20, 168));
    assert_eq!(buys(&demand, &[MONTH], &[]), [(0, 1)]);
}

#[test]
fn use_below_break_even_is_never_committed() {
    let office: Vec<u32> =
        (0..3000).map(|hour| if (8..18).contains(&(hour % 24)) { 5 } else { 0 }).collect();
    assert!(buys(&office, &[MONTH], &[]).is_empty());
    let cheaper = Term { price: Decimal::from(216), ..MONTH };
    assert_eq!(buys(&office, &[cheaper], &[]), [(0, 5)]);
}

#[test]
fn a_young_use_takes_the_short_term_and_an_old_one_the_long() {
    let mut demand = steady(2, 800);
    demand.extend(steady(5, 200));
    assert_eq!(buys(&demand, &[MONTH, WEEK_AT_70], &[]), [(0, 2), (1, 3)]);
}

#[test]
fn a_term_that_is_no_cheaper_is_never_bought() {
    let dear = Term { price: Decimal::from(720), ..MONTH };
    assert!(buys(&steady(4, 5000), &[dear], &[]).is_empty());
}

#[test]
fn the_next_level_says_what_is_missing() {
    let mut demand = steady(2, 720);
    demand.extend(steady(3, 30));
    let observed =
        Observed { demand: &demand, on_demand: Decimal::ONE, terms: &[MONTH], held: &[] };
    let advice = advise(&observed).unwrap();
    let next = advice.next.unwrap();
    assert_eq!(next.level, 3);
    let window = next.evidence.slack_window().unwrap();
    assert_eq!(window.hours, 168);
    assert!((next.evidence.forgone_hours - 15.0).abs() < 1e-9);
    assert!(!next.evidence.is_enough());
    assert_eq!(advice.at_risk, Decimal::from(720));
}

#[test]
fn refuses_what_is_no_price_or_no_term() {
    let ask = |on_demand, term| {
        let terms = [term];
        advise(&Observed { demand: &[1; 30], on_demand, terms: &terms, held: &[] })
    };
    assert!(ask(Decimal::ZERO, MONTH).is_err());
    assert!(ask(Decimal::ONE, Term { hours: 0, ..MONTH }).is_err());
    assert!(ask(Decimal::ONE, Term { price: Decimal::NEGATIVE_ONE, ..MONTH }).is_err());
    let absurd = ask(Decimal::ONE, Term { price: Decimal::MAX, ..MONTH }).unwrap();
    assert!(absurd.buy.is_empty());
}

proptest! {
    #[test]
    fn a_team_never_pays_more_than_the_stated_multiple_of_on_demand(
        spells in prop::collection::vec((0_u32..4, 1_usize..900), 1..8),
        percent in 30_i64..95,
    ) {
        // Asked every day; the term is charged in full, as bought.
        let demand: Vec<u32> =
            spells.iter().flat_map(|(cards, hours)| steady(*cards, *hours)).collect();
        let term = Term { hours: 240, price: Decimal::new(240 * percent, 2) };
        let ratio = percent as f64 / 100.0;
        let (mut held, mut cost): (Vec<(u32, usize)>, f64) = (Vec::new(), 0.0);
        for hour in 0..demand.len() {
            if hour % 24 == 0 {
                held.retain(|(_, end)| *end > hour);
                let now: Vec<Held> = held
                    .iter()
                    .map(|(count, end)| Held { count: *count, hours: (end - hour) as u32 })
                    .collect();
                for (_, count) in buys(&demand[..hour], &[term], &now) {
                    held.push((count, hour + 240));
                    cost += f64::from(count) * 240.0 * ratio;
                }
            }
            let covered: u32 = held.iter().filter(|(_, end)| *end > hour).map(|(c, _)| c).sum();
            cost += f64::from(demand[hour].saturating_sub(covered));
        }
        let on_demand: u32 = demand.iter().sum();
        let bound = 1.0 + (1.0 - ratio) / REGRET_SHARE;
        prop_assert!(cost <= bound * f64::from(on_demand) + 1e-9, "{cost} against {on_demand}");
    }
}
