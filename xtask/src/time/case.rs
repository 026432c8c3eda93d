//! One row as the time model sees it, and what the model says in the row's own metric.

use super::{
    cards::Cards,
    models,
    settings::{self, Layout},
    truth::{Row, number},
};
use kasuan_model::{Card, Confidence, Estimate, Interconnect};
use kasuan_sizing::{
    Engine, Inference, KvFormat, Method, Parallelism, Setup, Sharding, Training, TrainingStack,
    WeightFormat, Work,
    time::{self, Coefficients, ModelWork, Network, NetworkWork, Rate},
};

/// A row, resolved once; what depends on coefficients comes later.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) card: Card,
    link: Interconnect,
    what: What,
    /// What one token per second (or one sample) of the model is in the row's metric.
    scale: f64,
    /// Whether the load was only so high that most requests kept a limit of latency.
    bounded: bool,
}

/// What is predicted.
#[derive(Clone, Debug)]
enum What {
    Training {
        work: ModelWork,
        setup: Setup,
    },
    Prefill {
        work: ModelWork,
        setup: Setup,
    },
    /// Decoding of a fixed batch, prompts left out.
    Decode {
        work: ModelWork,
        setup: Setup,
    },
    /// A fixed batch of whole requests.
    Requests {
        work: ModelWork,
        setup: Setup,
    },
    Served(Box<ServedRun>),
    Network {
        network: Network,
        work: NetworkWork,
        cards: u32,
    },
}

/// A service.
#[derive(Clone, Debug)]
struct ServedRun {
    work: ModelWork,
    setup: Setup,
    replicas: f64,
    arrival: Arrival,
    answer: Answer,
}

/// How requests come.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Arrival {
    /// So many are always in flight.
    Closed,
    /// So many each second.
    Rate(f64),
    /// So many at once.
    Burst(time::FiniteRun),
}

/// Which figure of a service is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Tokens,
    Tpot,
    Ttft,
}

impl Case {
    /// Resolves a row, or says why it is declined.
    pub(crate) fn of(row: &Row, cards: &Cards) -> Result<Self, String> {
        let card = cards.find(&row.gpu)?;
        let link = settings::interconnect(&row.interconnect);
        let count = number(&row.n_gpus).map_or(1, |n| n as u32).max(1);
        if let Some(network) = network(row) {
            return network_case(row, network, card, link, count);
        }
        let work = models::work(row)?;
        let layout = settings::layout(&row.parallelism, count);
        let what = match row.kind.as_str() {
            "train_full" | "lora" | "qlora" => training(row, work, layout, count)?,
            "inference_prefill" => {
                let setup = generating(row, layout, count, 1)?;
                number(&row.seq_in).ok_or("the prompt's length is not stated")?;
                What::Prefill { work, setup }
            }
            "inference_decode" => {
                let batch = number(&row.batch).unwrap_or(1.0).max(1.0) as u32;
                let setup = generating(row, layout, count, batch)?;
                // Tools for one user time the two phases apart; servers are timed from outside.
                if settings::times_apart(&row.framework) {
                    What::Decode { work, setup }
                } else {
                    What::Requests { work, setup }
                }
            }
            "serving" => served(row, work, layout, count, card.memory_for_jobs().get() as f64)?,
            other => return Err(format!("kind `{other}` is not known")),
        };
        let scale = match row.metric.as_str() {
            "tokens_per_s_total" if row.framework.contains("MLPerf") => {
                1.0 / f64::from(beams(&row.model))
            }
            "tokens_per_s_total" | "tpot_ms" | "ttft_ms" => 1.0,
            "tokens_per_s_per_gpu" => 1.0 / f64::from(count),
            "tokens_per_s_total_in+out" => {
                let read = number(&row.seq_in).ok_or("the prompt's length is not stated")?;
                let written = number(&row.seq_out).ok_or("the answer's length is not stated")?;
                (read + written) / written.max(1.0)
            }
            "samples_per_s" => {
                let length = number(&row.seq_in).or_else(|| number(&row.seq_out));
                1.0 / length.ok_or("the length of a sample is not stated")?
            }
            "wall_s" => return Err("the amount of work behind the wall time is not stated".into()),
            other => return Err(format!("metric `{other}` is not known")),
        };
        Ok(Self { card, link, what, scale, bounded: bounded(row) })
    }

    /// Returns the engine or training stack of the run; `None` for other networks.
    pub(crate) fn stack(&self) -> Option<&'static str> {
        let setup = match &self.what {
            What::Training { setup, .. }
            | What::Prefill { setup, .. }
            | What::Decode { setup, .. }
            | What::Requests { setup, .. } => setup,
            What::Served(run) => &run.setup,
            What::Network { .. } => return None,
        };
        Some(time::stack_of(setup, &self.card))
    }

    /// Predicts in the row's metric.
    pub(crate) fn predict(&self, c: &Coefficients) -> Result<(Estimate<f64>, Confidence), String> {
        let (card, link) = (&self.card, self.link);
        let rate = |rate: Result<Rate, time::Declined>| {
            rate.map(|r| (r.tokens_per_second.map(|t| t * self.scale), r.confidence))
                .map_err(|e| e.to_string())
        };
        match &self.what {
            What::Training { work, setup } => {
                rate(time::training_rate_with(work, setup, card, link, c))
            }
            What::Prefill { work, setup } => rate(time::prefill_with(work, setup, card, link, c)),
            What::Decode { work, setup } => rate(time::decode_with(work, setup, card, link, c)),
            What::Requests { work, setup } => {
                rate(time::single_request_with(work, setup, card, link, c))
            }
            What::Network { network, work, cards } => {
                let bound = if self.bounded { c.network.latency_bound } else { 1.0 };
                rate(time::network_rate(*network, *work, card, *cards, c))
                    .map(|(figure, confidence)| (figure.map(|f| f * bound), confidence))
            }
            What::Served(run) => self.served(run, c).map_err(|e| e.to_string()),
        }
    }

    fn served(
        &self,
        run: &ServedRun,
        c: &Coefficients,
    ) -> Result<(Estimate<f64>, Confidence), time::Declined> {
        let (work, setup) = (&run.work, &run.setup);
        let served = match run.arrival {
            Arrival::Rate(requests) => {
                time::at_request_rate_with(work, setup, &self.card, self.link, requests, c)?
            }
            Arrival::Closed => time::serving_with(work, setup, &self.card, self.link, c)?,
            Arrival::Burst(run) => {
                time::finite_run_with(work, setup, &self.card, self.link, run, c)?
            }
        };
        let figure = match run.answer {
            Answer::Tpot => served.tpot.map(|s| s * 1e3),
            Answer::Ttft => served.ttft_range().map(|s| s * 1e3),
            Answer::Tokens => {
                let bound = if self.bounded { c.latency_bound } else { 1.0 };
                served.rate.tokens_per_second.map(|t| t * run.replicas * self.scale * bound)
            }
        };
        Ok((figure, served.rate.confidence))
    }
}

/// MLPerf's server scenario sends as many requests as 99 % of them keep a limit of latency.
fn bounded(row: &Row) -> bool {
    row.framework.contains("MLPerf") && row.framework.contains("Server")
}

fn network(row: &Row) -> Option<Network> {
    match row.model.as_str() {
        "ResNet50" => Some(Network::ResNet50),
        "SDXL" => Some(Network::StableDiffusionXl),
        "BERT-large" if row.kind == "serving" => Some(Network::BertLarge),
        _ => None,
    }
}

fn network_case(
    row: &Row,
    network: Network,
    card: Card,
    link: Interconnect,
    cards: u32,
) -> Result<Case, String> {
    if row.metric != "samples_per_s" {
        return Err(format!("metric `{}` is not known for {}", row.metric, row.model));
    }
    let work = match (row.kind.as_str(), row.precision.as_str()) {
        ("train_full", _) => NetworkWork::Train,
        (_, "int8" | "fp8") => NetworkWork::Infer8,
        _ => NetworkWork::Infer,
    };
    let what = What::Network { network, work, cards };
    Ok(Case { card, link, what, scale: 1.0, bounded: bounded(row) })
}

fn training(row: &Row, work: ModelWork, layout: Layout, cards: u32) -> Result<What, String> {
    let stack = settings::stack(&row.framework);
    if row.seq_in.is_empty() {
        return Err("the length of the sequences is not stated".into());
    }
    let length = number(&row.seq_in).unwrap_or(if row.seq_in == "alpaca" { 256.0 } else { 2048.0 });
    let batch = number(&row.batch).or(layout.micro_batch.map(f64::from)).unwrap_or(1.0);
    let inside = layout.tensor * layout.pipeline * layout.context;
    let data = (cards / inside.max(1)).max(1);
    let weights = settings::weights(&row.precision, None)
        .ok_or_else(|| format!("precision `{}` is not known", row.precision))?;
    let method = if row.kind == "train_full" { Method::Full } else { Training::default().method };
    let training = Training {
        stack,
        method,
        micro_batch: 1.max(batch.round() as u32),
        sequence: length.round().max(1.0) as u32,
        // Unstated: pretraining fills a pipeline four times over, fine-tuning scripts add up 8.
        accumulation: if stack == TrainingStack::Pretraining { 4 * layout.pipeline } else { 8 },
        checkpointing: settings::checkpointing(&row.act_ckpt, stack),
        ..Training::default()
    };
    // Scripts for full fine-tuning with DeepSpeed and transformers shard weights as well (ZeRO-3) unless
    // a stage is named: with less a 7B model does not fit its cards.
    let words = format!("{} {}", row.framework, row.parallelism).to_lowercase();
    let unstated =
        words.contains("deepspeed") && !["zero1", "zero2"].iter().any(|w| words.contains(w));
    let sharding = if unstated && stack == TrainingStack::HuggingFace && row.kind == "train_full" {
        Sharding::Zero3
    } else {
        layout.sharding
    };
    let setup = Setup {
        work: Work::Training(training),
        weights,
        parallelism: Parallelism {
            tensor: layout.tensor,
            pipeline: layout.pipeline,
            data,
            context: layout.context,
            sharding,
            offload_optimizer: layout.offload,
            offload_weights: layout.offload,
            ..Parallelism::SINGLE
        },
        ..Setup::default()
    };
    Ok(What::Training { work, setup })
}

/// The setup of a generating run of so many sequences.
fn generating(row: &Row, layout: Layout, cards: u32, concurrency: u32) -> Result<Setup, String> {
    let words = settings::engine(&row.framework)
        .ok_or_else(|| format!("engine `{}` is not known", row.framework))?;
    let weights = settings::weights(&row.precision, Some(words.engine))
        .ok_or_else(|| format!("precision `{}` is not known", row.precision))?;
    let spread = layout.tensor * layout.pipeline;
    // Several cards without a word on how: one replica over all of them by its tensors.
    let in_turn = words.engine == Engine::Transformers;
    let tensor = if in_turn {
        // `transformers` puts layers on one card after the other, whatever a table calls it.
        1
    } else if spread == 1 && cards > 1 && !row.parallelism.to_lowercase().contains("dp") {
        cards
    } else {
        layout.tensor
    };
    Ok(Setup {
        work: Work::Inference(Inference {
            engine: words.engine,
            engine_version: words.version,
            cuda_graphs: words.graphs,
            // TensorRT-LLM's FP8 and FP4 checkpoints quantise the cache as well.
            kv: if words.engine == Engine::TensorRtLlm
                && matches!(weights, WeightFormat::Fp8 | WeightFormat::Nvfp4)
            {
                KvFormat::Fp8
            } else {
                KvFormat::Bits16
            },
            prompt: number(&row.seq_in).map_or(0, |n| n as u32),
            generated: number(&row.seq_out).map_or(128, |n| n as u32).max(1),
            concurrency,
            ..Inference::default()
        }),
        weights,
        parallelism: Parallelism {
            tensor,
            pipeline: if in_turn { cards } else { layout.pipeline },
            sharding: Sharding::None,
            ..Parallelism::SINGLE
        },
        ..Setup::default()
    })
}

/// Lengths of the requests of MLPerf's language models, which its rows leave out: the reference
/// data sets of MLCommons inference (CNN/DailyMail, OpenOrca, and the mix for Mixtral).
fn mlperf_lengths(model: &str) -> Option<(u32, u32)> {
    match model {
        "GPT-J-6B" => Some((870, 69)),
        "Llama-2-70B" => Some((294, 294)),
        "Mixtral-8x7B" => Some((390, 145)),
        "Llama-3.1-405B" => Some((9400, 680)),
        "Llama-3.1-8B" => Some((780, 128)),
        _ => None,
    }
}

fn served(
    row: &Row,
    work: ModelWork,
    layout: Layout,
    cards: u32,
    card_memory: f64,
) -> Result<What, String> {
    let answer = match row.metric.as_str() {
        "tpot_ms" => Answer::Tpot,
        "ttft_ms" => Answer::Ttft,
        _ => Answer::Tokens,
    };
    let mlperf = row.framework.contains("MLPerf");
    if mlperf && mlperf_lengths(&row.model).is_none() {
        return Err("the lengths of the requests are not stated".into());
    }
    let stated = (number(&row.seq_in), number(&row.seq_out));
    if !mlperf && stated.1.is_none() && answer == Answer::Tokens {
        return Err("the length of the answers is not stated".into());
    }
    let (arrival, concurrency) = match row.batch.as_str() {
        "max" => (at_once(row, None), u32::MAX),
        text => {
            let after = |word: &str| text.strip_prefix(word).and_then(number);
            if let Some(rate) = after("rate") {
                (Arrival::Rate(rate), u32::MAX)
            } else if let Some(requests) = after("burst") {
                (at_once(row, Some(requests)), u32::MAX)
            } else {
                let n = number(text).ok_or("the load is not stated")?;
                (Arrival::Closed, n.max(1.0) as u32)
            }
        }
    };
    if matches!(arrival, Arrival::Rate(_)) && (stated.0.is_none() || stated.1.is_none()) {
        return Err("the lengths of the requests are not stated".into());
    }
    let mut setup = generating(row, layout, cards, concurrency)?;
    let mut replicas = 1.0;
    if mlperf {
        // Submissions choose the best split: the fewest cards that hold the weights with room.
        let tensor = fewest(&work, &setup, cards, card_memory);
        setup.parallelism.tensor = tensor;
        replicas = f64::from(cards / tensor.max(1));
    }
    if let Work::Inference(inference) = &mut setup.work
        && let Some((prompt, generated)) = mlperf_lengths(&row.model).filter(|_| mlperf)
    {
        inference.prompt = stated.0.map_or(prompt, |n| n as u32) / beams(&row.model);
        inference.generated = stated.1.map_or(generated, |n| n as u32);
    }
    let fixed = number(&row.batch).is_some_and(|n| n <= 1.5) && answer == Answer::Tokens;
    if fixed {
        return Ok(What::Requests { work, setup });
    }
    Ok(What::Served(Box::new(ServedRun { work, setup, replicas, arrival, answer })))
}

/// A run whose requests are all there at once. Where a row does not say how many there are, it is
/// what the engine's own benchmark sends.
fn at_once(row: &Row, stated: Option<f64>) -> Arrival {
    let (Some(prompt), Some(generated)) = (number(&row.seq_in), number(&row.seq_out)) else {
        return Arrival::Closed;
    };
    let engine = settings::engine(&row.framework).map(|words| words.engine);
    let requests = stated.or_else(|| match engine {
        // `--num-prompts` of `vllm bench serve` and of `sglang.bench_serving`.
        Some(Engine::Vllm | Engine::Sglang) => Some(1000.0),
        Some(Engine::TensorRtLlm) => published_requests(prompt, generated),
        _ => None,
    });
    // Lengths that nobody would choose are means of real texts.
    let chosen = |tokens: f64| tokens % 50.0 == 0.0 || tokens % 64.0 == 0.0;
    let spread = !(chosen(prompt) && chosen(generated));
    requests.map_or(Arrival::Closed, |requests| {
        Arrival::Burst(time::FiniteRun { requests: requests.max(1.0), spread })
    })
}

/// How many requests NVIDIA's published throughput tables were measured with (TensorRT-LLM,
/// docs/source/performance/perf-overview.md, "Preparing a Dataset").
fn published_requests(prompt: f64, generated: f64) -> Option<f64> {
    match (prompt as u32, generated as u32) {
        (128, 128) => Some(30_000.0),
        (128, 2048) | (2048, 128) | (1000, 1000) | (500, 2000) => Some(3000.0),
        (128, 4096) | (2048, 2048) | (5000, 500) => Some(1500.0),
        (20_000, 2000) => Some(1000.0),
        _ => None,
    }
}

/// MLPerf's GPT-J searches with four beams: four sequences are written for each that is kept, and
/// the four share one prompt, so that each stands for a quarter of it.
fn beams(model: &str) -> u32 {
    if model == "GPT-J-6B" { 4 } else { 1 }
}

/// The fewest cards (a power of two) whose memory is at most 60 % weights.
fn fewest(work: &ModelWork, setup: &Setup, cards: u32, memory: f64) -> u32 {
    let weights = work.weight_bytes(setup.weights);
    let mut tensor = 1;
    while tensor < cards && weights > 0.6 * memory * f64::from(tensor) {
        tensor *= 2;
    }
    tensor.min(cards)
}
