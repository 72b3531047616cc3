//! A reference that threads share.

use std::sync::atomic::{AtomicPtr, Ordering};

/// A reference to something that lives as long as the process; empty at first.
pub(crate) struct Link<T: 'static>(AtomicPtr<T>);

impl<T> Default for Link<T> {
    fn default() -> Link<T> {
        Link(AtomicPtr::new(std::ptr::null_mut()))
    }
}

impl<T: Sync> Link<T> {
    pub(crate) fn set(&self, target: &'static T) {
        self.0.store(std::ptr::from_ref(target).cast_mut(), Ordering::Release);
    }

    pub(crate) fn get(&self) -> Option<&'static T> {
        // SAFETY: `set` alone stores a pointer, which it takes from a reference that is valid for ever.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }
}
