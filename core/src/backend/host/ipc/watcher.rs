//! Waits that hold no thread for records of other processes. One thread sleeps for as many of them as the kernel can wait for at
//! once, and wakes the waiters.

use super::wait::INTERVAL;
use super::{Outcome, SharedEvent};
use crate::error::{Error, Result};
use crate::os::{self, MOST_WORDS, SleepWord};
use crate::process;
use crate::status::Status;
use crate::workers::{self, Parker, Waiter, Waker};
use parking_lot::Mutex;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// How long to sleep where the kernel cannot wait for as many words as there are.
const SHORT: Duration = Duration::from_micros(500);
/// How many a thread sleeps for, beside the word on which it is called.
const EACH: usize = MOST_WORDS - 1;
/// After so many sleeps in a row for nothing a thread pauses after each one that ended at once.
const HURRIED: u32 = 64;
const AT_ONCE: Duration = Duration::from_micros(20);
const PAUSE: Duration = Duration::from_micros(500);

struct Waiting {
    shared: Arc<SharedEvent>,
    ticket: u64,
    waiter: Waiter,
}

/// Keeps a thread from looping if a process rings a bell all the time.
#[derive(Default)]
struct Pace(u32);

impl Pace {
    /// Before a sleep. The time is not needed for the first ones.
    fn start(&mut self) -> Option<Instant> {
        self.0 = self.0.saturating_add(1);
        (self.0 > HURRIED).then(Instant::now)
    }

    /// After a sleep that was for nothing.
    fn pause(&self, start: Option<Instant>) {
        if start.is_some_and(|start| start.elapsed() < AT_ONCE) {
            std::thread::sleep(PAUSE);
        }
    }
}

/// What one thread sleeps for.
#[derive(Default)]
struct Watcher {
    waiting: Mutex<Vec<Waiting>>,
    /// Changes with each new waiter.
    call: AtomicU32,
}

/// All watchers; their threads run as long as the process.
static WATCHERS: Mutex<Vec<Arc<Watcher>>> = Mutex::new(Vec::new());

thread_local! {
    /// The watcher whose thread this is.
    static OWN: Cell<*const Watcher> = const { Cell::new(std::ptr::null()) };
}

/// Sees to it that there is a thread.
pub(super) fn start() -> Result<()> {
    let mut watchers = WATCHERS.lock();
    if watchers.is_empty() {
        start_another(&mut watchers).ok_or(Error::OutOfMemory)?;
    }
    Ok(())
}

fn start_another(watchers: &mut Vec<Arc<Watcher>>) -> Option<Arc<Watcher>> {
    watchers.try_reserve(1).ok()?;
    let watcher: Arc<Watcher> = Arc::default();
    let own = watcher.clone();
    workers::start_thread("gevt-ipc", move || watch(&own)).then(|| watchers.push(watcher.clone()))?;
    Some(watcher)
}

/// Wakes the waiter when the record is finished or lost; gives it back without memory to remember it.
pub(super) fn add(shared: Arc<SharedEvent>, ticket: u64, waiter: Waiter) -> std::result::Result<(), Waiter> {
    let mut watchers = WATCHERS.lock();
    let has_room = |watcher: &&Arc<Watcher>| watcher.waiting.lock().len() < EACH;
    let is_own = |watcher: &Arc<Watcher>| Arc::as_ptr(watcher) == OWN.get();
    let own = watchers.iter().find(|watcher| is_own(watcher)).filter(has_room);
    let with_room = own.or_else(|| watchers.iter().find(has_room)).cloned();
    let any = with_room.or_else(|| start_another(&mut watchers)).or_else(|| watchers.first().cloned());
    let Some(watcher) = any else { return Err(waiter) };
    let mut waiting = watcher.waiting.lock();
    if waiting.try_reserve(1).is_err() {
        return Err(waiter);
    }
    waiting.push(Waiting { shared, ticket, waiter });
    drop((waiting, watchers));
    // The watcher itself looks before it sleeps again.
    if !is_own(&watcher) {
        watcher.call.fetch_add(1, Ordering::SeqCst);
        os::wake(&watcher.call);
    }
    Ok(())
}

/// Forgets a parked thread.
pub(super) fn forget(parker: &Parker) {
    if !parker.expects(Waker::Watcher) {
        return;
    }
    let is_it = |entry: &Waiting| matches!(&entry.waiter, Waiter::Thread(thread) if std::ptr::eq(&**thread, parker));
    for watcher in WATCHERS.lock().iter() {
        let forgotten: Vec<Waiting> = watcher.waiting.lock().extract_if(.., |entry| is_it(entry)).collect();
        drop(forgotten);
    }
    parker.set_forgotten(Waker::Watcher);
}

fn watch(watcher: &Watcher) {
    OWN.set(watcher);
    let mut pace = Pace::default();
    let mut last = 0;
    // When to check again whether processes live.
    let mut check = Instant::now();
    // Kept while their words are slept on.
    let mut listened = Vec::new();
    let mut words = Vec::new();
    let mut due = Vec::new();
    loop {
        let call = watcher.call.load(Ordering::SeqCst);
        if std::mem::replace(&mut last, call) != call {
            pace = Pace::default();
        }
        listened.clear();
        words.clear();
        words.push(SleepWord::new(&watcher.call, call));
        let now = Instant::now();
        let checks = now >= check;
        if checks {
            check = now + INTERVAL;
        }
        look(watcher, checks, &mut listened, &mut words, &mut due);
        if !due.is_empty() {
            for (waiter, status) in due.drain(..) {
                match waiter {
                    // Often it only finishes a record that other processes wait for.
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
            os::sleep(&watcher.call, call, None);
        } else if words.len() > MOST_WORDS || !os::sleep_on_any(&words, check - now) {
            std::thread::sleep(SHORT);
        }
        pace.pause(start);
    }
}

/// Removes the waiters whose records are finished, and gathers the words of the others. With `checks`, also finds the records whose
/// processes have ended.
fn look(
    watcher: &Watcher,
    checks: bool,
    listened: &mut Vec<Arc<SharedEvent>>,
    words: &mut Vec<SleepWord>,
    due: &mut Vec<(Waiter, Status)>,
) {
    let mut waiting = watcher.waiting.lock();
    let mut at = 0;
    while at < waiting.len() && !process::is_over() {
        let Waiting { shared, ticket, .. } = &waiting[at];
        let bell = shared.page().listen();
        let status = match if checks { shared.look(*ticket) } else { shared.peek(*ticket) } {
            Outcome::Pending(_) => {
                if words.len() <= MOST_WORDS {
                    words.push(SleepWord::new(shared.bell(), bell));
                    listened.push(shared.clone());
                }
                at += 1;
                continue;
            }
            Outcome::Done => Status::SUCCESS,
            Outcome::Lost => Status::CONTEXT_IS_DESTROYED,
            Outcome::Failed(status) => status,
        };
        due.push((waiting.swap_remove(at).waiter, status));
    }
}
