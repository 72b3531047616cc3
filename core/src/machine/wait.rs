//! Waits of streams for events.

use super::context::ContextUse;
use super::event::{self, EventSlot};
use super::flags::WaitFlags;
use super::state::{Answer, Op, State, answer, is_known};
use super::stream::{self, StreamView, traced};
use super::sync::Awaited;
use crate::backend::{Backend, Mark, StreamRef};
use crate::error::{Error, Result};
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
        self.wait_kind(event, flags, |backend, stream, mark| backend.wait(stream, mark, false))
    }

    /// Like [`Stream::wait`], with another way to wait for an event of the stream's own backend.
    pub(crate) fn wait_by(
        self,
        event: Event,
        wait: impl FnOnce(&dyn Backend, StreamRef<'_>, Mark) -> Result<()>,
    ) -> Result<()> {
        self.wait_kind(event, WaitFlags::DEFAULT, wait)
    }

    #[inline]
    fn wait_kind(
        self,
        event: Event,
        flags: WaitFlags,
        wait: impl FnOnce(&dyn Backend, StreamRef<'_>, Mark) -> Result<()>,
    ) -> Result<()> {
        let (handle, event) = (self.0, event.0);
        let _traced = probe::slice(move || Call::new("stream waits for").of(event::traced(event)).on(traced(handle)));
        let event = event::find(event)?;
        let unpinned =
            |stream: &StreamView| if flags == WaitFlags::DEFAULT { wait_unpinned(stream, event) } else { None };
        stream::submit(handle, unpinned, |stream| wait_pinned(stream, event, flags, wait))
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
    let is_complete = state == State::Complete && context.streams_last;
    let may_wait = matches!(state, State::Pending | State::Complete) && event.slot.value.bound_to() == context.id;
    match () {
        () if is_complete => Some(Ok(())),
        () if may_wait => context.unpinned()?.wait(&stream.to, event.to_ref()),
        () => None,
    }
}

#[inline(never)]
fn wait_pinned(
    stream: &StreamView,
    event: Found<'static, EventSlot>,
    flags: WaitFlags,
    wait: impl FnOnce(&dyn Backend, StreamRef<'_>, Mark) -> Result<()>,
) -> Result<()> {
    let event = event.pin()?;
    if flags.check()?.contains(WaitFlags::EXTERNAL) {
        return wait_external(stream, &event);
    }
    let word = event.slot().word.load();
    match answer(State::of(word), is_known(word), Op::Wait) {
        Answer::Success => Ok(()),
        Answer::Refused(error) => Err(error),
        Answer::Ask => {
            if State::of(word) == State::Captured || !is_known(word) {
                stream.may_be_captured();
            }
            wait_on(stream, &event, wait)
        }
    }
}

fn wait_on(
    stream: &StreamView,
    event: &Guard<'static, EventSlot>,
    wait: impl FnOnce(&dyn Backend, StreamRef<'_>, Mark) -> Result<()>,
) -> Result<()> {
    let backend = &stream.context.backend;
    match event.context() {
        Some(context) if context.kind == stream.context.kind => {
            let mark = context.backend.hold(&event.cell);
            let waits = wait(&**backend, stream.to, mark);
            context.backend.unhold(&event.cell, mark);
            waits
        }
        Some(_) => wait_across(stream, event),
        None => Ok(()),
    }
}

/// The event is another backend's: the host opens a gate of the stream when the event completes. The context lives until then, even if
/// its handles, streams and events end before.
fn wait_across(stream: &StreamView, event: &Guard<'static, EventSlot>) -> Result<()> {
    let Some(awaited) = Awaited::new(event.handle())? else { return Ok(()) };
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
        event.bind(stream.context, stream.through)?;
    }
    let context = event.context().ok_or(Error::NotBound)?;
    if context.kind != stream.context.kind {
        return Err(Error::ContextMismatch);
    }
    event::give_native(context, event)?;
    event.slot().word.update(|word| Some(word.with_ask()));
    backend.wait(stream.to, context.backend.mark(&event.cell), true)
}
