//! A device's clock on the host's, for traces: one event of gevt's own in each context, whose host time is known. Other
//! events are timed against it.
//!
//! It is recorded on a stream of its own, again after a second: the two clocks drift, and the driver's times are floats.

use super::context::Cuda;
use super::driver::RELAXED;
use super::{NOT_READY, pool};
use crate::backend::{Backend, Mark};
use crate::clock;
use crate::trace::{self, What};
use cudarc::driver::sys::{CUevent, CUstream};
use parking_lot::Mutex;

/// How long a comparison holds, how long after one that came to nothing the next is tried, and how long a try may take, in
/// nanoseconds.
const VALID: i64 = 1_000_000_000;
const PAUSE: i64 = 20_000_000;
const LONGEST: i64 = 1_000_000;
/// What is certain enough, and how often that is tried for.
const CERTAIN: i64 = 10_000;
const TRIES: u32 = 8;

/// The comparison of a context's clock with the host's.
#[derive(Default)]
pub(super) struct Clock(Mutex<Reference>);

#[derive(Default)]
struct Reference {
    event: u64,
    stream: u64,
    /// When a comparison was last tried.
    tried: Option<i64>,
    /// The event's time on the host's clock.
    time: Option<i64>,
}

impl Clock {
    /// When the mark of an event with timing was reached.
    pub(super) fn time(&self, context: &'static Cuda, mark: Mark) -> Option<i64> {
        let mut reference = self.0.lock();
        relaxed(context, || {
            let now = clock::now();
            let holds = if reference.time.is_some() { VALID } else { PAUSE };
            if reference.tried.is_none_or(|tried| now - tried > holds) {
                reference.time = reference.compare(context);
                reference.tried = Some(clock::now());
            }
            let since = (&context).elapsed(Mark::of_native(reference.event), mark);
            Some(reference.time? + since.ok()??)
        })
    }

    /// Gives back what the comparison needed; the context lives.
    pub(super) fn end(&self, context: &Cuda) {
        let reference = std::mem::take(&mut *self.0.lock());
        if reference.event != 0 {
            pool::destroy(context, reference.event);
        }
        if reference.stream != 0 {
            // SAFETY: made by `compare`, and nobody else knows it.
            unsafe { (context.driver.stream_destroy)(reference.stream as CUstream) };
        }
    }
}

impl Reference {
    /// Records the event between two looks at the host's clock, as close to each other as can be.
    fn compare(&mut self, context: &'static Cuda) -> Option<i64> {
        if self.stream == 0 {
            self.stream = (&context).create_stream(true).ok()?.0;
        }
        if self.event == 0 {
            self.event = context.pool.take(context, 0).ok()?;
        }
        let mut compared: Option<(i64, i64)> = None;
        // The first record on a stream may take much longer than the others, as the driver sets the stream up then.
        for _ in 0..TRIES {
            let before = clock::now();
            // SAFETY: both are the context's, which was alive a moment ago, and live.
            let code = unsafe { (context.driver.event_record)(self.event as CUevent, self.stream as CUstream) };
            context.check(code).ok()?;
            // SAFETY: as above.
            let query = || unsafe { (context.driver.event_query)(self.event as CUevent) };
            let mut code = query();
            while code == NOT_READY && clock::now() - before < LONGEST {
                code = query();
            }
            // Each record takes the place of the one before, so that only the last one counts.
            compared = None;
            if code == NOT_READY {
                continue;
            }
            context.check(code).ok()?;
            let uncertain = (clock::now() - before) / 2;
            compared = Some((before + uncertain, uncertain));
            if uncertain <= CERTAIN {
                break;
            }
        }
        let (time, uncertain) = compared?;
        trace::put(|| What::Compared { place: context.place(), uncertain });
        Some(time)
    }
}

/// Makes calls that would end another thread's capture otherwise.
fn relaxed<T>(context: &Cuda, calls: impl FnOnce() -> T) -> T {
    let mode = context.driver.set_capture_mode(RELAXED);
    let result = calls();
    context.driver.set_capture_mode(mode);
    result
}
