//! What processes share of one event: which record was the last, and how those stand that are pending.
//!
//! A record that is pending has a place of its own in `entries` until it is finished. Its ticket names the place and how often
//! that was used, and `last` is the ticket of the last record. So a later record does not touch what others wait for. A
//! process that records enters itself into `entries` first, so that whoever looks at a record knows who is to finish it. No
//! step needs another process to go on: one that is killed between any two of them holds nobody up.
//!
//! All of it can be overwritten with anything at any time. So nothing that is read here becomes an index without a bound, a
//! length or the end of a loop, and the worst that a wrong value does is a wrong answer about this event.

use crate::status::Status;
use crate::sync::{AtomicU32, AtomicU64, Ordering};
use crate::table::Field;

/// Records that can be pending at once, and processes that can record the event. Both are used from the first on, so that the
/// rest takes no memory as a rule.
#[cfg(not(loom))]
pub(super) const ENTRIES: usize = 4092;
#[cfg(loom)]
pub(super) const ENTRIES: usize = 2;
/// How often a change is tried before it is left. Others that keep to the rules never need so many.
const TRIES: u32 = 1 << 16;

/// The shared memory of one event.
#[repr(C, align(4096))]
pub(crate) struct Page {
    /// Tells the event from others; zero until it is exported.
    nonce: [AtomicU64; 2],
    /// The ticket of the last record; 0 where it was done when it was made, and where there is none.
    last: AtomicU64,
    /// For those who sleep: odd where somebody does, and another number after each time that they were woken.
    bell: AtomicU32,
    /// 1 if the event is signalled and not recorded.
    signalled: AtomicU32,
    _unused: [AtomicU32; 8],
    entries: [PageEntry; ENTRIES],
}

/// A place for a record and, apart from that, one for a process.
#[repr(C)]
struct PageEntry {
    record: AtomicU64,
    peer: AtomicU64,
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<Page>() == 65536 && (ENTRIES as u64) < PLACE.max());

/// How a record stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// The process of that number in [`Page::peer`] has to finish it.
    Pending(usize),
    Done,
    /// It cannot be done any more.
    Failed,
    /// It failed for that reason.
    FailedWith(Status),
}

/// Of a ticket: its place, from 1 on, and the place's count of uses.
const PLACE: Field = Field::first(12);
const USES: Field = PLACE.then(52);

/// The name of a pending record: its place, from 1 on, and the place's count of uses.
#[derive(Clone, Copy)]
struct Ticket(u64);

impl Ticket {
    fn new(place: usize, uses: u64) -> Ticket {
        Ticket(USES.set(PLACE.set(0, place as u64 + 1), uses))
    }

    fn place(self) -> usize {
        (PLACE.get(self.0) as usize).wrapping_sub(1)
    }

    fn uses(self) -> u64 {
        USES.get(self.0)
    }
}

/// What stands in the place of a record: how it stands, who made it, and how often the place was used.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PageRecord(u64);

/// How the record stands.
const STATE: Field = Field::first(2);
/// Also that of a place that was never used.
const DONE: u64 = 0;
const PENDING: u64 = 1;
const FAILED: u64 = 2;
/// The statuses of a record that nobody finishes any more, and of one whose status has no room.
const GONE: u64 = Status::CONTEXT_IS_DESTROYED.0 as u64;
const UNKNOWN: u64 = Status::UNKNOWN.0 as u64;
/// Set where a record that had the place before was not done.
const TAINTED: Field = STATE.then(1);
/// The number of the process that has to finish the record; of one that failed, the status.
const PEER: Field = TAINTED.then(12);
/// How often the place was used.
const RECORD_USES: Field = PEER.then(49);

impl PageRecord {
    fn peer(self) -> usize {
        PEER.get(self.0) as usize
    }

    /// The count of uses, as many bits of it as a ticket has.
    fn uses(self) -> u64 {
        RECORD_USES.get(self.0)
    }

    fn outcome(self) -> Outcome {
        match STATE.get(self.0) {
            DONE => Outcome::Done,
            PENDING => Outcome::Pending(self.peer()),
            _ if self.peer() == GONE as usize => Outcome::Failed,
            // No process writes that; one that spoils the page may.
            _ if self.peer() == 0 => Outcome::FailedWith(Status::UNKNOWN),
            _ => Outcome::FailedWith(Status(self.peer() as i32)),
        }
    }

    /// The next one in the place.
    fn next(self, peer: usize) -> PageRecord {
        let tainted = if STATE.get(self.0) == DONE { TAINTED.get(self.0) } else { 1 };
        let next = RECORD_USES.set(self.0, self.uses().wrapping_add(1));
        PageRecord(STATE.set(TAINTED.set(PEER.set(next, peer as u64), tainted), PENDING))
    }

    fn finished(self, status: Status) -> PageRecord {
        if status == Status::SUCCESS {
            return PageRecord(STATE.set(self.0, DONE));
        }
        let known = u64::try_from(status.0).unwrap_or(UNKNOWN);
        PageRecord(STATE.set(PEER.set(self.0, if known <= PEER.max() { known } else { UNKNOWN }), FAILED))
    }
}

impl Page {
    /// The ticket of the last record.
    pub(crate) fn last(&self) -> u64 {
        self.last.load(Ordering::Acquire)
    }

    /// How the record of that ticket stands.
    pub(crate) fn outcome(&self, ticket: u64) -> Outcome {
        if ticket == 0 {
            return Outcome::Done;
        }
        let ticket = Ticket(ticket);
        let Some(entry) = self.entries.get(ticket.place()) else { return Outcome::Failed };
        let record = PageRecord(entry.record.load(Ordering::SeqCst));
        match record.uses().cmp(&ticket.uses()) {
            std::cmp::Ordering::Equal => record.outcome(),
            // A place is used again when its record is done, and else says so.
            std::cmp::Ordering::Greater if TAINTED.get(record.0) == 0 => Outcome::Done,
            _ => Outcome::Failed,
        }
    }

    /// Makes a record that is done.
    pub(crate) fn record_done(&self) {
        self.last.store(0, Ordering::SeqCst);
    }

    /// Makes a pending record by the peer of that number, in the first free place from `first` on; gives its ticket and its
    /// place. `None`: all places are taken, and none by a process that is gone, as `is_gone` tells of its number.
    pub(crate) fn begin(&self, peer: usize, first: usize, is_gone: impl Fn(usize) -> bool) -> Option<(u64, usize)> {
        let free = |record: PageRecord| record.outcome() == Outcome::Done;
        let given_up = |record: PageRecord| match record.outcome() {
            Outcome::Done | Outcome::Failed | Outcome::FailedWith(_) => true,
            Outcome::Pending(other) => is_gone(other),
        };
        let first = first.min(ENTRIES);
        let place = self.claim(first..ENTRIES, peer, free).or_else(|| self.claim(0..first, peer, free));
        let (record, place) = place.or_else(|| self.claim(0..ENTRIES, peer, given_up))?;
        let ticket = Ticket::new(place, record.uses()).0;
        self.last.store(ticket, Ordering::SeqCst);
        Some((ticket, place))
    }

    fn claim(
        &self,
        places: std::ops::Range<usize>,
        peer: usize,
        fits: impl Fn(PageRecord) -> bool,
    ) -> Option<(PageRecord, usize)> {
        places.into_iter().find_map(|place| {
            let record = &self.entries.get(place)?.record;
            let seen = PageRecord(record.load(Ordering::Acquire));
            let next = seen.next(peer);
            let claimed =
                fits(seen) && record.compare_exchange(seen.0, next.0, Ordering::SeqCst, Ordering::Relaxed).is_ok();
            claimed.then_some((next, place))
        })
    }

    /// Finishes a pending record of the peer of that number; gives the place that is free from then on.
    pub(crate) fn finish(&self, ticket: u64, peer: usize, status: Status) -> usize {
        let ticket = Ticket(ticket);
        if let Some(PageEntry { record, .. }) = self.entries.get(ticket.place()) {
            let seen = PageRecord(record.load(Ordering::Acquire));
            if seen.uses() == ticket.uses() && seen.outcome() == Outcome::Pending(peer) {
                // Nobody but this peer changes it who keeps to the rules.
                let finished = seen.finished(status);
                let _ = record.compare_exchange(seen.0, finished.0, Ordering::SeqCst, Ordering::Relaxed);
            }
        }
        ticket.place()
    }

    /// The process of that number, as it entered itself.
    pub(crate) fn peer(&self, number: usize) -> u64 {
        self.entries.get(number).map_or(0, |entry| entry.peer.load(Ordering::Acquire))
    }

    /// Enters a process; gives its number. `None`: all places are taken by processes that live, by `is_gone`, or whose
    /// records others may wait for.
    pub(crate) fn enter(&self, me: u64, is_gone: impl Fn(u64) -> bool) -> Option<usize> {
        for (number, PageEntry { peer, .. }) in self.entries.iter().enumerate() {
            let other = match peer.load(Ordering::Acquire) {
                0 => peer.compare_exchange(0, me, Ordering::SeqCst, Ordering::Acquire).err().unwrap_or(me),
                other => other,
            };
            if other == me {
                return Some(number);
            }
        }
        let reuse = |(number, PageEntry { peer, .. }): (usize, &PageEntry)| {
            let other = peer.load(Ordering::Acquire);
            // One that is gone makes no more records.
            let unused = is_gone(other) && !self.is_needed(number);
            unused && peer.compare_exchange(other, me, Ordering::SeqCst, Ordering::Relaxed).is_ok()
        };
        self.entries.iter().enumerate().position(reuse)
    }

    /// Returns whether a record of that peer's is pending.
    fn is_needed(&self, number: usize) -> bool {
        let outcome = |entry: &PageEntry| PageRecord(entry.record.load(Ordering::SeqCst)).outcome();
        self.entries.iter().any(|entry| outcome(entry) == Outcome::Pending(number))
    }

    /// Says that somebody is about to sleep. Gives the number of the bell with which to sleep, unless the record that the
    /// caller waits for turns out to be finished after this.
    pub(crate) fn listen(&self) -> u32 {
        let mut bell = self.bell.load(Ordering::SeqCst);
        for _ in 0..TRIES {
            if bell % 2 == 1 {
                return bell;
            }
            match self.bell.compare_exchange(bell, bell | 1, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => return bell | 1,
                Err(now) => bell = now,
            }
        }
        bell
    }

    /// Returns whether anybody has to be woken, after a record was finished. Whoever listens after this sees the record finished.
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

    /// Notes whether the event is signalled and not recorded.
    pub(crate) fn set_signalled(&self, signalled: bool) {
        self.signalled.store(signalled.into(), Ordering::Relaxed);
    }

    /// Returns whether the event is signalled and not recorded.
    pub(crate) fn is_signalled(&self) -> bool {
        self.signalled.load(Ordering::Relaxed) != 0
    }

    /// What tells the event from others.
    pub(crate) fn nonce(&self) -> [u64; 2] {
        self.nonce.each_ref().map(|word| word.load(Ordering::Acquire))
    }

    pub(crate) fn set_nonce(&self, nonce: [u64; 2]) {
        self.nonce.iter().zip(nonce).for_each(|(place, word)| place.store(word, Ordering::Release));
    }
}

#[cfg(all(test, loom))]
impl Page {
    pub(super) fn new() -> Page {
        Page {
            nonce: Default::default(),
            last: AtomicU64::new(0),
            bell: AtomicU32::new(0),
            signalled: AtomicU32::new(0),
            _unused: Default::default(),
            entries: std::array::from_fn(|_| PageEntry { record: AtomicU64::new(0), peer: AtomicU64::new(0) }),
        }
    }

    /// What the bell stands at.
    pub(super) fn number_of_bell(&self) -> u32 {
        self.bell.load(Ordering::SeqCst)
    }
}

#[cfg(all(test, not(loom)))]
impl Page {
    /// Enters a process in every place.
    pub(super) fn fill_peers(&self, peer: impl Fn(usize) -> u64) {
        let entries = self.entries.iter().enumerate();
        entries.for_each(|(place, entry)| entry.peer.store(peer(place), Ordering::Relaxed));
    }

    /// Writes what a peer might write.
    pub(super) fn scribble(&self, mut random: impl FnMut() -> u64) {
        self.last.store(random(), Ordering::Relaxed);
        self.bell.store(random() as u32, Ordering::Relaxed);
        let entries = self.entries.iter().flat_map(|entry| [&entry.record, &entry.peer]);
        entries.chain(&self.nonce).for_each(|word| word.store(random(), Ordering::Relaxed));
    }
}

#[cfg(all(test, not(loom)))]
#[path = "page_tests.rs"]
mod tests;
