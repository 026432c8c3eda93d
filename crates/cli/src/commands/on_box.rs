//! What the commands on the box share: where samples come from and what an hour costs.

use crate::error::CommandError;
use crate::files;
use kasuan_model::{Currency, Money, Phrase};
use kasuan_probe::{
    machine::Installed,
    sample::{self, Replay, Sampler, Smi},
};
use rust_decimal::Decimal;
use std::path::PathBuf;

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Source {
    #[arg(long, value_name = "FILE", conflicts_with_all = ["ssh", "library"])]
    from: Option<PathBuf>,
    #[arg(long, value_name = "HOST", conflicts_with = "library")]
    ssh: Option<String>,
    #[arg(long, value_name = "PATH")]
    library: Option<PathBuf>,
}

impl Source {
    /// Says whether the cards, and so their processes, are this machine's.
    pub(crate) const fn is_local(&self) -> bool {
        self.from.is_none() && self.ssh.is_none()
    }

    /// Opens the sampler that was asked for, else whatever this machine has.
    pub(crate) fn open(&self) -> Result<Box<dyn Sampler + Send>, CommandError> {
        if let Some(file) = &self.from {
            let text = files::read_text(file)?;
            return Ok(Box::new(Replay::new(&text, None)?));
        }
        if let Some(host) = &self.ssh {
            return Ok(Box::new(Smi::new(Installed, Some(host.clone()))));
        }
        Ok(sample::open(self.library.as_deref(), Installed)?)
    }
}

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Price {
    #[arg(long, value_name = "AMOUNT")]
    price: Option<Decimal>,
    #[arg(long, default_value = "CNY", value_name = "CODE")]
    currency: String,
}

impl Price {
    /// Returns the price of an hour of the whole machine.
    pub(crate) fn hourly(&self) -> Result<Option<Money>, CommandError> {
        let Some(amount) = self.price else { return Ok(None) };
        if amount < Decimal::ZERO {
            return Err(CommandError::user(Phrase::new("box-error-price").with("amount", amount)));
        }
        let currency: Currency = self.currency.parse().map_err(|_| {
            CommandError::user(Phrase::new("doctor-error-currency").with("text", &self.currency))
        })?;
        Ok(Some(Money::new(amount, currency)))
    }
}

/// Returns what a span of time costs; money is exact to the microsecond of the clock.
pub(crate) fn cost(hourly: Money, seconds: f64) -> Option<Money> {
    let micros = Decimal::try_from((seconds * 1e6).round()).ok()?;
    hourly.times(micros).ok()?.over(Decimal::from(3_600_000_000_u64)).ok()
}
