//! Waits for a stream or a context with a deadline, which the driver does not have: for an event that is recorded there.

use super::context::Cuda;
use super::native::raw;
use super::pool;
use crate::backend::{Backend, NativeStream, RecordRef};
use crate::error::{Error, Result};
use crate::status::Status;
use cuda_abi::EVENT_DISABLE_TIMING;
use cudarc::driver::sys::{CUcontext, CUevent};
use std::time::{Duration, Instant};

/// The time in which the event of an idle context completes.
const GRACE: Duration = Duration::from_micros(100);

impl Cuda {
    /// Blocks until the stream has finished the work submitted before the call, or until the deadline; returns whether it has.
    pub(super) fn sync_stream_until(&'static self, stream: NativeStream, deadline: Instant) -> Result<bool> {
        if self.is_captured(stream)? {
            // As from cuStreamSynchronize. A query would invalidate the capture, and a record would become part of it.
            return Err(Error::Backend(Status::STREAM_CAPTURE_UNSUPPORTED));
        }
        // An event that was just recorded is pending for a moment, even on an idle stream.
        if self.is_idle(stream)? {
            return Ok(true);
        }
        if deadline <= Instant::now() {
            return Ok(false);
        }
        self.sync_event(deadline, |event| {
            // SAFETY: the stream lives, by the trait's contract, and `sync_event` keeps the event.
            self.on_stream(stream, || self.check(unsafe { (self.driver.event_record)(event, raw(stream)) }))
        })
    }

    /// Blocks until all streams of the context have finished the work queued before the call, or until the deadline;
    /// returns whether they have. Drivers before CUDA 12.5 cannot record an event for a whole context. A context cannot
    /// be queried, so a call whose deadline has passed waits for [`GRACE`].
    pub(super) fn sync_until(&'static self, deadline: Instant) -> Result<bool> {
        let record = self.driver.context_record.ok_or(Error::Backend(Status::NOT_SUPPORTED))?;
        self.sync_event(deadline.max(Instant::now() + GRACE), |event| {
            // SAFETY: `call` has found the context alive, and `sync_event` keeps the event.
            self.call(|| unsafe { record(self.address() as CUcontext, event) })
        })
    }

    fn sync_event(&'static self, deadline: Instant, record: impl FnOnce(CUevent) -> Result<()>) -> Result<bool> {
        let event = self.pool.take(self, EVENT_DISABLE_TIMING)?;
        let mark = RecordRef::Held(self.mark_of(event, false));
        let done = record(event as CUevent).and_then(|()| (&self).block(mark, true, Some(deadline)));
        if done == Ok(true) {
            self.pool.put(self, EVENT_DISABLE_TIMING, event);
        } else {
            pool::destroy(self, event);
        }
        done
    }
}
