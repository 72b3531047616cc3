//! A timeline semaphore whose counter shows a stream's progress.

use super::native::{NativeDevice, part};
use super::watcher::{Progress, Watched};
use crate::backend::deadlock::Dependency;
use crate::error::Result;
use crate::point::{FailedSpans, Key};
use crate::process::{self, Uncancelled};
use crate::status::Status;
use crate::workers::{self, Waiter};
use ash::vk;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a thread sleeps at a time: exit, and the owner's end of the device, do not wake it.
pub(super) const SLICE: Duration = Duration::from_millis(50);

/// The type of the handles of exportable semaphores.
const HANDLE: vk::ExternalSemaphoreHandleTypeFlags = if cfg!(windows) {
    vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_WIN32
} else {
    vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD
};

/// A timeline semaphore with the known state of its counter, always in an `Arc`.
pub(super) struct Timeline {
    pub(super) device: Arc<NativeDevice>,
    pub(super) semaphore: vk::Semaphore,
    /// The semaphore is the program's.
    pub(super) is_programs: bool,
    /// The greatest value that was read.
    seen: AtomicU64,
    /// The greatest value that a queue will signal or that has been signaled: reached without the host.
    sure: AtomicU64,
    /// Values after failed waits, and those of failed submits.
    pub(super) spans: FailedSpans,
}

impl Timeline {
    fn new(device: Arc<NativeDevice>, semaphore: vk::Semaphore, is_programs: bool) -> Arc<Timeline> {
        let sure = if is_programs { u64::MAX } else { 0 };
        Arc::new(Timeline {
            device,
            semaphore,
            is_programs,
            seen: AtomicU64::new(0),
            sure: AtomicU64::new(sure),
            spans: FailedSpans::default(),
        })
    }

    /// Makes a semaphore with the counter 0, which the program can export or not.
    pub(super) fn create(device: Arc<NativeDevice>, exportable: bool) -> Result<Arc<Timeline>> {
        let (_call, _uncancelled) = (device.enter()?, Uncancelled::new());
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let mut export = vk::ExportSemaphoreCreateInfo::default().handle_types(HANDLE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        let info = if exportable { info.push_next(&mut export) } else { info };
        let mut semaphore = vk::Semaphore::null();
        let create = device.functions.create_semaphore;
        // SAFETY: the pointers are valid, and the device has timeline semaphores.
        device.check(unsafe { create(device.handle, &info, std::ptr::null(), &mut semaphore) })?;
        Ok(Timeline::new(device, semaphore, false))
    }

    /// Wraps the program's semaphore, until [`Timeline::release`].
    pub(super) fn wrap(device: Arc<NativeDevice>, semaphore: vk::Semaphore) -> &'static Timeline {
        let timeline = Arc::into_raw(Timeline::new(device, semaphore, true));
        // SAFETY: the count of `into_raw` keeps it alive until it is taken back.
        unsafe { &*timeline }
    }

    /// Drops the count of [`Timeline::wrap`], if the semaphore is the program's.
    ///
    /// # Safety
    /// The event of that count is released.
    pub(super) unsafe fn release(&'static self) {
        if self.is_programs {
            // SAFETY: by this function's requirement the caller owns a count, and drops it once.
            unsafe { Arc::decrement_strong_count(self) };
        }
    }

    /// Keeps the timeline of a mark for longer than the event.
    pub(super) fn keep(&'static self) -> Arc<Timeline> {
        // SAFETY: `new` alone makes timelines, each in an `Arc`. The reference shows that one of its counts is left.
        unsafe {
            Arc::increment_strong_count(self);
            Arc::from_raw(self)
        }
    }

    /// The value as something to wait for.
    pub(super) fn dependency(&self, value: u64) -> Dependency {
        Dependency::new(self.key()[0], value)
    }

    /// Names it to the notifier.
    pub(super) fn key(&self) -> Key {
        [std::ptr::from_ref(self) as u64, 0]
    }

    /// Wakes the waiter when the timeline has reached the value.
    pub(super) fn notify(self: &Arc<Timeline>, value: u64, waiter: Waiter) -> Result<()> {
        let notifier = &part(&self.device).notifier;
        notifier.start(self.device.clone())?;
        notifier.add(self.key(), Watched::new(self.clone(), value), value, waiter)
    }

    /// The counter of the semaphore, in a call of the device or at its end. Then [`Timeline::signal_now`] may have signaled it for work that
    /// was skipped, so waiters must not be notified of it.
    #[inline]
    pub(super) fn counter(&self) -> Result<u64> {
        let (device, mut counter) = (&self.device, 0);
        // SAFETY: the semaphore lives as long as the device's use, and the pointer is valid.
        device.check(unsafe { (device.functions.semaphore_value)(device.handle, self.semaphore, &mut counter) })?;
        Ok(counter)
    }

    /// Returns the greatest value that the counter is known to have reached.
    #[inline]
    pub(super) fn seen(&self) -> u64 {
        self.seen.load(Ordering::Acquire)
    }

    /// The value was submitted for a queue to signal.
    pub(super) fn set_sure(&self, value: u64) {
        self.sure.fetch_max(value, Ordering::AcqRel);
    }

    /// Returns the greatest value that is reached without the host.
    pub(super) fn sure(&self) -> u64 {
        self.sure.load(Ordering::Acquire)
    }

    /// Returns whether the counter is known to have reached the value.
    #[inline]
    pub(super) fn is_known(&self, value: u64) -> bool {
        self.seen() >= value
    }

    /// Returns whether the counter has reached the value.
    #[inline]
    pub(super) fn reached(&self, value: u64) -> Result<bool> {
        if self.is_known(value) {
            return Ok(true);
        }
        let _call = self.device.enter()?;
        let counter = self.counter()?;
        self.saw(counter);
        Ok(counter >= value)
    }

    fn saw(&self, counter: u64) {
        if self.seen.load(Ordering::Relaxed) < counter {
            self.seen.fetch_max(counter, Ordering::AcqRel);
        }
    }

    /// Blocks until the counter has reached the value, or until the deadline; returns whether it has. Does not spin: drivers wake a thread
    /// so late that the time saved is small, and a frame loop would pay for it in each frame.
    pub(super) fn block(&self, value: u64, deadline: Option<Instant>) -> Result<bool> {
        if self.reached(value)? {
            return Ok(true);
        }
        let left = || deadline.map_or(SLICE, |deadline| deadline.saturating_duration_since(Instant::now()).min(SLICE));
        if left().is_zero() {
            return Ok(false);
        }
        workers::asleep(|| {
            loop {
                process::check()?;
                let _call = self.device.enter()?;
                if self.sleep(value, left())? {
                    self.saw(value);
                    return Ok(true);
                }
                if left().is_zero() {
                    return Ok(false);
                }
            }
        })
    }

    /// Sleeps until the counter has reached the value, for at most `time`, also at the end of the device. Returns whether it has.
    pub(super) fn sleep(&self, value: u64, time: Duration) -> Result<bool> {
        let _uncancelled = Uncancelled::new();
        let (semaphores, values) = ([self.semaphore], [value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        let wait = self.device.functions.wait_semaphores;
        // SAFETY: the semaphore lives as long as the device's use, and the pointers are valid.
        match unsafe { wait(self.device.handle, &info, time.as_nanos() as u64) } {
            vk::Result::SUCCESS => Ok(true),
            vk::Result::TIMEOUT => Ok(false),
            code => Err(self.device.error(code)),
        }
    }

    /// Signals the value from the host, and wakes the waiters. Nothing signals a lower one any more.
    pub(super) fn signal(&self, value: u64) -> Result<()> {
        self.device.enter().and_then(|_call| self.signal_now(value))?;
        self.saw(value);
        self.device.notifier.look_at(self.key());
        Ok(())
    }

    /// Like [`Timeline::signal`], also at the end of the device.
    pub(super) fn signal_now(&self, value: u64) -> Result<()> {
        let _uncancelled = Uncancelled::new();
        let device = &self.device;
        let info = vk::SemaphoreSignalInfo::default().semaphore(self.semaphore).value(value);
        // SAFETY: the semaphore lives as long as the device's use, and the pointer is valid.
        device.check(unsafe { (device.functions.signal_semaphore)(device.handle, &info) })?;
        self.set_sure(value);
        Ok(())
    }

    /// Destroys the semaphore.
    ///
    /// # Safety
    /// Nothing on the device or the host may use it from now on.
    pub(super) unsafe fn destroy(&self) {
        let device = &self.device;
        // SAFETY: this function requires that nothing uses the semaphore.
        unsafe { (device.functions.destroy_semaphore)(device.handle, self.semaphore, std::ptr::null()) };
    }
}

impl Progress for Timeline {
    fn ended(&self, value: u64, asks: bool) -> Result<Option<Status>> {
        let has_ended = if asks { self.reached(value)? } else { self.is_known(value) };
        Ok(has_ended.then(|| self.spans.at(value).map_or(Status::SUCCESS, |error| error.status())))
    }
}

/// A value of a timeline that a stream waits for.
#[derive(Clone)]
pub(super) struct Awaited {
    pub(super) timeline: Arc<Timeline>,
    pub(super) value: u64,
    /// The stages that wait in the program's submits; gevt's own wait as a whole.
    pub(super) stages: vk::PipelineStageFlags2,
}
