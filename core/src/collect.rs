//! Lists whose length the program chooses: one may be too long for the memory that is set aside for calls that have begun.

use crate::error::{Error, Result};

/// Collects the items; an error if one is an error, or if there is no memory.
pub(crate) fn try_collect<T>(items: impl IntoIterator<Item = Result<T>>) -> Result<Vec<T>> {
    let items = items.into_iter();
    let mut list = Vec::new();
    list.try_reserve(items.size_hint().0).map_err(|_| Error::OutOfMemory)?;
    for item in items {
        let item = item?;
        list.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
        list.push(item);
    }
    Ok(list)
}
