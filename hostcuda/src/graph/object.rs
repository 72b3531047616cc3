//! User objects that graphs hold references to. Releasing the last reference calls the destructor.

use crate::code::{Code, Result};
use crate::handle::{Handle, of_c, to_c};
use crate::work::{Function, User};
use gevt_core::lock::Mutex;
use gevt_core::table::{Recycle, Word, table};

struct Object {
    pointer: User,
    destroy: Function,
    count: u64,
}

#[derive(Default)]
struct ObjectSlot(Mutex<Option<Object>>);

table! {
    static OBJECTS: ObjectSlot, UserObject;
}

impl Recycle for ObjectSlot {
    fn recycle(&self, _: Word) {
        *self.0.lock() = None;
    }
}

/// The most references that a call adds or releases.
const MOST: u32 = i32::MAX as u32;

fn check(count: u32) -> Result<u64> {
    if (1..=MOST).contains(&count) { Ok(count.into()) } else { Err(Code::INVALID_VALUE) }
}

/// A graph's references to an object.
pub(crate) struct Kept {
    pub(crate) object: Handle,
    pub(crate) count: u32,
}

impl Kept {
    /// Returns one reference for another graph.
    pub(crate) fn again(&self) -> Kept {
        let count = if retain_object(self.object, 1).is_ok() { 1 } else { 0 };
        Kept { object: self.object, count }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if self.count > 0 {
            let _ = release_object(self.object, self.count);
        }
    }
}

/// Creates an object with `count` references.
pub(crate) fn create_object(pointer: User, destroy: Function, count: u32) -> Result<Handle> {
    if count == 0 {
        return Err(Code::INVALID_VALUE);
    }
    let object = Object { pointer, destroy, count: count.into() };
    Ok(to_c(OBJECTS.insert(|slot| *slot.0.lock() = Some(object))?))
}

/// Adds references.
pub(crate) fn retain_object(handle: Handle, count: u32) -> Result {
    let count = check(count)?;
    let slot = OBJECTS.get(of_c(handle)).map_err(|_| Code::INVALID_VALUE)?;
    slot.0.lock().as_mut().ok_or(Code::INVALID_VALUE)?.count += count;
    Ok(())
}

/// Releases references. The last one calls the destructor on this thread.
pub(crate) fn release_object(handle: Handle, count: u32) -> Result {
    let count = check(count)?;
    let slot = OBJECTS.get(of_c(handle)).map_err(|_| Code::INVALID_VALUE)?;
    let ended = {
        let mut place = slot.0.lock();
        let object = place.as_mut().ok_or(Code::INVALID_VALUE)?;
        object.count = object.count.checked_sub(count).ok_or(Code::INVALID_VALUE)?;
        if object.count == 0 { place.take() } else { None }
    };
    drop(slot);
    if let Some(object) = ended {
        let _ = OBJECTS.remove(of_c(handle));
        (object.destroy)(object.pointer.0);
    }
    Ok(())
}
