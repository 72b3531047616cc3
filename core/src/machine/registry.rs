//! All contexts of the process: the host's devices, and the CUDA contexts that are in use.

use super::context::{BackendContext, ContextId};
use crate::backend::cuda::{self, Cuda};
use crate::backend::host::{self, Host};
use crate::backend::{BackendKind, process as handlers};
use crate::error::{Error, Result};
use crate::log::{self, Level};
use crate::table::Handle;
use crate::trace;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use std::cell::Cell;

/// The greatest number of CUDA contexts in a process's life.
const MAX_CUDA: usize = 1 << 16;
/// The first number of a CUDA context; those below are the host's devices.
const FIRST_CUDA: u32 = 1 << 16;

static CUDA: [OnceCell<BackendContext>; MAX_CUDA] = [const { OnceCell::new() }; MAX_CUDA];

/// The CUDA contexts in use, and how many there ever were.
static IN_USE: Mutex<InUse> = Mutex::new(InUse { ever: 0, contexts: Vec::new() });

struct InUse {
    ever: u32,
    contexts: Vec<(&'static BackendContext, &'static Cuda, Origin)>,
}

/// How a CUDA context came to be known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A device's primary context, retained.
    Device(i32),
    /// The caller's.
    Adopted,
}

/// The contexts of the host backend's devices, in their order.
fn hosts() -> &'static [BackendContext] {
    static HOSTS: OnceCell<Vec<BackendContext>> = OnceCell::new();
    HOSTS.get_or_init(|| {
        let context = |(index, device)| BackendContext::new(ContextId(index), Box::new(Host(device)));
        (1..).zip(host::devices()).map(context).collect()
    })
}

/// The context of a number.
#[inline]
pub(super) fn get(id: ContextId) -> Option<&'static BackendContext> {
    if id.0 >= FIRST_CUDA {
        CUDA.get((id.0 - FIRST_CUDA) as usize)?.get()
    } else {
        hosts().get(id.0.checked_sub(1)? as usize)
    }
}

/// The backend for a caller who names none: that of GEVT_BACKEND, else what the machine has.
pub(super) fn default_kind() -> Result<BackendKind> {
    static KIND: OnceCell<BackendKind> = OnceCell::new();
    if let Some(kind) = KIND.get() {
        return Ok(*kind);
    }
    let mut why = None;
    let choose = || {
        let (kind, reason) = choose_kind(&std::env::var("GEVT_BACKEND").unwrap_or_default())?;
        why = Some(reason);
        Ok(kind)
    };
    let kind = *KIND.get_or_try_init(choose)?;
    // Of several threads at once, the one that chose tells.
    if let Some(why) = why {
        log::tell(Level::Info, format_args!("the default backend is {}: {why}", kind.name()));
    }
    Ok(kind)
}

/// The default backend, and why it is that.
fn choose_kind(variable: &str) -> Result<(BackendKind, String)> {
    match variable {
        "host" => Ok((BackendKind::Host, "GEVT_BACKEND says so".into())),
        "cuda" => Ok((BackendKind::Cuda, "GEVT_BACKEND says so".into())),
        "" | "auto" => Ok(match cuda::driver().and_then(|driver| driver.count()) {
            Ok(devices) => (BackendKind::Cuda, format!("the driver has {devices} devices")),
            Err(reason) => (BackendKind::Host, reason.to_string()),
        }),
        _ => Err(Error::BadArgument("GEVT_BACKEND")),
    }
}

/// Logs the contexts that were lost since the last call, for a thread that holds no lock.
pub fn tell_lost_contexts() {
    let lost =
        |(_, cuda, _): &(&BackendContext, &'static Cuda, Origin)| cuda.take_loss().map(|status| (cuda.device, status));
    let lost: Vec<_> = IN_USE.lock().contexts.iter().filter_map(lost).collect();
    for (device, status) in lost {
        let status = status.name().to_string_lossy();
        log::tell(Level::Error, format_args!("a context of CUDA device {device} is lost: {status}"));
    }
}

/// The number of devices of a backend.
pub(super) fn device_count(kind: BackendKind) -> Result<i32> {
    match kind {
        BackendKind::Host => Ok(hosts().len() as i32),
        BackendKind::Cuda => cuda::driver()?.count(),
    }
}

/// Opens a device; `use_it` takes the context into use before anybody else can end it.
pub(super) fn open(
    kind: BackendKind,
    device: i32,
    use_it: impl FnOnce(&'static BackendContext) -> Result<Handle>,
) -> Result<Handle> {
    handlers::watch()?;
    match kind {
        BackendKind::Host => {
            let context = usize::try_from(device).ok().and_then(|number| hosts().get(number));
            use_it(context.ok_or(Error::BadDevice(device))?)
        }
        BackendKind::Cuda => {
            let driver = cuda::driver()?;
            let is_it = |cuda: &Cuda, origin| origin == Origin::Device(device) && cuda.check_alive().is_ok();
            find_or_make(is_it, Origin::Device(device), || Cuda::open(driver, device), use_it)
        }
    }
}

/// Takes a CUcontext that the caller owns.
pub(super) fn adopt(native: u64, use_it: impl FnOnce(&'static BackendContext) -> Result<Handle>) -> Result<Handle> {
    handlers::watch()?;
    let driver = cuda::driver()?;
    let raw = native as usize;
    find_or_make(|cuda, _| cuda.is(raw), Origin::Adopted, || Cuda::adopt(driver, raw), use_it)
}

fn find_or_make(
    is_it: impl Fn(&Cuda, Origin) -> bool,
    origin: Origin,
    make: impl FnOnce() -> Result<Cuda>,
    use_it: impl FnOnce(&'static BackendContext) -> Result<Handle>,
) -> Result<Handle> {
    let mut in_use = IN_USE.lock();
    if let Some((context, _, _)) = in_use.contexts.iter().find(|(_, cuda, origin)| is_it(cuda, *origin)) {
        return use_it(context);
    }
    let place = CUDA.get(in_use.ever as usize).ok_or(Error::OutOfMemory)?;
    in_use.contexts.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
    let made = make()?;
    if let Some((context, known, known_origin)) = in_use.contexts.iter_mut().find(|(_, known, _)| known.is_same(&made))
    {
        // A device's primary context that was adopted before it was opened.
        known.take_over(&made);
        *known_origin = origin;
        return use_it(context);
    }
    let cuda: &'static Cuda = Box::leak(Box::new(made));
    let context = place.get_or_init(|| BackendContext::new(ContextId(FIRST_CUDA + in_use.ever), Box::new(cuda)));
    in_use.ever += 1;
    in_use.contexts.push((context, cuda, origin));
    let handle = use_it(context)?;
    drop(in_use);
    if trace::is_on() {
        context.backend.begin_trace();
    }
    Ok(handle)
}

/// A trace has begun: tells the contexts in use.
pub(super) fn begin_trace() {
    let contexts: Vec<_> =
        IN_USE.lock().contexts.iter().map(|(context, _, _)| *context).inspect(|context| context.acquire()).collect();
    for context in contexts {
        context.backend.begin_trace();
        context.release();
    }
}

/// Ends a context that nobody uses. `unused` is asked again under the lock under which others take it into use.
pub(super) fn end(context: &'static BackendContext, unused: impl FnOnce() -> bool) {
    let mut in_use = IN_USE.lock();
    if unused()
        && let Some(at) = in_use.contexts.iter().position(|(known, _, _)| known.id == context.id)
    {
        in_use.contexts.swap_remove(at);
        drop(in_use);
        context.backend.retire();
    }
}

thread_local! {
    /// The last CUcontext that was current on this thread when it named no context.
    static LAST: Cell<Option<(&'static BackendContext, &'static Cuda)>> = const { Cell::new(None) };
}

/// The context for a thread that has set none: the CUcontext that is current on it, else the first device.
pub(super) fn default_context() -> Result<Handle> {
    let kind = default_kind()?;
    if kind == BackendKind::Cuda {
        let current = Cuda::current(cuda::driver()?)?;
        if let Some((context, _)) = LAST.get().filter(|(_, cuda)| cuda.is(current as usize)) {
            return context.own_handle();
        }
        if current != 0 {
            let handle = adopt(current, |context| context.own_handle())?;
            let in_use = IN_USE.lock();
            let found = in_use.contexts.iter().find(|(_, cuda, _)| cuda.is(current as usize));
            LAST.set(found.map(|(context, cuda, _)| (*context, *cuda)));
            return Ok(handle);
        }
    }
    open(kind, 0, |context| context.own_handle())
}
