//! Samples by running `nvidia-smi`, on this machine or on another one by ssh.

use super::{SampleError, Sampler};
use crate::{
    capture::{self, CaptureError, Snapshot},
    machine::Programs,
};

/// What is asked for; every driver since R470 knows these.
const FIELDS: &str = "index,uuid,name,pci.bus_id,driver_version,utilization.gpu,utilization.memory,memory.used,memory.total,power.draw,enforced.power.limit,temperature.gpu,mig.mode.current,pcie.link.width.current,pcie.link.width.max";
/// What drivers before that know.
const OLD_FIELDS: &str = "index,uuid,name,pci.bus_id,driver_version,utilization.gpu,utilization.memory,memory.used,memory.total,power.draw,power.limit,temperature.gpu";
/// What is asked for of processes.
const APP_FIELDS: &str = "gpu_uuid,pid,process_name,used_memory";

/// `nvidia-smi`, run anew for every sample.
#[derive(Debug)]
pub struct Smi<P> {
    programs: P,
    host: Option<String>,
    fields: &'static str,
}

impl<P: Programs> Smi<P> {
    /// Samples this machine, or `host` by ssh.
    pub fn new(programs: P, host: Option<String>) -> Self {
        Self { programs, host, fields: FIELDS }
    }

    fn ask(&self, what: &str, fields: &str) -> Option<String> {
        let query = format!("--query-{what}={fields}");
        match &self.host {
            None => self.programs.output("nvidia-smi", &[&query, "--format=csv"]),
            Some(host) => self.programs.output(
                "ssh",
                &[
                    "-o",
                    "BatchMode=yes",
                    "-o",
                    "ConnectTimeout=10",
                    "--",
                    host,
                    "nvidia-smi",
                    &query,
                    "--format=csv",
                ],
            ),
        }
    }
}

impl<P: Programs> Sampler for Smi<P> {
    fn sample(&mut self) -> Result<Snapshot, SampleError> {
        let mut answer = self.ask("gpu", self.fields);
        if answer.is_none() && self.fields == FIELDS {
            answer = self.ask("gpu", OLD_FIELDS);
            if answer.is_some() {
                self.fields = OLD_FIELDS;
            }
        }
        let silent = || {
            SampleError::Silent(match &self.host {
                None => "nvidia-smi".to_owned(),
                Some(host) => format!("ssh {host} nvidia-smi"),
            })
        };
        let answer = answer.ok_or_else(silent)?;
        let cards = capture::read(&answer, None)?;
        let mut snapshot = cards.snapshots.into_iter().next().ok_or(CaptureError::Empty)?;
        // A machine on which nothing runs answers with the header alone.
        if let Some(apps) = self.ask("compute-apps", APP_FIELDS)
            && let Ok(apps) = capture::read(&apps, None)
        {
            snapshot.processes =
                apps.snapshots.into_iter().flat_map(|snapshot| snapshot.processes).collect();
        }
        Ok(snapshot)
    }

    fn name(&self) -> &'static str {
        "nvidia-smi"
    }
}
