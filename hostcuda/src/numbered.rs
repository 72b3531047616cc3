//! Objects that programs name by numbers. No number is reused.

use crate::handle::Handle;
use gevt_core::lock::RwLock;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Objects of one kind.
pub(crate) struct Numbered<T>(RwLock<BTreeMap<Handle, T>>);

/// Numbers start above all user-space addresses and above all handles of the core's tables.
const FIRST: usize = 0x6F << 56;

impl<T: Clone> Numbered<T> {
    pub(crate) const fn new() -> Numbered<T> {
        Numbered(RwLock::new(BTreeMap::new()))
    }

    pub(crate) fn insert(&self, object: T) -> Handle {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        let handle = FIRST | NEXT.fetch_add(1, Ordering::Relaxed) << 4;
        self.0.write().insert(handle, object);
        handle
    }

    pub(crate) fn get(&self, handle: Handle) -> Option<T> {
        self.0.read().get(&handle).cloned()
    }

    pub(crate) fn remove(&self, handle: Handle) -> Option<T> {
        self.0.write().remove(&handle)
    }

    /// Returns the first object that matches.
    pub(crate) fn find(&self, is_it: impl Fn(&T) -> bool) -> Option<(Handle, T)> {
        self.0.read().iter().find(|(_, object)| is_it(object)).map(|(handle, object)| (*handle, object.clone()))
    }
}
