//! The names of events and streams, by the addresses of their slots: few have one.

use crate::lock::{Mutex, MutexGuard};
use crate::text::Name;
use std::collections::BTreeMap;

type Names = BTreeMap<usize, Name>;

static NAMES: Mutex<Names> = Mutex::new(BTreeMap::new());

/// Names an object, or removes its name where that is empty. The lock is held until the result is dropped.
pub(super) fn set<T>(slot: &T, name: Option<Name>) -> MutexGuard<'static, Names> {
    let mut names = NAMES.lock();
    let address = std::ptr::from_ref(slot).addr();
    match name.filter(|name| !name.is_empty()) {
        Some(name) => names.insert(address, name),
        None => names.remove(&address),
    };
    names
}

/// Returns the object's name, if it has one.
pub(super) fn get<T>(slot: &T) -> Option<Name> {
    NAMES.lock().get(&std::ptr::from_ref(slot).addr()).copied()
}
