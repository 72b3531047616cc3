//! Arrays that callers pass.

use super::Out;
use crate::code::{Code, Result};
use crate::handle::Handle;

/// Returns the elements of an array. If the count is 0, the pointer may be anything.
pub(crate) fn read<T: Copy>(from: Out<T>, count: usize) -> Result<Vec<T>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    from.check()?;
    let mut items = Vec::new();
    items.try_reserve(count).map_err(|_| Code::INVALID_VALUE)?;
    for at in 0..count {
        items.push(from.at(at).get()?);
    }
    Ok(items)
}

/// Writes handles into the caller's arrays. `count` is their length, or returns the number of handles if the arrays are NULL. Fills the
/// rest of longer arrays with NULL and sets `count` to the number written.
pub(crate) fn write<const N: usize>(to: [Out<Handle>; N], count: Out<usize>, items: &[[Handle; N]]) -> Result {
    let room = count.check()?;
    if to.iter().all(|to| to.is_null()) {
        return count.set(items.len());
    }
    let room = room.get()?;
    if to.iter().any(|to| to.is_null()) {
        return Err(Code::INVALID_VALUE);
    }
    for at in 0..room {
        let item = items.get(at).copied().unwrap_or([0; N]);
        to.iter().zip(item).try_for_each(|(to, handle)| to.at(at).set(handle))?;
    }
    count.set(room.min(items.len()))
}

/// Sets the data of `count` edges to 0. All edges have this value.
pub(crate) fn write_edge_data(to: Out<u64>, count: Out<usize>) -> Result {
    if to.is_null() {
        return Ok(());
    }
    (0..count.get()?).try_for_each(|at| to.at(at).set(0))
}

/// Refuses edges with data: they are for kernels that a device starts early.
pub(crate) fn check_edge_data(from: Out<u64>, count: usize) -> Result {
    if from.is_null() || read(from, count)?.iter().all(|data| *data == 0) { Ok(()) } else { Err(Code::NOT_SUPPORTED) }
}
