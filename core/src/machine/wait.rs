//! Waits of streams for events.

use super::context::ContextUse;
use super::event::{self, EventSlot};
use super::flags::WaitFlags;
use super::losses;
use super::state::{Answer, Op, State, answer, is_known};
use super::stream::{self, StreamPin, StreamView, traced};
use super::sync::Awaited;
use crate::backend::host::Host;
use crate::backend::{Backend, Mark, StreamRef};
use crate::error::{Error, Result};
use crate::point::Opener;
use crate::probe::{self, Call};
use crate::process;
use crate::table::{Event, Guard, Handle, Kind, Life, Slot, Stream};

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

    #[inline(never)]
    fn wait_kind(
        self,
        event: Event,
        flags: WaitFlags,
        wait: impl FnOnce(&dyn Backend, StreamRef<'_>, Mark) -> Result<()>,
    ) -> Result<()> {
        let (handle, event) = (self.0, event.0);
        let _traced = probe::slice(move || Call::new("stream waits for").of(event::traced(event)).on(traced(handle)));
        let slot = event::find(event)?;
        if !Life::of(slot, event).lasts() {
            return Err(Error::StaleHandle(Kind::Event));
        }
        let mut pin = StreamPin::default();
        let stream = stream::find(handle, &mut pin)?;
        if flags == WaitFlags::DEFAULT {
            if let Some(waited) = wait_lasting(&stream, slot, event) {
                return waited;
            }
            if let Some(waited) = wait_protected(&stream, slot, event) {
                return waited;
            }
        }
        let event = event::pin(slot, event)?;
        stream.pin(&mut pin)?;
        losses::check(stream.context)?;
        if flags.check()?.contains(WaitFlags::EXTERNAL) {
            return wait_external(&stream, &event);
        }
        let word = event.slot().word.load();
        match answer(State::of(word), is_known(word), Op::Wait) {
            Answer::Success => Ok(()),
            Answer::Refused(error) => Err(error),
            Answer::Ask => {
                let may_be_captured = State::of(word) == State::Captured || !is_known(word);
                if !stream.to_ref().capturable && may_be_captured {
                    stream::may_be_captured(handle)?;
                }
                wait_on(&stream, &event, wait)
            }
        }
    }
}

/// The frequent case on the host, whose streams are never freed and never captured: the event is complete, or waits for a place in a stream
/// of the same context. Neither is pinned: that would take the event's line from the thread that completes it. `None`: nothing was done.
#[inline]
fn wait_lasting(stream: &StreamView, slot: &Slot<EventSlot>, event: Handle) -> Option<Result<()>> {
    let (word, life) = (slot.word.load(), Life::of(slot, event));
    if !stream.context.streams_last
        || !process::is_normal_and_untraced()
        || !word.is_life_of(event.generation())
        || !is_known(word)
    {
        return None;
    }
    match State::of(word) {
        State::Complete => Some(Ok(())),
        State::Pending if slot.value.bound_to() == stream.context.id => {
            let mark = Host::local_mark(&slot.value.cell, life)?;
            Some(stream.context.backend.wait(stream.to_ref(), mark, false))
        }
        _ => None,
    }
}

/// The frequent case: the event is of the same context as the stream, its last record was not captured, and the thread protects both.
/// `None`: nothing was done.
#[inline]
fn wait_protected(stream: &StreamView, slot: &'static Slot<EventSlot>, event: Handle) -> Option<Result<()>> {
    let word = slot.word.load();
    let is_made = is_known(word) && matches!(State::of(word), State::Pending | State::Complete);
    if !is_made || slot.value.bound_to() != stream.context.id {
        return None;
    }
    let (life, stream_ref) = (Life::of(slot, event), stream.to_ref());
    let (calls, pin) = stream.context.pin([life, stream_ref.life.unwrap_or(life)])?;
    calls.wait(&pin, stream_ref, &slot.value.cell)
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
            let waits = wait(&**backend, stream.to_ref(), mark);
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
    let opener = context.backend.gate(stream.native)?;
    awaited.open_then(Opener::new(move |status| {
        opener.open(status);
        context.end_on_worker();
    }))
}

/// A wait that becomes a node of a graph. The graph waits for the record that the event has when the graph runs. An event that was never
/// recorded is bound here, and gets its native event.
fn wait_external(stream: &StreamView, event: &Guard<'static, EventSlot>) -> Result<()> {
    let backend = &stream.context.backend;
    backend.check_external(stream.native)?;
    if event.context().is_none() {
        event.bind(stream.context, stream.through)?;
    }
    let context = event.context().ok_or(Error::NotBound)?;
    if context.kind != stream.context.kind {
        return Err(Error::ContextMismatch);
    }
    event::give_native(context, event)?;
    event.slot().word.update(|word| Some(word.with_ask()));
    backend.wait(stream.to_ref(), context.backend.mark(&event.cell), true)
}
