//! Finds workers that are blocked in a host function, and lets others run in their place.
//!
//! The monitor is awake while work is due and no thread comes for it, because no permit is free or no thread can start. It ticks less often
//! while nothing changes. It stays awake even if there are as many threads as there can be: idle ones end, and others can start then.

use super::WorkerPool;
use crate::os::ThreadClock;
use crate::sync::{Lazy, Signal};
use crate::workers::sample::Activity;
use crate::workers::thread;
use crate::workers::worker::Worker;
use std::time::Duration;

/// The least and the greatest time between two ticks. The ticks take at most one part in `SHARE` of a core.
const TICK: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(8);
const SHARE: u32 = 20;
/// Ticks that were not needed after which the monitor parks.
const IDLE: u32 = 50;

/// Given when the monitor is to look at the workers for some time from then on.
static CALL: Lazy<Signal> = Lazy::new(Signal::new);

/// Wakes the monitor, as work is due and no permit is free.
pub(super) fn wake() {
    // Models have no monitor, and those that run at once would meet at its signal.
    if !cfg!(loom) && !Lazy::force(&CALL).is_given() {
        Lazy::force(&CALL).give();
    }
}

/// Starts the monitor; false if the system has no thread to give.
pub(super) fn start() -> bool {
    cfg!(loom) || thread::start("gevt-monitor", monitor)
}

fn monitor() {
    let (pool, call) = (super::get(), Lazy::force(&CALL));
    loop {
        while !call.take() {
            call.sleep(None);
        }
        let own = ThreadClock::of_this_thread();
        let (mut idle, mut interval) = (0, TICK);
        while idle < IDLE {
            std::thread::sleep(interval);
            if pool.has_others() {
                idle = 0;
                let start = own.used();
                let longer = if tick(pool) { TICK } else { (interval * 2).min(LONGEST) };
                // Not by the clock: on a busy machine it waits for a core itself.
                let used = own.used().zip(start).map_or(Duration::ZERO, |(end, start)| end - start);
                interval = longer.max(used * SHARE);
            } else {
                idle += 1;
                interval = TICK;
            }
        }
    }
}

/// Checks the workers once; returns whether any has begun something or lost its permit.
fn tick(pool: &'static WorkerPool) -> bool {
    let mut has_changed = false;
    for worker in Worker::all() {
        let begun = worker.begun();
        let activity = worker.sample.lock().as_mut().map_or(Activity::Unknown, |sample| sample.activity(begun));
        match (activity, worker.has_permit()) {
            (Activity::Began, _) => has_changed = true,
            (Activity::Blocked, true) => {
                pool.set_blocked(worker, begun, true);
                has_changed = true;
            }
            (Activity::Runs, false) => pool.set_blocked(worker, begun, false),
            _ => {}
        }
    }
    // There may have been no thread to start before.
    pool.send_again();
    has_changed
}
