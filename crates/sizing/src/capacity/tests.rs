//! Behaviour of capacity: more load needs no fewer replicas, and what is planned holds in the
//! simulation of a real log.

use super::*;
use crate::time::tests::{a100, llama_8b, served_by};
use crate::{Inference, Setup};
use flate2::read::GzDecoder;
use kasuan_model::{Currency, Interconnect, Money};
use rust_decimal::Decimal;
use std::io::Read as _;

fn setup(prompt: u32, generated: u32) -> Setup {
    served_by(Inference { prompt, generated, ..Inference::default() })
}

fn server(prompt: u32, generated: u32) -> Server {
    Server::of(&llama_8b(), &setup(prompt, generated), &a100(), Interconnect::Unknown).unwrap()
}

/// AzureLLMInferenceTrace_conv, Azure/AzurePublicDataset @b469a113, CC BY 4.0: 19,366 requests of
/// one hour of a conversation service in 2023.
fn azure_conversations() -> Vec<Request> {
    azure(include_bytes!("../../tests/data/AzureLLMInferenceTrace_conv.csv.gz"))
}

/// AzureLLMInferenceTrace_code, from the same place: 8,819 requests of one hour of a service that
/// completes code, long prompts and short answers in bursts.
fn azure_code() -> Vec<Request> {
    azure(include_bytes!("../../tests/data/AzureLLMInferenceTrace_code.csv.gz"))
}

fn azure(packed: &[u8]) -> Vec<Request> {
    let mut text = String::new();
    GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    let mut first = None;
    text.lines()
        .skip(1)
        .map(|line| {
            let mut fields = line.split(',');
            let time = fields.next().unwrap();
            let clock: Vec<f64> =
                time.split(' ').nth(1).unwrap().split(':').map(|t| t.parse().unwrap()).collect();
            let seconds = clock[0] * 3600.0 + clock[1] * 60.0 + clock[2];
            let mut number = || fields.next().unwrap().trim().parse().unwrap();
            Request {
                arrival: seconds - *first.get_or_insert(seconds),
                prompt: number(),
                generated: number(),
            }
        })
        .collect()
}

fn need(peak: f64) -> Need {
    Need {
        peak,
        mean: peak / 2.0,
        prompt: (1155.0, 2734.0),
        generated: 211.0,
        target: Target { ttft: Some(2.0), tpot: Some(0.06) },
        spare: false,
    }
}

#[test]
fn what_is_planned_holds_in_the_simulation_of_an_hour_of_real_conversations() {
    let log = azure_conversations();
    assert_eq!(log.len(), 19_366);
    let server = server(1155, 211);
    // The busiest 10 seconds of the log.
    let mut busiest = 0;
    for (at, request) in log.iter().enumerate() {
        let until = log[at..].partition_point(|r| r.arrival < request.arrival + 10.0);
        busiest = busiest.max(until);
    }
    let planned = plan(&server, &need(busiest as f64 / 10.0)).unwrap();
    let met = simulate(&server, &log, planned.replicas);
    assert_eq!(met.answered, 19_366);
    assert!(met.ttft[1] <= 2.0, "TTFT p95 {} s on {} replicas", met.ttft[1], planned.replicas);
    assert!(met.tpot[1] <= 0.06, "TPOT p95 {} s", met.tpot[1]);
    // Far fewer replicas cannot do it: the plan is not safe by being absurd.
    let starved = simulate(&server, &log, planned.replicas.div_ceil(8));
    assert!(starved.ttft[1] > met.ttft[1]);
    assert_eq!(starved.tokens, met.tokens);
}

#[test]
fn what_is_planned_for_an_hour_of_code_in_bursts_holds_in_its_simulation() {
    let log = azure_code();
    assert_eq!(log.len(), 8_819);
    let traffic = Traffic::of(&log).unwrap();
    assert!((traffic.prompt.0 - 2048.0).abs() < 5.0 && traffic.generated < 30.0, "{traffic:?}");
    let server = server(2048, 28);
    let target = Target { ttft: Some(3.0), tpot: Some(0.2) };
    let need = |peak| Need {
        peak,
        mean: traffic.mean,
        prompt: traffic.prompt,
        generated: traffic.generated,
        target,
        spare: false,
    };
    // These requests come in bursts (26 times the mean within a second): planned at the busiest
    // second everything holds, with far more cards than the mean would need.
    let mut second = 0;
    for (at, request) in log.iter().enumerate() {
        second = second.max(log[at..].partition_point(|r| r.arrival < request.arrival + 1.0));
    }
    let safe = plan(&server, &need(f64::from(u32::try_from(second).unwrap()))).unwrap();
    let met = simulate(&server, &log, safe.replicas);
    assert_eq!(met.answered, 8_819);
    assert!(met.ttft[1] <= 3.0, "TTFT p95 {} s on {} replicas", met.ttft[1], safe.replicas);
    // So it does at the busiest ten seconds, what `kasuan capacity --trace` plans with; the replay
    // says how few would have done.
    let usual = plan(&server, &need(traffic.peak)).unwrap();
    assert!(usual.replicas < safe.replicas);
    let met = simulate(&server, &log, usual.replicas);
    assert!(met.ttft[1] <= 3.0 && met.tpot[1] <= 0.2, "{}: {met:?}", usual.replicas);
    let (fewest, met) = fewest(&server, &log, &target, safe.replicas).unwrap();
    assert!(met.ttft[1] <= 3.0 && fewest <= safe.replicas);
    let fewer = simulate(&server, &log, fewest - 1);
    assert!(fewer.ttft[1] > 3.0 || fewer.tpot[1] > 0.2, "{fewest}: {fewer:?}");
}

#[test]
fn a_steady_queue_follows_littles_law() {
    let server = server(100, 100);
    let log: Vec<Request> = (0..20_000)
        .map(|n| Request { arrival: f64::from(n) * 0.05, prompt: 100, generated: 100 })
        .collect();
    let met = simulate(&server, &log, 1);
    assert_eq!((met.answered, met.refused, met.tokens), (20_000, 0, 2_000_000));
    let in_flight = 20.0 * (met.ttft[0] + 99.0 * met.tpot[0]);
    let step = server.step_at(in_flight.round() as usize);
    assert!(met.tpot[0] >= step * 0.9, "{} < {step}", met.tpot[0]);
    assert!((met.seconds - 1000.0).abs() < 20.0);
}

#[test]
fn more_load_never_needs_fewer_replicas_and_looser_latency_never_more() {
    let server = server(1155, 211);
    let mut last = 0;
    for peak in [0.1, 1.0, 5.0, 20.0, 100.0, 1000.0] {
        let planned = plan(&server, &need(peak)).unwrap();
        assert!(planned.replicas >= last);
        last = planned.replicas;
        let mut loose = need(peak);
        loose.target = Target { ttft: Some(10.0), tpot: Some(0.2) };
        assert!(plan(&server, &loose).unwrap().replicas <= planned.replicas);
    }
}

#[test]
fn a_limit_that_one_request_already_breaks_has_no_plan() {
    let mut hasty = need(1.0);
    hasty.target = Target { ttft: None, tpot: Some(1e-4) };
    assert_eq!(plan(&server(1155, 211), &hasty), None);
    hasty.target = Target { ttft: Some(0.01), tpot: None };
    assert_eq!(plan(&server(1155, 211), &hasty), None);
    hasty.peak = f64::NAN;
    assert_eq!(plan(&server(1155, 211), &hasty), None);
}

#[test]
fn fx_052_a_million_tokens_cost_the_hour_over_the_tokens_of_the_hour() {
    // price / (tokens per s x 3600) x 1e6: 3.6 an hour at 1,000 tokens/s is 1.00 a million.
    let capacity = Capacity {
        replicas: 1,
        cards_per_replica: 1,
        batch: 10,
        per_replica: 20.0,
        usable: kasuan_model::Share::of(0.7, 1.0),
        utilisation: kasuan_model::Share::of(0.5, 1.0),
        tpot: 0.01,
        peak: 20.0,
        in_flight: 10.0,
    };
    let need = Need { mean: 10.0, generated: 100.0, ..need(20.0) };
    let price = Money::new(Decimal::new(36, 1), Currency::USD);
    let cost = cost(&capacity, &need, price).unwrap().unwrap();
    assert_eq!(cost.per_million_tokens.rounded().to_string(), "$1.00");
    assert_eq!(cost.per_million_tokens_busy.rounded().to_string(), "$0.50");
    assert_eq!(cost.per_thousand_requests.rounded().to_string(), "$0.10");
}

#[test]
fn fx_053_break_even_counts_the_whole_rent_idle_hours_included() {
    let usd = |amount: i64| Money::new(Decimal::from(amount), Currency::USD);
    let interface = PaidInterface { input: usd(1), output: usd(4) };
    // A request of 1,000 tokens in and 250 out costs 0.002; 1,440 a month buys 720,000 of them.
    let at = |capacity| {
        break_even(usd(1440), interface, Decimal::from(1000), Decimal::from(250), capacity)
            .unwrap()
            .unwrap()
    };
    assert!((at(1e6).requests - 720_000.0).abs() < 1e-6);
    assert!((at(1e6).utilisation.unwrap().get() - 0.72).abs() < 1e-9);
    assert_eq!(at(1e5).utilisation, None);
    let mixed = PaidInterface { input: usd(1), output: Money::zero(Currency::CNY) };
    assert!(break_even(usd(1), mixed, Decimal::ONE, Decimal::ONE, 1.0).is_err());
}
