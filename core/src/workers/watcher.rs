//! Finds workers that are blocked in a function of the program's, and starts others in their place.
//!
//! A worker counts as blocked when it has been in one piece of work for a whole interval and its thread sleeps; one without work
//! is free, even if it still sleeps because the machine is too busy to wake it. A thread that
//! polls, with a short sleep between two checks, may be awake whenever it is looked at: when nothing at all has begun for some
//! time, a worker also counts as blocked if it has run for less than half of that time, and shortly each time. One that computes is not
//! blocked, however long it takes: another thread would only take its core away. Yet it may spin until another stream gets
//! somewhere: a few more workers are tried then. The watcher runs only while work is due that nobody takes and a worker can be
//! started for it.

use super::{pool, thread};
use crate::os::time_of_thread;
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The least time between two checks; and they take no more of a core than one part in so many.
const INTERVAL: Duration = Duration::from_millis(1);
const SHARE: u32 = 20;
/// How long no worker has begun anything when those that poll are sought out, and how many more workers than there are cores
/// may be tried where all compute.
const STALLED: Duration = Duration::from_millis(20);
const MORE: usize = 5;
/// What computes runs for longer than this at a time, even where it shares its core.
const SHORT: Duration = Duration::from_micros(500);
/// Intervals without work due after which the watcher parks.
const IDLE: u32 = 50;
/// How many workers that were found blocked are checked again at a time.
const AGAIN: usize = 8;

static AWAKE: AtomicBool = AtomicBool::new(false);
static STARTED: Mutex<bool> = Mutex::new(false);
static CALL: Condvar = Condvar::new();

/// Wakes the watcher, as work is due and no worker is free.
pub(crate) fn wake() {
    if !is_needed() || AWAKE.swap(true, Ordering::SeqCst) {
        return;
    }
    let mut started = STARTED.lock();
    if *started {
        CALL.notify_one();
    } else {
        *started = thread::start("gevt-watch", watch);
        AWAKE.store(*started, Ordering::SeqCst);
    }
}

/// Whether work is due for which a worker could be started.
fn is_needed() -> bool {
    let pool = pool::get();
    pool.has_others() && !pool.is_full()
}

fn watch() {
    let mut stall = Stall::default();
    loop {
        let (mut idle, mut pause) = (0, INTERVAL);
        while idle < IDLE {
            std::thread::sleep(pause);
            pause = INTERVAL;
            if is_needed() {
                idle = 0;
                let start = time_of_thread();
                check(&mut stall);
                // Not by the clock: on a busy machine it waits for a core, too.
                pause = pause.max((time_of_thread() - start) * SHARE);
            } else {
                idle += 1;
                stall = Stall::default();
            }
        }
        let mut started = STARTED.lock();
        AWAKE.store(false, Ordering::SeqCst);
        // Work that came before the flag fell has not called.
        while !is_needed() && !AWAKE.load(Ordering::SeqCst) {
            CALL.wait(&mut started);
        }
        AWAKE.store(true, Ordering::SeqCst);
    }
}

/// What the watcher remembers of a worker.
#[derive(Default)]
pub(super) struct Sight {
    /// How much it had begun at the last check.
    begun: u64,
    /// It was found blocked since then.
    blocked: bool,
    /// How long and how many times it had run at a check before.
    ran: Option<Ran>,
}

/// A time in which no worker has begun anything.
#[derive(Default)]
struct Stall {
    since: Option<Instant>,
    /// The next of the blocked workers to check again.
    next: usize,
}

/// How long and how many times a thread has run.
#[derive(Clone, Copy)]
struct Ran {
    at: Instant,
    time: Duration,
    times: u64,
}

/// Returns whether a thread polls rather than computes.
fn polls(before: Ran, now: Ran) -> bool {
    let ran = now.time.saturating_sub(before.time);
    let times = u32::try_from(now.times.saturating_sub(before.times)).unwrap_or(u32::MAX);
    ran < (now.at - before.at) / 2 && ran < SHORT.saturating_mul(times.max(1))
}

/// Starts a worker for each that is blocked.
fn check(stall: &mut Stall) {
    let pool = pool::get();
    let workers = pool.workers.lock().clone();
    let since = *stall.since.get_or_insert_with(Instant::now);
    let is_stalled = since.elapsed() >= STALLED;
    let mut free = pool.count.load(Ordering::SeqCst);
    let mut began = false;
    for (at, worker) in workers.iter().enumerate() {
        let mut seen = worker.seen.lock();
        let begun = worker.begun.load(Ordering::Relaxed);
        if !worker.is_working.load(Ordering::Relaxed) {
            *seen = Sight { begun, ..Sight::default() };
            continue;
        }
        if seen.begun != begun {
            *seen = Sight { begun, ..Sight::default() };
            began = true;
            continue;
        }
        let again = at.wrapping_sub(stall.next) < AGAIN;
        if !seen.blocked || again {
            seen.blocked = worker.thread.is_asleep();
        }
        if is_stalled && !seen.blocked {
            let now = worker.thread.has_run().map(|(time, times)| Ran { at: Instant::now(), time, times });
            let before = std::mem::replace(&mut seen.ran, now);
            seen.blocked = before.zip(now).is_some_and(|(before, now)| polls(before, now));
        }
        free -= usize::from(seen.blocked).min(free);
    }
    stall.next = if stall.next >= workers.len() { 0 } else { stall.next + AGAIN };
    let mut wanted = pool.cores;
    if began {
        stall.since = None;
    } else if is_stalled {
        stall.since = None;
        if free < pool.cores {
            // Among many that poll, the one that the others wait for is found in few steps.
            wanted = wanted.max(workers.len() / 4).min(free + pool.due());
        } else if free < pool.cores + MORE {
            wanted = free + 1;
        }
    }
    for _ in free..wanted {
        if !pool.start_worker() {
            break;
        }
    }
}
