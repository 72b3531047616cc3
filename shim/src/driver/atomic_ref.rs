//! A reference that threads share and replace.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A place for a reference to something that is never freed.
pub(crate) struct AtomicRef<T: 'static>(AtomicPtr<T>);

impl<T: Sync> AtomicRef<T> {
    pub(crate) const fn none() -> AtomicRef<T> {
        AtomicRef(AtomicPtr::new(ptr::null_mut()))
    }

    #[inline]
    pub(crate) fn load(&self) -> Option<&'static T> {
        // SAFETY: only `store` writes here, and it gets references that are good for ever, or none.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    pub(crate) fn store(&self, value: Option<&'static T>) {
        self.0.store(value.map_or(ptr::null_mut(), |value| ptr::from_ref(value).cast_mut()), Ordering::Release);
    }
}
