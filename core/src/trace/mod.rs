//! A trace: what events and streams did, in a file of Chrome's trace format.
//!
//! Calls tell of themselves by [`slice`] and [`put`], which cost a look at the process's word where nothing is traced: as long
//! as the closures that they are given take copies, as a reference would force what it refers to from registers into memory.
//! The buffer is bounded; a thread of its own writes it. A file that cannot be written ends the trace, not the program.

mod asked;
mod buffer;
mod document;
#[cfg(test)]
mod document_tests;
mod entry;
mod file;
mod json;
mod session;
mod thread;
mod tracks;

pub(crate) use entry::{Call, EventId, Obstacle, Place, StreamId, What};
pub(crate) use file::leave as leave_file;
pub(crate) use session::{Written, finish, start, start_asked, stop};
pub(crate) use thread::id as thread_id;

use crate::process;
use entry::TraceEntry;

/// Returns whether anything is traced.
#[inline]
pub(crate) fn is_on() -> bool {
    process::is_tracing()
}

/// Tells of something that happened.
#[inline]
pub(crate) fn put(what: impl FnOnce() -> What) {
    if is_on() {
        put_now(what);
    }
}

#[cold]
#[inline(never)]
fn put_now(what: impl FnOnce() -> What) {
    let what = what();
    thread::introduce();
    session::BUFFER.push(TraceEntry::now(what));
}

/// A call under way on this thread. It ends with the value; [`begin`] and [`end`] are for a call that may leave no value behind.
#[must_use]
pub(crate) struct Slice(Option<Begun>);

/// When a call began, and the one that it is inside of.
#[derive(Clone, Copy)]
pub(crate) struct Begun {
    since: i64,
    inside: i64,
}

/// Tells of a call, or of a function of the caller's, which lasts until the value is dropped.
#[inline]
pub(crate) fn slice(call: impl FnOnce() -> Call) -> Slice {
    Slice(is_on().then(|| begin(call)))
}

#[cold]
#[inline(never)]
pub(crate) fn begin(call: impl FnOnce() -> Call) -> Begun {
    let call = call();
    thread::introduce();
    let inside = thread::innermost();
    let entry = TraceEntry::now(What::Begin { call, inside });
    let since = entry.time;
    thread::set_innermost(since);
    session::BUFFER.push(entry);
    Begun { since, inside }
}

#[cold]
#[inline(never)]
pub(crate) fn end(Begun { since, inside }: Begun) {
    thread::set_innermost(inside);
    put(move || What::End { since });
}

impl Drop for Slice {
    #[inline]
    fn drop(&mut self) {
        if let Some(begun) = self.0 {
            end(begun);
        }
    }
}

/// What a stream does now. It ends with the value.
#[must_use]
pub(crate) struct StreamSlice(Option<StreamId>);

/// Tells that a stream runs a function, until the value is dropped.
#[inline]
pub(crate) fn function(stream: impl FnOnce() -> StreamId) -> StreamSlice {
    StreamSlice(is_on().then(|| {
        let stream = stream();
        put_now(|| What::StreamRuns(stream, "function"));
        stream
    }))
}

impl Drop for StreamSlice {
    #[inline]
    fn drop(&mut self) {
        if let Some(stream) = self.0 {
            put(|| What::StreamGoesOn(stream));
        }
    }
}
