//! The log: messages for functions of the program.
//!
//! A function runs on the reporting thread, which holds no lock of gevt. It may call gevt; those calls are not logged. A message is
//! formatted only if a function wants it.

use crate::lock::Mutex;
use crate::probe;
use crate::process::{self, Uncancelled};
use crate::sync::wait_for_another;
use crate::text::Text;
use std::cell::Cell;
use std::ffi::CStr;
use std::fmt::Arguments;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How important a message is; the numbers are part of the ABI. 0 is none at all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u32)]
pub enum Level {
    /// Something is lost for good.
    Error = 1,
    /// A call failed.
    Warn = 2,
    /// A decision or action of gevt itself.
    Info = 3,
}

impl Level {
    /// Returns the level with that number.
    pub fn of(number: u32) -> Option<Level> {
        [Level::Error, Level::Warn, Level::Info].into_iter().find(|level| *level as u32 == number)
    }
}

/// The receiver of messages.
pub type Logger = Arc<dyn Fn(Level, &CStr) + Send + Sync>;

/// Names a receiver: its function and argument. Zeros are gevt's own.
pub type Key = [usize; 2];

struct Registered {
    key: Key,
    /// Ascends in the list.
    number: u64,
    /// The least important level that it wants; 0 once it is removed. Threads may still be inside.
    wanted: u32,
    /// Each thread inside has its own reference.
    logger: Logger,
}

static REGISTERED: Mutex<Vec<Registered>> = Mutex::new(Vec::new());
/// The least important level that a function wants; 0 without a function.
static WANTED: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// The calling thread calls functions of the program.
struct Inside;

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(false);
    }
}

/// Returns the first function after that number that wants messages of the level.
fn next(level: Level, after: u64) -> Option<(u64, Logger)> {
    let list = REGISTERED.lock();
    let next = list.iter().find(|one| one.number > after && one.wanted >= level as u32)?;
    Some((next.number, next.logger.clone()))
}

/// Adds a function, changes its level, or removes it. A removal blocks until no thread is inside the function, unless the calling thread is
/// inside one.
pub fn set(key: Key, wanted: Option<(Level, Logger)>) {
    let mut list = REGISTERED.lock();
    let known = list.iter_mut().find(|one| one.key == key && one.wanted > 0);
    let removes = wanted.is_none();
    match (known, wanted) {
        (Some(known), wanted) => known.wanted = wanted.map_or(0, |(level, _)| level as u32),
        (None, Some((level, logger))) => {
            let number = list.last().map_or(1, |last| last.number + 1);
            list.push(Registered { key, number, wanted: level as u32, logger });
        }
        (None, None) => {}
    }
    WANTED.store(list.iter().map(|one| one.wanted).max().unwrap_or(0), Ordering::Relaxed);
    for tries in 0.. {
        list.retain_mut(|one| one.wanted > 0 || Arc::get_mut(&mut one.logger).is_none());
        let is_inside = removes && list.iter().any(|one| one.key == key && one.wanted == 0);
        if !is_inside || INSIDE.get() {
            return;
        }
        drop(list);
        wait_for_another(tries);
        list = REGISTERED.lock();
    }
}

/// Returns whether to log messages of that level from this thread.
#[inline]
pub(crate) fn is_on(level: Level) -> bool {
    // In a forked child the lock may have been left held; while the process exits, the caller's objects are torn down.
    WANTED.load(Ordering::Relaxed) >= level as u32 && !INSIDE.get() && !process::is_over()
}

/// Logs a message. The calling thread holds no lock.
pub fn tell(level: Level, message: Arguments<'_>) {
    if !is_on(level) {
        return;
    }
    let text = Text::<512>::of(message);
    // The function may reach a cancellation point.
    let _uncancelled = Uncancelled::new();
    INSIDE.set(true);
    let _inside = Inside;
    let mut last = 0;
    while let Some((number, logger)) = next(level, last) {
        last = number;
        probe::outside(|| logger(level, text.as_c_str()));
        // The function may have forked, while another thread had the lock.
        if process::is_over() {
            break;
        }
    }
}
