//! The primary context of each device, which the runtime API uses.

use crate::code::{Code, Result};
use crate::context::{self, Context};
use crate::device;
use crate::handle::Handle;
use crate::release;
use gevt_core::lock::Mutex;
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

/// A device's primary context and its reference count.
#[derive(Default)]
struct Primary {
    context: Option<&'static Context>,
    retained: usize,
    /// Whether the runtime holds one of the references.
    by_runtime: bool,
    flags: u32,
    /// The handle that all of the device's primary contexts have.
    handle: Option<Handle>,
}

impl Primary {
    /// Returns the context, creating it if needed.
    fn open(&mut self, device: i32) -> Result<&'static Context> {
        let context = match self.context {
            Some(context) => context,
            None => Context::open(device, self.flags, false, self.handle)?,
        };
        self.context = Some(context);
        self.handle = Some(context.handle());
        Ok(context)
    }
}

thread_local! {
    /// The device that the thread has selected with the runtime API.
    static DEVICE: Cell<i32> = const { Cell::new(0) };
}

fn get(device: i32) -> Result<&'static Mutex<Primary>> {
    static PRIMARIES: OnceLock<Vec<Mutex<Primary>>> = OnceLock::new();
    let primaries = PRIMARIES.get_or_init(|| (0..device::count()).map(|_| Mutex::default()).collect());
    usize::try_from(device).ok().and_then(|n| primaries.get(n)).ok_or(Code::INVALID_DEVICE)
}

/// Retains the device's primary context, creating it if needed.
pub(crate) fn retain(device: i32) -> Result<&'static Context> {
    let mut primary = get(device)?.lock();
    primary.open(device).inspect(|_| primary.retained += 1)
}

/// Returns the device's primary context for the runtime, which retains it once.
pub(crate) fn of(device: i32) -> Result<&'static Context> {
    let mut primary = get(device)?.lock();
    let context = primary.open(device)?;
    if !std::mem::replace(&mut primary.by_runtime, true) {
        primary.retained += 1;
    }
    context.runtime.store(true, Ordering::Relaxed);
    Ok(context)
}

/// Drops one reference. The last one ends the context.
pub(crate) fn release(device: i32) -> Result {
    let mut primary = get(device)?.lock();
    if primary.retained == 0 {
        return Err(Code::INVALID_CONTEXT);
    }
    primary.retained -= 1;
    let last = if primary.retained == 0 { primary.context.take() } else { None };
    drop(primary);
    last.into_iter().for_each(release::end_context);
    Ok(())
}

/// Ends the primary context, even if it is retained. Every reference must still be released, even after the next context has been retained.
pub(crate) fn reset(device: i32) -> Result {
    let context = get(device)?.lock().context.take();
    context.into_iter().for_each(release::end_context);
    Ok(())
}

/// Returns the primary context's flags, and whether it is active.
pub(crate) fn state(device: i32) -> Result<(u32, bool)> {
    let primary = get(device)?.lock();
    let flags = primary.context.map_or(primary.flags, |context| context.flags.load(Ordering::Relaxed));
    Ok((flags, primary.context.is_some()))
}

/// Sets the primary context's flags, for now and for its next creation.
pub(crate) fn set_flags(device: i32, flags: u32) -> Result {
    context::check_flags(flags)?;
    let mut primary = get(device)?.lock();
    primary.flags = flags;
    if let Some(context) = primary.context {
        context.flags.store(flags, Ordering::Relaxed);
    }
    Ok(())
}

/// Makes the device's primary context current on the calling thread.
pub(crate) fn use_device(device: i32) -> Result {
    context::set_current(Some(of(device)?));
    DEVICE.set(device);
    Ok(())
}

/// Returns the device of the current context. Without one, returns the device whose context the thread would get.
pub(crate) fn device_in_use() -> i32 {
    context::peek().map_or(DEVICE.get(), |context| context.device)
}

/// Ensures that the calling thread has a context. Refuses a destroyed context that the program created. Retains a primary context for the
/// runtime, and replaces one that was reset by the next one.
#[inline]
pub(crate) fn enter() -> Result {
    match context::peek() {
        Some(context) if context.is_in_runtime() => Ok(()),
        Some(context) if context.own => context.check().map_err(|_| Code::INVALID_CONTEXT),
        _ => use_device(device_in_use()),
    }
}
