//! Items that a stream is given at once, and that run in parallel.
//!
//! A worker that takes part claims some items at a time, as many as take some ten microseconds. With each claim it invites two more, by
//! copies in the pool's queue. A worker that leaves because other work is due invites one in its place.

use super::point::Point;
use super::timeline::Timeline;
use crate::backend::ItemFn;
use crate::clock;
use crate::lock::Mutex;
use crate::probe::{self, Call, What};
use crate::process;
use crate::workers::{self, Runnable, Shared, Task};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// How long what is claimed at a time should take, in nanoseconds: at least and at most.
const SHORT: i64 = 10_000;
const LONG: i64 = 50_000;

/// How many workers each claim invites.
const BRANCHES: usize = 2;

/// The items of one launch.
pub(crate) struct Items {
    call: ItemFn,
    count: usize,
    /// No worker's number is as great.
    workers: usize,
    /// The stream's, and the stream.
    timeline: &'static Timeline,
    task: &'static dyn Task,
    /// Where the stream is when they are done; 0 until they are begun.
    position: AtomicU64,
    /// Copies in the pool's queue.
    queued: AtomicUsize,
    /// Free numbers of workers.
    numbers: Mutex<Vec<usize>>,
    /// How many are claimed, and how many to claim next.
    claims: Claims,
    done: Done,
}

/// On a cache line of its own.
#[repr(align(128))]
struct Claims {
    next: AtomicUsize,
    size: AtomicUsize,
}

/// On a cache line of its own.
#[repr(align(128))]
struct Done(AtomicUsize);

impl Items {
    /// The items of a launch on the stream, for as many workers as functions run at once now. A place in the pool's queue has
    /// been promised.
    pub(super) fn new(call: ItemFn, count: usize, timeline: &'static Timeline, task: &'static dyn Task) -> Arc<Items> {
        let threads = workers::threads();
        Arc::new(Items {
            call,
            count,
            workers: threads,
            timeline,
            task,
            position: AtomicU64::new(0),
            queued: AtomicUsize::new(0),
            numbers: Mutex::new((0..threads).rev().collect()),
            claims: Claims { next: AtomicUsize::new(0), size: AtomicUsize::new(1) },
            done: Done(AtomicUsize::new(0)),
        })
    }

    /// Returns whether all have run.
    pub(super) fn are_done(&self) -> bool {
        self.done.0.load(Ordering::Acquire) == self.count
    }

    /// The stream has come to the items, and is at `position` when they are done: they are run, and then the stream continues.
    pub(super) fn begin(self: &Arc<Items>, position: u64) {
        if self.position.swap(position, Ordering::Relaxed) == 0 {
            let timeline = self.timeline;
            probe::put(move || What::StreamRuns(timeline.traced(), "items"));
            self.invite(self.workers.min(BRANCHES));
        }
    }

    /// Invites workers until that many are invited and have not come.
    fn invite(self: &Arc<Items>, wanted: usize) {
        // Always a write: a worker that comes later sees the number that the caller has given back.
        let queued = self.queued.fetch_update(Ordering::AcqRel, Ordering::Acquire, |queued| Some(queued.max(wanted)));
        let copies = wanted.saturating_sub(queued.unwrap_or(wanted));
        if copies > 0 {
            workers::get().push_shared(std::iter::repeat_n(self.clone(), copies).map(|items| Runnable::Shared(items)));
        }
    }

    fn has_more(&self) -> bool {
        self.claims.next.load(Ordering::Relaxed) < self.count
    }

    /// Announces to a sanitizer that a number changes hands.
    fn announce(&self, number: usize, tell: fn(usize)) {
        if process::is_sanitized() {
            tell(std::ptr::from_ref(self).addr() + number);
        }
    }

    /// Claims some items: from the first number up to the second.
    fn claim(&self) -> Option<(usize, usize)> {
        let mut next = self.claims.next.load(Ordering::Relaxed);
        loop {
            // Towards the end less, so that all end together.
            let fair = (self.count - next) / (2 * self.workers);
            let end = next + self.claims.size.load(Ordering::Relaxed).min(fair).max(1);
            if next == self.count {
                return None;
            }
            match self.claims.next.compare_exchange_weak(next, end, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some((next, end)),
                Err(now) => next = now,
            }
        }
    }

    /// Runs items on the calling worker, which has that number, until there are none or others are due. Returns whether the last
    /// one of all was among them.
    fn run(self: &Arc<Items>, number: usize) -> bool {
        let timeline = self.timeline;
        let point = Point { timeline, position: self.position.load(Ordering::Relaxed) };
        timeline.announce_begun();
        let _traced = probe::slice(move || Call::new("items").on(Some(timeline.traced())));
        while let Some((from, to)) = self.claim() {
            // Each time: it takes long until a core that is idle wakes up.
            let free = self.numbers.lock().len();
            if free > 0 && self.has_more() {
                self.invite(free.min(self.queued.load(Ordering::Relaxed) + BRANCHES));
            }
            let before = clock::now();
            if !point.call(|| self.call.call(from..to, number)) {
                break;
            }
            let took = clock::now() - before;
            let size = to - from;
            if took > LONG && size > 1 {
                self.claims.size.store((size / 2).max(1), Ordering::Relaxed);
            } else if took < SHORT && size == self.claims.size.load(Ordering::Relaxed) {
                self.claims.size.store(size.saturating_mul(2), Ordering::Relaxed);
            }
            timeline.announce_done();
            if self.done.0.fetch_add(size, Ordering::AcqRel) + size == self.count {
                return true;
            }
            let others = workers::get().due() > self.queued.load(Ordering::Relaxed);
            if others || workers::should_return() {
                break;
            }
        }
        false
    }
}

impl Drop for Items {
    fn drop(&mut self) {
        workers::get().unreserve();
    }
}

impl Shared for Items {
    fn take_part(self: Arc<Items>) {
        // A worker that leaves and finds them queued has given its number back before: it is seen below.
        self.queued.fetch_sub(1, Ordering::AcqRel);
        let mut numbers = self.numbers.lock();
        let Some(number) = numbers.pop() else { return };
        drop(numbers);
        self.announce(number, probe::acquire_name);
        let is_last = self.run(number);
        self.announce(number, probe::release_name);
        self.numbers.lock().push(number);
        if is_last {
            workers::get().schedule(Runnable::Task(self.task));
        } else if self.has_more() {
            self.invite(1);
        }
    }
}
