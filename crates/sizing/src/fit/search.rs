//! Enumerates the setups with which a job runs on a card: precision, cards and their division.

use super::{Fit, fits, parallel, precision};
use crate::{Architecture, Parallelism, Setup, Sharding, SizingError, WeightFormat, Work};
use kasuan_model::{Bytes, Card};

/// What has to run, and what the user insists on.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// What is being done.
    pub work: Work,
    /// The weight format that the user insists on; `None` lets the search choose. For QLoRA state
    /// the quantised format of the base here.
    pub weights: Option<WeightFormat>,
    /// The weights' size where the files' headers say it, in the stated format.
    pub exact_weights: Option<Bytes>,
    /// Sharding that the user insists on.
    pub sharding: Option<Sharding>,
    /// Cards that the user insists on.
    pub cards: Option<u32>,
    /// The most cards that may be used together.
    pub most_cards: u32,
    /// Share of a card's memory that is kept free beside the upper bound.
    pub headroom: f64,
}

impl Need {
    /// Creates a need with nothing insisted on, up to 8 cards together, no headroom beside the
    /// upper bound.
    pub const fn new(work: Work) -> Self {
        Self {
            work,
            weights: None,
            exact_weights: None,
            sharding: None,
            cards: None,
            most_cards: 8,
            headroom: 0.0,
        }
    }

    /// Returns the formats to try, best quality first.
    fn formats(&self, card: &Card) -> Vec<WeightFormat> {
        if let Some(format) = self.weights {
            return vec![format];
        }
        match &self.work {
            Work::Training(_) => vec![WeightFormat::Bf16],
            Work::Inference(_) => {
                let mut formats = vec![WeightFormat::Bf16];
                if precision::fp8(card) == Some(true) {
                    formats.push(WeightFormat::Fp8);
                } else {
                    formats.push(WeightFormat::Int8);
                }
                formats.push(WeightFormat::Awq4 { group: 128 });
                formats
            }
        }
    }

    /// Returns the numbers of cards to try: powers of two up to the most, or what is insisted on.
    fn counts(&self) -> Vec<u32> {
        if let Some(cards) = self.cards {
            return vec![cards.max(1)];
        }
        let mut counts = Vec::new();
        let mut cards = 1_u32;
        while cards <= self.most_cards.max(1) {
            counts.push(cards);
            cards = cards.saturating_mul(2);
        }
        counts
    }

    /// Returns the ways to divide the job over so many cards, best first.
    pub fn ways(&self, model: &Architecture, format: WeightFormat, cards: u32) -> Vec<Parallelism> {
        match &self.work {
            Work::Inference(inference) => parallel::serving(model, inference.engine, cards),
            Work::Training(training) => {
                let setup = self.setup(format, Parallelism::SINGLE);
                parallel::training(&setup, self.sharding, cards, training.method.trains_adapters())
            }
        }
    }

    /// Returns the setup with a format and a division.
    pub fn setup(&self, weights: WeightFormat, parallelism: Parallelism) -> Setup {
        Setup {
            work: self.work.clone(),
            weights,
            parallelism,
            exact_weights: self.exact_weights.filter(|_| self.weights == Some(weights)),
        }
    }
}

/// Returns every setup that fits a card, best weight format first, then fewest cards: for each
/// format and number of cards the least intrusive division that fits.
///
/// Empty means that nothing fits; [`super::fits`] on a setup of [`Need::setup`] tells why.
///
/// # Errors
/// What [`crate::memory::estimate`] refuses: a model or a run without a size.
pub fn setups(model: &Architecture, need: &Need, card: &Card) -> Result<Vec<Fit>, SizingError> {
    let mut found = Vec::new();
    for format in need.formats(card) {
        for cards in need.counts() {
            for way in need.ways(model, format, cards) {
                let fit = fits(model, &need.setup(format, way), card, need.headroom)?;
                if fit.fits {
                    found.push(fit);
                    break;
                }
            }
        }
    }
    Ok(found)
}
