//! User objects: objects of the program that graphs keep. The last reference calls the destructor.

use crate::code::{Code, Result};
use crate::handle::{Handle, Locked};
use crate::work::{Function, User};
use gevt_core::table::table;

struct Object {
    pointer: User,
    destroy: Function,
    count: u64,
}

table! {
    static OBJECTS: Locked<Object>, UserObject;
}

/// References that a graph has. A clone is one reference.
pub(crate) struct Kept {
    pub(crate) object: Handle,
    pub(crate) count: u32,
}

impl Clone for Kept {
    fn clone(&self) -> Kept {
        let count = change_object(self.object, 1).map_or(0, |()| 1);
        Kept { object: self.object, count }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if self.count > 0 {
            let _ = change_object(self.object, -i64::from(self.count));
        }
    }
}

/// Takes up to this many references to an object off a list.
pub(crate) fn take_references(list: &mut Vec<Kept>, object: Handle, count: u32) -> Vec<Kept> {
    let mut left = count;
    let mut taken = Vec::new();
    for kept in list.iter_mut().filter(|kept| kept.object == object) {
        let part = kept.count.min(left);
        kept.count -= part;
        left -= part;
        taken.push(Kept { object, count: part });
    }
    list.retain(|kept| kept.count > 0);
    taken
}

/// Creates an object with this many references.
pub(crate) fn create_object(pointer: User, destroy: Function, count: u32) -> Result<Handle> {
    Locked::insert(&OBJECTS, Object { pointer, destroy, count: count.into() })
}

/// Adds references, or removes them if the number is negative. The last one calls the destructor, on this thread.
pub(crate) fn change_object(handle: Handle, by: i64) -> Result {
    let ended = Locked::with(&OBJECTS, handle, |object| {
        // Without references it is about to end.
        let count = Some(object.count).filter(|count| *count > 0);
        object.count = count.and_then(|count| count.checked_add_signed(by)).ok_or(Code::INVALID_VALUE)?;
        Ok((object.count == 0).then_some((object.destroy, object.pointer)))
    })?;
    if let Some((destroy, pointer)) = ended {
        let _ = Locked::remove(&OBJECTS, handle);
        destroy(pointer.0);
    }
    Ok(())
}
