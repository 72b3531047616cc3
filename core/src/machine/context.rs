//! A context: one device of one backend, and the handles that name it.

use super::deadline::Deadline;
use super::registry;
use crate::backend::{Backend, BackendKind, Properties, Provider, UnpinnedCalls, Wanted};
use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::probe::{self, Call, NATIVE_STREAMS};
use crate::process::{self, Uncancelled};
use crate::status::Status;
use crate::table::{Context, Handle, Recycle, Word, table};
use crate::workers::{self, Waiter};
use std::cell::UnsafeCell;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// A context's number, from 1 up; 0 means no context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ContextId(pub(crate) u32);

/// A device of a backend.
pub(crate) struct BackendContext {
    pub(crate) id: ContextId,
    pub(crate) backend: Behind,
    /// The backend's kind, which is that of each backend that follows it.
    pub(crate) kind: BackendKind,
    pub(super) streams_last: bool,
    unpinned_calls: Option<&'static dyn UnpinnedCalls>,
    is_counted: bool,
    /// That the context is lost has been logged.
    loss_told: AtomicBool,
    /// The number of handles, streams, bound events and calls. Not counted if the device never ends.
    uses: AtomicU64,
    /// The handles among them.
    handles: AtomicU32,
    /// The library's handle, for a context that the program has not opened.
    own: AtomicU64,
    making_own: Mutex<()>,
    /// The use of the device has ended. The registry's lock guards this.
    pub(super) has_ended: AtomicBool,
}

/// What is behind a context: a backend, until the context is unused and another backend follows.
pub(crate) struct Behind(UnsafeCell<Box<dyn Backend>>);

// SAFETY: backends are `Send` and `Sync`, and `replace` requires that no other thread looks.
unsafe impl Sync for Behind {}

impl Deref for Behind {
    type Target = dyn Backend;

    #[inline]
    fn deref(&self) -> &dyn Backend {
        // SAFETY: `replace` requires that the context is unused, and each caller has a use of it, or holds the registry's lock while the
        // context is in use. A context whose unpinned objects are used is never replaced.
        unsafe { &**self.0.get() }
    }
}

impl ContextId {
    #[inline]
    pub(crate) fn context(self) -> Option<&'static BackendContext> {
        registry::get(self)
    }
}

impl BackendContext {
    pub(crate) fn new(id: ContextId, backend: Box<dyn Backend>) -> BackendContext {
        let Properties { kind, streams_last, unpinned_calls, can_end, .. } = backend.properties();
        BackendContext {
            id,
            kind,
            streams_last,
            unpinned_calls,
            is_counted: can_end,
            loss_told: AtomicBool::new(false),
            backend: Behind(UnsafeCell::new(backend)),
            uses: AtomicU64::new(0),
            handles: AtomicU32::new(0),
            own: AtomicU64::new(Handle::NULL.0),
            making_own: Mutex::new(()),
            has_ended: AtomicBool::new(false),
        }
    }

    /// Returns whether another backend may follow this one, once the context is unused.
    pub(super) fn can_be_followed(&self) -> bool {
        self.is_counted && self.unpinned_calls.is_none()
    }

    /// Puts the backend of another device in the place of the one whose use has ended, and returns that.
    ///
    /// # Safety
    /// The context is unused and [`BackendContext::can_be_followed`], the caller holds the registry's lock, and the backend is of the same
    /// kind.
    pub(super) unsafe fn replace(&self, backend: Box<dyn Backend>) -> Box<dyn Backend> {
        self.own.store(Handle::NULL.0, Ordering::Relaxed);
        self.loss_told.store(false, Ordering::Relaxed);
        // SAFETY: by this function's requirement no other thread looks at the backend.
        unsafe { std::ptr::replace(self.backend.0.get(), backend) }
    }

    /// Returns the frequent calls for objects that nobody pins, if there are any and nothing is out of the ordinary.
    #[inline]
    pub(super) fn unpinned(&self) -> Option<&'static dyn UnpinnedCalls> {
        if process::is_normal_and_untraced() { self.unpinned_calls } else { None }
    }

    /// Returns the backend's kind and the number of the device.
    pub(super) fn device(&self) -> (BackendKind, i32) {
        (self.kind, self.backend.properties().device)
    }

    /// Takes up a native context again that was retired.
    pub(super) fn restart(&self, wanted: Wanted) -> bool {
        let is_it = self.backend.restart(wanted);
        if is_it {
            self.loss_told.store(false, Ordering::Relaxed);
        }
        is_it
    }

    /// Returns why the context is lost, the first time only.
    pub(super) fn take_loss(&self) -> Option<Status> {
        self.backend.lost().filter(|_| !self.loss_told.swap(true, Ordering::AcqRel))
    }

    /// Fails if the context is lost.
    #[inline]
    pub(crate) fn check(&self) -> Result<()> {
        // A context that never ends is never lost.
        match if self.is_counted { self.backend.lost() } else { None } {
            None => Ok(()),
            Some(status) => Err(Error::ContextLost(status)),
        }
    }

    /// Adds a use, unless the context has ended meanwhile.
    pub(crate) fn try_acquire(&self) -> Result<()> {
        let more = |uses: u64| (uses > 0).then_some(uses + 1);
        if self.is_counted && self.uses.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more).is_err() {
            return Err(Error::ContextLost(Status::CONTEXT_IS_DESTROYED));
        }
        Ok(())
    }

    /// Adds a use. The caller already has one, or holds the registry's lock.
    pub(crate) fn acquire(&self) {
        if self.is_counted {
            self.uses.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// One use less; the last one ends the context.
    pub(crate) fn release(&'static self) {
        if self.is_counted && self.uses.fetch_sub(1, Ordering::SeqCst) == 1 {
            registry::end(self);
        }
    }

    /// Returns whether the context can end, and is unused.
    pub(super) fn is_unused(&self) -> bool {
        self.is_counted && self.uses.load(Ordering::SeqCst) == 0
    }

    /// Returns the handle that the library keeps. The caller has a use of the context, or holds the registry's lock.
    pub(crate) fn own_handle(&'static self) -> Result<Handle> {
        self.live_own().map_or_else(|| self.make_own(), Ok)
    }

    /// Returns the library's handle, if there is one. A caller that mistook it for its own may have closed it.
    pub(super) fn live_own(&self) -> Option<Handle> {
        let own = Handle(self.own.load(Ordering::Acquire));
        (own != Handle::NULL && CONTEXTS.peek(own).is_ok()).then_some(own)
    }

    #[cold]
    fn make_own(&'static self) -> Result<Handle> {
        let _alone = self.making_own.lock();
        if let Some(own) = self.live_own() {
            return Ok(own);
        }
        let own = insert(self)?;
        self.own.store(own.0, Ordering::Release);
        Ok(own)
    }
}

/// A use of a context by a call.
pub(crate) struct ContextUse(&'static BackendContext);

impl ContextUse {
    /// For a context that a live object has in use, unless that ends meanwhile.
    pub(crate) fn new(context: &'static BackendContext) -> Result<ContextUse> {
        context.try_acquire().map(|()| ContextUse(context))
    }

    pub(crate) fn context(&self) -> &'static BackendContext {
        self.0
    }
}

impl ContextUse {
    /// Ends the use; the last use ends on a worker thread, or here if there is none. Ending a context calls the driver, which a
    /// CUDA host function must not do.
    pub(crate) fn end_on_worker(self) {
        let context = self.0;
        let is_last = context.is_counted && context.uses.fetch_sub(1, Ordering::SeqCst) == 1;
        std::mem::forget(self);
        if is_last && workers::promise_completion().is_err() {
            registry::end(context);
        } else if is_last {
            let end = Box::new(move |_| registry::end(context));
            workers::wake(Waiter::Work(end), Status::SUCCESS);
        }
    }
}

impl Deref for ContextUse {
    type Target = BackendContext;

    fn deref(&self) -> &BackendContext {
        self.0
    }
}

impl Drop for ContextUse {
    #[inline(never)]
    fn drop(&mut self) {
        self.0.release();
    }
}

/// The contents of a context handle's slot.
#[derive(Default)]
pub(crate) struct ContextSlot(AtomicU32);

table! {
    static CONTEXTS: ContextSlot, Context;
}

impl Recycle for ContextSlot {
    fn recycle(&self, _: Word) {
        if let Some(context) = ContextId(self.0.swap(0, Ordering::Relaxed)).context() {
            if context.handles.fetch_sub(1, Ordering::SeqCst) == 1 {
                let unused = || context.handles.load(Ordering::SeqCst) == 0;
                // This handle is still among the uses.
                registry::close(context, unused, || context.uses.load(Ordering::SeqCst) > 1);
            }
            context.release();
        }
    }
}

fn insert(context: &'static BackendContext) -> Result<Handle> {
    CONTEXTS.insert(|slot| {
        context.acquire();
        context.handles.fetch_add(1, Ordering::SeqCst);
        slot.0.store(context.id.0, Ordering::Relaxed);
    })
}

/// The context of a handle.
pub(crate) fn get(handle: Handle) -> Result<ContextUse> {
    process::check()?;
    let guard = CONTEXTS.get(handle)?;
    ContextUse::new(ContextId(guard.0.load(Ordering::Relaxed)).context().ok_or(Error::Internal)?)
}

/// Fails if the handle names no context.
pub(crate) fn check(handle: Handle) -> Result<()> {
    process::check()?;
    CONTEXTS.get(handle).map(drop)
}

impl BackendKind {
    /// The backend that the environment variable GEVT_BACKEND names. Otherwise CUDA if it has a driver and a device,
    /// else the host.
    pub const AUTO: BackendKind = BackendKind(0);
    /// The host's own threads.
    pub const HOST: BackendKind = BackendKind(1);
    /// NVIDIA's GPUs.
    pub const CUDA: BackendKind = BackendKind(2);

    fn provider(self) -> Result<&'static dyn Provider> {
        if self == Self::AUTO { registry::default_provider() } else { registry::provider(self) }
    }
}

impl Context {
    /// Returns the number of devices of a backend.
    ///
    /// The host has one, or as many as the environment variable GEVT_HOST_DEVICES says at the first use.
    pub fn device_count(backend: BackendKind) -> Result<i32> {
        process::check()?;
        let provider = backend.provider()?;
        provider.check_settings();
        provider.device_count()
    }

    /// Opens a device of a backend; on CUDA its primary context. Two handles to one device name one context.
    pub fn open(backend: BackendKind, device: i32) -> Result<Context> {
        process::check()?;
        registry::open(backend.provider()?, device, insert).map(Context)
    }

    /// Makes a separate context on a host device, with its own default stream and not ordered against the device's
    /// other contexts. On CUDA the driver makes contexts, and [`Context::wrap`] borrows them.
    ///
    /// The context's memory is never freed: reuse contexts instead of making many.
    pub fn create(backend: BackendKind, device: i32) -> Result<Context> {
        process::check()?;
        registry::create(backend.provider()?, device, insert).map(Context)
    }

    /// Borrows the caller's context: on CUDA, the address of a CUcontext.
    ///
    /// # Safety
    /// On CUDA, `native` must be 0 or a live CUcontext, which must not end during a call that uses it.
    pub unsafe fn wrap(backend: BackendKind, native: u64) -> Result<Context> {
        process::check()?;
        let provider = backend.provider()?;
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
        registry::wrap_made(backend, native, make, insert).map(Context)
    }

    /// Ends the handle. The context's streams and events remain.
    pub fn close(self) -> Result<()> {
        if process::is_over() { Ok(()) } else { CONTEXTS.remove(self.0) }
    }

    /// Compares the device's clock with the host's.
    pub fn calibrate(self) -> Result<()> {
        let _uncancelled = Uncancelled::new();
        let (context, _) = super::current::resolve(self.0)?;
        context.check()?;
        context.backend.calibrate()
    }

    /// Blocks until all streams of the context have finished the work submitted before the call.
    pub fn sync(self) -> Result<()> {
        self.sync_until(Deadline::NEVER)
    }

    /// Like [`Context::sync`], until the deadline: [`Error::TimedOut`] then.
    pub fn sync_until(self, deadline: Deadline) -> Result<()> {
        let _uncancelled = Uncancelled::new();
        let (context, _) = super::current::resolve(self.0)?;
        context.check()?;
        let _traced = probe::slice(|| Call::new("sync context"));
        deadline.in_time(context.backend.sync(deadline.instant())?)?;
        probe::acquire(&NATIVE_STREAMS);
        Ok(())
    }
}
