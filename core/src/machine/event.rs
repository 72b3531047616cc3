//! An event: what its slot holds, and its creation and end.

use super::context::{BackendContext, ContextId};
use super::last_elapsed::LastElapsed;
use super::state::State;
use crate::backend::{Cell, process as handlers};
use crate::error::{Error, Result};
use crate::process;
use crate::table::{Context, Entry, Event, Guard, Handle, Kind, LocalCache, Slot, Stored, Table, Word};
use crate::trace::{self, Call, EventId, What};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Creation flags; the low bits are CUDA's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EventFlags(pub(crate) u32);

impl EventFlags {
    pub(crate) const BLOCKING_SYNC: u32 = 1;
    pub(crate) const DISABLE_TIMING: u32 = 2;
    pub(crate) const INTERPROCESS: u32 = 4;
    pub(crate) const STRICT: u32 = 0x10000;

    pub(crate) fn new(bits: u32) -> Result<EventFlags> {
        let known = Self::BLOCKING_SYNC | Self::DISABLE_TIMING | Self::INTERPROCESS | Self::STRICT;
        let timed_interprocess = bits & Self::INTERPROCESS != 0 && bits & Self::DISABLE_TIMING == 0;
        if bits & !known != 0 || timed_interprocess { Err(Error::BadFlags(bits)) } else { Ok(EventFlags(bits)) }
    }

    /// The flags that a native event has too.
    pub(crate) fn native(self) -> u32 {
        self.0 & (Self::BLOCKING_SYNC | Self::DISABLE_TIMING | Self::INTERPROCESS)
    }

    pub(crate) fn has(self, bit: u32) -> bool {
        self.0 & bit != 0
    }
}

/// Beside the creation flags: the native event is somebody else's.
const BORROWED: u32 = EventFlags::STRICT << 1;
/// Beside the creation flags: the event is another process's.
const IMPORTED: u32 = BORROWED << 1;
/// A name was set; spares the others the lock.
const NAMED: u32 = IMPORTED << 1;
/// The unit of the count above the flags.
const WRAP: u32 = NAMED << 1;

/// The longest name that is kept, in bytes.
pub(crate) const MAX_NAME: usize = 63;

/// What the slot of an event holds beside its word. Ten million of them are to fit into 128 bytes each.
#[derive(Default)]
pub(crate) struct EventSlot {
    /// The creation flags; BORROWED, IMPORTED and NAMED; and above them, how often the word's count of records has wrapped.
    flags: AtomicU32,
    /// The context that the event is bound to.
    context: AtomicU32,
    /// The handle through which it was bound.
    bound_by: AtomicU64,
    pub(crate) cell: Cell,
    pub(super) last_elapsed: LastElapsed,
    name: Mutex<Option<Box<Name>>>,
}

const _: () = assert!(
    size_of::<Slot<EventSlot>>() <= 120,
    "an event takes 128 bytes at most, with its index in the list of free slots"
);

/// An event's name. Behind a pointer, as few events have one.
struct Name(Box<str>);

static EVENTS: Table<EventSlot> = Table::new();

thread_local! {
    static CACHE: LocalCache = LocalCache::new(&EVENTS.free);
}

impl Stored for EventSlot {
    const KIND: Kind = Kind::Event;
    fn table() -> &'static Table<EventSlot> {
        &EVENTS
    }
    fn cache() -> &'static std::thread::LocalKey<LocalCache> {
        &CACHE
    }
}

impl Entry for EventSlot {
    fn recycle(&self, last: Word) {
        if let Some(context) = self.context() {
            if self.flags.load(Ordering::Relaxed) & BORROWED != 0 {
                context.backend.disown(&self.cell);
            }
            let idle = !last.asks() && State::of(last) != State::Pending && State::of(last) != State::Captured;
            context.backend.release(&self.cell, self.flags().native(), idle);
            context.release();
            self.context.store(0, Ordering::Relaxed);
            self.bound_by.store(0, Ordering::Relaxed);
        }
        if self.flags.load(Ordering::Relaxed) & NAMED != 0 {
            *self.name.lock() = None;
        }
    }
}

impl EventSlot {
    pub(crate) fn flags(&self) -> EventFlags {
        EventFlags(self.flags.load(Ordering::Relaxed) & (BORROWED - 1))
    }

    /// Was the event imported from another process?
    pub(crate) fn is_imported(&self) -> bool {
        self.flags.load(Ordering::Relaxed) & IMPORTED != 0
    }

    /// How often the word's count of records has wrapped.
    pub(crate) fn wraps(&self) -> u64 {
        u64::from(self.flags.load(Ordering::Relaxed) / WRAP)
    }

    /// The word's count of records has wrapped.
    pub(crate) fn add_wrap(&self) {
        self.flags.fetch_add(WRAP, Ordering::Relaxed);
    }

    /// The context that the event is bound to, if it is.
    pub(crate) fn context(&self) -> Option<&'static BackendContext> {
        ContextId(self.context.load(Ordering::Acquire)).context()
    }

    /// What a trace calls the event of that handle, which this is.
    #[cold]
    pub(crate) fn traced(&self, handle: Handle) -> EventId {
        let named = self.flags.load(Ordering::Relaxed) & NAMED != 0;
        let locked = named.then(|| self.name.lock());
        let name = trace::Name::new(locked.as_ref().and_then(|name| name.as_ref()).map_or("", |name| &name.0));
        EventId { handle: handle.0, cell: self.cell.address(), serial: self.cell.serial(), name }
    }

    pub(crate) fn bound_by(&self) -> Handle {
        Handle(self.bound_by.load(Ordering::Relaxed))
    }

    /// For a new event, which nobody else knows yet.
    pub(super) fn set_imported(&self) {
        self.flags.fetch_or(IMPORTED, Ordering::Relaxed);
    }

    /// For a new event, which nobody else knows yet.
    pub(super) fn bind_first(&self, context: &'static BackendContext, through: Handle) {
        context.acquire();
        self.bound_by.store(through.0, Ordering::Relaxed);
        self.context.store(context.id.0, Ordering::Release);
    }

    /// Binds the event to the context for good, or checks that it is bound to it.
    pub(crate) fn bind(&self, context: &'static BackendContext, through: Handle) -> Result<()> {
        let mut bound = self.context.load(Ordering::Acquire);
        if bound == 0 {
            // The lock is for those who bind at once; whoever sees the context sees the handle too.
            let _binding = self.name.lock();
            bound = self.context.load(Ordering::Acquire);
            if bound == 0 {
                context.try_acquire()?;
                self.bound_by.store(through.0, Ordering::Relaxed);
                self.context.store(context.id.0, Ordering::Release);
                return Ok(());
            }
        }
        if bound == context.id.0 { Ok(()) } else { Err(Error::ContextMismatch) }
    }
}

/// A live event, in use.
pub(crate) fn get(handle: Handle) -> Result<Guard<EventSlot>> {
    process::check()?;
    EVENTS.get(handle)
}

impl Event {
    /// Makes an event that the first record binds to a context.
    pub fn create(flags: u32) -> Result<Event> {
        process::check()?;
        insert(EventFlags::new(flags)?, |_, word| word)
    }
}

impl Event {
    /// Makes an event that is bound to a context.
    pub fn create_in(context: Context, flags: u32) -> Result<Event> {
        let context = context.0;
        process::check()?;
        let flags = EventFlags::new(flags)?;
        let (context, through) = super::current::resolve(context)?;
        context.check()?;
        insert(flags, |event, word| {
            event.bind_first(context, through);
            word
        })
    }
}

impl Event {
    /// Borrows an event of the caller's.
    pub fn adopt(context: Context, native: u64, flags: u32) -> Result<Event> {
        let context = context.0;
        process::check()?;
        let flags = EventFlags::new(flags)?;
        let (context, through) = super::current::resolve(context)?;
        context.check()?;
        if native == 0 {
            return Err(Error::NullPointer("native"));
        }
        let event = insert(flags, |event, word| {
            event.bind_first(context, through);
            event.flags.fetch_or(BORROWED, Ordering::Relaxed);
            word.with_ask()
        })?;
        let adopted = get(event.0).and_then(|event| context.backend.adopt_event(&event.cell, native));
        if let Err(error) = adopted {
            event.destroy()?;
            return Err(error);
        }
        Ok(event)
    }
}

impl Event {
    /// The backend's own event, for others to use.
    pub fn native(self) -> Result<u64> {
        let handle = self.0;
        let event = get(handle)?;
        let context = event.context().ok_or(Error::NotBound)?;
        context.check()?;
        let native = context.backend.give_native(&event.cell, event.flags().native())?;
        event.slot().word.update(|word| Some(word.with_ask()));
        Ok(native)
    }
}

pub(super) fn insert(flags: EventFlags, bind: impl FnOnce(&EventSlot, Word) -> Word) -> Result<Event> {
    handlers::watch()?;
    EVENTS
        .insert(|event, word| {
            event.flags.store(flags.0, Ordering::Relaxed);
            let strict = flags.has(EventFlags::STRICT);
            bind(event, word.with_state(if strict { State::UnrecordedStrict } else { State::Unrecorded } as u64))
        })
        .map(Event)
}

impl Event {
    /// Ends an event. Never blocks; a call that uses it at this moment keeps what it needs until it returns.
    pub fn destroy(self) -> Result<()> {
        let handle = self.0;
        if process::is_over() {
            return Ok(());
        }
        trace::put(move || What::Instant(Call::new("destroy").of(traced(handle))));
        EVENTS.remove(handle)
    }
}

impl Event {
    /// The number of events that were created and not destroyed.
    pub fn live() -> usize {
        if process::is_over() { 0 } else { EVENTS.live() }
    }
}

impl Event {
    /// Names the event for messages; an empty name takes it away, and a long one is cut.
    pub fn set_name(self, name: &str) -> Result<()> {
        let handle = self.0;
        let event = get(handle)?;
        let cut = (0..=name.len().min(MAX_NAME)).rev().find(|end| name.is_char_boundary(*end)).unwrap_or(0);
        let name = (cut > 0).then(|| Box::new(Name(Box::from(&name[..cut]))));
        event.flags.fetch_or(NAMED, Ordering::Relaxed);
        *event.name.lock() = name;
        trace::put(|| What::Instant(Call::new("name").of(Some(event.traced(handle)))));
        Ok(())
    }
}

/// What a trace calls the event, if it lives.
pub(crate) fn traced(handle: Handle) -> Option<EventId> {
    get(handle).ok().map(|event| event.traced(handle))
}

impl Event {
    /// The event's name, if it lives and has one.
    pub fn name(self) -> Option<Box<str>> {
        get(self.0).ok().and_then(|event| event.name.lock().as_ref().map(|name| name.0.clone()))
    }
}
