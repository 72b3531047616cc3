//! Objects that are reused and never freed.

use crate::lock::Mutex;

/// The objects that are not in use.
pub(super) struct FreeList<T: 'static>(Mutex<Free<T>>);

struct Free<T: 'static> {
    /// Has room for all that there ever were.
    list: Vec<&'static T>,
    ever: usize,
}

impl<T: Default> FreeList<T> {
    pub(super) const fn new() -> FreeList<T> {
        FreeList(Mutex::new(Free { list: Vec::new(), ever: 0 }))
    }

    /// Takes an object that was used before, or makes one; `None` without memory. `promise` promises what a further one needs.
    pub(super) fn take(&self, promise: impl FnOnce() -> bool) -> Option<&'static T> {
        let mut free = self.0.lock();
        let used = free.list.pop();
        if used.is_some() {
            return used;
        }
        let all = free.ever + 1;
        if free.list.try_reserve(all).is_err() || !promise() {
            return None;
        }
        free.ever = all;
        Some(Box::leak(Box::default()))
    }

    /// Puts an object back.
    pub(super) fn put(&self, used: &'static T) {
        self.0.lock().list.push(used);
    }
}
