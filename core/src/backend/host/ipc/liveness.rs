//! Whether the processes live that others wait for: one thread asks, however many wait.
//!
//! Who waits for a record sleeps without a limit. When the process that has to finish it is gone, this thread rings the bell of
//! each event that somebody waits for because of it.

use super::SharedEvent;
use super::peer::is_gone_lately;
use crate::os::{self, ProcessId};
use crate::process;
use crate::workers::{Sleeper, start_thread};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// How often a process is asked for while somebody waits for it.
const INTERVAL: Duration = Duration::from_millis(20);
/// After so many intervals in which nobody waited the thread sleeps until somebody does.
const IDLE: u32 = 50;

struct WaitedFor {
    started: bool,
    /// The thread asks again by itself.
    awake: bool,
    /// Events that somebody waits for, with the processes that have to finish their records.
    entries: Vec<Option<(ProcessId, Arc<SharedEvent>)>>,
    /// The empty ones of `entries`.
    free: Vec<usize>,
    /// Somebody has waited since the thread last asked.
    used: bool,
}

static WATCHED: Mutex<WaitedFor> =
    Mutex::new(WaitedFor { started: false, awake: false, entries: Vec::new(), free: Vec::new(), used: false });
/// Changes when the thread is called.
static CALL: AtomicU32 = AtomicU32::new(0);

/// Somebody waits until this is dropped.
pub(super) struct Watch {
    process: ProcessId,
    entry: usize,
}

impl Watch {
    /// Has the event's bell rung when the process is gone. `None` where there is no memory or no thread for that.
    pub(super) fn new(process: ProcessId, event: &SharedEvent) -> Option<Watch> {
        let mut watched = WATCHED.lock();
        watched.started = watched.started || start_thread("gevt-alive", ask);
        let more = watched.entries.len() + 1 - watched.free.len();
        let room = watched.entries.try_reserve(1).is_ok() && watched.free.try_reserve(more).is_ok();
        if !watched.started || !room {
            return None;
        }
        let entry = watched.free.pop().unwrap_or_else(|| {
            watched.entries.push(None);
            watched.entries.len() - 1
        });
        watched.entries[entry] = Some((process, event.arc()));
        watched.used = true;
        if !std::mem::replace(&mut watched.awake, true) {
            CALL.fetch_add(1, Ordering::SeqCst);
            os::wake(&CALL);
        }
        Some(Watch { process, entry })
    }

    pub(super) fn process(&self) -> ProcessId {
        self.process
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut watched = WATCHED.lock();
        let event = watched.entries.get_mut(self.entry).and_then(Option::take);
        watched.free.push(self.entry);
        drop(watched);
        drop(event);
    }
}

fn ask() {
    let mut idle = 0;
    let mut processes = Vec::new();
    while !process::is_over() {
        let call = CALL.load(Ordering::SeqCst);
        let mut watched = WATCHED.lock();
        idle =
            if std::mem::take(&mut watched.used) || watched.free.len() < watched.entries.len() { 0 } else { idle + 1 };
        watched.awake = idle < IDLE;
        let awake = watched.awake;
        processes.clear();
        for (process, _) in watched.entries.iter().flatten() {
            if !processes.contains(process) {
                processes.push(*process);
            }
        }
        drop(watched);
        processes.retain(|process| is_gone_lately(*process));
        if !processes.is_empty() {
            let watched = WATCHED.lock();
            let bereft = watched.entries.iter().flatten().filter(|(process, _)| processes.contains(process));
            bereft.for_each(|(_, event)| event.rouse());
        }
        os::sleep(&CALL, call, awake.then_some(INTERVAL));
    }
}
