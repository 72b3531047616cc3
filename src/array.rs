//! Arrays of the caller, whose elements need not be aligned.

use gevt_core::{Error, Event, Result};

/// Fails if the caller's array called `name` cannot have `n` elements.
fn check_array<T>(array: *const T, n: usize, name: &'static str) -> Result<()> {
    match n {
        0 => Ok(()),
        _ if array.is_null() => Err(Error::NullPointer(name)),
        _ if n > isize::MAX as usize / size_of::<T>() => Err(Error::BadArgument("n")),
        _ => Ok(()),
    }
}

/// Returns what writes an element of the caller's array called `name`.
///
/// # Safety
/// `array` must be NULL or have `n` elements that are valid for writes for as long as the function is used.
pub(super) unsafe fn outs<T>(array: *mut T, n: usize, name: &'static str) -> Result<impl Fn(usize, T)> {
    check_array(array, n, name)?;
    Ok(move |place: usize, value| {
        assert!(place < n, "no such element");
        // SAFETY: the place is below `n`, and so within the array by this function's requirement.
        unsafe { array.add(place).write_unaligned(value) }
    })
}

/// Returns the handles of the caller's array.
///
/// # Safety
/// `evs` must be NULL or point to `n` handles that do not change for as long as the iterator is used.
pub(super) unsafe fn list(
    evs: *const Event,
    n: usize,
    name: &'static str,
) -> Result<impl ExactSizeIterator<Item = Event> + Clone> {
    check_array(evs, n, name)?;
    // SAFETY: each place is below `n`, and so within the array by this function's requirement.
    Ok((0..n).map(move |place| unsafe { evs.add(place).read_unaligned() }))
}
