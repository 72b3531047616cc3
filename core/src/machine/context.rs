//! The handles that name contexts.

use super::backend_context::BackendContext;
use super::in_use::{self, ContextUse};
use crate::atomic_ref::AtomicRef;
use crate::error::{Error, Result};
use crate::process;
use crate::table::{Handle, Recycle, Word, table};
use std::sync::atomic::Ordering;

/// The contents of a context handle's slot.
#[derive(Default)]
pub(crate) struct ContextSlot(AtomicRef<BackendContext>);

table! {
    static CONTEXTS: ContextSlot, Context;
}

impl Recycle for ContextSlot {
    fn recycle(&self, _: Word) {
        if let Some(context) = self.0.load() {
            self.0.store(None);
            context.release();
        }
    }
}

pub(super) fn insert(context: &'static BackendContext) -> Result<Handle> {
    CONTEXTS.insert(|slot| {
        context.acquire();
        context.handles.fetch_add(1, Ordering::SeqCst);
        slot.0.store(Some(context));
    })
}

/// Ends a handle. The last one ends its device's use on this thread, even if other threads look at the handle: the owner may then destroy
/// the device.
pub(super) fn remove(handle: Handle) -> Result<()> {
    let ended = CONTEXTS.get(handle)?;
    CONTEXTS.remove(handle)?;
    if let Some(context) = ended.0.load()
        && context.handles.fetch_sub(1, Ordering::SeqCst) == 1
        && context.backend.properties().ends_with_handles
    {
        let has_none = || context.handles.load(Ordering::SeqCst) == 0;
        // This handle is still among the uses.
        in_use::end_if(context, has_none, || context.uses.load(Ordering::SeqCst) > 1);
    }
    Ok(())
}

/// The context of a handle.
pub(crate) fn get(handle: Handle) -> Result<ContextUse> {
    process::check()?;
    let guard = CONTEXTS.get(handle)?;
    ContextUse::new(guard.0.load().ok_or(Error::Internal)?)
}

impl BackendContext {
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
        let before = self.own.load(Ordering::Acquire);
        let own = insert(self)?;
        if self.own.compare_exchange(before, own.0, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            // Another thread was first.
            remove(own)?;
            return self.own_handle();
        }
        Ok(own)
    }
}
