//! Captures: submitted work becomes graph nodes and does not run.

mod mode;
mod record;
mod unsafe_call;

pub(crate) use mode::{GLOBAL, exchange_mode};
pub(crate) use record::CapturedRecord;
pub(crate) use unsafe_call::check_unsafe_call;

use crate::code::{Code, Result};
use crate::context::Context;
use crate::graph::{self, Number, Step};
use crate::handle::Handle;
use crate::stream::Stream;
use gevt_core::lock::Mutex;
use mode::{RELAXED, STRICT};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::ThreadId;

/// A capture, from its beginning to its end.
pub(crate) struct Capture {
    pub(crate) id: u64,
    pub(crate) graph: Handle,
    /// Whether the capture made the graph.
    own: bool,
    mode: u32,
    thread: ThreadId,
    origin: &'static Stream,
    invalid: AtomicBool,
    over: AtomicBool,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// The nodes that the capture has added.
    nodes: Vec<Number>,
    /// The participating streams, each with the dependencies of its next node.
    streams: Vec<(&'static Stream, BTreeSet<Number>)>,
}

static ACTIVE: Mutex<Vec<Arc<Capture>>> = Mutex::new(Vec::new());
static IDS: AtomicU64 = AtomicU64::new(1);

#[inline]
pub(crate) fn of(stream: &Stream) -> Option<Arc<Capture>> {
    match stream.capture.load(Ordering::Acquire) {
        0 => None,
        id => ACTIVE.lock().iter().find(|capture| capture.id == id).cloned(),
    }
}

/// Refuses capture queries on a default stream while a blocking stream of its context is captured.
pub(crate) fn check_question(stream: &Stream) -> Result {
    let beside = stream.context()?.captures.load(Ordering::Acquire) > 0 && stream.is_default();
    if beside { Err(Code::STREAM_CAPTURE_IMPLICIT) } else { Ok(()) }
}

/// Refuses work on such a stream, because captured streams would have to wait for it. This invalidates their captures.
pub(crate) fn check_implicit(stream: &Stream) -> Result {
    check_question(stream).inspect_err(|_| _ = stream.context().map(invalidate_blocking))
}

/// Refuses a call on a captured stream that captures do not support. This invalidates the capture.
pub(crate) fn check_uncaptured(stream: &Stream) -> Result {
    check_implicit(stream)?;
    match of(stream) {
        Some(capture) => {
            capture.invalidate();
            Err(Code::STREAM_CAPTURE_UNSUPPORTED)
        }
        None => Ok(()),
    }
}

/// Invalidates the captures of the context's blocking streams.
pub(crate) fn invalidate_blocking(context: &Context) {
    let blocking = |capture: &&Arc<Capture>| {
        let inner = capture.inner.lock();
        let of = |stream: &Stream| stream.context().is_ok_and(|own| std::ptr::eq(own, context));
        inner.streams.iter().any(|(stream, _)| stream.is_blocking() && of(stream))
    };
    ACTIVE.lock().iter().filter(blocking).for_each(|capture| capture.invalidate());
}

/// Refuses a call that concerns all streams of a context while one of them is captured. This invalidates the captures.
pub(crate) fn check_context(context: &Context) -> Result {
    let active = ACTIVE.lock();
    let of = |stream: &Stream| stream.context().is_ok_and(|own| std::ptr::eq(own, context));
    let conflicts = |capture: &&Arc<Capture>| capture.inner.lock().streams.iter().any(|(stream, _)| of(stream));
    let refused = active.iter().filter(conflicts).inspect(|capture| capture.invalidate()).count();
    if refused > 0 { Err(Code::STREAM_CAPTURE_UNSUPPORTED) } else { Ok(()) }
}

/// Begins a capture on the stream.
pub(crate) fn begin(stream: &'static Stream, mode: u32) -> Result {
    check_begin(stream, mode)?;
    let graph = graph::create()?;
    start(stream, mode, graph, true, BTreeSet::new())
}

/// Begins a capture that adds its nodes to a graph, after existing nodes.
pub(crate) fn begin_to(stream: &'static Stream, mode: u32, graph: Handle, behind: BTreeSet<Number>) -> Result {
    check_begin(stream, mode)?;
    start(stream, mode, graph, false, behind)
}

fn check_begin(stream: &'static Stream, mode: u32) -> Result {
    if mode > RELAXED {
        return Err(Code::INVALID_VALUE);
    }
    if stream.is_default() {
        return Err(Code::STREAM_CAPTURE_UNSUPPORTED);
    }
    if of(stream).is_some() {
        return Err(Code::ILLEGAL_STATE);
    }
    Ok(())
}

fn start(stream: &'static Stream, mode: u32, graph: Handle, own: bool, behind: BTreeSet<Number>) -> Result {
    let capture = Arc::new(Capture {
        id: IDS.fetch_add(1, Ordering::Relaxed),
        graph,
        own,
        mode,
        thread: std::thread::current().id(),
        origin: stream,
        invalid: AtomicBool::new(false),
        over: AtomicBool::new(false),
        inner: Mutex::default(),
    });
    if mode != RELAXED {
        STRICT.fetch_add(1, Ordering::AcqRel);
    }
    ACTIVE.lock().push(capture.clone());
    capture.join(stream, behind).inspect_err(|_| {
        capture.invalidate();
        capture.close();
    })
}

/// Ends the capture that began on the stream, and returns the graph.
pub(crate) fn end(stream: &'static Stream, is_wanted: bool) -> Result<Handle> {
    let capture = of(stream).ok_or(Code::ILLEGAL_STATE)?;
    if !std::ptr::eq(capture.origin, stream) {
        capture.invalidate();
        return Err(Code::STREAM_CAPTURE_UNMATCHED);
    }
    if capture.mode != RELAXED && capture.thread != std::thread::current().id() {
        return Err(Code::STREAM_CAPTURE_WRONG_THREAD);
    }
    let joined = {
        let inner = capture.inner.lock();
        let ends = inner.streams.first().map(|(_, behind)| behind);
        graph::with(capture.graph, |graph| Ok(graph.is_reached(&inner.nodes, ends)))
    };
    let ended = match (capture.is_invalid(), joined) {
        (true, _) => Err(Code::STREAM_CAPTURE_INVALIDATED),
        (_, Ok(true)) => Ok(capture.graph),
        (_, Ok(false)) => Err(Code::STREAM_CAPTURE_UNJOINED),
        (_, Err(code)) => Err(code),
    };
    if ended.is_err() {
        capture.invalidate();
    }
    capture.close();
    if ended.is_ok() && capture.own && !is_wanted {
        let _ = graph::destroy(capture.graph);
    }
    ended
}

/// Removes the stream from its capture.
fn release(stream: &'static Stream) {
    stream.capture.store(0, Ordering::Release);
    if let Some(context) = stream.context().ok().filter(|_| stream.is_blocking()) {
        context.captures.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Capture {
    pub(crate) fn is_invalid(&self) -> bool {
        self.invalid.load(Ordering::Acquire)
    }

    /// Makes the end of the capture fail.
    pub(crate) fn invalidate(&self) {
        self.invalid.store(true, Ordering::Release);
    }

    /// The status as CUDA numbers it: 1 active, 2 invalidated.
    pub(crate) fn status(&self) -> i32 {
        if self.is_invalid() { 2 } else { 1 }
    }

    fn check(&self) -> Result {
        if self.is_invalid() { Err(Code::STREAM_CAPTURE_INVALIDATED) } else { Ok(()) }
    }

    /// Ends the capture. A failed capture removes the nodes that it added.
    fn close(&self) {
        if self.over.swap(true, Ordering::AcqRel) {
            return;
        }
        if self.is_invalid() && self.own {
            let _ = graph::destroy(self.graph);
        }
        ACTIVE.lock().retain(|other| !std::ptr::eq(&**other, self));
        if self.mode != RELAXED {
            STRICT.fetch_sub(1, Ordering::AcqRel);
        }
        let streams = std::mem::take(&mut self.inner.lock().streams);
        streams.into_iter().for_each(|(stream, _)| release(stream));
    }

    /// Removes a stream that is being destroyed from the capture. This invalidates the capture, and ends it if it began on this stream.
    pub(crate) fn leave(&self, stream: &'static Stream) {
        self.invalidate();
        if std::ptr::eq(self.origin, stream) {
            return self.close();
        }
        let mut inner = self.inner.lock();
        if let Some(at) = inner.streams.iter().position(|(known, _)| std::ptr::eq(*known, stream)) {
            inner.streams.remove(at);
            drop(inner);
            release(stream);
        }
    }

    fn join(self: &Arc<Capture>, stream: &'static Stream, behind: BTreeSet<Number>) -> Result {
        if stream.is_default() {
            self.invalidate();
            return Err(Code::STREAM_CAPTURE_IMPLICIT);
        }
        let context = stream.context()?;
        // `close` releases all streams that are registered when it takes the lock.
        let mut inner = self.inner.lock();
        if self.over.load(Ordering::Acquire) {
            return Err(Code::CAPTURED_EVENT);
        }
        // Another thread may have added the stream to a capture in the meantime.
        if stream.capture.compare_exchange(0, self.id, Ordering::AcqRel, Ordering::Acquire).is_err() {
            return Err(Code::ILLEGAL_STATE);
        }
        if stream.is_blocking() {
            context.captures.fetch_add(1, Ordering::AcqRel);
        }
        inner.streams.push((stream, behind));
        Ok(())
    }

    /// Adds submitted work to the graph.
    pub(crate) fn add(&self, stream: &'static Stream, step: Step) -> Result {
        self.check()?;
        let mut inner = self.inner.lock();
        let Inner { nodes, streams } = &mut *inner;
        let (_, behind) = streams.iter_mut().find(|(known, _)| std::ptr::eq(*known, stream)).ok_or(Code::UNKNOWN)?;
        let (_, number) = graph::add(self.graph, step, behind.clone())?;
        *behind = BTreeSet::from([number]);
        nodes.push(number);
        Ok(())
    }

    /// Returns the dependencies of the stream's next node.
    pub(crate) fn ends(&self, stream: &'static Stream) -> Result<Vec<Handle>> {
        let inner = self.inner.lock();
        let behind = inner.streams.iter().find(|(known, _)| std::ptr::eq(*known, stream)).map(|(_, behind)| behind);
        graph::with(self.graph, |graph| Ok(graph.handles(behind.into_iter().flatten())))
    }

    /// Adds nodes to the dependencies of the stream's next node, or replaces them.
    pub(crate) fn set_ends(&self, stream: &'static Stream, nodes: &[Handle], replace: bool) -> Result {
        self.check()?;
        let numbers = graph::with(self.graph, |graph| graph.numbers(self.graph, nodes))?;
        let mut inner = self.inner.lock();
        let known = inner.streams.iter_mut().find(|(known, _)| std::ptr::eq(*known, stream));
        let (_, behind) = known.ok_or(Code::UNKNOWN)?;
        if replace {
            behind.clear();
        }
        behind.extend(numbers);
        Ok(())
    }

    /// Records an event on the captured stream.
    pub(crate) fn record(self: &Arc<Capture>, stream: &'static Stream) -> Result<CapturedRecord> {
        self.check()?;
        let inner = self.inner.lock();
        let (_, behind) = inner.streams.iter().find(|(known, _)| std::ptr::eq(*known, stream)).ok_or(Code::UNKNOWN)?;
        Ok(CapturedRecord { capture: self.clone(), behind: behind.clone() })
    }

    /// Refuses to make a captured stream wait for work outside the capture.
    pub(crate) fn isolate(&self) -> Result {
        self.check()?;
        self.invalidate();
        Err(Code::STREAM_CAPTURE_ISOLATION)
    }
}

#[cfg(test)]
mod tests;
