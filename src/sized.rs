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

/// Writes as much of a structure as the caller's version has.
///
/// # Safety
/// `pointer` must be valid for writes of `size` bytes.
#[inline]
unsafe fn write<T: SizedStructure>(pointer: *mut T, size: usize, value: T) {
    if size >= size_of::<T>() {
        // SAFETY: this function requires it to be valid for that many bytes. It need not be aligned.
        return unsafe { pointer.write_unaligned(value) };
    }
    // SAFETY: this function requires `size` writable bytes, and `value` is longer by the line above.
    unsafe { std::ptr::from_ref(&value).cast::<u8>().copy_to_nonoverlapping(pointer.cast(), size) };
}

/// Writes as much of a description as the caller's version has; `make` is given the number of bytes.
///
/// # Safety
/// `info` must be NULL, or begin with a readable size and point to that many writable bytes.
pub(super) unsafe fn describe<T: SizedStructure>(info: *mut T, make: impl FnOnce(usize) -> Result<T>) -> Result<()> {
    // SAFETY: this function requires it.
    let size = unsafe { size_of_callers(info.cast_const()) }?.min(size_of::<T>());
    let known = make(size)?;
    // SAFETY: this function requires `info` to have the size that it says, which `size` does not exceed.
    unsafe { write(info, size, known) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a later version has made of a structure of two fields.
    #[repr(C)]
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct Grown {
        size: usize,
        old: u64,
        new: u64,
    }

    // SAFETY: it begins with its size, and zeros are numbers.
    unsafe impl SizedStructure for Grown {
        const FIRST: usize = std::mem::offset_of!(Grown, new);
        const NAME: &'static str = "grown";
        const SIZE_NAME: &'static str = "grown->size";
    }

    fn read_with(size: usize) -> Result<Grown> {
        let given = Grown { size, old: 5, new: 6 };
        // SAFETY: the structure has three words, and `size` says no more where it is accepted.
        unsafe { read(&given) }
    }

    #[test]
    fn every_size_from_the_first_version_on_is_accepted() {
        let all = size_of::<Grown>();
        assert_eq!(read_with(Grown::FIRST), Ok(Grown { size: Grown::FIRST, old: 5, new: 0 }));
        assert_eq!(read_with(all), Ok(Grown { size: all, old: 5, new: 6 }));
        for too_small in [0, 1, Grown::FIRST - 1] {
            assert_eq!(read_with(too_small), Err(Error::BadArgument("grown->size")));
        }
        // SAFETY: NULL is allowed.
        assert_eq!(unsafe { read::<Grown>(std::ptr::null()) }, Err(Error::NullPointer("grown")));
    }

    #[test]
    fn nothing_is_written_behind_the_callers_version() {
        for (size, new) in [(Grown::FIRST, 9), (size_of::<Grown>(), 6), (1000, 6)] {
            let mut out = Grown { size, old: 9, new: 9 };
            // SAFETY: at most the structure's own size is written.
            unsafe { write(&mut out, size, Grown { size, old: 5, new: 6 }) };
            assert_eq!(out, Grown { size, old: 5, new });
        }
    }
}
