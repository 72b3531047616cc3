//! Wakes those who wait for a native event without blocking in the driver: one thread queries all such events in turn.
//!
//! A callback runs on the thread that has found its event done, as waking another one, which has slept as long as the wait has lasted,
//! takes about 60 us. Meanwhile a second thread queries. There are no more: callbacks that are due while one runs go to the workers.
//!
//! The thread queries each when the pauses of that wait are over (`pauses.rs`), but rests most of the time in any case, and parks
//! when nobody waits. A query never blocks, so that it is made under the lock; and it ends no capture of another thread's.

use super::pauses::{Habits, IDLE, Wait};
use super::{Cuda, driver};
use crate::backend::{Backend, Mark};
use crate::error::{Error, Result};
use crate::os::FineTimer;
use crate::process;
use crate::status::Status;
use crate::workers::{self, Completion, Guest, Parker, Waiter, Waker};
use parking_lot::{Condvar, Mutex};
use std::time::{Duration, Instant};

/// A new wait does not wake the poller if that is about to wake up anyway.
const SOON: Duration = Duration::from_micros(20);

struct Entry {
    context: &'static Cuda,
    mark: Mark,
    waiter: Waiter,
    since: Instant,
    /// The wait, once the poller has seen it.
    wait: Option<Wait>,
    /// When to query it next.
    due: Instant,
}

#[derive(Default)]
struct Poller {
    /// How many threads there are: two as soon as a callback waits.
    threads: usize,
    /// One of them polls, or waits for something to poll.
    polls: bool,
    /// The other one runs a callback.
    calls: bool,
    waiting: Vec<Entry>,
    habits: Habits,
    /// Until when the one that polls rests; `None` while nobody waits.
    rests_until: Option<Instant>,
}

static POLLER: Mutex<Option<Poller>> = Mutex::new(None);
/// Wakes the thread that polls, and the one that does not.
static CALL: Condvar = Condvar::new();
static SPARE: Condvar = Condvar::new();

/// Adds a waiter; the caller keeps the event until the waiter is woken or forgotten.
pub(super) fn add(context: &'static Cuda, mark: Mark, waiter: Waiter) -> Result<()> {
    let mut poller = POLLER.lock();
    let poller = poller.get_or_insert_default();
    poller.waiting.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
    let threads = if matches!(waiter, Waiter::Work(_)) { 2 } else { 1 };
    while poller.threads < threads && workers::start_thread("gevt-poll", run) {
        poller.threads += 1;
    }
    if poller.threads == 0 {
        return Err(Error::OutOfMemory);
    }
    if let Waiter::Thread(parker) = &waiter {
        parker.expect(Waker::Poller);
    }
    let now = Instant::now();
    poller.waiting.push(Entry { context, mark, waiter, since: now, wait: None, due: now });
    if !poller.polls {
        SPARE.notify_one();
    } else if poller.rests_until.is_none_or(|until| until > now + SOON) {
        CALL.notify_one();
    }
    Ok(())
}

/// Takes a parked thread out, from all of the events for which it waits; none of them is queried for it once this returns.
pub(super) fn forget(parker: &Parker) {
    if !parker.expects(Waker::Poller) {
        return;
    }
    if let Some(poller) = POLLER.lock().as_mut() {
        let is_it = |entry: &Entry| matches!(&entry.waiter, Waiter::Thread(thread) if std::ptr::eq(&**thread, parker));
        poller.waiting.retain(|entry| !is_it(entry));
    }
    parker.set_forgotten(Waker::Poller);
}

impl Poller {
    /// Queries the events that are due. Takes out those whose wait is over, with what came of it, and says when the next one is due.
    fn look(&mut self, now: Instant) -> (Vec<(Waiter, Status)>, Option<Instant>) {
        let (mut done, mut next) = (Vec::new(), None);
        let mut at = 0;
        while at < self.waiting.len() && !process::is_over() {
            let entry = &mut self.waiting[at];
            if entry.due <= now {
                let wait = entry.wait.get_or_insert_with(|| Wait::new(&self.habits, entry.mark.0[0], entry.since));
                let status = match entry.context.reached(entry.mark) {
                    Ok(false) => None,
                    Ok(true) => Some(Status::SUCCESS),
                    Err(error) => Some(error.status()),
                };
                if let Some(status) = status {
                    wait.end(&self.habits, Instant::now());
                    done.push((self.waiting.swap_remove(at).waiter, status));
                    continue;
                }
                entry.due = now + wait.pause(now);
            }
            next = Some(next.map_or(entry.due, |next: Instant| next.min(entry.due)));
            at += 1;
        }
        (done, next)
    }
}

/// What a thread of the poller's does: it polls, or runs a callback, or waits for the other one to run one.
fn run() {
    let guest = Guest::new();
    loop {
        let mut poller = POLLER.lock();
        let Some(state) = poller.as_mut() else { return };
        if state.polls {
            SPARE.wait(&mut poller);
            continue;
        }
        state.polls = true;
        drop(poller);
        let (work, status) = driver::get().map_or_else(|_| poll(), |driver| driver.relaxed(poll));
        guest.call(work, status);
        POLLER.lock().iter_mut().for_each(|state| state.calls = false);
    }
}

/// Polls until a callback is due that the calling thread is to run, while the other one polls.
fn poll() -> (Completion, Status) {
    // Not for the callback.
    let _fine = FineTimer::new();
    let mut poller = POLLER.lock();
    loop {
        let state = poller.get_or_insert_default();
        if state.waiting.is_empty() {
            state.rests_until = None;
            CALL.wait(&mut poller);
            continue;
        }
        let start = Instant::now();
        let (mut done, next) = state.look(start);
        if done.is_empty() {
            let now = Instant::now();
            let until = next.unwrap_or(now + Duration::from_millis(1)).max(now + (now - start) * IDLE);
            state.rests_until = Some(until);
            CALL.wait_until(&mut poller, until);
            continue;
        }
        let may_call = state.threads > 1 && !state.calls;
        let call = done.iter().position(|(waiter, _)| may_call && matches!(waiter, Waiter::Work(_)));
        let call = call.map(|at| done.swap_remove(at));
        if call.is_some() {
            (state.polls, state.calls) = (false, true);
            if !state.waiting.is_empty() {
                SPARE.notify_one();
            }
        }
        drop(poller);
        for (waiter, status) in done {
            workers::wake(waiter, status);
        }
        if let Some((Waiter::Work(work), status)) = call {
            return (work, status);
        }
        poller = POLLER.lock();
    }
}
