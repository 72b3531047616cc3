//! The slots in which threads publish the objects that they protect.

use super::{Hazards, heavy_fence};
use crate::lock::{Mutex, MutexGuard};
use crate::os;
use crate::process;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// All places, and whether a thread has each. They are never freed, and serve one thread after the other.
static PLACES: Mutex<Vec<Place>> = Mutex::new(Vec::new());

struct Place {
    hazards: &'static Hazards,
    taken: bool,
}

/// Returns whether the system has the barrier that destroyers need.
pub(crate) fn can_protect() -> bool {
    os::has_barrier_of_process()
}

/// Returns a place for the calling thread; `None` without memory for one.
pub(crate) fn take_place() -> Option<&'static Hazards> {
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

/// Ends the use of a place, and clears it.
pub(crate) fn give_place_back(hazards: &'static Hazards) {
    hazards.clear();
    let mut places = PLACES.lock();
    if let Some(place) = places.iter_mut().find(|place| std::ptr::eq(place.hazards, hazards)) {
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
