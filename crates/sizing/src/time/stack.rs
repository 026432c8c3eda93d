//! The name of the software of a run, under which its costs stand in the coefficients.

use super::{step::engine_word, training::stack_word};
use crate::{Setup, Work};
use kasuan_model::Card;

/// Returns the word of the engine or the training stack that a setup runs with on a card.
pub fn stack_of(setup: &Setup, card: &Card) -> &'static str {
    match &setup.work {
        Work::Inference(inference) => engine_word(inference, card),
        Work::Training(training) => stack_word(training.stack),
    }
}
