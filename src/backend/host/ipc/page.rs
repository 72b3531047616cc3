//! What processes share of one event: which records it had and how the last ones stand.
//!
//! Each record has a ticket, one more than the record before it. The last one stands in `last`; one that was replaced while
//! it was pending stands in `replaced` from then on. A process that records enters itself into `peers` first, so that whoever
//! takes over a record knows who was to finish it. No step needs another process to go on: one that is killed between any
//! two of them holds nobody up.
//!
//! All of it can be overwritten with anything at any time. So nothing that is read here becomes an index without a bound, a
//! length or the end of a loop, and the worst that a wrong value does is a wrong answer about this event.

use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// Processes that can record one event. Places of ended ones are used again.
#[cfg(not(loom))]
const PEERS: usize = 1020;
#[cfg(loom)]
const PEERS: usize = 2;
/// Replaced records that are known one by one. A pending one before these counts as done when the one in its place is.
#[cfg(not(loom))]
const RING: usize = 1024;
#[cfg(loom)]
const RING: usize = 2;
/// How often a change is tried before it is forced or left. Others that keep to the rules never need so many.
const TRIES: u32 = 1 << 16;
const FEW_TRIES: u32 = 1 << 6;

/// The shared memory of one event.
#[repr(C, align(4096))]
pub(crate) struct Page {
    /// Tells the event from others; zero until it is exported.
    nonce: [AtomicU64; 2],
    last: AtomicU64,
    /// For those who sleep: odd where somebody does, and another number after each time that they were woken.
    bell: AtomicU32,
    _unused: AtomicU32,
    peers: [AtomicU64; PEERS],
    replaced: [AtomicU64; RING],
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<Page>() == 16384 && PEERS < 1 << PEER_BITS);

/// How a record stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// The process of that number in [`Page::peer`] has to finish it.
    Pending(usize),
    Done,
    /// It cannot be done any more.
    Failed,
}

/// A record in one number: how it stands, who made it, and its ticket.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Record(u64);

/// Done when it was made; never seen as pending, so that there is nothing to remember of it. The state of a new page.
const INLINE: u64 = 0;
const PENDING: u64 = 1;
const FAILED: u64 = 2;
/// Done after it was pending.
const DONE: u64 = 3;

const STATE_BITS: u32 = 2;
const PEER_BITS: u32 = 10;
const TICKET_SHIFT: u32 = STATE_BITS + PEER_BITS;

impl Record {
    fn new(ticket: u64, peer: usize, state: u64) -> Record {
        Record(ticket << TICKET_SHIFT | (peer as u64 & ((1 << PEER_BITS) - 1)) << STATE_BITS | state)
    }

    fn state(self) -> u64 {
        self.0 & ((1 << STATE_BITS) - 1)
    }

    fn peer(self) -> usize {
        (self.0 >> STATE_BITS) as usize & ((1 << PEER_BITS) - 1)
    }

    fn ticket(self) -> u64 {
        self.0 >> TICKET_SHIFT
    }

    fn outcome(self) -> Outcome {
        match self.state() {
            PENDING => Outcome::Pending(self.peer()),
            FAILED => Outcome::Failed,
            _ => Outcome::Done,
        }
    }
}

impl Page {
    /// The ticket of the last record; 0 before the first.
    pub(crate) fn last(&self) -> u64 {
        Record(self.last.load(Ordering::Acquire)).ticket()
    }

    /// How the record of that ticket stands.
    pub(crate) fn outcome(&self, ticket: u64) -> Outcome {
        let last = Record(self.last.load(Ordering::SeqCst));
        if last.ticket() == ticket {
            return last.outcome();
        }
        if last.ticket() < ticket {
            // It was issued, and is not there: somebody has broken the rules.
            return Outcome::Failed;
        }
        let kept = Record(self.kept(ticket).load(Ordering::Acquire));
        if kept.ticket() < ticket { Outcome::Done } else { kept.outcome() }
    }

    /// Makes a record by the peer of that number; gives its ticket. One that is not `done` has to be finished.
    pub(crate) fn begin(&self, peer: usize, done: bool) -> u64 {
        let state = if done { INLINE } else { PENDING };
        let mut seen = Record(self.last.load(Ordering::Acquire));
        for _ in 0..TRIES {
            if seen.state() != INLINE {
                self.keep(seen);
            }
            let next = Record::new(seen.ticket() + 1, peer, state);
            match self.last.compare_exchange(seen.0, next.0, Ordering::SeqCst, Ordering::Acquire) {
                Ok(_) => return next.ticket(),
                Err(now) => seen = Record(now),
            }
        }
        let next = Record::new(seen.ticket() + 1, peer, state);
        self.last.store(next.0, Ordering::SeqCst);
        next.ticket()
    }

    /// Finishes a record that was begun as pending.
    pub(crate) fn finish(&self, ticket: u64, peer: usize, done: bool) {
        let pending = Record::new(ticket, peer, PENDING).0;
        let finished = Record::new(ticket, peer, if done { DONE } else { FAILED }).0;
        // One that is no longer the last was put into `replaced` before.
        if self.last.compare_exchange(pending, finished, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            let _ = self.kept(ticket).compare_exchange(pending, finished, Ordering::SeqCst, Ordering::SeqCst);
        }
    }

    fn kept(&self, ticket: u64) -> &AtomicU64 {
        &self.replaced[ticket as usize % RING]
    }

    /// Keeps a record that is about to be replaced. What is kept already only changes to a later one, or
    /// from pending to finished, so that a thread that comes late with what it saw does no harm.
    fn keep(&self, seen: Record) {
        let place = self.kept(seen.ticket());
        let mut kept = Record(place.load(Ordering::Acquire));
        for _ in 0..FEW_TRIES {
            let same = kept.ticket() == seen.ticket();
            if kept.ticket() > seen.ticket() || same && (kept.state() != PENDING || kept == seen) {
                return;
            }
            match place.compare_exchange(kept.0, seen.0, Ordering::SeqCst, Ordering::Acquire) {
                Ok(_) => return,
                Err(now) => kept = Record(now),
            }
        }
    }

    /// The process of that number, as it entered itself.
    pub(crate) fn peer(&self, number: usize) -> u64 {
        self.peers.get(number).map_or(0, |peer| peer.load(Ordering::Acquire))
    }

    /// Enters a process; gives its number. `None`: all places are taken by processes that live, by `is_gone`, or whose
    /// records others may wait for.
    pub(crate) fn enter(&self, me: u64, is_gone: impl Fn(u64) -> bool) -> Option<usize> {
        for (number, place) in self.peers.iter().enumerate() {
            let other = match place.load(Ordering::Acquire) {
                0 => place.compare_exchange(0, me, Ordering::SeqCst, Ordering::Acquire).err().unwrap_or(me),
                other => other,
            };
            if other == me {
                return Some(number);
            }
        }
        let reuse = |(number, place): (usize, &AtomicU64)| {
            let other = place.load(Ordering::Acquire);
            let unused = is_gone(other) && !self.is_needed(number);
            unused && place.compare_exchange(other, me, Ordering::SeqCst, Ordering::Relaxed).is_ok()
        };
        self.peers.iter().enumerate().position(reuse)
    }

    /// Is a record of that peer's pending? The last record is looked at first: from there it goes into `replaced`.
    fn is_needed(&self, number: usize) -> bool {
        let needs = |place: &AtomicU64| Record(place.load(Ordering::SeqCst)).outcome() == Outcome::Pending(number);
        needs(&self.last) || self.replaced.iter().any(needs)
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

    /// After a record was finished: has anybody to be woken? Whoever listens after this sees the record finished.
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
            _unused: AtomicU32::new(0),
            peers: std::array::from_fn(|_| AtomicU64::new(0)),
            replaced: std::array::from_fn(|_| AtomicU64::new(0)),
        }
    }

    /// What the bell stands at.
    pub(super) fn number_of_bell(&self) -> u32 {
        self.bell.load(Ordering::SeqCst)
    }
}

#[cfg(all(test, not(loom)))]
impl Page {
    /// Writes what a peer might write.
    pub(super) fn scribble(&self, mut random: impl FnMut() -> u64) {
        self.last.store(random(), Ordering::Relaxed);
        self.bell.store(random() as u32, Ordering::Relaxed);
        self.peers.iter().chain(&self.nonce).for_each(|word| word.store(random(), Ordering::Relaxed));
        self.replaced.iter().for_each(|word| word.store(random(), Ordering::Relaxed));
    }
}

#[cfg(all(test, not(loom)))]
#[path = "page_tests.rs"]
mod tests;
