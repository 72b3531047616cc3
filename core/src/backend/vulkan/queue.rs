//! A VkQueue: its lock, and the submits that gevt makes itself.

use super::device::Vulkan;
use super::timeline::Wait;
use crate::error::{Error, Result};
use ash::vk;
use parking_lot::RawMutex;
use parking_lot::lock_api::RawMutex as _;
use std::ffi::c_void;

const NO_LOCK: Error = Error::Unsupported("the queue was adopted without lock functions, and takes batches only");

/// What keeps other threads away from a queue.
pub(super) enum Lock {
    /// A queue of gevt's own.
    Own(RawMutex),
    /// The program's functions.
    Callers(CallersLock),
    /// The program keeps them away itself, during its batches.
    Absent,
}

/// The program's functions that lock a queue.
#[derive(Clone, Copy)]
pub(super) struct CallersLock {
    pub(super) lock: extern "C" fn(*mut c_void),
    pub(super) unlock: extern "C" fn(*mut c_void),
    pub(super) user: *mut c_void,
}

// SAFETY: whoever gave the functions has promised that they may be called with `user` on any thread.
unsafe impl Send for CallersLock {}
// SAFETY: as above.
unsafe impl Sync for CallersLock {}

impl Lock {
    pub(super) fn own() -> Lock {
        Lock::Own(RawMutex::INIT)
    }
}

/// A queue of a device. Its memory is not used again.
pub(super) struct Queue {
    pub(super) device: &'static Vulkan,
    pub(super) handle: vk::Queue,
    pub(super) family: u32,
    lock: Lock,
}

/// A queue that no other thread uses.
pub(super) struct LockedQueue(&'static Queue);

impl Queue {
    pub(super) fn new(device: &'static Vulkan, handle: vk::Queue, family: u32, lock: Lock) -> &'static Queue {
        Box::leak(Box::new(Queue { device, handle, family, lock }))
    }

    /// Locks the queue for a submit of gevt's own. Blocks while another thread submits.
    pub(super) fn lock(&'static self) -> Result<LockedQueue> {
        match &self.lock {
            Lock::Own(mutex) => mutex.lock(),
            Lock::Callers(lock) => (lock.lock)(lock.user),
            Lock::Absent => return Err(NO_LOCK),
        }
        Ok(LockedQueue(self))
    }
}

impl LockedQueue {
    /// Submits a command buffer or nothing: behind the waits, and before the signal of a value of a timeline.
    pub(super) fn submit(&self, waits: &[Wait], command: Option<vk::CommandBuffer>, signal: Wait) -> Result<()> {
        let queue = self.0;
        let semaphores: Vec<_> = waits.iter().map(|wait| wait.semaphore).collect();
        let values: Vec<_> = waits.iter().map(|wait| wait.value).collect();
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
        let (signals, signal_values) = ([signal.semaphore], [signal.value]);
        let mut timeline = vk::TimelineSemaphoreSubmitInfo::default()
            .wait_semaphore_values(&values)
            .signal_semaphore_values(&signal_values);
        let info = vk::SubmitInfo::default()
            .wait_semaphores(&semaphores)
            .wait_dst_stage_mask(&stages)
            .command_buffers(command.as_slice())
            .signal_semaphores(&signals)
            .push_next(&mut timeline);
        let submit = queue.device.functions.submit;
        // SAFETY: the queue is locked, the semaphores live as long as the device's use, and the pointers are valid.
        queue.device.check(unsafe { submit(queue.handle, 1, &info, vk::Fence::null()) })
    }
}

impl Drop for LockedQueue {
    fn drop(&mut self) {
        match &self.0.lock {
            // SAFETY: locked by `Queue::lock`, and unlocked here alone.
            Lock::Own(mutex) => unsafe { mutex.unlock() },
            Lock::Callers(lock) => (lock.unlock)(lock.user),
            Lock::Absent => {}
        }
    }
}
