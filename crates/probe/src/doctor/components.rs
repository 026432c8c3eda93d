//! What frameworks and number formats ask of the card, the driver, torch and Python.

use super::{
    Capability, Subject,
    arch::cards_in_question,
    driver,
    environment::{Need, Platform},
    report::{Check, Outcome},
    rows::{ComponentRule, VllmPin},
    version::Version,
};
use kasuan_model::Phrase;

pub(super) fn check(subject: &Subject<'_>, checks: &mut Vec<Check>) {
    for need in &subject.environment.needs {
        match need.name.as_str() {
            "fp8" => fp8(subject, checks),
            "tensorflow" => tensorflow(subject, need, checks),
            _ => by_rules(subject, need, checks),
        }
        match need.name.as_str() {
            "torch.compile" | "triton" => dynamo(subject, checks),
            "vllm" => vllm(subject, need, checks),
            _ => {}
        }
    }
}

/// What a rule says of one card.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Says {
    Pass,
    Fail,
    Open,
}

fn by_rules(subject: &Subject<'_>, need: &Need, checks: &mut Vec<Check>) {
    let rules: Vec<&ComponentRule> =
        subject.tables.rules.iter().filter(|rule| rule.names.contains(&need.name)).collect();
    if rules.is_empty() {
        let evidence = Phrase::new("doctor-component-not-in-tables").with("component", &need.name);
        checks.push(Check::new("COMPONENT", Outcome::Unknown, evidence, "components.toml"));
        return;
    }
    let cards = cards_in_question(subject);
    if cards.is_empty() {
        let evidence = Phrase::new("doctor-component-card-unstated").with("component", &need.name);
        checks.push(Check::new("COMPONENT", Outcome::Unknown, evidence, "components.toml"));
        return;
    }
    let is_format = matches!(need.name.as_str(), "bf16" | "fp16");
    // With the version unknown every version's rule is asked: if all agree, that is the answer.
    let applying: Vec<&ComponentRule> = rules
        .into_iter()
        .filter(|rule| applies(rule, need.version.as_ref()) != Some(false))
        .collect();
    let mut failed: Vec<(&ComponentRule, Phrase)> = Vec::new();
    let (mut passes, mut asked) = (0, 0);
    let mut settled = true;
    for rule in &applying {
        let says: Vec<(Says, Option<Phrase>)> =
            cards.iter().map(|card| ask(subject, rule, need, *card)).collect();
        let says: Vec<_> = says.into_iter().filter(|(_, phrase)| phrase.is_some()).collect();
        if says.is_empty() {
            continue;
        }
        asked += 1;
        if says.iter().all(|(says, _)| *says == Says::Fail) {
            if let Some((_, Some(phrase))) = says.into_iter().next() {
                failed.push((rule, phrase));
            }
            continue;
        }
        if says.iter().all(|(says, _)| *says == Says::Pass) {
            passes += 1;
        }
        let to = rule.settled_to_cc.as_deref().and_then(Capability::parse);
        settled &= to.is_some_and(|to| cards.iter().all(|card| *card <= to));
    }
    let extra_failure = failed.iter().find(|(rule, _)| rule.for_cc_from.is_some());
    let all_failed = asked > 0 && failed.len() == asked;
    if let Some((rule, phrase)) = extra_failure.or_else(|| failed.first().filter(|_| all_failed)) {
        let mut check = Check::new(&rule.id, Outcome::Fail, phrase.clone(), &rule.source);
        if is_format {
            check = check.fix(Phrase::new("doctor-fix-format"));
        }
        checks.push(check);
        return;
    }
    let (id, source) =
        applying.first().map_or(("COMPONENT", "components.toml"), |rule| (&rule.id, &rule.source));
    let known_version =
        need.version.is_some() || matches!(need.name.as_str(), "torch.compile" | "triton");
    if asked > 0 && passes == asked && settled && (is_format || known_version && !need.image) {
        let evidence = Phrase::new("doctor-component-supported").with("component", &need.name);
        checks.push(Check::new(id, Outcome::Pass, evidence, source));
    } else if need.version.is_none() && !is_format {
        let evidence =
            Phrase::new("doctor-component-version-unstated").with("component", &need.name);
        checks.push(Check::new(id, Outcome::Unknown, evidence, source));
    } else {
        let evidence = Phrase::new("doctor-component-open").with("component", &need.name);
        checks.push(Check::new(id, Outcome::Unknown, evidence, source));
    }
}

/// Returns whether a rule is about the stated version; `None` where no version was stated.
fn applies(rule: &ComponentRule, version: Option<&Version>) -> Option<bool> {
    let parse =
        |text: &Option<String>| text.as_deref().and_then(|text| text.parse::<Version>().ok());
    let (from, before) = (parse(&rule.from), parse(&rule.before));
    if from.is_none() && before.is_none() {
        return Some(true);
    }
    let version = version?;
    Some(from.is_none_or(|from| *version >= from) && before.is_none_or(|before| *version < before))
}

/// Asks one rule about one card; no phrase means the rule is not about this card.
fn ask(
    subject: &Subject<'_>,
    rule: &ComponentRule,
    need: &Need,
    card: Capability,
) -> (Says, Option<Phrase>) {
    let environment = subject.environment;
    if rule.for_cc_from.as_deref().and_then(Capability::parse).is_some_and(|from| card < from) {
        return (Says::Pass, None);
    }
    let name = subject.card.as_ref().map_or_else(|| "?".to_owned(), |card| card.name.clone());
    let capability = |text: &Option<String>| text.as_deref().and_then(Capability::parse);
    if let Some(least) = capability(&rule.min_cc).filter(|least| card < *least) {
        return (
            Says::Fail,
            Some(
                Phrase::new("doctor-component-card-too-old")
                    .with("component", &need.name)
                    .with("card", &name)
                    .with("capability", card)
                    .with("least", least),
            ),
        );
    }
    if let Some(most) = capability(&rule.max_cc).filter(|most| card > *most) {
        return (
            Says::Fail,
            Some(
                Phrase::new("doctor-component-card-too-new")
                    .with("component", &need.name)
                    .with("card", &name)
                    .with("capability", card)
                    .with("most", most),
            ),
        );
    }
    if rule.os.as_deref() == Some("linux")
        && environment.platform == Platform::Windows
        && !on_wsl(subject)
    {
        return (
            Says::Fail,
            Some(Phrase::new("doctor-component-linux-only").with("component", &need.name)),
        );
    }
    if rule.datacentre && subject.card.as_ref().and_then(|card| card.datacentre) == Some(false) {
        return (
            Says::Fail,
            Some(
                Phrase::new("doctor-component-datacentre-only")
                    .with("component", &need.name)
                    .with("card", &name),
            ),
        );
    }
    let mut says = Says::Pass;
    let floors = [
        (&rule.min_torch, environment.torch.as_ref(), "torch"),
        (&rule.min_cuda, subject.torch_cuda.as_ref(), "CUDA"),
        (&rule.min_python, environment.python.as_ref(), "Python"),
        (&rule.min_driver, environment.driver.as_ref(), "NVIDIA"),
    ];
    for (floor, have, part) in floors {
        let Some(floor) = floor.as_deref().and_then(|text| text.parse::<Version>().ok()) else {
            continue;
        };
        match have.and_then(|have| have.at_least(&floor)) {
            Some(true) => {}
            Some(false) => {
                let phrase = Phrase::new("doctor-component-part-too-old")
                    .with("component", &need.name)
                    .with("part", part)
                    .with("have", have.map_or_else(String::new, Version::to_string))
                    .with("least", floor);
                return (Says::Fail, Some(phrase));
            }
            None => says = Says::Open,
        }
    }
    (says, Some(Phrase::new("doctor-component-open").with("component", &need.name)))
}

fn on_wsl(subject: &Subject<'_>) -> bool {
    subject
        .environment
        .card
        .as_deref()
        .is_some_and(|card| card.to_ascii_uppercase().contains("WSL"))
}

/// FP8 by `torch._scaled_mm`: compute capability 9.0 at first, 8.9 since pytorch/pytorch#118881
/// (after 2.2); vLLM falls back to weight-only kernels on older cards.
fn fp8(subject: &Subject<'_>, checks: &mut Vec<Check>) {
    let source = "error text of torch._scaled_mm; pytorch/pytorch#118703 and #118881 (8.9 after \
                  torch 2.2); vLLM FP8 page v0.32.0 (weight-only from 7.5)";
    let cards = cards_in_question(subject);
    let (Some(least), Some(most)) = (cards.iter().min(), cards.iter().max()) else {
        let evidence = Phrase::new("doctor-component-card-unstated").with("component", "fp8");
        checks.push(Check::new("FP8", Outcome::Unknown, evidence, source));
        return;
    };
    let name = subject.card.as_ref().map_or_else(|| "?".to_owned(), |card| card.name.clone());
    let torch = subject.environment.torch.as_ref();
    let torch_since =
        |floor: (u32, u32)| torch.and_then(|t| t.at_least(&Version::pair(floor.0, floor.1)));
    let weight_only = subject.environment.needs("vllm");
    let outcome = if *most < Capability(8, 9) {
        if weight_only && *least >= Capability(7, 5) { Outcome::Unknown } else { Outcome::Fail }
    } else if *least >= Capability(9, 0) && torch_since((2, 1)) == Some(true) {
        Outcome::Pass
    } else if *least >= Capability(8, 9) {
        match (torch_since((2, 3)), torch_since((2, 4))) {
            (Some(false), _) if *most < Capability(9, 0) => Outcome::Fail,
            (_, Some(true)) => Outcome::Pass,
            _ => Outcome::Unknown,
        }
    } else {
        Outcome::Unknown
    };
    let check = match outcome {
        Outcome::Fail if *most < Capability(8, 9) => {
            let evidence = Phrase::new("doctor-component-card-too-old")
                .with("component", "fp8")
                .with("card", &name)
                .with("capability", *most)
                .with("least", Capability(8, 9));
            Check::new("FP8", outcome, evidence, source).fix(Phrase::new("doctor-fix-format"))
        }
        Outcome::Fail => {
            let evidence = Phrase::new("doctor-component-part-too-old")
                .with("component", "fp8")
                .with("part", "torch")
                .with("have", torch.map_or_else(String::new, Version::to_string))
                .with("least", "2.4");
            Check::new("FP8", outcome, evidence, source)
        }
        Outcome::Pass => {
            let evidence = Phrase::new("doctor-component-supported").with("component", "fp8");
            Check::new("FP8", outcome, evidence, source)
        }
        _ => {
            let evidence = Phrase::new("doctor-component-open").with("component", "fp8");
            Check::new("FP8", outcome, evidence, source)
        }
    };
    checks.push(check);
}

/// `torch.compile` refuses a Python that its tracer does not know yet.
fn dynamo(subject: &Subject<'_>, checks: &mut Vec<Check>) {
    let environment = subject.environment;
    let (Some(torch), Some(python)) = (&environment.torch, &environment.python) else { return };
    for row in &subject.tables.dynamo {
        let (Ok(for_python), Ok(floor)) =
            (row.python.parse::<Version>(), row.min_torch.parse::<Version>())
        else {
            continue;
        };
        if for_python.is_prefix_of(python) && torch.at_least(&floor) == Some(false) {
            let evidence = Phrase::new("doctor-dynamo-python")
                .with("torch", torch)
                .with("python", python)
                .with("least", floor);
            checks.push(Check::new("DYNAMO", Outcome::Fail, evidence, &row.source));
        }
    }
}

/// A vLLM release pins one torch and one range of Pythons.
fn vllm(subject: &Subject<'_>, need: &Need, checks: &mut Vec<Check>) {
    let Some(version) = &need.version else { return };
    if need.image || version.is_pre_release() {
        return;
    }
    let pins = &subject.tables.vllm;
    let row = pins
        .iter()
        .find(|row| row.vllm == *version)
        .or_else(|| pins.iter().find(|row| version.is_prefix_of(&row.vllm)));
    let Some(row) = row else {
        let evidence = Phrase::new("doctor-component-release-not-in-tables")
            .with("component", "vllm")
            .with("version", version);
        checks.push(Check::new("VLLM_PIN", Outcome::Unknown, evidence, "vllm_pins.csv"));
        return;
    };
    vllm_python(subject, row, checks);
    if let Some(torch) = &subject.environment.torch {
        if !torch.same_minor(&row.torch) {
            let evidence = Phrase::new("doctor-vllm-torch")
                .with("version", version)
                .with("pin", &row.torch)
                .with("torch", torch);
            checks.push(Check::new("VLLM_PIN", Outcome::Unknown, evidence, &row.source));
        }
    } else if subject.torch_cuda.is_none() {
        let mut check = driver::runs_cuda(subject, &row.cuda);
        check.source.clone_from(&row.source);
        checks.push(check);
    }
}

fn vllm_python(subject: &Subject<'_>, row: &VllmPin, checks: &mut Vec<Check>) {
    let Some(python) = &subject.environment.python else { return };
    let Some(stated) = python.major_minor() else { return };
    for bound in row.python.split(',') {
        let (above, number) = match (bound.strip_prefix(">="), bound.strip_prefix('<')) {
            (Some(number), _) => (true, number),
            (None, Some(number)) => (false, number),
            (None, None) => continue,
        };
        let Some(limit) = number.parse::<Version>().ok().and_then(|v| v.major_minor()) else {
            continue;
        };
        if above && stated < limit || !above && stated >= limit {
            let evidence = Phrase::new("doctor-vllm-python")
                .with("version", &row.vllm)
                .with("range", &row.python)
                .with("python", python);
            checks.push(
                Check::new("PYTHON", Outcome::Fail, evidence, &row.source)
                    .fix(Phrase::new("doctor-fix-python").with("range", &row.python)),
            );
            return;
        }
    }
}

/// TensorFlow wheels are built with one CUDA each.
fn tensorflow(subject: &Subject<'_>, need: &Need, checks: &mut Vec<Check>) {
    let row = need.version.as_ref().and_then(|version| {
        subject
            .tables
            .tensorflow
            .iter()
            .find(|row| row.version == *version || row.version.same_minor(version))
    });
    let Some(row) = row else {
        let evidence =
            Phrase::new("doctor-component-version-unstated").with("component", "tensorflow");
        checks.push(Check::new("TENSORFLOW", Outcome::Unknown, evidence, "tensorflow_release.csv"));
        return;
    };
    let mut check = driver::runs_cuda(subject, &row.cuda);
    check.source.clone_from(&row.source);
    checks.push(check);
    if let Some(stated) = subject.environment.python.as_ref().and_then(Version::major_minor)
        && (row.least.major_minor().is_some_and(|least| stated < least)
            || row.most.major_minor().is_some_and(|most| stated > most))
    {
        let range = format!("{}-{}", row.least, row.most);
        let evidence = Phrase::new("doctor-component-python")
            .with("component", "tensorflow")
            .with("range", &range);
        checks.push(
            Check::new("PYTHON", Outcome::Fail, evidence, &row.source)
                .fix(Phrase::new("doctor-fix-python").with("range", &range)),
        );
    }
    // The wheel's kernels were not seen; the driver and Python are all these tables decide.
    let evidence = Phrase::new("doctor-component-open").with("component", "tensorflow");
    checks.push(Check::new("TENSORFLOW", Outcome::Unknown, evidence, &row.source));
}
