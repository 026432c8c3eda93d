//! Which arguments of `kasuan offers` go together: one that would change nothing is refused.

use super::{Offers, SortChoice};
use crate::error::CommandError;
use kasuan_model::Phrase;

/// Refuses arguments that the asked-for answer would leave unused.
pub(super) fn check(arguments: &Offers) -> Result<(), CommandError> {
    let ways: Vec<&str> = given(&[
        ("--compare", !arguments.compare.is_empty()),
        ("--history", arguments.history),
        ("--by-card", arguments.by_card),
    ]);
    if let [first, second, ..] = ways.as_slice() {
        let phrase = Phrase::new("offers-two-ways").with("first", first).with("second", second);
        return Err(CommandError::user(phrase));
    }
    let by_bill = arguments.sort == Some(SortChoice::Bill);
    if !by_bill && arguments.compare.is_empty() {
        refuse(&pattern(arguments), "--sort bill / --compare")?;
    }
    if !arguments.history {
        refuse(&given(&[("--store", !arguments.store.is_empty())]), "--history")?;
    }
    if arguments.compare.is_empty() && !arguments.history {
        // A table of cards has its own order.
        let sorted = arguments.by_card && arguments.sort.is_some();
        let unused = given(&[("--sort", sorted)]);
        return refuse_with(&unused, "--by-card", "--card --provider --mode --country --max-price");
    }
    let mut unused = box_filters(arguments);
    if arguments.history {
        unused.extend(given(&[("--rate", !arguments.rate.is_empty())]));
        unused.extend(pattern(arguments));
        return refuse_with(&unused, "--history", "--card --provider --mode --currency");
    }
    unused.extend(given(&[
        ("--card", !arguments.card.is_empty()),
        ("--provider", !arguments.provider.is_empty()),
        ("--mode", !arguments.mode.is_empty()),
        ("--serverless", arguments.serverless),
    ]));
    refuse_with(&unused, "--compare", "--currency --rate --run --runs --storage")
}

/// Filters and orders that belong to a list of offers only.
fn box_filters(arguments: &Offers) -> Vec<&'static str> {
    given(&[
        ("--memory", arguments.memory.is_some()),
        ("--count", arguments.count.is_some()),
        ("--min-count", arguments.min_count.is_some()),
        ("--capability", arguments.capability.is_some()),
        ("--interconnect", arguments.interconnect.is_some()),
        ("--form", arguments.form.is_some()),
        ("--region", !arguments.region.is_empty()),
        ("--country", !arguments.country.is_empty()),
        ("--max-price", arguments.max_price.is_some()),
        ("--ecc", arguments.ecc.is_some()),
        ("--vcpus", arguments.vcpus.is_some()),
        ("--ram", arguments.ram.is_some()),
        ("--disk", arguments.disk.is_some()),
        ("--slices", arguments.slices),
        ("--oldest", arguments.oldest.is_some()),
        ("--sort", arguments.sort.is_some()),
    ])
}

fn pattern(arguments: &Offers) -> Vec<&'static str> {
    given(&[
        ("--run", arguments.run.is_some()),
        ("--runs", arguments.runs.is_some()),
        ("--storage", arguments.storage.is_some()),
    ])
}

fn given(list: &[(&'static str, bool)]) -> Vec<&'static str> {
    list.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect()
}

fn refuse(unused: &[&str], needed: &str) -> Result<(), CommandError> {
    if unused.is_empty() {
        return Ok(());
    }
    let phrase =
        Phrase::new("offers-needs").with("unused", unused.join(" ")).with("needed", needed);
    Err(CommandError::user(phrase))
}

fn refuse_with(unused: &[&str], way: &str, taken: &str) -> Result<(), CommandError> {
    if unused.is_empty() {
        return Ok(());
    }
    let phrase = Phrase::new("offers-unused").with("unused", unused.join(" ")).with("way", way);
    Err(CommandError::user(phrase).hint(Phrase::new("offers-unused-hint").with("taken", taken)))
}
