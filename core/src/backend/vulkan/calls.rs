//! A device's calls in progress: its end waits for them.

use crate::error::{Error, Result};
use crate::process::{self, Uncancelled};
use crate::status::Status;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Several counters, to spread concurrent queries over cache lines.
const COUNTERS: usize = 16;
/// How long the end sleeps between two checks.
const PAUSE: Duration = Duration::from_micros(50);

#[repr(align(128))]
struct Counter(AtomicUsize);

/// The calls in progress, and whether more may begin.
pub(super) struct Calls {
    counters: [Counter; COUNTERS],
    ended: AtomicBool,
}

/// A call in progress. It ends when the value is dropped. The thread is not canceled meanwhile.
pub(super) struct CallGuard<'a> {
    counter: &'a AtomicUsize,
    _uncancelled: Uncancelled,
}

impl Calls {
    pub(super) const fn new() -> Calls {
        Calls { counters: [const { Counter(AtomicUsize::new(0)) }; COUNTERS], ended: AtomicBool::new(false) }
    }

    /// Begins a call; refused once the end has begun.
    #[inline]
    pub(super) fn enter(&self) -> Result<CallGuard<'_>> {
        let _uncancelled = Uncancelled::new();
        let Counter(counter) = &self.counters[own_counter()];
        counter.fetch_add(1, Ordering::SeqCst);
        let guard = CallGuard { counter, _uncancelled };
        self.check().map(|()| guard)
    }

    /// Fails once the end has begun.
    #[inline]
    pub(super) fn check(&self) -> Result<()> {
        if self.has_ended() { Err(process::check().err().unwrap_or(ENDED)) } else { Ok(()) }
    }

    /// Lets no further call begin. True for the first caller.
    pub(super) fn end(&self) -> bool {
        !self.ended.swap(true, Ordering::SeqCst)
    }

    /// Returns whether the end has begun.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// Blocks until no call is in progress, or until the deadline.
    pub(super) fn drain(&self, deadline: Option<Instant>) {
        for Counter(counter) in &self.counters {
            while counter.load(Ordering::SeqCst) != 0 && deadline.is_none_or(|deadline| Instant::now() < deadline) {
                std::thread::sleep(PAUSE);
            }
        }
    }
}

impl Drop for CallGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        self.counter.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Why a device that its owner has closed is refused.
pub(super) const ENDED: Error = Error::ContextLost(Status::CONTEXT_IS_DESTROYED);

/// The calling thread's counter.
#[inline]
fn own_counter() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: Cell<usize> = const { Cell::new(usize::MAX) };
    }
    OWN.with(|own| {
        if own.get() == usize::MAX {
            own.set(NEXT.fetch_add(1, Ordering::Relaxed) % COUNTERS);
        }
        own.get()
    })
}
