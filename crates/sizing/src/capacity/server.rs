//! One replica as a queue sees it: seconds of a step at each batch, seconds to read a prompt, room.

use crate::{
    Architecture, Setup,
    time::{Coefficients, Declined, ModelWork, ServingTable},
};
use kasuan_model::{Card, Interconnect};

/// Largest batch that is tabulated; engines plan for fewer sequences.
const LARGEST_BATCH: usize = 2048;

/// One replica of a service.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    /// Seconds of a step that writes one token for each of 1, 2, 3... sequences.
    pub(super) step: Vec<f64>,
    /// Seconds to read a token of a prompt.
    pub(super) prompt_token: f64,
    /// Seconds that a first token waits for the front end.
    pub(super) front_end: f64,
    /// Tokens of all sequences that fit beside the weights.
    pub(super) room: f64,
    /// Cards of the replica.
    pub(super) cards: u32,
}

impl Server {
    /// Tabulates a replica for requests whose mean lengths are those of the setup.
    pub fn of(
        model: &Architecture,
        setup: &Setup,
        card: &Card,
        interconnect: Interconnect,
    ) -> Result<Self, Declined> {
        let work = ModelWork::of(model);
        let c = Coefficients::shipped();
        let table = ServingTable::of(&work, setup, card, interconnect, c)?;
        let most = (table.most as usize).clamp(1, LARGEST_BATCH);
        Ok(Self {
            step: (1..=most).map(|batch| table.step(batch as f64)).collect(),
            prompt_token: table.prompt_token,
            front_end: c.front_end,
            room: table.room,
            cards: setup.parallelism.cards().max(1),
        })
    }

    /// Returns the same replica with every step and prompt taking `factor` times as long.
    #[must_use]
    pub fn slowed(&self, factor: f64) -> Self {
        Self {
            step: self.step.iter().map(|seconds| seconds * factor).collect(),
            prompt_token: self.prompt_token * factor,
            ..self.clone()
        }
    }

    /// Returns the largest number of sequences that the engine decodes together.
    pub fn most(&self) -> usize {
        self.step.len()
    }

    /// Returns the seconds of a step at a batch.
    pub(super) fn step_at(&self, batch: usize) -> f64 {
        let at = batch.clamp(1, self.step.len()) - 1;
        self.step.get(at).copied().unwrap_or(f64::INFINITY)
    }
}
