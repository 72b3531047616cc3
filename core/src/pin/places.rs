//! The places in which threads publish what they pin.

use super::{Hazard, heavy_fence};
use crate::lock::{Mutex, MutexGuard};
use crate::os;
use crate::process;
use crate::thread;
use std::cell::Cell;
use std::time::Duration;

/// How long a processor may keep a store to itself, with a great margin.
const MOMENT: Duration = Duration::from_millis(10);
/// How many pins of one thread need no lock.
const NESTED: usize = 4;

/// The pins of one thread. Other threads read them now and then: they have their own cache line.
#[derive(Default)]
#[repr(align(128))]
struct Place([Hazard; NESTED]);

/// All places, and the pins outside of them.
static PLACES: Mutex<Places> = Mutex::new(Places { all: Vec::new(), listed: Vec::new() });

struct Places {
    /// Never freed. They serve one thread after the other; whether a thread has each.
    all: Vec<(&'static Place, bool)>,
    listed: Vec<u64>,
}

thread_local! {
    static MINE: Cell<Option<&'static Place>> = const { Cell::new(None) };
}

/// Objects that a thread uses, until the value is dropped.
pub(crate) struct Pin(Publication);

enum Publication {
    Placed(&'static Hazard),
    Listed(u64),
}

impl Pin {
    /// Pins objects, the second of which may be 0 for none. `None` if the first is 0, if the thread has many pins, or if the system had no
    /// barrier for it at the thread's first pin. The caller then finds the objects alive.
    #[inline]
    pub(crate) fn new(objects: [u64; 2]) -> Option<Pin> {
        let hazard = if objects[0] == 0 { None } else { free() }?;
        hazard.protect(objects);
        Some(Pin(Publication::Placed(hazard)))
    }

    /// Like [`Pin::new`] for one object, at the cost of a lock where that gives none. `None` without memory.
    #[inline]
    pub(crate) fn of(object: u64) -> Option<Pin> {
        Pin::new([object, 0]).or_else(|| Pin::listed(object))
    }

    #[cold]
    fn listed(object: u64) -> Option<Pin> {
        let mut places = PLACES.lock();
        places.listed.try_reserve(1).ok()?;
        places.listed.push(object);
        Some(Pin(Publication::Listed(object)))
    }
}

impl Drop for Pin {
    #[inline]
    fn drop(&mut self) {
        match self.0 {
            Publication::Placed(hazard) => hazard.clear(),
            Publication::Listed(object) => unlist(object),
        }
    }
}

#[cold]
fn unlist(object: u64) {
    // In the child of a fork another thread may have held the lock.
    if !process::is_forked() {
        let listed = &mut PLACES.lock().listed;
        listed.iter().position(|known| *known == object).map(|at| listed.swap_remove(at));
    }
}

/// Returns where the calling thread can protect more.
#[inline]
fn free() -> Option<&'static Hazard> {
    let place = MINE.get().or_else(begin)?;
    place.0.iter().find(|hazard| hazard.is_clear())
}

#[cold]
fn begin() -> Option<&'static Place> {
    if !os::has_barrier_of_process() || !thread::at_end(end) {
        return None;
    }
    MINE.set(take_place());
    MINE.get()
}

/// Returns a place for the calling thread; `None` without memory for one.
fn take_place() -> Option<&'static Place> {
    let places = &mut PLACES.lock().all;
    if let Some((place, taken)) = places.iter_mut().find(|(_, taken)| !taken) {
        *taken = true;
        return Some(place);
    }
    places.try_reserve(1).ok()?;
    let place = Box::leak(Box::default());
    places.push((place, true));
    Some(place)
}

/// Gives the place back when the thread ends.
fn end() {
    // As in `unlist`.
    let Some(mine) = MINE.take().filter(|_| !process::is_over()) else { return };
    mine.0.iter().for_each(Hazard::clear);
    if let Some((_, taken)) = PLACES.lock().all.iter_mut().find(|(place, _)| std::ptr::eq(*place, mine)) {
        *taken = false;
    }
}

/// A snapshot of the pinned objects. Threads that pin for the first time wait meanwhile.
pub(crate) struct Scan(MutexGuard<'static, Places>);

/// Reads the pinned objects, for a caller that destroys dead ones.
pub(crate) fn scan() -> Scan {
    let is_used = !PLACES.lock().all.is_empty();
    if is_used && !heavy_fence() {
        // The system has the barrier no more. What a thread has protected before is seen after a moment.
        std::thread::sleep(MOMENT);
    }
    Scan(PLACES.lock())
}

impl Scan {
    /// Returns whether a thread may be using the object.
    pub(crate) fn has(&self, object: u64) -> bool {
        let is_placed = |place: &Place| place.0.iter().any(|hazard| hazard.has(object));
        self.0.listed.contains(&object) || self.0.all.iter().any(|(place, _)| is_placed(place))
    }
}

#[cfg(all(test, not(loom)))]
#[path = "places_tests.rs"]
mod tests;
