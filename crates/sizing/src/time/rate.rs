//! The answers of the time model: a rate as a range with what limits it, or the reason why not.

use kasuan_model::{Bytes, CardId, Confidence, Estimate, Phrase, Phrased};

/// What a faster job would need more of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// Arithmetic of the tensor cores.
    Compute,
    /// Memory bandwidth of the card.
    Bandwidth,
    /// The links between the cards.
    Interconnect,
    /// The host that starts kernels and schedules requests.
    Host,
    /// Room for keys and values, which bounds the batch.
    Capacity,
}

impl Limit {
    /// Returns the stable word of files and JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Bandwidth => "bandwidth",
            Self::Interconnect => "interconnect",
            Self::Host => "host",
            Self::Capacity => "capacity",
        }
    }

    /// Returns the name of the limit for people.
    pub const fn phrase(self) -> Phrase {
        match self {
            Self::Compute => Phrase::new("time-limit-compute"),
            Self::Bandwidth => Phrase::new("time-limit-bandwidth"),
            Self::Interconnect => Phrase::new("time-limit-interconnect"),
            Self::Host => Phrase::new("time-limit-host"),
            Self::Capacity => Phrase::new("time-limit-capacity"),
        }
    }
}

/// How fast a job runs on all of its cards together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Tokens per second of the whole job: tokens read in training and in prefill, tokens written
    /// in decoding and serving. At least 85 % of measured runs lie within the range.
    pub tokens_per_second: Estimate<f64>,
    /// What takes the most time.
    pub limit: Limit,
    /// How far the figure may be trusted.
    pub confidence: Confidence,
}

/// How a service runs at a number of sequences in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Served {
    /// Tokens written per second by one replica.
    pub rate: Rate,
    /// Requests finished per second by one replica.
    pub requests_per_second: Estimate<f64>,
    /// Seconds between two tokens of a request, mean over a request.
    pub tpot: Estimate<f64>,
    /// Seconds to the first token, mean, when requests come evenly.
    pub ttft: f64,
    /// Seconds to read one prompt when nothing waits before it.
    pub prefill: f64,
    /// Sequences that are decoded together.
    pub batch: f64,
    /// Tokens of all sequences together that fit beside the weights.
    pub kv_tokens: f64,
}

impl Served {
    /// Returns the range of the mean time to the first token: queues make the upper end far.
    pub fn ttft_range(&self) -> Estimate<f64> {
        Estimate::new(self.ttft / 2.0, self.ttft, self.ttft * 3.0)
    }
}

/// Why there is no estimate. The caller says so instead of guessing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Declined {
    /// The card table has no arithmetic rate for the card.
    #[error("the tensor rate of {card} is not known")]
    NoTensorRate {
        /// The card.
        card: CardId,
    },
    /// The card table has no memory bandwidth for the card.
    #[error("the memory bandwidth of {card} is not known")]
    NoBandwidth {
        /// The card.
        card: CardId,
    },
    /// The weights do not leave room for a single sequence.
    #[error("the weights need {needed} and {room} are there for weights and cache")]
    DoesNotFit {
        /// What the weights and one sequence need on all cards together.
        needed: Bytes,
        /// What the cards have for them.
        room: Bytes,
    },
    /// The setup describes something else than was asked for.
    #[error("the setup describes {found}, but {asked} was asked for")]
    WrongWork {
        /// What was asked for.
        asked: &'static str,
        /// What the setup describes.
        found: &'static str,
    },
    /// A size of zero, or one that no arithmetic can hold.
    #[error("{what} must be a positive, finite number")]
    Degenerate {
        /// Which size.
        what: &'static str,
    },
}

impl Phrased for Declined {
    fn phrase(&self) -> Phrase {
        match self {
            Self::NoTensorRate { card } => {
                Phrase::new("time-declined-tensor-rate").with("card", card)
            }
            Self::NoBandwidth { card } => Phrase::new("time-declined-bandwidth").with("card", card),
            Self::DoesNotFit { needed, room } => {
                Phrase::new("time-declined-room").with("needed", needed).with("room", room)
            }
            Self::WrongWork { asked, found } => {
                let word = |work: &str| match work {
                    "training" => "time-work-training",
                    _ => "time-work-inference",
                };
                Phrase::new("time-declined-work")
                    .with_word("asked", word(asked))
                    .with_word("found", word(found))
            }
            Self::Degenerate { what } => {
                let word = match *what {
                    "the requests per second" => "time-size-requests-per-second",
                    "the size of the load" => "time-size-load",
                    "the amount of tokens" => "time-size-tokens",
                    "the rate" => "time-size-rate",
                    "the tokens of a request" | "the size of the request" => "time-size-request",
                    "the size of the training run" | "tokens of a step" => "time-size-training",
                    "the engine table" => "time-size-engine",
                    _ => "time-size-other",
                };
                Phrase::new("time-declined-degenerate").with_word("what", word)
            }
        }
    }
}
