//! What to install or take instead: the nearest combination in the tables that passes.

use super::{
    Subject, arch,
    arch::Cover,
    driver,
    environment::Platform,
    packages::python_range,
    report::{Check, Outcome},
    rows::TorchBuild,
    version::Version,
};
use kasuan_model::Phrase;

/// Finds a torch build that passes on this card, driver and Python, nearest to the one asked for.
pub(super) fn find(subject: &Subject<'_>, checks: &[Check]) -> Option<Phrase> {
    let failed = |rule: &str| {
        checks.iter().any(|check| check.outcome == Outcome::Fail && check.rule == rule)
    };
    let broken = failed("ARCH") || failed("DRIVER") || failed("INDEX") || failed("PYTHON");
    let environment = subject.environment;
    let open = environment.uses_torch && environment.torch.is_none() && subject.card.is_some();
    let undecided = open && environment.torch_cuda.is_none() && environment.archs.is_none();
    if !broken && !undecided {
        return None;
    }
    // A driver that cannot drive the card has to go in any case; the wheel is for the next one.
    let driver_counts = !failed("CARD_DRIVER");
    let asked = subject.environment.torch.as_ref();
    let mut best: Option<(u64, &Version, &Version)> = None;
    for build in subject.tables.builds.iter().filter(|build| !build.conda) {
        if build.arm != subject.card.as_ref().is_some_and(|card| card.arm) {
            continue;
        }
        if !installable(subject, &build.torch, &build.cuda)
            || !passes(subject, build, driver_counts)
        {
            continue;
        }
        let distance = asked.map_or(0, |asked| distance(asked, &build.torch));
        let better = best.is_none_or(|(least, torch, cuda)| {
            distance < least
                || distance == least
                    && (build.torch > *torch || build.torch == *torch && build.cuda > *cuda)
        });
        if better {
            best = Some((distance, &build.torch, &build.cuda));
        }
    }
    match best {
        Some((_, torch, cuda)) => Some(
            Phrase::new("doctor-remedy-wheel").with("torch", torch).with("index", index_of(cuda)),
        ),
        None => Some(Phrase::new("doctor-remedy-none")),
    }
}

/// Names the wheel index of a CUDA version: 12.6 is `cu126`.
fn index_of(cuda: &Version) -> String {
    format!("cu{}", cuda.to_string().replace('.', ""))
}

/// A build is offered only where its release has that index and its Python range fits.
fn installable(subject: &Subject<'_>, torch: &Version, cuda: &Version) -> bool {
    let on_index = subject
        .tables
        .releases
        .iter()
        .any(|release| release.torch == *torch && release.cuda.contains(cuda));
    let stated = subject.environment.python.as_ref().and_then(Version::major_minor);
    let python = match (stated, python_range(&subject.tables.pythons, torch)) {
        (None, _) => true,
        (Some(stated), Some(row)) => {
            row.least.major_minor().is_none_or(|least| stated >= least)
                && row.most.major_minor().is_none_or(|most| stated <= most)
        }
        (Some(_), None) => false,
    };
    on_index && python
}

fn passes(subject: &Subject<'_>, build: &TorchBuild, driver_counts: bool) -> bool {
    let covered = arch::cards_in_question(subject)
        .iter()
        .all(|card| arch::covers(subject, &build.archs, Some(&build.cuda), *card) == Cover::Yes);
    let driver = driver::runs_cuda(subject, &build.cuda).outcome;
    covered
        && (!driver_counts || matches!(driver, Outcome::Pass | Outcome::Assumed))
        && subject.environment.platform == Platform::Linux
}

/// Steps between two releases; older ones count double, so that nobody is sent back needlessly.
fn distance(asked: &Version, offered: &Version) -> u64 {
    let place = |version: &Version| {
        let (major, minor) = version.major_minor().unwrap_or((version.major(), 0));
        // The 1.x line ended with 1.13, so 2.0 stands one step above it.
        i64::from(major) * 14 + i64::from(minor)
    };
    let steps = place(offered) - place(asked);
    if steps < 0 { steps.unsigned_abs() * 2 } else { steps.unsigned_abs() }
}
