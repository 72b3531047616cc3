//! A CUDA context: whether it is still there, and how to work in it without the caller's noticing.
//!
//! A context's owner may destroy it, and any library may reset a primary one, while gevt holds its streams and events.
//! The driver follows their dead handles into freed memory, and may reuse the handles. So each call that names such a
//! handle first checks that the context is still the same one ([`Cuda::call`]). A result that gevt remembers or relies
//! on counts only if a second check afterwards agrees ([`Cuda::ask`]). One race remains: a context that ends on another
//! thread between the check and the call. The driver offers no way to exclude it.

use super::clock::Clock;
use super::driver::{Code, Driver};
use super::gate_failures::StreamGates;
use super::gates::Words;
use super::pool::Pool;
use super::relay::Relays;
use crate::backend::Wanted;
use crate::error::{Error, Result};
use crate::process::{self, Uncancelled, note_loss};
use crate::status::Status;
use crate::workers::start_thread;
use cudarc::driver::sys::{CUcontext, CUdevice};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

/// Codes after which a context returns only errors: faults of its kernels, of its device and of external devices, and the end of
/// an MPS client.
const FATAL: [Code; 15] = [214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911];
/// Returns whether the code says that its context returns only errors from now on.
pub(crate) fn is_fatal(code: Code) -> bool {
    FATAL.contains(&code)
}

/// The code of a context that was destroyed.
const DESTROYED: Code = 709;
/// The pause of the thread that waits for calls in progress in a retired context.
const PAUSE: Duration = Duration::from_millis(1);
/// The driver's answer for work that is not done.
pub(super) const NOT_READY: Code = 600;

/// A context, borrowed or retained.
pub(crate) struct Cuda {
    pub(crate) driver: &'static Driver,
    /// The CUcontext's address; it is handed to the driver only while the context is alive.
    raw: usize,
    /// The driver's number for the context, which is never reused; 0 if the driver has none.
    id: u64,
    pub(crate) device: CUdevice,
    /// A primary context that was retained, and is to be released.
    retained: AtomicBool,
    /// It is known to be its device's primary context.
    is_primary: AtomicBool,
    /// It has been released with all its objects.
    is_given_back: AtomicBool,
    /// Why the context is lost; 0 while it is not.
    lost: AtomicU32,
    pub(crate) pool: Pool,
    pub(super) clock: Clock,
    pub(super) relays: Relays,
    pub(super) words: Words,
    pub(super) stream_gates: StreamGates,
}

impl Cuda {
    /// Retains a device's primary context.
    pub(crate) fn open(driver: &'static Driver, number: i32) -> Result<Cuda> {
        let _uncancelled = Uncancelled::new();
        let (mut device, mut raw) = (0, std::ptr::null_mut());
        // SAFETY: the pointers are valid.
        if unsafe { (driver.device_get)(&mut device, number) } != 0 {
            return Err(Error::BadDevice(number));
        }
        // SAFETY: the pointer is valid, and the driver returned the device.
        plain(unsafe { (driver.primary_retain)(&mut raw, device) })?;
        Cuda::new(driver, raw, device, true).inspect_err(|_| {
            // SAFETY: retained just now. A failure leaves nothing to do.
            unsafe { (driver.primary_release)(device) };
        })
    }

    /// Borrows the caller's context.
    ///
    /// # Safety
    /// `raw` must be the address of a live context.
    pub(crate) unsafe fn wrap(driver: &'static Driver, raw: usize) -> Result<Cuda> {
        let context = Cuda::new(driver, raw as CUcontext, 0, false)?;
        let mut device = 0;
        // SAFETY: the pointer is valid, and the context is current.
        context.with_current(|| unsafe { (driver.context_device)(&mut device) })?;
        Ok(Cuda { device, ..context })
    }

    fn new(driver: &'static Driver, raw: CUcontext, device: CUdevice, retained: bool) -> Result<Cuda> {
        let raw = raw as usize;
        let id = id_of(driver, raw)?;
        Ok(Cuda {
            driver,
            raw,
            id,
            device,
            retained: AtomicBool::new(retained),
            is_primary: AtomicBool::new(retained),
            is_given_back: AtomicBool::new(false),
            lost: AtomicU32::new(0),
            clock: Clock::default(),
            pool: Pool::default(),
            relays: Relays::default(),
            words: Words::default(),
            stream_gates: StreamGates::default(),
        })
    }

    /// Returns the address of this thread's current context, or 0.
    pub(crate) fn current(driver: &Driver) -> Result<u64> {
        let mut current = std::ptr::null_mut();
        // SAFETY: the pointer is valid.
        plain(unsafe { (driver.current_get)(&mut current) }).map(|()| current as u64)
    }

    /// Returns whether this is the context with that address. An address alone does not say so, as it may have been reused.
    pub(crate) fn is(&self, raw: usize) -> bool {
        raw == self.raw && self.lost().is_none() && id_of(self.driver, raw) == Ok(self.id)
    }

    pub(crate) fn lost(&self) -> Option<Status> {
        match self.lost.load(Ordering::Acquire) {
            0 => None,
            code => Some(Status(code as i32)),
        }
    }

    /// Its address, by which a trace knows it.
    pub(super) fn address(&self) -> u64 {
        self.raw as u64
    }

    /// Converts a code to a result, and marks the context as lost if the code says so.
    pub(crate) fn check(&self, code: Code) -> Result<()> {
        match code {
            0 => Ok(()),
            // It may speak of the other context of a wait.
            DESTROYED => self.check_alive().and(Err(Error::ContextLost(Status(DESTROYED as i32)))),
            code if is_fatal(code) => self.lose(code),
            code => plain(code),
        }
    }

    fn lose(&self, code: Code) -> Result<()> {
        let first = self.lost.compare_exchange(0, code, Ordering::AcqRel, Ordering::Acquire);
        note_loss();
        Err(Error::ContextLost(Status(first.err().unwrap_or(code) as i32)))
    }

    /// Fails if the context is lost. Asks the driver each time.
    #[inline]
    pub(crate) fn check_alive(&self) -> Result<()> {
        if let Some(status) = self.lost() {
            return Err(Error::ContextLost(status));
        }
        match id_of(self.driver, self.raw) {
            Ok(id) if id == self.id => Ok(()),
            answer => self.refuse(answer),
        }
    }

    /// Returns whether the context is known to be alive; [`Cuda::check_alive`] knows more.
    #[inline]
    pub(super) fn is_alive(&self) -> bool {
        let mut id = 0;
        let answers = |context_id: unsafe extern "C" fn(CUcontext, *mut u64) -> Code| {
            // SAFETY: the pointer is valid; the driver knows a destroyed context's address from a living one's.
            unsafe { context_id(self.raw as CUcontext, &mut id) == 0 && id == self.id }
        };
        self.lost.load(Ordering::Acquire) == 0 && self.driver.context_id.is_none_or(answers)
    }

    /// Handles any result other than this context's number.
    #[cold]
    fn refuse(&self, answer: Result<u64>) -> Result<()> {
        match answer {
            Err(error) if !is_end(error) => Err(error),
            _ => self.lose(DESTROYED),
        }
    }

    /// Makes a call that names streams or events of this context's.
    #[inline]
    pub(super) fn call(&self, call: impl FnOnce() -> Code) -> Result<()> {
        self.check_alive()?;
        self.check(call())
    }

    /// Like [`Cuda::call`], for a call that asks whether work has completed. A yes counts only if the context outlived
    /// the call: otherwise it may describe an unrelated event at the same address.
    #[inline]
    pub(super) fn ask(&self, call: impl FnOnce() -> Code) -> Result<bool> {
        self.check_alive()?;
        match call() {
            NOT_READY => Ok(false),
            code => self.check(code).and_then(|()| self.check_alive()).map(|()| true),
        }
    }

    /// Runs `call` with this context current, and leaves the thread with the one that it had.
    pub(crate) fn with_current(&self, call: impl FnOnce() -> Code) -> Result<()> {
        let _uncancelled = Uncancelled::new();
        self.check_alive()?;
        let mut current = std::ptr::null_mut();
        // SAFETY: the pointer is valid.
        self.check(unsafe { (self.driver.current_get)(&mut current) })?;
        if current as usize == self.raw {
            return self.check(call());
        }
        // SAFETY: the context was alive a moment ago.
        self.check(unsafe { (self.driver.current_push)(self.raw as CUcontext) })?;
        let code = call();
        // SAFETY: the pointer is valid, and this pops the context that was pushed above.
        let popped = unsafe { (self.driver.current_pop)(&mut current) };
        self.check(code).and_then(|()| self.check(popped))
    }

    /// The primary context was retained twice and is this one: releases one of the two.
    fn retained_again(&self) {
        self.is_primary.store(true, Ordering::Relaxed);
        if self.retained.swap(true, Ordering::AcqRel) {
            self.release_primary();
        }
    }

    fn release_primary(&self) {
        // SAFETY: retained once in `open`, and released once. A failure would leave nothing to do.
        unsafe { (self.driver.primary_release)(self.device) };
    }

    /// Retires the context: only calls in progress still use it. If there are any, a thread releases a primary context
    /// after they return. If that thread cannot be started, the context stays retained. Returns whether the context can be
    /// distinguished from a later one at its address, and so be reused.
    pub(crate) fn retire(&'static self) -> bool {
        let _uncancelled = Uncancelled::new();
        let can_restart = self.id != 0 && self.lost().is_none();
        self.relays.end(self);
        self.clock.end(self);
        let is_released = self.release_if_unused();
        // From here on no call with this context reaches the driver, so its owner may destroy it.
        self.lost.store(DESTROYED, Ordering::Release);
        self.is_given_back.store(is_released, Ordering::Release);
        if !is_released {
            start_thread("gevt-cuda", || self.release_later());
        }
        can_restart
    }

    fn release_later(&self) {
        while !self.release_if_unused() {
            if process::is_over() {
                return;
            }
            std::thread::sleep(PAUSE);
        }
        self.is_given_back.store(true, Ordering::Release);
    }

    /// Reuses a retired context if it is the wanted one and is still alive; false otherwise. A context's memory is
    /// never freed, so reuse lets a program open and close a device any number of times.
    pub(super) fn restart(&self, wanted: Wanted) -> bool {
        if matches!(wanted, Wanted::Again) {
            self.retained_again();
            return true;
        }
        if !self.is_given_back.swap(false, Ordering::AcqRel) {
            return false;
        }
        let lives = || id_of(self.driver, self.raw) == Ok(self.id);
        let is_it = match wanted {
            Wanted::Native(native) => native == self.address() && lives(),
            Wanted::Device(number) => {
                let is_primary = self.is_primary.load(Ordering::Relaxed);
                is_primary && self.is_on(number) && lives() && self.retain_again()
            }
            Wanted::Again => false,
        };
        if is_it {
            self.stream_gates.clear();
            self.lost.store(0, Ordering::Release);
        } else {
            self.is_given_back.store(true, Ordering::Release);
        }
        is_it
    }

    /// Returns whether the context is known to have ended.
    pub(super) fn is_gone(&self) -> bool {
        id_of(self.driver, self.raw).map_or_else(is_end, |id| id != self.id)
    }

    fn is_on(&self, number: i32) -> bool {
        let mut device = 0;
        // SAFETY: the pointer is valid.
        unsafe { (self.driver.device_get)(&mut device, number) == 0 && device == self.device }
    }

    /// Retains the primary context; false if that is another one by now.
    fn retain_again(&self) -> bool {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the pointer is valid.
        if unsafe { (self.driver.primary_retain)(&mut raw, self.device) } != 0 {
            return false;
        }
        let is_it = raw as usize == self.raw && id_of(self.driver, self.raw) == Ok(self.id);
        if is_it {
            self.retained.store(true, Ordering::Release);
        } else {
            self.release_primary();
        }
        is_it
    }

    /// Destroys what the context keeps, and releases it if it was retained, unless a call is using some of it. Returns whether
    /// nothing is left to be done.
    fn release_if_unused(&self) -> bool {
        let is_retained = self.retained.load(Ordering::Acquire);
        let is_unused = self.pool.drain(self);
        // After a reset, each holder of a primary context must still release it.
        if is_unused && is_retained {
            self.retained.store(false, Ordering::Release);
            self.release_primary();
        }
        is_unused || !is_retained
    }
}

/// A result without a context to mark.
fn plain(code: Code) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Error::Backend(Status(code as i32))) }
}

/// Returns whether the error says that a context has ended. With others the driver does not say; within a host function it answers nothing.
fn is_end(error: Error) -> bool {
    matches!(error, Error::Backend(Status::CONTEXT_IS_DESTROYED | Status::INVALID_CONTEXT))
}

/// Returns the driver's number for the context at that address; an error if it no longer exists.
fn id_of(driver: &Driver, raw: usize) -> Result<u64> {
    let mut id = 0;
    match driver.context_id {
        // SAFETY: the pointer is valid; the driver knows a destroyed context's address from a living one's.
        Some(context_id) => plain(unsafe { context_id(raw as CUcontext, &mut id) }).map(|()| id),
        None => Ok(0),
    }
}
