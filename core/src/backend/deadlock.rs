//! Waits inside functions of streams that would never end: what they wait for comes only after the function.
//!
//! A stream comes to a point when the function that it runs has returned, and when it has got past the waits that stand in its
//! queue before the point. What those wait for was given before them, so these alone make no circle. A function that waits may close
//! one, through other streams, of any backend, and through functions that wait already: each checks before it waits, under one
//! lock, so that of several that would wait for each other the last one finds out.
//!
//! What the program itself has to do is not seen: signal an event, end a wait that is no call of gevt's, or run a function of a CUDA
//! stream, on a thread of the driver's.

use crate::collect::try_collect;
use crate::error::{Error, Result};
use crate::sync::thread_local;
use crate::workers::{self, MOST_NESTED};
use parking_lot::Mutex;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// What has to come before a position of a line: calls the last argument for each wait in the line, with its position and what it
/// waits for. Waits that are over may be left out.
type Before = fn(u64, u64, &mut dyn FnMut(u64, Dependency));

/// A position in something that goes on in order, which others can wait for: a stream of a backend, the rounds of a gate.
#[derive(Clone, Copy)]
pub(crate) struct Dependency {
    /// Its address.
    line: u64,
    position: u64,
    before: Before,
}

impl Dependency {
    pub(crate) fn new(line: u64, position: u64, before: Before) -> Dependency {
        Dependency { line, position, before }
    }

    /// Something of which nobody knows what comes before it.
    pub(crate) fn unknown(line: u64, position: u64) -> Dependency {
        Dependency { line, position, before: |_, _, _| () }
    }

    #[cfg(all(test, not(loom)))]
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Returns whether the line comes here only after `function`.
    fn is_behind(&self, function: Dependency) -> bool {
        self.line == function.line && self.position >= function.position
    }

    /// Runs a function of the caller's, which is done at this position or before it; false if it is not to begin any more, as the process
    /// exits.
    #[inline]
    #[must_use]
    pub(crate) fn call(self, call: impl FnOnce()) -> bool {
        let depth = with_running(|running| running.all().count());
        let _holding = (depth > 0).then(|| self.hold_outer());
        workers::get().in_call(|| {
            let set = |function| with_running(|running| running.0[depth.min(MOST_NESTED)].set(function));
            set(Some(self));
            call();
            set(None);
        })
    }

    /// Notes that the function around it continues only when this one is done.
    #[cold]
    fn hold_outer(self) -> Option<Waiting> {
        with_running(Running::innermost).map(|outer| Waiting::of(outer, self))
    }
}

/// The functions of streams that a thread is inside, the outermost first: more than one where gevt_sync_working runs others inside one.
/// Each by the position at which it will be done.
struct Running([Cell<Option<Dependency>>; MOST_NESTED + 1]);

thread_local! {
    static RUNNING: Running = const { Running([const { Cell::new(None) }; MOST_NESTED + 1]) };
}

fn with_running<R>(body: impl FnOnce(&Running) -> R) -> R {
    RUNNING.with(body)
}

/// Returns whether the calling thread is inside a function of a stream's.
pub(crate) fn is_inside_function() -> bool {
    with_running(Running::innermost).is_some()
}

impl Running {
    fn all(&self) -> impl Iterator<Item = Dependency> {
        self.0.iter().map_while(Cell::get)
    }

    fn innermost(&self) -> Option<Dependency> {
        self.all().last()
    }
}

/// A function that waits.
#[derive(Clone, Copy)]
struct Blocked {
    wait: u64,
    function: Dependency,
    awaited: Dependency,
}

/// The functions that wait without a deadline.
static BLOCKED: Mutex<Vec<Blocked>> = Mutex::new(Vec::new());

/// The calling thread's function waits, until this is dropped.
pub(crate) struct Waiting(Option<u64>);

impl Waiting {
    /// Refuses to wait for all of it if some only comes after a function that the calling thread is inside. Whoever has a deadline that is
    /// past does not wait.
    pub(crate) fn check_all(awaited: impl Iterator<Item = Dependency>, deadline: Option<Instant>) -> Result<()> {
        if !is_inside_function() || is_past(deadline) {
            return Ok(());
        }
        let awaited = try_collect(awaited.map(Ok))?;
        check(&BLOCKED.lock(), awaited)
    }

    /// As [`Waiting::check_all`], to wait for any of it: refuses that if each only comes after such a function.
    pub(crate) fn check_any(awaited: impl Iterator<Item = Dependency>, deadline: Option<Instant>) -> Result<()> {
        if !is_inside_function() || is_past(deadline) {
            return Ok(());
        }
        let awaited = try_collect(awaited.map(Ok))?;
        let blocked = BLOCKED.lock();
        let mut checks = awaited.into_iter().map(|one| check(&blocked, try_collect(std::iter::once(Ok(one)))?));
        checks.find(|checked| !matches!(checked, Err(Error::WouldDeadlock))).unwrap_or(Err(Error::WouldDeadlock))
    }

    /// As [`Waiting::check_all`], and lets other functions know that this one waits for all of it. One that waits until a deadline holds
    /// nobody up for ever.
    pub(crate) fn begin(awaited: impl Iterator<Item = Dependency>, deadline: Option<Instant>) -> Result<Waiting> {
        let Some(function) = with_running(Running::innermost) else { return Ok(Waiting(None)) };
        if is_past(deadline) {
            return Ok(Waiting(None));
        }
        let awaited = try_collect(awaited.map(Ok))?;
        let mut blocked = BLOCKED.lock();
        check(&blocked, try_collect(awaited.iter().copied().map(Ok))?)?;
        if deadline.is_some() {
            return Ok(Waiting(None));
        }
        blocked.try_reserve(awaited.len()).map_err(|_| Error::OutOfMemory)?;
        let wait = next_wait();
        blocked.extend(awaited.into_iter().map(|awaited| Blocked { wait, function, awaited }));
        Ok(Waiting(Some(wait)))
    }

    /// Notes that `function` continues only when `awaited`, which the same thread runs now, is done.
    fn of(function: Dependency, awaited: Dependency) -> Waiting {
        let wait = next_wait();
        BLOCKED.lock().push(Blocked { wait, function, awaited });
        Waiting(Some(wait))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(wait) = self.0 {
            BLOCKED.lock().retain(|blocked| blocked.wait != wait);
        }
    }
}

fn is_past(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|at| at <= Instant::now())
}

fn next_wait() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Follows what has to come before the awaited; an error if a function of the calling thread's is among it.
fn check(blocked: &[Blocked], mut awaited: Vec<Dependency>) -> Result<()> {
    let own = with_running(|running| running.all().collect::<Vec<_>>());
    // How far each line was followed.
    let mut seen = BTreeMap::<u64, u64>::new();
    while let Some(next) = awaited.pop() {
        if own.iter().any(|function| next.is_behind(*function)) {
            return Err(Error::WouldDeadlock);
        }
        let followed = seen.entry(next.line).or_insert(0);
        if next.position <= *followed {
            continue;
        }
        let from = std::mem::replace(followed, next.position);
        let mut has_memory = true;
        let mut follow = |dependency| {
            has_memory &= awaited.try_reserve(1).is_ok();
            if has_memory {
                awaited.push(dependency);
            }
        };
        (next.before)(next.line, next.position, &mut |position, dependency| {
            if position >= from {
                follow(dependency);
            }
        });
        blocked.iter().filter(|blocked| next.is_behind(blocked.function)).for_each(|blocked| follow(blocked.awaited));
        if !has_memory {
            return Err(Error::OutOfMemory);
        }
    }
    Ok(())
}
