//! Do the wheels exist: this torch for this Python, and on this CUDA index?

use super::{
    Subject,
    environment::Origin,
    report::{Check, Outcome},
    rows::{TorchPython, TorchRelease},
    version::Version,
};
use kasuan_model::Phrase;

pub(super) fn check(subject: &Subject<'_>, checks: &mut Vec<Check>) {
    let Some(torch) = &subject.environment.torch else {
        if subject.environment.install_only {
            let evidence = Phrase::new("doctor-torch-unstated");
            checks.push(Check::new("INDEX", Outcome::Unknown, evidence, "torch_release.csv"));
        }
        return;
    };
    if torch.is_pre_release() {
        if subject.environment.install_only {
            let evidence = Phrase::new("doctor-torch-nightly").with("torch", torch);
            checks.push(Check::new("INDEX", Outcome::Unknown, evidence, "torch_release.csv"));
        }
        return;
    }
    python(subject, torch, checks);
    index(subject, torch, checks);
}

fn python(subject: &Subject<'_>, torch: &Version, checks: &mut Vec<Check>) {
    let Some(python) = &subject.environment.python else { return };
    let Some(row) = python_range(subject.tables.pythons.as_slice(), torch) else {
        if subject.environment.origin == Origin::Planned {
            let evidence = Phrase::new("doctor-torch-not-in-tables").with("torch", torch);
            checks.push(Check::new("PYTHON", Outcome::Unknown, evidence, "torch_python.csv"));
        }
        return;
    };
    let Some(stated) = python.major_minor() else { return };
    let in_range = row.least.major_minor().is_none_or(|least| stated >= least)
        && row.most.major_minor().is_none_or(|most| stated <= most);
    let range = format!("{}-{}", row.least, row.most);
    checks.push(if in_range {
        let evidence = Phrase::new("doctor-python-supported")
            .with("torch", torch)
            .with("python", python)
            .with("range", &range);
        Check::new("PYTHON", Outcome::Pass, evidence, &row.source)
    } else {
        let evidence = Phrase::new("doctor-python-unsupported")
            .with("torch", torch)
            .with("python", python)
            .with("range", &range);
        Check::new("PYTHON", Outcome::Fail, evidence, &row.source)
            .fix(Phrase::new("doctor-fix-python").with("range", &range))
    });
}

/// Returns the Python range of a torch release, by the longest matching row.
pub(super) fn python_range<'a>(
    rows: &'a [TorchPython],
    torch: &Version,
) -> Option<&'a TorchPython> {
    rows.iter()
        .find(|row| row.torch == *torch)
        .or_else(|| rows.iter().find(|row| row.torch.is_prefix_of(torch)))
}

fn index(subject: &Subject<'_>, torch: &Version, checks: &mut Vec<Check>) {
    let Some(cuda) = &subject.environment.torch_cuda else {
        if let (Some(cuda), Some(row)) = (&subject.torch_cuda, subject.tables.default_of(torch)) {
            let evidence =
                Phrase::new("doctor-pip-default").with("torch", torch).with("cuda", cuda);
            checks.push(Check::new("INDEX", Outcome::Assumed, evidence, &row.source));
        }
        if subject.environment.install_only && release(subject, torch).is_none() {
            let evidence = Phrase::new("doctor-torch-not-in-tables").with("torch", torch);
            checks.push(Check::new("INDEX", Outcome::Unknown, evidence, "torch_release.csv"));
        }
        return;
    };
    // A build that says what it was compiled for exists, wherever it came from.
    if subject.environment.archs.is_some() {
        return;
    }
    let Some(release) = release(subject, torch) else {
        if subject.environment.install_only {
            let evidence = Phrase::new("doctor-torch-not-in-tables").with("torch", torch);
            checks.push(Check::new("INDEX", Outcome::Unknown, evidence, "torch_release.csv"));
        }
        return;
    };
    let builds: Vec<String> = release.cuda.iter().map(Version::to_string).collect();
    let builds = builds.join(" ");
    if release.cuda.iter().any(|build| build.is_prefix_of(cuda) || cuda.is_prefix_of(build)) {
        if subject.environment.install_only {
            let evidence = Phrase::new("doctor-index-has-build")
                .with("torch", torch)
                .with("cuda", cuda)
                .with("builds", &builds);
            checks.push(Check::new("INDEX", Outcome::Pass, evidence, &release.source));
        }
    } else if subject.environment.origin == Origin::Planned || subject.environment.install_only {
        let evidence = Phrase::new("doctor-index-lacks-build")
            .with("torch", torch)
            .with("cuda", cuda)
            .with("builds", &builds);
        checks.push(Check::new("INDEX", Outcome::Fail, evidence, &release.source));
    } else {
        let evidence = Phrase::new("doctor-build-unofficial")
            .with("torch", torch)
            .with("cuda", cuda)
            .with("builds", &builds);
        checks.push(Check::new("INDEX", Outcome::Unknown, evidence, &release.source));
    }
}

/// Returns the release row of a torch version; a patch release stands for its line.
pub(super) fn release<'a>(subject: &Subject<'a>, torch: &Version) -> Option<&'a TorchRelease> {
    let rows = &subject.tables.releases;
    rows.iter()
        .find(|row| row.torch == *torch)
        .or_else(|| rows.iter().find(|row| torch.is_prefix_of(&row.torch)))
        .or_else(|| rows.iter().find(|row| row.torch.same_minor(torch)))
}
