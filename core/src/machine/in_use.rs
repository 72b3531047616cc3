//! The contexts in use, and the retired ones that may be used again.

use super::backend_context::{BackendContext, Behind};
use super::providers::provider;
use crate::backend::{Properties, Provider};
use crate::error::Result;
use crate::lock::Mutex;
use crate::log::{self, Level};
use crate::status::Status;
use crate::workers::{self, Waiter};
use std::ops::Deref;
use std::sync::atomic::Ordering;

pub(super) static IN_USE: Mutex<InUse> = Mutex::new(InUse { contexts: Vec::new(), retired: Vec::new() });

pub(super) struct InUse {
    pub(super) contexts: Vec<UsedContext>,
    /// Contexts whose use of their device has ended. Streams and events may be left.
    retired: Vec<&'static BackendContext>,
}

impl InUse {
    /// Removes a context from those in use; false if it is not among them.
    fn remove(&mut self, context: &BackendContext) -> bool {
        let at = self.contexts.iter().position(|known| std::ptr::eq(known.context, context));
        at.map(|at| self.contexts.swap_remove(at)).is_some()
    }

    /// Adds a new context, in the place of a retired one that is unused if there is one. `old` receives the backend that is replaced.
    pub(super) fn add(&mut self, made: Behind, old: &mut Option<Behind>) -> &'static BackendContext {
        let &Properties { kind, native, .. } = made.properties();
        let is_free = |context: &&BackendContext| {
            let is_unused = context.kind == kind && context.is_unused();
            // One that cannot be followed serves again where its backend does.
            let serves_again = || native.is_some_and(|native| context.is_native(native));
            is_unused && if context.can_be_followed() { !context.is_pinned() } else { serves_again() }
        };
        let Some(at) = self.retired.iter().position(is_free) else {
            return Box::leak(Box::new(BackendContext::new(made)));
        };
        let context = self.retired.swap_remove(at);
        if context.can_be_followed() {
            // SAFETY: an unused context of the same kind that is not pinned; the caller holds the registry's lock on `self`.
            *old = Some(unsafe { context.replace(made) });
        }
        context.loss_told.store(false, Ordering::Relaxed);
        context
    }
}

/// A context in use.
pub(super) struct UsedContext {
    pub(super) context: &'static BackendContext,
    /// The opened device; none if only a wrapped context is known.
    pub(super) opened: Option<i32>,
}

impl UsedContext {
    pub(super) fn is_of(&self, provider: &Provider) -> bool {
        self.context.kind == provider.kind
    }

    /// Returns whether this is the native context of that address, still alive.
    pub(super) fn is_native(&self, provider: &Provider, native: u64) -> bool {
        self.is_of(provider) && self.context.is_native(native)
    }
}

/// Logs the contexts that were lost since the last call, for a thread that holds no lock.
pub(crate) fn tell_lost_contexts() {
    let lost = |known: &UsedContext| known.context.take_loss().map(|status| (known.context.device(), status));
    let lost: Vec<_> = IN_USE.lock().contexts.iter().filter_map(lost).collect();
    for ((kind, device), status) in lost {
        let title = provider(kind).map_or("", |provider| provider.title);
        let status = status.name().to_string_lossy();
        log::tell(Level::Error, format_args!("a context of {title} device {device} is lost: {status}"));
    }
}

/// Compares the context's clock with the host's for a trace, which has the host's times alone where that fails.
pub(super) fn calibrate(context: &BackendContext) {
    let _ = context.backend.calibrate();
}

/// A trace has begun: informs the contexts in use.
pub(super) fn begin_trace() {
    let contexts: Vec<_> =
        IN_USE.lock().contexts.iter().map(|known| known.context).inspect(|context| context.acquire()).collect();
    for context in contexts {
        calibrate(context);
        context.release();
    }
}

/// Ends an unused context.
pub(super) fn end(context: &'static BackendContext) {
    end_if(context, || context.is_unused(), || false);
}

/// Ends a context if that is due, which is checked under the lock that guards new uses and handles; `used` says whether streams or events are
/// left.
pub(super) fn end_if(context: &'static BackendContext, is_due: impl FnOnce() -> bool, used: impl FnOnce() -> bool) {
    let mut in_use = IN_USE.lock();
    if is_due() && in_use.remove(context) {
        let used = used();
        drop(in_use);
        context.backend.retire(used);
        IN_USE.lock().retired.push(context);
    }
}

impl BackendContext {
    /// One use less; the last one ends the context.
    pub(crate) fn release(&'static self) {
        if self.is_counted && self.uses.fetch_sub(1, Ordering::SeqCst) == 1 {
            end(self);
        }
    }
}

/// A use of a context by a call.
pub(crate) struct ContextUse(pub(super) &'static BackendContext);

impl ContextUse {
    /// For a context that a live object has in use, unless that ends meanwhile.
    pub(crate) fn new(context: &'static BackendContext) -> Result<ContextUse> {
        context.try_acquire().map(|()| ContextUse(context))
    }

    /// Ends the use; the last use ends on a worker thread, or here without workers. Ending a context calls the driver, which a
    /// CUDA host function must not do.
    pub(crate) fn end_on_worker(self) {
        let context = self.0;
        let is_last = context.is_counted && context.uses.fetch_sub(1, Ordering::SeqCst) == 1;
        std::mem::forget(self);
        if is_last && workers::promise_completion().is_err() {
            end(context);
        } else if is_last {
            let end = Box::new(move |_| end(context));
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
