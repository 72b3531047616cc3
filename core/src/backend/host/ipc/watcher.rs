//! Wakes those who wait for other processes' records without holding a thread: one thread sleeps for all of them.

use super::wait::{INTERVAL, Pace};
use super::{Look, SharedEvent};
use crate::error::{Error, Result};
use crate::os::{self, MOST_WORDS, Word};
use crate::process;
use crate::status::Status;
use crate::workers::{self, Parker, Waiter};
use parking_lot::Mutex;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// How long to sleep where the kernel cannot wait for as many words as there are.
const SHORT: Duration = Duration::from_micros(500);

struct Entry {
    shared: Arc<SharedEvent>,
    ticket: u64,
    waiter: Waiter,
    /// Nobody has slept for it yet.
    new: bool,
}

struct Watcher {
    started: bool,
    waiting: Vec<Entry>,
}

static WATCHER: Mutex<Watcher> = Mutex::new(Watcher { started: false, waiting: Vec::new() });
/// Changes when somebody new waits.
static CALL: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// Set on the watcher's thread.
    static WATCHES: Cell<bool> = const { Cell::new(false) };
}

/// Sees to it that there is a thread.
pub(super) fn start() -> Result<()> {
    let mut watcher = WATCHER.lock();
    watcher.started = watcher.started || workers::start_thread("gevt-ipc", watch);
    if watcher.started { Ok(()) } else { Err(Error::OutOfMemory) }
}

/// Wakes the waiter when the record is finished or lost; gives it back where there is no memory to remember it.
pub(super) fn add(shared: Arc<SharedEvent>, ticket: u64, waiter: Waiter) -> std::result::Result<(), Waiter> {
    let mut watcher = WATCHER.lock();
    if watcher.waiting.try_reserve(1).is_err() {
        return Err(waiter);
    }
    watcher.waiting.push(Entry { shared, ticket, waiter, new: true });
    drop(watcher);
    // The watcher itself looks before it sleeps again.
    if !WATCHES.get() {
        CALL.fetch_add(1, Ordering::SeqCst);
        os::wake(&CALL);
    }
    Ok(())
}

/// Forgets a parked thread.
pub(super) fn forget(parker: &Parker) {
    let is_it = |entry: &Entry| matches!(&entry.waiter, Waiter::Thread(thread) if std::ptr::eq(&**thread, parker));
    WATCHER.lock().waiting.retain(|entry| !is_it(entry));
}

fn watch() {
    WATCHES.set(true);
    let mut pace = Pace::default();
    let mut last = 0;
    // Kept while their words are slept on.
    let mut listened = Vec::new();
    let mut words = Vec::new();
    let mut due = Vec::new();
    loop {
        let call = CALL.load(Ordering::SeqCst);
        if std::mem::replace(&mut last, call) != call {
            pace = Pace::default();
        }
        listened.clear();
        words.clear();
        words.push(Word::new(&CALL, call));
        look(&mut listened, &mut words, &mut due);
        if !due.is_empty() {
            for (waiter, status) in due.drain(..) {
                match waiter {
                    // Often it only finishes a record of its own, which others wait for.
                    Waiter::Task(task) => task.run_briefly(),
                    other => workers::wake(other, status),
                }
            }
            pace = Pace::default();
            continue;
        }
        let start = pace.start();
        if listened.is_empty() {
            // Every kernel can wait for one word.
            os::sleep(&CALL, call, None);
        } else if words.len() > MOST_WORDS || !os::sleep_on_any(&words, INTERVAL) {
            std::thread::sleep(SHORT);
        }
        pace.rest(start);
    }
}

/// Takes out those whose time has come, and gathers the words of the others.
fn look(listened: &mut Vec<Arc<SharedEvent>>, words: &mut Vec<Word>, due: &mut Vec<(Waiter, Status)>) {
    let mut watcher = WATCHER.lock();
    let mut at = 0;
    while at < watcher.waiting.len() && !process::is_over() {
        let entry = &mut watcher.waiting[at];
        let bell = entry.shared.listen();
        let new = std::mem::take(&mut entry.new);
        let look = if new { entry.shared.look_here(entry.ticket) } else { entry.shared.look(entry.ticket) };
        let status = match look {
            Look::Pending => {
                if words.len() <= MOST_WORDS {
                    words.push(Word::new(entry.shared.bell(), bell));
                    listened.push(entry.shared.clone());
                }
                at += 1;
                continue;
            }
            Look::Done => Status::SUCCESS,
            Look::Gone => Status::CONTEXT_IS_DESTROYED,
        };
        due.push((watcher.waiting.swap_remove(at).waiter, status));
    }
}
