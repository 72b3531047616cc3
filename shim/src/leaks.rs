//! Events that were not destroyed, and where they were made. Kept for GEVT_LEAKS=1 only.

use crate::driver::call_site::CallSite;
use crate::driver::function::Function;
use crate::stderr::say;
use gevt_core::lock::Mutex;
use std::collections::BTreeMap;

/// How an event was made.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    function: &'static Function,
    site: CallSite,
}

static ALIVE: Mutex<BTreeMap<usize, Origin>> = Mutex::new(BTreeMap::new());

/// An event was made at that address, by the function and at the place that the thread is in.
pub(crate) fn made(address: usize, function: &'static Function) {
    let site = CallSite::here();
    ALIVE.lock().insert(address, Origin { function, site });
}

/// An event is about to be destroyed.
pub(crate) fn take(address: usize) -> Option<Origin> {
    ALIVE.lock().remove(&address)
}

/// The driver has refused to destroy it. At its address there may be another one by now.
pub(crate) fn put_back(address: usize, origin: Origin) {
    ALIVE.lock().entry(address).or_insert(origin);
}

/// Prints the live events.
pub(crate) fn print() {
    let alive = std::mem::take(&mut *ALIVE.lock());
    say(&format!("leaks: events alive at exit: {}", alive.len()));
    for (address, Origin { function, site }) in alive {
        say(&format!("leaks: event {address:#x}, made by {} at {site}", function.name.to_string_lossy()));
    }
}

#[cfg(test)]
#[path = "leaks_tests.rs"]
mod tests;
