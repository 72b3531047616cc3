//! The state of the process, and what the environment asked for: one word, which is zero while a query of a finished event
//! may be answered from memory and nothing is to be counted or printed.

use crate::driver::handlers;
use crate::driver::types::CUresult;
use crate::settings::Settings;
use crate::stderr::say;
use crate::{leaks, stats};
use gevt_core::native_events::ends_context;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// No call has come yet.
const NEW: u32 = 1;
/// This is the child of a fork: locks may have been left held.
const FORKED: u32 = 2;
/// `exit` has begun.
const EXITING: u32 = 4;
/// A context met an error that ends it: its finished events answer that, too.
const CONTEXT_LOST: u32 = 8;
const OFF: u32 = 0x10;
const STRICT: u32 = 0x20;
const WARN: u32 = 0x40;
const LEAKS: u32 = 0x80;
const STATS: u32 = 0x100;
/// From this bit up: how many streams are being captured. A query then is the driver's to judge.
const CAPTURE: u32 = 0x1000;

static WORD: AtomicU32 = AtomicU32::new(NEW);

/// The word as a call found it.
#[derive(Clone, Copy)]
pub(crate) struct Mode(u32);

impl Mode {
    const fn has(self, bits: u32) -> bool {
        self.0 & bits != 0
    }
    /// Returns whether every call goes to the driver as it is.
    pub(crate) const fn forwards(self) -> bool {
        self.has(FORKED | EXITING | OFF)
    }
    /// Returns whether the driver has to be asked even of a finished event.
    pub(crate) const fn asks(self) -> bool {
        self.has(CONTEXT_LOST) || self.0 >= CAPTURE
    }
    pub(crate) const fn is_strict(self) -> bool {
        self.has(STRICT)
    }
    pub(crate) const fn warns(self) -> bool {
        self.has(WARN)
    }
    pub(crate) const fn keeps_leaks(self) -> bool {
        self.has(LEAKS)
    }
    pub(crate) const fn counts(self) -> bool {
        self.has(STATS)
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
    if mode.has(NEW) { start() } else { mode }
}

/// Reads the environment and registers the handlers. It waits for the first call, so that a process that never calls the
/// driver is left as it is.
#[cold]
fn start() -> Mode {
    static STARTED: OnceLock<()> = OnceLock::new();
    STARTED.get_or_init(|| {
        let settings = Settings::read(
            |name| std::env::var_os(name),
            |name, values| say(&format!("{name} is none of {values}: it is taken for the first of them")),
        );
        let mut bits = 0;
        let choices = [
            (settings.off, OFF),
            (settings.strict, STRICT),
            (settings.warn, WARN),
            (settings.leaks, LEAKS),
            (settings.stats, STATS),
        ];
        choices.into_iter().filter(|(chosen, _)| *chosen).for_each(|(_, bit)| bits |= bit);
        if bits & OFF == 0 {
            handlers::watch(|| set(FORKED), at_exit);
        }
        set(bits);
        WORD.fetch_and(!NEW, Ordering::SeqCst);
    });
    Mode(WORD.load(Ordering::SeqCst))
}

fn set(bits: u32) {
    WORD.fetch_or(bits, Ordering::SeqCst);
}

/// Prints what was asked for, before the driver's own handlers run.
fn at_exit() {
    let before = Mode(WORD.fetch_or(EXITING, Ordering::SeqCst));
    // The handler is registered for both ways to exit. In a forked child a lock may have been left held.
    if before.has(FORKED | EXITING) {
        return;
    }
    if before.keeps_leaks() {
        leaks::print();
    }
    if before.counts() {
        stats::print();
    }
}

/// Keeps what a code of the driver's says of a context.
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
