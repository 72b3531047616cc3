//! Waits that the driver does not have: with a deadline, and for any of several events. The thread polls for the events. For a stream or a
//! context, one is recorded there.

use super::context::Cuda;
use super::{Mark, pool, raw};
use crate::backend::{Backend, NativeStream};
use crate::error::{Error, Result};
use crate::os::FineTimer;
use crate::process;
use crate::status::Status;
use crate::workers;
use cudarc::driver::sys::{CUcontext, CUevent};
use std::time::{Duration, Instant};

/// The creation flags of the event: CU_EVENT_DISABLE_TIMING.
const FLAGS: u32 = 2;
/// The time in which the event of an idle context completes.
const GRACE: Duration = Duration::from_micros(100);

/// How long a thread polls without a pause, unless it was asked not to.
const SPIN: Duration = Duration::from_micros(20);
/// The minimum ratio of the pause after a round of queries to the round's duration.
pub(super) const IDLE: u32 = 8;

/// The pause after a query, in a wait that has lasted that long. A query costs some microseconds of CPU time, mostly to
/// fall asleep and wake up, and a wait ends half a pause late on average.
pub(super) fn pause(lasted: Duration) -> Duration {
    const US: Duration = Duration::from_micros(1);
    if lasted < 200 * US { 16 * US } else { (lasted / 60).clamp(100 * US, 250 * US) }
}

impl Cuda {
    /// Polls until one of the marks is reached, or until the deadline; returns whether one is.
    pub(super) fn poll(&'static self, marks: &[Mark], spin: bool, deadline: Option<Instant>) -> Result<bool> {
        let is_one_reached = || marks.iter().try_fold(false, |reached, mark| Ok(reached || (&self).reached(*mark)?));
        let start = Instant::now();
        if is_one_reached()? {
            return Ok(true);
        }
        if deadline.is_some_and(|deadline| deadline <= start) {
            return Ok(false);
        }
        let spins_until = if spin { start + SPIN } else { start };
        workers::asleep(|| {
            let mut timer = None;
            let mut asked = start;
            loop {
                let now = Instant::now();
                let left = deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(now));
                if left.is_zero() {
                    return Ok(false);
                }
                if now < spins_until {
                    std::hint::spin_loop();
                } else {
                    timer.get_or_insert_with(FineTimer::new);
                    std::thread::sleep(pause(now - start).max((now - asked) * IDLE).min(left));
                }
                process::check()?;
                asked = Instant::now();
                if is_one_reached()? {
                    return Ok(true);
                }
            }
        })
    }

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
            self.on_stream(stream, || unsafe { (self.driver.event_record)(event, raw(stream)) })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_with_the_wait_and_are_bounded() {
        let us = Duration::from_micros;
        for (length, late, queries) in [(us(150), us(21), 9), (us(1500), us(105), 24), (us(20_000), us(255), 150)] {
            let (mut lasted, mut queried) = (Duration::ZERO, 1);
            while lasted < length {
                // A sleep ends some microseconds late.
                lasted += pause(lasted) + us(5);
                queried += 1;
            }
            let was = lasted - length;
            assert!(was <= late && queried <= queries, "{length:?}: {was:?} late after {queried} queries");
        }
    }
}
