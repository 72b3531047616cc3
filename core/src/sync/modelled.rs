//! loom's atomics, with two gaps of loom 0.7 closed.
//!
//! loom reorders two accesses only if the earlier one is the last to the atomic. A thread that loads and then writes
//! hides another thread's earlier load from its write (loom's issues 166 and 392). So every access here first makes a
//! relaxed read-modify-write of a *door*: loom tries all orders of those, and they order nothing else.
//!
//! loom treats a SeqCst load as an Acquire one, so it may miss other threads' writes from before this thread's earlier
//! SeqCst writes. A SeqCst fence, which loom models, restores that order.

use loom::sync::atomic::{self, AtomicU8, Ordering, fence};

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

            pub(crate) fn store(&self, value: $value, order: Ordering) {
                self.enter().store(value, order);
            }

            pub(crate) fn swap(&self, value: $value, order: Ordering) -> $value {
                self.enter().swap(value, order)
            }

            pub(crate) fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                self.enter().fetch_add(value, order)
            }

            pub(crate) fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                self.enter().fetch_sub(value, order)
            }

            pub(crate) fn fetch_or(&self, value: $value, order: Ordering) -> $value {
                self.enter().fetch_or(value, order)
            }

            pub(crate) fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.enter().compare_exchange(current, new, success, failure)
            }

            pub(crate) fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.enter().compare_exchange_weak(current, new, success, failure)
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

/// As above, for what a flag can do.
///
/// A store is a swap. loom can order one thread's swap after another thread's plain store although the swap read the
/// older value, and the flag would be lost.
pub(crate) struct AtomicBool {
    door: AtomicU8,
    value: atomic::AtomicBool,
}

impl AtomicBool {
    pub(crate) fn new(value: bool) -> AtomicBool {
        AtomicBool { door: AtomicU8::new(0), value: atomic::AtomicBool::new(value) }
    }

    fn enter(&self) -> &atomic::AtomicBool {
        self.door.fetch_add(0, Ordering::Relaxed);
        &self.value
    }

    pub(crate) fn load(&self, order: Ordering) -> bool {
        self.enter().load(order)
    }

    pub(crate) fn store(&self, value: bool, order: Ordering) {
        self.enter().swap(value, order);
    }

    pub(crate) fn swap(&self, value: bool, order: Ordering) -> bool {
        self.enter().swap(value, order)
    }
}
