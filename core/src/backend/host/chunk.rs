//! Places for work, in memory that is reused and never freed.

use super::work::PackedWork;
use crate::sync::{AtomicU64, Lazy, Mutex, Ordering, wait_for_another};

/// Places in a chunk. A model has few, so that it comes to their end.
pub(super) const PLACES: u64 = if cfg!(loom) { 2 } else { 32 };

/// The places of consecutive positions of one queue, which other queues had before.
#[derive(Default)]
pub(super) struct Chunk {
    /// The position of the first place.
    first: AtomicU64,
    /// The chunk for the positions that follow; of a free chunk, another free one.
    pub(super) next: Link,
    places: [Place; PLACES as usize],
}

/// Room for one piece of work.
#[derive(Default)]
struct Place {
    /// The kind of the work; 0 while the place is empty. Written last.
    kind: AtomicU64,
    words: [AtomicU64; 2],
}

/// A variable that holds a chunk, or none.
#[derive(Default)]
pub(super) struct Link(AtomicU64);

impl Link {
    #[inline]
    pub(super) fn get(&self) -> Option<&'static Chunk> {
        Link::chunk(self.0.load(Ordering::Acquire))
    }

    /// Returns where the chunk is, to compare.
    pub(super) fn address(&self) -> u64 {
        self.0.load(Ordering::Acquire)
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
        self.places.iter().for_each(|place| place.kind.store(0, Ordering::Release));
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
        for (word, value) in place.words.iter().zip(work.words) {
            // Release for `WorkQueue::waits`: whoever reads it sees that the places have changed hands.
            word.store(value, Ordering::Release);
        }
        place.kind.store(work.kind, Ordering::Release);
    }

    /// Reads the place of that position, if it is filled.
    #[inline]
    pub(super) fn read(&self, position: u64) -> Option<PackedWork> {
        let place = self.place(position);
        let kind = place.kind.load(Ordering::Acquire);
        let words = || place.words.each_ref().map(|word| word.load(Ordering::Acquire));
        (kind != 0).then(|| PackedWork { kind, words: words() })
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
