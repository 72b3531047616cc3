//! The calling thread's current context, and the process's default one.

use super::context::{self, Context};
use super::registry;
use crate::error::Result;
use crate::process;
use crate::table::Handle;
use std::cell::Cell;

thread_local! {
    static CURRENT: Cell<Handle> = const { Cell::new(Handle::NULL) };
}

/// Sets the calling thread's context; NULL goes back to the default.
pub(crate) fn set_current(handle: Handle) -> Result<()> {
    process::check()?;
    if handle != Handle::NULL {
        context::get(handle)?;
    }
    CURRENT.set(handle);
    Ok(())
}

/// The handle of the calling thread's context. That of the default context is the library's own.
pub(crate) fn get_current() -> Result<Handle> {
    process::check()?;
    match CURRENT.get() {
        Handle::NULL => registry::default_context(),
        handle => context::get(handle).map(|_| handle),
    }
}

/// The context of a handle, or the current one for NULL; and the handle that names it.
pub(crate) fn resolve(handle: Handle) -> Result<(&'static Context, Handle)> {
    let handle = if handle == Handle::NULL { get_current()? } else { handle };
    Ok((context::get(handle)?, handle))
}
