//! The simulated months against what is known without simulation.

use super::*;

fn yuan(amount: f64) -> Money {
    Money::new(Decimal::from_f64(amount).unwrap(), Currency::CNY)
}

fn calm() -> Risks {
    let still = PriceMove { chance: 0.0, deviation: 0.0 };
    Risks {
        shared_error: 0.0,
        failed_run: 0.0,
        on_demand: still,
        spot: still,
        growth: Estimate::exact(1.0),
    }
}

fn job(low: f64, likely: f64, high: f64) -> JobRisk {
    JobRisk {
        hourly: Estimate::new(yuan(low), yuan(likely), yuan(high)),
        runs: 0,
        spot: false,
        moves: None,
        market: 0,
        reclaims: (0.0, yuan(0.0)),
    }
}

fn month(jobs: Vec<JobRisk>, risks: Risks) -> Month {
    Month { currency: Currency::CNY, fixed: yuan(1000.0), others: Vec::new(), jobs, risks }
}

fn close(money: Money, expected: f64, tolerance: f64) {
    let amount = money.amount().to_f64().unwrap();
    assert!((amount / expected - 1.0).abs() < tolerance, "{amount} against {expected}");
}

#[test]
fn a_plan_without_risk_costs_what_was_planned() {
    let simulated = months(&month(vec![job(500.0, 500.0, 500.0)], calm()), 1, 500).unwrap();
    assert_eq!(simulated.p50, yuan(1500.0));
    assert_eq!(simulated.p90, yuan(1500.0));
    assert!(simulated.sensitivity.is_empty());
}

#[test]
fn equal_seeds_give_equal_months_and_others_nearly_the_same() {
    let plan = month(vec![job(300.0, 500.0, 900.0); 5], Risks::default());
    let first = months(&plan, 7, DRAWS).unwrap();
    assert_eq!(first, months(&plan, 7, DRAWS).unwrap());
    let other = months(&plan, 8, DRAWS).unwrap();
    assert_ne!(first.mean, other.mean);
    close(other.p80, first.p80.amount().to_f64().unwrap(), 0.01);
}

#[test]
fn percentiles_of_one_job_are_those_of_its_triangle() {
    // The triangle from 0 over 0 to 100 has its q-quantile at 100 (1 - sqrt(1 - q)).
    let plan = Month { fixed: yuan(0.0), ..month(vec![job(0.0, 0.0, 100.0)], calm()) };
    let simulated = months(&plan, 3, 50_000).unwrap();
    close(simulated.p50, 100.0 * (1.0 - 0.5_f64.sqrt()), 0.02);
    close(simulated.p80, 100.0 * (1.0 - 0.2_f64.sqrt()), 0.02);
    close(simulated.p90, 100.0 * (1.0 - 0.1_f64.sqrt()), 0.02);
    close(simulated.mean, 100.0 / 3.0, 0.02);
}

#[test]
fn errors_that_jobs_share_do_not_average_out() {
    let jobs = vec![job(50.0, 100.0, 150.0); 30];
    let spread = |shared_error| {
        let plan = month(jobs.clone(), Risks { shared_error, ..calm() });
        let simulated = months(&plan, 5, DRAWS).unwrap();
        (simulated.p90.amount() - simulated.p50.amount()).to_f64().unwrap()
    };
    assert!(spread(1.0) > 4.0 * spread(0.0));
}

#[test]
fn failed_runs_cost_what_the_odds_say() {
    // A run fails with chance f and is lost at half of it on average: f / (1 - f) / 2 more.
    for runs in [4, 500] {
        let risky = JobRisk { runs, ..job(1000.0, 1000.0, 1000.0) };
        let plan =
            Month { fixed: yuan(0.0), ..month(vec![risky], Risks { failed_run: 0.2, ..calm() }) };
        let simulated = months(&plan, 11, 50_000).unwrap();
        close(simulated.mean, 1000.0 * (1.0 + 0.2 / 0.8 / 2.0), 0.005);
        assert_eq!(simulated.sensitivity[0].driver, Driver::Failures);
    }
}

#[test]
fn the_driver_that_moves_most_comes_first() {
    let spot = JobRisk { spot: true, reclaims: (20.0, yuan(1.0)), ..job(990.0, 1000.0, 1010.0) };
    let risks = Risks { spot: PriceMove { chance: 1.0, deviation: 0.3 }, ..calm() };
    let simulated = months(&month(vec![spot], risks), 2, DRAWS).unwrap();
    let drivers: Vec<Driver> = simulated.sensitivity.iter().map(|s| s.driver).collect();
    assert_eq!(drivers, [Driver::Prices, Driver::Reclaims, Driver::Hours]);
    assert!(simulated.sensitivity[0].low.amount().is_sign_negative());
}

#[test]
fn many_small_jobs_are_joined_without_changing_the_mean() {
    let jobs = vec![job(5.0, 10.0, 30.0); 400];
    let simulated = months(&month(jobs, calm()), 4, DRAWS).unwrap();
    close(simulated.mean, 1000.0 + 400.0 * 15.0, 0.01);
}

#[test]
fn two_currencies_are_refused() {
    let dollars = Money::new(Decimal::ONE, Currency::USD);
    let plan = Month { fixed: dollars, ..month(Vec::new(), calm()) };
    assert!(months(&plan, 1, 10).is_err());
}
