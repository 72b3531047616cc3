//! Native events that no event uses, by their creation flags, and native objects that wait for their end.

use super::context::Cuda;
use crate::error::Result;
use crate::hazards;
use crate::sync::wait_for_another;
use cudarc::driver::sys::{CUevent, CUstream};
use parking_lot::Mutex;

/// Events kept of each kind; more are destroyed.
const KEPT: usize = 1024;
/// So many native objects that nobody uses any more are looked through at a time: a look costs some microseconds.
const ENOUGH: usize = 256;
/// The combinations of BLOCKING_SYNC, DISABLE_TIMING and INTERPROCESS.
const KINDS: usize = 8;

/// What becomes of a native object.
#[derive(Clone, Copy)]
enum Fate {
    /// An event of that kind serves another event.
    Kept(usize),
    DestroyedEvent,
    DestroyedStream,
}

/// The free native events of one context, and the native objects whose handles are dead, while a thread may still be using them.
#[derive(Default)]
pub(crate) struct Pool {
    /// All are done: the driver has nothing left to do with them.
    free: [Mutex<Vec<u64>>; KINDS],
    dead: Mutex<Vec<(u64, Fate)>>,
}

impl Pool {
    /// A native event that was created with `flags`.
    pub(crate) fn take(&self, context: &Cuda, flags: u32) -> Result<u64> {
        if let Some(event) = self.free[flags as usize % KINDS].lock().pop() {
            return Ok(event);
        }
        let mut event: CUevent = std::ptr::null_mut();
        // SAFETY: the pointer is valid.
        context.with_current(|| unsafe { (context.driver.event_create)(&mut event, flags) })?;
        Ok(event as u64)
    }

    /// Takes back an event that is done.
    pub(crate) fn put(&self, context: &Cuda, flags: u32, event: u64) {
        self.end(context, event, Fate::Kept(flags as usize % KINDS), ENOUGH);
    }

    /// Destroys an event that no event uses any more; the driver does not block, and ends a pending one when it is done.
    pub(crate) fn destroy(&self, context: &Cuda, event: u64) {
        self.end(context, event, Fate::DestroyedEvent, ENOUGH);
    }

    /// Destroys a stream whose handle is dead.
    pub(crate) fn destroy_stream(&self, context: &Cuda, stream: u64) {
        self.end(context, stream, Fate::DestroyedStream, 0);
    }

    /// Lets the native object meet its fate, with others when there are so many of them.
    fn end(&self, context: &Cuda, native: u64, fate: Fate, enough: usize) {
        let mut dead = self.dead.lock();
        if dead.try_reserve(1).is_ok() {
            dead.push((native, fate));
        } else if !hazards::scan().has(native) {
            drop(dead);
            return self.meet(context, native, fate);
        }
        if dead.len() > enough {
            drop(dead);
            self.end_unused(context);
        }
    }

    /// Ends the dead native objects that no thread is using.
    fn end_unused(&self, context: &Cuda) {
        let mut dead = std::mem::take(&mut *self.dead.lock());
        let mut used = 0;
        let scan = hazards::scan();
        for place in 0..dead.len() {
            if scan.has(dead[place].0) {
                dead.swap(used, place);
                used += 1;
            }
        }
        drop(scan);
        dead.drain(used..).for_each(|(native, fate)| self.meet(context, native, fate));
        if used > 0 {
            self.dead.lock().append(&mut dead);
        }
    }

    fn meet(&self, context: &Cuda, native: u64, fate: Fate) {
        if let Fate::Kept(kind) = fate {
            let mut free = self.free[kind].lock();
            if free.len() < KEPT && free.try_reserve(1).is_ok() {
                return free.push(native);
            }
        }
        // A failure leaves nothing to do: the context has gone, and has taken the object along.
        // SAFETY: gevt's own, nobody uses it any more, and `call` has found its context alive.
        let _ = context.call(|| unsafe {
            match fate {
                Fate::DestroyedStream => (context.driver.stream_destroy)(native as CUstream),
                Fate::Kept(_) | Fate::DestroyedEvent => (context.driver.event_destroy)(native as CUevent),
            }
        });
    }

    /// Destroys all; where the context is lost it is only forgotten. Waits until no thread is in a call that uses some of it.
    pub(crate) fn drain(&self, context: &Cuda) {
        for tries in 0.. {
            self.end_unused(context);
            if self.dead.lock().is_empty() {
                break;
            }
            wait_for_another(tries);
        }
        for free in &self.free {
            let events = std::mem::take(&mut *free.lock());
            events.into_iter().for_each(|event| self.meet(context, event, Fate::DestroyedEvent));
        }
    }
}
