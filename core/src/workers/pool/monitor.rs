//! Finds workers that are blocked in a host function, and lets others run in their place.
//!
//! The monitor is awake while work is due and no thread comes for it, because no permit is free or no thread can start. It ticks less often
//! while nothing changes. It stays awake even if there are as many threads as there can be: idle ones end, and others can start then.

use super::WorkerPool;
use crate::lock::{Condvar, Mutex};
use crate::os::time_of_thread;
use crate::workers::sample::Activity;
use crate::workers::thread;
use crate::workers::worker::Worker;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The least and the greatest time between two ticks. The ticks take at most one part in `SHARE` of a core.
const TICK: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(8);
const SHARE: u32 = 20;
/// Ticks that were not needed after which the monitor parks.
const IDLE: u32 = 50;

static AWAKE: AtomicBool = AtomicBool::new(false);
static STARTED: Mutex<bool> = Mutex::new(false);
static CALL: Condvar = Condvar::new();

/// Wakes the monitor, as work is due and no permit is free.
pub(super) fn wake() {
    // Models have no monitor, and those that run at once would meet at its flag.
    if cfg!(loom) || AWAKE.load(Ordering::SeqCst) || AWAKE.swap(true, Ordering::SeqCst) {
        return;
    }
    let _started = STARTED.lock();
    CALL.notify_one();
}

/// Starts the monitor once; false if the system has no thread to give. Workers start only after it, as it retries when no further worker
/// can be started.
pub(super) fn start() -> bool {
    let mut started = STARTED.lock();
    *started = *started || cfg!(loom) || thread::start("gevt-monitor", monitor);
    *started
}

fn monitor() {
    let pool = super::get();
    let mut workers = Vec::new();
    loop {
        let mut started = STARTED.lock();
        AWAKE.store(false, Ordering::SeqCst);
        // A thread that found none free before the flag fell has not called.
        while !pool.has_others() && !AWAKE.load(Ordering::SeqCst) {
            started = CALL.wait(started);
        }
        AWAKE.store(true, Ordering::SeqCst);
        drop(started);
        let (mut idle, mut interval) = (0, TICK);
        while idle < IDLE {
            std::thread::sleep(interval);
            if pool.has_others() {
                idle = 0;
                let start = time_of_thread();
                let longer = if tick(pool, &mut workers) { TICK } else { (interval * 2).min(LONGEST) };
                // Not by the clock: on a busy machine it waits for a core itself.
                interval = longer.max((time_of_thread() - start) * SHARE);
            } else {
                idle += 1;
                interval = TICK;
            }
        }
    }
}

/// Checks the workers once; returns whether any has begun something or lost its permit. `workers` is memory for a list of them.
fn tick(pool: &'static WorkerPool, workers: &mut Vec<&'static Worker>) -> bool {
    workers.clear();
    {
        let all = pool.workers.lock();
        if workers.try_reserve(all.len()).is_err() {
            return false;
        }
        workers.extend_from_slice(&all);
    }
    let mut has_changed = false;
    for worker in workers {
        let begun = worker.begun();
        let activity = worker.sample.lock().as_mut().map_or(Activity::Unknown, |sample| sample.activity(begun));
        match (activity, worker.has_permit()) {
            (Activity::Began, _) => has_changed = true,
            (Activity::Blocked, true) => {
                pool.withdraw_permit(worker, begun);
                has_changed = true;
            }
            (Activity::Runs, false) => pool.count_withdrawn(worker, begun),
            _ => {}
        }
    }
    // There may have been no thread to start before.
    pool.send_again();
    has_changed
}
