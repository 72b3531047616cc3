//! What a program does with Vulkan objects of its own: devices, queues, and batches in its own submits.

use crate::error::{Error, Result};
use crate::table::{Context, Event, Stream};
use std::ffi::{c_char, c_void};

const NOT_YET: Error = Error::Unsupported("not yet");

/// A device of the program's.
pub struct DeviceInfo {
    /// The VkInstance.
    pub instance: u64,
    /// The VkPhysicalDevice.
    pub physical_device: u64,
    /// The VkDevice.
    pub device: u64,
    /// The vkGetInstanceProcAddr that the program calls Vulkan by.
    pub get_instance_proc_addr: *const c_void,
    /// The version that instance and device were made for.
    pub api_version: u32,
    /// The features that were enabled, as bits of gevt.h.
    pub features: u32,
    /// The names of the device's extensions.
    pub extensions: *const *const c_char,
    /// Their number.
    pub extension_count: u32,
}

/// A queue of the program's.
pub struct QueueInfo {
    /// The VkQueue.
    pub queue: u64,
    /// Its family.
    pub family: u32,
    /// Flags of gevt.h.
    pub flags: u32,
    /// Locks the queue.
    pub lock: Option<extern "C" fn(*mut c_void)>,
    /// Unlocks the queue.
    pub unlock: Option<extern "C" fn(*mut c_void)>,
    /// The argument of both.
    pub user: *mut c_void,
}

/// A value of a timeline semaphore.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    /// The VkSemaphore.
    pub semaphore: u64,
    /// The value.
    pub value: u64,
}

/// What an open batch adds to the program's submit.
pub struct Batch {
    /// VkSemaphoreSubmitInfo structures, which stay valid until the batch ends.
    pub waits: *const c_void,
    /// Their number.
    pub wait_count: u32,
    /// One VkSemaphoreSubmitInfo, which stays valid until the batch ends.
    pub signal: *const c_void,
    /// Names the batch.
    pub ticket: u64,
}

/// Takes a device of the program's.
///
/// # Safety
/// `info` describes a live device.
pub unsafe fn adopt_device(_: &DeviceInfo) -> Result<Context> {
    Err(NOT_YET)
}

/// Takes a queue of the program's.
///
/// # Safety
/// `info` describes a queue of the context's device.
pub unsafe fn adopt_queue(_: Context, _: &QueueInfo) -> Result<Stream> {
    Err(NOT_YET)
}

/// Begins a batch that records the events.
pub fn submit_begin(_: Stream, _: &[Event]) -> Result<Batch> {
    Err(NOT_YET)
}

/// Ends the batch; `result` is the VkResult of the program's submit.
pub fn submit_end(_: Stream, _: u64, _: i32) -> Result<()> {
    Err(NOT_YET)
}

/// Writes the event's time stamp into a command buffer.
///
/// # Safety
/// `command_buffer` is null, or one of the context's device that the calling thread may record.
pub unsafe fn write_time(_: Event, _: u64, _: u64) -> Result<()> {
    Err(NOT_YET)
}

/// Returns where the event's last record completes.
pub fn point(_: Event) -> Result<Point> {
    Err(NOT_YET)
}

/// Makes an event that completes at a point of the program's.
///
/// # Safety
/// The semaphore is a timeline semaphore of the context's device, which outlives the event.
pub unsafe fn adopt_point(_: Context, _: Point) -> Result<Event> {
    Err(NOT_YET)
}
