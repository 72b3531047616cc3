//! What workers run, and what waits for a completion.

use super::parker::Parker;
use crate::status::Status;
use std::sync::Arc;

/// What is to be done when a mark is reached, or cannot be reached any more: the status says which.
pub(crate) type Completion = Box<dyn FnOnce(Status) + Send>;

/// How much of a task a thread does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// As much as there is, until it has to wait, until others are due, or until the thread [should return](super::should_return).
    Whole,
    /// A thread that others wait for: a little, and no function of the caller's. The rest is scheduled.
    Brief,
}

/// Something that runs by turns, on any thread but on one at a time, such as a stream.
///
/// Each task has a place in the queue, by [`WorkerPool::reserve`](super::WorkerPool::reserve).
pub(crate) trait Task: Sync {
    fn run(&'static self, turn: Turn);
}

/// Something that several threads do together. It has a place in the queue until it is dropped.
pub(crate) trait Shared: Send + Sync {
    /// Does some of it.
    fn take_part(self: Arc<Self>);
}

/// What a worker can do next.
pub(crate) enum Runnable {
    /// Run something of a backend's.
    Task(&'static dyn Task),
    /// A callback.
    Work(Completion, Status),
    /// Take part in something that several threads do together.
    Shared(Arc<dyn Shared>),
}

/// Woken once, when something is done.
pub(crate) enum Waiter {
    /// A thread that is parked, or about to be.
    Thread(Arc<Parker>),
    /// Work for a worker.
    Work(Completion),
    /// Work that the waking thread does itself: it is short, and takes no lock under which waiters are woken.
    Now(Completion),
    /// A task that cannot go on before.
    Task(&'static dyn Task),
}
