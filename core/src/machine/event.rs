//! An event: the contents of its slot, and the ways to reach it.

use super::backend_context::BackendContext;
use super::last_elapsed::LastElapsed;
use super::names;
use super::state::State;
use super::word;
use crate::atomic_ref::AtomicRef;
use crate::backend::{Backend, Cell, EventRef, Left, Mark, Recorded};
use crate::error::{Error, Result};
use crate::flags::EventFlags;
use crate::lifecycle;
use crate::probe::EventId;
use crate::process;
use crate::table::{Context, Event, Field, Found, Guard, Handle, Recycle, Slot, Word, table};
use crate::text::Name;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The creation flags in [`EventSlot::flags`].
const CREATION: Field = Field::first(18);
/// The native event is the caller's, or the timeline that the event marks, and may end together with the event.
pub(super) const BORROWED: Field = CREATION.then(1);
/// The event is another process's.
pub(super) const IMPORTED: Field = BORROWED.then(1);
/// A name was set; spares the other events a lookup.
const NAMED: Field = IMPORTED.then(1);
/// How often the word's count of records has wrapped.
const WRAPS: Field = NAMED.then(11);

const _: () = assert!(WRAPS.end() == 32 && WRAPS.end() - NAMED.end() == Word::COMPLETE_ZEROS);

/// The contents of an event's slot besides its word. At most 128 bytes each, for programs with ten million events.
#[derive(Default)]
pub(crate) struct EventSlot {
    /// The fields above.
    flags: AtomicU32,
    /// The context that the event is bound to.
    context: AtomicRef<BackendContext>,
    /// The handle through which it was bound.
    bound_by: AtomicU64,
    pub(crate) cell: Cell,
    pub(super) last_elapsed: LastElapsed,
}

const _: () = assert!(
    size_of::<Slot<EventSlot>>() <= 120,
    "an event takes 128 bytes at most, with its index in the list of free slots"
);

table! {
    pub(super) static EVENTS: EventSlot, Event;
}

impl Recycle for EventSlot {
    fn recycle(&self, last: Word) {
        if let Some(context) = self.context() {
            let left = match last.asks() || State::of(last) == State::Captured {
                _ if self.has(BORROWED) => Left::Borrowed,
                true => Left::Unknown,
                false => Left::Known,
            };
            context.backend.release(&self.cell, self.flags(), left);
            context.release();
            self.context.store(None);
            self.bound_by.store(0, Ordering::Relaxed);
        }
        if self.has(NAMED) {
            drop(names::set(self, None));
        }
    }
}

impl EventSlot {
    #[inline]
    fn get(&self, field: Field) -> u32 {
        field.get(self.flags.load(Ordering::Relaxed).into()) as u32
    }

    pub(super) fn has(&self, bit: Field) -> bool {
        self.get(bit) != 0
    }

    /// Before the event is published, but for [`NAMED`].
    pub(super) fn set(&self, bit: Field) {
        self.flags.fetch_or(bit.mask() as u32, Ordering::Relaxed);
    }

    /// The flags of the event's creation.
    #[inline]
    pub(crate) fn flags(&self) -> EventFlags {
        EventFlags::from_bits(self.get(CREATION))
    }

    /// How often the word's count of records has wrapped.
    pub(crate) fn wraps(&self) -> u64 {
        self.get(WRAPS).into()
    }

    /// The word's count of records has wrapped.
    pub(crate) fn add_wrap(&self) {
        self.flags.fetch_add(1 << NAMED.end(), Ordering::Relaxed);
    }

    /// The context that the event is bound to, if it is.
    #[inline]
    pub(crate) fn context(&self) -> Option<&'static BackendContext> {
        self.context.load()
    }

    #[inline]
    pub(crate) fn is_bound_to(&self, context: &BackendContext) -> bool {
        self.context.is(context)
    }

    /// The name in traces of this event, which has that handle.
    #[cold]
    pub(crate) fn traced(&self, handle: Handle) -> EventId {
        let name = self.name().unwrap_or(Name::EMPTY);
        EventId { handle: handle.0, cell: self.cell.address(), serial: self.cell.serial(), name }
    }

    /// The event's name, if it has one.
    pub(crate) fn name(&self) -> Option<Name> {
        if self.has(NAMED) { names::get(self) } else { None }
    }

    pub(crate) fn bound_by(&self) -> Handle {
        Handle(self.bound_by.load(Ordering::Relaxed))
    }

    /// Names the event, or removes its name if that is empty.
    pub(super) fn set_name(&self, name: Name) {
        self.set(NAMED);
        drop(names::set(self, Some(name)));
    }

    /// Binds the event to the context for good, or checks that it is bound to it.
    #[inline]
    pub(crate) fn bind(&self, context: &'static BackendContext, through: Handle) -> Result<()> {
        if self.is_bound_to(context) { Ok(()) } else { self.bind_unbound(context, through) }
    }

    #[cold]
    fn bind_unbound(&self, context: &'static BackendContext, through: Handle) -> Result<()> {
        // The lock serializes binding. A thread that sees the context also sees the handle.
        let _binding = self.cell.lock();
        if self.context().is_none() {
            context.try_acquire()?;
            self.bound_by.store(through.0, Ordering::Relaxed);
            self.context.store(Some(context));
        }
        if self.is_bound_to(context) { Ok(()) } else { Err(Error::ContextMismatch) }
    }
}

impl Found<'static, EventSlot> {
    /// The event, for calls that do not pin it.
    #[inline]
    pub(crate) fn to_ref(self) -> EventRef<'static> {
        EventRef { cell: &self.slot.value.cell, life: Some(self.life()) }
    }

    /// Notes a record that has been made, or that has failed, and counts it beyond the word if that cannot.
    #[inline(always)]
    pub(super) fn note(self, outcome: Option<Recorded>) {
        if word::note(self.slot, self.word, outcome) {
            self.add_wrap();
        }
    }

    #[cold]
    fn add_wrap(self) {
        // If the event has ended, nothing counts any more.
        self.pin().iter().for_each(|event| event.add_wrap());
    }

    /// Returns whether the event is known to be done, or was never recorded.
    #[inline]
    pub(super) fn is_known_done(self) -> bool {
        self.word.is_known_to_be(self.handle.generation(), State::Unrecorded as u64) && process::is_normal()
    }
}

/// A live event.
#[inline]
pub(super) fn find(handle: Handle) -> Result<Found<'static, EventSlot>> {
    process::check()?;
    EVENTS.find(handle)
}

/// A live event, in use.
pub(crate) fn get(handle: Handle) -> Result<Guard<'static, EventSlot>> {
    find(handle)?.pin()
}

pub(super) fn insert(flags: EventFlags, bind: impl FnOnce(&EventSlot, Word) -> Word) -> Result<Event> {
    lifecycle::begin()?;
    EVENTS
        .insert_word(|event, word| {
            event.flags.store(flags.bits(), Ordering::Relaxed);
            let strict = flags.contains(EventFlags::STRICT);
            bind(event, word.with_state(if strict { State::UnrecordedStrict } else { State::Unrecorded } as u64))
        })
        .map(Event)
}

/// Makes an event that is bound to a context: `first` sets it up and gives its first state, and `fill` puts into its cell what it has from
/// the start.
pub(super) fn insert_in(
    context: Context,
    flags: EventFlags,
    first: impl FnOnce(&EventSlot, Word) -> Word,
    fill: impl FnOnce(&'static BackendContext, &'static Cell) -> Result<()>,
) -> Result<Event> {
    let (kept, through) = super::current::resolve(context.0)?;
    let context = kept.0;
    context.check()?;
    let event = insert(flags, |event, word| {
        context.acquire();
        event.bound_by.store(through.0, Ordering::Relaxed);
        event.context.store(Some(context));
        first(event, word)
    })?;
    let filled = EVENTS.peek(event.0).and_then(|event| fill(context, &event.cell));
    if let Err(error) = filled {
        event.destroy()?;
        return Err(error);
    }
    Ok(event)
}

/// Passes the mark that the event has now to `read`. The mark stays valid meanwhile.
pub(super) fn with_mark<T>(
    event: &Guard<'static, EventSlot>,
    context: &BackendContext,
    read: impl FnOnce(Mark) -> T,
) -> T {
    let mark = context.backend.hold(&event.cell);
    let result = read(mark);
    context.backend.unhold(&event.cell, mark);
    result
}

/// Makes a call of the backend of a bound event; one that is `timed` needs timing. Pins the event's device, and the event only if that is not
/// enough.
pub(crate) fn in_context<T>(
    event: Event,
    timed: bool,
    call: impl FnOnce(&dyn Backend, EventRef<'static>) -> Result<T>,
) -> Result<T> {
    let found = find(event.0)?;
    let event = &found.slot.value;
    let pin = event.context().map_or(Ok(None), BackendContext::pin)?;
    let _guard = if pin.is_some() && found.is_unchanged() { None } else { Some(found.pin()?) };
    if timed && !event.flags().is_timed() {
        return Err(Error::TimingDisabled);
    }
    let context = event.context().ok_or(Error::NotBound)?;
    context.check()?;
    call(&*context.backend, found.to_ref())
}

/// The event's name in traces, if it is live.
pub(crate) fn traced(handle: Handle) -> Option<EventId> {
    get(handle).ok().map(|event| event.traced(handle))
}
