//! The log: messages for the program's function.
//!
//! The function runs on the reporting thread, which holds none of gevt's locks. It may call gevt; those calls are not
//! logged. A message is formatted only if the function wants it.

use crate::lock::{Condvar, Mutex};
use crate::probe;
use crate::process::{self, Uncancelled};
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
type Logger = Box<dyn Fn(Level, &CStr) + Send + Sync>;

struct Registered {
    level: Level,
    logger: Logger,
    /// Threads inside the function. Changes under the lock of [`CURRENT`].
    inside: AtomicU32,
}

struct Current {
    registered: Option<Arc<Registered>>,
    /// Earlier ones that a thread may still be inside. A function that replaced itself is here until it returns.
    before: Vec<Arc<Registered>>,
}

static CURRENT: Mutex<Current> = Mutex::new(Current { registered: None, before: Vec::new() });
/// A thread has left a function.
static LEFT: Condvar = Condvar::new();
/// The least important level to log; 0 without a function.
static WANTED: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// A thread inside the function.
struct Inside(Arc<Registered>);

impl Inside {
    /// `None` if no function wants messages of that level.
    fn enter(level: Level) -> Option<Inside> {
        let current = CURRENT.lock();
        let registered = current.registered.as_ref().filter(|registered| registered.level >= level)?.clone();
        registered.inside.fetch_add(1, Ordering::Relaxed);
        INSIDE.set(true);
        Some(Inside(registered))
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(false);
        // The function may have forked, while another thread had the lock.
        if process::is_forked() {
            return;
        }
        let _current = CURRENT.lock();
        self.0.inside.fetch_sub(1, Ordering::Relaxed);
        LEFT.notify_all();
    }
}

/// Replaces the function. Blocks until no thread is inside an earlier one, unless the calling thread is.
pub(crate) fn set(level: Level, logger: Option<Logger>) {
    let wanted = logger.as_ref().map_or(0, |_| level as u32);
    let registered = logger.map(|logger| Arc::new(Registered { level, logger, inside: AtomicU32::new(0) }));
    let mut current = CURRENT.lock();
    WANTED.store(wanted, Ordering::Relaxed);
    let before = std::mem::replace(&mut current.registered, registered);
    current.before.extend(before);
    loop {
        current.before.retain(|before| before.inside.load(Ordering::Relaxed) > 0);
        if current.before.is_empty() || INSIDE.get() {
            return;
        }
        current = LEFT.wait(current);
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
    if let Some(inside) = Inside::enter(level) {
        probe::outside(|| (inside.0.logger)(level, text.as_c_str()));
    }
}
