//! All contexts of the process, by number, and which of them are in use.

use super::context::{BackendContext, ContextId};
use crate::backend::{Backend, BackendKind, PROVIDERS, Provider, Wanted};
use crate::error::{Error, Result};
use crate::lifecycle;
use crate::lock::{Mutex, MutexGuard};
use crate::log::{self, Level};
use crate::probe;
use crate::table::Handle;
use once_cell::race::OnceRef;
use once_cell::sync::OnceCell;
use std::cell::Cell;
use std::sync::atomic::Ordering;

/// The greatest number of contexts in a process's life.
const MAX_CONTEXTS: usize = 1 << 16;

/// All contexts ever made; the first has the number 1.
static CONTEXTS: [OnceRef<'static, BackendContext>; MAX_CONTEXTS] = [const { OnceRef::new() }; MAX_CONTEXTS];

/// The contexts in use, and the number ever made.
static IN_USE: Mutex<InUse> =
    Mutex::new(InUse { ever: 0, making: 0, contexts: Vec::new(), ended: Vec::new(), free: Vec::new() });

/// Held while making a context of the provider with that number, to keep one context per device and native context. The
/// driver may take long, so [`IN_USE`] is not held meanwhile.
static MAKING: [Mutex<()>; 4] = [const { Mutex::new(()) }; 4];

struct InUse {
    ever: u32,
    /// How many are being made.
    making: u32,
    contexts: Vec<UsedContext>,
    /// Unused contexts that may be reused.
    ended: Vec<&'static BackendContext>,
    /// Unused contexts that other backends may follow in.
    free: Vec<&'static BackendContext>,
}

impl InUse {
    /// The place in `free` of a context for a backend of that kind.
    fn free(&self, kind: BackendKind) -> Option<usize> {
        self.free.iter().position(|context| context.kind == kind)
    }

    /// Checks that another context may be made.
    fn check_room(&self, kind: BackendKind) -> Result<()> {
        let count = self.ever as usize + self.making as usize;
        if count < MAX_CONTEXTS || self.free(kind).is_some() { Ok(()) } else { Err(Error::OutOfMemory) }
    }

    /// Adds the new context, in the place of one that has ended or under its own number. `old` receives the backend that was there.
    fn add(&mut self, made: Box<dyn Backend>, old: &mut Option<Box<dyn Backend>>) -> Result<&'static BackendContext> {
        if let Some(at) = self.free(made.properties().kind) {
            let context = self.free.swap_remove(at);
            // SAFETY: an unused context that can be followed, of the same kind; `self` is behind the registry's lock.
            *old = Some(unsafe { context.replace(made) });
            return Ok(context);
        }
        let place = CONTEXTS.get(self.ever as usize).ok_or(Error::Internal)?;
        self.ever += 1;
        let context = &*Box::leak(Box::new(BackendContext::new(ContextId(self.ever), made)));
        place.set(context).map_err(|()| Error::Internal)?;
        Ok(context)
    }
}

/// A context in use.
struct UsedContext {
    context: &'static BackendContext,
    /// The opened device; none if only a wrapped context is known.
    opened: Option<i32>,
}

impl UsedContext {
    fn is_of(&self, provider: &dyn Provider) -> bool {
        self.context.kind == provider.kind()
    }

    /// Returns whether this is the native context of that address, still alive.
    fn is_native(&self, provider: &dyn Provider, native: u64) -> bool {
        self.is_of(provider) && self.context.backend.is_native(native)
    }
}

/// The context of a number.
#[inline]
pub(super) fn get(id: ContextId) -> Option<&'static BackendContext> {
    CONTEXTS.get(id.0.wrapping_sub(1) as usize)?.get()
}

/// The backend of that number.
pub(super) fn provider(kind: BackendKind) -> Result<&'static dyn Provider> {
    PROVIDERS.iter().copied().find(|provider| provider.kind() == kind).ok_or(Error::BadArgument("backend"))
}

/// The default backend: that of GEVT_BACKEND, else the first that has a device.
pub(super) fn default_provider() -> Result<&'static dyn Provider> {
    static DEFAULT: OnceCell<&'static dyn Provider> = OnceCell::new();
    if let Some(provider) = DEFAULT.get() {
        return Ok(*provider);
    }
    let mut why = None;
    let choose = || {
        let (provider, reason) = choose_provider(&std::env::var("GEVT_BACKEND").unwrap_or_default())?;
        why = Some(reason);
        Ok(provider)
    };
    let provider = *DEFAULT.get_or_try_init(choose)?;
    // Of several threads at once, the one that chose writes the message.
    if let Some(why) = why {
        log::tell(Level::Info, format_args!("the default backend is {}: {why}", provider.title()));
    }
    Ok(provider)
}

/// The default backend, and why it is that.
fn choose_provider(variable: &str) -> Result<(&'static dyn Provider, String)> {
    if !matches!(variable, "" | "auto") {
        let named = PROVIDERS.iter().find(|provider| provider.name() == variable);
        let provider = *named.ok_or(Error::BadArgument("GEVT_BACKEND"))?;
        return Ok((provider, "GEVT_BACKEND says so".into()));
    }
    let mut refused = None;
    for provider in PROVIDERS {
        match provider.device_count() {
            Ok(devices) => {
                return Ok((*provider, refused.unwrap_or_else(|| format!("the driver has {devices} devices"))));
            }
            Err(reason) => refused = Some(reason.to_string()),
        }
    }
    Err(Error::Internal)
}

/// Logs the contexts that were lost since the last call, for a thread that holds no lock.
pub(crate) fn tell_lost_contexts() {
    let lost = |known: &UsedContext| known.context.take_loss().map(|status| (known.context.device(), status));
    let lost: Vec<_> = IN_USE.lock().contexts.iter().filter_map(lost).collect();
    for ((kind, device), status) in lost {
        let title = provider(kind).map_or("", |provider| provider.title());
        let status = status.name().to_string_lossy();
        log::tell(Level::Error, format_args!("a context of {title} device {device} is lost: {status}"));
    }
}

/// Opens a device; `use_it` adds a use of the context before another thread can end it.
pub(super) fn open(
    provider: &'static dyn Provider,
    device: i32,
    use_it: impl FnOnce(&'static BackendContext) -> Result<Handle>,
) -> Result<Handle> {
    lifecycle::begin()?;
    provider.check_settings();
    let is_it = |known: &UsedContext| {
        known.is_of(provider) && known.opened == Some(device) && known.context.backend.check_alive().is_ok()
    };
    find_or_make(provider, is_it, Some(Wanted::Device(device)), || provider.open(device), use_it)
}

/// Makes a separate context on a device.
pub(super) fn create(
    provider: &'static dyn Provider,
    device: i32,
    use_it: impl FnOnce(&'static BackendContext) -> Result<Handle>,
) -> Result<Handle> {
    lifecycle::begin()?;
    find_or_make(provider, |_| false, None, || provider.create(device), use_it)
}

/// Borrows a native context that the caller owns.
///
/// # Safety
/// `native` must be the address of a live native context of the provider, which must not end during a call that uses it.
pub(super) unsafe fn wrap(
    provider: &'static dyn Provider,
    native: u64,
    use_it: impl FnOnce(&'static BackendContext) -> Result<Handle>,
) -> Result<Handle> {
    lifecycle::begin()?;
    let is_it = |known: &UsedContext| known.is_native(provider, native);
    // SAFETY: this function requires of `native` what `wrap` does.
    let make = || unsafe { provider.wrap(native) };
    find_or_make(provider, is_it, Some(Wanted::Native(native)), make, use_it)
}

/// Wraps a native context that the caller owns. `make` makes its backend if the context is new.
pub(super) fn wrap_made(
    kind: BackendKind,
    native: u64,
    make: impl FnOnce() -> Result<Box<dyn Backend>>,
    use_it: impl FnOnce(&'static BackendContext) -> Result<Handle>,
) -> Result<Handle> {
    lifecycle::begin()?;
    let provider = provider(kind)?;
    find_or_make(provider, |known| known.is_native(provider, native), None, make, use_it)
}

fn find_or_make(
    provider: &'static dyn Provider,
    is_it: impl Fn(&UsedContext) -> bool,
    wanted: Option<Wanted>,
    make: impl FnOnce() -> Result<Box<dyn Backend>>,
    use_it: impl FnOnce(&'static BackendContext) -> Result<Handle>,
) -> Result<Handle> {
    let opened = match wanted {
        Some(Wanted::Device(device)) => Some(device),
        _ => None,
    };
    let find = |in_use: &InUse| in_use.contexts.iter().find(|known| is_it(known)).map(|known| known.context);
    let in_use = IN_USE.lock();
    if let Some(known) = find(&in_use) {
        return use_it(known);
    }
    drop(in_use);
    let _alone = MAKING.get(provider.kind().0 as usize).ok_or(Error::Internal)?.lock();
    let mut in_use = IN_USE.lock();
    if let Some(known) = find(&in_use) {
        return use_it(known);
    }
    in_use.check_room(provider.kind())?;
    // Among the ended ones. A native context belongs to one context at a time.
    let is_other = |native| !in_use.contexts.iter().any(|known| known.is_native(provider, native));
    let can_be_it = |context: &BackendContext| {
        context.kind == provider.kind() && context.backend.properties().native.is_some_and(is_other)
    };
    let ended = in_use.ended.iter().filter(|context| wanted.is_some() && can_be_it(context));
    let ended: Vec<_> = ended.copied().collect();
    in_use.making += 1;
    drop(in_use);
    let again = wanted.and_then(|wanted| ended.into_iter().find(|context| context.restart(wanted)));
    let made = again.map_or_else(|| make().map(Some), |_| Ok(None));
    let mut in_use = IN_USE.lock();
    in_use.making -= 1;
    if let Some(context) = again {
        in_use.ended.retain(|ended| ended.id != context.id);
        return begin(in_use, UsedContext { context, opened }, use_it);
    }
    let made = made?.ok_or(Error::Internal)?;
    if let Some(native) = made.properties().native
        && let Some(known) = in_use.contexts.iter_mut().find(|known| known.is_native(provider, native))
    {
        // A device's context that was wrapped before it was opened.
        known.context.backend.restart(Wanted::Again);
        known.opened = opened;
        return use_it(known.context);
    }
    // Dropped after the lock.
    let mut old = None;
    let context = in_use.add(made, &mut old)?;
    begin(in_use, UsedContext { context, opened }, use_it)
}

/// Takes a context into use for which there is a place in the list, and which ends again if that fails.
fn begin(
    mut in_use: MutexGuard<'_, InUse>,
    used: UsedContext,
    use_it: impl FnOnce(&'static BackendContext) -> Result<Handle>,
) -> Result<Handle> {
    let context = used.context;
    in_use.contexts.push(used);
    let handle = use_it(context);
    drop(in_use);
    match handle {
        Ok(_) if probe::is_on() => calibrate(context),
        Err(_) => end(context),
        _ => {}
    }
    handle
}

/// Compares the context's clock with the host's for a trace, which has the host's times alone where that fails.
fn calibrate(context: &BackendContext) {
    let _ = context.backend.calibrate();
}

/// A trace has begun: informs the contexts in use.
pub(super) fn begin_trace() {
    let contexts: Vec<_> =
        IN_USE.lock().contexts.iter().map(|known| known.context).inspect(|context| context.acquire()).collect();
    for context in contexts {
        calibrate(context);
        context.release();
    }
}

/// Ends an unused context. That it is unused is checked again under the lock that guards new uses.
pub(super) fn end(context: &'static BackendContext) {
    let mut in_use = IN_USE.lock();
    if !context.is_unused() {
        return;
    }
    if let Some(at) = in_use.contexts.iter().position(|known| known.context.id == context.id) {
        in_use.contexts.swap_remove(at);
        drop(in_use);
        let can_restart = context.backend.retire();
        in_use = IN_USE.lock();
        if can_restart {
            // Each time that the list has no room: those whose native contexts have ended never come again.
            if in_use.ended.len() == in_use.ended.capacity() {
                in_use.ended.retain(|ended| !ended.backend.is_gone());
            }
            in_use.ended.push(context);
        } else {
            context.has_ended.store(true, Ordering::Relaxed);
        }
    }
    // The last use of a context that was closed before, perhaps.
    if context.is_unused() && context.can_be_followed() && context.has_ended.swap(false, Ordering::Relaxed) {
        in_use.free.push(context);
    }
}

/// Ends a context whose last handle was closed, if that ends its backend's use of the device. `unused` is checked again
/// under the lock that guards opening handles; `used` says whether streams or events are left.
pub(super) fn close(context: &'static BackendContext, unused: impl FnOnce() -> bool, used: impl FnOnce() -> bool) {
    if !context.backend.properties().ends_with_handles {
        return;
    }
    let mut in_use = IN_USE.lock();
    if unused()
        && let Some(at) = in_use.contexts.iter().position(|known| known.context.id == context.id)
    {
        in_use.contexts.swap_remove(at);
        context.backend.forbid(used());
        drop(in_use);
        context.backend.retire();
        let _in_use = IN_USE.lock();
        context.has_ended.store(true, Ordering::Relaxed);
    }
}

/// The first device of the default backend, if its devices never end and a thread has no native context there.
static FIXED: OnceCell<&'static BackendContext> = OnceCell::new();

thread_local! {
    /// The context of the native one that was current when this thread last named none.
    static LAST: Cell<Option<&'static BackendContext>> = const { Cell::new(None) };
}

/// The library's own handle to the first device of the host.
pub(super) fn host() -> Result<Handle> {
    static HOST: OnceCell<&'static BackendContext> = OnceCell::new();
    let open_it = || {
        let mut found = None;
        open(provider(BackendKind::HOST)?, 0, |context| {
            found = Some(context);
            context.own_handle()
        })?;
        found.ok_or(Error::Internal)
    };
    HOST.get_or_try_init(open_it)?.own_handle()
}

/// The context for a thread that has set none: the thread's current native one, else the first device's.
pub(super) fn default_context() -> Result<Handle> {
    if let Some(context) = FIXED.get() {
        return context.own_handle();
    }
    let provider = default_provider()?;
    if let Some(current) = provider.current()? {
        let last = LAST.get().filter(|context| context.backend.is_native(current));
        if let Some(own) = last.and_then(BackendContext::live_own) {
            return Ok(own);
        }
        let use_it = |context| {
            LAST.set(Some(context));
            context.own_handle()
        };
        // SAFETY: the driver has just named the context as the calling thread's current one.
        return unsafe { wrap(provider, current, use_it) };
    }
    open(provider, 0, |context| {
        if !context.backend.properties().can_end {
            let _ = FIXED.set(context);
        }
        context.own_handle()
    })
}
