//! Waits for an interprocess event by a stream of another device.
//!
//! The driver crashes if a stream waits for another device's event that was imported there or exported. So a stream on
//! the event's device waits for it and then records one of gevt's events, which any device's stream may wait for. Such
//! a stream serves one wait at a time, so waits do not delay each other.

use super::context::Cuda;
use super::gate_failures::Gated;
use super::pool;
use crate::backend::{Backend, NativeStream};
use crate::error::Result;
use crate::lock::Mutex;
use cudarc::driver::sys::{CUevent, CUstream};

/// The number of spare relays of a context; more are destroyed after use.
const KEPT: usize = 16;
/// The creation flags of a relay's event: CU_EVENT_DISABLE_TIMING.
const FLAGS: u32 = 2;

/// A stream and an event of one context.
#[derive(Clone, Copy)]
struct Relay {
    stream: NativeStream,
    event: u64,
}

/// The relays of one context that are done, or will be.
#[derive(Default)]
pub(super) struct Relays(Mutex<Vec<Relay>>);

impl Relays {
    /// Records one of gevt's events after `foreign`, an event of `context`, and passes it to `wait`, which makes a
    /// stream wait for it.
    pub(super) fn wait(
        &self,
        context: &'static Cuda,
        foreign: u64,
        wait: impl FnOnce(u64) -> Result<()>,
    ) -> Result<()> {
        context.driver.relaxed(|| {
            let relay = self.take(context)?;
            if let Err(error) = relay.record_after(context, foreign) {
                relay.destroy(context);
                return Err(error);
            }
            let waited = wait(relay.event);
            self.put(context, relay);
            waited
        })
    }

    /// A relay whose last wait is over.
    fn take(&self, context: &'static Cuda) -> Result<Relay> {
        let mut kept = self.0.lock();
        for place in 0..kept.len() {
            if kept[place].is_done(context)? {
                return Ok(kept.swap_remove(place));
            }
        }
        drop(kept);
        let event = context.pool.take(context, FLAGS)?;
        match (&context).create_stream(true) {
            Ok(stream) => Ok(Relay { stream, event }),
            Err(error) => {
                context.pool.put(context, FLAGS, event);
                Err(error)
            }
        }
    }

    fn put(&self, context: &'static Cuda, relay: Relay) {
        let mut kept = self.0.lock();
        if kept.len() < KEPT && kept.try_reserve(1).is_ok() {
            kept.push(relay);
        } else {
            drop(kept);
            relay.destroy(context);
        }
    }

    /// Gives all back; where the context is lost they are only forgotten.
    pub(super) fn end(&self, context: &Cuda) {
        let kept = std::mem::take(&mut *self.0.lock());
        kept.into_iter().for_each(|relay| relay.destroy(context));
    }
}

impl Relay {
    fn record_after(self, context: &Cuda, foreign: u64) -> Result<()> {
        let stream = self.stream.0 as CUstream;
        // SAFETY: stream and event are this relay's own, the foreign event lives by the trait's contract; `call` has found their
        // context alive.
        context.call(|| unsafe { (context.driver.stream_wait)(stream, foreign as CUevent, 0) })?;
        // SAFETY: as above.
        context.call(|| unsafe { (context.driver.event_record)(self.event as CUevent, stream) })
    }

    fn is_done(self, context: &Cuda) -> Result<bool> {
        // SAFETY: the event is this relay's own; `ask` has found its context alive.
        context.ask(|| unsafe { (context.driver.event_query)(self.event as CUevent) })
    }

    /// The driver completes the wait all the same.
    fn destroy(self, context: &Cuda) {
        pool::destroy(context, self.event);
        let _ = context.key_of(self.stream).map(|key| context.stream_gates.forget(Gated::Stream(key)));
        // SAFETY: `take` made the stream and only this relay names it. `call` has checked that its context is alive. A
        // failure needs no handling.
        let _ = context.call(|| unsafe { (context.driver.stream_destroy)(self.stream.0 as CUstream) });
    }
}
