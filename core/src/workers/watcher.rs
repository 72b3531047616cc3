//! Finds workers that block in a function of the caller's, and lets others take their place.
//!
//! A worker counts as blocked when it has been in one piece of work for a whole interval and its thread sleeps. One that
//! computes for long is not blocked: another thread would only take its core away. Yet it may spin until another stream gets
//! somewhere: when nothing at all has begun for long, a few more workers are tried. The watcher runs only while work is due
//! that nobody takes.

use super::{pool, thread};
use parking_lot::{Condvar, Mutex};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const INTERVAL: Duration = Duration::from_millis(1);
/// Intervals in which no worker has begun anything, after which one more is tried, and how many more than there are cores.
const STALLED: u32 = 20;
const MORE: usize = 5;
/// Intervals without work due after which the watcher parks.
const QUIET: u32 = 50;

static AWAKE: AtomicBool = AtomicBool::new(false);
static STARTED: Mutex<bool> = Mutex::new(false);
static CALL: Condvar = Condvar::new();

/// Asks the watcher to look, as work is due and no worker is free.
pub(crate) fn wake() {
    if AWAKE.swap(true, Ordering::SeqCst) {
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

fn watch() {
    let mut seen = Seen::default();
    loop {
        let mut quiet = 0;
        while quiet < QUIET {
            std::thread::sleep(INTERVAL);
            if pool::get().has_others() {
                quiet = 0;
                look(&mut seen);
            } else {
                quiet += 1;
                seen = Seen::default();
            }
        }
        let mut started = STARTED.lock();
        AWAKE.store(false, Ordering::SeqCst);
        // Work that came before the flag fell has not called.
        while !pool::get().has_others() && !AWAKE.load(Ordering::SeqCst) {
            CALL.wait(&mut started);
        }
        AWAKE.store(true, Ordering::SeqCst);
    }
}

/// What the last look saw.
#[derive(Default)]
struct Seen {
    /// How much each worker had begun.
    begun: HashMap<usize, u64>,
    /// Looks in a row that found nothing begun.
    stalled: u32,
}

/// Starts a worker for each that has been blocked since the last look.
fn look(seen: &mut Seen) {
    let pool = pool::get();
    let workers = pool.workers.lock().clone();
    let mut free = pool.count.load(Ordering::SeqCst);
    let mut now = HashMap::with_capacity(workers.len());
    for worker in &workers {
        let key = std::sync::Arc::as_ptr(worker) as usize;
        let begun = worker.begun.load(Ordering::Relaxed);
        if seen.begun.get(&key) == Some(&begun) && worker.thread.is_asleep() {
            free = free.saturating_sub(1);
        }
        now.insert(key, begun);
    }
    seen.stalled = if now == seen.begun { seen.stalled + 1 } else { 0 };
    seen.begun = now;
    let mut wanted = pool.cores;
    if seen.stalled >= STALLED && free < pool.cores + MORE {
        seen.stalled = 0;
        wanted = free + 1;
    }
    for _ in free..wanted {
        if !pool.start_worker() {
            break;
        }
    }
}
