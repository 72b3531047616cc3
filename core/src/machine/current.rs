//! The calling thread's current context, and the process's default one.

use super::context;
use super::in_use::ContextUse;
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
        process::check()?;
        match CURRENT.get() {
            Handle::NULL => registry::default_context(),
            handle => context::get(handle).map(|_| handle),
        }
        .map(Context)
    }

    /// Makes this the calling thread's current context; [`Context::NULL`] restores the default one.
    pub fn set_current(self) -> Result<()> {
        process::check()?;
        if self != Context::NULL {
            context::get(self.0)?;
        }
        CURRENT.set(self.0);
        Ok(())
    }
}

/// The context of a handle, or the current one for NULL; and the handle that names it.
pub(crate) fn resolve(handle: Handle) -> Result<(ContextUse, Handle)> {
    let handle = if handle == Handle::NULL { Context::current()?.0 } else { handle };
    Ok((context::get(handle)?, handle))
}
