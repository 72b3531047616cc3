//! The primary context of each device, which the runtime API uses.

use crate::code::{Code, Result};
use crate::context::{self, Context};
use crate::device;
use crate::handle::Handle;
use crate::release;
use parking_lot::Mutex;
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

/// A device's primary context, and who retains it.
#[derive(Default)]
struct Primary {
    context: Option<&'static Context>,
    retained: usize,
    /// Whether one of the retains is the runtime's.
    by_runtime: bool,
    flags: u32,
    /// The handle of each of the device's primary contexts in turn.
    handle: Option<Handle>,
}

impl Primary {
    /// Returns the context, which is made if there is none.
    fn open(&mut self, device: i32) -> Result<&'static Context> {
        let context = match self.context {
            Some(context) => context,
            None => Context::open_primary(device, self.flags, device::VERSION as u32, self.handle)?,
        };
        self.context = Some(context);
        self.handle = Some(context.handle());
        Ok(context)
    }
}

thread_local! {
    /// The device that the thread has chosen in the runtime API.
    static DEVICE: Cell<i32> = const { Cell::new(0) };
}

fn get(device: i32) -> Result<&'static Mutex<Primary>> {
    static PRIMARIES: OnceLock<Vec<Mutex<Primary>>> = OnceLock::new();
    let primaries = PRIMARIES.get_or_init(|| (0..device::count()).map(|_| Mutex::default()).collect());
    usize::try_from(device).ok().and_then(|n| primaries.get(n)).ok_or(Code::INVALID_DEVICE)
}

/// Retains the device's primary context, which is made if there is none.
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

/// Gives one retain back; the last one ends the context.
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

/// Ends the primary context, whoever retains it. They still have to release it, even once others retain the next one.
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

/// Sets the primary context's flags, now and for the next time.
pub(crate) fn set_flags(device: i32, flags: u32) -> Result {
    context::check_flags(flags)?;
    let mut primary = get(device)?.lock();
    primary.flags = flags;
    if let Some(context) = primary.context {
        context.flags.store(flags, Ordering::Relaxed);
    }
    Ok(())
}

/// Makes the device's primary context the calling thread's.
pub(crate) fn use_device(device: i32) -> Result {
    context::set_current(Some(of(device)?));
    DEVICE.set(device);
    Ok(())
}

/// Returns the device of the calling thread's context, or the one whose context it would get.
pub(crate) fn device_in_use() -> i32 {
    context::peek().map_or(DEVICE.get(), |context| context.device)
}

/// Makes sure that the calling thread has a context; one of the program's that was destroyed is refused. The runtime retains a primary one that it meets, and replaces one that was
/// reset by the next one.
#[inline]
pub(crate) fn enter() -> Result {
    match context::peek() {
        Some(context) if context.is_in_runtime() => Ok(()),
        Some(context) if context.own => context.check().map_err(|_| Code::INVALID_CONTEXT),
        _ => use_device(device_in_use()),
    }
}
