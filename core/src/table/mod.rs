//! The handle table: handle bits to a guard on a live slot.
//!
//! Properties: a handle value is issued once in a process's life (a slot whose generations are used up is retired); a
//! look-up takes no lock; a slot's memory is never freed, so that a stale handle reads a word and nothing else; an
//! object that is in use is recycled by its last user.

mod field;
mod handle;
mod slot;
mod word;

#[cfg(not(loom))]
mod cache;
#[cfg(not(loom))]
mod guard;
#[cfg(not(loom))]
mod slab;

pub use handle::{Context, Event, Handle, Kind, Stream};
pub(crate) use slot::{Entry, Slot};
pub(crate) use word::Word;
#[cfg(not(loom))]
pub(crate) use {
    cache::Local as LocalCache,
    guard::Guard,
    slab::{Stored, Table},
};

#[cfg(all(test, loom))]
pub(crate) mod loom_tests;
#[cfg(all(test, not(loom)))]
mod tests;
