//! Maps a device's clock to the host's. Each context has one reference event whose host time is known; other events are timed against it.
//!
//! The reference is recorded on a separate stream and renewed after a second: the two clocks drift, and the driver's times are floats.
//! The program renews it by gevt_context_calibrate(); otherwise a worker does. On a busy device or a busy host a record
//! may complete late: then its time is less certain.

use super::native::NativeContext;
use super::pool;
use crate::clock::{self, Comparison};
use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::probe::{self, What};
use crate::status::Status;
use crate::workers::{self, Waiter};
use cudarc::driver::sys::{CUevent, CUstream};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// The pause after a failed comparison, and the time that one may take, in nanoseconds.
const PAUSE: i64 = 200_000_000;
const LONGEST: i64 = 1_000_000;
/// The resolution of the driver's times; its floats round by at most one part in `FLOAT`.
const RESOLUTION: u64 = 1000;
const FLOAT: u64 = 1 << 23;
/// The uncertainty that is tried for, in so many tries, and the one above which the clocks are compared again.
const CERTAIN: i64 = 10_000;
const TRIES: u32 = 8;
const ENOUGH: i64 = 100_000;

/// The comparison of a context's clock with the host's.
#[derive(Default)]
pub(super) struct Clock {
    /// The event that was compared last, and its time on the host's clock. No thread waits for the device while it has the lock.
    compared: Mutex<Option<(u64, Comparison)>>,
    next: Mutex<Next>,
    /// When a comparison was last tried.
    tried: AtomicI64,
    /// A worker is to compare the clocks.
    wanted: AtomicBool,
}

/// The objects of the next comparison.
#[derive(Default)]
struct Next {
    stream: u64,
    spare: u64,
    /// When the spare event was recorded, while that is not known to have completed.
    recorded: Option<i64>,
}

impl Clock {
    /// Returns when an event with timing was reached, and how far that may be wrong. Has a worker compare the clocks
    /// if that is due; `None` before the first comparison.
    pub(super) fn time(&'static self, context: &'static NativeContext, event: CUevent) -> Result<Option<(i64, u64)>> {
        let compared = self.compared.lock();
        let time = compared.map(|(reference, compared)| {
            let since = context.driver.relaxed(|| context.elapsed_between(reference as CUevent, event));
            let since = since.ok().flatten().ok_or(Error::NoTime)?;
            Ok((compared.time(since, RESOLUTION + since.unsigned_abs() / FLOAT), compared))
        });
        drop(compared);
        let now = clock::now();
        let was_tried = now - self.tried.load(Ordering::Relaxed) <= PAUSE;
        let is_new = matches!(time, Some(Ok((_, compared))) if !compared.is_old(now) && compared.uncertain <= ENOUGH);
        if !is_new && !was_tried && !self.wanted.swap(true, Ordering::AcqRel) {
            workers::promise_completion().inspect_err(|_| self.wanted.store(false, Ordering::Release))?;
            let compare = Box::new(move |_| self.compare_if_wanted(context));
            workers::wake(Waiter::Work(compare), Status::SUCCESS);
        }
        match time {
            Some(time) => time.map(|(time, _)| Some(time)),
            None if was_tried => Err(Error::NotCalibrated),
            None => Ok(None),
        }
    }

    /// Compares the clocks. Best done while the device is idle: streams share its queues, and the record may have to wait for other
    /// streams' work. A comparison that cannot be had leaves the one before, which drift makes less certain.
    pub(super) fn compare(&self, context: &'static NativeContext) -> Result<()> {
        self.renew(context, &mut self.next.lock())
    }

    /// Compares the clocks for [`Clock::time`], unless the context has ended since.
    fn compare_if_wanted(&self, context: &'static NativeContext) {
        let mut next = self.next.lock();
        if self.wanted.swap(false, Ordering::AcqRel) {
            // The next time asks again.
            let _ = self.renew(context, &mut next);
        }
    }

    fn renew(&self, context: &'static NativeContext, next: &mut Next) -> Result<()> {
        let until = clock::now() + LONGEST;
        let renewed = context.driver.relaxed(|| {
            let mut renewed = Err(Error::NotCalibrated);
            for _ in 0..TRIES {
                let Some(compared) = next.compare(context, until)? else { break };
                self.put(context, next, compared);
                renewed = Ok(());
                if compared.uncertain <= CERTAIN {
                    break;
                }
            }
            renewed
        });
        self.tried.store(clock::now(), Ordering::Relaxed);
        renewed
    }

    /// Uses the comparison with the spare event, if it is better than the one before.
    fn put(&self, context: &'static NativeContext, next: &mut Next, compared: Comparison) {
        let mut known = self.compared.lock();
        if known.is_none_or(|(_, before)| compared.uncertain < before.uncertain_at(compared.host)) {
            next.spare = known.replace((next.spare, compared)).map_or(0, |(event, ..)| event);
            probe::put(|| What::Compared { place: context.place(), uncertain: compared.uncertain });
        }
    }

    /// Releases the comparison's objects; if the context is lost, only forgets them.
    pub(super) fn end(&self, context: &NativeContext) {
        let mut next = self.next.lock();
        self.wanted.store(false, Ordering::Release);
        let Next { stream, spare, .. } = std::mem::take(&mut *next);
        let compared = self.compared.lock().take().map_or(0, |(event, ..)| event);
        [compared, spare].into_iter().filter(|event| *event != 0).for_each(|event| pool::destroy(context, event));
        if stream != 0 {
            pool::destroy_stream(context, stream);
        }
    }
}

impl Next {
    /// Records the spare event between two readings of the host's clock, as close to each other as can be. `None` if it has not
    /// completed at that time: the next call asks again.
    fn compare(&mut self, context: &'static NativeContext, until: i64) -> Result<Option<Comparison>> {
        if self.stream == 0 {
            self.stream = context.make_stream(true)?.0;
        }
        if self.spare == 0 {
            self.spare = pool::make(context, 0)?;
        }
        let (event, stream) = (self.spare as CUevent, self.stream as CUstream);
        let before = match self.recorded {
            Some(before) => before,
            None => {
                let before = clock::now();
                // SAFETY: both are this clock's own and are given back by `end` alone; `call` has found their context alive.
                context.call(|| unsafe { (context.driver.event_record)(event, stream) })?;
                *self.recorded.insert(before)
            }
        };
        // Late or not, it is asked twice: this thread may have had no core since it recorded.
        let mut is_late = false;
        // SAFETY: as above, by `ask`.
        while !context.ask(|| unsafe { (context.driver.event_query)(event) })? {
            if is_late {
                return Ok(None);
            }
            is_late = clock::now() >= until;
        }
        self.recorded = None;
        let uncertain = (clock::now() - before + 1) / 2;
        Ok(Some(Comparison { host: before + uncertain, uncertain }))
    }
}
