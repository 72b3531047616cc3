//! The announcements of all threads.

use super::{Hazards, heavy_fence};
use crate::machine;
use crate::os;
use crate::table::Handle;
use crate::thread::has_memory;
use parking_lot::{Mutex, MutexGuard};
use std::cell::Cell;

/// The places that there are, and whether a thread has each. They are never freed, and serve one thread after the other.
static PLACES: Mutex<Vec<Place>> = Mutex::new(Vec::new());

struct Place {
    hazards: &'static Hazards,
    taken: bool,
}

thread_local! {
    /// Has no destructor itself.
    static MINE: Cell<Option<&'static Hazards>> = const { Cell::new(None) };
    static OWNED: Owned = Owned::take();
}

/// A place that is given back when its thread ends.
struct Owned(Option<&'static Hazards>);

impl Owned {
    fn take() -> Owned {
        let mut places = PLACES.lock();
        if let Some(free) = places.iter_mut().find(|place| !place.taken) {
            free.taken = true;
            return Owned(Some(free.hazards));
        }
        if places.try_reserve(1).is_err() {
            return Owned(None);
        }
        let hazards = Box::leak(Box::new(Hazards::new()));
        places.push(Place { hazards, taken: true });
        Owned(Some(hazards))
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        MINE.set(None);
        let Some(mine) = self.0 else { return };
        // The thread was cancelled within the driver's call.
        if !mine.is_clear() {
            machine::forget_record(Handle(mine.recorded.load(std::sync::atomic::Ordering::Relaxed)));
            mine.end_record();
            mine.clear();
        }
        let mut places = PLACES.lock();
        if let Some(place) = places.iter_mut().find(|place| std::ptr::eq(place.hazards, mine)) {
            place.taken = false;
        }
    }
}

/// The calling thread's announcements; `None` if it has announced something, or if the system has no barrier for those who destroy.
#[inline]
pub(crate) fn mine() -> Option<&'static Hazards> {
    match MINE.get() {
        Some(mine) => mine.is_clear().then_some(mine),
        None => begin(),
    }
}

#[cold]
fn begin() -> Option<&'static Hazards> {
    if !os::has_barrier_of_process() || !has_memory() {
        return None;
    }
    let mine = OWNED.try_with(|owned| owned.0).ok()?;
    MINE.set(mine);
    mine
}

/// What is announced at a moment. Threads that begin to announce wait meanwhile.
pub(crate) struct Scan {
    places: MutexGuard<'static, Vec<Place>>,
    is_ordered: bool,
}

/// Reads what is announced, for a caller who wants to destroy what handles named that are dead.
pub(crate) fn scan() -> Scan {
    let places = PLACES.lock();
    let is_ordered = places.is_empty() || heavy_fence();
    Scan { places, is_ordered }
}

impl Scan {
    /// Returns whether a thread may be using the native object.
    pub(crate) fn has(&self, native: u64) -> bool {
        !self.is_ordered || self.places.iter().any(|place| place.hazards.has(native))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::thread;

    #[test]
    fn what_a_thread_announces_is_seen_until_it_clears_it_or_ends() {
        if !os::has_barrier_of_process() {
            return;
        }
        let (announced, look) = channel();
        let (proceed, go) = channel::<()>();
        let thread = thread::spawn(move || {
            let mine = mine().expect("the system has a barrier");
            mine.announce([11, 12]);
            assert!(super::mine().is_none(), "a call within a call announces nothing");
            let _ = announced.send(());
            let _ = go.recv();
            mine.clear();
            mine.announce([13, 0]);
        });
        look.recv().expect("it runs");
        assert_eq!([10, 11, 12, 13].map(|native| scan().has(native)), [false, true, true, false]);
        drop(proceed);
        thread.join().expect("it ends");
        assert!(![11, 12, 13].into_iter().any(|native| scan().has(native)));
    }
}
