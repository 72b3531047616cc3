//! Contexts: those of programs and the primary one of each device; and what is current on a thread.
//!
//! A context is a set of streams that are ordered among each other. Its handle is never used again.

use crate::code::{Code, Result};
use crate::stream::Stream;
use crate::table::{Handle, Table};
use gevt_core::host_api::{self, Device};
use parking_lot::Mutex;
use std::cell::{Cell, RefCell};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

/// A context.
pub(crate) struct Context {
    pub(crate) host: Device,
    /// The number of its device.
    pub(crate) device: i32,
    pub(crate) flags: AtomicU32,
    /// What cuCtxGetApiVersion tells.
    pub(crate) api_version: u32,
    own: bool,
    alive: AtomicBool,
    handle: OnceLock<Handle>,
    default: OnceLock<Stream>,
    /// How many of its blocking streams are being captured.
    pub(crate) captures: AtomicUsize,
}

static CONTEXTS: Table<OnceLock<Context>> = Table::new(0xC3);

thread_local! {
    /// The calling thread's context. It has no destructor: programs call from those of their own.
    static CURRENT: Cell<Option<&'static Context>> = const { Cell::new(None) };
    /// Those that it was pushed upon.
    static BELOW: RefCell<Vec<&'static Context>> = const { RefCell::new(Vec::new()) };
    /// The device that the thread has chosen in the runtime API.
    static DEVICE: Cell<i32> = const { Cell::new(0) };
}

/// A device's primary context.
#[derive(Default)]
struct Primary {
    context: Option<&'static Context>,
    retained: usize,
    flags: u32,
}

fn primaries() -> &'static [Mutex<Primary>] {
    static PRIMARIES: OnceLock<Vec<Mutex<Primary>>> = OnceLock::new();
    PRIMARIES.get_or_init(|| (0..host_api::device_count()).map(|_| Mutex::default()).collect())
}

fn primary(device: i32) -> Result<&'static Mutex<Primary>> {
    usize::try_from(device).ok().and_then(|n| primaries().get(n)).ok_or(Code::INVALID_DEVICE)
}

/// Flags that contexts have: the four ways to wait, map host, resize local memory, core dumps, memory operations.
const KNOWN_FLAGS: u32 = 0xFF;

impl Context {
    fn open(device: i32, flags: u32, api_version: u32, own: bool) -> Result<&'static Context> {
        let context = |host| Context {
            host,
            device,
            flags: AtomicU32::new(flags),
            api_version,
            own,
            alive: AtomicBool::new(true),
            handle: OnceLock::new(),
            default: OnceLock::new(),
            captures: AtomicUsize::new(0),
        };
        let mut made = None;
        let handle = CONTEXTS.insert(|place| made = Some(place.get_or_init(|| context(Device::new(device)))));
        let context = made.ok_or(Code::OUT_OF_MEMORY)?;
        let _ = context.handle.set(handle.ok_or(Code::OUT_OF_MEMORY)?);
        Ok(context)
    }

    pub(crate) fn handle(&self) -> Handle {
        self.handle.get().copied().unwrap_or_default()
    }

    /// Refuses a context that was destroyed.
    #[inline]
    pub(crate) fn check(&self) -> Result {
        if self.alive.load(Ordering::Acquire) { Ok(()) } else { Err(Code::CONTEXT_IS_DESTROYED) }
    }

    /// The default stream.
    pub(crate) fn default_stream(&'static self) -> Result<&'static Stream> {
        match self.default.get() {
            Some(stream) => Ok(stream),
            None => {
                let stream = Stream::default_of(self)?;
                Ok(self.default.get_or_init(|| stream))
            }
        }
    }

    /// Is it the context's default stream?
    pub(crate) fn is_default(&self, stream: &Stream) -> bool {
        self.default.get().is_some_and(|default| std::ptr::eq(default, stream))
    }

    fn end(&self) {
        let _ = self.host.sync();
        self.alive.store(false, Ordering::Release);
    }
}

/// The context of a handle, which must be live.
pub(crate) fn get(handle: Handle) -> Result<&'static Context> {
    let context = CONTEXTS.get(handle).and_then(OnceLock::get).ok_or(Code::INVALID_CONTEXT)?;
    context.check().map(|()| context)
}

/// The calling thread's context, if it has one, live or not.
pub(crate) fn peek() -> Option<&'static Context> {
    CURRENT.get()
}

/// The calling thread's context.
pub(crate) fn current() -> Result<&'static Context> {
    let context = peek().ok_or(Code::INVALID_CONTEXT)?;
    context.check().map(|()| context)
}

/// The context of a handle; NULL is the current one.
pub(crate) fn get_or_current(handle: Handle) -> Result<&'static Context> {
    if handle == 0 { current() } else { get(handle) }
}

/// Makes a context and makes it current.
pub(crate) fn create(device: i32, flags: u32, api_version: u32) -> Result<Handle> {
    primary(device)?;
    check_flags(flags)?;
    let context = Context::open(device, flags, api_version, true)?;
    push(context);
    Ok(context.handle())
}

/// Waits for what the context still does, and ends it.
pub(crate) fn destroy(handle: Handle) -> Result {
    let context = get(handle)?;
    if !context.own {
        return Err(Code::INVALID_CONTEXT);
    }
    context.end();
    if peek().is_some_and(|current| std::ptr::eq(current, context)) {
        pop()?;
    }
    Ok(())
}

pub(crate) fn push(context: &'static Context) {
    if let Some(below) = CURRENT.replace(Some(context)) {
        // A thread that is ending keeps no more than the current one.
        let _ = BELOW.try_with(|stack| stack.borrow_mut().push(below));
    }
}

/// Takes the current context off.
pub(crate) fn pop() -> Result<Handle> {
    let context = CURRENT.take().ok_or(Code::INVALID_CONTEXT)?;
    CURRENT.set(BELOW.try_with(|stack| stack.borrow_mut().pop()).unwrap_or(None));
    Ok(context.handle())
}

/// Puts a context in the place of the current one; `None` takes the current one off.
pub(crate) fn set_current(context: Option<&'static Context>) {
    match context {
        Some(_) => CURRENT.set(context),
        None => _ = pop(),
    }
}

fn check_flags(flags: u32) -> Result {
    if flags & !KNOWN_FLAGS == 0 { Ok(()) } else { Err(Code::INVALID_VALUE) }
}

/// The device's primary context, made when it is not there.
pub(crate) fn retain(device: i32) -> Result<&'static Context> {
    let mut primary = primary(device)?.lock();
    let context = match primary.context {
        Some(context) => context,
        None => Context::open(device, primary.flags, crate::device::VERSION as u32, false)?,
    };
    primary.context = Some(context);
    primary.retained += 1;
    Ok(context)
}

/// The primary context of the device without a count of its own, as the runtime uses it.
pub(crate) fn primary_of(device: i32) -> Result<&'static Context> {
    let active = primary(device)?.lock().context;
    active.map_or_else(|| retain(device), Ok)
}

/// Gives one retain back; the last one ends the context.
pub(crate) fn release(device: i32) -> Result {
    let mut primary = primary(device)?.lock();
    if primary.retained == 0 || primary.context.is_none() {
        return Err(Code::INVALID_CONTEXT);
    }
    primary.retained -= 1;
    let last = if primary.retained == 0 { primary.context.take() } else { None };
    drop(primary);
    if let Some(context) = last {
        context.end();
    }
    Ok(())
}

/// Ends the primary context whoever retains it.
pub(crate) fn reset(device: i32) -> Result {
    let mut primary = primary(device)?.lock();
    let context = primary.context.take();
    primary.retained = 0;
    drop(primary);
    if let Some(context) = context {
        context.end();
    }
    Ok(())
}

/// The primary context's flags, and whether it is active.
pub(crate) fn state(device: i32) -> Result<(u32, bool)> {
    let primary = primary(device)?.lock();
    let flags = primary.context.map_or(primary.flags, |context| context.flags.load(Ordering::Relaxed));
    Ok((flags, primary.context.is_some()))
}

/// Sets the primary context's flags, now and for the next time.
pub(crate) fn set_flags(device: i32, flags: u32) -> Result {
    check_flags(flags)?;
    let mut primary = primary(device)?.lock();
    primary.flags = flags;
    if let Some(context) = primary.context {
        context.flags.store(flags, Ordering::Relaxed);
    }
    Ok(())
}

/// Makes the device's primary context the calling thread's.
pub(crate) fn use_device(device: i32) -> Result {
    set_current(Some(primary_of(device)?));
    DEVICE.set(device);
    Ok(())
}

/// The device of the calling thread's context, or the one that it would get.
pub(crate) fn device_in_use() -> i32 {
    peek().map_or(DEVICE.get(), |context| context.device)
}

/// Sees to it that the calling thread has a context; a primary one that was reset makes room for the next one.
#[inline]
pub(crate) fn enter() -> Result {
    match peek() {
        Some(context) if context.own || context.check().is_ok() => Ok(()),
        _ => use_device(device_in_use()),
    }
}
