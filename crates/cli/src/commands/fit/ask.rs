//! The options of `kasuan fit` that say what has to run, and what they mean together.

use crate::error::CommandError;
use kasuan_formats::workload::words::{self, Table};
use kasuan_model::{Bytes, Phrase};
use kasuan_plan::workload::Task;
use kasuan_sizing::{
    Framework, Inference, LoraTarget, Method, Recipe, Sharding, Training, WeightFormat, Work,
    fit::Need,
};
use std::str::FromStr;

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[arg(long, value_name = "TASK", default_value = "inference")]
    task: String,
    #[arg(long, value_name = "FORMAT")]
    weights: Option<String>,
    #[arg(long, value_name = "TOKENS", default_value_t = 2048)]
    context: u32,
    #[arg(long, value_name = "TOKENS")]
    generate: Option<u32>,
    #[arg(long, value_name = "N", default_value_t = 8)]
    concurrency: u32,
    #[arg(long, value_name = "FORMAT")]
    kv: Option<String>,
    #[arg(long, value_name = "ENGINE")]
    engine: Option<String>,
    #[arg(long, value_name = "N", default_value_t = 1)]
    batch: u32,
    #[arg(long, value_name = "TOKENS", default_value_t = 2048)]
    seq: u32,
    #[arg(long, value_name = "N", default_value_t = 16)]
    rank: u32,
    #[arg(long, value_name = "RECIPE")]
    recipe: Option<String>,
    #[arg(long, value_name = "OPTIMIZER")]
    optimizer: Option<String>,
    #[arg(long, value_name = "WHICH")]
    checkpointing: Option<String>,
    #[arg(long, value_name = "KERNEL")]
    attention: Option<String>,
    #[arg(long, value_name = "LOSS")]
    loss: Option<String>,
    #[arg(long, value_name = "NAME")]
    framework: Option<String>,
    #[arg(long, value_name = "N")]
    eval_batch: Option<u32>,
    #[arg(long, value_name = "HOW")]
    sharding: Option<String>,
    #[arg(long, value_name = "N")]
    cards: Option<u32>,
    #[arg(long, value_name = "PERCENT", default_value_t = 10.0)]
    headroom: f64,
    #[arg(long, value_name = "TOKENS")]
    tokens: Option<String>,
}

/// What has to run.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    /// The task.
    pub(super) task: Task,
    /// The weight format that the user insists on.
    pub(super) weights: Option<WeightFormat>,
    /// Tokens of a whole training run, where the user says.
    pub(super) tokens: Option<u64>,
    inference: Inference,
    training: Training,
    sharding: Option<Sharding>,
    cards: Option<u32>,
    headroom: f64,
}

impl Ask {
    /// Reads the options.
    pub(super) fn new(options: &Options) -> Result<Self, CommandError> {
        let mut ask = Self {
            task: one_of("--task", &options.task, words::TASKS)?,
            weights: None,
            tokens: None,
            inference: Inference::default(),
            training: Training::default(),
            sharding: None,
            cards: options.cards.map(cards).transpose()?,
            headroom: options.headroom / 100.0,
        };
        if !(0.0..=0.9).contains(&ask.headroom) {
            return Err(wrong("--headroom", &options.headroom.to_string()));
        }
        if ask.task == Task::Full {
            ask.training.method = Method::Full;
            // What `bf16=True` means in the common fine-tuning scripts.
            ask.training.recipe = Recipe::Autocast;
        } else if ask.task == Task::Pretrain {
            ask.training.method = Method::Full;
            ask.training.recipe = Recipe::MasterFp32;
        }
        ask.set_context(options.context, options.generate)?;
        for (key, value) in [
            ("concurrency", Some(options.concurrency.to_string())),
            ("batch", Some(options.batch.to_string())),
            ("seq", Some(options.seq.to_string())),
            ("rank", Some(options.rank.to_string())),
            // Before the recipe, which replaces the program's own.
            ("framework", options.framework.clone()),
            ("eval-batch", options.eval_batch.map(|batch| batch.to_string())),
            ("weights", options.weights.clone()),
            ("kv", options.kv.clone()),
            ("engine", options.engine.clone()),
            ("recipe", options.recipe.clone()),
            ("optimizer", options.optimizer.clone()),
            ("checkpointing", options.checkpointing.clone()),
            ("attention", options.attention.clone()),
            ("loss", options.loss.clone()),
            ("sharding", options.sharding.clone()),
            ("tokens", options.tokens.clone()),
        ] {
            if let Some(value) = value {
                ask.set(key, &value)?;
            }
        }
        Ok(ask)
    }

    /// Returns a copy with settings changed: `weights=awq4,concurrency=32`.
    pub(super) fn with(&self, settings: &str) -> Result<Self, CommandError> {
        let mut ask = self.clone();
        for setting in settings.split([',', ' ']).filter(|setting| !setting.is_empty()) {
            let Some((key, value)) = setting.split_once('=') else {
                return Err(wrong("--compare", setting).hint(Phrase::new("hint-fit-compare")));
            };
            ask.set(key.trim(), value.trim())?;
        }
        Ok(ask)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), CommandError> {
        let argument = format!("--{key}");
        let argument = argument.as_str();
        match key {
            "task" => self.task = one_of(argument, value, words::TASKS)?,
            "weights" => self.weights = Some(one_of(argument, value, words::WEIGHTS)?),
            "context" => self.set_context(count(argument, value)?, None)?,
            "concurrency" => self.inference.concurrency = count(argument, value)?,
            "kv" => self.inference.kv = one_of(argument, value, words::CACHES)?,
            "engine" => self.inference.engine = one_of(argument, value, words::ENGINES)?,
            "batch" => self.training.micro_batch = count(argument, value)?,
            "seq" => self.training.sequence = count(argument, value)?,
            "rank" => {
                if let Method::Lora { rank, .. } = &mut self.training.method {
                    *rank = count(argument, value)?;
                }
            }
            "recipe" => self.training.recipe = one_of(argument, value, words::RECIPES)?,
            "optimizer" => self.training.optimizer = one_of(argument, value, words::OPTIMIZERS)?,
            "checkpointing" => {
                self.training.checkpointing = one_of(argument, value, words::CHECKPOINTING)?;
            }
            "attention" => {
                let kernel = one_of(argument, value, words::KERNELS)?;
                (self.training.attention, self.inference.attention) = (kernel, kernel);
            }
            "loss" => self.training.loss = one_of(argument, value, words::LOSSES)?,
            "sharding" => self.sharding = Some(one_of(argument, value, words::SHARDINGS)?),
            "framework" => self.set_framework(value)?,
            "eval-batch" => self.training.evaluation_batch = Some(count(argument, value)?),
            "cards" => self.cards = Some(cards(count(argument, value)?)?),
            "tokens" => self.tokens = Some(tokens(argument, value)?),
            _ => return Err(wrong("--compare", key).hint(Phrase::new("hint-fit-compare"))),
        }
        Ok(())
    }

    /// Sets the program, and the numbers that it trains every parameter in.
    fn set_framework(&mut self, value: &str) -> Result<(), CommandError> {
        let framework = Framework::parse(value)?;
        self.training.framework = Some(framework);
        self.training.stack = framework.stack.program();
        if self.task == Task::Full {
            self.training.recipe = framework.stack.recipe();
        }
        Ok(())
    }

    fn set_context(&mut self, context: u32, generate: Option<u32>) -> Result<(), CommandError> {
        if context == 0 {
            return Err(wrong("--context", "0"));
        }
        let generated = generate.unwrap_or_else(|| (context / 4).max(1));
        if generated > context {
            return Err(wrong("--generate", &generated.to_string()));
        }
        self.inference.generated = generated;
        self.inference.prompt = context - generated;
        Ok(())
    }

    /// Says whether the task itself asks for quantised weights.
    pub(super) const fn quantises(&self) -> bool {
        matches!(self.task, Task::Qlora)
    }

    /// Returns the question for `sizing`.
    pub(super) fn need(&self, exact_weights: Option<Bytes>) -> Need {
        let serves = matches!(self.task, Task::Inference | Task::Batch);
        let work = if serves {
            Work::Inference(self.inference.clone())
        } else {
            let mut training = self.training.clone();
            let adapters = matches!(self.task, Task::Lora | Task::Qlora);
            if adapters && !training.method.trains_adapters() {
                let targets = LoraTarget::ALL_LINEAR.to_vec();
                training.method = Method::Lora { rank: 16, targets, dora: false };
            }
            Work::Training(training)
        };
        let weights = match (self.weights, self.task) {
            (None, Task::Qlora) => Some(WeightFormat::Nf4 { double_quant: true }),
            (weights, _) => weights,
        };
        Need {
            weights,
            exact_weights,
            sharding: self.sharding,
            cards: self.cards,
            headroom: self.headroom,
            ..Need::new(work)
        }
    }
}

fn wrong(argument: &str, value: &str) -> CommandError {
    CommandError::user(
        Phrase::new("error-argument-value").with("value", value).with("argument", argument),
    )
}

fn one_of<T: Copy>(argument: &str, value: &str, table: Table<T>) -> Result<T, CommandError> {
    words::find(table, value).ok_or_else(|| {
        let known: Vec<&str> = table.iter().map(|(word, _)| *word).collect();
        wrong(argument, value)
            .hint(Phrase::new("hint-possible-values").with("values", known.join(", ")))
    })
}

fn count(argument: &str, value: &str) -> Result<u32, CommandError> {
    u32::from_str(value).ok().filter(|count| *count > 0).ok_or_else(|| wrong(argument, value))
}

/// More cards than this are not one job; a workload file has the same bound.
const MOST_CARDS: u32 = 4_096;

fn cards(cards: u32) -> Result<u32, CommandError> {
    if (1..=MOST_CARDS).contains(&cards) {
        return Ok(cards);
    }
    let range = Phrase::new("hint-value-range").with("least", 1).with("most", MOST_CARDS);
    Err(wrong("--cards", &cards.to_string()).hint(range))
}

/// Reads `20M`, `1.5B`, `300k` or a plain number of tokens.
fn tokens(argument: &str, value: &str) -> Result<u64, CommandError> {
    let (number, scale) = match value.trim().char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&value[..at], 1e3),
        Some((at, 'm' | 'M')) => (&value[..at], 1e6),
        Some((at, 'b' | 'B' | 'g' | 'G')) => (&value[..at], 1e9),
        Some((at, '万')) => (&value[..at], 1e4),
        Some((at, '亿')) => (&value[..at], 1e8),
        _ => (value, 1.0),
    };
    let number: f64 = number.trim().parse().map_err(|_| wrong(argument, value))?;
    let tokens = number * scale;
    if (1.0..=1e18).contains(&tokens) { Ok(tokens as u64) } else { Err(wrong(argument, value)) }
}
