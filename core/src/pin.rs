//! Pins: a thread uses the native objects of handles without holding a reference to them. It protects them by hazard pointers, and then
//! finds the handles alive. Protected objects are neither destroyed nor reused.
//!
//! [`Hazards::protect`] is two plain stores. The destroyer pays for the order by a barrier on all threads of the process
//! ([`heavy_fence`]). After that, either the destroyer sees the protection, or the thread sees that the object's handle is dead.

#[cfg(all(test, loom))]
mod loom_tests;
#[cfg(not(loom))]
mod places;

use crate::process;
use crate::sync::{AtomicU64, Ordering};
use crate::table::Life;
#[cfg(not(loom))]
pub(crate) use places::scan;

/// Native objects that the calling thread protects.
pub(crate) struct Pin(&'static Hazards);

impl Pin {
    /// Protects native objects of two lives until the result is dropped; the second may be 0 for none. `None` if the first is 0, if one of
    /// the lives is over, if the thread protects something already, or if the system has no barrier for it.
    #[cfg(not(loom))]
    #[inline]
    pub(crate) fn new(natives: [u64; 2], lives: [Life<'_>; 2]) -> Option<Pin> {
        let hazards = if natives[0] == 0 { None } else { places::mine() }?;
        hazards.protect(natives);
        let pin = Pin(hazards);
        (lives[0].lasts() && lives[1].lasts() && process::may_protect()).then_some(pin)
    }
}

impl Pin {
    /// Protects an object until the result is dropped; `None` as for [`Pin::new`]. The caller then finds the object alive.
    #[cfg(not(loom))]
    #[inline]
    pub(crate) fn of(object: u64) -> Option<Pin> {
        let hazards = places::mine()?;
        hazards.protect([object, 0]);
        let pin = Pin(hazards);
        process::may_protect().then_some(pin)
    }
}

impl Drop for Pin {
    #[inline]
    fn drop(&mut self) {
        self.0.clear();
    }
}

/// The objects that one thread uses. Other threads read them now and then: they have their own cache line.
#[repr(align(128))]
pub(crate) struct Hazards {
    natives: [AtomicU64; 2],
}

impl Hazards {
    pub(crate) fn new() -> Hazards {
        Hazards { natives: [AtomicU64::new(0), AtomicU64::new(0)] }
    }

    /// Protects native objects; 0 means none. Objects found alive after this stay until [`Hazards::clear`].
    #[inline]
    pub(crate) fn protect(&self, natives: [u64; 2]) {
        self.natives[0].store(natives[0], Ordering::Relaxed);
        self.natives[1].store(natives[1], Ordering::Relaxed);
        light_fence();
    }

    #[inline]
    pub(crate) fn clear(&self) {
        self.natives[0].store(0, Ordering::Release);
        self.natives[1].store(0, Ordering::Release);
    }

    /// Returns whether nothing is protected.
    #[inline]
    pub(crate) fn is_clear(&self) -> bool {
        self.natives[0].load(Ordering::Relaxed) == 0
    }

    /// Returns whether anything is protected, to another thread; see [`Hazards::has`].
    pub(crate) fn has_any(&self) -> bool {
        self.natives.iter().any(|protected| protected.load(Ordering::Acquire) != 0)
    }

    /// Returns whether the object is protected, to a caller that has called [`heavy_fence`] since the object's handle died.
    pub(crate) fn has(&self, native: u64) -> bool {
        self.natives.iter().any(|protected| protected.load(Ordering::Acquire) == native)
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
