//! The driver's own library, through `nvml-wrapper`: every function is looked up when it is first
//! needed, so that an old driver only lacks what it lacks.
//!
//! The only file of this crate with unsafe code: one call that the wrapper does not offer.

use super::{SampleError, Sampler};
use crate::capture::{GpuSample, ProcessSample, Snapshot};
use kasuan_model::Bytes;
use nvml_wrapper::{
    Device, GpmSample, Nvml as Library,
    enum_wrappers::device::TemperatureSensor,
    enums::{device::UsedGpuMemory, gpm::GpmMetricId},
    error::NvmlError,
    gpm::gpm_metrics_get,
};
use std::{collections::BTreeMap, path::Path};

/// What is asked of the card's own counters, in the order of [`GpuSample`]'s fields.
const COUNTERS: [GpmMetricId; 3] =
    [GpmMetricId::SmUtil, GpmMetricId::AnyTensorUtil, GpmMetricId::DramBwUtil];

/// The driver's library, initialised.
#[derive(Debug)]
pub struct Nvml {
    library: &'static Library,
    /// By the card's ordinal: the counters at the last look, since the driver compares two looks;
    /// `None` for a card without such counters (before Hopper, or a driver before R525).
    counters: BTreeMap<u32, Option<GpmSample<'static>>>,
}

impl Nvml {
    /// Loads and initialises the library; `path` overrides `libnvidia-ml.so.1`.
    pub fn open(path: Option<&Path>) -> Result<Self, SampleError> {
        let path = path.unwrap_or_else(|| Path::new("libnvidia-ml.so.1"));
        let library = Library::builder().lib_path(path.as_os_str()).init();
        let library = library.map_err(|error| match error {
            NvmlError::LibloadingError(_) | NvmlError::FailedToLoadSymbol(_) => {
                SampleError::NoDriver(error.to_string())
            }
            error => SampleError::Call { call: "nvmlInit_v2", reason: error.to_string() },
        })?;
        // A program opens it once and samples until it ends, and the counters' handles borrow it.
        Ok(Self { library: Box::leak(Box::new(library)), counters: BTreeMap::new() })
    }

    fn card(&mut self, index: u32, snapshot: &mut Snapshot) {
        let mut sample = GpuSample { index: Some(index), ..GpuSample::default() };
        let device = match self.library.device_by_index(index) {
            Ok(device) => device,
            Err(error) => {
                sample.lost = matches!(error, NvmlError::GpuLost);
                snapshot.gpus.push(sample);
                return;
            }
        };
        sample.name = device.name().ok();
        sample.uuid = device.uuid().ok();
        sample.mig_parent = device.mig_mode().is_ok_and(|mode| mode.current == 1);
        match device.utilization_rates() {
            Ok(shares) if !sample.mig_parent => {
                sample.busy = share(shares.gpu);
                sample.memory_busy = share(shares.memory);
            }
            Ok(_) => {}
            Err(error) => sample.lost = matches!(error, NvmlError::GpuLost),
        }
        if !sample.mig_parent && !sample.lost {
            let [sm, tensor, dram] = self.activity(index, &device);
            (sample.sm_active, sample.tensor_active, sample.dram_active) = (sm, tensor, dram);
        }
        let watts = |milliwatts: u32| f64::from(milliwatts) / 1000.0;
        sample.power_watts = device.power_usage().ok().map(watts);
        sample.power_limit_watts = device.enforced_power_limit().ok().map(watts);
        sample.celsius = device.temperature(TemperatureSensor::Gpu).ok().map(f64::from);
        sample.pcie_width = device.current_pcie_link_width().ok();
        sample.pcie_width_max = device.max_pcie_link_width().ok();
        sample.clock_reasons = device.current_throttle_reasons().ok().map(|bits| bits.bits());
        #[expect(clippy::cast_precision_loss, reason = "joules of a card are far below 2^53")]
        let joules = |millijoules: u64| millijoules as f64 / 1000.0;
        sample.energy_joules = device.total_energy_consumption().ok().map(joules);
        if let Some((used, total)) = self.memory(&device) {
            sample.memory_used = Some(Bytes::new(used));
            sample.memory_total = Some(Bytes::new(total));
        }
        let gpu = sample.uuid.clone().or_else(|| Some(index.to_string()));
        snapshot.gpus.push(sample);
        // Version 3 is of R510, version 2 of R450.
        let processes =
            device.running_compute_processes().or_else(|_| device.running_compute_processes_v2());
        for process in processes.unwrap_or_default() {
            snapshot.processes.push(ProcessSample {
                gpu: gpu.clone(),
                pid: process.pid,
                memory: match process.used_gpu_memory {
                    UsedGpuMemory::Used(bytes) => Some(Bytes::new(bytes)),
                    UsedGpuMemory::Unavailable => None,
                },
                ..ProcessSample::default()
            });
        }
    }

    /// Returns used and total memory: by version 2 of the call, which leaves out what the driver
    /// reserves, else by version 1 (drivers before R510, rust-nvml/nvml-wrapper#46).
    #[expect(unsafe_code, reason = "the wrapper offers version 2 only")]
    fn memory(&self, device: &Device<'_>) -> Option<(u64, u64)> {
        if let Ok(memory) = device.memory_info() {
            return Some((memory.used, memory.total));
        }
        let call = self.library.lib().nvmlDeviceGetMemoryInfo.as_ref().ok()?;
        let mut memory = nvml_wrapper_sys::bindings::nvmlMemory_t { total: 0, free: 0, used: 0 };
        // SAFETY: declared with this signature in nvml.h; the handle is the library's own and
        // `memory` lives through the call.
        let code = unsafe { call(device.handle(), &raw mut memory) };
        (code == 0).then_some((memory.used, memory.total))
    }

    /// Returns the shares of time, 0 to 1, in which multiprocessors, tensor cores and memory were
    /// at work since the last look (GPU performance monitoring). The first look gives none.
    fn activity(&mut self, index: u32, device: &Device<'static>) -> [Option<f64>; 3] {
        let nothing = [None; 3];
        let known = self.counters.contains_key(&index);
        if !known && !device.gpm_support().unwrap_or(false) {
            self.counters.insert(index, None);
        }
        if self.counters.get(&index).is_some_and(Option::is_none) {
            return nothing;
        }
        let Ok(now) = device.gpm_sample() else {
            self.counters.remove(&index);
            return nothing;
        };
        let before = self.counters.get(&index).and_then(Option::as_ref);
        let found = before
            .and_then(|before| gpm_metrics_get(self.library, before, &now, &COUNTERS).ok())
            .unwrap_or_default();
        self.counters.insert(index, Some(now));
        let value = |at: usize| {
            let value = found.get(at)?.as_ref().ok()?.value;
            (0.0..=100.0).contains(&value).then(|| value / 100.0)
        };
        [value(0), value(1), value(2)]
    }
}

/// A share outside of 0 to 100 is the driver's garbage, hence unknown.
fn share(percent: u32) -> Option<f64> {
    (percent <= 100).then(|| f64::from(percent))
}

impl Sampler for Nvml {
    fn sample(&mut self) -> Result<Snapshot, SampleError> {
        let count = self.library.device_count().map_err(|error| SampleError::Call {
            call: "nvmlDeviceGetCount_v2",
            reason: error.to_string(),
        })?;
        let cuda = self.library.sys_cuda_driver_version().ok();
        let mut snapshot = Snapshot {
            driver: self.library.sys_driver_version().ok(),
            // 12040 is 12.4.
            driver_cuda: cuda.map(|number| format!("{}.{}", number / 1000, number % 1000 / 10)),
            ..Snapshot::default()
        };
        for index in 0..count {
            self.card(index, &mut snapshot);
        }
        Ok(snapshot)
    }

    fn name(&self) -> &'static str {
        "nvml"
    }
}
