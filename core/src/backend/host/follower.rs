//! A stream that waits for another one without being listed there.

use super::stream::HostStream;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// No follower.
const NOBODY: u64 = u64::MAX;

/// The stream that continues when another one has come to a position, if one thread is about to run both: no other thread can miss
/// it, so that it needs no lock. Only whoever runs the other stream, or is about to, uses this.
pub(super) struct Follower {
    position: AtomicU64,
    stream: AtomicPtr<HostStream>,
}

impl Default for Follower {
    fn default() -> Follower {
        Follower { position: AtomicU64::new(NOBODY), stream: AtomicPtr::default() }
    }
}

impl Follower {
    /// Lets a stream continue at that position; false if there is another one already.
    #[inline]
    pub(super) fn set(&self, position: u64, stream: &'static HostStream) -> bool {
        let is_free = self.position.load(Ordering::Relaxed) == NOBODY;
        if is_free {
            self.stream.store(std::ptr::from_ref(stream).cast_mut(), Ordering::Relaxed);
            self.position.store(position, Ordering::Relaxed);
        }
        is_free
    }

    /// Takes the stream that continues at that position or one before it.
    #[inline]
    pub(super) fn take_due(&self, position: u64) -> Option<&'static HostStream> {
        if self.position.load(Ordering::Relaxed) > position {
            return None;
        }
        self.position.store(NOBODY, Ordering::Relaxed);
        // SAFETY: `set` stores the address of a stream before the position; streams are never freed.
        unsafe { self.stream.load(Ordering::Relaxed).as_ref() }
    }
}
