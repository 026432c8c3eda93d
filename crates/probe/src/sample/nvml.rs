//! The driver's own library. Everything is looked up by name when it is first needed, so that an
//! old driver only lacks what it lacks.
//!
//! Types and codes follow `nvml.h` (NVML API reference). This file and `nvml/gpm.rs` are the only
//! ones of this crate with unsafe code.

#![expect(unsafe_code, reason = "calls into the driver's C library")]

mod gpm;

use self::gpm::Gpm;
use super::{SampleError, Sampler};
use crate::capture::{GpuSample, ProcessSample, Snapshot};
use kasuan_model::Bytes;
use libloading::Library;
use std::{
    collections::BTreeMap,
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    path::Path,
};

type Device = *mut c_void;

/// Codes of `nvmlReturn_t`.
const SUCCESS: c_uint = 0;
const INSUFFICIENT_SIZE: c_uint = 7;
const FUNCTION_NOT_FOUND: c_uint = 13;
const GPU_IS_LOST: c_uint = 15;

/// The most processes that are listed of one card.
const MOST_PROCESSES: usize = 256;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Utilisation {
    gpu: c_uint,
    memory: c_uint,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Memory {
    total: u64,
    free: u64,
    used: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct MemoryV2 {
    version: c_uint,
    total: u64,
    reserved: u64,
    free: u64,
    used: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct ProcessV1 {
    pid: c_uint,
    used: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct ProcessV2 {
    pid: c_uint,
    used: u64,
    gpu_instance: c_uint,
    compute_instance: c_uint,
}

/// The driver's library, initialised.
#[derive(Debug)]
pub struct Nvml {
    library: Library,
    /// By the card's ordinal; `None` for a card that has no such counters.
    gpm: BTreeMap<c_uint, Option<Gpm>>,
}

impl Nvml {
    /// Loads and initialises the library; `path` overrides `libnvidia-ml.so.1`.
    pub fn open(path: Option<&Path>) -> Result<Self, SampleError> {
        let path = path.unwrap_or_else(|| Path::new("libnvidia-ml.so.1"));
        // SAFETY: loading runs the library's initialisers. It is the driver's own library, or one
        // that the user named.
        let library = unsafe { Library::new(path) }
            .map_err(|error| SampleError::NoDriver(error.to_string()))?;
        let nvml = Self { library, gpm: BTreeMap::new() };
        match nvml.call0(b"nvmlInit_v2\0") {
            Some(SUCCESS) => Ok(nvml),
            Some(code) => Err(SampleError::Call { call: "nvmlInit_v2", code }),
            None => Err(SampleError::NoDriver("no nvmlInit_v2 in the library".to_owned())),
        }
    }

    /// Calls a function without arguments; `None` where the library lacks it.
    fn call0(&self, name: &[u8]) -> Option<c_uint> {
        // SAFETY: every function called so is declared `nvmlReturn_t f(void)` in nvml.h.
        let function =
            unsafe { self.library.get::<unsafe extern "C" fn() -> c_uint>(name) }.ok()?;
        // SAFETY: as above; it takes nothing.
        Some(unsafe { function() })
    }

    /// Calls `nvmlReturn_t f(nvmlDevice_t, T *)` and returns what it wrote, or the code.
    fn of_device<T: Copy>(&self, name: &[u8], device: Device, mut value: T) -> Result<T, c_uint> {
        type Getter<T> = unsafe extern "C" fn(Device, *mut T) -> c_uint;
        // SAFETY: callers name functions that nvml.h declares with this signature for this `T`.
        let function =
            unsafe { self.library.get::<Getter<T>>(name) }.map_err(|_| FUNCTION_NOT_FOUND)?;
        // SAFETY: `device` came from the library and `value` lives through the call.
        let code = unsafe { function(device, &raw mut value) };
        if code == SUCCESS { Ok(value) } else { Err(code) }
    }

    /// Calls `nvmlReturn_t f(T *)`.
    fn of_system<T: Copy>(&self, name: &[u8], mut value: T) -> Result<T, c_uint> {
        type Getter<T> = unsafe extern "C" fn(*mut T) -> c_uint;
        // SAFETY: callers name functions that nvml.h declares with this signature for this `T`.
        let function =
            unsafe { self.library.get::<Getter<T>>(name) }.map_err(|_| FUNCTION_NOT_FOUND)?;
        // SAFETY: `value` lives through the call.
        let code = unsafe { function(&raw mut value) };
        if code == SUCCESS { Ok(value) } else { Err(code) }
    }

    /// Calls `nvmlReturn_t f(nvmlDevice_t, char *, unsigned int)`.
    fn text_of_device(&self, name: &[u8], device: Device) -> Option<String> {
        type Getter = unsafe extern "C" fn(Device, *mut c_char, c_uint) -> c_uint;
        // SAFETY: callers name functions that nvml.h declares with this signature.
        let function = unsafe { self.library.get::<Getter>(name) }.ok()?;
        let mut buffer = [0 as c_char; 96];
        // SAFETY: the buffer is as long as stated; 96 is the longest size that nvml.h names.
        let code = unsafe { function(device, buffer.as_mut_ptr(), 96) };
        (code == SUCCESS).then(|| text(&buffer))
    }

    fn driver(&self) -> Option<String> {
        type Getter = unsafe extern "C" fn(*mut c_char, c_uint) -> c_uint;
        // SAFETY: declared with this signature in nvml.h.
        let function =
            unsafe { self.library.get::<Getter>(b"nvmlSystemGetDriverVersion\0") }.ok()?;
        let mut buffer = [0 as c_char; 80];
        // SAFETY: the buffer is as long as stated (NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE).
        let code = unsafe { function(buffer.as_mut_ptr(), 80) };
        (code == SUCCESS).then(|| text(&buffer))
    }

    /// Returns a card's handle.
    fn device(&self, index: c_uint) -> Result<Device, c_uint> {
        type Getter = unsafe extern "C" fn(c_uint, *mut Device) -> c_uint;
        // SAFETY: declared with this signature in nvml.h.
        let function = unsafe { self.library.get::<Getter>(b"nvmlDeviceGetHandleByIndex_v2\0") }
            .map_err(|_| FUNCTION_NOT_FOUND)?;
        let mut device: Device = std::ptr::null_mut();
        // SAFETY: `device` lives through the call.
        let code = unsafe { function(index, &raw mut device) };
        if code == SUCCESS { Ok(device) } else { Err(code) }
    }

    /// Returns the temperature of the chip (sensor 0).
    fn celsius(&self, device: Device) -> Result<c_uint, c_uint> {
        type Getter = unsafe extern "C" fn(Device, c_uint, *mut c_uint) -> c_uint;
        // SAFETY: declared with this signature in nvml.h.
        let function = unsafe { self.library.get::<Getter>(b"nvmlDeviceGetTemperature\0") }
            .map_err(|_| FUNCTION_NOT_FOUND)?;
        let mut value = 0;
        // SAFETY: `device` came from the library and `value` lives through the call.
        let code = unsafe { function(device, 0, &raw mut value) };
        if code == SUCCESS { Ok(value) } else { Err(code) }
    }

    /// Returns whether the card is cut into MIG slices; cards without MIG do not know the question.
    fn mig(&self, device: Device) -> bool {
        type Getter = unsafe extern "C" fn(Device, *mut c_uint, *mut c_uint) -> c_uint;
        // SAFETY: declared with this signature in nvml.h.
        let Ok(function) = (unsafe { self.library.get::<Getter>(b"nvmlDeviceGetMigMode\0") })
        else {
            return false;
        };
        let (mut now, mut next) = (0, 0);
        // SAFETY: `device` came from the library and both values live through the call.
        let code = unsafe { function(device, &raw mut now, &raw mut next) };
        code == SUCCESS && now == 1
    }

    /// Returns used and total memory: by version 2 of the call, which leaves out what the driver
    /// reserves, else by version 1 (drivers before R510).
    fn memory(&self, device: Device) -> Option<(u64, u64)> {
        #[expect(clippy::cast_possible_truncation, reason = "a struct of 40 bytes")]
        let version = size_of::<MemoryV2>() as c_uint | 2 << 24;
        let asked = MemoryV2 { version, ..MemoryV2::default() };
        if let Ok(memory) = self.of_device(b"nvmlDeviceGetMemoryInfo_v2\0", device, asked) {
            return Some((memory.used, memory.total));
        }
        let memory =
            self.of_device(b"nvmlDeviceGetMemoryInfo\0", device, Memory::default()).ok()?;
        Some((memory.used, memory.total))
    }

    /// Calls a list getter into a buffer of `T`.
    fn list<T: Copy + Default>(&self, name: &[u8], device: Device) -> Result<Vec<T>, c_uint> {
        type Getter<T> = unsafe extern "C" fn(Device, *mut c_uint, *mut T) -> c_uint;
        // SAFETY: callers name functions that nvml.h declares with this signature for this `T`.
        let function =
            unsafe { self.library.get::<Getter<T>>(name) }.map_err(|_| FUNCTION_NOT_FOUND)?;
        let mut items = vec![T::default(); MOST_PROCESSES];
        #[expect(clippy::cast_possible_truncation, reason = "a small constant")]
        let mut count = MOST_PROCESSES as c_uint;
        // SAFETY: the buffer holds as many items as stated and lives through the call.
        let code = unsafe { function(device, &raw mut count, items.as_mut_ptr()) };
        if code != SUCCESS && code != INSUFFICIENT_SIZE {
            return Err(code);
        }
        items.truncate(usize::try_from(count).unwrap_or(0));
        Ok(items)
    }

    /// Lists processes with card memory: version 3 (R510), 2 (R450), 1.
    fn processes(&self, device: Device) -> Vec<(u32, Option<u64>)> {
        // The library's word for "not available", which WDDM and some containers give.
        let known = |used: u64| (used != u64::MAX).then_some(used);
        for name in [
            &b"nvmlDeviceGetComputeRunningProcesses_v3\0"[..],
            b"nvmlDeviceGetComputeRunningProcesses_v2\0",
        ] {
            if let Ok(list) = self.list::<ProcessV2>(name, device) {
                return list.into_iter().map(|item| (item.pid, known(item.used))).collect();
            }
        }
        self.list::<ProcessV1>(b"nvmlDeviceGetComputeRunningProcesses\0", device)
            .unwrap_or_default()
            .into_iter()
            .map(|item| (item.pid, known(item.used)))
            .collect()
    }

    fn card(&mut self, index: c_uint, snapshot: &mut Snapshot) {
        let mut sample = GpuSample { index: Some(index), ..GpuSample::default() };
        let device = match self.device(index) {
            Ok(device) => device,
            Err(code) => {
                sample.lost = code == GPU_IS_LOST;
                snapshot.gpus.push(sample);
                return;
            }
        };
        sample.name = self.text_of_device(b"nvmlDeviceGetName\0", device);
        sample.uuid = self.text_of_device(b"nvmlDeviceGetUUID\0", device);
        sample.mig_parent = self.mig(device);
        match self.of_device(b"nvmlDeviceGetUtilizationRates\0", device, Utilisation::default()) {
            Ok(shares) if !sample.mig_parent => {
                sample.busy = share(shares.gpu);
                sample.memory_busy = share(shares.memory);
            }
            Ok(_) => {}
            Err(code) => sample.lost = code == GPU_IS_LOST,
        }
        if !sample.mig_parent && !sample.lost {
            let library = &self.library;
            let gpm = self.gpm.entry(index).or_insert_with(|| Gpm::open(library, device));
            if let Some(gpm) = gpm {
                let activity = gpm.look(library, device);
                sample.sm_active = activity.sm;
                sample.tensor_active = activity.tensor;
                sample.dram_active = activity.dram;
            }
        }
        let number = |name: &[u8]| self.of_device(name, device, 0 as c_uint).ok();
        let watts = |milliwatts: c_uint| f64::from(milliwatts) / 1000.0;
        sample.power_watts = number(b"nvmlDeviceGetPowerUsage\0").map(watts);
        sample.power_limit_watts = number(b"nvmlDeviceGetEnforcedPowerLimit\0").map(watts);
        sample.celsius = self.celsius(device).ok().map(f64::from);
        sample.pcie_width = number(b"nvmlDeviceGetCurrPcieLinkWidth\0");
        sample.pcie_width_max = number(b"nvmlDeviceGetMaxPcieLinkWidth\0");
        sample.clock_reasons = self
            .of_device(b"nvmlDeviceGetCurrentClocksEventReasons\0", device, 0_u64)
            .or_else(|_| {
                self.of_device(b"nvmlDeviceGetCurrentClocksThrottleReasons\0", device, 0_u64)
            })
            .ok();
        #[expect(clippy::cast_precision_loss, reason = "joules of a card are far below 2^53")]
        let joules = |millijoules: u64| millijoules as f64 / 1000.0;
        sample.energy_joules = self
            .of_device(b"nvmlDeviceGetTotalEnergyConsumption\0", device, 0_u64)
            .ok()
            .map(joules);
        if let Some((used, total)) = self.memory(device) {
            sample.memory_used = Some(Bytes::new(used));
            sample.memory_total = Some(Bytes::new(total));
        }
        let gpu = sample.uuid.clone().or_else(|| Some(index.to_string()));
        snapshot.gpus.push(sample);
        for (pid, used) in self.processes(device) {
            snapshot.processes.push(ProcessSample {
                gpu: gpu.clone(),
                pid,
                memory: used.map(Bytes::new),
                ..ProcessSample::default()
            });
        }
    }
}

/// A share outside of 0 to 100 is the driver's garbage, hence unknown.
fn share(percent: c_uint) -> Option<f64> {
    (percent <= 100).then(|| f64::from(percent))
}

fn text(buffer: &[c_char]) -> String {
    let bytes: Vec<u8> = buffer.iter().map(|c| c.cast_unsigned()).collect();
    CStr::from_bytes_until_nul(&bytes)
        .map(|text| text.to_string_lossy().into_owned())
        .unwrap_or_default()
}

impl Sampler for Nvml {
    fn sample(&mut self) -> Result<Snapshot, SampleError> {
        let count = self
            .of_system(b"nvmlDeviceGetCount_v2\0", 0 as c_uint)
            .map_err(|code| SampleError::Call { call: "nvmlDeviceGetCount_v2", code })?;
        let cuda = self.of_system(b"nvmlSystemGetCudaDriverVersion_v2\0", 0 as c_int).ok();
        let mut snapshot = Snapshot {
            driver: self.driver(),
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

impl Drop for Nvml {
    fn drop(&mut self) {
        for gpm in std::mem::take(&mut self.gpm).into_values().flatten() {
            gpm.close(&self.library);
        }
        // Nothing is left to do where shutting down fails.
        let _ = self.call0(b"nvmlShutdown\0");
    }
}
