//! The driver's context: whether it is still there, and how to work in it without the caller's noticing.
//!
//! A context's owner may destroy it, and any library may reset a primary one, while gevt holds its streams and events.
//! The driver follows their dead handles into freed memory, and may reuse the handles. So each call that names such a
//! handle first checks that the context is still the same one ([`NativeContext::call`]). A result that gevt remembers or relies
//! on counts only if a second check afterwards agrees ([`NativeContext::ask`]). One race remains: a context that ends on another
//! thread between the check and the call. The driver offers no way to exclude it.

use super::driver::{Code, Driver};
use crate::backend::NativeStream;
use crate::error::{Error, Result};
use crate::probe::Place;
use crate::process::{Uncancelled, note_loss};
use crate::status::Status;
use cudarc::driver::sys::{CUcontext, CUdevice, CUevent, CUstream};
use std::sync::atomic::{AtomicU32, Ordering};

/// Codes after which a context returns only errors: faults of its kernels, of its device and of external devices, and the end of
/// an MPS client.
const FATAL: [Code; 15] = [214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911];
/// Returns whether the code says that its context returns only errors from now on.
pub(crate) fn is_fatal(code: Code) -> bool {
    FATAL.contains(&code)
}

/// The code of a context that was destroyed.
const DESTROYED: Code = 709;
/// The driver's answer for work that is not done.
pub(super) const NOT_READY: Code = 600;

/// The default streams and the per-thread one belong to the context that is current.
pub(super) fn needs_current(stream: NativeStream) -> bool {
    stream.0 <= 2
}

pub(super) fn raw(stream: NativeStream) -> CUstream {
    stream.0 as CUstream
}

/// A CUcontext.
pub(crate) struct NativeContext {
    pub(crate) driver: &'static Driver,
    /// The CUcontext's address; it is handed to the driver only while the context is alive.
    raw: usize,
    /// The driver's number for the context, which is never reused; 0 if the driver has none.
    id: u64,
    pub(crate) device: CUdevice,
    /// Why the context is lost; 0 while it is not.
    lost: AtomicU32,
}

impl NativeContext {
    /// The context at that address, which is live. Without `device`, the driver is asked for the context's device.
    pub(super) fn new(driver: &'static Driver, raw: usize, device: Option<CUdevice>) -> Result<NativeContext> {
        let id = id_of(driver, raw)?;
        let mut made = NativeContext { driver, raw, id, device: device.unwrap_or_default(), lost: AtomicU32::new(0) };
        if device.is_none() {
            let mut device = 0;
            // SAFETY: the pointer is valid, and the context is current.
            made.with_current(|| unsafe { (driver.context_device)(&mut device) })?;
            made.device = device;
        }
        Ok(made)
    }

    /// Returns whether the two are one. An address alone does not say so, as it may have been reused.
    pub(super) fn is(&self, other: &NativeContext) -> bool {
        self.raw == other.raw && self.id == other.id
    }

    /// Returns whether the context may be used again after its end: it can be distinguished from a later one at its address.
    pub(super) fn can_restart(&self) -> bool {
        self.id != 0 && self.lost().is_none()
    }

    /// From here on no call with this context reaches the driver, so its owner may destroy it.
    pub(super) fn end(&self) {
        self.lost.store(DESTROYED, Ordering::Release);
    }

    /// Undoes [`NativeContext::end`].
    pub(super) fn restart(&self) {
        self.lost.store(0, Ordering::Release);
    }

    /// Returns the address of this thread's current context, or 0.
    pub(crate) fn current(driver: &Driver) -> Result<u64> {
        let mut current = std::ptr::null_mut();
        // SAFETY: the pointer is valid.
        plain(unsafe { (driver.current_get)(&mut current) }).map(|()| current as u64)
    }

    /// Returns why the context is lost, if that is known.
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
    #[inline]
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

    /// Like [`NativeContext::call`], for a call that asks whether work has completed. A yes counts only if the context outlived
    /// the call: otherwise it may describe an unrelated event at the same address.
    #[inline]
    pub(super) fn ask(&self, call: impl FnOnce() -> Code) -> Result<bool> {
        self.check_alive()?;
        self.answer(call())
    }

    /// Converts the code of a call that asks whether work has completed.
    #[inline]
    pub(super) fn answer(&self, code: Code) -> Result<bool> {
        match code {
            NOT_READY => Ok(false),
            code => self.check(code).and_then(|()| self.check_alive()).map(|()| true),
        }
    }

    /// Like [`NativeContext::call`], with this context current.
    pub(crate) fn with_current(&self, call: impl FnOnce() -> Code) -> Result<()> {
        self.within(|| self.check(call()))
    }

    /// Makes calls with this context current, and leaves the thread with the one that it had.
    pub(super) fn within<T>(&self, calls: impl FnOnce() -> Result<T>) -> Result<T> {
        let _uncancelled = Uncancelled::new();
        self.check_alive()?;
        let mut current = std::ptr::null_mut();
        // SAFETY: the pointer is valid.
        self.check(unsafe { (self.driver.current_get)(&mut current) })?;
        if current as usize == self.raw {
            return calls();
        }
        // SAFETY: the context was alive a moment ago.
        self.check(unsafe { (self.driver.current_push)(self.raw as CUcontext) })?;
        let result = calls();
        // SAFETY: the pointer is valid, and this pops the context that was pushed above.
        let popped = unsafe { (self.driver.current_pop)(&mut current) };
        result.and_then(|result| self.check(popped).map(|()| result))
    }

    /// Nanoseconds from one event to the other; `None` while one of them is pending.
    #[inline]
    pub(super) fn elapsed_between(&self, start: CUevent, end: CUevent) -> Result<Option<i64>> {
        let mut ms = 0.0;
        // SAFETY: the pointer is valid; the events live, by the trait's contract and as long as their context, which `ask` has found alive.
        let done = self.ask(|| unsafe { (self.driver.event_elapsed)(&mut ms, start, end) })?;
        // Rounded here, as `f64::round` is a call of a function.
        Ok(done.then_some((f64::from(ms) * 1e6 + 0.5_f64.copysign(ms.into())) as i64))
    }

    /// Makes a stream.
    pub(super) fn make_stream(&self, non_blocking: bool) -> Result<NativeStream> {
        let mut stream: CUstream = std::ptr::null_mut();
        // SAFETY: the pointer is valid.
        self.with_current(|| unsafe { (self.driver.stream_create)(&mut stream, non_blocking.into()) })?;
        Ok(NativeStream(stream as u64))
    }

    /// The context's name in traces.
    pub(super) fn place(&self) -> Place {
        Place::Cuda { device: self.device, context: self.address() }
    }
}

/// A result without a context to mark.
#[inline]
pub(super) fn plain(code: Code) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Error::Backend(Status(code as i32))) }
}

/// Returns whether the error says that a context has ended. With others the driver does not say; within a host function it answers nothing.
fn is_end(error: Error) -> bool {
    matches!(error, Error::Backend(Status::CONTEXT_IS_DESTROYED | Status::INVALID_CONTEXT))
}

/// Returns the driver's number for the context at that address; an error if it no longer exists.
#[inline]
fn id_of(driver: &Driver, raw: usize) -> Result<u64> {
    let mut id = 0;
    match driver.context_id {
        // SAFETY: the pointer is valid; the driver knows a destroyed context's address from a living one's.
        Some(context_id) => plain(unsafe { context_id(raw as CUcontext, &mut id) }).map(|()| id),
        None => Ok(0),
    }
}
