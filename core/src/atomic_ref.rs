//! A reference that threads share and replace.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A place for a reference to something that is never freed.
pub struct AtomicRef<T: 'static>(AtomicPtr<T>);

impl<T> Default for AtomicRef<T> {
    fn default() -> AtomicRef<T> {
        AtomicRef(AtomicPtr::new(ptr::null_mut()))
    }
}

impl<T: Sync> AtomicRef<T> {
    /// Returns an empty place.
    pub const fn none() -> AtomicRef<T> {
        AtomicRef(AtomicPtr::new(ptr::null_mut()))
    }

    /// Returns the reference, if there is one.
    #[inline]
    pub fn load(&self) -> Option<&'static T> {
        // SAFETY: only `store` writes here, and it gets references that are valid forever, or none.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    /// Returns whether that is the reference.
    #[inline]
    pub fn is(&self, value: &T) -> bool {
        ptr::eq(self.0.load(Ordering::Acquire), value)
    }

    /// Replaces the reference.
    pub fn store(&self, value: Option<&'static T>) {
        self.0.store(value.map_or(ptr::null_mut(), |value| ptr::from_ref(value).cast_mut()), Ordering::Release);
    }
}
