//! Free slots: a short per-thread list in front of a shared one, so create and destroy rarely take a lock.

use crate::lock::Mutex;
use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;

/// How many slots move between a thread's list and the shared one at a time.
pub(crate) const BATCH: usize = 64;

/// The free slots of one table that no thread holds. All zeros when empty, so a static table takes no space in the
/// file.
pub struct FreeSlots(Mutex<Option<Box<List>>>);

#[derive(Default)]
struct List(Vec<u32>);

/// The free slots that one thread holds. It has no destructor: [`LocalCache::end`] is called when the thread ends.
pub struct LocalCache {
    shared: &'static FreeSlots,
    /// Whether the end is registered.
    pub(super) is_there: Cell<bool>,
    free: ManuallyDrop<RefCell<Vec<u32>>>,
}

impl FreeSlots {
    pub(crate) const fn new() -> FreeSlots {
        FreeSlots(Mutex::new(None))
    }

    fn take(&self, into: &mut Vec<u32>) {
        let mut list = self.0.lock();
        let list = &mut list.get_or_insert_default().0;
        let rest = list.len().saturating_sub(BATCH);
        into.extend(list.drain(rest..));
    }

    /// Reserves space for all slots of the table, so returning one never allocates; false if memory runs out.
    pub(crate) fn reserve(&self, slots: usize) -> bool {
        let mut list = self.0.lock();
        let list = &mut list.get_or_insert_default().0;
        let more = slots.saturating_sub(list.len());
        list.try_reserve(more).is_ok()
    }

    pub(crate) fn put(&self, slots: impl Iterator<Item = u32>) {
        self.0.lock().get_or_insert_default().0.extend(slots);
    }
}

impl LocalCache {
    #[doc(hidden)]
    pub const fn new(shared: &'static FreeSlots) -> LocalCache {
        LocalCache { shared, is_there: Cell::new(false), free: ManuallyDrop::new(RefCell::new(Vec::new())) }
    }

    /// A free slot; asks `carve` for new ones when all lists are empty.
    pub(crate) fn pop(&self, carve: impl FnOnce(&mut Vec<u32>)) -> Option<u32> {
        let mut free = self.free.borrow_mut();
        if free.is_empty() {
            // Twice a batch: the list never grows past that, so pushes never allocate.
            free.try_reserve(2 * BATCH).ok()?;
            self.shared.take(&mut free);
        }
        if free.is_empty() {
            carve(&mut free);
        }
        free.pop()
    }

    pub(crate) fn push(&self, slot: u32) {
        let mut free = self.free.borrow_mut();
        if free.capacity() == 0 && free.try_reserve(2 * BATCH).is_err() {
            return self.shared.put(std::iter::once(slot));
        }
        if free.len() >= 2 * BATCH {
            self.shared.put(free.drain(BATCH..));
        }
        free.push(slot);
    }

    /// Gives all slots back.
    pub(crate) fn end(&self) {
        self.is_there.set(false);
        let free = self.free.take();
        // In a forked child the lock may have been left held by a thread that is not there.
        if !crate::process::is_over() {
            self.shared.put(free.into_iter());
        }
    }
}
