//! Events that the program completes itself: they are pending until it signals them.

use super::current;
use super::event::{self, EVENTS, EventSlot};
use super::registry;
use super::state::State;
use crate::backend::{BackendKind, Recorded, host};
use crate::error::{Error, Result};
use crate::flags::EventFlags;
use crate::probe::{self, Call, What};
use crate::status::Status;
use crate::table::{Context, Event, Guard, Handle, Kind, Word};

const NOT_RECORDED: Error = Error::HostSignalled("a host-signalled event cannot be recorded");
const NOT_SIGNALLED: Error = Error::HostSignalled("the event was not created with GEVT_EVENT_HOST_SIGNALED");
const SIGNALLED: Error = Error::HostSignalled("the event has been signalled already");
const FOREIGN: Error = Error::Unsupported("a host-signalled event needs a context of the host backend");

/// Fails for a host-signaled event, which is signaled instead of recorded.
#[inline]
pub(super) fn check_recordable(event: &EventSlot) -> Result<()> {
    if event.flags().contains(EventFlags::HOST_SIGNALED) { Err(NOT_RECORDED) } else { Ok(()) }
}

/// Makes such an event, in that context or on the host's first device.
pub(super) fn create(flags: EventFlags, context: Option<Context>) -> Result<Event> {
    let context = match context {
        Some(context) if current::resolve(context.0)?.0.kind != BackendKind::HOST => return Err(FOREIGN),
        Some(context) => context,
        None => Context(registry::host()?),
    };
    let pending = |_: &EventSlot, word: Word| word.with_state(State::Pending as u64);
    let interprocess = flags.contains(EventFlags::INTERPROCESS);
    event::insert_in(context, flags, pending, |_, cell| host::arm(cell, interprocess))
}

/// Pins an event that is about to be destroyed, if it is host-signaled.
#[inline]
pub(super) fn keep(handle: Handle) -> Option<Guard<'static, EventSlot>> {
    let event = EVENTS.find(handle).ok()?;
    let flags = event.read(EventSlot::flags)?;
    if flags.contains(EventFlags::HOST_SIGNALED) { event.pin().ok() } else { None }
}

/// The event has been destroyed and can no longer be signaled.
#[cold]
pub(super) fn abandon(event: Guard<'static, EventSlot>) {
    host::signal(&event.cell, Status::CONTEXT_IS_DESTROYED);
}

/// The event, which the program may signal.
fn get(handle: Handle) -> Result<Guard<'static, EventSlot>> {
    let event = event::get(handle)?;
    if event.flags().contains(EventFlags::HOST_SIGNALED) { Ok(event) } else { Err(NOT_SIGNALLED) }
}

impl Event {
    /// Completes a host-signaled event, with a success or with the failure that all who wait for it are to get.
    pub fn signal(self, status: Status) -> Result<()> {
        let event = get(self.0)?;
        if matches!(status, Status::NOT_READY | Status::TIMEOUT) {
            return Err(Error::BadArgument("status"));
        }
        probe::put(|| What::Instant(Call::new("signal").of(Some(event.traced(event.handle())))));
        if host::signal(&event.cell, status) { Ok(()) } else { Err(SIGNALLED) }
    }

    /// Makes a host-signaled event pending again, if it was signaled. Existing waiters keep waiting for the earlier
    /// signal.
    pub fn reset(self) -> Result<()> {
        let event = get(self.0)?;
        let found = EVENTS.find(self.0)?;
        probe::put(|| What::Instant(Call::new("reset").of(Some(event.traced(event.handle())))));
        host::arm(&found.slot.value.cell, event.flags().contains(EventFlags::INTERPROCESS))?;
        // No thread remembers of the last signal that the event is done, once this is visible.
        found.note(Some(Recorded::Pending));
        // A concurrent destroy may still have found the event signaled: one of the two releases the waiters.
        if !event.slot().word.load().is_life_of(self.0.generation()) {
            abandon(event);
            return Err(Error::StaleHandle(Kind::Event));
        }
        Ok(())
    }
}
