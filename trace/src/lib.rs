//! The probe of gevt's libraries: traces, and the order of threads for ThreadSanitizer.
//!
//! A trace says what events and streams did, in a file of Chrome's trace format. The buffer is bounded; one thread writes it. A file that
//! cannot be written ends the trace, not the program.

mod buffer;
mod document;
#[cfg(test)]
mod document_tests;
pub mod driver_calls;
mod env;
mod file;
mod json;
mod os;
mod session;
mod tracks;
mod tsan;

use buffer::{BUFFER, TraceEntry};
use gevt_core::probe::{self, Begun, Call, Order, Probe, Scope, What};
use gevt_core::process::{self, Uncancelled};
use gevt_core::{Error, Level, Result, lifecycle};
use session::Written;
use std::cell::Cell;
use std::ffi::CStr;

/// Sets the core's probe. Each library does so before it begins to use the core.
#[inline]
pub fn install() {
    if !process::is_in_use() {
        probe::set(&Sinks);
    }
}

/// Begins the trace. The path is in UTF-8 on Windows.
pub fn start(path: &CStr) -> Result<()> {
    let _uncancelled = Uncancelled::new();
    let path = os::path(path).map_err(|error| Error::File(session::number_of(&error)))?;
    process::check()?;
    lifecycle::begin()?;
    session::start(path.into(), false)?;
    gevt_core::report_all();
    gevt_core::log(Level::Info, format_args!("the trace goes to {}", path.display()));
    Ok(())
}

/// Ends the trace and waits until it is written.
pub fn stop() -> Result<()> {
    let _uncancelled = Uncancelled::new();
    process::check()?;
    let Written { entries, lost } = session::stop()?;
    if lost == 0 {
        gevt_core::log(Level::Info, format_args!("the trace is written: {entries} entries"));
    } else {
        gevt_core::log(Level::Warn, format_args!("the trace is written: {entries} entries, and {lost} found no room"));
    }
    Ok(())
}

thread_local! {
    /// When the thread's innermost call under way began; 0 if it is in none that is traced.
    static INNERMOST: Cell<i64> = const { Cell::new(0) };
}

/// The trace and the sanitizer.
struct Sinks;

impl Probe for Sinks {
    fn wants_order(&self) -> bool {
        tsan::is_sanitized()
    }

    fn begin(&self) {
        session::start_asked();
    }

    fn end(&self) {
        session::finish();
    }

    fn note(&self, what: What) {
        BUFFER.add(TraceEntry::now(what));
    }

    fn begin_call(&self, call: Call) -> Begun {
        let inside = INNERMOST.get();
        let entry = TraceEntry::now(What::Begin { call, inside });
        let since = entry.time;
        INNERMOST.set(since);
        BUFFER.add(entry);
        Begun { since, inside }
    }

    fn end_call(&self, Begun { since, inside }: Begun) {
        INNERMOST.set(inside);
        probe::put(move || What::End { since });
    }

    fn order(&self, order: Order, address: usize) {
        tsan::announce(order, address);
    }

    fn pass(&self, scope: Scope, begins: bool) {
        tsan::pass(scope, begins);
    }
}
