//! Arrays of the caller's.

use super::Out;
use crate::code::{Code, Result};
use crate::handle::Handle;

/// Returns the elements of an array of the caller's; without any, the pointer may be anything.
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

/// Writes handles into arrays of the caller's, of which `count` says how long they are, or how many handles there are if the
/// arrays are NULL. The rest of longer arrays becomes NULL. Afterwards `count` says how many were written.
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

/// Sets the bytes of as many edges' data to 0, which is what all edges have.
pub(crate) fn write_edge_data(to: Out<u64>, count: Out<usize>) -> Result {
    if to.is_null() {
        return Ok(());
    }
    (0..count.get()?).try_for_each(|at| to.at(at).set(0))
}

/// Refuses edges with data: they are between kernels that a device starts early.
pub(crate) fn check_edge_data(from: Out<u64>, count: usize) -> Result {
    if from.is_null() || read(from, count)?.iter().all(|data| *data == 0) { Ok(()) } else { Err(Code::NOT_SUPPORTED) }
}
