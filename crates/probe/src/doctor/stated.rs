//! What somebody states of an environment, in words, laid over what was found; and the answer as
//! JSON. Every door asks and answers through here.

use super::{
    Capability, Check, Diagnosis, Environment, Need, Platform, Tables, Verdict, Version, find_card,
};
use kasuan_model::{Money, Phrase, Phrased};
use serde_json::{Value, json};

/// What is stated, each as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stated {
    /// The card.
    pub card: Option<String>,
    /// Its compute capability.
    pub capability: Option<String>,
    /// The driver.
    pub driver: Option<String>,
    /// The CUDA that the driver reports.
    pub driver_cuda: Option<String>,
    /// The CUDA of the image.
    pub image_cuda: Option<String>,
    /// PyTorch.
    pub torch: Option<String>,
    /// The CUDA that PyTorch was built with.
    pub cuda: Option<String>,
    /// Python.
    pub python: Option<String>,
    /// What it must be able to do.
    pub needs: Vec<String>,
    /// Whether it is Windows, or Linux under WSL.
    pub windows: bool,
}

/// Something stated cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StatedError {
    /// It is no version.
    #[error("`{0}` is not a version")]
    Version(String),
    /// It is no compute capability.
    #[error("`{0}` is not a compute capability")]
    Capability(String),
}

impl Phrased for StatedError {
    fn phrase(&self) -> Phrase {
        match self {
            Self::Version(text) => Phrase::new("doctor-error-version").with("text", text),
            Self::Capability(text) => Phrase::new("doctor-error-capability").with("text", text),
        }
    }
}

impl Stated {
    /// Puts what was stated over what was found.
    ///
    /// # Errors
    /// When a version or a capability cannot be read.
    pub fn put_over(&self, environment: &mut Environment) -> Result<(), StatedError> {
        let put = |place: &mut Option<Version>, stated: &Option<String>| {
            if let Some(text) = stated {
                let read = text.parse::<Version>();
                *place = Some(read.map_err(|error| StatedError::Version(error.0))?);
            }
            Ok(())
        };
        put(&mut environment.driver, &self.driver)?;
        put(&mut environment.driver_cuda, &self.driver_cuda)?;
        put(&mut environment.image_cuda, &self.image_cuda)?;
        put(&mut environment.torch, &self.torch)?;
        put(&mut environment.torch_cuda, &self.cuda)?;
        put(&mut environment.python, &self.python)?;
        environment.card = self.card.clone().or_else(|| environment.card.take());
        if let Some(text) = &self.capability {
            let capability = Capability::parse(text);
            environment.capability =
                Some(capability.ok_or_else(|| StatedError::Capability(text.clone()))?);
        }
        if self.windows {
            environment.platform = Platform::Windows;
        }
        environment.needs.extend(self.needs.iter().map(|need| Need::parse(need)));
        if environment.torch.is_some() || environment.torch_cuda.is_some() {
            environment.uses_torch = true;
        } else if !environment.needs.is_empty() || environment.image_cuda.is_some() {
            // Only what was asked about: a framework's minimum, or an image.
            environment.uses_torch = false;
        }
        Ok(())
    }
}

/// Returns the JSON contract of an answer; `say` puts messages into the reader's words.
pub fn json(
    environment: &Environment,
    diagnosis: &Diagnosis,
    tables: &Tables,
    hourly: Option<Money>,
    verdict: Verdict,
    say: &dyn Fn(&Phrase) -> String,
) -> Value {
    let check = |check: &Check| {
        json!({
            "rule": check.rule,
            "outcome": check.outcome.as_str(),
            "evidence": say(&check.evidence),
            "fix": check.fix.as_ref().map(say),
            "source": check.source,
        })
    };
    let card = find_card(environment, tables);
    let mut answer = json!({
        "verdict": verdict.as_str(),
        "card": card.map(|card| json!({
            "name": card.name,
            "compute_capability": card.capability.to_string(),
            "source": card.source,
        })),
        "checks": diagnosis.checks.iter().map(check).collect::<Vec<_>>(),
        "remedy": diagnosis.remedy.as_ref().map(say),
    });
    if let Some(hourly) = hourly {
        answer["price_per_hour"] = json!({
            "amount": hourly.amount().to_string(),
            "currency": hourly.currency().code(),
        });
    }
    answer
}
