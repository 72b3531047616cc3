//! A device of a backend, as the machine uses it.

use crate::backend::{Backend, BackendKind, NativeStream, Properties};
use crate::error::{Error, Result};
use crate::pin::{self, Pin};
use crate::probe::{self, NATIVE_STREAMS};
use crate::process;
use crate::status::Status;
use crate::table::{Handle, Life};
use std::cell::UnsafeCell;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

/// A device of a backend.
pub(crate) struct BackendContext {
    pub(crate) backend: Behind,
    /// The backend's kind, which is that of each backend that follows it.
    pub(crate) kind: BackendKind,
    /// The name under which calls pin the backend's device; 0 for a backend that is never freed.
    pinned_as: AtomicU64,
    /// The context may end. Otherwise its streams are never freed, either.
    pub(super) is_counted: bool,
    /// That the context is lost has been logged.
    pub(super) loss_told: AtomicBool,
    /// The number of handles, streams, bound events and calls. Not counted if the device never ends.
    pub(super) uses: AtomicU64,
    /// The handles among them.
    pub(super) handles: AtomicU32,
    /// The library's handle, for a context that the program has not opened.
    pub(super) own: AtomicU64,
}

/// A context's backend. Another backend replaces it once the context is unused.
pub(crate) struct Behind(UnsafeCell<(Box<dyn Backend>, Properties)>);

// SAFETY: backends are `Send` and `Sync`, and `replace` requires that no other thread looks.
unsafe impl Sync for Behind {}

impl Behind {
    pub(super) fn new(backend: Box<dyn Backend>) -> Behind {
        let properties = backend.properties();
        Behind(UnsafeCell::new((backend, properties)))
    }

    #[inline]
    fn get(&self) -> &(Box<dyn Backend>, Properties) {
        // SAFETY: `replace` requires that the context is unused and not pinned. Each caller has a use of it or a pin, or holds the
        // registry's lock while the context is in use. A context whose unpinned objects are used is never replaced.
        unsafe { &*self.0.get() }
    }

    /// Returns the backend's properties.
    pub(super) fn properties(&self) -> &Properties {
        &self.get().1
    }
}

impl Deref for Behind {
    type Target = dyn Backend;

    #[inline]
    fn deref(&self) -> &dyn Backend {
        &*self.get().0
    }
}

impl BackendContext {
    pub(crate) fn new(backend: Behind) -> BackendContext {
        let &Properties { kind, pinned_as, can_end, .. } = backend.properties();
        BackendContext {
            kind,
            pinned_as: AtomicU64::new(pinned_as),
            is_counted: can_end,
            loss_told: AtomicBool::new(false),
            backend,
            uses: AtomicU64::new(0),
            handles: AtomicU32::new(0),
            own: AtomicU64::new(Handle::NULL.0),
        }
    }

    /// Returns whether another backend may follow this one, once the context is unused.
    pub(super) fn can_be_followed(&self) -> bool {
        self.is_counted && self.pinned_as.load(Ordering::Relaxed) != 0
    }

    /// Pins the device, if that keeps it. A caller that then finds an object of the context alive may use the backend as long as the pin
    /// lasts, even if the object ends.
    #[inline]
    pub(super) fn pin(&self) -> Result<Option<Pin>> {
        match self.pinned_as.load(Ordering::Relaxed) {
            0 => Ok(None),
            device => Pin::of(device).map(Some).ok_or(Error::OutOfMemory),
        }
    }

    /// Pins the device for a frequent call without other pins, if that keeps it and nothing is out of the ordinary. The object of the life
    /// then lives, and the backend stays.
    #[inline]
    pub(super) fn pin_for(&self, life: Life<'_>) -> Option<Pin> {
        let pin = if process::is_normal_and_untraced() { self.pin().ok()? } else { None };
        pin.filter(|_| life.lasts())
    }

    /// Returns whether a thread may have pinned the device, of a context that is unused.
    pub(super) fn is_pinned(&self) -> bool {
        let name = self.pinned_as.load(Ordering::Relaxed);
        name != 0 && pin::scan().has(name)
    }

    /// Puts the backend of another device in the place of the one whose use has ended, and returns that.
    ///
    /// # Safety
    /// The context is unused, not [pinned](BackendContext::is_pinned) and [`BackendContext::can_be_followed`], the caller holds the
    /// registry's lock, and the backend is of the same kind.
    pub(super) unsafe fn replace(&self, backend: Behind) -> Behind {
        self.pinned_as.store(backend.properties().pinned_as, Ordering::Relaxed);
        self.own.store(Handle::NULL.0, Ordering::Relaxed);
        // SAFETY: by this function's requirement no other thread looks at the backend.
        Behind(UnsafeCell::new(unsafe { std::ptr::replace(self.backend.0.get(), backend.0.into_inner()) }))
    }

    /// Returns the backend for frequent calls without pins, if it is never freed and nothing is out of the ordinary.
    #[inline]
    pub(super) fn unpinned(&self) -> Option<&dyn Backend> {
        let is_freed = self.pinned_as.load(Ordering::Relaxed) != 0;
        if !is_freed && process::is_normal_and_untraced() { Some(&*self.backend) } else { None }
    }

    /// Returns the backend's kind and the number of the device.
    pub(super) fn device(&self) -> (BackendKind, i32) {
        (self.kind, self.backend.properties().device)
    }

    /// Returns whether this is the native context of that address, still alive.
    pub(super) fn is_native(&self, native: u64) -> bool {
        self.backend.properties().native == Some(native) && self.backend.lost(true).is_none()
    }

    /// Returns why the context is lost, the first time only.
    pub(super) fn take_loss(&self) -> Option<Status> {
        self.backend.lost(false).filter(|_| !self.loss_told.swap(true, Ordering::AcqRel))
    }

    /// Fails if the context is lost.
    #[inline]
    pub(crate) fn check(&self) -> Result<()> {
        // A context that never ends is never lost.
        match if self.is_counted { self.backend.lost(false) } else { None } {
            None => Ok(()),
            Some(status) => Err(Error::ContextLost(status)),
        }
    }

    /// Blocks until the stream, or without one all streams of the context, has finished what was submitted before.
    pub(super) fn sync(&self, stream: Option<NativeStream>, deadline: Option<Instant>) -> Result<()> {
        if !self.backend.sync(stream, deadline)? {
            return Err(Error::TimedOut);
        }
        probe::acquire(&NATIVE_STREAMS);
        Ok(())
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

    /// Returns whether the context can end, and is unused.
    pub(super) fn is_unused(&self) -> bool {
        self.is_counted && self.uses.load(Ordering::SeqCst) == 0
    }
}
