//! Refuses a wait inside a host function that could only end after the function: for the function's own stream.

use crate::error::{Error, Result};
use crate::sync::thread_local;
use crate::workers::{self, MOST_NESTED};
use std::cell::Cell;
use std::time::Instant;

/// A position in a stream.
#[derive(Clone, Copy)]
pub(crate) struct Dependency {
    /// The stream's address.
    stream: u64,
    position: u64,
}

/// The stream functions that a thread is inside, the outermost first, each as the position that it completes.
/// gevt_sync_helping can run one inside another, and so can the program's executor: deeper, the innermost has the last place.
struct Running([Cell<Option<Dependency>>; MOST_NESTED + 1]);

thread_local! {
    static RUNNING: Running = const { Running([const { Cell::new(None) }; MOST_NESTED + 1]) };
}

impl Running {
    fn all(&self) -> impl Iterator<Item = Dependency> {
        self.0.iter().map_while(Cell::get)
    }
}

/// Returns whether the calling thread is inside a stream's host function.
pub(crate) fn is_inside_function() -> bool {
    RUNNING.with(|running| running.all().next().is_some())
}

impl Dependency {
    pub(crate) fn new(stream: u64, position: u64) -> Dependency {
        Dependency { stream, position }
    }

    /// Runs a host function, which is done at this position or before it; false if the process exits, and no function may begin.
    #[inline]
    #[must_use]
    pub(crate) fn call(self, call: impl FnOnce()) -> bool {
        workers::get().in_call(|| {
            RUNNING.with(|running| {
                let function = &running.0[running.all().count().min(MOST_NESTED)];
                let outer = function.replace(Some(self));
                call();
                function.set(outer);
            });
        })
    }

    /// Returns whether this completes only after a function that the calling thread is inside.
    fn is_behind_function(self) -> bool {
        let is_behind = |function: Dependency| self.stream == function.stream && self.position >= function.position;
        RUNNING.with(|running| running.all().any(is_behind))
    }
}

fn refuse(would_deadlock: bool, deadline: Option<Instant>) -> Result<()> {
    // A deadline that is past waits for nothing.
    if would_deadlock && deadline.is_none_or(|at| at > Instant::now()) { Err(Error::WouldDeadlock) } else { Ok(()) }
}

/// Fails if any of them completes only after a function that the calling thread is inside.
pub(crate) fn check_all(awaited: impl IntoIterator<Item = Dependency>, deadline: Option<Instant>) -> Result<()> {
    refuse(awaited.into_iter().any(Dependency::is_behind_function), deadline)
}

/// Fails if each of them completes only after such a function.
pub(crate) fn check_any(
    awaited: impl IntoIterator<Item = Option<Dependency>>,
    deadline: Option<Instant>,
) -> Result<()> {
    refuse(awaited.into_iter().all(|one| one.is_some_and(Dependency::is_behind_function)), deadline)
}

#[cfg(test)]
#[path = "deadlock_tests.rs"]
mod tests;
