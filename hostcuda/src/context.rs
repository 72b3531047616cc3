//! Contexts, and which one is current on a thread.
//!
//! A context is a set of streams that are ordered among each other. Its handle is never used again, but for a primary context's,
//! which the device's next one has too.

use crate::code::{Code, Result};
use crate::handle::{Handle, of_c, to_c};
use crate::settings::Settings;
use gevt_core::Backend;
use gevt_core::atomic_ref::AtomicRef;
use gevt_core::host_events::{RawEvent, block_until_done};
use gevt_core::table::{Recycle, Word, table};
use parking_lot::Mutex;
use std::cell::{Cell, RefCell};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// A context.
pub(crate) struct Context {
    /// What orders its streams among each other.
    pub(crate) core: gevt_core::Context,
    /// The number of its device.
    pub(crate) device: i32,
    pub(crate) flags: AtomicU32,
    /// What cuCtxGetApiVersion reports.
    pub(crate) api_version: u32,
    /// Whether the program made it; false for a device's primary context.
    pub(crate) own: bool,
    alive: AtomicBool,
    /// Whether the runtime retains it, for a primary context.
    pub(crate) runtime: AtomicBool,
    /// What cuCtxGetId reports.
    pub(crate) id: u64,
    handle: OnceLock<Handle>,
    /// The handle of its default stream.
    pub(crate) default_stream: OnceLock<Handle>,
    /// How many of its blocking streams are being captured.
    pub(crate) captures: AtomicUsize,
    pub(crate) order: Order,
    pub(crate) settings: Settings,
}

/// What cuCtxRecordEvent and cuCtxWaitEvent need to reach all streams of a context.
#[derive(Default)]
pub(crate) struct Order {
    /// The handle of a stream that stands behind all others.
    pub(crate) behind: OnceLock<Handle>,
    /// The handle of a stream that stands before all others.
    pub(crate) before: OnceLock<Handle>,
    /// What all streams wait for.
    pub(crate) held: RawEvent,
    /// The handles of the streams that the default stream does not hold back.
    pub(crate) non_blocking: Mutex<Vec<Handle>>,
}

/// The context of a handle. Handles are never removed: a context that was destroyed has another code than one that never was.
#[derive(Default)]
struct ContextSlot(AtomicRef<Context>);

table! {
    static CONTEXTS: ContextSlot, Context;
}

impl Recycle for ContextSlot {
    fn recycle(&self, _: Word) {}
}

/// The core's contexts of those that were destroyed, by device. Each serves the next context of the device.
static UNUSED: Mutex<Vec<(i32, gevt_core::Context)>> = Mutex::new(Vec::new());

/// The core's contexts of all that there are and were, each once.
static ALL: Mutex<Vec<gevt_core::Context>> = Mutex::new(Vec::new());

thread_local! {
    /// The calling thread's context. It has no destructor: programs make calls in the destructors of their own.
    static CURRENT: Cell<Option<&'static Context>> = const { Cell::new(None) };
    /// The contexts below it on the thread's stack.
    static BELOW: RefCell<Vec<&'static Context>> = const { RefCell::new(Vec::new()) };
}

/// Flags that contexts have: the four ways to wait, map host, resize local memory, core dumps, memory operations.
const KNOWN_FLAGS: u32 = 0xFF;

impl Context {
    /// Makes a primary context of the device, in the place of the one that had that handle.
    pub(crate) fn open_primary(
        device: i32,
        flags: u32,
        api_version: u32,
        handle: Option<Handle>,
    ) -> Result<&'static Context> {
        Context::open(device, flags, api_version, false, handle)
    }

    fn open(device: i32, flags: u32, api_version: u32, own: bool, handle: Option<Handle>) -> Result<&'static Context> {
        static IDS: AtomicU64 = AtomicU64::new(1);
        let unused = {
            let mut unused = UNUSED.lock();
            unused.iter().position(|(of, _)| *of == device).map(|at| unused.swap_remove(at).1)
        };
        let create = || gevt_core::Context::create(Backend::HOST, device).inspect(|core| ALL.lock().push(*core));
        let core = unused.map_or_else(create, Ok)?;
        let context: &'static Context = Box::leak(Box::new(Context {
            core,
            device,
            flags: AtomicU32::new(flags),
            api_version,
            own,
            alive: AtomicBool::new(true),
            runtime: AtomicBool::new(false),
            id: IDS.fetch_add(1, Ordering::Relaxed),
            handle: OnceLock::new(),
            default_stream: OnceLock::new(),
            captures: AtomicUsize::new(0),
            order: Order::default(),
            settings: Settings::default(),
        }));
        let handle = match handle {
            Some(handle) => {
                CONTEXTS.peek(of_c(handle))?.0.store(Some(context));
                handle
            }
            None => to_c(CONTEXTS.insert(|place| place.0.store(Some(context)))?),
        };
        let _ = context.handle.set(handle);
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

    /// Returns whether the runtime retains it, and it was not reset.
    #[inline]
    pub(crate) fn is_in_runtime(&self) -> bool {
        self.runtime.load(Ordering::Relaxed) && self.check().is_ok()
    }

    /// Ends the context, whose work is done. Its memory is `release::end_context`'s business.
    pub(crate) fn end(&self) {
        if self.alive.swap(false, Ordering::AcqRel) {
            UNUSED.lock().push((self.device, self.core));
        }
    }
}

/// Blocks until all contexts have done what they were given before the call. Why work failed is left for the calls that report it: an
/// error means that work may still run.
pub(crate) fn wait_for_all() -> Result {
    let all = ALL.lock().clone();
    Ok(all.into_iter().try_for_each(block_until_done)?)
}

/// Returns the context of a handle, which must be live.
pub(crate) fn get(handle: Handle) -> Result<&'static Context> {
    let context = CONTEXTS.peek(of_c(handle)).ok().and_then(|slot| slot.0.load()).ok_or(Code::INVALID_CONTEXT)?;
    context.check().map(|()| context)
}

/// Returns the calling thread's context, if it has one, live or not.
pub(crate) fn peek() -> Option<&'static Context> {
    CURRENT.get()
}

/// Returns the calling thread's context, which must be live.
#[inline]
pub(crate) fn current() -> Result<&'static Context> {
    let context = peek().ok_or(Code::INVALID_CONTEXT)?;
    if context.check().is_ok() { Ok(context) } else { current_again(context) }
}

/// Returns the primary context that came after one that was reset: it has the same handle, and is current where that was.
#[cold]
fn current_again(ended: &Context) -> Result<&'static Context> {
    get(ended.handle()).inspect(|context| CURRENT.set(Some(context)))
}

/// Returns the context of a handle; NULL is the current one.
pub(crate) fn get_or_current(handle: Handle) -> Result<&'static Context> {
    if handle == 0 { current() } else { get(handle) }
}

/// Makes a context and makes it current.
pub(crate) fn create(device: i32, flags: u32, api_version: u32) -> Result<Handle> {
    check_flags(flags)?;
    let context = Context::open(device, flags, api_version, true, None)?;
    push(context);
    Ok(context.handle())
}

/// Runs `end` on a context of the program's, and takes it off the calling thread's stack.
pub(crate) fn destroy(handle: Handle, end: impl FnOnce(&'static Context)) -> Result {
    let context = get(handle)?;
    if !context.own {
        return Err(Code::INVALID_CONTEXT);
    }
    end(context);
    if peek().is_some_and(|current| std::ptr::eq(current, context)) {
        pop()?;
    }
    Ok(())
}

pub(crate) fn push(context: &'static Context) {
    if let Some(below) = CURRENT.replace(Some(context)) {
        // On a thread whose destructors run the stack may be gone; only the current context is kept then.
        let _ = BELOW.try_with(|stack| stack.borrow_mut().push(below));
    }
}

/// Takes the current context off the stack.
pub(crate) fn pop() -> Result<Handle> {
    let context = CURRENT.take().ok_or(Code::INVALID_CONTEXT)?;
    CURRENT.set(BELOW.try_with(|stack| stack.borrow_mut().pop()).unwrap_or(None));
    Ok(context.handle())
}

/// Replaces the current context; `None` takes the current one off the stack.
pub(crate) fn set_current(context: Option<&'static Context>) {
    match context {
        Some(_) => CURRENT.set(context),
        None => _ = pop(),
    }
}

pub(crate) fn check_flags(flags: u32) -> Result {
    if flags & !KNOWN_FLAGS == 0 { Ok(()) } else { Err(Code::INVALID_VALUE) }
}
