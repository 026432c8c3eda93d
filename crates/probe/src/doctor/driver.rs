//! The driver against the card, against torch's CUDA, and against the container image.

use super::{
    Subject,
    environment::Platform,
    report::{Check, Outcome},
    rows::CardDriver,
    version::Version,
};
use kasuan_model::Phrase;

pub(super) fn check(subject: &Subject<'_>, checks: &mut Vec<Check>) {
    drives_card(subject, checks);
    image(subject, checks);
    if subject.environment.uses_torch
        && let Some(cuda) = &subject.torch_cuda
    {
        checks.push(runs_cuda(subject, cuda));
    }
}

/// Returns the row of the branches that drive a capability.
pub(super) fn branches_for<'a>(
    subject: &Subject<'a>,
    capability: super::Capability,
) -> Option<&'a CardDriver> {
    subject.tables.card_drivers.iter().find(|row| row.from <= capability && capability <= row.to)
}

/// The driver's branch must know the card, and must not have dropped it.
fn drives_card(subject: &Subject<'_>, checks: &mut Vec<Check>) {
    let (Some(card), Some(branch)) = (&subject.card, subject.branch) else { return };
    let Some(row) = branches_for(subject, card.capability) else { return };
    let driver = subject.environment.driver.as_ref().map_or(String::new(), Version::to_string);
    if let Some(first) = row.first.filter(|first| branch < *first) {
        checks.push(
            Check::new(
                "CARD_DRIVER",
                Outcome::Fail,
                Phrase::new("doctor-driver-older-than-card")
                    .with("card", &card.name)
                    .with("capability", card.capability)
                    .with("driver", &driver)
                    .with("branch", first),
                &row.source,
            )
            .fix(Phrase::new("doctor-fix-driver").with("driver", first)),
        );
    } else if let Some(last) = row.last.filter(|last| branch > *last) {
        checks.push(
            Check::new(
                "CARD_DRIVER",
                Outcome::Fail,
                Phrase::new("doctor-driver-dropped-card")
                    .with("card", &card.name)
                    .with("capability", card.capability)
                    .with("driver", &driver)
                    .with("branch", last),
                &row.source,
            )
            .fix(Phrase::new("doctor-fix-driver-branch").with("branch", last)),
        );
    }
}

/// Official images refuse to start under a driver older than their CUDA, and where they start by
/// their forward-compatibility libraries, those refuse cards that are not for data centres.
fn image(subject: &Subject<'_>, checks: &mut Vec<Check>) {
    let environment = subject.environment;
    let Some(wanted) = image_cuda(subject) else { return };
    let source = "NVIDIA_REQUIRE_CUDA of the official CUDA images; CUDA compatibility guide, \
                  forward compatibility (data-centre cards only)";
    let Some(have) = &subject.driver_cuda else {
        let evidence = Phrase::new("doctor-image-driver-unstated").with("image", wanted);
        checks.push(Check::new("CONTAINER", Outcome::Unknown, evidence, source));
        return;
    };
    match have.at_least(wanted) {
        // Compatibility libraries that a tool puts before the driver's own break it even then, and
        // under WSL the driver is the Windows one: what the image does with them was not seen.
        Some(true) if environment.compat_libraries || environment.platform == Platform::Windows => {
            let evidence = Phrase::new("doctor-image-compat-unseen")
                .with("image", wanted)
                .with("driver_cuda", have);
            checks.push(Check::new("FWDCOMPAT", Outcome::Unknown, evidence, source));
        }
        Some(true) => {
            let evidence = Phrase::new("doctor-image-fits-driver")
                .with("image", wanted)
                .with("driver_cuda", have);
            checks.push(Check::new("CONTAINER", Outcome::Pass, evidence, source));
        }
        None => {
            let evidence = Phrase::new("doctor-image-driver-partial")
                .with("image", wanted)
                .with("driver_cuda", have);
            checks.push(Check::new("CONTAINER", Outcome::Unknown, evidence, source));
        }
        Some(false) => {
            let fix = Phrase::new("doctor-fix-image").with("cuda", have);
            let datacentre = subject.card.as_ref().and_then(|card| card.datacentre);
            let linux = environment.platform == Platform::Linux;
            checks.push(if datacentre == Some(true) && linux {
                let evidence = Phrase::new("doctor-image-forward-compatible")
                    .with("image", wanted)
                    .with("driver_cuda", have);
                Check::new("CONTAINER", Outcome::Unknown, evidence, source).fix(fix)
            } else if environment.compat_libraries {
                let evidence = Phrase::new("doctor-image-error-804")
                    .with("image", wanted)
                    .with("driver_cuda", have);
                Check::new("FWDCOMPAT", Outcome::Fail, evidence, source).fix(fix)
            } else {
                let evidence = Phrase::new("doctor-image-newer-than-driver")
                    .with("image", wanted)
                    .with("driver_cuda", have);
                Check::new("CONTAINER", Outcome::Fail, evidence, source).fix(fix)
            });
        }
    }
}

/// The image's CUDA: as stated; else torch's, where the image is known to bring its own libraries;
/// else that of the framework whose image it is.
fn image_cuda<'a>(subject: &'a Subject<'_>) -> Option<&'a Version> {
    let environment = subject.environment;
    if environment.image_cuda.is_some() {
        return environment.image_cuda.as_ref();
    }
    if environment.compat_libraries && subject.torch_cuda.is_some() {
        return subject.torch_cuda.as_ref();
    }
    let need = environment.needs.iter().find(|need| need.image && need.name == "vllm")?;
    let version = need.version.as_ref()?;
    subject.tables.vllm.iter().find(|row| row.vllm == *version).map(|row| &row.cuda)
}

/// From CUDA 11 on any toolkit of a major runs on the major's oldest driver; before, the driver
/// must be as new as the toolkit itself.
pub(super) fn runs_cuda(subject: &Subject<'_>, cuda: &Version) -> Check {
    let tables = subject.tables;
    if tables.newest_cuda().is_none_or(|newest| cuda > newest) {
        let evidence = Phrase::new("doctor-cuda-newer-than-tables").with("cuda", cuda);
        return Check::new("DRIVER", Outcome::Unknown, evidence, "cuda_driver.csv");
    }
    let Some((floor, source)) = floor_of(subject, cuda) else {
        let evidence = Phrase::new("doctor-cuda-not-in-tables").with("cuda", cuda);
        return Check::new("DRIVER", Outcome::Unknown, evidence, "cuda_driver.csv");
    };
    let by_version = subject.environment.driver.as_ref().and_then(|d| d.at_least(&floor));
    // What the driver reports as its CUDA decides where its own number was cut short.
    let by_cuda = subject.environment.driver_cuda.as_ref().and_then(|have| {
        let speaks = if cuda.major() >= 11 { have.major() >= cuda.major() } else { have >= cuda };
        // CUDA 11.0 shipped below the floor of its own major; only 11.1 and newer are past it.
        if speaks && *have == Version::pair(11, 0) { None } else { Some(speaks) }
    });
    let stated =
        subject.environment.driver.as_ref().map(Version::to_string).or_else(|| {
            subject.environment.driver_cuda.as_ref().map(|cuda| format!("CUDA {cuda}"))
        });
    match (by_version.or(by_cuda), stated) {
        (Some(true), Some(stated)) => {
            let evidence = Phrase::new("doctor-driver-runs-cuda")
                .with("cuda", cuda)
                .with("floor", &floor)
                .with("driver", stated);
            Check::new("DRIVER", Outcome::Pass, evidence, &source)
        }
        (Some(false), Some(stated)) => {
            let evidence = Phrase::new("doctor-driver-too-old")
                .with("cuda", cuda)
                .with("floor", &floor)
                .with("driver", stated);
            Check::new("DRIVER", Outcome::Fail, evidence, &source)
                .fix(Phrase::new("doctor-fix-driver").with("driver", &floor))
        }
        (_, Some(stated)) => {
            let evidence = Phrase::new("doctor-driver-partial")
                .with("cuda", cuda)
                .with("floor", &floor)
                .with("driver", stated);
            Check::new("DRIVER", Outcome::Unknown, evidence, &source)
        }
        (_, None) => unstated(
            subject,
            &floor,
            Phrase::new("doctor-driver-unstated").with("cuda", cuda).with("floor", &floor),
            &source,
        ),
    }
}

/// Without a stated driver: any driver that drives the card, and any that is still met on rented
/// machines, may already be new enough.
fn unstated(subject: &Subject<'_>, floor: &Version, open: Phrase, source: &str) -> Check {
    let oldest_for_card = subject
        .card
        .as_ref()
        .and_then(|card| branches_for(subject, card.capability))
        .and_then(|row| row.first);
    let expected = subject.tables.expect.oldest_branch;
    let oldest = oldest_for_card.map_or(expected, |first| first.max(expected));
    let branch = Version::pair(oldest, 0);
    // A card that appeared with a branch has no older driver of that branch than its first CUDA.
    let began_with_floor =
        oldest_for_card == Some(oldest) && oldest == super::branch_of(floor.major());
    if subject.card.is_some() && (branch.at_least(floor) == Some(true) || began_with_floor) {
        let evidence =
            Phrase::new("doctor-driver-assumed").with("floor", floor).with("branch", oldest);
        let source = format!("{source}; {}", subject.tables.expect.source);
        Check::new("DRIVER", Outcome::Assumed, evidence, &source)
    } else {
        Check::new("DRIVER", Outcome::Unknown, open, source)
    }
}

/// Returns the oldest driver for a CUDA runtime, with its source.
pub(super) fn floor_of(subject: &Subject<'_>, cuda: &Version) -> Option<(Version, String)> {
    let windows = subject.environment.platform == Platform::Windows;
    if cuda.major() >= 11 {
        let row = subject.tables.floors.iter().find(|row| row.major == cuda.major())?;
        let floor = if windows { row.windows.clone() } else { None };
        return Some((floor.unwrap_or_else(|| row.linux.clone()), row.source.clone()));
    }
    let rows = subject.tables.toolkits.iter().filter(|row| cuda.is_prefix_of(&row.cuda));
    let pick = |row: &super::rows::Toolkit| {
        if windows { row.windows.clone() } else { Some(row.linux.clone()) }
    };
    rows.filter_map(|row| Some((pick(row)?, row.source.clone()))).min_by(|a, b| a.0.cmp(&b.0))
}
