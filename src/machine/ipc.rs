//! Events between processes.

use super::current;
use super::event::{self, EventFlags};
use crate::backend::IpcHandle;
use crate::error::{Error, Result};
use crate::process;
use crate::table::Handle;

/// What names the event to other processes. Binds an event that has no context to the current one.
pub(crate) fn export(handle: Handle) -> Result<IpcHandle> {
    if handle == Handle::NULL {
        process::check()?;
        return Err(Error::NullPointer("ev"));
    }
    let event = event::get(handle)?;
    if event.is_imported() || !event.flags().has(EventFlags::INTERPROCESS) {
        return Err(Error::NotExportable);
    }
    if event.context().is_none() {
        let (context, through) = current::resolve(Handle::NULL)?;
        context.check()?;
        // Another thread's record may have bound it to another context meanwhile, which is as good.
        match event.bind(context, through) {
            Ok(()) | Err(Error::ContextMismatch) => {}
            Err(error) => return Err(error),
        }
    }
    let context = event.context().ok_or(Error::NotBound)?;
    context.check()?;
    let exported = context.backend.export(&event.cell, event.flags().native())?;
    // Before anybody else can know of it.
    event.slot().word.update(|word| Some(word.with_ask()));
    Ok(exported)
}

/// Opens an event of another process in a context.
pub(crate) fn import(context: Handle, ipc: &IpcHandle) -> Result<Handle> {
    process::check()?;
    let (context, through) = current::resolve(context)?;
    context.check()?;
    let flags = EventFlags::new(EventFlags::DISABLE_TIMING | EventFlags::INTERPROCESS)?;
    let handle = event::insert(flags, |event, word| {
        event.bind_first(context, through);
        event.set_imported();
        word.with_ask()
    })?;
    let imported = event::get(handle).and_then(|event| context.backend.import(&event.cell, ipc));
    if let Err(error) = imported {
        event::destroy(handle)?;
        return Err(error);
    }
    Ok(handle)
}
