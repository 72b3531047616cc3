//! Wakes waiters for native events that do not block in the driver: one thread queries all such events in turn.
//!
//! The thread queries each event when its pause has ended, rests between the rounds, and parks while the list is empty. A query
//! never blocks, so it is made under the lock. It ends no other thread's capture.

use super::sync::{IDLE, pause};
use super::{Cuda, driver};
use crate::backend::{Backend, Mark};
use crate::error::{Error, Result};
use crate::os::FineTimer;
use crate::process;
use crate::status::Status;
use crate::workers::{self, Parker, Waiter, Waker};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// A new waiter does not wake the thread if that wakes up as soon anyway.
const SOON: Duration = Duration::from_micros(20);
/// The longest rest: no pause is longer.
const LONGEST: Duration = Duration::from_millis(1);
/// So many entries are looked at before other threads get the lock.
const SLICE: usize = 16;

struct Entry {
    context: &'static Cuda,
    mark: Mark,
    waiter: Waiter,
    since: Instant,
    /// When to query it next.
    due: Instant,
}

#[derive(Default)]
struct Poller {
    /// The thread has been started.
    started: bool,
    waiting: Vec<Entry>,
    /// Until when the thread rests; `None` while it is parked.
    rests_until: Option<Instant>,
}

static POLLER: Mutex<Poller> = Mutex::new(Poller { started: false, waiting: Vec::new(), rests_until: None });
/// Wakes the thread.
static CALL: Condvar = Condvar::new();

/// Adds a waiter. The caller pins the event until the waiter is woken or forgotten.
pub(super) fn add(context: &'static Cuda, mark: Mark, waiter: Waiter) -> Result<()> {
    let mut poller = POLLER.lock();
    poller.waiting.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
    poller.started = poller.started || workers::start_thread("gevt-poll", run);
    if !poller.started {
        return Err(Error::OutOfMemory);
    }
    if let Waiter::Thread(parker) = &waiter {
        parker.expect(Waker::Poller);
    }
    let now = Instant::now();
    poller.waiting.push(Entry { context, mark, waiter, since: now, due: now });
    if poller.rests_until.is_none_or(|until| until > now + SOON) {
        CALL.notify_one();
    }
    Ok(())
}

/// Takes a parked thread out, from all of the events for which it waits; none of them is queried for it once this returns.
pub(super) fn forget(parker: &Parker) {
    if !parker.expects(Waker::Poller) {
        return;
    }
    let is_it = |entry: &Entry| matches!(&entry.waiter, Waiter::Thread(thread) if std::ptr::eq(&**thread, parker));
    POLLER.lock().waiting.retain(|entry| !is_it(entry));
    parker.set_forgotten(Waker::Poller);
}

impl Entry {
    /// Queries the event if that is due; returns the result if the wait has ended.
    fn look(&mut self, now: Instant) -> Option<Status> {
        if self.due > now {
            return None;
        }
        match self.context.reached(self.mark) {
            Ok(true) => return Some(Status::SUCCESS),
            Err(error) => return Some(error.status()),
            Ok(false) => {}
        }
        self.due = now + pause(now - self.since);
        None
    }
}

/// Looks at the next [`SLICE`] entries from `at` on, and takes out the ones that have completed. The list may have become shorter than `at`.
fn take_done<T>(all: &mut Vec<T>, at: &mut usize, mut look: impl FnMut(&mut T) -> Option<Status>) -> Vec<(T, Status)> {
    let mut done = Vec::new();
    for _ in 0..SLICE {
        let Some(entry) = all.get_mut(*at) else { break };
        match look(entry) {
            Some(status) => done.push((all.swap_remove(*at), status)),
            None => *at += 1,
        }
    }
    done
}

/// The thread's loop.
fn run() {
    let _fine = FineTimer::new();
    driver::get().map_or_else(|_| poll(), |driver| driver.relaxed(poll))
}

fn poll() {
    let mut poller = POLLER.lock();
    loop {
        if poller.waiting.is_empty() {
            poller.rests_until = None;
            CALL.wait(&mut poller);
            continue;
        }
        let start = Instant::now();
        let (mut at, mut next) = (0, start + LONGEST);
        while at < poller.waiting.len() && !process::is_over() {
            let done = take_done(&mut poller.waiting, &mut at, |entry| {
                let status = entry.look(start);
                next = next.min(entry.due);
                status
            });
            MutexGuard::unlocked_fair(&mut poller, || {
                done.into_iter().for_each(|(entry, status)| workers::wake(entry.waiter, status));
            });
        }
        let now = Instant::now();
        let until = next.max(now + (now - start) * IDLE);
        poller.rests_until = Some(until);
        CALL.wait_until(&mut poller, until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever adds or forgets a waiter waits for a slice at the most, however many others there are.
    #[test]
    fn a_slice_at_a_time_is_looked_at_under_the_lock() {
        let mut all: Vec<usize> = (0..10 * SLICE).collect();
        let (mut at, mut looked, mut ended) = (0, Vec::new(), 0);
        while at < all.len() {
            let before = looked.len();
            let done = take_done(&mut all, &mut at, |entry| {
                looked.push(*entry);
                (*entry % 3 == 0).then_some(Status::SUCCESS)
            });
            assert!(looked.len() - before <= SLICE);
            assert!(done.iter().all(|(entry, _)| entry % 3 == 0));
            ended += done.len();
        }
        assert_eq!((ended, all.len()), ((10 * SLICE).div_ceil(3), 10 * SLICE - ended));
        looked.sort_unstable();
        assert!(looked.into_iter().eq(0..10 * SLICE), "each once");
        all.truncate(1);
        assert!(take_done(&mut all, &mut at, |_| unreachable!("others have left this")).is_empty());
    }
}
