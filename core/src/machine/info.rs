//! Descriptions of events, streams and contexts.

use super::backend_context::BackendContext;
use super::current;
use super::event::{self, IMPORTED};
use super::query::{ask, read};
use super::state::{Op, State};
use super::stream;
use crate::backend::{BackendKind, Identity};
use crate::error::{Error, Result};
use crate::flags::{EventFlags, StreamFlags};
use crate::table::{Context, Event, Stream, Word};
use crate::text::Name;

/// The state of an event; the numbers are part of the ABI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum EventState {
    /// It was never recorded.
    Unrecorded = 0,
    /// It was recorded, and its stream has not reached the record yet.
    Pending = 1,
    /// Its stream has reached the last record.
    Complete = 2,
    /// It was last recorded in a stream capture.
    Captured = 3,
    /// Its context is lost, the submit of its last record failed, the process that had to reach the record is gone, or
    /// it was signaled with a failure.
    Failed = 4,
}

/// Describes an event and its state.
#[derive(Clone, Debug)]
pub struct EventInfo {
    /// The flags of its creation.
    pub flags: EventFlags,
    /// Its state.
    pub state: EventState,
    /// Its backend and the number of its device, once it is bound.
    pub device: Option<(BackendKind, i32)>,
    /// The handle through which it was bound, which may have been closed since; NULL while it is unbound.
    pub context: Context,
    /// Whether it was imported from another process.
    pub imported: bool,
    /// How often it was recorded in this process, failed records included.
    pub records: u64,
    /// Its name, if it has one.
    pub name: Option<Name>,
}

impl Event {
    /// Describes the event and its state, without waiting.
    pub fn info(self) -> Result<EventInfo> {
        let event = event::get(self.0)?;
        let state = read(&event, Op::Query).and_then(|pending| match pending {
            None if State::of(event.slot().word.load()) == State::Unrecorded => Ok(EventState::Unrecorded),
            None => Ok(EventState::Complete),
            Some((word, context)) if ask(&event, word, context)? => Ok(EventState::Complete),
            Some(_) => Ok(EventState::Pending),
        });
        let state = match state {
            Err(Error::Captured) => EventState::Captured,
            Err(Error::NotRecorded(_)) => EventState::Unrecorded,
            Err(error) if error.is_of_event() => EventState::Failed,
            state => state?,
        };
        Ok(EventInfo {
            flags: event.flags(),
            state,
            device: event.context().map(BackendContext::device),
            context: Context(event.bound_by()),
            imported: event.has(IMPORTED),
            records: event.wraps() * (Word::MAX_RECORDS + 1) + event.slot().word.load().records(),
            name: event.name(),
        })
    }
}

/// Describes a context.
#[derive(Clone, Debug)]
pub struct ContextInfo {
    /// Its backend and the number of its device.
    pub device: (BackendKind, i32),
    /// The device's identity.
    pub identity: Identity,
}

impl Context {
    /// Describes the context.
    pub fn info(self) -> Result<ContextInfo> {
        let (context, _) = current::resolve(self.0)?;
        Ok(ContextInfo { device: context.device(), identity: context.backend.properties().identity.clone() })
    }

    /// Returns the address of the context's native object: a CUcontext, or a VkDevice.
    pub fn native(self) -> Result<u64> {
        let (context, _) = current::resolve(self.0)?;
        context.check()?;
        context.backend.properties().native.ok_or(Error::NoNative)
    }
}

/// Describes a stream.
#[derive(Clone, Debug)]
pub struct StreamInfo {
    /// The creation flags; 0 for a default stream and for one that the caller owns.
    pub flags: StreamFlags,
    /// Its backend and the number of its device.
    pub device: (BackendKind, i32),
    /// The handle of the context in which it was made, which may have been closed since.
    pub context: Context,
    /// The queue family of its queue, on Vulkan.
    pub queue_family: Option<u32>,
    /// Its name, if it has one.
    pub name: Option<Name>,
}

impl Stream {
    /// Describes the stream.
    pub fn info(self) -> Result<StreamInfo> {
        let stream = stream::usable(self.0)?;
        let native = stream.context.backend.native_stream(stream.to.native);
        Ok(StreamInfo {
            flags: stream.flags(),
            device: stream.context.device(),
            context: Context(stream.through()),
            queue_family: native.ok().and_then(|(_, family)| family),
            name: self.name(),
        })
    }

    /// Returns the address of the stream's native object: a CUstream, or a VkQueue. From now on the caller may capture it.
    pub fn native(self) -> Result<u64> {
        let stream = stream::usable(self.0)?;
        let (native, _) = stream.context.backend.native_stream(stream.to.native)?;
        stream.may_be_captured();
        Ok(native)
    }
}
