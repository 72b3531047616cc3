//! Waits of streams for events.

use super::backend_context::BackendContext;
use super::event::{self, EVENTS, EventSlot};
use super::in_use::ContextUse;
use super::state::{Op, State, answer, is_known};
use super::stream::{self, StreamView};
use super::sync::PendingEvent;
use crate::backend::{RecordRef, UNPINNED, WaitMode};
use crate::error::{Error, Result};
use crate::flags::WaitFlags;
use crate::point::Opener;
use crate::probe::{self, Call};
use crate::process;
use crate::table::{Event, Found, Guard, Stream};

impl Stream {
    /// Makes all later work in the stream wait for the event's last record.
    pub fn wait(self, event: Event) -> Result<()> {
        self.wait_with(event, WaitFlags::DEFAULT)
    }

    /// Like [`Stream::wait`], with flags.
    pub fn wait_with(self, event: Event, flags: WaitFlags) -> Result<()> {
        self.wait_as(event, flags, WaitMode::Plain)
    }

    /// Like [`Stream::wait_with`], with the way to wait for an event of the stream's own backend where the flags do not say.
    #[inline]
    pub(crate) fn wait_as(self, event: Event, flags: WaitFlags, mode: WaitMode) -> Result<()> {
        let event = EVENTS.find(event.0).map_err(process::refusal)?;
        let unpinned =
            |stream: &StreamView| if flags == WaitFlags::DEFAULT { wait_unpinned(stream, event) } else { None };
        stream::submit(self.0, unpinned, |stream| wait_pinned(stream, event, flags, mode))
    }
}

/// The frequent case, without pinning either: the event's last record was not captured, and is of the stream's context, or known to be
/// complete where streams are never captured. `None`: nothing was done.
#[inline]
fn wait_unpinned(stream: &StreamView, event: Found<'static, EventSlot>) -> Option<Result<()>> {
    let (context, state) = (stream.context, State::of(event.word));
    if !is_known(event.word) || !process::is_normal_and_untraced() {
        return None;
    }
    let is_complete = state == State::Complete && !context.is_counted;
    let may_wait = matches!(state, State::Pending | State::Complete) && event.slot.value.is_bound_to(context);
    match () {
        () if is_complete => Some(Ok(())),
        () if may_wait => {
            let waits = context.unpinned()?.wait(&stream.to, RecordRef::Last(event.to_ref()), WaitMode::Plain);
            if waits == Err(UNPINNED) { None } else { Some(waits) }
        }
        () => None,
    }
}

#[inline(never)]
fn wait_pinned(stream: &StreamView, event: Found<'static, EventSlot>, flags: WaitFlags, mode: WaitMode) -> Result<()> {
    let _traced =
        probe::slice(|| Call::new("stream waits for").of(event::traced(event.handle)).on(Some(stream.traced())));
    let event = event.pin()?;
    if flags.check()?.contains(WaitFlags::EXTERNAL) {
        return wait_external(stream, &event);
    }
    let word = event.slot().word.load();
    if answer(word, Op::Wait)? {
        return Ok(());
    }
    if State::of(word) == State::Captured || !is_known(word) {
        stream.may_be_captured();
    }
    match event.context() {
        Some(context) if context.kind == stream.context.kind => wait_held(stream, &event, context, mode),
        Some(_) => wait_across(stream, &event),
        None => Ok(()),
    }
}

/// The event is another backend's: the host opens a gate of the stream when the event completes. The context lives until then, even if
/// its handles, streams and events end before.
fn wait_across(stream: &StreamView, event: &Guard<'static, EventSlot>) -> Result<()> {
    let Some(awaited) = PendingEvent::new(event.handle())? else { return Ok(()) };
    if awaited.is_done()? {
        return Ok(());
    }
    let context = ContextUse::new(stream.context)?;
    let opener = context.backend.gate(stream.to.native)?;
    awaited.open_then(Opener::new(move |status| {
        opener.open(status);
        context.end_on_worker();
    }))
}

/// A wait that becomes a node of a graph. The graph waits for the record that the event has when the graph runs. An event that was never
/// recorded is bound here, and gets its native event.
fn wait_external(stream: &StreamView, event: &Guard<'static, EventSlot>) -> Result<()> {
    let backend = &stream.context.backend;
    backend.check_external(stream.to.native)?;
    if event.context().is_none() {
        event.bind(stream.context, stream.through())?;
    }
    let context = event.context().ok_or(Error::NotBound)?;
    if context.kind != stream.context.kind {
        return Err(Error::ContextMismatch);
    }
    context.backend.give_native(&event.cell, event.flags())?;
    event.slot().word.update(|word| Some(word.with_ask()));
    wait_held(stream, event, context, WaitMode::External)
}

fn wait_held(
    stream: &StreamView,
    event: &Guard<'static, EventSlot>,
    context: &BackendContext,
    mode: WaitMode,
) -> Result<()> {
    event::with_mark(event, context, |mark| stream.context.backend.wait(&stream.to, RecordRef::Held(mark), mode))
}
