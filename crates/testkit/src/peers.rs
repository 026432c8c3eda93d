//! Functions that only other tools call (gpustat, nvitop), so that they can be measured beside
//! kasuan on one and the same stand-in; what is not here they take as not supported.

#![expect(
    unsafe_code,
    reason = "functions with C linkage that write through the caller's pointers"
)]

use crate::exports::{SUCCESS, answer, card, number, put};
use std::ffi::{c_char, c_uint, c_void};

/// A handle that is none of a card: index and count out of range.
const INVALID_ARGUMENT: c_uint = 2;

#[unsafe(no_mangle)]
extern "C" fn nvmlInitWithFlags(_flags: c_uint) -> c_uint {
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn nvmlErrorString(_code: c_uint) -> *const c_char {
    c"error of the stand-in".as_ptr()
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetIndex(device: *mut c_void, place: *mut c_uint) -> c_uint {
    match (device as usize).checked_sub(1) {
        Some(index) => put(place, number(index as u64)),
        None => INVALID_ARGUMENT,
    }
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetFanSpeed(device: *mut c_void, place: *mut c_uint) -> c_uint {
    answer(device, "fan", place, number)
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetPowerManagementLimit(device: *mut c_void, place: *mut c_uint) -> c_uint {
    answer(device, "limit", place, number)
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetTotalEnergyConsumption(device: *mut c_void, place: *mut u64) -> c_uint {
    answer(device, "energy", place, |value| value)
}

/// No graphics processes: the stand-in is a server's card.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetGraphicsRunningProcesses_v3(
    device: *mut c_void,
    count: *mut c_uint,
    _place: *mut c_void,
) -> c_uint {
    if card(device).is_none() { INVALID_ARGUMENT } else { put(count, 0) }
}
