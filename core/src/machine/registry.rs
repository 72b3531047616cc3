//! Opens contexts: one for each device and native context. Finds the one of a thread that has set none.

use super::backend_context::{BackendContext, Behind};
use super::in_use::{IN_USE, InUse, UsedContext, calibrate, end};
use super::providers::{default_provider, provider};
use crate::backend::{Backend, BackendKind, Provider};
use crate::error::{Error, Result};
use crate::lifecycle;
use crate::lock::Mutex;
use crate::probe;
use crate::table::Handle;
use once_cell::sync::OnceCell;
use std::cell::Cell;

/// Held while making a context of the provider with that number, to keep one context per device and native context. The
/// driver may take long, so [`IN_USE`] is not held meanwhile.
static MAKING: [Mutex<()>; 4] = [const { Mutex::new(()) }; 4];

/// Opens a device. `use_it` adds a use of the context before another thread can end it.
pub(super) fn open<T>(
    provider: &'static Provider,
    device: i32,
    use_it: impl Fn(&'static BackendContext) -> Result<T>,
) -> Result<T> {
    (provider.check_settings)();
    let is_it = |known: &UsedContext| {
        known.is_of(provider) && known.opened == Some(device) && known.context.backend.lost(true).is_none()
    };
    find_or_make(provider, is_it, Some(device), || (provider.open)(device), use_it)
}

/// Borrows a native context that the caller owns.
///
/// # Safety
/// `native` must be the address of a live native context of the provider, which must not end during a call that uses it.
pub(super) unsafe fn wrap<T>(
    provider: &'static Provider,
    native: u64,
    use_it: impl Fn(&'static BackendContext) -> Result<T>,
) -> Result<T> {
    // SAFETY: this function requires of `native` what `wrap` does.
    let make = || unsafe { (provider.wrap)(native) };
    find_or_make(provider, |known| known.is_native(provider, native), None, make, use_it)
}

/// Finds the context in use that `is_it` names, or uses the backend that `make` makes: of a device that is opened, if there is one. `use_it` is
/// as for [`open`].
pub(super) fn find_or_make<T>(
    provider: &'static Provider,
    is_it: impl Fn(&UsedContext) -> bool,
    opened: Option<i32>,
    make: impl FnOnce() -> Result<Box<dyn Backend>>,
    use_it: impl Fn(&'static BackendContext) -> Result<T>,
) -> Result<T> {
    lifecycle::begin()?;
    let find = |in_use: &InUse| in_use.contexts.iter().find(|known| is_it(known)).map(|known| use_it(known.context));
    if let Some(found) = find(&IN_USE.lock()) {
        return found;
    }
    let _alone = MAKING.get(provider.kind.0 as usize).ok_or(Error::Internal)?.lock();
    if let Some(found) = find(&IN_USE.lock()) {
        return found;
    }
    let made = Behind::new(make()?);
    let mut in_use = IN_USE.lock();
    if opened.is_some()
        && let Some(native) = made.properties().native
        && let Some(known) = in_use.contexts.iter_mut().find(|known| known.is_native(provider, native))
    {
        // A device's context that was wrapped before it was opened. It is in use already, so this returns at once.
        made.retire(false);
        known.opened = opened;
        return use_it(known.context);
    }
    // Dropped after the lock.
    let mut old = None;
    let context = in_use.add(made, &mut old);
    in_use.contexts.push(UsedContext { context, opened });
    let begun = use_it(context);
    drop(in_use);
    match begun {
        Ok(_) if probe::is_on() => calibrate(context),
        Err(_) => end(context),
        _ => {}
    }
    begun
}

thread_local! {
    /// The context of the native one that was current when this thread last named none.
    static LAST: Cell<Option<&'static BackendContext>> = const { Cell::new(None) };
}

/// The library's own handle to the first device of the host, which never ends.
pub(super) fn host() -> Result<Handle> {
    static HOST: OnceCell<&'static BackendContext> = OnceCell::new();
    let host = HOST.get().map_or_else(|| open(provider(BackendKind::HOST)?, 0, Ok), |host| Ok(*host))?;
    let _ = HOST.set(host);
    host.own_handle()
}

/// The context for a thread that has set none: the thread's current native one, else the first device's.
pub(super) fn default_context() -> Result<Handle> {
    let provider = default_provider()?;
    if provider.kind == BackendKind::HOST {
        return host();
    }
    let Some(current) = (provider.current)()? else { return open(provider, 0, BackendContext::own_handle) };
    let last = LAST.get().filter(|context| context.is_native(current));
    if let Some(own) = last.and_then(BackendContext::live_own) {
        return Ok(own);
    }
    // SAFETY: the driver has just named the context as the calling thread's current one.
    let (context, handle) = unsafe { wrap(provider, current, |context| Ok((context, context.own_handle()?))) }?;
    LAST.set(Some(context));
    Ok(handle)
}
