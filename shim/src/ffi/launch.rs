//! Launches of kernels that record events on their way.

use super::boundary::exports;
use crate::driver::types::{Event, Function, Stream};
use crate::events;
use std::ffi::c_void;

const PROGRAMMATIC_EVENT: u32 = 7;
const LAUNCH_COMPLETION_EVENT: u32 = 12;

/// CUlaunchAttributeValue. Those that name an event begin with it.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct AttributeValue {
    event: Event,
    _rest: [u64; 7],
}
const _: () = assert!(size_of::<AttributeValue>() == 64);

/// CUlaunchAttribute
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Attribute {
    id: u32,
    _padding: u32,
    value: AttributeValue,
}
const _: () = assert!(size_of::<Attribute>() == 72 && std::mem::offset_of!(Attribute, value) == 8);

/// CUlaunchConfig
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Config {
    _grid_and_block: [u32; 6],
    _shared_bytes: u32,
    _stream: Stream,
    attributes: *const Attribute,
    count: u32,
}
const _: () = assert!(size_of::<Config>() == 56 && std::mem::offset_of!(Config, attributes) == 40);

/// The event that an attribute names.
///
/// # Safety
/// The value is NULL or can be read.
pub(super) unsafe fn attribute_event(id: u32, value: *const AttributeValue) -> Option<Event> {
    let names_one = matches!(id, PROGRAMMATIC_EVENT | LAUNCH_COMPLETION_EVENT) && !value.is_null();
    // SAFETY: the caller's promise. Events come first in the value.
    names_one.then(|| unsafe { value.cast::<Event>().read_unaligned() })
}

/// The events that a launch records.
///
/// # Safety
/// The configuration is NULL or one that the driver could read.
unsafe fn launch_events(config: *const Config) -> impl Iterator<Item = Event> {
    let (first, count) = if config.is_null() {
        (std::ptr::null(), 0)
    } else {
        // SAFETY: the caller's promise.
        unsafe { ((&raw const (*config).attributes).read_unaligned(), (&raw const (*config).count).read_unaligned()) }
    };
    let count = if first.is_null() { 0 } else { count };
    (0..count as usize).filter_map(move |number| {
        let attribute = first.wrapping_add(number);
        // SAFETY: the configuration says that there are so many attributes.
        unsafe { attribute_event((&raw const (*attribute).id).read_unaligned(), &raw const (*attribute).value) }
    })
}

exports! {
    fn cuLaunchKernelEx(
        config: *const Config,
        function: Function,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) |call| {
        // SAFETY: the driver gets the same configuration and reads it, too.
        events::give_all(call, unsafe { launch_events(config) })
    }
    fn cuLaunchKernelEx_ptsz(
        config: *const Config,
        function: Function,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) |call| {
        // SAFETY: the driver gets the same configuration and reads it, too.
        events::give_all(call, unsafe { launch_events(config) })
    }
}
