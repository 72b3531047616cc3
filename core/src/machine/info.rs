//! What can be learnt of an event without waiting for it.

use super::event;
use super::query::{Look, ask, look};
use super::state::{Op, State};
use crate::backend::BackendKind;
use crate::error::{Error, Result};
use crate::table::{Context, Event, Word};

/// How an event stands; the numbers are part of the ABI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum EventState {
    Unrecorded = 0,
    Pending = 1,
    Complete = 2,
    Captured = 3,
    Failed = 4,
}

/// What an event is and how it stands.
pub struct EventInfo {
    pub flags: u32,
    pub state: EventState,
    /// The backend and the device, once bound.
    pub place: Option<(BackendKind, i32)>,
    pub context: Context,
    /// It is another process's.
    pub imported: bool,
    pub records: u64,
    pub name: Option<Box<str>>,
}

impl Event {
    /// Looks at an event.
    pub fn info(self) -> Result<EventInfo> {
        let handle = self.0;
        let event = event::get(handle)?;
        let state = match look(&event, Op::Query) {
            Err(Error::Captured) => EventState::Captured,
            Err(Error::NotRecorded(_)) => EventState::Unrecorded,
            Err(Error::ContextLost(_)) => EventState::Failed,
            Err(error) => return Err(error),
            Ok(Look::Done) if State::of(event.slot().word.load()) == State::Unrecorded => EventState::Unrecorded,
            Ok(Look::Done) => EventState::Complete,
            Ok(Look::Asked { word, mark }) => match ask(&event, word, mark) {
                Ok(true) => EventState::Complete,
                Ok(false) => EventState::Pending,
                Err(Error::ContextLost(_) | Error::PeerGone(_)) => EventState::Failed,
                Err(error) => return Err(error),
            },
        };
        Ok(EventInfo {
            flags: event.flags().0,
            state,
            place: event.context().map(|context| (context.backend.kind(), context.backend.device())),
            context: Context(event.bound_by()),
            imported: event.is_imported(),
            records: event.wraps() * (Word::MAX_RECORDS + 1) + event.slot().word.load().records(),
            name: self.name(),
        })
    }
}
