//! The state of the process, and what the environment asked for, in one word. It is zero while a query of a finished event
//! may be answered from memory and nothing is to be counted or printed.

use crate::driver::types::CUresult;
use crate::driver::{handlers, library};
use crate::settings::{self, LEAKS, OFF, STATS, STRICT, TRACE};
use crate::stderr::say;
use crate::{leaks, stats};
use gevt_core::native_events::ends_context;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// No call has come yet. These bits lie around those of the settings.
const NEW: u32 = 1;
/// This is the child of a fork: locks may have been left held.
const FORKED: u32 = 2;
/// `exit` has begun, which is known only if something is to be printed then.
const EXITING: u32 = 4;
/// A context met an error that ends it. Its finished events answer that error as well.
const CONTEXT_LOST: u32 = 8;
/// Events may have been recorded, made or destroyed out of sight: the driver is asked every time.
const UNTRUSTED: u32 = 0x200;
/// The next query of a finished event asks the driver whether it agrees.
const ASK_ONCE: u32 = 0x400;
/// The driver is asked every time from now on, and the person who runs the program does not know why.
const UNTOLD: u32 = 0x1000;
/// From this bit up: how many streams are being captured. A query then is the driver's to judge.
const CAPTURE: u32 = 0x2000;

static WORD: AtomicU32 = AtomicU32::new(NEW);

/// The word as a call found it.
#[derive(Clone, Copy)]
pub(crate) struct Mode(u32);

impl Mode {
    /// Returns whether one of the bits is set, such as the bits of the settings.
    pub(crate) const fn has(self, bits: u32) -> bool {
        self.0 & bits != 0
    }
    /// Returns whether every call goes to the driver as it is.
    pub(crate) const fn forwards(self) -> bool {
        self.has(FORKED | EXITING | OFF)
    }
    /// Returns whether the driver has to be asked even of a finished event.
    pub(crate) const fn asks(self) -> bool {
        self.has(CONTEXT_LOST | UNTRUSTED) || self.0 >= CAPTURE
    }
    /// Returns whether one query is to ask the driver whether it agrees.
    pub(crate) const fn samples(self) -> bool {
        self.has(ASK_ONCE)
    }
    /// Returns whether what was destroyed may live again, out of sight.
    pub(crate) const fn trusts_no_memory(self) -> bool {
        self.has(UNTRUSTED) && !self.has(STRICT)
    }
    /// Returns whether memory has lost the process's trust, the reason was not printed, and it is to be.
    const fn is_untold(self) -> bool {
        self.has(UNTOLD) && !self.forwards()
    }
}

/// Returns whether a query of a finished event may be answered at once.
#[inline]
pub(crate) fn answers_at_once() -> bool {
    WORD.load(Ordering::Relaxed) == 0
}

/// The word, for a call that is not answered at once. The first call reads the environment.
#[inline]
pub(crate) fn mode() -> Mode {
    let mode = Mode(WORD.load(Ordering::Relaxed));
    if mode.has(NEW | UNTOLD) { start() } else { mode }
}

/// Reads the environment and registers the handlers, once, and reports distrust. It waits for a call, so a process that never calls
/// the driver is left as it is.
#[cold]
fn start() -> Mode {
    static STARTED: OnceLock<()> = OnceLock::new();
    STARTED.get_or_init(|| {
        let bits = settings::read(
            |name| std::env::var_os(name),
            |name, values| say(&format!("{name} is none of {values}: it is taken for the first of them")),
        );
        set(bits);
        if bits & OFF == 0 {
            handlers::at_fork(in_child);
            if let Some(reason) = library::way_round() {
                distrust(reason);
            }
        }
        // An exit handler changes the order in which a process ends.
        if bits & OFF == 0 && bits & (LEAKS | STATS) != 0 {
            handlers::at_exit(at_exit);
        }
        // If it cannot be had, the core says so.
        if bits & TRACE != 0 && gevt_trace::driver_calls::start_trace().is_err() {
            WORD.fetch_and(!TRACE, Ordering::SeqCst);
        }
        WORD.fetch_and(!NEW, Ordering::SeqCst);
    });
    tell();
    Mode(WORD.load(Ordering::SeqCst))
}

/// Prints why memory is not trusted, once.
#[cold]
pub(crate) fn tell() {
    if Mode(WORD.fetch_and(!UNTOLD, Ordering::SeqCst)).is_untold()
        && let Some(reason) = REASON.get()
    {
        say(&format!("warning: the driver is asked about every event from now on: {reason}"));
    }
}

fn set(bits: u32) {
    WORD.fetch_or(bits, Ordering::SeqCst);
}

extern "C" fn in_child() {
    set(FORKED);
}

/// Prints what was asked for, before the driver's own handlers run.
extern "C" fn at_exit() {
    let before = Mode(WORD.fetch_or(EXITING, Ordering::SeqCst));
    // The handler is registered for both ways to exit. In a forked child a lock may have been left held.
    if before.has(FORKED | EXITING) {
        return;
    }
    if before.has(LEAKS) {
        leaks::print();
    }
    if before.has(STATS) {
        stats::print();
    }
}

/// Notes an answer of the driver that ends a context.
#[inline]
pub(crate) fn note(code: CUresult) {
    if code != 0 && ends_context(code) {
        set(CONTEXT_LOST);
    }
}

/// One more stream is being captured.
pub(crate) fn capture_began() {
    WORD.fetch_add(CAPTURE, Ordering::SeqCst);
}

/// One less.
pub(crate) fn capture_ended() {
    WORD.fetch_sub(CAPTURE, Ordering::SeqCst);
}

/// Events or streams are made out of sight.
static FOREIGN: AtomicBool = AtomicBool::new(false);

/// The driver has accepted an event or a stream that was made out of sight.
pub(crate) fn saw_foreign() {
    FOREIGN.store(true, Ordering::Relaxed);
}

/// Returns whether the driver may have issued the pointer of a destroyed event or stream again, out of sight.
pub(crate) fn has_foreign() -> bool {
    FOREIGN.load(Ordering::Relaxed)
}

/// Why memory is not trusted, for the person who runs the program.
static REASON: OnceLock<&'static str> = OnceLock::new();

/// From now on the driver is asked about every event. The next call prints the reason: the loader, or a malloc that is about to start,
/// may be the caller of this.
#[cold]
pub(crate) fn distrust(reason: &'static str) {
    if REASON.set(reason).is_ok() {
        set(UNTRUSTED | UNTOLD);
    }
}

/// Returns whether this query of a finished event has to ask the driver, if nothing else asks for that.
pub(crate) fn takes_turn() -> bool {
    WORD.fetch_and(!ASK_ONCE, Ordering::SeqCst) & ASK_ONCE != 0
}

/// The next query of a finished event asks the driver.
#[inline]
pub(crate) fn ask_once() {
    if WORD.load(Ordering::Relaxed) & ASK_ONCE == 0 {
        set(ASK_ONCE);
    }
}
