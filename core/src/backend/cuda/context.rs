//! A CUDA context, borrowed or retained, with what gevt keeps for it.

use super::clock::Clock;
use super::driver::Driver;
use super::gate_failures::StreamGates;
use super::native::{NativeContext, plain};
use super::pool::Pool;
use super::words::Words;
use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::process::{self, Uncancelled};
use crate::workers::start_thread;
use cudarc::driver::sys::CUdevice;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

/// The pause of the thread that waits for calls in progress in a retired context.
const PAUSE: Duration = Duration::from_millis(1);
/// All contexts. They are never freed: one whose use has ended serves its native context again, so a program opens and closes a device any
/// number of times.
static CONTEXTS: Mutex<Vec<&'static Cuda>> = Mutex::new(Vec::new());

/// A context, borrowed or retained.
pub(crate) struct Cuda {
    pub(super) native: NativeContext,
    /// A primary context that was retained, and is to be released.
    retained: AtomicBool,
    /// How often it is open or wrapped.
    uses: AtomicU32,
    /// It has been released with all its objects, and may be reused.
    is_given_back: AtomicBool,
    pub(crate) pool: Pool,
    pub(super) clock: Clock,
    pub(super) words: Words,
    pub(super) stream_gates: StreamGates,
}

impl Deref for Cuda {
    type Target = NativeContext;

    #[inline]
    fn deref(&self) -> &NativeContext {
        &self.native
    }
}

impl Cuda {
    /// Retains a device's primary context.
    pub(crate) fn open(driver: &'static Driver, number: i32) -> Result<&'static Cuda> {
        let _uncancelled = Uncancelled::new();
        let (mut device, mut raw) = (0, std::ptr::null_mut());
        // SAFETY: the pointers are valid.
        if unsafe { (driver.device_get)(&mut device, number) } != 0 {
            return Err(Error::BadDevice(number));
        }
        // SAFETY: the pointer is valid, and the driver returned the device.
        plain(unsafe { (driver.primary_retain)(&mut raw, device) })?;
        let release = || {
            // SAFETY: retained just now. A failure leaves nothing to do.
            unsafe { (driver.primary_release)(device) };
        };
        let context = Cuda::at(driver, raw as usize, Some(device)).inspect_err(|_| release())?;
        // Retained once, however often it is open.
        if context.retained.swap(true, Ordering::AcqRel) {
            release();
        }
        Ok(context)
    }

    /// Begins a use of the context at that address, which is live. Two threads do not make one context at once.
    pub(super) fn at(driver: &'static Driver, raw: usize, device: Option<CUdevice>) -> Result<&'static Cuda> {
        let native = NativeContext::new(driver, raw, device)?;
        let is_it = |known: &&Cuda| known.native.is(&native) && known.use_again();
        if let Some(known) = CONTEXTS.lock().iter().copied().find(is_it) {
            return Ok(known);
        }
        let made = Cuda {
            native,
            retained: AtomicBool::new(false),
            uses: AtomicU32::new(1),
            is_given_back: AtomicBool::new(false),
            clock: Clock::default(),
            pool: Pool::default(),
            words: Words::default(),
            stream_gates: StreamGates::default(),
        };
        let made = &*Box::leak(Box::new(made));
        CONTEXTS.lock().push(made);
        Ok(made)
    }

    /// Begins another use of a live context, or of one that was given back; false for any other one.
    fn use_again(&self) -> bool {
        let more = |uses: u32| (uses > 0).then_some(uses + 1);
        if self.lost().is_none() && self.uses.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more).is_ok() {
            return true;
        }
        let is_free = self.is_given_back.swap(false, Ordering::AcqRel);
        if is_free {
            self.uses.store(1, Ordering::SeqCst);
            self.stream_gates.clear();
            self.native.restart();
        }
        is_free
    }

    /// Ends a use. The last one retires the context: only calls in progress still use it. If there are any, a thread releases a primary context
    /// after they return. If that thread cannot be started, the context stays retained. It may be reused if it can be distinguished from a later
    /// one at its address.
    pub(crate) fn retire(&'static self) {
        if self.uses.fetch_sub(1, Ordering::SeqCst) > 1 {
            return;
        }
        let _uncancelled = Uncancelled::new();
        let can_restart = self.native.can_restart();
        self.clock.end(self);
        let is_released = self.release_if_unused();
        self.native.end();
        if is_released {
            self.is_given_back.store(can_restart, Ordering::Release);
        } else {
            start_thread("gevt-cuda", move || self.release_later(can_restart));
        }
    }

    fn release_later(&self, can_restart: bool) {
        while !self.release_if_unused() {
            if process::is_over() {
                return;
            }
            std::thread::sleep(PAUSE);
        }
        self.is_given_back.store(can_restart, Ordering::Release);
    }

    /// Destroys what the context keeps, and releases it if it was retained, unless a call is using some of it. Returns whether
    /// nothing is left to be done.
    fn release_if_unused(&self) -> bool {
        let is_retained = self.retained.load(Ordering::Acquire);
        let is_unused = self.pool.drain(self);
        // After a reset, each holder of a primary context must still release it.
        if is_unused && is_retained {
            self.retained.store(false, Ordering::Release);
            // SAFETY: retained once in `open`, and released once. A failure would leave nothing to do.
            unsafe { (self.driver.primary_release)(self.device) };
        }
        is_unused || !is_retained
    }
}
