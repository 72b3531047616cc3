//! The slots in which threads publish the objects that they protect.

use super::{Hazards, heavy_fence};
use crate::lock::{Mutex, MutexGuard};
use crate::os;
use crate::process;
use crate::thread;
use std::cell::Cell;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// All places, and whether a thread has each. They are never freed, and serve one thread after the other.
static PLACES: Mutex<Vec<Place>> = Mutex::new(Vec::new());

struct Place {
    hazards: &'static Hazards,
    taken: bool,
}

thread_local! {
    static MINE: Cell<Option<&'static Hazards>> = const { Cell::new(None) };
}

/// The calling thread's place; `None` if it has protected something already, or if the system has no barrier for it.
#[inline]
pub(super) fn mine() -> Option<&'static Hazards> {
    match MINE.get() {
        Some(mine) => mine.is_clear().then_some(mine),
        None => begin(),
    }
}

#[cold]
fn begin() -> Option<&'static Hazards> {
    if !os::has_barrier_of_process() || !thread::at_end(end) {
        return None;
    }
    MINE.set(take_place());
    MINE.get()
}

/// Returns a place for the calling thread; `None` without memory for one.
fn take_place() -> Option<&'static Hazards> {
    let mut places = PLACES.lock();
    if let Some(free) = places.iter_mut().find(|place| !place.taken) {
        free.taken = true;
        return Some(free.hazards);
    }
    places.try_reserve(1).ok()?;
    let hazards = Box::leak(Box::new(Hazards::new()));
    places.push(Place { hazards, taken: true });
    Some(hazards)
}

/// Gives the place back when the thread ends.
fn end() {
    // In the child of a fork another thread may have held the lock.
    let Some(mine) = MINE.take().filter(|_| !process::is_over()) else { return };
    mine.clear();
    let mut places = PLACES.lock();
    if let Some(place) = places.iter_mut().find(|place| std::ptr::eq(place.hazards, mine)) {
        place.taken = false;
    }
}

/// A snapshot of the protected objects. Threads that protect for the first time wait meanwhile.
pub(crate) struct Scan {
    places: MutexGuard<'static, Vec<Place>>,
    is_ordered: bool,
}

/// Reads the protected objects, for a caller that destroys objects with dead handles.
pub(crate) fn scan() -> Scan {
    let places = PLACES.lock();
    let is_ordered = places.is_empty() || heavy_fence() || has_waited();
    Scan { places, is_ordered }
}

/// Like [`heavy_fence`], where the system has the barrier no more: calls use nothing that they protect from now on, and what others have
/// protected before is seen after a moment.
#[cold]
fn has_waited() -> bool {
    static SINCE: OnceLock<Instant> = OnceLock::new();
    process::end_protection();
    SINCE.get_or_init(Instant::now).elapsed() >= Duration::from_millis(10)
}

impl Scan {
    /// Returns whether a thread may be using the native object.
    pub(crate) fn has(&self, native: u64) -> bool {
        !self.is_ordered || self.places.iter().any(|place| place.hazards.has(native))
    }

    /// Returns whether a thread may be using any native object.
    pub(crate) fn has_any(&self) -> bool {
        !self.is_ordered || self.places.iter().any(|place| place.hazards.has_any())
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::thread;

    #[test]
    fn what_a_thread_protects_is_seen_until_it_clears_it_or_ends() {
        if !os::has_barrier_of_process() {
            return;
        }
        let (protected, look) = channel();
        let (proceed, go) = channel::<()>();
        let thread = thread::spawn(move || {
            let mine = mine().expect("there is a place");
            mine.protect([11, 12]);
            assert!(super::mine().is_none(), "a call within a call protects nothing");
            assert!(scan().has_any());
            let _ = protected.send(());
            let _ = go.recv();
            mine.clear();
            mine.protect([13, 0]);
        });
        look.recv().expect("it runs");
        let own = super::mine().expect("another place is there");
        assert!(!own.has(11) && !own.has(12), "two threads have one place");
        assert_eq!([10, 11, 12, 13].map(|native| scan().has(native)), [false, true, true, false]);
        drop(proceed);
        thread.join().expect("it ends");
        assert!(![11, 12, 13].into_iter().any(|native| scan().has(native)));
        // Other tests protect for moments.
        while scan().has_any() {
            thread::yield_now();
        }
    }
}
