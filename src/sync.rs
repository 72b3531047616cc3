//! The one place that switches between std's atomics and loom's model of them.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A load that has its place in the one order of all SeqCst operations.
pub(crate) trait LoadOrdered {
    type Value;
    fn load_ordered(&self) -> Self::Value;
}

macro_rules! load_ordered {
    ($($atomic:ty, $value:ty;)*) => {$(
        impl LoadOrdered for $atomic {
            type Value = $value;
            #[inline]
            fn load_ordered(&self) -> $value {
                // loom takes SeqCst for AcqRel, and would let the load miss what others wrote before the thread's own
                // earlier writes; it knows the order of fences.
                #[cfg(loom)]
                loom::sync::atomic::fence(Ordering::SeqCst);
                self.load(Ordering::SeqCst)
            }
        }
    )*};
}
load_ordered! { AtomicU32, u32; AtomicU64, u64; }

/// Gives way to other threads inside a short retry loop.
pub(crate) fn spin() {
    #[cfg(loom)]
    loom::thread::yield_now();
    #[cfg(not(loom))]
    std::hint::spin_loop();
}
