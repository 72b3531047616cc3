//! Waits with a deadline, which the driver does not have: the thread polls for an event. For a stream or a context, one is recorded there.

use super::context::Cuda;
use super::pauses::Pauses;
use super::{Mark, pool, raw};
use crate::backend::{Backend, NativeStream};
use crate::error::{Error, Result};
use crate::status::Status;
use crate::workers;
use cudarc::driver::sys::{CUcontext, CUevent};
use std::time::{Duration, Instant};

/// The creation flags of the event: CU_EVENT_DISABLE_TIMING.
const FLAGS: u32 = 2;
/// The time in which the event of an idle context completes.
const GRACE: Duration = Duration::from_micros(100);

impl Cuda {
    /// Polls for the mark until the deadline; returns whether it is reached.
    pub(super) fn poll_until(&'static self, mark: Mark, spin: bool, deadline: Instant) -> Result<bool> {
        let mut pauses = Pauses::new(mark.0[0], spin);
        if (&self).reached(mark)? {
            pauses.end();
            return Ok(true);
        }
        if deadline <= Instant::now() {
            return Ok(false);
        }
        workers::asleep(Some(deadline), || {
            while pauses.pause(Duration::ZERO, Some(deadline)) {
                if (&self).reached(mark)? {
                    pauses.end();
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// Blocks until the stream has finished what it was given before the call, or until the deadline; returns whether it has.
    pub(super) fn sync_stream_until(&'static self, stream: NativeStream, deadline: Instant) -> Result<bool> {
        if self.is_captured(stream)? {
            // As from cuStreamSynchronize. A query would invalidate the capture, and a record would become part of it.
            return Err(Error::Backend(Status::STREAM_CAPTURE_UNSUPPORTED));
        }
        // An event that was just recorded is pending for a moment, even on an idle stream.
        if (&self).query_stream(stream)? {
            return Ok(true);
        }
        if deadline <= Instant::now() {
            return Ok(false);
        }
        self.sync_behind(deadline, |event| {
            // SAFETY: the stream lives, by the trait's contract, and `sync_behind` keeps the event.
            self.on_stream(stream, || unsafe { (self.driver.event_record)(event, raw(stream)) })
        })
    }

    /// Blocks until all streams of the context have finished what they were given before the call, or until the deadline; returns
    /// whether they have. Drivers before CUDA 12.5 cannot record an event for a whole context. As there is no query for a context,
    /// a call whose deadline has passed waits for [`GRACE`].
    pub(super) fn sync_until(&'static self, deadline: Instant) -> Result<bool> {
        let record = self.driver.context_record.ok_or(Error::Backend(Status::NOT_SUPPORTED))?;
        self.sync_behind(deadline.max(Instant::now() + GRACE), |event| {
            // SAFETY: `call` has found the context alive, and `sync_behind` keeps the event.
            self.call(|| unsafe { record(self.address() as CUcontext, event) })
        })
    }

    fn sync_behind(&'static self, deadline: Instant, record: impl FnOnce(CUevent) -> Result<()>) -> Result<bool> {
        let event = self.pool.take(self, FLAGS)?;
        let mark = Mark([event, std::ptr::from_ref(self) as u64, 0]);
        let done = record(event as CUevent).and_then(|()| (&self).block(mark, true, Some(deadline)));
        if done == Ok(true) {
            self.pool.put(self, FLAGS, event);
        } else {
            pool::destroy(self, event);
        }
        done
    }
}
