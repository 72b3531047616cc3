//! A VkQueue: its lock, and the submits that gevt makes itself.

use super::native::NativeDevice;
use super::timeline::{Awaited, Timeline};
use crate::error::{Error, Result};
use crate::lock::{Condvar, Mutex};
use crate::process::Uncancelled;
use ash::vk;
use once_cell::sync::OnceCell;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr::fn_addr_eq;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const NO_LOCK: Error = Error::Unsupported("the queue was wrapped without lock functions, and takes batches only");
const OPEN: Error =
    Error::Batch("a batch that this thread has begun is open on the queue, or on one with the same lock");
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
    /// Returns whether both do the same.
    pub(super) fn is_same(&self, other: &Lock) -> bool {
        match (self, other) {
            (Lock::Callers(one), Lock::Callers(other)) => {
                let is_same = fn_addr_eq(one.lock, other.lock) && fn_addr_eq(one.unlock, other.unlock);
                is_same && one.user == other.user
            }
            (Lock::Absent, Lock::Absent) => true,
            _ => false,
        }
    }
}

/// A queue of a device.
pub(super) struct Queue {
    pub(super) device: Arc<NativeDevice>,
    pub(super) handle: vk::Queue,
    pub(super) family: u32,
    pub(super) lock: Lock,
    /// The thread that began the open batch; 0 without one. Queues with the same lock functions share it.
    open: Arc<AtomicUsize>,
    /// The number of batches in the queue that wait for earlier work of the host.
    pub(super) gates: AtomicUsize,
    /// The number of streams on it, including destroyed ones with work left.
    pub(super) users: AtomicUsize,
    /// Signaled by [`LockedQueue::mark`].
    pub(super) marks: OnceCell<Arc<Timeline>>,
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
    /// `others` are the device's other queues.
    pub(super) fn new(
        device: Arc<NativeDevice>,
        handle: vk::Queue,
        family: u32,
        lock: Lock,
        others: &[Arc<Queue>],
    ) -> Queue {
        let shared = others.iter().find(|other| other.is_shared() && other.lock.is_same(&lock));
        Queue {
            device,
            handle,
            family,
            lock,
            open: shared.map(|other| other.open.clone()).unwrap_or_default(),
            gates: AtomicUsize::new(0),
            users: AtomicUsize::new(0),
            marks: OnceCell::new(),
        }
    }

    /// Returns whether gevt may submit to the queue by itself.
    pub(super) fn can_lock(&self) -> bool {
        !matches!(self.lock, Lock::Absent)
    }

    /// Returns whether the program may submit to the queue without gevt.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self.lock, Lock::Callers(_))
    }

    /// Returns whether an open batch of this thread holds the queue's lock.
    pub(super) fn is_open_here(&self) -> bool {
        self.open.load(Ordering::Acquire) == this_thread()
    }

    /// Locks the queue for one of gevt's submits. Fails if it has no lock, or if an open batch of this thread holds the lock. Blocks while
    /// another thread submits.
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
    /// Submits a value of the queue's own timeline: it is reached when the queue has finished all that was submitted before.
    pub(super) fn mark(&self) -> Result<Awaited> {
        let queue = self.0;
        let marks = queue.marks.get_or_try_init(|| Timeline::create(queue.device.clone(), false))?;
        let value = marks.sure() + 1;
        self.submit(&[], vk::CommandBuffer::null(), marks, value)?;
        let stages = vk::PipelineStageFlags2::ALL_COMMANDS;
        Ok(Awaited { timeline: marks.clone(), value, stages })
    }

    /// Submits a command buffer, or nothing, after the waits and before the signal of the timeline's value.
    pub(super) fn submit(
        &self,
        waits: &[Awaited],
        command: vk::CommandBuffer,
        timeline: &Timeline,
        value: u64,
    ) -> Result<()> {
        let _uncancelled = Uncancelled::new();
        let Queue { device, handle, .. } = self.0;
        let commands: &[_] = if command == vk::CommandBuffer::null() { &[] } else { &[command] };
        let (signals, signal_values) = ([timeline.semaphore], [value]);
        // Without waits these have no memory.
        let semaphores: Vec<_> = waits.iter().map(|wait| wait.timeline.semaphore).collect();
        let values: Vec<_> = waits.iter().map(|wait| wait.value).collect();
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
        let mut all_values = vk::TimelineSemaphoreSubmitInfo::default()
            .wait_semaphore_values(&values)
            .signal_semaphore_values(&signal_values);
        let info = vk::SubmitInfo::default()
            .wait_semaphores(&semaphores)
            .wait_dst_stage_mask(&stages)
            .command_buffers(commands)
            .signal_semaphores(&signals)
            .push_next(&mut all_values);
        // SAFETY: the queue is locked, the semaphores live as long as the device's use, and the pointers are valid.
        device.check(unsafe { (device.functions.submit)(*handle, 1, &info, vk::Fence::null()) })?;
        timeline.set_sure(value);
        device.note_submit();
        Ok(())
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
