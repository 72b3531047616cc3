//! Structures of gevt.h that begin with their size: later versions add fields at the end, and callers keep the size that they know.

use gevt_core::{Error, Result};
use std::mem::MaybeUninit;

/// A structure that begins with its size, which the caller sets.
///
/// # Safety
///
/// The first field is a `usize`, the size. Bytes of zeros are a value of the type.
pub(super) unsafe trait SizedStructure: Sized {
    /// The least size that a caller may pass: that of the first version. It never changes.
    const FIRST: usize;
    /// The argument's name.
    const NAME: &'static str;
    /// The name of its size.
    const SIZE_NAME: &'static str;
}

/// Makes a structure a [`SizedStructure`], by its argument's name and the last field that the first version requires.
macro_rules! sized {
    ($type:ident, $name:literal, $last:ident: $last_type:ty) => {
        // SAFETY: it begins with its size, and its other fields are numbers and pointers, functions among them, which may be zero.
        unsafe impl super::sized::SizedStructure for $type {
            const FIRST: usize = std::mem::offset_of!($type, $last) + size_of::<$last_type>();
            const NAME: &'static str = $name;
            const SIZE_NAME: &'static str = concat!($name, "->size");
        }
    };
}
pub(super) use sized;

/// Returns the size of a caller's structure, if it is one of any version.
///
/// # Safety
/// `pointer` must be NULL or begin with a readable size.
unsafe fn size_of_callers<T: SizedStructure>(pointer: *const T) -> Result<usize> {
    if pointer.is_null() {
        return Err(Error::NullPointer(T::NAME));
    }
    // SAFETY: not NULL, so this function requires it to begin with a readable size. It need not be aligned.
    let size = unsafe { pointer.cast::<usize>().read_unaligned() };
    if size < T::FIRST { Err(Error::BadArgument(T::SIZE_NAME)) } else { Ok(size) }
}

/// Reads a caller's structure. Fields that its version does not have are zero.
///
/// # Safety
/// `pointer` must be NULL or point to a structure that has the size with which it begins.
pub(super) unsafe fn read<T: SizedStructure>(pointer: *const T) -> Result<T> {
    // SAFETY: this function requires it.
    let size = unsafe { size_of_callers(pointer) }?;
    if size >= size_of::<T>() {
        // SAFETY: the structure is at least as long as the type, whose values all its bytes are. It need not be aligned.
        return Ok(unsafe { pointer.read_unaligned() });
    }
    let mut value = MaybeUninit::<T>::zeroed();
    // SAFETY: the structure has at least `size` bytes by this function's requirement, and fewer than `value`.
    unsafe { pointer.cast::<u8>().copy_to_nonoverlapping(value.as_mut_ptr().cast(), size) };
    // SAFETY: zeros are a value of the type by its `SizedStructure`, and the bytes of a prefix are those of the caller's value.
    Ok(unsafe { value.assume_init() })
}

/// A caller's structure that a call fills.
pub(super) struct SizedOut<T> {
    place: *mut T,
    /// The number of bytes to write: as many as the caller's version has.
    size: usize,
}

impl<T: SizedStructure> SizedOut<T> {
    /// Takes the structure.
    ///
    /// # Safety
    /// `place` must be NULL, or begin with a readable size and point to that many bytes that are valid for writes until
    /// [`SizedOut::write`] returns.
    #[inline]
    pub(super) unsafe fn new(place: *mut T) -> Result<SizedOut<T>> {
        // SAFETY: this function requires it.
        let size = unsafe { size_of_callers(place.cast_const()) }?.min(size_of::<T>());
        Ok(SizedOut { place, size })
    }

    /// Writes as much of a value as the caller's version has; `make` is given the number of bytes.
    #[inline]
    pub(super) fn write(self, make: impl FnOnce(usize) -> T) {
        let value = make(self.size);
        if self.size >= size_of::<T>() {
            // SAFETY: `new` requires that many bytes to be valid. They need not be aligned.
            return unsafe { self.place.write_unaligned(value) };
        }
        // SAFETY: `new` requires `size` writable bytes, and `value` is longer by the line above.
        unsafe { std::ptr::from_ref(&value).cast::<u8>().copy_to_nonoverlapping(self.place.cast(), self.size) };
    }
}

#[cfg(test)]
#[path = "sized_tests.rs"]
mod tests;
