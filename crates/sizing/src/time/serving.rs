//! Serving under load: how many sequences fit, how long a step takes with them, what comes out.

use super::{
    Coefficients, Declined, Limit, ModelWork, Rate, Served, ranges,
    step::{Parts, Runner},
};
use crate::{Architecture, Engine, Setup};
use kasuan_model::{Bytes, Card, Estimate, Interconnect};

/// Estimates what one replica serves with `concurrency` requests always in flight (a closed loop),
/// as far as they fit. A concurrency above what fits gives the full load.
pub fn serving(
    model: &Architecture,
    setup: &Setup,
    card: &Card,
    interconnect: Interconnect,
) -> Result<Served, Declined> {
    serving_with(&ModelWork::of(model), setup, card, interconnect, Coefficients::shipped())
}

/// [`serving`] with counted work and given coefficients, for calibration.
pub fn serving_with(
    work: &ModelWork,
    setup: &Setup,
    card: &Card,
    interconnect: Interconnect,
    c: &Coefficients,
) -> Result<Served, Declined> {
    let runner = Runner::of(work, setup, card, interconnect, c)?;
    let load = Load::of(&runner)?;
    at_batch(&runner, &load, load.batch, load.full)
}

/// A run of a fixed number of requests that are all there at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiniteRun {
    /// Requests of the run.
    pub requests: f64,
    /// Whether answers differ in length, as those to real questions do; synthetic ones are equal.
    pub spread: bool,
}

/// [`serving`] for a run that ends: `concurrency` is the bound on requests in flight, and the rate
/// is that of the whole run, its emptying end included.
pub fn finite_run(
    model: &Architecture,
    setup: &Setup,
    card: &Card,
    interconnect: Interconnect,
    run: FiniteRun,
) -> Result<Served, Declined> {
    finite_run_with(&ModelWork::of(model), setup, card, interconnect, run, Coefficients::shipped())
}

/// [`finite_run`] with counted work and given coefficients, for calibration.
pub fn finite_run_with(
    work: &ModelWork,
    setup: &Setup,
    card: &Card,
    interconnect: Interconnect,
    run: FiniteRun,
    c: &Coefficients,
) -> Result<Served, Declined> {
    if !(run.requests.is_finite() && run.requests >= 1.0) {
        return Err(Declined::Degenerate { what: "the amount of tokens" });
    }
    let runner = Runner::of(work, setup, card, interconnect, c)?;
    let load = Load::of(&runner)?;
    let batch = load.batch.min(run.requests);
    let mut served = at_batch(&runner, &load, batch, load.full && batch < run.requests)?;
    let steady = run.requests * load.generated / served.rate.tokens_per_second.likely;
    let slower = steady / load.run_seconds(&runner, batch, run);
    served.rate.tokens_per_second = served.rate.tokens_per_second.map(|rate| rate * slower);
    served.requests_per_second = served.requests_per_second.map(|rate| rate * slower);
    Ok(served)
}

/// Estimates what one replica does when `requests` come each second in the mean, as far as it can
/// follow: Little's law gives the sequences in flight.
pub fn at_request_rate(
    model: &Architecture,
    setup: &Setup,
    card: &Card,
    interconnect: Interconnect,
    requests: f64,
) -> Result<Served, Declined> {
    let work = ModelWork::of(model);
    at_request_rate_with(&work, setup, card, interconnect, requests, Coefficients::shipped())
}

/// [`at_request_rate`] with counted work and given coefficients, for calibration.
pub fn at_request_rate_with(
    work: &ModelWork,
    setup: &Setup,
    card: &Card,
    interconnect: Interconnect,
    requests: f64,
    c: &Coefficients,
) -> Result<Served, Declined> {
    if !(requests.is_finite() && requests > 0.0) {
        return Err(Declined::Degenerate { what: "the requests per second" });
    }
    let runner = Runner::of(work, setup, card, interconnect, c)?;
    let load = Load::of(&runner)?;
    let served = |batch: f64| batch / load.tpot(&runner, batch) / load.generated;
    if served(load.batch) <= requests {
        return at_batch(&runner, &load, load.batch, true);
    }
    // The rate grows with the batch, so halving finds the batch that follows the requests.
    let (mut low, mut high) = (0.0, load.batch);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if served(middle.max(1.0)) * middle.min(1.0) < requests {
            low = middle;
        } else {
            high = middle;
        }
    }
    let mut answer = at_batch(&runner, &load, high.max(1.0), false)?;
    let likely = requests * load.generated;
    answer.rate.tokens_per_second = Estimate::new(likely * 0.9, likely, likely * 1.1);
    answer.requests_per_second = Estimate::new(requests * 0.9, requests, requests * 1.1);
    answer.batch = high;
    Ok(answer)
}

fn at_batch(runner: &Runner<'_>, load: &Load, batch: f64, full: bool) -> Result<Served, Declined> {
    let (step, prompt) = load.parts(runner, batch);
    let generated = load.generated;
    let tpot = step.seconds() + batch * prompt.seconds() / generated;
    let likely = batch / tpot;
    if !(likely.is_finite() && likely > 0.0) {
        return Err(Declined::Degenerate { what: "the size of the load" });
    }
    let limit = if full && step.bandwidth > step.compute { Limit::Capacity } else { step.limit() };
    let rate = ranges::rate("serving", runner.ground(), likely, limit, runner.c);
    // A prompt waits for half of the prompts that share its turn, for the step that runs, and for
    // the front end.
    let sharing = (batch / generated).max(1.0);
    let ttft = runner.c.front_end + step.seconds() + prompt.seconds() * f64::midpoint(1.0, sharing);
    Ok(Served {
        rate,
        requests_per_second: rate.tokens_per_second.map(|tokens| tokens / generated),
        tpot: inverse(rate, batch),
        ttft,
        prefill: prompt.seconds(),
        batch,
        kv_tokens: load.room,
    })
}

/// One replica as a queue sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServingTable<'a> {
    runner: Runner<'a>,
    context: f64,
    /// Sequences that are decoded together at most.
    pub(crate) most: f64,
    /// Tokens of all sequences that fit.
    pub(crate) room: f64,
    /// Seconds to read a token of a prompt under load.
    pub(crate) prompt_token: f64,
}

impl<'a> ServingTable<'a> {
    pub(crate) fn of(
        work: &'a ModelWork,
        setup: &'a Setup,
        card: &Card,
        interconnect: Interconnect,
        c: &'a Coefficients,
    ) -> Result<Self, Declined> {
        let runner = Runner::of(work, setup, card, interconnect, c)?;
        let load = Load::of(&runner)?;
        let (_, prompt) = load.parts(&runner, 1.0);
        let prompt_token = prompt.seconds() / load.prompt.max(1.0);
        let context = load.prompt + load.generated / 2.0;
        Ok(Self { runner, context, most: load.most, room: load.room, prompt_token })
    }

    /// Seconds of a step at a batch.
    pub(crate) fn step(&self, batch: f64) -> f64 {
        self.runner.step(batch, self.context).seconds()
    }
}

/// The seconds a token takes when `batch` sequences share the rate.
fn inverse(rate: Rate, batch: f64) -> Estimate<f64> {
    let tokens = rate.tokens_per_second;
    Estimate::new(batch / tokens.high, batch / tokens.likely, batch / tokens.low)
}

/// Sequences that are decoded together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub batch: f64,
    pub prompt: f64,
    pub generated: f64,
    /// Tokens that fit.
    pub room: f64,
    /// Sequences that the engine plans for at most.
    pub most: f64,
    /// Whether memory, not demand, bounds the batch.
    pub full: bool,
}

impl Load {
    pub(super) fn of(runner: &Runner<'_>) -> Result<Self, Declined> {
        let inference = runner.inference;
        let prompt = f64::from(inference.prompt);
        let generated = f64::from(inference.generated.max(1));
        let cards = runner.tensor * runner.pipeline;
        let (share, reserve) = match inference.engine {
            Engine::TensorRtLlm => (0.95, 2e9),
            _ => (0.90, 2.5e9),
        };
        let share = inference.memory_share.map_or(share, |s| s.clamp(0.05, 1.0));
        let weights = runner.work.weight_bytes(runner.weights);
        let room = (runner.hardware.memory * share - reserve) * cards - weights;
        let kv = runner.work.kv_bytes(inference.kv);
        let sequence = kv * (prompt + generated);
        if room < sequence || room <= 0.0 {
            return Err(Declined::DoesNotFit {
                needed: Bytes::from_estimate(weights + sequence),
                room: Bytes::from_estimate((room + weights).max(0.0)),
            });
        }
        let room = if kv > 0.0 { room / kv } else { f64::INFINITY };
        let most = f64::from(inference.max_sequences.unwrap_or(match inference.engine {
            // vLLM's first engine plans for 256 everywhere, its second for 1,024 on cards of 70 GiB
            // and more that are newer than the A100 (EngineArgs, defaults by usage context).
            Engine::Vllm
                if runner.hardware.memory >= 70.0 * 1.074e9
                    && runner.hardware.fp8()
                    && inference.engine_version.is_none_or(|version| version >= (0, 9)) =>
            {
                1024
            }
            Engine::Vllm | Engine::LmDeploy => 256,
            Engine::MindIe => 200,
            Engine::LlamaCpp | Engine::Exllama | Engine::Transformers | Engine::StaticTorch => 64,
            Engine::Sglang | Engine::TensorRtLlm => 2048,
        }));
        // A sequence in the mean of its life holds its prompt and half of what it writes.
        let fits = (room / (prompt + generated)).min(most).max(1.0);
        let wanted = f64::from(inference.concurrency.max(1));
        Ok(Self { batch: wanted.min(fits), prompt, generated, room, most, full: wanted > fits })
    }

    /// Seconds between two tokens at a batch, prompts of others included.
    fn tpot(&self, runner: &Runner<'_>, batch: f64) -> f64 {
        let (step, prompt) = self.parts(runner, batch);
        step.seconds() + batch * prompt.seconds() / self.generated
    }

    /// Seconds of a whole run at a batch.
    ///
    /// Every prompt is read once. While requests wait, the batch stays full; then it empties. Equal
    /// answers end together. Answers of spread lengths are taken as exponential (what chat logs come
    /// near to): those in flight then have as much before them as when they began, so that the batch
    /// falls off as B e^(-s/O) over s steps, and the last of them ends after O (ln B + 0.577) steps.
    fn run_seconds(&self, runner: &Runner<'_>, batch: f64, run: FiniteRun) -> f64 {
        let (_, prompt) = self.parts(runner, batch);
        let step = |batch: f64| runner.step(batch, self.prompt + self.generated / 2.0).seconds();
        let full = (run.requests - batch).max(0.0) / batch * step(batch);
        let emptying = if run.spread {
            // Simpson's rule over the logarithm of the batch.
            const PIECES: u32 = 8;
            let width = batch.ln() / f64::from(PIECES);
            let sum: f64 = (0..=PIECES)
                .map(|at| {
                    let weight = match at {
                        0 | PIECES => 1.0,
                        odd if odd % 2 == 1 => 4.0,
                        _ => 2.0,
                    };
                    weight * step((f64::from(at) * width).exp())
                })
                .sum();
            sum * width / 3.0 + 0.577 * step(1.0)
        } else {
            step(batch)
        };
        run.requests * prompt.seconds() + self.generated * (full + emptying)
    }

    /// The step and one prompt at a batch.
    pub(super) fn parts(&self, runner: &Runner<'_>, batch: f64) -> (Parts, Parts) {
        let step = runner.step(batch, self.prompt + self.generated / 2.0);
        // Under load prompts are read together up to the tokens that the engine takes in one step:
        // 8,192 in `trtllm-bench`, 2,048 in vLLM's server.
        let together = match (runner.inference.batched_tokens, runner.inference.engine) {
            (Some(tokens), _) => f64::from(tokens),
            (None, Engine::TensorRtLlm) => 8192.0,
            (None, _) => 2048.0,
        };
        let together = (together / self.prompt.max(1.0)).clamp(1.0, 64.0);
        let prompt = if self.prompt > 0.0 {
            let mut all = runner.prompt(self.prompt, together);
            all.compute /= together;
            all.bandwidth /= together;
            all.links /= together;
            all.host /= together;
            all
        } else {
            Parts::default()
        };
        (step, prompt)
    }
}
