//! Pins: a thread uses objects without holding a reference to them. It publishes their addresses, and then finds them alive. Pinned
//! objects are neither destroyed nor reused.
//!
//! [`Hazard::protect`] is two plain stores. The destroyer pays for the order by a barrier on all threads of the process
//! ([`heavy_fence`]). After that, either the destroyer sees the pin, or the thread sees that the object is dead.

#[cfg(all(test, loom))]
mod loom_tests;
#[cfg(not(loom))]
mod places;

use crate::sync::{AtomicU64, Ordering};
#[cfg(not(loom))]
pub(crate) use places::{Pin, scan};

/// The objects of one pin; 0 means none.
#[derive(Default)]
pub(crate) struct Hazard([AtomicU64; 2]);

impl Hazard {
    /// Protects objects. Those that are found alive after this stay until [`Hazard::clear`].
    #[inline]
    pub(crate) fn protect(&self, objects: [u64; 2]) {
        self.0[0].store(objects[0], Ordering::Relaxed);
        self.0[1].store(objects[1], Ordering::Relaxed);
        light_fence();
    }

    #[inline]
    pub(crate) fn clear(&self) {
        self.0[0].store(0, Ordering::Release);
        self.0[1].store(0, Ordering::Release);
    }

    /// Returns whether nothing is protected, to the thread that protects.
    #[inline]
    pub(crate) fn is_clear(&self) -> bool {
        self.0[0].load(Ordering::Relaxed) == 0
    }

    /// Returns whether the object is protected, to a caller that has called [`heavy_fence`] since the object died.
    pub(crate) fn has(&self, object: u64) -> bool {
        self.0.iter().any(|protected| protected.load(Ordering::Acquire) == object)
    }
}

/// For the protecting thread: the compiler preserves the order, and [`heavy_fence`] makes the processor preserve it
/// where needed.
#[inline]
fn light_fence() {
    #[cfg(not(loom))]
    std::sync::atomic::compiler_fence(Ordering::SeqCst);
    #[cfg(loom)]
    loom::sync::atomic::fence(Ordering::SeqCst);
}

/// For the destroying thread: afterwards it sees earlier protections by other threads, and they see its earlier writes.
/// False if the system refuses.
pub(crate) fn heavy_fence() -> bool {
    #[cfg(not(loom))]
    return crate::os::barrier_of_process();
    #[cfg(loom)]
    {
        loom::sync::atomic::fence(Ordering::SeqCst);
        true
    }
}
