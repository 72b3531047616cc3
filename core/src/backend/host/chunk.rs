//! Places for work, in memory that is reused and never freed.

use super::work::PackedWork;
use crate::sync::{AtomicU64, Lazy, Mutex, Ordering, wait_for_another};

/// Places in a chunk. A model has few, so that it comes to their end.
pub(super) const PLACES: u64 = if cfg!(loom) { 2 } else { 64 };

/// Places that fill a cache line, and how far ahead of the runner they are fetched from the core that filled them.
pub(super) const LINE: u64 = 4;
const AHEAD: u64 = 3 * LINE;

/// The places of consecutive positions of one queue, which other queues had before. On cache lines of its own.
#[repr(C, align(64))]
pub(super) struct Chunk {
    /// The position of the first place.
    first: AtomicU64,
    /// The chunk for the positions that follow; of a free chunk, another free one.
    pub(super) next: Link,
    places: [Place; PLACES as usize],
}

/// Room for one piece of work.
#[derive(Default)]
#[repr(align(16))]
struct Place {
    /// 0 while the place is empty. Written last.
    first: AtomicU64,
    second: AtomicU64,
}

impl Default for Chunk {
    fn default() -> Chunk {
        let places = std::array::from_fn(|_| Place::default());
        Chunk { first: AtomicU64::default(), next: Link::default(), places }
    }
}

/// A variable that holds a chunk, or none.
#[derive(Default)]
pub(super) struct Link(AtomicU64);

impl Link {
    #[inline]
    pub(super) fn get(&self) -> Option<&'static Chunk> {
        Link::chunk(self.0.load(Ordering::Acquire))
    }

    pub(super) fn set(&self, chunk: Option<&'static Chunk>) {
        self.0.store(Link::address_of(chunk), Ordering::Release);
    }

    /// Puts a chunk in the place of what the link held.
    pub(super) fn replace(&self, chunk: Option<&'static Chunk>) -> Option<&'static Chunk> {
        Link::chunk(self.0.swap(Link::address_of(chunk), Ordering::AcqRel))
    }

    fn address_of(chunk: Option<&'static Chunk>) -> u64 {
        chunk.map_or(0, |chunk| std::ptr::from_ref(chunk) as u64)
    }

    #[inline]
    fn chunk(address: u64) -> Option<&'static Chunk> {
        // SAFETY: `address_of` alone makes what a link holds: 0, or the address of a chunk, which is never freed.
        unsafe { (address as *const Chunk).as_ref() }
    }
}

/// Chunks that no queue has. They are as many as were ever in use at once: memory that streams needed once is theirs to use
/// again.
static FREE: Lazy<Mutex<Link>> = Lazy::new(Mutex::default);

impl Chunk {
    /// Returns a free chunk, or a new one; `None` if there is no memory.
    pub(super) fn take() -> Option<&'static Chunk> {
        let free = Lazy::force(&FREE).lock();
        if let Some(chunk) = free.get() {
            free.set(chunk.next.get());
            return Some(chunk);
        }
        drop(free);
        let mut room = Vec::new();
        room.try_reserve_exact(1).ok()?;
        room.push(Chunk::default());
        room.leak().first()
    }

    /// Gives the chunk back: its queue has done all that is in it.
    pub(super) fn give_back(&'static self) {
        let free = Lazy::force(&FREE).lock();
        self.next.set(free.get());
        free.set(Some(self));
    }

    /// Empties the places, for `position` and those after it. The caller alone has the chunk.
    pub(super) fn begin(&self, position: u64) {
        // This brings the memory back from the runner's core, all at once: whoever fills a place would wait for each line.
        self.places.iter().for_each(|place| place.first.store(0, Ordering::Release));
        self.first.store(position / PLACES * PLACES, Ordering::Release);
        self.next.set(None);
    }

    /// Returns whether the position comes after those of the chunk.
    #[inline]
    pub(super) fn is_before(&self, position: u64) -> bool {
        position >= self.first.load(Ordering::Acquire) + PLACES
    }

    fn place(&self, position: u64) -> &Place {
        &self.places[(position % PLACES) as usize]
    }

    /// Fills the place of that position, which the caller alone was given.
    #[inline]
    pub(super) fn fill(&self, position: u64, work: &PackedWork) {
        let place = self.place(position);
        let PackedWork([first, second]) = work;
        // Release for `WorkQueue::waits`: whoever reads it sees that the places have changed hands.
        place.second.store(*second, Ordering::Release);
        place.first.store(*first, Ordering::Release);
    }

    /// Reads the place of that position, if it is filled.
    #[inline]
    pub(super) fn read(&self, position: u64) -> Option<PackedWork> {
        let place = self.place(position);
        let first = place.first.load(Ordering::Acquire);
        (first != 0).then(|| PackedWork([first, place.second.load(Ordering::Acquire)]))
    }

    /// Fetches a place of this chunk or the next one that comes some lines after `position`, if it was given: it comes before `end`.
    #[inline]
    pub(super) fn fetch_ahead(&self, position: u64, end: u64) {
        let ahead = position + AHEAD;
        if ahead < end
            && let Some(chunk) = if self.is_before(ahead) { self.next.get() } else { Some(self) }
        {
            fetch(chunk.place(ahead));
        }
    }

    /// As [`Chunk::read`], for a place that was given to somebody, who is about to fill it.
    #[inline]
    pub(super) fn read_given(&self, position: u64) -> PackedWork {
        let mut tries = 0;
        loop {
            if let Some(work) = self.read(position) {
                return work;
            }
            wait_for_another(tries);
            tries = tries.saturating_add(1);
        }
    }
}

/// Brings a place into the calling core's cache without waiting for it, where the processor has an instruction for that.
#[inline]
fn fetch(place: &Place) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has the instruction, which reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
