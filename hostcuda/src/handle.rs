//! Handles as C passes them: the numbers of the core's tables, encoded to look like pointers.

use crate::code::{self, Code};
use gevt_core::Result;
use gevt_core::atomic_ref::AtomicRef;
use gevt_core::lock::Mutex;
use gevt_core::table::{self, Recycle, Stored, Table, Word};

/// Names an object in C. Zero names no object.
pub(crate) type Handle = usize;

/// The core's handles begin with these bits. In C, a handle ends with them, inverted. This keeps it a positive signed number, which
/// bindings of other languages expect, and it leaves the low bits free for programs that tag pointers.
const BITS: u32 = 3;
const FIRST: u64 = 0b111;

/// Returns the handle as C passes it.
pub(crate) fn to_c(handle: table::Handle) -> Handle {
    (handle.0.rotate_left(BITS) ^ FIRST) as Handle
}

/// Returns the handle as the tables know it.
#[inline]
pub(crate) fn of_c(handle: Handle) -> table::Handle {
    table::Handle(if handle == 0 { 0 } else { (handle as u64 ^ FIRST).rotate_right(BITS) })
}

/// A slot of a table whose objects are never freed.
pub(crate) struct Lasting<T: 'static>(AtomicRef<T>);

impl<T> Default for Lasting<T> {
    fn default() -> Lasting<T> {
        Lasting(AtomicRef::default())
    }
}

impl<T: Sync> Recycle for Lasting<T> {
    fn recycle(&self, _: Word) {}
}

impl<T: Sync> Lasting<T>
where
    Lasting<T>: Stored,
{
    /// Gives the object a handle.
    pub(crate) fn insert(table: &'static Table<Lasting<T>>, object: &'static T) -> Result<Handle> {
        table.insert(|slot| slot.0.store(Some(object))).map(to_c)
    }

    /// Gives the handle of another object to this one.
    pub(crate) fn replace(table: &'static Table<Lasting<T>>, handle: Handle, object: &'static T) -> Result<()> {
        table.peek(of_c(handle)).map(|slot| slot.0.store(Some(object)))
    }

    /// Returns the object of a handle.
    pub(crate) fn find(table: &'static Table<Lasting<T>>, handle: Handle) -> Option<&'static T> {
        table.peek(of_c(handle)).ok()?.0.load()
    }
}

/// A slot of a table whose objects are used under a lock, and end with their handles.
pub(crate) struct Locked<T>(Mutex<Option<T>>);

impl<T> Default for Locked<T> {
    fn default() -> Locked<T> {
        Locked(Mutex::new(None))
    }
}

impl<T: Send + 'static> Recycle for Locked<T> {
    fn recycle(&self, _: Word) {
        // Dropped when the slot is unlocked: it may end others.
        let ended = self.0.lock().take();
        drop(ended);
    }
}

impl<T: Send + 'static> Locked<T>
where
    Locked<T>: Stored,
{
    /// Gives the object a handle.
    pub(crate) fn insert(table: &'static Table<Locked<T>>, object: T) -> code::Result<Handle> {
        Ok(to_c(table.insert(|slot| *slot.0.lock() = Some(object))?))
    }

    /// Runs the body on the object of a handle. Any other handle is INVALID_VALUE.
    pub(crate) fn with<R>(
        table: &'static Table<Locked<T>>,
        handle: Handle,
        body: impl FnOnce(&mut T) -> code::Result<R>,
    ) -> code::Result<R> {
        let slot = table.get(of_c(handle)).map_err(|_| Code::INVALID_VALUE)?;
        let mut object = slot.0.lock();
        body(object.as_mut().ok_or(Code::INVALID_VALUE)?)
    }

    /// Ends the life of an object.
    pub(crate) fn remove(table: &'static Table<Locked<T>>, handle: Handle) -> code::Result {
        table.remove(of_c(handle)).map_err(|_| Code::INVALID_VALUE)
    }
}

#[cfg(test)]
#[path = "handle_tests.rs"]
mod tests;
