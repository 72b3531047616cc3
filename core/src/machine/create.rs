//! Events: created, wrapped, named and destroyed.

use super::event::{BORROWED, EVENTS, EventSlot, get, insert, insert_in, traced};
use super::signal;
use super::state::State;
use crate::backend::{Backend, Cell, Foreign};
use crate::error::{Error, Result};
use crate::flags::EventFlags;
use crate::probe::{self, Call, What};
use crate::process;
use crate::table::{Context, Event, Word};
use crate::text::Name;

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
        let pending = |event: &EventSlot, word: Word| {
            event.set(BORROWED);
            word.with_state(State::Pending as u64)
        };
        insert_in(context, EventFlags::DISABLE_TIMING, pending, |context, cell| mark(&*context.backend, cell))
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
            unsafe { context.backend.fill(cell, Foreign::Native(native, flags)) }
        })
    }

    /// Returns the backend's native event, to share: on CUDA, the address of a CUevent, which is destroyed with this
    /// event.
    pub fn native(self) -> Result<u64> {
        let event = get(self.0)?;
        let context = event.context().ok_or(Error::NotBound)?;
        context.check()?;
        let native = context.backend.give_native(&event.cell, event.flags())?;
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
        event.set_name(Name::of(name));
        probe::put(|| What::Instant(Call::new("name").of(Some(event.traced(event.handle())))));
        Ok(())
    }

    /// Returns the event's name, if it is live and has one.
    pub fn name(self) -> Option<Name> {
        get(self.0).ok()?.name()
    }
}
