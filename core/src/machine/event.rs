//! An event: its slot's contents, its creation and its destruction.

use super::context::{BackendContext, ContextId};
use super::flags::EventFlags;
use super::last_elapsed::{self, LastElapsed};
use super::signal;
use super::state::State;
use super::word::Recording;
use crate::backend::{Backend, Cell, EventRef, Left};
use crate::error::{Error, Result};
use crate::lifecycle;
use crate::lock::Mutex;
use crate::probe::{self, Call, EventId, What};
use crate::process;
use crate::table::{Context, Event, Field, Found, Guard, Handle, Kind, Recycle, Slot, Word, table};
use crate::text::Name;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The creation flags in [`EventSlot::flags`].
const CREATION: Field = Field::first(18);
/// The native event is borrowed.
const BORROWED: Field = CREATION.then(1);
/// The event is another process's.
const IMPORTED: Field = BORROWED.then(1);
/// A name was set; spares the other events a lookup.
const NAMED: Field = IMPORTED.then(1);
/// How often the word's count of records has wrapped.
const WRAPS: Field = NAMED.then(11);

const _: () = assert!(WRAPS.end() == 32);

/// The contents of an event's slot besides its word. At most 128 bytes each, for programs with ten million events.
#[derive(Default)]
pub(crate) struct EventSlot {
    /// The fields above.
    flags: AtomicU32,
    /// The context that the event is bound to.
    context: AtomicU32,
    /// The handle through which it was bound.
    bound_by: AtomicU64,
    pub(crate) cell: Cell,
    pub(super) last_elapsed: LastElapsed,
}

/// The names of events, by the addresses of their slots: few events have one.
static NAMES: Mutex<BTreeMap<usize, Name>> = Mutex::new(BTreeMap::new());

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
            context.backend.release(&self.cell, self.flags().native(), left);
            context.release();
            self.context.store(0, Ordering::Relaxed);
            self.bound_by.store(0, Ordering::Relaxed);
        }
        if self.has(NAMED) {
            NAMES.lock().remove(&self.address());
        }
    }
}

impl EventSlot {
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn get(&self, field: Field) -> u32 {
        field.get(self.flags.load(Ordering::Relaxed).into()) as u32
    }

    fn has(&self, bit: Field) -> bool {
        self.get(bit) != 0
    }

    fn set(&self, bit: Field) {
        self.flags.fetch_or(bit.mask() as u32, Ordering::Relaxed);
    }

    /// The flags of the event's creation.
    pub(crate) fn flags(&self) -> EventFlags {
        EventFlags::from_bits(self.get(CREATION))
    }

    /// Returns whether the event was imported from another process.
    pub(crate) fn is_imported(&self) -> bool {
        self.has(IMPORTED)
    }

    /// How often the word's count of records has wrapped.
    pub(crate) fn wraps(&self) -> u64 {
        self.get(WRAPS).into()
    }

    /// The word's count of records has wrapped.
    pub(crate) fn add_wrap(&self) {
        self.flags.fetch_add(1 << NAMED.end(), Ordering::Relaxed);
        last_elapsed::drop_all();
    }

    /// The context that the event is bound to, if it is.
    pub(crate) fn context(&self) -> Option<&'static BackendContext> {
        ContextId(self.context.load(Ordering::Acquire)).context()
    }

    /// The number of the context that the event is bound to, if it is.
    #[inline]
    pub(crate) fn bound_to(&self) -> ContextId {
        ContextId(self.context.load(Ordering::Acquire))
    }

    /// The name in traces of this event, which has that handle.
    #[cold]
    pub(crate) fn traced(&self, handle: Handle) -> EventId {
        let name = self.name().unwrap_or_default();
        EventId { handle: handle.0, cell: self.cell.address(), serial: self.cell.serial(), name }
    }

    /// The event's name, if it has one.
    pub(crate) fn name(&self) -> Option<Name> {
        if self.has(NAMED) { NAMES.lock().get(&self.address()).copied() } else { None }
    }

    pub(crate) fn bound_by(&self) -> Handle {
        Handle(self.bound_by.load(Ordering::Relaxed))
    }

    /// For a new event, before it is published.
    pub(super) fn set_imported(&self) {
        self.set(IMPORTED);
    }

    /// Binds the event to the context for good, or checks that it is bound to it.
    #[inline]
    pub(crate) fn bind(&self, context: &'static BackendContext, through: Handle) -> Result<()> {
        if self.bound_to() == context.id { Ok(()) } else { self.bind_unbound(context, through) }
    }

    #[cold]
    fn bind_unbound(&self, context: &'static BackendContext, through: Handle) -> Result<()> {
        // The lock serializes binding. A thread that sees the context also sees the handle.
        let _binding = self.cell.lock();
        if self.bound_to() == ContextId(0) {
            context.try_acquire()?;
            self.bound_by.store(through.0, Ordering::Relaxed);
            self.context.store(context.id.0, Ordering::Release);
        }
        if self.bound_to() == context.id { Ok(()) } else { Err(Error::ContextMismatch) }
    }
}

impl Found<'static, EventSlot> {
    /// The event, for calls that do not pin it.
    #[inline]
    pub(super) fn to_ref(self) -> EventRef<'static> {
        EventRef { cell: &self.slot.value.cell, life: self.life() }
    }

    /// Begins a record, and counts it beyond the word if that cannot. Gives it with the word before.
    #[inline]
    pub(super) fn begin_record(self) -> Result<(Recording<'static, EventSlot>, Word)> {
        let begun = Recording::begin(self.slot, self.handle, self.word);
        let (recording, before) = begun.ok_or(Error::StaleHandle(Kind::Event))?;
        if before.records() == Word::MAX_RECORDS {
            self.slot.value.add_wrap();
        }
        Ok((recording, before))
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

impl Event {
    /// Makes an event, which its first record binds to a context.
    pub fn create(flags: EventFlags) -> Result<Event> {
        process::check()?;
        let flags = flags.check_event()?;
        if flags.contains(EventFlags::HOST_SIGNALED) {
            return signal::create(flags, None);
        }
        insert(flags, |_, word| word)
    }

    /// Makes an event that is bound to a context from the start.
    pub fn create_in(context: Context, flags: EventFlags) -> Result<Event> {
        process::check()?;
        let flags = flags.check_event()?;
        if flags.contains(EventFlags::HOST_SIGNALED) {
            return signal::create(flags, Some(context));
        }
        insert_in(context, flags, |_, word| word, |_, _| Ok(()))
    }

    /// Makes an event that is bound to a context and recorded: `mark` puts the mark of the record into the cell. It has no timing.
    pub(crate) fn create_recorded(
        context: Context,
        mark: impl FnOnce(&dyn Backend, &Cell) -> Result<()>,
    ) -> Result<Event> {
        let pending = |_: &EventSlot, word: Word| word.with_state(State::Pending as u64);
        insert_in(context, EventFlags::DISABLE_TIMING, pending, |context, cell| mark(&*context.backend, cell))
    }

    /// Returns whether the event is bound to no context yet.
    pub(crate) fn is_unbound(self) -> Result<bool> {
        Ok(get(self.0)?.context().is_none())
    }

    /// Borrows the caller's event: on CUDA, the address of a CUevent that was created with these flags.
    ///
    /// # Safety
    /// On CUDA, `native` must be 0 or a CUevent of the context that outlives the handle.
    pub unsafe fn wrap(context: Context, native: u64, flags: EventFlags) -> Result<Event> {
        process::check()?;
        let flags = flags.check_event()?;
        if flags.contains(EventFlags::HOST_SIGNALED) {
            return Err(Error::BadFlags(flags.bits()));
        }
        let borrowed = |event: &EventSlot, word: Word| {
            event.set(BORROWED);
            word.with_ask()
        };
        insert_in(context, flags, borrowed, |context, cell| {
            if native == 0 {
                return Err(Error::NullPointer("native"));
            }
            // SAFETY: this function requires of `native` what CUDA does, as it is not 0. Other backends refuse every value.
            unsafe { context.backend.wrap_event(cell, native, flags.native()) }
        })
    }

    /// Returns the backend's native event, to share: on CUDA, the address of a CUevent, which is destroyed with this
    /// event.
    pub fn native(self) -> Result<u64> {
        let event = get(self.0)?;
        let context = event.context().ok_or(Error::NotBound)?;
        context.check()?;
        let native = give_native(context, &event)?;
        event.slot().word.update(|word| Some(word.with_ask()));
        Ok(native)
    }

    /// Destroys the event. Never blocks: a call in progress pins what it needs until it returns.
    pub fn destroy(self) -> Result<()> {
        if process::is_over() {
            return Ok(());
        }
        probe::put(move || What::Instant(Call::new("destroy").of(traced(self.0))));
        let signalled = signal::keep(self.0);
        EVENTS.remove(self.0)?;
        signalled.into_iter().for_each(signal::abandon);
        Ok(())
    }

    /// Returns the number of events that were made and not destroyed, of the whole process.
    pub fn live() -> usize {
        if process::is_over() { 0 } else { EVENTS.live() }
    }

    /// Names the event, for messages and traces. An empty name removes the name; a long one is truncated to
    /// [`Name::MAX`] bytes.
    pub fn set_name(self, name: &str) -> Result<()> {
        let event = get(self.0)?;
        let name = Name::new(name);
        event.set(NAMED);
        if name.is_empty() {
            NAMES.lock().remove(&event.address());
        } else {
            NAMES.lock().insert(event.address(), name);
        }
        probe::put(|| What::Instant(Call::new("name").of(Some(event.traced(event.handle())))));
        Ok(())
    }

    /// Returns the event's name, if it is live and has one.
    pub fn name(self) -> Option<Name> {
        get(self.0).ok()?.name()
    }
}

fn insert(flags: EventFlags, bind: impl FnOnce(&EventSlot, Word) -> Word) -> Result<Event> {
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
    let context = kept.context();
    context.check()?;
    let event = insert(flags, |event, word| {
        context.acquire();
        event.bound_by.store(through.0, Ordering::Relaxed);
        event.context.store(context.id.0, Ordering::Release);
        first(event, word)
    })?;
    let filled = EVENTS.peek(event.0).and_then(|event| fill(context, &event.cell));
    if let Err(error) = filled {
        event.destroy()?;
        return Err(error);
    }
    Ok(event)
}

/// Returns the native event of a bound event, to share.
pub(super) fn give_native(context: &BackendContext, event: &EventSlot) -> Result<u64> {
    context.backend.give_native(&event.cell, event.flags().native())
}

/// Makes a call of the backend of a bound event; one that is `timed` needs timing.
pub(crate) fn in_context<T>(
    event: Event,
    timed: bool,
    call: impl FnOnce(&dyn Backend, &Cell) -> Result<T>,
) -> Result<T> {
    let event = get(event.0)?;
    if timed && event.flags().contains(EventFlags::DISABLE_TIMING) {
        return Err(Error::TimingDisabled);
    }
    let context = event.context().ok_or(Error::NotBound)?;
    context.check()?;
    call(&*context.backend, &event.cell)
}

/// The event's name in traces, if it is live.
pub(crate) fn traced(handle: Handle) -> Option<EventId> {
    get(handle).ok().map(|event| event.traced(handle))
}
