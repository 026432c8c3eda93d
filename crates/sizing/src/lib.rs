//! What a job needs: model configurations, memory, time and capacity.
//!
//! Pure: a configuration and a setup in, an estimate out. Formulas carry their source.

mod architecture;
pub mod capacity;
mod catalogue;
mod counted;
mod details;
mod error;
pub mod fit;
pub mod memory;
mod outcome;
pub mod parameters;
mod setup;
mod stacks;
pub mod time;

pub use architecture::{Architecture, Attention, Experts, Kind, Mlp, Norm, RecurrentLayers};
pub use catalogue::{Catalogue, CatalogueError, UnknownModel};
pub use counted::parse_size;
pub use details::{Evidence, LogitsPath, StepKernel, TrainingDetails};
pub use error::SizingError;
pub use outcome::{Breakdown, MemoryEstimate, Reservation};
pub use parameters::ParameterCount;
pub use setup::{
    AttentionKernel, Checkpointing, Engine, GgufMix, Inference, KvFormat, LoraTarget, Loss, Method,
    Optimizer, Parallelism, PromptLogits, Recipe, Setup, Sharding, Training, TrainingStack,
    WeightFormat, Work,
};
pub use stacks::{Framework, Stack, UnknownFramework, stacks};
