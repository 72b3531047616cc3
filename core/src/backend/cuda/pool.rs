//! Native events that no event uses, by their creation flags.

use super::context::Cuda;
use crate::error::Result;
use cudarc::driver::sys::CUevent;
use parking_lot::Mutex;

/// Events kept of each kind; more are destroyed.
const KEPT: usize = 1024;
/// The combinations of BLOCKING_SYNC, DISABLE_TIMING and INTERPROCESS.
const KINDS: usize = 8;

/// The free native events of one context. All are done: the driver has nothing left to do with them.
#[derive(Default)]
pub(crate) struct Pool([Mutex<Vec<u64>>; KINDS]);

impl Pool {
    /// A native event that was created with `flags`.
    pub(crate) fn take(&self, context: &Cuda, flags: u32) -> Result<u64> {
        if let Some(event) = self.0[flags as usize % KINDS].lock().pop() {
            return Ok(event);
        }
        let mut event: CUevent = std::ptr::null_mut();
        // SAFETY: the pointer is valid.
        context.with_current(|| unsafe { (context.driver.event_create)(&mut event, flags) })?;
        Ok(event as u64)
    }

    /// Takes back an event that is done.
    pub(crate) fn put(&self, context: &Cuda, flags: u32, event: u64) {
        let mut free = self.0[flags as usize % KINDS].lock();
        if free.len() < KEPT && free.try_reserve(1).is_ok() {
            free.push(event);
        } else {
            drop(free);
            destroy(context, event);
        }
    }

    /// Destroys all that is kept; where the context is lost it is only forgotten.
    pub(crate) fn drain(&self, context: &Cuda) {
        for free in &self.0 {
            let events = std::mem::take(&mut *free.lock());
            events.into_iter().for_each(|event| destroy(context, event));
        }
    }
}

/// Destroys a native event, unless its context has gone and has taken it along; the driver does not block, and ends a pending one
/// when it is done.
pub(crate) fn destroy(context: &Cuda, event: u64) {
    // SAFETY: made by `take`, no event uses it any more, and `call` has found its context alive. A failure leaves nothing to do.
    let _ = context.call(|| unsafe { (context.driver.event_destroy)(event as CUevent) });
}
