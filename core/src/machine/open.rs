//! Contexts: opened, wrapped, synced and closed.

use super::context::{insert, remove};
use super::in_use::UsedContext;
use super::providers::provider;
use super::{current, registry};
use crate::backend::{Backend, BackendKind};
use crate::error::{Error, Result};
use crate::probe::{self, Call};
use crate::process::{self, Uncancelled};
use crate::table::Context;
use std::time::Instant;

impl Context {
    /// Returns the number of devices of a backend.
    ///
    /// The host has one, or as many as the environment variable GEVT_HOST_DEVICES says at the first use.
    pub fn device_count(backend: BackendKind) -> Result<i32> {
        process::check()?;
        let provider = provider(backend)?;
        (provider.check_settings)();
        (provider.device_count)()
    }

    /// Opens a device of a backend; on CUDA its primary context. Two handles to one device name one context.
    pub fn open(backend: BackendKind, device: i32) -> Result<Context> {
        process::check()?;
        registry::open(provider(backend)?, device, insert).map(Context)
    }

    /// Makes a separate context on a host device, with its own default stream and not ordered against the device's
    /// other contexts. On CUDA the driver makes contexts, and [`Context::wrap`] borrows them.
    ///
    /// The context's memory is never freed: reuse contexts instead of making many.
    pub fn create(backend: BackendKind, device: i32) -> Result<Context> {
        process::check()?;
        let provider = provider(backend)?;
        registry::find_or_make(provider, |_| false, None, || (provider.create)(device), insert).map(Context)
    }

    /// Borrows the caller's context: on CUDA, the address of a CUcontext.
    ///
    /// # Safety
    /// On CUDA, `native` must be 0 or a live CUcontext, which must not end during a call that uses it.
    pub unsafe fn wrap(backend: BackendKind, native: u64) -> Result<Context> {
        process::check()?;
        let provider = provider(backend)?;
        if native == 0 {
            return Err(Error::NullPointer("native"));
        }
        // SAFETY: this function requires it to be a live context, as it is not 0. Other backends refuse every address.
        unsafe { registry::wrap(provider, native, insert) }.map(Context)
    }

    /// Like [`Context::wrap`], with a backend that `make` makes if the native context is not known.
    pub(crate) fn wrap_made(
        backend: BackendKind,
        native: u64,
        make: impl FnOnce() -> Result<Box<dyn Backend>>,
    ) -> Result<Context> {
        let provider = provider(backend)?;
        // Lost or not, but no device that gevt has made.
        let is_it = |known: &UsedContext| {
            let properties = known.context.backend.properties();
            known.is_of(provider) && known.opened.is_none() && properties.native == Some(native)
        };
        registry::find_or_make(provider, is_it, None, make, insert).map(Context)
    }

    /// Ends the handle. The context's streams and events remain.
    pub fn close(self) -> Result<()> {
        if process::is_over() { Ok(()) } else { remove(self.0) }
    }

    /// Compares the device's clock with the host's.
    pub fn calibrate(self) -> Result<()> {
        let _uncancelled = Uncancelled::new();
        let (context, _) = current::resolve(self.0)?;
        context.backend.calibrate()
    }

    /// Blocks until all streams of the context have finished the work submitted before the call, or until the deadline:
    /// [`Error::TimedOut`] then.
    pub fn sync(self, deadline: Option<Instant>) -> Result<()> {
        let _uncancelled = Uncancelled::new();
        let (context, _) = current::resolve(self.0)?;
        let _traced = probe::slice(|| Call::new("sync context"));
        context.sync(None, deadline)
    }
}
