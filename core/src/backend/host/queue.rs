//! A queue of work: many threads put work in, and one at a time, the stream's runner, takes it out.
//!
//! Giving work is one compare-and-swap of `tail`, which says how much was given, whether the stream is running, and whether
//! there is a place for more. Whoever moves it on owns the place at that position alone, fills it, and marks it as filled
//! last. So work is in the queue from the moment at which `tail` shows it, and the runner waits for the few instructions
//! until the place is filled.
//!
//! `tail` never has a value twice: its position only grows, and the bits change back only with it. A thread that has read
//! `tail`, has then checked whatever must hold, and moves `tail` on from the value it has read, knows that nothing was given
//! meanwhile, that the stream was not ended, and that `last` was the chunk of that position all the time.
//!
//! The places come in chunks. A thread that finds the last chunk used up puts another behind it under a lock, before it takes a
//! place: if there is no memory, nothing has changed.

use super::chunk::{Chunk, LINE, Link, PLACES};
use super::follower::Follower;
use super::work::{PackedWork, Work};
use crate::sync::{AtomicU64, Mutex, Ordering};
use std::sync::atomic::AtomicU64 as Number;

/// The stream has a runner, or will get one, or waits for another stream.
const RUNNING: u64 = 1;
/// There is no place for the next piece of work.
const FULL: u64 = 2;
/// The stream was ended: nothing more is given to it.
const ENDED: u64 = 4;
const ONE: u64 = 8;

/// How far work has been given.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Tail(u64);

impl Tail {
    #[inline]
    pub(super) fn position(self) -> u64 {
        self.0 / ONE
    }

    #[inline]
    pub(super) fn is_idle(self) -> bool {
        self.0 & RUNNING == 0
    }

    pub(super) fn is_ended(self) -> bool {
        self.0 & ENDED != 0
    }

    /// With one more piece of work.
    #[inline]
    fn given(self) -> u64 {
        let full = if (self.position() + 1).is_multiple_of(PLACES) { FULL } else { 0 };
        (self.0 + ONE) | RUNNING | full
    }

    /// Past the stream's end, where another stream begins: idle, at a position of its own, and without a chunk.
    fn past_end(self) -> u64 {
        ((self.position() + 1) * ONE) | FULL
    }
}

/// What came of an attempt to give work.
pub(super) enum Given {
    /// The queue has it, and what it owns. It is done when the stream has come to this position.
    Until(u64),
    /// The tail has moved, and nothing was given.
    Not,
    /// There is no memory.
    NoMemory,
}

/// The queue of a stream.
#[derive(Default)]
pub(super) struct WorkQueue {
    ends: GivenEnd,
    taken: TakenEnd,
}

/// What those who give work write. On cache lines of its own: the runner publishes its progress at the same time.
#[repr(align(128))]
struct GivenEnd {
    tail: AtomicU64,
    /// The chunk with the places after the tail; none at first.
    last: Link,
    /// Held while `last` changes.
    growing: Mutex<()>,
}

/// What the runner writes.
#[derive(Default)]
#[repr(align(128))]
struct TakenEnd {
    /// How far the work is done.
    done: AtomicU64,
    /// How much had been given when the runner last read the tail: each read takes the tail away from those who give work.
    seen: Number,
    follower: Follower,
    /// The chunk with the place after that, or the one before it.
    first: Link,
    spare: Spare,
}

/// A chunk that is used up, for the next one that is needed. Both sides write it, once a chunk.
#[derive(Default)]
#[repr(align(128))]
struct Spare(Link);

impl Default for GivenEnd {
    fn default() -> GivenEnd {
        GivenEnd { tail: AtomicU64::new(FULL), last: Link::default(), growing: Mutex::default() }
    }
}

impl WorkQueue {
    #[inline]
    pub(super) fn tail(&self) -> Tail {
        Tail(self.ends.tail.load(Ordering::Acquire))
    }

    /// How far the work is done. Acquire: with it goes all that the work has done.
    #[inline]
    pub(super) fn done(&self) -> u64 {
        self.taken.done.load(Ordering::Acquire)
    }

    /// For the runner, and for the thread that is about to be it.
    #[inline]
    pub(super) fn follower(&self) -> &Follower {
        &self.taken.follower
    }

    /// As [`WorkQueue::done`], for a thread that must come after its own earlier writes in the one order of all threads.
    pub(super) fn done_ordered(&self) -> u64 {
        self.taken.done.load(Ordering::SeqCst)
    }

    /// Moves on from `tail` with one more piece of work.
    #[inline(always)]
    pub(super) fn give(&self, tail: Tail, work: &PackedWork) -> Given {
        if tail.0 & (FULL | ENDED) != 0 {
            return if self.grow(tail) { Given::Not } else { Given::NoMemory };
        }
        // Acquire in `get`: the chunk is set up. It is the right one if the tail moves on from here, as FULL went after it came.
        let Some(chunk) = self.ends.last.get() else { return Given::Not };
        let moved = self.ends.tail.compare_exchange_weak(tail.0, tail.given(), Ordering::AcqRel, Ordering::Relaxed);
        if moved.is_err() {
            return Given::Not;
        }
        chunk.fill(tail.position(), work);
        Given::Until(tail.position() + 1)
    }

    /// Sees to it that there is a place after `tail`, if that has not moved; false if there is no memory.
    #[cold]
    #[inline(never)]
    fn grow(&self, tail: Tail) -> bool {
        let growing = self.ends.growing.lock();
        // FULL goes under the lock only, and a position that is FULL stays so till then: the runner and whoever ends the stream
        // may change the other bits meanwhile.
        let now = self.tail();
        if now.0 & FULL == 0 || now.position() != tail.position() || now.is_ended() {
            return true;
        }
        let Some(chunk) = self.taken.spare.0.replace(None).or_else(Chunk::take) else { return false };
        chunk.begin(tail.position());
        match self.ends.last.get() {
            Some(last) => last.next.set(Some(chunk)),
            // There is no work yet, and so no runner.
            None => self.taken.first.set(Some(chunk)),
        }
        self.ends.last.set(Some(chunk));
        self.ends.tail.fetch_sub(FULL, Ordering::Release);
        drop(growing);
        true
    }

    /// For the runner, which is at `position`: returns how much has been given, at least, and reads the tail only if it knows of no more
    /// than it has done.
    #[inline]
    pub(super) fn given_beyond(&self, position: u64) -> u64 {
        let seen = self.taken.seen.load(Ordering::Relaxed);
        if seen > position {
            return seen;
        }
        let given = self.tail().position();
        self.taken.seen.store(given, Ordering::Relaxed);
        given
    }

    /// Returns the work at `position`. To leave it there, the caller forgets the value.
    ///
    /// # Safety
    /// The caller is the stream's runner, and comes to the position for the first time, or has left the work there.
    #[inline]
    pub(super) unsafe fn next(&self, position: u64) -> Option<Work> {
        let mut chunk = self.taken.first.get()?;
        if chunk.is_before(position) {
            // It was put there before the tail moved past the position.
            let next = chunk.next.get()?;
            self.taken.first.set(Some(next));
            if let Some(spare) = self.taken.spare.0.replace(Some(chunk)) {
                spare.give_back();
            }
            chunk = next;
        }
        // SAFETY: the place was filled by `Work::pack`; that it is unpacked once is this function's contract.
        Some(unsafe { chunk.read_given(position).unpack() })
    }

    /// For the runner, which is at `position` and knows that work up to `end` was given: fetches what it reads soon.
    #[inline]
    pub(super) fn fetch_ahead(&self, position: u64, end: u64) {
        if position.is_multiple_of(LINE)
            && let Some(chunk) = self.taken.first.get()
        {
            chunk.fetch_ahead(position, end);
        }
    }

    /// For the runner: the work up to `position` is done.
    #[inline]
    pub(super) fn advance(&self, position: u64) {
        self.taken.done.store(position, Ordering::SeqCst);
    }

    /// For the runner, which has done all: it stops being it; false if there is more work, or if the stream was ended.
    pub(super) fn stop(&self, tail: Tail) -> bool {
        let idle = tail.0 & !RUNNING;
        !tail.is_ended()
            && tail.position() == self.done()
            && self.ends.tail.compare_exchange(tail.0, idle, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Ends the stream: nothing more is given to it. Returns the position at which it is over, if it is idle; else the runner
    /// ends it. Needs no memory.
    pub(super) fn end(&self) -> Option<u64> {
        loop {
            let tail = self.tail();
            if tail.is_idle() {
                if let Some(over) = self.end_at(tail) {
                    return Some(over);
                }
            } else {
                let ended = tail.0 | ENDED;
                if self.ends.tail.compare_exchange(tail.0, ended, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                    return None;
                }
            }
        }
    }

    /// For the runner: as [`WorkQueue::end_at`], if the stream was ended and all is done. Work may have been given, and the stream ended
    /// after that, since the runner found it done.
    pub(super) fn end_done(&self, tail: Tail) -> Option<u64> {
        if tail.is_ended() && tail.position() == self.done() { self.end_at(tail) } else { None }
    }

    /// For the runner, or for whoever ends an idle stream: moves past the end and gives the memory back; `None` if the tail has
    /// moved.
    fn end_at(&self, tail: Tail) -> Option<u64> {
        let growing = self.ends.growing.lock();
        let past = tail.past_end();
        self.ends.tail.compare_exchange(tail.0, past, Ordering::AcqRel, Ordering::Relaxed).ok()?;
        self.ends.last.set(None);
        let mut chunk = self.taken.first.replace(None);
        // The chunk after the last one that was needed, if there is one.
        while let Some(used) = chunk {
            chunk = used.next.get();
            used.give_back();
        }
        if let Some(spare) = self.taken.spare.0.replace(None) {
            spare.give_back();
        }
        drop(growing);
        Some(Tail(past).position())
    }
}
