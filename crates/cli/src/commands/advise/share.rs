//! `kasuan advise share`: whether several replicas of one program on one card pay.

use crate::{
    context::Context,
    error::{CommandError, Exit},
};
use kasuan_formats::advice;
use kasuan_model::{Bytes, Phrase};
use kasuan_plan::colocate::share::{Limit, Packing, Verdict, packing};

#[derive(Debug, clap::Args)]
pub(super) struct Share {
    #[arg(long, value_name = "COUNT", default_value_t = 2, value_parser = clap::value_parser!(u32).range(2..=64))]
    replicas: u32,
    #[arg(long, value_enum)]
    limit: Option<LimitWord>,
    #[arg(long)]
    mps: bool,
    #[arg(long)]
    own_cores: bool,
    #[arg(long, value_name = "SIZE")]
    memory: Option<Bytes>,
    #[arg(long, requires = "memory")]
    preallocated: bool,
    #[arg(long, value_name = "SIZE")]
    card_memory: Option<Bytes>,
    #[arg(long, value_name = "RATE", requires = "together")]
    alone: Option<f64>,
    #[arg(long, value_name = "RATE", requires = "alone")]
    together: Option<f64>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum LimitWord {
    Host,
    Bandwidth,
    Arithmetic,
}

/// Runs the command.
pub(super) fn run(arguments: &Share, context: &Context) -> Result<Exit, CommandError> {
    for (name, rate) in [("--alone", arguments.alone), ("--together", arguments.together)] {
        if rate.is_some_and(|rate| !rate.is_finite() || rate <= 0.0) {
            let value = rate.unwrap_or(0.0);
            return Err(CommandError::user(
                Phrase::new("error-argument-value").with("value", value).with("argument", name),
            ));
        }
    }
    let advice = packing(&Packing {
        replicas: arguments.replicas,
        limit: arguments.limit.map(|limit| match limit {
            LimitWord::Host => Limit::Host,
            LimitWord::Bandwidth => Limit::Bandwidth,
            LimitWord::Arithmetic => Limit::Arithmetic,
        }),
        mps: arguments.mps,
        own_cores: arguments.own_cores,
        memory: arguments.memory,
        memory_is_a_setting: arguments.preallocated,
        card: arguments.card_memory,
        measured: arguments.alone.zip(arguments.together),
    });
    super::answer(context, &advice.reasons, |why| advice::Packing::new(&advice, why))?;
    Ok(if advice.verdict == Verdict::Leave { Exit::AnswerIsNo } else { Exit::Done })
}
