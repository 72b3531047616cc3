//! Free native events, by their creation flags, and native objects that wait to be destroyed.

use super::context::Cuda;
use crate::error::Result;
use crate::lock::Mutex;
use crate::pin;
use crate::process::Uncancelled;
use crate::sync::wait_for_another;
use cudarc::driver::sys::{CUevent, CUstream};

/// The number of spare events of each kind; more are destroyed.
const KEPT: usize = 1024;
/// The number of dead native objects per scan: a scan costs some microseconds.
const ENOUGH: usize = 256;
/// How often an ending context checks for calls in progress before it leaves their objects to them: some tenths of a
/// millisecond.
const PATIENCE: u32 = 96;
/// The combinations of BLOCKING_SYNC, DISABLE_TIMING and INTERPROCESS.
const KINDS: usize = 8;

/// The fate of a dead native object.
#[derive(Clone, Copy)]
enum Disposal {
    /// An event of that kind serves another event.
    Kept(usize),
    DestroyedEvent,
    DestroyedStream,
}

/// The free native events of one context, and the native objects whose handles are dead, until it has been seen that no thread is
/// using them.
#[derive(Default)]
pub(crate) struct Pool(Mutex<Objects>);

#[derive(Default)]
struct Objects {
    /// Events for reuse. Their last records may be pending: a new record replaces them.
    free: [Vec<u64>; KINDS],
    dead: Vec<(u64, Disposal)>,
    /// Objects could not be listed for lack of memory while threads were using them, and end with the context.
    are_some_lost: bool,
}

impl Objects {
    /// Keeps a free event; false if there are enough.
    fn keep(&mut self, native: u64, disposal: Disposal) -> bool {
        let Disposal::Kept(kind) = disposal else { return false };
        let free = &mut self.free[kind];
        let kept = free.len() < KEPT && free.try_reserve(1).is_ok();
        if kept {
            free.push(native);
        }
        kept
    }

    /// Takes the dead objects that no thread is using: keeps events for reuse, and returns the rest.
    fn take_unused(&mut self) -> Vec<(u64, Disposal)> {
        let mut unused = Vec::new();
        let scan = pin::scan();
        let mut place = 0;
        while let Some((native, disposal)) = self.dead.get(place).copied() {
            if scan.has(native) {
                place += 1;
                continue;
            }
            // If memory runs out, the object stays dead until the next attempt.
            if !self.keep(native, disposal) {
                if unused.try_reserve(1).is_err() {
                    break;
                }
                unused.push((native, disposal));
            }
            self.dead.swap_remove(place);
        }
        unused
    }
}

impl Pool {
    /// A native event that was created with `flags`, to be recorded.
    pub(crate) fn take(&self, context: &Cuda, flags: u32) -> Result<u64> {
        let free = || self.0.lock().free[flags as usize % KINDS].pop();
        let kept = free().or_else(|| {
            self.dispose(context, ENOUGH);
            free()
        });
        kept.map_or_else(|| make(context, flags), Ok)
    }

    /// Takes back an event that only gevt knows. Its last record may be pending, or a node of a graph that was never launched.
    pub(crate) fn put(&self, context: &Cuda, flags: u32, event: u64) {
        self.list(context, event, Disposal::Kept(flags as usize % KINDS));
    }

    /// Destroys an event of a cell that has ended, when no thread is using it.
    pub(crate) fn destroy_unused(&self, context: &Cuda, event: u64) {
        self.list(context, event, Disposal::DestroyedEvent);
    }

    /// Destroys a stream whose handle is dead.
    pub(crate) fn destroy_stream(&self, context: &Cuda, stream: u64) {
        self.list(context, stream, Disposal::DestroyedStream);
        self.dispose(context, 0);
    }

    /// Lists the native object as dead. That calls no driver: a host function of a stream may end an event.
    fn list(&self, context: &Cuda, native: u64, disposal: Disposal) {
        let mut objects = self.0.lock();
        if objects.dead.try_reserve(1).is_ok() {
            objects.dead.push((native, disposal));
        } else if pin::scan().has(native) {
            objects.are_some_lost = true;
        } else {
            drop(objects);
            end(context, native, disposal);
        }
    }

    /// Disposes of all dead objects when more than `enough` are listed.
    fn dispose(&self, context: &Cuda, enough: usize) {
        let mut objects = self.0.lock();
        if objects.dead.len() > enough {
            let unused = objects.take_unused();
            drop(objects);
            unused.into_iter().for_each(|(native, disposal)| end(context, native, disposal));
        }
    }

    /// Destroys all; where the context is lost it is only forgotten. False if a thread is in a call that uses some of it, also after a
    /// moment.
    pub(crate) fn drain(&self, context: &Cuda) -> bool {
        for tries in 0..PATIENCE {
            let unused = self.0.lock().take_unused();
            unused.into_iter().for_each(|(native, disposal)| end(context, native, disposal));
            if self.0.lock().dead.is_empty() {
                break;
            }
            wait_for_another(tries);
        }
        let free = std::mem::take(&mut self.0.lock().free);
        free.into_iter().flatten().for_each(|event| destroy(context, event));
        let mut objects = self.0.lock();
        objects.are_some_lost = objects.are_some_lost && pin::scan().has(None);
        objects.dead.is_empty() && !objects.are_some_lost
    }
}

/// Makes a native event.
pub(super) fn make(context: &Cuda, flags: u32) -> Result<u64> {
    let mut event: CUevent = std::ptr::null_mut();
    // SAFETY: the pointer is valid.
    context.with_current(|| unsafe { (context.driver.event_create)(&mut event, flags) })?;
    Ok(event as u64)
}

/// Destroys a native event that no thread can have protected. If its context has ended, the event has ended with it. The driver does not
/// block: it ends a pending event when that completes.
pub(super) fn destroy(context: &Cuda, event: u64) {
    let _uncancelled = Uncancelled::new();
    // SAFETY: gevt's own, no thread uses it any more, and `call` has found its context alive. A failure leaves nothing to do.
    let _ = context.call(|| unsafe { (context.driver.event_destroy)(event as CUevent) });
}

/// Like [`destroy`], for any native object.
fn end(context: &Cuda, native: u64, disposal: Disposal) {
    match disposal {
        Disposal::Kept(_) | Disposal::DestroyedEvent => destroy(context, native),
        Disposal::DestroyedStream => {
            let _uncancelled = Uncancelled::new();
            // SAFETY: as above.
            let _ = context.call(|| unsafe { (context.driver.stream_destroy)(native as CUstream) });
        }
    }
}
