//! Maps a device's clock to the host's, for traces. Each context has one reference event whose host time is known;
//! other events are timed against it.
//!
//! The reference is recorded on a separate stream and renewed after a second: the two clocks drift, and the driver's
//! times are floats.

use super::context::Cuda;
use super::{event, pool};
use crate::backend::{Backend, Mark};
use crate::clock::{self, Comparison};
use crate::lock::Mutex;
use crate::probe::{self, What};
use cudarc::driver::sys::{CUevent, CUstream};

/// The pause after a failed comparison, and the time that one may take, in nanoseconds.
const PAUSE: i64 = 200_000_000;
const LONGEST: i64 = 1_000_000;
/// The resolution of the driver's times; its floats round by at most one part in `FLOAT`.
const RESOLUTION: u64 = 1000;
const FLOAT: u64 = 1 << 23;
/// The accepted uncertainty, and the number of attempts to reach it.
const CERTAIN: i64 = 10_000;
const TRIES: u32 = 8;

/// The comparison of a context's clock with the host's.
#[derive(Default)]
pub(super) struct Clock(Mutex<Reference>);

#[derive(Default)]
struct Reference {
    stream: u64,
    /// The event that was compared last, and its time on the host's clock.
    compared: Option<(u64, Comparison)>,
    /// The event for the next comparison.
    spare: u64,
    /// When a comparison was last tried.
    tried: Option<i64>,
}

impl Clock {
    /// When the mark of an event with timing was reached, and how far that may be wrong.
    pub(super) fn time(&self, context: &'static Cuda, mark: Mark) -> Option<(i64, u64)> {
        let mut reference = self.0.lock();
        context.driver.relaxed(|| {
            reference.renew(context);
            let (reference_event, compared) = reference.compared?;
            let since = context.elapsed_between(reference_event as CUevent, event(mark)).ok()??;
            Some(compared.time(since, RESOLUTION + since.unsigned_abs() / FLOAT))
        })
    }

    /// Compares the clocks if that is due. Best done while the device is idle: streams share its queues, and the record
    /// may have to wait for other streams' work.
    pub(super) fn compare(&self, context: &'static Cuda) {
        let mut reference = self.0.lock();
        context.driver.relaxed(|| reference.renew(context));
    }

    /// Releases the comparison's objects; if the context is lost, only forgets them.
    pub(super) fn end(&self, context: &Cuda) {
        let reference = std::mem::take(&mut *self.0.lock());
        let compared = reference.compared.map_or(0, |(event, ..)| event);
        [compared, reference.spare]
            .into_iter()
            .filter(|event| *event != 0)
            .for_each(|event| pool::destroy(context, event));
        if reference.stream != 0 {
            // SAFETY: `compare` made the stream and only this reference names it. `call` has checked that its context
            // is alive. A failure needs no handling.
            let _ = context.call(|| unsafe { (context.driver.stream_destroy)(reference.stream as CUstream) });
        }
    }
}

impl Reference {
    /// A comparison that cannot be had leaves the one before, which drift makes less certain.
    fn renew(&mut self, context: &'static Cuda) {
        let now = clock::now();
        let is_new = self.compared.is_some_and(|(_, compared)| !compared.is_old(now));
        if is_new || self.tried.is_some_and(|tried| now - tried <= PAUSE) {
            return;
        }
        if let Some(compared) = self.compare(context) {
            let before = self.compared.replace((self.spare, compared));
            self.spare = before.map_or(0, |(event, ..)| event);
            probe::put(|| What::Compared { place: context.place(), uncertain: compared.uncertain });
        }
        self.tried = Some(clock::now());
    }

    /// Records the spare event between two readings of the host's clock, as close to each other as can be.
    fn compare(&mut self, context: &'static Cuda) -> Option<Comparison> {
        if self.stream == 0 {
            self.stream = (&context).create_stream(true).ok()?.0;
        }
        if self.spare == 0 {
            self.spare = context.pool.take(context, 0).ok()?;
        }
        let mut compared = None;
        let begun = clock::now();
        for _ in 0..TRIES {
            let before = clock::now();
            let (event, stream) = (self.spare as CUevent, self.stream as CUstream);
            // SAFETY: both are this clock's own and are given back by `end` alone; `call` has found their context alive.
            context.call(|| unsafe { (context.driver.event_record)(event, stream) }).ok()?;
            // SAFETY: as above, by `ask`.
            let is_done = || context.ask(|| unsafe { (context.driver.event_query)(event) });
            while !is_done().ok()? {
                if clock::now() - begun >= LONGEST {
                    return compared;
                }
            }
            let uncertain = (clock::now() - before) / 2;
            compared = Some(Comparison { host: before + uncertain, uncertain });
            if uncertain <= CERTAIN {
                break;
            }
        }
        compared
    }
}
