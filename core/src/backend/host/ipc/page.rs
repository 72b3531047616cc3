//! The shared memory of one event: the last record, and the state of the records that are pending.
//!
//! A pending record has its place in `records` until it is finished. Its ticket names the place and counts the uses of
//! that place; `last` is the ticket of the last record. So a later record does not touch what others wait for. A pending record has the
//! number of the process that has to finish it. No step needs another process to continue: a process that is killed between any two of
//! them holds up no other.
//!
//! Any process may overwrite all of it at any time. So no value that is read here becomes an unchecked index, a length or the
//! end of a loop. The worst that a wrong value does is a wrong answer about this event.

use crate::status::Status;
use crate::sync::{AtomicU32, AtomicU64, Ordering};
use crate::table::Field;

/// Records that can be pending at once.
#[cfg(not(loom))]
pub(super) const RECORDS: usize = 255;
#[cfg(loom)]
pub(super) const RECORDS: usize = 2;

/// The shared memory of one event.
#[repr(C, align(4096))]
pub(crate) struct Page {
    /// The ticket of the last record; 0 if that was complete when it was made, or if none was made.
    last: AtomicU64,
    /// The futex of waiters: odd while a waiter listens, and a new number after each wake-up.
    bell: AtomicU32,
    /// A [`PageRecord`] for each place.
    records: [AtomicU64; RECORDS],
    /// The statuses of failed records. Written before the record says that it failed.
    statuses: [AtomicU32; RECORDS],
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<Page>() == 4096 && RECORDS as u64 <= PLACE.max());

/// The state of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// The process of that number has to finish it.
    Pending(u32),
    Done,
    /// The process that had to finish it has ended, or has given it up.
    Lost,
    /// It failed with that status.
    Failed(Status),
}

/// The name of a pending record: its place, from 1 on, and the place's count of uses.
#[derive(Clone, Copy)]
struct Ticket(u64);

const PLACE: Field = Field::first(8);
const USES: Field = PLACE.then(24);

impl Ticket {
    fn new(place: usize, uses: u64) -> Ticket {
        Ticket(USES.set(PLACE.set(0, place as u64 + 1), uses))
    }

    /// Beyond all places if the ticket names none.
    fn place(self) -> usize {
        (PLACE.get(self.0) as usize).wrapping_sub(1)
    }

    fn uses(self) -> u64 {
        USES.get(self.0)
    }
}

/// A record in its place: its state, the process that made it, and how often the place was used.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PageRecord(u64);

const STATE: Field = Field::first(2);
/// A place that was never used also has this state.
const DONE: u64 = 0;
const PENDING: u64 = 1;
const FAILED: u64 = 2;
/// The number of the process that has to finish the record.
pub(super) const PEER: Field = STATE.then(22);
/// How often the place was used. The count wraps.
const RECORD_USES: Field = PEER.then(24);
/// How many uses ago a record of the place did not complete; 0 if all did.
const SINCE_FAILURE: Field = RECORD_USES.then(16);
const _: () = assert!(SINCE_FAILURE.end() == 64 && USES.max() == RECORD_USES.max());

impl PageRecord {
    fn uses(self) -> u64 {
        RECORD_USES.get(self.0)
    }

    fn peer(self) -> u32 {
        PEER.get(self.0) as u32
    }

    fn is(self, state: u64) -> bool {
        STATE.get(self.0) == state
    }

    /// The next record in the place.
    fn next(self, peer: u32) -> PageRecord {
        let since = match SINCE_FAILURE.get(self.0) {
            _ if !self.is(DONE) => 1,
            0 => 0,
            since => (since + 1).min(SINCE_FAILURE.max()),
        };
        let uses = RECORD_USES.set(0, self.uses().wrapping_add(1) & RECORD_USES.max());
        PageRecord(STATE.set(SINCE_FAILURE.set(PEER.set(uses, peer.into()), since), PENDING))
    }

    /// Whether the record that had the place `later` uses before this one completed.
    fn earlier(self, later: u64) -> Outcome {
        let since = SINCE_FAILURE.get(self.0);
        // More than half of the count is a ticket that was never given out.
        let completed = later <= RECORD_USES.max() / 2 && (since == 0 || later < since);
        if completed { Outcome::Done } else { Outcome::Lost }
    }
}

impl Page {
    /// The ticket of the last record.
    pub(crate) fn last(&self) -> u64 {
        self.last.load(Ordering::Acquire)
    }

    /// Returns the state of the record of that ticket.
    pub(crate) fn outcome(&self, ticket: u64) -> Outcome {
        if ticket == 0 {
            return Outcome::Done;
        }
        let ticket = Ticket(ticket);
        let place = ticket.place();
        let Some(record) = self.records.get(place).filter(|_| ticket.0 >> USES.end() == 0) else {
            return Outcome::Lost;
        };
        let seen = PageRecord(record.load(Ordering::SeqCst));
        let outcome = match STATE.get(seen.0) {
            DONE => Outcome::Done,
            PENDING => Outcome::Pending(seen.peer()),
            _ => match Status(self.statuses[place].load(Ordering::Acquire).cast_signed()) {
                Status::CONTEXT_IS_DESTROYED => Outcome::Lost,
                // Only a process that spoils the page writes that.
                Status::SUCCESS => Outcome::Failed(Status::UNKNOWN),
                status => Outcome::Failed(status),
            },
        };
        // The status is that of a later record if the place was used again meanwhile.
        let now = if seen.is(FAILED) { PageRecord(record.load(Ordering::SeqCst)) } else { seen };
        match now.uses().wrapping_sub(ticket.uses()) & USES.max() {
            0 => outcome,
            later => now.earlier(later),
        }
    }

    /// Makes the record of that ticket the last one, or for 0 one that is complete.
    pub(crate) fn record(&self, ticket: u64) {
        self.last.store(ticket, Ordering::SeqCst);
    }

    /// Begins a pending record by the process of that number, in the first free place; returns its ticket. A place that failed is used again
    /// last, as its waiters may come late for the status. `None`: all places are taken, and none by a process that is gone, as `is_gone`
    /// tells of its number.
    pub(crate) fn begin(&self, peer: u32, is_gone: impl Fn(u32) -> bool) -> Option<u64> {
        let free = |record: PageRecord| record.is(DONE);
        let given_up = |record: PageRecord| !record.is(PENDING) || is_gone(record.peer());
        self.claim(peer, free).or_else(|| self.claim(peer, given_up)).map(|ticket| ticket.0)
    }

    fn claim(&self, peer: u32, fits: impl Fn(PageRecord) -> bool) -> Option<Ticket> {
        self.records.iter().enumerate().find_map(|(place, record)| {
            let seen = PageRecord(record.load(Ordering::Acquire));
            let next = seen.next(peer);
            let claimed =
                fits(seen) && record.compare_exchange(seen.0, next.0, Ordering::SeqCst, Ordering::Relaxed).is_ok();
            claimed.then(|| Ticket::new(place, next.uses()))
        })
    }

    /// Finishes a pending record of the process of that number.
    pub(crate) fn finish(&self, ticket: u64, peer: u32, status: Status) {
        let ticket = Ticket(ticket);
        let place = ticket.place();
        let Some(record) = self.records.get(place) else { return };
        let seen = PageRecord(record.load(Ordering::Acquire));
        if seen.uses() == ticket.uses() && seen.is(PENDING) && seen.peer() == peer {
            let state = if status == Status::SUCCESS { DONE } else { FAILED };
            if state == FAILED {
                self.statuses[place].store(status.0.cast_unsigned(), Ordering::Release);
            }
            // Only this peer changes the record until then, if all keep to the rules.
            let _ = record.compare_exchange(seen.0, STATE.set(seen.0, state), Ordering::SeqCst, Ordering::Relaxed);
        }
    }

    /// Announces a sleep. Returns the number of the bell with which to sleep, unless the caller then finds its record finished.
    pub(crate) fn listen(&self) -> u32 {
        self.bell.fetch_or(1, Ordering::SeqCst);
        // If it has rung since, the caller does not sleep, or another has announced a sleep.
        self.bell.load(Ordering::SeqCst) | 1
    }

    /// Returns whether sleepers have to be woken, after a record was finished. A process that listens after this sees the record
    /// finished.
    pub(crate) fn ring(&self) -> bool {
        let bell = self.bell.load(Ordering::SeqCst);
        // Where the exchange fails, another has rung since the record was finished.
        bell % 2 == 1
            && self.bell.compare_exchange(bell, bell.wrapping_add(1), Ordering::SeqCst, Ordering::Relaxed).is_ok()
    }

    /// The word to sleep on.
    #[cfg(not(loom))]
    pub(crate) fn bell(&self) -> &AtomicU32 {
        &self.bell
    }

    /// Models meet in the words, and do not sleep on them.
    #[cfg(loom)]
    pub(crate) fn bell(&self) -> &std::sync::atomic::AtomicU32 {
        unreachable!("a model sleeps on no word")
    }
}

#[cfg(all(test, loom))]
impl Page {
    pub(super) fn new() -> Page {
        Page {
            last: AtomicU64::new(0),
            bell: AtomicU32::new(0),
            records: Default::default(),
            statuses: Default::default(),
        }
    }

    /// Returns the number of the bell.
    pub(super) fn number_of_bell(&self) -> u32 {
        self.bell.load(Ordering::SeqCst)
    }
}

#[cfg(all(test, not(loom)))]
#[path = "page_tests.rs"]
mod tests;
