//! Free native events, by their creation flags, and native objects that wait to be destroyed.

use super::native::NativeContext;
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

/// A native object whose handle is dead.
#[derive(Clone, Copy)]
enum Dead {
    /// An event of that kind, for another event.
    Spare(u64, usize),
    Event(u64),
    Stream(u64),
}

/// The free native events of one context, and the native objects whose handles are dead, until it has been seen that no thread is
/// using them.
#[derive(Default)]
pub(crate) struct Pool(Mutex<Objects>);

#[derive(Default)]
struct Objects {
    /// Events for reuse. Their last records may be pending: a new record replaces them.
    free: [Vec<u64>; KINDS],
    dead: Vec<Dead>,
}

impl Dead {
    fn native(self) -> u64 {
        match self {
            Dead::Spare(native, _) | Dead::Event(native) | Dead::Stream(native) => native,
        }
    }

    /// Ends the object, which no thread is using.
    fn end(self, context: &NativeContext) {
        match self {
            Dead::Spare(event, _) | Dead::Event(event) => destroy(context, event),
            Dead::Stream(stream) => destroy_stream(context, stream),
        }
    }
}

impl Objects {
    /// Keeps a free event; false if there are enough.
    fn keep(&mut self, dead: Dead) -> bool {
        let Dead::Spare(native, kind) = dead else { return false };
        let free = &mut self.free[kind];
        let is_kept = free.len() < KEPT && free.try_reserve(1).is_ok();
        if is_kept {
            free.push(native);
        }
        is_kept
    }

    /// Takes the dead objects that no thread is using: keeps events for reuse, and returns the rest. Without memory it takes none.
    fn take_unused(&mut self) -> Vec<Dead> {
        let mut unused = Vec::new();
        if unused.try_reserve(self.dead.len()).is_ok() {
            let scan = pin::scan();
            let mut dead = std::mem::take(&mut self.dead);
            dead.retain(|dead| {
                let is_used = scan.has(dead.native());
                if !is_used && !self.keep(*dead) {
                    unused.push(*dead);
                }
                is_used
            });
            self.dead = dead;
        }
        unused
    }
}

impl Pool {
    /// A native event that was created with `flags`, to be recorded.
    pub(crate) fn take(&self, context: &NativeContext, flags: u32) -> Result<u64> {
        let free = || self.0.lock().free[flags as usize % KINDS].pop();
        let kept = free().or_else(|| {
            self.dispose(context, ENOUGH);
            free()
        });
        kept.map_or_else(|| make(context, flags), Ok)
    }

    /// Takes back an event that only gevt knows. Its last record may be pending, or a node of a graph that was never launched.
    pub(crate) fn put(&self, context: &NativeContext, flags: u32, event: u64) {
        self.list(context, Dead::Spare(event, flags as usize % KINDS));
    }

    /// Destroys an event of a cell that has ended, when no thread is using it.
    pub(crate) fn destroy_unused(&self, context: &NativeContext, event: u64) {
        self.list(context, Dead::Event(event));
    }

    /// Destroys a stream whose handle is dead.
    pub(crate) fn destroy_stream(&self, context: &NativeContext, stream: u64) {
        self.list(context, Dead::Stream(stream));
        self.dispose(context, 0);
    }

    /// Lists a dead object. That calls no driver: a host function of a stream may end an event. If memory is short, and a thread is using the
    /// object, it ends with the context.
    fn list(&self, context: &NativeContext, dead: Dead) {
        let mut objects = self.0.lock();
        if objects.dead.try_reserve(1).is_ok() {
            objects.dead.push(dead);
        } else if !pin::scan().has(dead.native()) {
            drop(objects);
            dead.end(context);
        }
    }

    /// Disposes of all dead objects when more than `enough` are listed.
    fn dispose(&self, context: &NativeContext, enough: usize) {
        let mut objects = self.0.lock();
        if objects.dead.len() > enough {
            let unused = objects.take_unused();
            drop(objects);
            unused.into_iter().for_each(|dead| dead.end(context));
        }
    }

    /// Destroys all; where the context is lost it is only forgotten. False if a thread is in a call that uses some of it, also after a
    /// moment.
    pub(crate) fn drain(&self, context: &NativeContext) -> bool {
        for tries in 0..PATIENCE {
            self.dispose(context, 0);
            if self.0.lock().dead.is_empty() {
                break;
            }
            wait_for_another(tries);
        }
        let free = std::mem::take(&mut self.0.lock().free);
        free.into_iter().flatten().for_each(|event| destroy(context, event));
        self.0.lock().dead.is_empty()
    }
}

/// Makes a native event.
pub(super) fn make(context: &NativeContext, flags: u32) -> Result<u64> {
    let mut event: CUevent = std::ptr::null_mut();
    // SAFETY: the pointer is valid.
    context.with_current(|| unsafe { (context.driver.event_create)(&mut event, flags) })?;
    Ok(event as u64)
}

/// Destroys a native event that no thread can have protected. If its context has ended, the event has ended with it. The driver does not
/// block: it ends a pending event when that completes.
pub(super) fn destroy(context: &NativeContext, event: u64) {
    let _uncancelled = Uncancelled::new();
    // SAFETY: gevt's own, no thread uses it any more, and `call` has found its context alive. A failure leaves nothing to do.
    let _ = context.call(|| unsafe { (context.driver.event_destroy)(event as CUevent) });
}

/// Like [`destroy`], for a stream. Its work still runs.
pub(super) fn destroy_stream(context: &NativeContext, stream: u64) {
    let _uncancelled = Uncancelled::new();
    // SAFETY: as in `destroy`.
    let _ = context.call(|| unsafe { (context.driver.stream_destroy)(stream as CUstream) });
}
