//! Contexts, and which one is current on a thread.
//!
//! A context is a set of streams that are ordered among each other. Its handle is never reused. The exception is a primary context: the
//! device's next primary context has the same handle.

use crate::code::{Code, Result};
use crate::handle::{Handle, Lasting};
use crate::settings::Settings;
use gevt_core::Backend;
use gevt_core::host_streams::block_until_done;
use gevt_core::lock::Mutex;
use gevt_core::table::table;
use std::cell::{Cell, RefCell};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

pub(crate) struct Context {
    /// Orders the context's streams among each other.
    pub(crate) core: gevt_core::Context,
    pub(crate) device: i32,
    pub(crate) flags: AtomicU32,
    /// Whether the program created it. False for a device's primary context.
    pub(crate) own: bool,
    alive: AtomicBool,
    /// Whether the runtime retains it, if it is a primary context.
    pub(crate) runtime: AtomicBool,
    /// What cuCtxGetId reports.
    pub(crate) id: u64,
    handle: OnceLock<Handle>,
    /// The handle of its default stream.
    pub(crate) default_stream: OnceLock<Handle>,
    /// How many of its blocking streams are being captured.
    pub(crate) captures: AtomicUsize,
    pub(crate) settings: Settings,
}

table! {
    /// Handles are never removed: a destroyed context and an unknown one have different error codes.
    static CONTEXTS: Lasting<Context>, Context;
}

/// The core contexts of destroyed contexts, by device. The device's next context reuses one.
static UNUSED: Mutex<Vec<(i32, gevt_core::Context)>> = Mutex::new(Vec::new());

/// All core contexts, past and present, each once.
static ALL: Mutex<Vec<gevt_core::Context>> = Mutex::new(Vec::new());

thread_local! {
    /// The calling thread's context. It has no destructor, because a program may make calls in its own thread-local destructors.
    static CURRENT: Cell<Option<&'static Context>> = const { Cell::new(None) };
    /// The contexts below it on the thread's stack.
    static BELOW: RefCell<Vec<&'static Context>> = const { RefCell::new(Vec::new()) };
}

/// The flags of contexts: four ways to wait, mapped host memory, local memory resizing, core dumps, memory operations.
const KNOWN_FLAGS: u32 = 0xFF;

impl Context {
    /// Creates a context of the device. A primary one, which is not the program's own, takes over the handle of the previous one.
    pub(crate) fn open(device: i32, flags: u32, own: bool, handle: Option<Handle>) -> Result<&'static Context> {
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
            own,
            alive: AtomicBool::new(true),
            runtime: AtomicBool::new(false),
            id: IDS.fetch_add(1, Ordering::Relaxed),
            handle: OnceLock::new(),
            default_stream: OnceLock::new(),
            captures: AtomicUsize::new(0),
            settings: Settings::default(),
        }));
        let handle = match handle {
            Some(handle) => {
                Lasting::replace(&CONTEXTS, handle, context)?;
                handle
            }
            None => Lasting::insert(&CONTEXTS, context)?,
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

    /// Ends the context, whose work has completed. `release::end_context` frees its memory.
    pub(crate) fn end(&self) {
        if self.alive.swap(false, Ordering::AcqRel) {
            UNUSED.lock().push((self.device, self.core));
        }
    }
}

/// Blocks until the work submitted to all contexts before this call has completed. A failure of the work itself is left to the calls that
/// report it: an error here means that work may still be running.
pub(crate) fn wait_for_all() -> Result {
    let all = ALL.lock().clone();
    Ok(all.into_iter().try_for_each(block_until_done)?)
}

/// Returns the context of a handle, which must be live.
pub(crate) fn get(handle: Handle) -> Result<&'static Context> {
    let context = Lasting::find(&CONTEXTS, handle).ok_or(Code::INVALID_CONTEXT)?;
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

/// Returns the primary context that replaced a reset one. It has the same handle and is current where the old one was.
#[cold]
fn current_again(ended: &Context) -> Result<&'static Context> {
    get(ended.handle()).inspect(|context| CURRENT.set(Some(context)))
}

/// Returns the context of a handle; NULL is the current one.
pub(crate) fn get_or_current(handle: Handle) -> Result<&'static Context> {
    if handle == 0 { current() } else { get(handle) }
}

/// Makes a context and makes it current.
pub(crate) fn create(device: i32, flags: u32) -> Result<Handle> {
    check_flags(flags)?;
    let context = Context::open(device, flags, true, None)?;
    push(context);
    Ok(context.handle())
}

/// Runs `end` on a context that the program created, and removes it from the calling thread's stack.
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
