//! The state of the process: one word that the fast paths read.

use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::os;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

pub use crate::os::Uncancelled;

/// This is the child of a fork.
pub(crate) const FORKED: u32 = 1;
/// `exit` has begun.
pub(crate) const EXITING: u32 = 2;
/// A context was lost, and what is known of its events has not been forgotten yet.
const CONTEXT_LOST: u32 = 4;
/// A trace is being written.
const TRACING: u32 = 8;
/// The program has a sanitizer of data races, which wants to know the order of threads.
const SANITIZED: u32 = 32;
/// The process uses gevt. If the flag is missing later, this is the child of a fork that ran no handler.
const IN_USE: u32 = 16;

/// In a library that is instrumented itself, announcements would hide its own races.
const IS_ANNOUNCED: bool = cfg!(not(any(loom, gevt_instrumented)));

/// The flags, alone on a page that a fork clears.
#[repr(C, align(4096))]
struct Flags {
    word: AtomicU32,
    _rest: [u8; 4092],
}

static FLAGS: Flags = Flags { word: AtomicU32::new(0), _rest: [0; 4092] };
/// Like IN_USE, but a fork does not clear it.
static WAS_USED: AtomicBool = AtomicBool::new(false);

#[inline]
fn flags() -> u32 {
    FLAGS.word.load(Ordering::Relaxed)
}

/// Sets a flag for good.
pub(crate) fn set_flag(bit: u32) {
    FLAGS.word.fetch_or(bit, Ordering::SeqCst);
}

/// How many contexts were lost.
static LOSSES: AtomicU32 = AtomicU32::new(0);

/// A context was lost: until that is settled, no event is answered from memory without a check of its context.
pub(crate) fn note_loss() {
    LOSSES.fetch_add(1, Ordering::SeqCst);
    set_flag(CONTEXT_LOST);
}

/// Calls `forget`, after which no event of a lost context is answered from memory, if a context was lost since the last time.
pub(crate) fn settle_losses(forget: impl FnOnce()) {
    static SETTLING: Mutex<()> = Mutex::new(());
    if flags() & CONTEXT_LOST == 0 {
        return;
    }
    // Another thread does it otherwise, and the caller goes the long way once more.
    if let Some(_alone) = SETTLING.try_lock() {
        settle(&FLAGS.word, &LOSSES, forget);
    }
}

fn settle(flags: &AtomicU32, losses: &AtomicU32, forget: impl FnOnce()) {
    let settled = losses.load(Ordering::SeqCst);
    forget();
    flags.fetch_and(!CONTEXT_LOST, Ordering::SeqCst);
    if losses.load(Ordering::SeqCst) != settled {
        flags.fetch_or(CONTEXT_LOST, Ordering::SeqCst);
    }
}

/// Begins or ends a trace: entries are noted while one is written.
pub fn set_tracing(on: bool) {
    if on {
        FLAGS.word.fetch_or(TRACING, Ordering::SeqCst);
    } else {
        FLAGS.word.fetch_and(!TRACING, Ordering::SeqCst);
    }
}

/// Returns whether an event's word may be believed without asking its context.
#[inline]
pub(crate) fn is_normal() -> bool {
    flags() & !TRACING == IN_USE
}

/// Returns whether the process [is normal](is_normal), no trace is being written, and locks may be taken.
#[inline]
pub(crate) fn is_normal_and_untraced() -> bool {
    flags() == IN_USE && !os::has_lost_threads()
}

/// Returns whether a trace is being written by this process.
#[inline]
pub fn is_tracing() -> bool {
    flags() & (TRACING | FORKED | EXITING) == TRACING
}

/// Returns whether the program has a sanitizer of data races.
#[inline]
pub(crate) fn is_sanitized() -> bool {
    flags() & SANITIZED != 0
}

/// Returns whether this is the child of a fork.
pub(crate) fn is_forked() -> bool {
    means_fork(|| FLAGS.word.load(Ordering::Acquire), || WAS_USED.load(Ordering::Acquire))
}

/// Decides whether this is the child of a fork, from what the two words hold at each reading.
fn means_fork(flags: impl Fn() -> u32, was_used: impl Fn() -> bool) -> bool {
    let bits = flags();
    // The flags are read again: another thread may have begun just now, and sets them first.
    bits & FORKED != 0 || (bits & IN_USE == 0 && was_used() && flags() & IN_USE == 0)
}

/// Fails in a forked child and while the process exits.
#[inline]
pub fn check() -> Result<()> {
    match FLAGS.word.load(Ordering::Acquire) {
        IN_USE if !os::has_lost_threads() => Ok(()),
        _ if is_forked() => Err(Error::Forked),
        bits if bits & EXITING != 0 || os::has_lost_threads() => Err(Error::Exiting),
        _ => Ok(()),
    }
}

/// Returns why a call fails that has not called [`check`] before it failed with `error`.
#[cold]
pub(crate) fn refusal(error: Error) -> Error {
    check().err().unwrap_or(error)
}

/// Returns whether the process was forked or exits. A destroy then succeeds and does nothing.
pub(crate) fn is_over() -> bool {
    check().is_err()
}

/// Returns whether this process has begun to use gevt.
#[inline]
pub fn is_in_use() -> bool {
    flags() & IN_USE != 0
}

/// Returns whether the process has begun to use gevt, and the program has no sanitizer of data races.
#[inline]
pub fn is_ordinary() -> bool {
    flags() & (IN_USE | SANITIZED) == IN_USE
}

/// Marks the process as one that uses gevt.
pub(crate) fn begin(is_sanitized: bool) {
    // SAFETY: a word of 0 has no flags, which `means_fork` takes for the child of a fork.
    unsafe { os::wipe_on_fork(&FLAGS) };
    set_flag(if is_sanitized && IS_ANNOUNCED { IN_USE | SANITIZED } else { IN_USE });
    WAS_USED.store(true, Ordering::Release);
}

/// What backends do when exit begins: a place for each.
static AT_EXIT: [OnceLock<fn()>; 2] = [const { OnceLock::new() }; 2];

/// Has `end` called when exit begins: calls are refused by then, and the driver's own exit handlers have not run yet.
pub(crate) fn before_exit(end: fn()) {
    let _ = AT_EXIT.iter().find(|place| std::ptr::fn_addr_eq(*place.get_or_init(|| end), end));
}

/// Calls the functions of [`before_exit`].
pub(crate) fn run_before_exit() {
    AT_EXIT.iter().filter_map(OnceLock::get).for_each(|end| end());
}

#[cfg(all(test, not(loom)))]
#[path = "process_tests.rs"]
mod tests;
