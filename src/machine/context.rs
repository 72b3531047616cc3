//! A context: one device of one backend. Handles name it; it lives as long as the process.

use crate::backend::host::{self, Host};
use crate::backend::{Backend, BackendKind, process as handlers};
use crate::error::{Error, Result};
use crate::process;
use crate::table::{Entry, Handle, Kind, LocalCache, Stored, Table};
use once_cell::sync::OnceCell;
use std::sync::atomic::{AtomicU32, Ordering};

/// A context's number, from 1 up; 0 is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ContextId(pub(crate) u32);

/// A device of a backend.
pub(crate) struct Context {
    pub(crate) id: ContextId,
    pub(crate) backend: Box<dyn Backend>,
}

impl ContextId {
    pub(crate) fn context(self) -> Option<&'static Context> {
        self.0.checked_sub(1).and_then(|index| hosts().get(index as usize))
    }
}

/// The contexts of the host backend's devices, in their order.
fn hosts() -> &'static [Context] {
    static HOSTS: OnceCell<Vec<Context>> = OnceCell::new();
    HOSTS.get_or_init(|| {
        let context = |(index, device)| Context { id: ContextId(index), backend: Box::new(Host(device)) };
        (1..).zip(host::devices()).map(context).collect()
    })
}

impl Context {
    /// Refuses a context that is lost.
    pub(crate) fn check(&self) -> Result<()> {
        match self.backend.lost() {
            None => Ok(()),
            Some(status) => Err(Error::ContextLost(status)),
        }
    }
}

/// What the slot of a context handle holds.
#[derive(Default)]
pub(crate) struct ContextHandle(AtomicU32);

static CONTEXTS: Table<ContextHandle> = Table::new();

thread_local! {
    static CACHE: LocalCache = LocalCache::new(&CONTEXTS.free);
}

impl Stored for ContextHandle {
    const KIND: Kind = Kind::Context;
    fn table() -> &'static Table<ContextHandle> {
        &CONTEXTS
    }
    fn cache() -> &'static std::thread::LocalKey<LocalCache> {
        &CACHE
    }
}

impl Entry for ContextHandle {
    fn recycle(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// The context of a handle.
pub(crate) fn get(handle: Handle) -> Result<&'static Context> {
    process::check()?;
    let guard = CONTEXTS.get(handle)?;
    ContextId(guard.0.load(Ordering::Relaxed)).context().ok_or(Error::Internal)
}

/// Which backend a caller asks for; `None` leaves the choice to the machine.
pub(crate) fn kind_of(number: u32) -> Result<Option<BackendKind>> {
    match number {
        0 => Ok(None),
        1 => Ok(Some(BackendKind::Host)),
        2 => Ok(Some(BackendKind::Cuda)),
        _ => Err(Error::BadArgument("backend")),
    }
}

const NO_CUDA: Error = Error::NoBackend("this build of gevt has no CUDA backend");

/// The number of devices of a backend.
pub(crate) fn device_count(backend: u32) -> Result<i32> {
    process::check()?;
    match kind_of(backend)?.unwrap_or(default_kind()?) {
        BackendKind::Host => Ok(hosts().len() as i32),
        BackendKind::Cuda => Err(NO_CUDA),
    }
}

/// The backend that a caller gets who names none: that of GEVT_BACKEND, else what the machine has.
pub(crate) fn default_kind() -> Result<BackendKind> {
    static KIND: OnceCell<BackendKind> = OnceCell::new();
    let choose = || match std::env::var("GEVT_BACKEND").unwrap_or_default().as_str() {
        "" | "auto" | "host" => Ok(BackendKind::Host),
        "cuda" => Ok(BackendKind::Cuda),
        _ => Err(Error::BadArgument("GEVT_BACKEND")),
    };
    KIND.get_or_try_init(choose).copied()
}

/// Opens a device.
pub(crate) fn open(backend: u32, device: i32) -> Result<Handle> {
    process::check()?;
    handlers::watch()?;
    let contexts = match kind_of(backend)?.map_or_else(default_kind, Ok)? {
        BackendKind::Host => hosts(),
        BackendKind::Cuda => return Err(NO_CUDA),
    };
    let context = usize::try_from(device).ok().and_then(|n| contexts.get(n)).ok_or(Error::BadDevice(device))?;
    CONTEXTS.insert(|slot, word| {
        slot.0.store(context.id.0, Ordering::Relaxed);
        word
    })
}

/// Borrows a context of the caller's.
pub(crate) fn adopt_context(backend: u32, native: u64) -> Result<Handle> {
    process::check()?;
    match kind_of(backend)?.map_or_else(default_kind, Ok)? {
        _ if native == 0 => Err(Error::NullPointer("native")),
        BackendKind::Host => Err(Error::NoNative),
        BackendKind::Cuda => Err(NO_CUDA),
    }
}

/// Ends a handle. The context's streams and events go on.
pub(crate) fn close(handle: Handle) -> Result<()> {
    if process::is_over() { Ok(()) } else { CONTEXTS.remove(handle) }
}

/// Blocks until all streams of the context have done what they were given before the call.
pub(crate) fn sync(handle: Handle) -> Result<()> {
    let (context, _) = super::current::resolve(handle)?;
    context.check()?;
    context.backend.sync()
}
