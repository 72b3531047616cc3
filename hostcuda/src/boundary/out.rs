//! Pointers that C passes: result pointers and strings.

use crate::code::{Code, Result};
use std::ffi::{CStr, c_char};

/// A pointer to a caller's result.
///
/// Values come only from the arguments of exported functions and from structures that these point to. Callers promise that each pointer is
/// NULL or valid.
#[repr(transparent)]
pub(crate) struct Out<T>(*mut T);

impl<T> Copy for Out<T> {}

impl<T> Clone for Out<T> {
    fn clone(&self) -> Out<T> {
        *self
    }
}

impl<T> Out<T> {
    /// For a result that some forms of a function lack.
    pub(crate) const NONE: Out<T> = Out(std::ptr::null_mut());

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Wraps a local variable.
    pub(crate) fn of(variable: &mut T) -> Out<T> {
        Out(variable)
    }

    /// A pointer that the caller passed as a number.
    pub(crate) fn at_address(address: usize) -> Out<T> {
        Out(address as *mut T)
    }

    /// Refuses NULL, before anything is created that would have to be undone.
    pub(crate) fn check(self) -> Result<Out<T>> {
        if self.0.is_null() { Err(Code::INVALID_VALUE) } else { Ok(self) }
    }

    /// Writes the result; NULL is INVALID_VALUE.
    pub(crate) fn set(self, value: T) -> Result {
        self.check()?;
        // SAFETY: it is not NULL, and the caller of the exported function promises that it can then be written.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Writes the result unless the pointer is NULL.
    pub(crate) fn offer(self, value: T) {
        if !self.is_null() {
            let _ = self.set(value);
        }
    }

    /// Reads the current value; NULL is INVALID_VALUE.
    pub(crate) fn get(self) -> Result<T>
    where
        T: Copy,
    {
        self.check()?;
        // SAFETY: it is not NULL, and the caller of the exported function promises that it can then be read.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// The element at index `count` of the caller's array.
    pub(crate) fn at(self, count: usize) -> Out<T> {
        Out(self.0.wrapping_add(count))
    }

    /// The same pointer, for another type.
    pub(crate) fn cast<U>(self) -> Out<U> {
        Out(self.0.cast())
    }

    /// The same pointer, for a result of four bytes.
    pub(crate) fn narrow(self) -> Out<u32> {
        Out(self.0.cast())
    }
}

impl Out<c_char> {
    /// Writes a string and its terminating zero, truncated to `len` bytes.
    pub(crate) fn set_text(self, text: &str, len: i32) -> Result {
        let len = usize::try_from(len).ok().filter(|len| *len > 0).ok_or(Code::INVALID_VALUE)?;
        let shown = text.bytes().take(len - 1).chain([0]);
        shown.enumerate().try_for_each(|(at, byte)| self.check()?.at(at).set(byte as c_char))
    }
}

/// A caller's C string, or NULL. It comes only from the arguments of exported functions.
#[repr(transparent)]
pub(crate) struct Text(*const c_char);

impl Text {
    /// The string; NULL is INVALID_VALUE. Invalid UTF-8 reads as empty, because no CUDA name has it.
    pub(crate) fn get(&self) -> Result<&str> {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: it is not NULL, and the caller promises that it is then a C string that stays valid during the call.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_str().unwrap_or_default())
    }
}
