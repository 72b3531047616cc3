//! The outputs of the exported functions, which are written only on success.

use gevt_core::{Error, Result};
use std::ptr::NonNull;

/// An output parameter: NULL, or valid for a write until the function returns.
#[repr(transparent)]
pub struct Out<T>(Option<NonNull<T>>);

impl<T> Out<T> {
    /// Passes a pointer, as C does.
    ///
    /// # Safety
    /// It must be NULL, or valid for a write for as long as the value is used.
    pub unsafe fn new(pointer: *mut T) -> Out<T> {
        Out(NonNull::new(pointer))
    }

    /// Returns what writes the output; fails if the parameter, which is called `name`, is NULL.
    pub(super) fn check(self, name: &'static str) -> Result<Writer<T>> {
        self.0.map(Writer).ok_or(Error::NullPointer(name))
    }
}

/// Writes an output.
pub(super) struct Writer<T>(NonNull<T>);

impl<T> Writer<T> {
    pub(super) fn write(self, value: T) {
        // SAFETY: the pointer of an `Out`, which is valid for a write; it need not be aligned.
        unsafe { self.0.write_unaligned(value) }
    }
}
