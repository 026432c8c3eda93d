//! Does the torch build hold code for the card?

use super::{
    Capability, Subject,
    environment::Channel,
    report::{Check, Outcome},
    rows::TorchBuild,
    tables::ArchList,
    version::Version,
};
use kasuan_model::Phrase;

/// Whether an architecture list serves a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cover {
    Yes,
    No,
    Open,
}

pub(super) fn check(subject: &Subject<'_>, checks: &mut Vec<Check>) {
    let builds = candidates(subject);
    let Some(first) = builds.first() else {
        checks.push(not_in_tables(subject));
        return;
    };
    let source = first.source.clone();
    let cards = cards_in_question(subject);
    if cards.is_empty() {
        let evidence = Phrase::new("doctor-card-unstated").with("archs", first.archs.text());
        checks.push(Check::new("ARCH", Outcome::Unknown, evidence, &source));
        return;
    }
    let covers: Vec<Cover> = builds
        .iter()
        .flat_map(|build| {
            cards.iter().map(|card| covers(subject, &build.archs, build.cuda.as_ref(), *card))
        })
        .collect();
    let outcome = if covers.iter().all(|cover| *cover == Cover::Yes) {
        Outcome::Pass
    } else if covers.iter().all(|cover| *cover == Cover::No) {
        Outcome::Fail
    } else {
        Outcome::Unknown
    };
    let (build, archs) = (first.name(), first.archs.text());
    let evidence = match (&subject.card, outcome) {
        (Some(card), Outcome::Pass) => Phrase::new("doctor-arch-covers")
            .with("build", build)
            .with("card", &card.name)
            .with("capability", card.capability),
        (Some(card), Outcome::Fail) => Phrase::new("doctor-arch-missing")
            .with("build", build)
            .with("card", &card.name)
            .with("capability", card.capability)
            .with("archs", archs),
        (None, Outcome::Pass) => Phrase::new("doctor-arch-covers-all").with("build", build),
        (None, Outcome::Fail) => {
            Phrase::new("doctor-arch-missing-all").with("build", build).with("archs", archs)
        }
        _ => Phrase::new("doctor-arch-open").with("build", build).with("archs", archs),
    };
    checks.push(Check::new("ARCH", outcome, evidence, &source));
}

/// A build that may be meant.
pub(super) struct Candidate {
    torch: Option<Version>,
    cuda: Option<Version>,
    archs: ArchList,
    source: String,
}

impl Candidate {
    fn name(&self) -> String {
        match (&self.torch, &self.cuda) {
            (Some(torch), Some(cuda)) => format!("torch {torch} CUDA {cuda}"),
            (Some(torch), None) => format!("torch {torch}"),
            (None, Some(cuda)) => format!("CUDA {cuda}"),
            (None, None) => "torch".to_owned(),
        }
    }
}

/// Returns every build that fits what was stated; the list seen on the box wins over the tables.
fn candidates(subject: &Subject<'_>) -> Vec<Candidate> {
    let environment = subject.environment;
    let (torch, cuda) = (environment.torch.as_ref(), subject.torch_cuda.as_ref());
    if let Some(archs) = &environment.archs {
        return vec![Candidate {
            torch: torch.cloned(),
            cuda: cuda.cloned(),
            archs: archs.clone(),
            source: "torch.cuda.get_arch_list()".to_owned(),
        }];
    }
    if torch.is_none() && cuda.is_none() || torch.is_some_and(Version::is_pre_release) {
        return Vec::new();
    }
    let arm = subject.card.as_ref().is_some_and(|card| card.arm);
    let fits_cuda = |build: &&TorchBuild| {
        build.arm == arm && cuda.is_none_or(|cuda| build.cuda.is_prefix_of(cuda))
    };
    let with_cuda: Vec<&TorchBuild> = subject.tables.builds.iter().filter(fits_cuda).collect();
    let exact: Vec<&TorchBuild> = with_cuda
        .iter()
        .filter(|build| torch.is_none_or(|torch| torch.is_prefix_of(&build.torch)))
        .copied()
        .collect();
    // A patch release is built by its release line's script.
    let found = if exact.is_empty() {
        with_cuda
            .iter()
            .filter(|build| torch.is_some_and(|torch| torch.same_minor(&build.torch)))
            .copied()
            .collect()
    } else {
        exact
    };
    prefer_channel(found, environment.channel)
        .into_iter()
        .map(|build| Candidate {
            torch: torch.cloned(),
            cuda: cuda.cloned().or_else(|| Some(build.cuda.clone())),
            archs: build.archs.clone(),
            source: build.source.clone(),
        })
        .collect()
}

/// Official wheels are meant unless conda is stated or conda is all there is.
fn prefer_channel(found: Vec<&TorchBuild>, channel: Channel) -> Vec<&TorchBuild> {
    let wanted = |build: &&TorchBuild| build.conda == (channel == Channel::Conda);
    let preferred: Vec<&TorchBuild> = found.iter().filter(|build| wanted(build)).copied().collect();
    if preferred.is_empty() && channel == Channel::Unknown { found } else { preferred }
}

/// Returns the stated card, or every card that the stated driver can drive.
pub(super) fn cards_in_question(subject: &Subject<'_>) -> Vec<Capability> {
    if let Some(card) = &subject.card {
        return vec![card.capability];
    }
    // A name that the tables do not know is not "any card": it may be newer than all of them.
    let named = subject
        .environment
        .card
        .as_deref()
        .is_some_and(|name| !name.trim().is_empty() && !name.trim_start().starts_with('('));
    let (false, Some(branch)) = (named, subject.branch) else { return Vec::new() };
    let newest = subject.tables.branches.iter().map(|row| row.branch).max().unwrap_or(0);
    if branch > newest {
        return Vec::new();
    }
    let mut cards: Vec<Capability> = subject
        .tables
        .cards
        .iter()
        .filter(|row| !row.name.starts_with("Jetson"))
        .map(|row| row.capability)
        .filter(|capability| {
            super::driver::branches_for(subject, *capability).is_some_and(|row| {
                row.first.is_none_or(|first| branch >= first)
                    && row.last.is_none_or(|last| branch <= last)
            })
        })
        .collect();
    cards.sort_unstable();
    cards.dedup();
    cards
}

/// Machine code of the same major and at most the same minor runs. PTX helps only where the
/// toolkit that made it already knew the card (its libraries have no code for it otherwise) and
/// the driver is at least that toolkit's (minor-version compatibility compiles no newer PTX).
pub(super) fn covers(
    subject: &Subject<'_>,
    archs: &ArchList,
    cuda: Option<&Version>,
    card: Capability,
) -> Cover {
    if archs.code.iter().any(|code| code.runs_on(card)) {
        return Cover::Yes;
    }
    if !archs.ptx.iter().any(|ptx| *ptx <= card) {
        return Cover::No;
    }
    let Some(cuda) = cuda else { return Cover::Open };
    let range = subject
        .tables
        .sm_ranges
        .iter()
        .find(|row| row.from <= *cuda && (*cuda <= row.to || cuda.same_minor(&row.to)));
    match range {
        Some(range) if card > range.most || card < range.least => Cover::No,
        Some(_) => match subject.driver_cuda.as_ref().and_then(|have| have.at_least(cuda)) {
            Some(true) => Cover::Yes,
            Some(false) => Cover::No,
            None => Cover::Open,
        },
        None => Cover::Open,
    }
}

/// Nothing is known of the build itself; the toolkit's own range may still rule the card out.
fn not_in_tables(subject: &Subject<'_>) -> Check {
    let build = Candidate {
        torch: subject.environment.torch.clone(),
        cuda: subject.torch_cuda.clone(),
        archs: ArchList::default(),
        source: String::new(),
    };
    if let (Some(card), Some(cuda)) = (&subject.card, &subject.torch_cuda)
        && let Some(range) =
            subject.tables.sm_ranges.iter().find(|row| row.from <= *cuda && *cuda <= row.to)
    {
        let top = range.most;
        let beyond = card.capability.0 > top.0 || card.capability < range.least;
        if beyond {
            let evidence = Phrase::new("doctor-arch-toolkit-range")
                .with("card", &card.name)
                .with("capability", card.capability)
                .with("cuda", cuda)
                .with("least", range.least)
                .with("most", top);
            return Check::new("ARCH", Outcome::Fail, evidence, &range.source);
        }
    }
    let evidence = if subject.environment.torch.is_none() && subject.torch_cuda.is_none() {
        Phrase::new("doctor-torch-unstated")
    } else {
        Phrase::new("doctor-build-not-in-tables").with("build", build.name())
    };
    Check::new("ARCH", Outcome::Unknown, evidence, "torch_arch.csv")
}
