//! GPU performance monitoring (GPM): how many multiprocessors are really at work, where the card
//! and the driver can say so without root: Hopper and newer, drivers from R525.
//!
//! The driver compares two samples of its counters; one is kept from the time before, so a figure
//! is the mean since then, and the first sample gives none. Types, codes and metric numbers follow
//! `nvml.h` (NVML API reference, GPM).

use super::{Device, SUCCESS};
use libloading::Library;
use std::ffi::{c_char, c_uint, c_void};

type Counters = *mut c_void;

/// `NVML_GPM_METRIC_SM_UTIL`, `..._ANY_TENSOR_UTIL`, `..._DRAM_BW_UTIL`: percentages.
const METRICS: [c_uint; 3] = [2, 5, 10];
/// `NVML_GPM_METRICS_GET_VERSION` and `NVML_GPM_SUPPORT_VERSION`.
const VERSION: c_uint = 1;
/// Room for more metrics than any driver's struct has (98 at first, 333 by 2025). The driver reads
/// and writes as many as are asked for.
const ROOM: usize = 512;

#[repr(C)]
struct Support {
    version: c_uint,
    supported: c_uint,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Metric {
    id: c_uint,
    code: c_uint,
    value: f64,
    names: [*mut c_char; 3],
}

#[repr(C)]
struct Get {
    version: c_uint,
    count: c_uint,
    older: Counters,
    newer: Counters,
    metrics: [Metric; ROOM],
}

/// Shares of time since the last look, 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Activity {
    /// Multiprocessors at work.
    pub(super) sm: Option<f64>,
    /// Tensor cores at work.
    pub(super) tensor: Option<f64>,
    /// Memory bandwidth in use.
    pub(super) dram: Option<f64>,
}

/// The two samples of one card.
#[derive(Debug)]
pub(super) struct Gpm {
    older: Counters,
    newer: Counters,
    primed: bool,
}

// SAFETY: the handles are plain memory of the driver's; they are used by one thread at a time,
// which `&mut self` makes sure of.
unsafe impl Send for Gpm {}

impl Gpm {
    /// Prepares a card; `None` where the card or the driver has no such counters.
    pub(super) fn open(library: &Library, device: Device) -> Option<Self> {
        type Query = unsafe extern "C" fn(Device, *mut Support) -> c_uint;
        // SAFETY: declared with this signature in nvml.h.
        let query = unsafe { library.get::<Query>(b"nvmlGpmQueryDeviceSupport\0") }.ok()?;
        let mut support = Support { version: VERSION, supported: 0 };
        // SAFETY: `device` came from the library and `support` lives through the call.
        let code = unsafe { query(device, &raw mut support) };
        if code != SUCCESS || support.supported == 0 {
            return None;
        }
        let older = allocate(library)?;
        match allocate(library) {
            Some(newer) => Some(Self { older, newer, primed: false }),
            None => {
                free(library, older);
                None
            }
        }
    }

    /// Reads the counters and returns what happened since the last time.
    pub(super) fn look(&mut self, library: &Library, device: Device) -> Activity {
        type Sample = unsafe extern "C" fn(Device, Counters) -> c_uint;
        // SAFETY: declared with this signature in nvml.h.
        let Ok(sample) = (unsafe { library.get::<Sample>(b"nvmlGpmSampleGet\0") }) else {
            return Activity::default();
        };
        // SAFETY: both handles came from the library.
        if unsafe { sample(device, self.newer) } != SUCCESS {
            self.primed = false;
            return Activity::default();
        }
        let found = if self.primed { self.compare(library) } else { None };
        std::mem::swap(&mut self.older, &mut self.newer);
        self.primed = true;
        found.unwrap_or_default()
    }

    fn compare(&self, library: &Library) -> Option<Activity> {
        type MetricsGet = unsafe extern "C" fn(*mut Get) -> c_uint;
        // SAFETY: declared with this signature in nvml.h.
        let get = unsafe { library.get::<MetricsGet>(b"nvmlGpmMetricsGet\0") }.ok()?;
        let blank = Metric { id: 0, code: 0, value: 0.0, names: [std::ptr::null_mut(); 3] };
        let mut asked = Box::new(Get {
            version: VERSION,
            count: 3,
            older: self.older,
            newer: self.newer,
            metrics: [blank; ROOM],
        });
        for (metric, id) in asked.metrics.iter_mut().zip(METRICS) {
            metric.id = id;
        }
        // SAFETY: the struct lives through the call and has room for what it asks for.
        if unsafe { get(&raw mut *asked) } != SUCCESS {
            return None;
        }
        let share = |at: usize| {
            let metric = asked.metrics.get(at)?;
            let usable = metric.code == SUCCESS && (0.0..=100.0).contains(&metric.value);
            usable.then(|| metric.value / 100.0)
        };
        Some(Activity { sm: share(0), tensor: share(1), dram: share(2) })
    }

    /// Gives the samples back. The library must not have been shut down yet.
    pub(super) fn close(self, library: &Library) {
        free(library, self.older);
        free(library, self.newer);
    }
}

fn allocate(library: &Library) -> Option<Counters> {
    type Alloc = unsafe extern "C" fn(*mut Counters) -> c_uint;
    // SAFETY: declared with this signature in nvml.h.
    let alloc = unsafe { library.get::<Alloc>(b"nvmlGpmSampleAlloc\0") }.ok()?;
    let mut counters: Counters = std::ptr::null_mut();
    // SAFETY: `counters` lives through the call.
    let code = unsafe { alloc(&raw mut counters) };
    (code == SUCCESS).then_some(counters)
}

fn free(library: &Library, counters: Counters) {
    type Free = unsafe extern "C" fn(Counters) -> c_uint;
    // SAFETY: declared with this signature in nvml.h.
    if let Ok(free) = unsafe { library.get::<Free>(b"nvmlGpmSampleFree\0") } {
        // SAFETY: the handle came from `nvmlGpmSampleAlloc` and is not used again.
        let _ = unsafe { free(counters) };
    }
}
