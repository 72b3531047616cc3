//! loom's atomics, with two gaps of loom 0.7 closed.
//!
//! loom reorders two accesses only if the earlier one is the last to the atomic. A thread that loads and then writes
//! hides another thread's earlier load from its write (loom's issues 166 and 392). So every access here first makes a
//! relaxed read-modify-write of a *door*: loom tries all orders of those, and they order nothing else.
//!
//! loom treats a SeqCst load as an Acquire one, so it may miss other threads' writes from before this thread's earlier
//! SeqCst writes. A SeqCst fence, which loom models, restores that order.

use loom::sync::atomic::{self, AtomicU8, Ordering, fence};

/// Functions that first pass the door.
macro_rules! functions {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)*) => {$(
        pub(crate) fn $name(&self, $($argument: $kind),*) -> $result {
            self.enter().$name($($argument),*)
        }
    )*};
}

macro_rules! modelled {
    ($($name:ident: $value:ty;)*) => {$(
        pub(crate) struct $name {
            door: AtomicU8,
            value: atomic::$name,
        }

        impl $name {
            pub(crate) fn new(value: $value) -> $name {
                $name { door: AtomicU8::new(0), value: atomic::$name::new(value) }
            }

            fn enter(&self) -> &atomic::$name {
                self.door.fetch_add(0, Ordering::Relaxed);
                &self.value
            }

            pub(crate) fn load(&self, order: Ordering) -> $value {
                let value = self.enter();
                if order == Ordering::SeqCst {
                    fence(Ordering::SeqCst);
                }
                value.load(order)
            }

            functions! {
                store(value: $value, order: Ordering) -> ();
                swap(value: $value, order: Ordering) -> $value;
                fetch_add(value: $value, order: Ordering) -> $value;
                fetch_sub(value: $value, order: Ordering) -> $value;
                fetch_or(value: $value, order: Ordering) -> $value;
                compare_exchange(old: $value, new: $value, success: Ordering, failure: Ordering) -> Result<$value, $value>;
                compare_exchange_weak(old: $value, new: $value, success: Ordering, failure: Ordering) -> Result<$value, $value>;
            }
        }

        impl Default for $name {
            fn default() -> $name {
                $name::new(0)
            }
        }
    )*};
}
modelled! { AtomicU32: u32; AtomicU64: u64; AtomicUsize: usize; }
