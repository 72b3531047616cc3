//! Finds workers that are asleep in a function of the program's, so that others get their places.
//!
//! What a worker does is what the kernel says of its thread, not how long it takes: one that sleeps loses its place, one that
//! runs, or that could if it had a core, keeps it. A thread that polls, with a short sleep between two checks, may be awake
//! whenever it is checked: when nothing at all has begun for some time, a worker also loses its place if it has gone to sleep
//! again and again, and run shortly each time. A worker that lost its place and runs is counted again.
//!
//! The watcher runs only while somebody lacks a place, at ever longer intervals while nothing changes.

use super::pool::WorkerPool;
use super::worker::{Place, Worker};
use super::{pool, thread};
use crate::os::{ThreadWatch, time_of_thread};
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The least and the greatest time between two checks; and they take no more of a core than one part in so many.
const INTERVAL: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(8);
const SHARE: u32 = 20;
/// How long no worker has begun anything when those that poll are sought out.
const STALLED: Duration = Duration::from_millis(20);
/// What computes runs for longer than this before it sleeps, on average.
const SHORT: Duration = Duration::from_micros(500);
/// Checks that were not needed after which the watcher parks.
const IDLE: u32 = 50;
/// How many workers without a place are checked at a time.
const AGAIN: usize = 8;

static AWAKE: AtomicBool = AtomicBool::new(false);
static STARTED: Mutex<bool> = Mutex::new(false);
static CALL: Condvar = Condvar::new();

/// Wakes the watcher, as somebody lacks a place.
pub(crate) fn wake() {
    // Models have no watcher, and those that run at once would meet at its flag.
    if cfg!(loom) || AWAKE.load(Ordering::SeqCst) || !pool::get().lacks_place() || AWAKE.swap(true, Ordering::SeqCst) {
        return;
    }
    let _started = STARTED.lock();
    CALL.notify_one();
}

/// Starts the watcher unless it is there; false where the system has no thread to give. There is no worker without it: what is due when
/// no further worker can be started is left to it.
pub(super) fn start() -> bool {
    let mut started = STARTED.lock();
    *started = *started || cfg!(loom) || thread::start("gevt-watch", watch);
    *started
}

fn watch() {
    let pool = pool::get();
    let mut stall = Stall::default();
    let mut workers = Vec::new();
    loop {
        let mut started = STARTED.lock();
        AWAKE.store(false, Ordering::SeqCst);
        // Who came to lack one before the flag fell has not called.
        while !pool.lacks_place() && !AWAKE.load(Ordering::SeqCst) {
            CALL.wait(&mut started);
        }
        AWAKE.store(true, Ordering::SeqCst);
        drop(started);
        let (mut idle, mut interval) = (0, INTERVAL);
        while idle < IDLE {
            std::thread::sleep(interval);
            if pool.lacks_place() {
                idle = 0;
                let start = time_of_thread();
                let longer = if check(&mut stall, &mut workers) { INTERVAL } else { (interval * 2).min(LONGEST) };
                // Not by the clock: on a busy machine it waits for a core, too.
                interval = longer.max((time_of_thread() - start) * SHARE);
            } else {
                idle += 1;
                interval = INTERVAL;
                stall = Stall::default();
                pool.set_extra(0);
            }
        }
    }
}

impl WorkerPool {
    /// Lets the watcher see the worker, if there is memory for that.
    pub(super) fn list(&self, worker: &'static Worker) {
        let mut workers = self.workers.lock();
        if workers.try_reserve(1).is_ok() {
            workers.push(worker);
        }
    }

    /// Ends what [`WorkerPool::list`] began.
    pub(super) fn unlist(&self, worker: &'static Worker) {
        self.workers.lock().retain(|other| !std::ptr::eq(*other, worker));
    }
}

/// A time in which no worker has begun anything.
#[derive(Default)]
struct Stall {
    since: Option<Instant>,
    /// The next of the workers without a place to check.
    next: usize,
}

/// What the watcher remembers of a worker.
#[derive(Default)]
pub(super) struct Sight {
    thread: Option<ThreadWatch>,
    /// How much it had begun at the last check.
    begun: u64,
    /// How long it had run by then; and how often it had gone to sleep when that was last of use.
    ran: Option<(Instant, Duration)>,
    slept: Option<(Duration, u64)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    Runs,
    Sleeps,
    /// It runs now, and has slept again and again.
    Polls,
    /// It runs or waits for a core, and has had little time to show what it does.
    Unknown,
}

impl Sight {
    pub(super) fn of(thread: ThreadWatch) -> Sight {
        Sight { thread: Some(thread), ..Sight::default() }
    }

    /// Returns what the thread does; if not `closely`, only whether it has come to run.
    fn doing(&mut self, closely: bool) -> Doing {
        let Some(thread) = &self.thread else { return Doing::Sleeps };
        let (now, ran) = (Instant::now(), thread.has_run());
        let before = std::mem::replace(&mut self.ran, ran.map(|ran| (now, ran)));
        // One that has run for half of the time does not sleep: this needs no file of the kernel's.
        if let (Some((then, before)), Some(ran)) = (before, ran)
            && ran.saturating_sub(before) * 2 >= now - then
        {
            return Doing::Runs;
        }
        let is_short = |since: Duration| ran.is_some_and(|ran| ran.saturating_sub(since) < SHORT);
        if !closely && self.slept.is_some_and(|(since, _)| is_short(since)) {
            return Doing::Unknown;
        }
        if thread.is_asleep() {
            return Doing::Sleeps;
        }
        let Some(slept) = ran.zip(thread.sleeps()) else { return Doing::Runs };
        let (ran_before, before) = *self.slept.get_or_insert(slept);
        let (ran, times) = (slept.0.saturating_sub(ran_before), slept.1.saturating_sub(before));
        if ran >= SHORT.saturating_mul(u32::try_from(times).unwrap_or(u32::MAX).saturating_add(1)) {
            return Doing::Runs;
        }
        if times == 0 {
            return Doing::Unknown;
        }
        self.slept = Some(slept);
        Doing::Polls
    }
}

/// Checks the workers once; returns whether any has begun something or lost its place. `workers` is memory for a list of them.
fn check(stall: &mut Stall, workers: &mut Vec<&'static Worker>) -> bool {
    let pool = pool::get();
    workers.clear();
    {
        let all = pool.workers.lock();
        if workers.try_reserve(all.len()).is_err() {
            return false;
        }
        workers.extend_from_slice(&all);
    }
    let is_stalled = stall.since.get_or_insert_with(Instant::now).elapsed() >= STALLED;
    let (mut has_begun, mut has_changed, mut has_pollers) = (false, false, false);
    for (at, worker) in workers.iter().enumerate() {
        match worker.place() {
            Place::None => {}
            Place::Held => {
                let mut seen = worker.seen.lock();
                let begun = worker.begun();
                if seen.begun != begun {
                    // What a new thread begins first is the watcher's own doing.
                    has_begun |= seen.begun != 0;
                    seen.begun = begun;
                    (seen.ran, seen.slept) = (None, None);
                    if !is_stalled {
                        continue;
                    }
                }
                let doing = seen.doing(true);
                let polls = is_stalled && doing == Doing::Polls;
                has_pollers |= polls;
                if polls || doing == Doing::Sleeps {
                    pool.withdraw_place(worker, begun);
                    has_changed = true;
                }
            }
            Place::Lost if at.wrapping_sub(stall.next) < AGAIN => {
                if worker.seen.lock().doing(false) == Doing::Runs {
                    pool.return_place(worker);
                }
            }
            Place::Lost => {}
        }
    }
    // One may have had no thread before.
    pool.send_again();
    stall.next = if stall.next >= workers.len() { 0 } else { stall.next + AGAIN };
    if has_begun {
        stall.since = None;
        pool.set_extra(0);
    } else if has_pollers {
        // Among many that poll, the one that the others wait for is found in few steps.
        pool.set_extra((workers.len() / 4).saturating_sub(2 * pool.limit()));
    }
    has_begun || has_changed
}
