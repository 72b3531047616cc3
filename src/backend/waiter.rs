//! Who is to be woken when a stream gets somewhere.

use super::Completion;
use super::host::Stream;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::Instant;

/// Woken once.
pub(crate) enum Waiter {
    /// A thread that is parked, or about to be.
    Thread(Arc<Parker>),
    /// Work for a thread of the backend's.
    Work(Completion),
    /// A host stream that cannot go on before.
    Stream(&'static Stream),
}

/// A thread that waits until it is told to look again.
#[derive(Default)]
pub(crate) struct Parker {
    told: Mutex<bool>,
    wake: Condvar,
}

impl Parker {
    /// Waits until [`Parker::unpark`], or until the deadline; true where it was told.
    pub(crate) fn park(&self, deadline: Option<Instant>) -> bool {
        let mut told = self.told.lock();
        while !*told {
            match deadline {
                None => self.wake.wait(&mut told),
                Some(at) if self.wake.wait_until(&mut told, at).timed_out() => break,
                Some(_) => {}
            }
        }
        std::mem::take(&mut *told)
    }

    pub(crate) fn unpark(&self) {
        *self.told.lock() = true;
        self.wake.notify_one();
    }
}
