//! The calling thread's current context, and the process's default one.

use super::context::{self, ContextUse};
use super::registry;
use crate::error::Result;
use crate::process;
use crate::table::{Context, Handle};
use std::cell::Cell;

thread_local! {
    static CURRENT: Cell<Handle> = const { Cell::new(Handle::NULL) };
}

impl Context {
    /// Returns the calling thread's current context. The handle of the default context is gevt's own and is not to be closed.
    pub fn current() -> Result<Context> {
        get_current().map(Context)
    }

    /// Makes this the calling thread's current context; [`Context::NULL`] restores the default one.
    pub fn set_current(self) -> Result<()> {
        let handle = self.0;
        process::check()?;
        if handle != Handle::NULL {
            context::check(handle)?;
        }
        CURRENT.set(handle);
        Ok(())
    }
}

/// The handle of the calling thread's context. That of the default context is the library's own.
pub(super) fn get_current() -> Result<Handle> {
    process::check()?;
    match CURRENT.get() {
        Handle::NULL => registry::default_context(),
        handle => context::check(handle).map(|()| handle),
    }
}

/// The context of a handle, or the current one for NULL; and the handle that names it.
pub(crate) fn resolve(handle: Handle) -> Result<(ContextUse, Handle)> {
    let handle = if handle == Handle::NULL { get_current()? } else { handle };
    Ok((context::get(handle)?, handle))
}
