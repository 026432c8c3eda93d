//! Which ledger: `--ledger`, else the environment, else a file among the user's data.

use crate::{context::Context, error::CommandError};
use kasuan_ledger::{Ledger, LedgerError};
use kasuan_model::{Phrase, Phrased as _};
use std::path::Path;

/// Clocks that differ by more than this put use into wrong hours.
const SKEW_SECONDS: i64 = 120;

#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Store {
    #[arg(long, value_name = "PLACE")]
    ledger: Option<String>,
}

impl Store {
    /// Says whether a ledger was named, by an argument or by the environment.
    pub(crate) fn is_named(&self, context: &Context) -> bool {
        self.ledger.is_some() || context.settings.ledger.is_some()
    }

    /// Opens the ledger, making it where it is not there yet, and says where it is.
    pub(crate) fn open(&self, context: &Context) -> Result<(Ledger, String), CommandError> {
        let place = self.place(context)?;
        if !is_server(&place)
            && let Some(folder) = Path::new(&place).parent()
        {
            std::fs::create_dir_all(folder).map_err(|error| {
                CommandError::surroundings(
                    Phrase::new("error-file-write")
                        .with("path", folder.display())
                        .with("reason", error),
                )
            })?;
        }
        if let Some(host) = remote_host(&place) {
            context.warn(&Phrase::new("store-plain").with("host", host));
        }
        let mut ledger = Ledger::open(&place).map_err(|error| failed(&error))?;
        let now = jiff::Timestamp::now();
        if let Ok(Some(skew)) = ledger.clock_skew(now)
            && skew.abs() > SKEW_SECONDS
        {
            context.warn(&Phrase::new("store-skew").with("seconds", skew.to_string()));
        }
        let shown = if is_server(&place) { without_login(&place) } else { place };
        Ok((ledger, shown))
    }

    /// Opens the ledger to look what an import would do to it: one that is not there is not made.
    pub(crate) fn open_for_rehearsal(
        &self,
        context: &Context,
    ) -> Result<(Ledger, String), CommandError> {
        let place = self.place(context)?;
        if is_server(&place) || Path::new(&place).exists() {
            return self.open(context);
        }
        let ledger = Ledger::open(":memory:").map_err(|error| failed(&error))?;
        Ok((ledger, place))
    }

    /// Opens a ledger that must be there already.
    pub(crate) fn open_existing(&self, context: &Context) -> Result<Ledger, CommandError> {
        let place = self.place(context)?;
        if !is_server(&place) && !Path::new(&place).exists() {
            return Err(CommandError::user(Phrase::new("store-missing").with("place", place))
                .hint(Phrase::new("store-hint-missing")));
        }
        Ok(self.open(context)?.0)
    }

    /// Returns where a ledger is read from: the named one, else the usual one where it is there.
    pub(crate) fn place_to_read(&self, context: &Context) -> Option<String> {
        let place = self.place(context).ok()?;
        (self.is_named(context) || Path::new(&place).exists()).then_some(place)
    }

    fn place(&self, context: &Context) -> Result<String, CommandError> {
        let named = self.ledger.clone().or_else(|| context.settings.ledger.clone());
        let usual = || {
            let data = context.settings.data.as_ref()?;
            Some(data.join("kasuan/ledger.db").display().to_string())
        };
        named.or_else(usual).ok_or_else(|| {
            CommandError::user(Phrase::new("store-nowhere")).hint(Phrase::new("store-hint-nowhere"))
        })
    }
}

fn is_server(place: &str) -> bool {
    place.starts_with("postgres://") || place.starts_with("postgresql://")
}

/// Returns the host of a server's address, unless it is this machine.
fn remote_host(place: &str) -> Option<&str> {
    let rest = is_server(place).then(|| place.split_once("://"))??.1;
    let authority = rest.split(['/', '?']).next().unwrap_or("");
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or(six),
        None => host.split(':').next().unwrap_or(host),
    };
    let here = host.is_empty() || host == "localhost" || host == "::1" || host.starts_with("127.");
    (!here).then_some(host)
}

fn without_login(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, place))) => format!("{scheme}://{place}"),
        _ => url.to_owned(),
    }
}

/// Turns a ledger's error into the command's: what the store did is the surroundings' doing.
pub(crate) fn failed(error: &LedgerError) -> CommandError {
    let told = match error {
        LedgerError::Open { .. } | LedgerError::Store { .. } => {
            CommandError::surroundings(error.phrase())
        }
        LedgerError::TooNew { .. } | LedgerError::Damaged { .. } => {
            CommandError::user(error.phrase())
        }
    };
    kasuan_model::Phrased::hints(error).into_iter().fold(told, CommandError::hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_connection_that_leaves_the_machine_is_warned_of() {
        assert_eq!(remote_host("postgres://me:p@ss@db.example:5432/x"), Some("db.example"));
        assert_eq!(remote_host("postgresql://10.0.0.5/x?sslmode=disable"), Some("10.0.0.5"));
        for here in [
            "postgres://me@localhost/x",
            "postgres://[::1]:5432/x",
            "postgresql://me@/x?host=%2Frun",
            "ledger.db",
        ] {
            assert_eq!(remote_host(here), None, "{here}");
        }
    }
}
