//! Waits of streams for events.

use super::context::{BackendContext, ContextUse};
use super::event::{self, EVENTS, EventSlot};
use super::flags::WaitFlags;
use super::losses;
use super::protection;
use super::state::{Answer, Op, State, answer, is_known};
use super::stream::{self, Peeked, StreamUse, get_to_record, peek, traced};
use super::sync::Awaited;
use crate::backend::{Backend, Mark, NativeStream, Unkept};
use crate::error::{Error, Result};
use crate::point::Opener;
use crate::probe::{self, Call};
use crate::process;
use crate::table::{Event, Guard, Handle, Life, Stream, Word};

impl Stream {
    /// Makes all later work in the stream wait for the event's last record.
    pub fn wait(self, event: Event) -> Result<()> {
        self.wait_with(event, WaitFlags::DEFAULT)
    }

    /// Like [`Stream::wait`], with flags.
    pub fn wait_with(self, event: Event, flags: WaitFlags) -> Result<()> {
        if flags == WaitFlags::DEFAULT {
            if let Some(waited) = wait_protected(self.0, event.0) {
                return waited;
            }
            if wait_lasting(self.0, event.0) {
                return Ok(());
            }
        }
        self.wait_kept(event, flags, |backend, stream, mark| backend.wait(stream, mark, false))
    }

    /// Like [`Stream::wait`], with another way to wait for an event of the stream's own backend.
    pub(crate) fn wait_by(
        self,
        event: Event,
        wait: impl FnOnce(&dyn Backend, NativeStream, Mark) -> Result<()>,
    ) -> Result<()> {
        self.wait_kept(event, WaitFlags::DEFAULT, wait)
    }

    #[inline(never)]
    fn wait_kept(
        self,
        event: Event,
        flags: WaitFlags,
        wait: impl FnOnce(&dyn Backend, NativeStream, Mark) -> Result<()>,
    ) -> Result<()> {
        let (handle, event) = (self.0, event.0);
        let _traced = probe::slice(move || Call::new("stream waits for").of(event::traced(event)).on(traced(handle)));
        let event = event::get(event)?;
        let stream = get_to_record(handle)?;
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
                if !stream.capturable && may_be_captured {
                    stream::may_be_captured(handle)?;
                }
                wait_on(&stream, &event, wait)
            }
        }
    }
}

/// The frequent case: the event is of the same context as the stream, nothing is out of the ordinary, and the thread protects both. `None`
/// says that nothing was done.
#[inline]
fn wait_protected(handle: Handle, event: Handle) -> Option<Result<()>> {
    if !process::is_normal_and_untraced() {
        return None;
    }
    let Peeked { context, stream } = peek(handle, Unkept::Protected)?;
    let (slot, word) = EVENTS.peek_live(event)?;
    if !is_made(word) || slot.value.bound_to() != context {
        return None;
    }
    let backend = &context.context()?.backend;
    backend.wait_at_once(protection::mine()?, stream, &slot.value.cell, Life::of(slot, event))
}

/// Like [`wait_protected`], for a backend whose streams are never freed; false if that cannot be done.
#[inline]
fn wait_lasting(handle: Handle, event: Handle) -> bool {
    let Some(Peeked { context, stream }) = peek(handle, Unkept::Lasting) else { return false };
    let Some((slot, word)) = EVENTS.peek_live(event) else { return false };
    if !process::is_normal_and_untraced() || !is_made(word) || slot.value.bound_to() != context {
        return false;
    }
    let wait = |context: &BackendContext| {
        context.backend.wait_unkept(stream.native, stream.life, &slot.value.cell, Life::of(slot, event))
    };
    State::of(word) == State::Complete || context.context().is_some_and(wait)
}

/// Returns whether the word says that a record was made, and that it was captured by no stream.
#[inline]
fn is_made(word: Word) -> bool {
    is_known(word) && matches!(State::of(word), State::Pending | State::Complete)
}

fn wait_on(
    stream: &StreamUse,
    event: &Guard<'static, EventSlot>,
    wait: impl FnOnce(&dyn Backend, NativeStream, Mark) -> Result<()>,
) -> Result<()> {
    let backend = &stream.context.backend;
    match event.context() {
        Some(context) if context.kind == stream.context.kind => {
            let mark = context.backend.hold(&event.cell);
            let waits = wait(&**backend, stream.native, mark);
            context.backend.unhold(&event.cell, mark);
            waits
        }
        Some(_) => wait_across(stream, event),
        None => Ok(()),
    }
}

/// The event is another backend's: the host opens a gate of the stream when the event completes. The context lives until then, even if
/// its handles, streams and events end before.
fn wait_across(stream: &StreamUse, event: &Guard<'static, EventSlot>) -> Result<()> {
    let Some(awaited) = Awaited::new(event.handle())? else { return Ok(()) };
    if awaited.is_done()? {
        return Ok(());
    }
    let context = ContextUse::new(stream.context)?;
    let opener = context.backend.gate(stream.native)?;
    awaited.open_then(Opener::new(move |opening| {
        opener.open(opening);
        context.end_on_worker();
    }))
}

/// A wait that becomes a node of a graph. The graph waits for the record that the event has when the graph runs. An event that was never
/// recorded is bound here, and gets its native event.
fn wait_external(stream: &StreamUse, event: &Guard<'static, EventSlot>) -> Result<()> {
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
    backend.wait(stream.native, context.backend.mark(&event.cell), true)
}
