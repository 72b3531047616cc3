//! A timeline semaphore whose counter shows a stream's progress.

use super::device::{DeviceUse, Vulkan};
use crate::error::Result;
use crate::point::FailedSpans;
use crate::process::{self, Uncancelled};
use crate::workers;
use ash::vk;
use std::ops::Deref;
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

/// A timeline semaphore with the known state of its counter.
pub(super) struct Timeline {
    pub(super) device: &'static Vulkan,
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
    fn new(device: &'static Vulkan, semaphore: vk::Semaphore, is_programs: bool) -> Timeline {
        let sure = if is_programs { u64::MAX } else { 0 };
        Timeline {
            device,
            semaphore,
            is_programs,
            seen: AtomicU64::new(0),
            sure: AtomicU64::new(sure),
            spans: FailedSpans::default(),
        }
    }

    /// Makes a semaphore with the counter 0, which the program can export or not.
    pub(super) fn create(device: &'static Vulkan, exportable: bool) -> Result<Timeline> {
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
    pub(super) fn wrap(device: &'static Vulkan, semaphore: vk::Semaphore) -> &'static Timeline {
        let timeline = Arc::into_raw(Arc::new(Timeline::new(device, semaphore, true)));
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

    /// Returns the greatest value that the counter is known to have reached.
    #[inline]
    pub(super) fn seen(&self) -> u64 {
        self.seen.load(Ordering::Acquire)
    }

    /// Returns whether the counter is known to have reached the value.
    #[inline]
    pub(super) fn is_known(&self, value: u64) -> bool {
        self.seen() >= value
    }

    /// The value was submitted for a queue to signal.
    pub(super) fn set_sure(&self, value: u64) {
        self.sure.fetch_max(value, Ordering::AcqRel);
    }

    /// Returns the greatest value that is reached without the host.
    pub(super) fn sure(&self) -> u64 {
        self.sure.load(Ordering::Acquire)
    }

    /// Returns whether the counter has reached the value.
    #[inline]
    pub(super) fn reached(&self, value: u64) -> Result<bool> {
        if self.is_known(value) {
            return Ok(true);
        }
        let _call = self.device.enter()?;
        let counter = self.device.counter(self.semaphore)?;
        self.saw(counter);
        Ok(counter >= value)
    }

    /// Like [`Timeline::reached`], but also allowed while the device ends. [`Timeline::signal_now`] may have signaled
    /// the value for work that was skipped, so waiters must not be notified of it.
    pub(super) fn come_to(&self, value: u64) -> Result<bool> {
        Ok(self.is_known(value) || self.device.counter(self.semaphore)? >= value)
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

    /// Signals the value from the host. Nothing signals a lower one any more.
    pub(super) fn signal(&self, value: u64) -> Result<()> {
        let _call = self.device.enter()?;
        self.signal_now(value)?;
        self.saw(value);
        Ok(())
    }

    /// Like [`Timeline::signal`], also at the end of the device.
    pub(super) fn signal_now(&self, value: u64) -> Result<()> {
        let _uncancelled = Uncancelled::new();
        let device = self.device;
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
        let device = self.device;
        // SAFETY: this function requires that nothing uses the semaphore.
        unsafe { (device.functions.destroy_semaphore)(device.handle, self.semaphore, std::ptr::null()) };
    }
}

impl Vulkan {
    /// The counter of a timeline semaphore that lives, in a call of the device or at its end.
    #[inline]
    fn counter(&self, semaphore: vk::Semaphore) -> Result<u64> {
        let mut counter = 0;
        // SAFETY: the semaphore lives as long as the device's use, and the pointer is valid.
        self.check(unsafe { (self.functions.semaphore_value)(self.handle, semaphore, &mut counter) })?;
        Ok(counter)
    }
}

/// A value of a timeline that a stream waits for.
#[derive(Clone)]
pub(super) struct Awaited {
    pub(super) timeline: TimelineRef,
    pub(super) value: u64,
    /// The stages that wait in the program's submits; gevt's own wait as a whole.
    pub(super) stages: vk::PipelineStageFlags2,
}

/// A timeline that stays as long as the value does: the program's, or a stream's with its device.
#[derive(Clone)]
pub(super) struct TimelineRef {
    timeline: &'static Timeline,
    _programs: Option<Arc<Timeline>>,
    _used: DeviceUse,
}

impl TimelineRef {
    /// Keeps a timeline that an event in use has for its mark.
    pub(super) fn new(timeline: &'static Timeline) -> TimelineRef {
        let programs = timeline.is_programs.then(|| {
            // SAFETY: such a timeline is an `Arc`'s, and the event holds one of its counts.
            unsafe {
                Arc::increment_strong_count(timeline);
                Arc::from_raw(timeline)
            }
        });
        TimelineRef { timeline, _programs: programs, _used: timeline.device.used() }
    }
}

impl Deref for TimelineRef {
    type Target = Timeline;
    fn deref(&self) -> &Timeline {
        self.timeline
    }
}
