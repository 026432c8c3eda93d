//! NVML's functions, as far as the sampler calls them.

#![expect(
    unsafe_code,
    reason = "functions with C linkage that write through the caller's pointers"
)]

use crate::scenario::{Answer, Card, scenario};
use std::ffi::{c_char, c_int, c_uint, c_void};

pub(crate) const SUCCESS: c_uint = 0;
const NOT_SUPPORTED: c_uint = 3;
const NOT_FOUND: c_uint = 6;
const INSUFFICIENT_SIZE: c_uint = 7;
const FUNCTION_NOT_FOUND: c_uint = 13;
const LOST: c_uint = 15;
const MIB: u64 = 1 << 20;

/// A handle is the card's ordinal plus one.
pub(crate) fn card(device: *mut c_void) -> Option<&'static Card> {
    scenario().cards.get((device as usize).checked_sub(1)?)
}

/// Writes `value` through the caller's pointer.
pub(crate) fn put<T>(place: *mut T, value: T) -> c_uint {
    // SAFETY: NVML's contract is that the caller passes a pointer to room for one `T`.
    unsafe { place.write(value) };
    SUCCESS
}

pub(crate) fn answer<T>(
    device: *mut c_void,
    name: &str,
    place: *mut T,
    convert: fn(u64) -> T,
) -> c_uint {
    match card(device).map(|card| card.at(name)) {
        Some(Answer::Value(value)) => put(place, convert(value)),
        Some(Answer::Lost) => LOST,
        Some(Answer::NotSupported) => NOT_SUPPORTED,
        None => NOT_FOUND,
    }
}

fn write_text(text: &str, place: *mut c_char, length: c_uint) -> c_uint {
    let room = usize::try_from(length).unwrap_or(0).saturating_sub(1);
    for (at, byte) in text.bytes().take(room).chain([0]).enumerate() {
        // SAFETY: at most `length` bytes are written, which is what the caller's buffer holds.
        unsafe { place.add(at).write(byte.cast_signed()) };
    }
    SUCCESS
}

pub(crate) fn number(value: u64) -> c_uint {
    c_uint::try_from(value).unwrap_or(c_uint::MAX)
}

#[unsafe(no_mangle)]
extern "C" fn nvmlInit_v2() -> c_uint {
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn nvmlShutdown() -> c_uint {
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn nvmlSystemGetDriverVersion(place: *mut c_char, length: c_uint) -> c_uint {
    write_text(&scenario().driver, place, length)
}

#[unsafe(no_mangle)]
extern "C" fn nvmlSystemGetCudaDriverVersion_v2(place: *mut c_int) -> c_uint {
    put(place, scenario().cuda)
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetCount_v2(place: *mut c_uint) -> c_uint {
    for card in &scenario().cards {
        card.advance();
    }
    put(place, number(scenario().cards.len() as u64))
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetHandleByIndex_v2(index: c_uint, place: *mut *mut c_void) -> c_uint {
    let place_in_list = usize::try_from(index).unwrap_or(usize::MAX);
    if place_in_list >= scenario().cards.len() {
        return NOT_FOUND;
    }
    put(place, std::ptr::without_provenance_mut(place_in_list + 1))
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetName(device: *mut c_void, place: *mut c_char, length: c_uint) -> c_uint {
    card(device).map_or(NOT_FOUND, |card| write_text(&card.name, place, length))
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetUUID(device: *mut c_void, place: *mut c_char, length: c_uint) -> c_uint {
    card(device).map_or(NOT_FOUND, |card| write_text(&card.uuid, place, length))
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetUtilizationRates(
    device: *mut c_void,
    place: *mut [c_uint; 2],
) -> c_uint {
    answer(device, "busy", place, |value| [number(value), number(value) / 2])
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetPowerUsage(device: *mut c_void, place: *mut c_uint) -> c_uint {
    answer(device, "power", place, number)
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetEnforcedPowerLimit(device: *mut c_void, place: *mut c_uint) -> c_uint {
    answer(device, "limit", place, number)
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetTemperature(
    device: *mut c_void,
    _sensor: c_uint,
    place: *mut c_uint,
) -> c_uint {
    answer(device, "celsius", place, number)
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMigMode(
    device: *mut c_void,
    now: *mut c_uint,
    next: *mut c_uint,
) -> c_uint {
    let code = answer(device, "mig", now, number);
    if code == SUCCESS { answer(device, "mig", next, number) } else { code }
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMemoryInfo(device: *mut c_void, place: *mut [u64; 3]) -> c_uint {
    let Some(card) = card(device) else { return NOT_FOUND };
    match card.at("used") {
        Answer::Value(used) => put(
            place,
            [card.total_mib * MIB, card.total_mib.saturating_sub(used) * MIB, used * MIB],
        ),
        Answer::Lost => LOST,
        Answer::NotSupported => NOT_SUPPORTED,
    }
}

/// `nvmlMemory_v2_t`: version, padding, total, reserved, free, used.
#[repr(C)]
struct MemoryV2 {
    version: c_uint,
    amounts: [u64; 4],
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMemoryInfo_v2(device: *mut c_void, place: *mut MemoryV2) -> c_uint {
    if scenario().old {
        return FUNCTION_NOT_FOUND;
    }
    let Some(card) = card(device) else { return NOT_FOUND };
    // SAFETY: NVML's contract is that the caller filled in the version.
    let version = unsafe { (*place).version };
    if version != 40 | 2 << 24 {
        return 25;
    }
    match card.at("used") {
        Answer::Value(used) => {
            let free = card.total_mib.saturating_sub(used);
            put(
                place,
                MemoryV2 { version, amounts: [card.total_mib * MIB, 0, free * MIB, used * MIB] },
            )
        }
        Answer::Lost => LOST,
        Answer::NotSupported => NOT_SUPPORTED,
    }
}

fn processes<T>(
    device: *mut c_void,
    count: *mut c_uint,
    place: *mut T,
    make: fn(u32, u64) -> T,
) -> c_uint {
    let Some(card) = card(device) else { return NOT_FOUND };
    // SAFETY: NVML's contract is that the caller says how many there is room for; none, to be told.
    let room = unsafe { count.read() };
    if number(card.processes.len() as u64) > room {
        let _ = put(count, number(card.processes.len() as u64));
        return INSUFFICIENT_SIZE;
    }
    for (at, (pid, used)) in card.processes.iter().enumerate() {
        let used = used.map_or(u64::MAX, |used| used * MIB);
        // SAFETY: there is room for all of them, as was just seen.
        unsafe { place.add(at).write(make(*pid, used)) };
    }
    put(count, number(card.processes.len() as u64))
}

/// The head of `nvmlProcessInfo_v2_t`.
#[repr(C)]
struct ProcessV1 {
    pid: c_uint,
    used: u64,
}

/// `nvmlProcessInfo_v2_t`.
#[repr(C)]
struct ProcessV2 {
    first: ProcessV1,
    instances: [c_uint; 2],
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetComputeRunningProcesses_v2(
    device: *mut c_void,
    count: *mut c_uint,
    place: *mut ProcessV2,
) -> c_uint {
    processes(device, count, place, |pid, used| ProcessV2 {
        first: ProcessV1 { pid, used },
        instances: [c_uint::MAX; 2],
    })
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetComputeRunningProcesses_v3(
    device: *mut c_void,
    count: *mut c_uint,
    place: *mut ProcessV2,
) -> c_uint {
    if scenario().old {
        return FUNCTION_NOT_FOUND;
    }
    processes(device, count, place, |pid, used| ProcessV2 {
        first: ProcessV1 { pid, used },
        instances: [c_uint::MAX; 2],
    })
}

/// `nvmlGpmSupport_t`. A card has the counters when its scenario has an `sm` series.
#[unsafe(no_mangle)]
extern "C" fn nvmlGpmQueryDeviceSupport(device: *mut c_void, place: *mut [c_uint; 2]) -> c_uint {
    let Some(card) = card(device) else { return NOT_FOUND };
    let supported = matches!(card.at("sm"), Answer::Value(_));
    put(place, [1, c_uint::from(supported)])
}

/// A sample holds the card that it was taken of.
#[unsafe(no_mangle)]
extern "C" fn nvmlGpmSampleAlloc(place: *mut *mut *mut c_void) -> c_uint {
    put(place, Box::into_raw(Box::new(std::ptr::null_mut())))
}

#[unsafe(no_mangle)]
extern "C" fn nvmlGpmSampleFree(sample: *mut *mut c_void) -> c_uint {
    // SAFETY: NVML's contract is that the handle came from the call above and is not used again.
    drop(unsafe { Box::from_raw(sample) });
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn nvmlGpmSampleGet(device: *mut c_void, sample: *mut *mut c_void) -> c_uint {
    put(sample, device)
}

/// `nvmlGpmMetric_t`.
#[repr(C)]
struct GpmMetric {
    id: c_uint,
    code: c_uint,
    value: f64,
    names: [*mut c_char; 3],
}

/// The head of `nvmlGpmMetricsGet_t`; as many metrics follow as it says.
#[repr(C)]
struct GpmGet {
    version: c_uint,
    count: c_uint,
    samples: [*mut *mut c_void; 2],
}

#[unsafe(no_mangle)]
extern "C" fn nvmlGpmMetricsGet(get: *mut GpmGet) -> c_uint {
    // SAFETY: NVML's contract is that the head is filled in and both samples were taken.
    let (version, count, older, newer) = unsafe {
        let [older, newer] = (*get).samples;
        ((*get).version, (*get).count, older.read(), newer.read())
    };
    if version != 1 || older.is_null() || older != newer {
        return 2;
    }
    // SAFETY: the metrics follow the head, and the caller has room for `count` of them.
    let metrics = unsafe { get.add(1) }.cast::<GpmMetric>();
    for at in 0..count as usize {
        // SAFETY: as above.
        let metric = unsafe { &mut *metrics.add(at) };
        let name = match metric.id {
            2 => "sm",
            5 => "tensor",
            10 => "dram",
            _ => "",
        };
        match card(newer).map(|card| card.at(name)) {
            Some(Answer::Value(value)) => {
                metric.code = SUCCESS;
                metric.value = f64::from(number(value));
            }
            _ => metric.code = NOT_SUPPORTED,
        }
    }
    SUCCESS
}
