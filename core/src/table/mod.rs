//! The handle table: from the bits of a handle to a live object.
//!
//! Properties: a handle value is issued once in a process's life; a slot whose generations are used up is retired. A
//! lookup takes no lock. A slot's memory is never freed, so a stale handle only reads a word. The last user of an
//! object recycles it. `guard.rs` has the ways to reach a live object.
//!
//! gevt's other crates may define tables as well:
//!
//! ```
//! use gevt_core::table::{Recycle, Word, table};
//! use std::sync::atomic::{AtomicU32, Ordering};
//!
//! #[derive(Default)]
//! struct Graph(AtomicU32);
//!
//! impl Recycle for Graph {
//!     fn recycle(&self, _: Word) {
//!         self.0.store(0, Ordering::Relaxed);
//!     }
//! }
//!
//! table! {
//!     static GRAPHS: Graph, Graph;
//! }
//!
//! let handle = GRAPHS.insert(|graph| graph.0.store(7, Ordering::Relaxed))?;
//! assert_eq!(GRAPHS.get(handle)?.0.load(Ordering::Relaxed), 7);
//! GRAPHS.remove(handle)?;
//! assert!(GRAPHS.get(handle).is_err());
//! # Ok::<(), gevt_core::Error>(())
//! ```

mod field;
pub(crate) mod guard;
mod handle;
mod slot;
mod word;

#[cfg(not(loom))]
mod cache;
#[cfg(not(loom))]
mod slab;

pub use crate::kind::Kind;
#[cfg(not(loom))]
#[doc(hidden)]
pub use cache::{FreeSlots, LocalCache};
pub(crate) use field::Field;
pub use guard::Guard;
pub(crate) use guard::{Found, Life};
pub use handle::{Context, Event, Handle, Stream};
#[cfg(not(loom))]
pub use slab::Table;
pub(crate) use slot::Slot;
pub use slot::{Recycle, Stored};
pub use word::Word;

/// Declares the one table of a type, with the kind of its handles: `static GRAPHS: Graph, Kind;`.
#[cfg(not(loom))]
#[doc(hidden)]
#[macro_export]
macro_rules! __table {
    ($($(#[$about:meta])* $vis:vis static $name:ident: $value:ty, $kind:ident;)*) => {$(
        $(#[$about])*
        $vis static $name: $crate::table::Table<$value> = $crate::table::Table::new();

        impl $crate::table::Stored for $value {
            const KIND: $crate::table::Kind = $crate::table::Kind::$kind;
            fn cache() -> &'static ::std::thread::LocalKey<$crate::table::LocalCache> {
                ::std::thread_local! {
                    static CACHE: $crate::table::LocalCache = const { $crate::table::LocalCache::new($name.free()) };
                }
                &CACHE
            }
            fn give_back(index: u32) {
                $name.give_back(index);
            }
        }
    )*};
}
#[cfg(not(loom))]
#[doc(inline)]
pub use __table as table;

#[cfg(all(test, loom))]
pub(crate) mod loom_tests;
#[cfg(all(test, not(loom)))]
mod tests;
