//! A VkQueue: its lock, and the submits that gevt makes itself.

use super::device::Vulkan;
use super::timeline::{Awaited, Wait};
use crate::error::{Error, Result};
use crate::lock::{Condvar, Mutex};
use crate::process::Uncancelled;
use ash::vk;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

const NO_LOCK: Error = Error::Unsupported("the queue was wrapped without lock functions, and takes batches only");
const OPEN: Error = Error::Batch("a batch that this thread has begun is open on the queue");
const OPEN_ELSEWHERE: Error = Error::Batch("a batch is open on the queue, which has no lock functions");

/// How other threads are kept away from a queue.
pub(super) enum Lock {
    /// gevt's queue.
    Own(OwnLock),
    /// The program's functions.
    Callers(CallersLock),
    /// The program excludes them itself, during its batches.
    Absent,
}

/// A lock that is held from one call to another.
#[derive(Default)]
pub(super) struct OwnLock {
    is_held: Mutex<bool>,
    released: Condvar,
}

/// The program's functions that lock a queue.
#[derive(Clone, Copy)]
pub(super) struct CallersLock {
    pub(super) lock: extern "C" fn(*mut c_void),
    pub(super) unlock: extern "C" fn(*mut c_void),
    pub(super) user: *mut c_void,
}

// SAFETY: `QueueInfo::wrap` requires that the functions may be called with `user` on any thread.
unsafe impl Send for CallersLock {}
// SAFETY: as above.
unsafe impl Sync for CallersLock {}

impl OwnLock {
    fn lock(&self) {
        let mut is_held = self.is_held.lock();
        while *is_held {
            is_held = self.released.wait(is_held);
        }
        *is_held = true;
    }

    fn unlock(&self) {
        *self.is_held.lock() = false;
        self.released.notify_one();
    }
}

impl Lock {
    pub(super) fn own() -> Lock {
        Lock::Own(OwnLock::default())
    }

    /// Returns whether both do the same.
    pub(super) fn is_same(&self, other: &Lock) -> bool {
        match (self, other) {
            (Lock::Callers(one), Lock::Callers(other)) => {
                let address = |function: extern "C" fn(*mut c_void)| function as usize;
                address(one.lock) == address(other.lock)
                    && address(one.unlock) == address(other.unlock)
                    && one.user == other.user
            }
            (Lock::Absent, Lock::Absent) => true,
            _ => false,
        }
    }
}

/// A queue of a device.
pub(super) struct Queue {
    pub(super) device: &'static Vulkan,
    pub(super) handle: vk::Queue,
    pub(super) family: u32,
    pub(super) lock: Lock,
    /// The thread that began the open batch; 0 without one.
    open: AtomicUsize,
    /// Counts the batches that were begun.
    begun: AtomicU64,
    /// The numbers of batches in the queue that wait for earlier work of the host.
    gates: Mutex<Vec<u64>>,
    /// The number of streams on it, including destroyed ones with work left.
    pub(super) users: AtomicUsize,
}

/// A queue that no other thread uses.
pub(super) struct LockedQueue(&'static Queue);

/// Identifies the calling thread among live threads.
fn this_thread() -> usize {
    thread_local! {
        static PLACE: u8 = const { 0 };
    }
    PLACE.with(|place| std::ptr::from_ref(place) as usize)
}

impl Queue {
    pub(super) fn new(device: &'static Vulkan, handle: vk::Queue, family: u32, lock: Lock) -> Queue {
        Queue {
            device,
            handle,
            family,
            lock,
            open: AtomicUsize::new(0),
            begun: AtomicU64::new(0),
            gates: Mutex::default(),
            users: AtomicUsize::new(0),
        }
    }

    /// Returns whether gevt may submit to the queue by itself.
    pub(super) fn can_lock(&self) -> bool {
        !matches!(self.lock, Lock::Absent)
    }

    /// Returns whether this thread has begun the batch that is open.
    pub(super) fn is_open_here(&self) -> bool {
        self.open.load(Ordering::Acquire) == this_thread()
    }

    /// Locks the queue for one of gevt's submits, unless it has no lock or this thread has an open batch on it. Blocks while another thread
    /// submits.
    pub(super) fn lock(&'static self) -> Result<LockedQueue> {
        match &self.lock {
            Lock::Absent => return Err(NO_LOCK),
            _ if self.is_open_here() => return Err(OPEN),
            Lock::Own(lock) => lock.lock(),
            Lock::Callers(lock) => (lock.lock)(lock.user),
        }
        let locked = LockedQueue(self);
        // Exit does not wait for a thread that waits here.
        self.device.calls.check().map(|()| locked)
    }

    /// Locks the queue for a batch of this thread's, until [`Queue::close_batch`].
    pub(super) fn open_batch(&'static self) -> Result<()> {
        if self.can_lock() {
            std::mem::forget(self.lock()?);
        } else if self.open.compare_exchange(0, this_thread(), Ordering::AcqRel, Ordering::Acquire).is_err() {
            return Err(OPEN_ELSEWHERE);
        }
        self.open.store(this_thread(), Ordering::Release);
        Ok(())
    }

    /// Counts the batch that this thread has opened; returns its number.
    pub(super) fn count_batch(&self) -> u64 {
        let number = self.begun.load(Ordering::Relaxed) + 1;
        self.begun.store(number, Ordering::Release);
        number
    }

    /// Returns the number of the last batch that was begun. What is issued now cannot hold that one or earlier ones up.
    pub(super) fn last_batch(&self) -> u64 {
        self.begun.load(Ordering::Acquire)
    }

    /// Makes room for [`Queue::add_gate`] by the batch that is open.
    pub(super) fn reserve_gate(&self) -> Result<()> {
        self.gates.lock().try_reserve(1).map_err(|_| Error::OutOfMemory)
    }

    /// The batch of that number waits in the queue for what the host has to do before.
    pub(super) fn add_gate(&self, number: u64) {
        self.gates.lock().push(number);
    }

    /// The batch of that number no longer waits for the host.
    pub(super) fn remove_gate(&self, number: u64) {
        self.gates.lock().retain(|gate| *gate != number);
    }

    /// Returns whether a batch in the queue may wait for work issued while `last` was the newest batch. Queued after
    /// it, that work would wait for itself.
    pub(super) fn has_gate_after(&self, last: u64) -> bool {
        self.gates.lock().iter().any(|gate| *gate > last)
    }

    /// Returns the queue, which an open batch has locked already.
    pub(super) fn in_batch(&'static self) -> ManuallyDrop<LockedQueue> {
        ManuallyDrop::new(LockedQueue(self))
    }

    /// Ends what [`Queue::open_batch`] began.
    pub(super) fn close_batch(&'static self) {
        self.open.store(0, Ordering::Release);
        drop(LockedQueue(self));
    }
}

impl LockedQueue {
    /// Submits a command buffer, or nothing, after the waits and before the signal.
    pub(super) fn submit(&self, waits: &[Awaited], command: vk::CommandBuffer, signal: Wait) -> Result<()> {
        let _uncancelled = Uncancelled::new();
        let Queue { device, handle, .. } = self.0;
        let commands: &[_] = if command == vk::CommandBuffer::null() { &[] } else { &[command] };
        let (signals, signal_values) = ([signal.semaphore], [signal.value]);
        // Without waits these have no memory.
        let semaphores: Vec<_> = waits.iter().map(|wait| wait.timeline.semaphore).collect();
        let values: Vec<_> = waits.iter().map(|wait| wait.value).collect();
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
        let mut timeline = vk::TimelineSemaphoreSubmitInfo::default()
            .wait_semaphore_values(&values)
            .signal_semaphore_values(&signal_values);
        let info = vk::SubmitInfo::default()
            .wait_semaphores(&semaphores)
            .wait_dst_stage_mask(&stages)
            .command_buffers(commands)
            .signal_semaphores(&signals)
            .push_next(&mut timeline);
        // SAFETY: the queue is locked, the semaphores live as long as the device's use, and the pointers are valid.
        device.check(unsafe { (device.functions.submit)(*handle, 1, &info, vk::Fence::null()) })
    }
}

impl Drop for LockedQueue {
    fn drop(&mut self) {
        match &self.0.lock {
            Lock::Own(lock) => lock.unlock(),
            Lock::Callers(lock) => (lock.unlock)(lock.user),
            Lock::Absent => {}
        }
    }
}
