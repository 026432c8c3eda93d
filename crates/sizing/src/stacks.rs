//! The programs that train, and what each does beside its settings.
//!
//! A stack is recognised by the words of its name; what it does is a property of its code: how it
//! computes the loss, in which numbers it keeps what is trained, what it loads. The table is
//! `data/memory/stacks.toml`, where each row says what it rests on.

use crate::{
    Evidence, LogitsPath, Loss, Recipe, Setup, Sharding, StepKernel, TrainingDetails,
    TrainingStack, WeightFormat, Work,
};
use kasuan_model::{Phrase, Phrased};
use serde::Deserialize;
use std::sync::LazyLock;

/// The shipped table.
const SHIPPED: &str = include_str!("../../../data/memory/stacks.toml");

static STACKS: LazyLock<Vec<Stack>> = LazyLock::new(|| {
    let table: Table = toml::from_str(SHIPPED).expect("a test reads the shipped table");
    table.stack
});

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    stack: Vec<Stack>,
}

/// When a stack runs its forward pass under autocast over 16-bit weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Autocast {
    /// Never.
    Never,
    /// Always.
    Always,
    /// Except under DeepSpeed, which casts the model itself.
    WithoutDeepspeed,
    /// Where the run sets a mixed-precision flag.
    Flag,
}

/// When a stack upcasts embeddings, head and norms of a quantised base to FP32
/// (`prepare_model_for_kbit_training`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Upcasts {
    /// Never.
    Never,
    /// For bases that bitsandbytes quantised.
    Bitsandbytes,
    /// The same, unless the base is sharded.
    WholeBase,
    /// The same, on the path without faster kernels only.
    PlainPath,
}

/// What a stack's selective recomputation drops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Selective {
    /// Everything but some matrix products and attention (PyTorch's per-operation policy).
    #[default]
    Operations,
    /// Attention scores alone, which fused attention never keeps (Megatron-LM).
    Scores,
}

/// What one program does.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stack {
    /// The name to ask for it by.
    pub id: String,
    /// Words of a text that name it.
    pub words: Vec<String>,
    program: String,
    #[serde(default)]
    adapters: Option<String>,
    autocast: Autocast,
    upcasts: Upcasts,
    step: StepKernel,
    logits: LogitsPath,
    /// Before transformers 4.45, where it differs.
    #[serde(default)]
    logits_old: Option<LogitsPath>,
    /// Under autocast, where it differs.
    #[serde(default)]
    logits_autocast: Option<LogitsPath>,
    /// With the stack's own fused kernels.
    #[serde(default)]
    logits_fast: Option<LogitsPath>,
    /// The same before transformers 4.46, where it differs.
    #[serde(default)]
    logits_fast_old: Option<LogitsPath>,
    /// For models that bring their own loss.
    #[serde(default)]
    logits_own_code: Option<LogitsPath>,
    #[serde(default)]
    logits_own_code_autocast: Option<LogitsPath>,
    recipe: Recipe,
    #[serde(default)]
    selective: Selective,
    #[serde(default)]
    fuses_loss: bool,
    #[serde(default)]
    adapter_dropout: bool,
    #[serde(default)]
    merged_adapters: bool,
    #[serde(default)]
    quantises_head: bool,
    #[serde(default)]
    loads_whole: bool,
    #[serde(default)]
    own_models: bool,
    /// Whether it starts DeepSpeed ZeRO-2 on one card when the base is quantised or everything is
    /// trained.
    #[serde(default)]
    pub lone_zero2: bool,
    #[serde(default)]
    lengths_vary: bool,
    /// Whether keys and values are copied to the width of queries before attention.
    #[serde(default)]
    expands_kv: bool,
    /// Whether the loss moved into the head's kernel in 2025.
    #[serde(default)]
    fuses_loss_new: bool,
    /// Whether the row was held against measured runs, or only read from the program's code.
    evidence: Evidence,
    /// What the row rests on.
    pub source: String,
}

/// A stack as one run uses it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Framework {
    /// The program.
    pub stack: &'static Stack,
    /// Whether the program was named, and is not only the most common one.
    pub named: bool,
    /// Whether its model code is from before transformers 4.45 (September 2024).
    pub old: bool,
    /// Whether the run sets a mixed-precision flag.
    pub mixed: bool,
    /// Whether the stack's faster path is on.
    pub fast: bool,
    /// Whether its fused loss is on.
    pub in_place: bool,
    /// Whether the run asks for the optimiser's fused kernel.
    pub fused_step: bool,
    /// Whether the model's own code computes the loss.
    pub own_code: bool,
}

/// No stack has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no training program is called `{text}`")]
pub struct UnknownFramework {
    /// What was asked for.
    pub text: String,
}

impl Phrased for UnknownFramework {
    fn phrase(&self) -> Phrase {
        Phrase::new("sizing-framework-unknown").with("framework", &self.text)
    }

    fn hints(&self) -> Vec<Phrase> {
        let names: Vec<&str> = stacks().iter().map(|stack| stack.id.as_str()).collect();
        vec![Phrase::new("sizing-framework-known").with("frameworks", names.join(", "))]
    }
}

/// Returns all stacks.
pub fn stacks() -> &'static [Stack] {
    &STACKS
}

impl Stack {
    /// Returns the stack that a free text names.
    pub fn named_in(text: &str) -> Option<&'static Self> {
        let text = text.to_lowercase();
        let named = |stack: &&Self| stack.words.iter().any(|word| text.contains(word.as_str()));
        STACKS.iter().find(named)
    }

    /// Returns the most common one: current Hugging Face code.
    pub fn common() -> &'static Self {
        STACKS.last().expect("a test reads the shipped table")
    }

    /// Returns the kind of program, for the time model.
    pub fn program(&self) -> TrainingStack {
        match self.program.as_str() {
            "fused" => TrainingStack::Fused,
            "pretraining" => TrainingStack::Pretraining,
            _ => TrainingStack::HuggingFace,
        }
    }

    /// Returns the numbers that it trains every parameter in by default.
    pub const fn recipe(&self) -> Recipe {
        self.recipe
    }

    /// Says whether it computes the loss in the head's kernel.
    pub const fn fuses_loss(&self) -> bool {
        self.fuses_loss || self.fuses_loss_new
    }
}

impl Framework {
    /// Creates the current version of a stack, as it runs by default.
    pub const fn new(stack: &'static Stack) -> Self {
        Self {
            stack,
            named: true,
            old: false,
            mixed: true,
            fast: false,
            in_place: false,
            fused_step: false,
            own_code: false,
        }
    }

    /// Reads `llama-factory`, or `llama-factory@2023` for its code of that year.
    ///
    /// # Errors
    /// [`UnknownFramework`] where no stack has the name or the year is none.
    pub fn parse(text: &str) -> Result<Self, UnknownFramework> {
        let unknown = || UnknownFramework { text: text.to_owned() };
        let (name, year) = match text.split_once('@') {
            Some((name, year)) => (name, Some(year.parse::<u32>().map_err(|_| unknown())?)),
            None => (text, None),
        };
        let name = name.trim().to_lowercase();
        let known = |stack: &&Stack| stack.id == name || stack.words.contains(&name);
        let stack = STACKS.iter().find(known).ok_or_else(unknown)?;
        Ok(Self { old: year.is_some_and(|year| year <= 2024), ..Self::new(stack) })
    }

    /// Says whether the program can train under autocast at all; those that never do keep one number
    /// format throughout.
    pub fn details_autocast(&self) -> bool {
        self.stack.autocast != Autocast::Never
    }

    /// Returns a setup with what the stack does in it.
    pub fn apply(&self, setup: &Setup) -> Setup {
        let details = self.details(setup);
        let mut setup = setup.clone();
        if let Work::Training(training) = &mut setup.work {
            training.stack = self.stack.program();
            if self.fuses_loss() && training.loss == Loss::Eager {
                training.loss = Loss::Fused;
            }
            training.details = details.unwrap_or(training.details);
        }
        setup
    }

    /// Returns what the stack does in one run; `None` where the run does not train.
    pub fn details(&self, setup: &Setup) -> Option<TrainingDetails> {
        let Work::Training(training) = &setup.work else { return None };
        let stack = self.stack;
        let sharding = setup.parallelism.sharding;
        let deepspeed = matches!(sharding, Sharding::Zero1 | Sharding::Zero2 | Sharding::Zero3);
        let fsdp = sharding == Sharding::Fsdp;
        let bitsandbytes = matches!(setup.weights, WeightFormat::Nf4 { .. } | WeightFormat::Int8);
        let autocast = match stack.autocast {
            Autocast::Never => false,
            Autocast::Always => true,
            Autocast::WithoutDeepspeed => !deepspeed,
            Autocast::Flag => self.mixed,
        };
        Some(TrainingDetails {
            fp32_adapters: stack.adapters.as_deref() != Some("base"),
            upcasts_unquantised: match stack.upcasts {
                Upcasts::Never => false,
                Upcasts::Bitsandbytes => bitsandbytes,
                Upcasts::WholeBase => bitsandbytes && !fsdp,
                Upcasts::PlainPath => bitsandbytes && !fsdp && !self.fast,
            },
            autocast,
            step: if self.fused_step { StepKernel::Fused } else { stack.step },
            logits: self.logits(autocast),
            adapter_dropout: stack.adapter_dropout,
            merged_adapters: stack.merged_adapters,
            quantises_head: stack.quantises_head,
            loads_whole: stack.loads_whole && fsdp,
            own_models: stack.own_models,
            keeps_matrix_products: stack.selective == Selective::Scores,
            lengths_vary: stack.lengths_vary && !training.packed,
            expands_kv: stack.expands_kv || training.details.expands_kv,
            program: if self.named { stack.evidence } else { Evidence::Assumed },
            ..training.details
        })
    }

    /// Says whether the loss is computed in the head's kernel.
    fn fuses_loss(&self) -> bool {
        self.stack.fuses_loss || self.stack.fuses_loss_new && !self.old
    }

    /// Returns the path of the stack's fused kernel on the logits.
    fn fused_loss(&self) -> Option<LogitsPath> {
        let old = self.stack.logits_fast_old.filter(|_| self.old);
        old.or(self.stack.logits_fast).filter(|_| self.in_place)
    }

    fn logits(&self, autocast: bool) -> LogitsPath {
        let stack = self.stack;
        let own = if autocast { stack.logits_own_code_autocast } else { stack.logits_own_code };
        own.filter(|_| self.own_code)
            .or(self.fused_loss())
            .or(stack.logits_autocast.filter(|_| autocast))
            .or(stack.logits_old.filter(|_| self.old))
            .unwrap_or(stack.logits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Method, Parallelism, Training};

    #[test]
    fn every_stack_is_found_by_its_own_name_and_says_what_it_rests_on() {
        for stack in stacks() {
            assert_eq!(Framework::parse(&stack.id).unwrap().stack.id, stack.id);
            assert!(!stack.source.is_empty() && !stack.words.is_empty(), "{}", stack.id);
        }
        let named = |text| Stack::named_in(text).unwrap().id.as_str();
        assert_eq!(named("LLaMA-Factory / repo finetune.py"), "llama-factory");
        assert_eq!(named("ms-swift 4.x Megatron-SWIFT"), "megatron");
        assert_eq!(named("ms-swift 4.x"), "ms-swift");
        assert_eq!(Stack::named_in("something else"), None);
        assert_eq!(Stack::common().id, "hugging-face");
        assert!(Framework::parse("llama-factroy").is_err());
        assert!(Framework::parse("trl@new").is_err());
    }

    #[test]
    fn a_stack_changes_the_run_and_depends_on_how_it_is_sharded() {
        let lora = Training::default();
        let base = WeightFormat::Nf4 { double_quant: true };
        let setup = Setup { work: Work::Training(lora.clone()), weights: base, ..Setup::default() };
        let details =
            |name: &str, setup: &Setup| Framework::parse(name).unwrap().details(setup).unwrap();
        assert!(details("hugging-face", &setup).upcasts_unquantised);
        assert!(!details("llama-factory", &setup).upcasts_unquantised);
        let parallelism = Parallelism { data: 2, sharding: Sharding::Fsdp, ..Parallelism::SINGLE };
        let sharded = Setup { parallelism, ..setup.clone() };
        assert!(!details("hugging-face", &sharded).upcasts_unquantised);
        let loss = |name: &str| details(name, &setup).logits;
        assert_eq!(loss("hugging-face@2023"), LogitsPath::UpcastInModel);
        assert_eq!(loss("hugging-face"), LogitsPath::UpcastInLoss);
        let unsloth = Framework::parse("unsloth").unwrap().apply(&setup);
        let Work::Training(run) = unsloth.work else { panic!("a training run") };
        assert_eq!((run.loss, run.stack), (Loss::Fused, TrainingStack::Fused));
        let full = Training { method: Method::Full, ..lora };
        let full = Setup { work: Work::Training(full), ..Setup::default() };
        assert!(!details("llama-factory", &full).upcasts_unquantised);
    }
}
