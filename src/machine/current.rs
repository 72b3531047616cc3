//! The calling thread's current context, and the process's default one.

use super::context::{self, Context};
use crate::error::{Error, Result};
use crate::process;
use crate::table::{Handle, Kind};
use parking_lot::Mutex;
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
        Handle::NULL => default_handle(),
        handle => context::get(handle).map(|_| handle),
    }
}

/// The context of a handle, or the current one for NULL; and the handle that names it.
pub(crate) fn resolve(handle: Handle) -> Result<(&'static Context, Handle)> {
    let handle = if handle == Handle::NULL { get_current()? } else { handle };
    Ok((context::get(handle)?, handle))
}

/// A handle to the process's default context; a new one where the last was closed.
fn default_handle() -> Result<Handle> {
    static DEFAULT: Mutex<Handle> = Mutex::new(Handle::NULL);
    let mut default = DEFAULT.lock();
    match context::get(*default) {
        Ok(_) => {}
        Err(Error::NullHandle(Kind::Context) | Error::StaleHandle(Kind::Context)) => *default = context::open(0, 0)?,
        Err(error) => return Err(error),
    }
    Ok(*default)
}
