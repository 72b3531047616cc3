//! Events that processes share: export and import.

use super::backend_context::BackendContext;
use super::current;
use super::event::{self, EventSlot, IMPORTED};
use crate::backend::{Cell, Foreign, IpcHandle};
use crate::error::{Error, Result};
use crate::flags::EventFlags;
use crate::process;
use crate::table::{Context, Event, Handle, Word};

impl Event {
    /// Returns a handle for other processes, which open it with [`Event::import`]. Binds an unbound event to the
    /// current context.
    pub fn export(self) -> Result<IpcHandle> {
        let handle = self.0;
        if handle == Handle::NULL {
            process::check()?;
            return Err(Error::NullPointer("ev"));
        }
        let event = event::get(handle)?;
        if event.has(IMPORTED) || !event.flags().contains(EventFlags::INTERPROCESS) {
            return Err(Error::NotExportable);
        }
        if event.context().is_none() {
            let (kept, through) = current::resolve(Handle::NULL)?;
            let context = kept.0;
            context.check()?;
            // Another thread's record may have bound it to another context meanwhile, which is as good.
            match event.bind(context, through) {
                Ok(()) | Err(Error::ContextMismatch) => {}
                Err(error) => return Err(error),
            }
        }
        let context = event.context().ok_or(Error::NotBound)?;
        let exported = context.backend.export(&event.cell, event.flags())?;
        // Before the event is published.
        event.slot().word.update(|word| Some(word.with_ask()));
        Ok(exported)
    }

    /// Opens an event of another process in a context.
    pub fn import(context: Context, ipc: &IpcHandle) -> Result<Event> {
        process::check()?;
        let imported = |event: &EventSlot, word: Word| {
            event.set(IMPORTED);
            word.with_ask()
        };
        let flags = EventFlags::DISABLE_TIMING | EventFlags::INTERPROCESS;
        // SAFETY: an IPC handle names no native event.
        let fill = |context: &BackendContext, cell: &Cell| unsafe { context.backend.fill(cell, Foreign::Ipc(ipc)) };
        event::insert_in(context, flags, imported, fill)
    }
}
