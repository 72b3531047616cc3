//! Backends run streams and mark points in them.

pub(crate) mod cell;
#[cfg(not(loom))]
pub(crate) mod cuda;
pub(crate) mod deadlock;
pub(crate) mod host;
mod host_fn;
pub(crate) mod identity;
mod recorded;
mod thread_streams;
#[cfg(not(loom))]
pub(crate) mod vulkan;

use crate::point::{Awaitable, Opener};
pub(crate) use cell::{Cell, Mark};
use deadlock::Dependency;
#[cfg(not(loom))]
pub(crate) use host_fn::Closure;
pub use host_fn::{HostFn, ItemFn};
pub use identity::{Identity, PciAddress};
pub(crate) use recorded::{RecordMode, Recorded};

use crate::error::{Error, Result};
use crate::probe::StreamId;
use crate::status::Status;
use crate::table::Life;
use crate::workers::{Parker, Waiter};
use std::time::{Duration, Instant};

/// The backends, in the order of automatic selection: the first that has a device. The host always has one, so backends
/// after it are used only by name.
pub(crate) const PROVIDERS: &[&dyn Provider] = &[
    #[cfg(not(loom))]
    &cuda::CudaProvider,
    &host::HostProvider,
    #[cfg(not(loom))]
    &vulkan::VulkanProvider,
];

/// A backend, by its number, which is part of the ABI.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BackendKind(pub u32);

/// The purpose of a native context.
#[derive(Clone, Copy)]
pub(crate) enum Wanted {
    /// A device is opened.
    Device(i32),
    /// The native context of that address is wrapped.
    Native(u64),
    /// The device of a context in use is opened: the context takes over what that open retained.
    Again,
}

/// A backend before any of its devices is used.
pub(crate) trait Provider: Sync {
    /// Returns which one it is.
    fn kind(&self) -> BackendKind;

    /// Returns its name in GEVT_BACKEND.
    fn name(&self) -> &'static str;

    /// Returns its name in messages.
    fn title(&self) -> &'static str;

    /// Returns the number of devices, or an error that says why none can be used.
    fn device_count(&self) -> Result<i32>;

    /// Logs settings of the environment that cannot be followed. The calling thread holds no lock.
    fn check_settings(&self) {}

    /// Opens a device.
    fn open(&self, device: i32) -> Result<Box<dyn Backend>>;

    /// Makes a separate context on a device, not ordered against the device's other contexts.
    fn create(&self, _device: i32) -> Result<Box<dyn Backend>> {
        Err(Error::NoNative)
    }

    /// Borrows a native context that the caller owns.
    ///
    /// # Safety
    /// `native` must be the address of a live native context, which must not end during a call that uses it.
    unsafe fn wrap(&self, _native: u64) -> Result<Box<dyn Backend>> {
        Err(Error::NoNative)
    }

    /// Returns the native context that is current on the calling thread, if there is one.
    fn current(&self) -> Result<Option<u64>> {
        Ok(None)
    }
}

/// A backend's name for a stream, which only that backend reads. Zero means none.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct NativeStream(pub(crate) u64);

/// A stream that receives work.
#[derive(Clone, Copy)]
pub(crate) struct StreamRef<'a> {
    pub(crate) native: NativeStream,
    /// The handle's life, if the call does not pin the stream: work counts only if it is queued before the life ends.
    pub(crate) life: Option<Life<'a>>,
    /// The stream may be captured. One of gevt's streams may be captured only once it has joined a capture.
    pub(crate) capturable: bool,
}

impl StreamRef<'_> {
    /// A pinned stream that no program captures.
    pub(crate) fn pinned(native: NativeStream) -> StreamRef<'static> {
        StreamRef { native, life: None, capturable: false }
    }

    /// Returns whether the handle is alive.
    #[inline]
    pub(crate) fn lasts(self) -> bool {
        self.life.is_none_or(Life::lasts)
    }
}

/// An event that a call uses without pinning it.
#[derive(Clone, Copy)]
pub(crate) struct EventRef<'a> {
    pub(crate) cell: &'a Cell,
    pub(crate) life: Life<'a>,
}

/// Frequent calls of a backend that take no `Guard`s of their objects. Streams and events belong to one context. A wait and a query are only for a
/// pending or completed record. A call that returns false or `None` has no effect, and the caller makes the guarded one.
pub(crate) trait UnpinnedCalls: Sync {
    /// Like [`Backend::record`], for a cell that holds a mark. The event is pending then.
    fn record(&'static self, stream: &StreamRef<'_>, event: EventRef<'_>) -> bool;

    /// Like [`Backend::wait`], for the mark that the event has now.
    fn wait(&'static self, stream: &StreamRef<'_>, event: EventRef<'_>) -> Option<Result<()>>;

    /// Like [`Backend::is_reached`].
    fn is_reached(&'static self, event: EventRef<'_>) -> Option<bool>;

    /// Like [`Backend::elapsed`].
    fn elapsed(&'static self, start: EventRef<'_>, end: EventRef<'_>) -> Option<i64>;
}

/// Properties of a backend's context that never change.
#[derive(Clone, Copy)]
pub(crate) struct Properties {
    pub(crate) kind: BackendKind,
    /// The device's number.
    pub(crate) device: i32,
    /// The context's native object: a CUcontext, or a VkDevice.
    pub(crate) native: Option<u64>,
    /// The native context may end before the process: its uses are counted.
    pub(crate) can_end: bool,
    /// The native context is its owner's again when the last handle has been closed, although streams and events are left.
    pub(crate) ends_with_handles: bool,
    /// A trace records the time at which a stream reaches each mark.
    pub(crate) traces_marks: bool,
    /// Streams are never freed, and never captured: calls that give work to one need not pin it, and it need not wait for what is complete.
    pub(crate) streams_last: bool,
    pub(crate) unpinned_calls: Option<&'static dyn UnpinnedCalls>,
    /// The pause between two looks of a thread that has waited so long, if only looks show that a mark is reached.
    pub(crate) pause: Option<fn(Duration) -> Duration>,
}

impl Properties {
    pub(crate) const fn new(kind: BackendKind, device: i32) -> Properties {
        Properties {
            kind,
            device,
            native: None,
            can_end: true,
            ends_with_handles: false,
            traces_marks: false,
            streams_last: false,
            unpinned_calls: None,
            pause: None,
        }
    }
}

/// The native event that a destroyed event leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// It is not shared, and its last record was not captured.
    Known,
    /// It may be shared, or part of a graph.
    Unknown,
    /// It is the caller's.
    Borrowed,
}

/// Names an event to another process.
pub(crate) type IpcHandle = [u8; 64];

/// A backend that reads many times together.
pub(crate) trait ManyTimes {
    /// Returns the nanoseconds between two marks in this context, if both are of records that have times. The caller asks for up to `ahead`
    /// timestamps more.
    fn elapsed(&self, marks: [Mark; 2], ahead: usize) -> Option<i64>;
}

/// One device of one backend, as the state machine sees it: the contract that all backends meet.
///
/// Every method may be called from any thread. This backend made or wrapped each stream that is passed in, and the
/// caller pins it during the call, unless [streams last](Properties::streams_last). Each mark was set by this backend, and the caller pins its event. No method blocks
/// unless its comment says so, and none changes the calling thread's current context.
pub(crate) trait Backend: Send + Sync + std::any::Any {
    /// Returns the properties that never change.
    fn properties(&self) -> Properties;

    /// Makes a stream; one that is not `non_blocking` is ordered against the default stream.
    fn create_stream(&self, non_blocking: bool) -> Result<NativeStream>;

    /// Borrows a stream that the caller owns. 0 and 1 are the default stream, 2 is the calling thread's own at each use.
    ///
    /// # Safety
    /// `native` must be 0, 1, 2 or the address of a native stream that lives until it is no longer used.
    unsafe fn wrap_stream(&self, native: u64) -> Result<NativeStream>;

    /// The stream that orders against all blocking ones.
    fn default_stream(&self) -> Result<NativeStream>;

    /// Gives a stream of [`Backend::create_stream`] back. Its work still runs to the end.
    fn destroy_stream(&self, stream: NativeStream);

    /// A stream of [`Backend::create_stream`] has lost its handle. Calls that are in progress may still use it, and delay
    /// [`Backend::destroy_stream`].
    fn end_handle(&self, _stream: NativeStream) {}

    /// Returns whether the stream has finished all submitted work.
    fn query_stream(&self, stream: NativeStream) -> Result<bool>;

    /// Blocks until the stream has finished all work submitted before the call, or until the deadline; returns whether
    /// it has.
    fn sync_stream(&self, stream: NativeStream, deadline: Option<Instant>) -> Result<bool>;

    /// Blocks until every stream of the device has finished the work submitted before the call, or until the deadline; returns whether
    /// they have.
    fn sync(&self, deadline: Option<Instant>) -> Result<bool>;

    /// Runs a function in the stream's order, on a thread of the backend's.
    fn launch(&self, stream: StreamRef<'_>, function: HostFn) -> Result<()>;

    /// Makes later work in the stream wait for the mark. The mark may be another device's of the backend.
    fn wait(&self, stream: StreamRef<'_>, mark: Mark, external: bool) -> Result<()>;

    /// Makes later work in the stream wait until the opener opens, or is dropped, for a mark of another backend that is
    /// held till then. If it opens with a failure, what the stream is given fails, until a sync of the stream or of the context has
    /// returned the failure.
    fn gate(&self, stream: NativeStream) -> Result<Opener>;

    /// Rejects an EXTERNAL record on a stream that is not being captured.
    fn check_external(&self, _stream: NativeStream) -> Result<()> {
        Err(Error::NotCapturing)
    }

    /// Replaces the mark in `cell` with the stream's current end. On failure the old mark stays.
    fn record(&self, stream: StreamRef<'_>, cell: &'static Cell, mode: RecordMode) -> Result<Recorded>;

    /// The mark that `cell` holds now.
    fn mark(&self, cell: &Cell) -> Mark;

    /// Returns the current mark of `cell`, held for a wait: it stays valid when the cell is marked again.
    fn hold(&self, cell: &Cell) -> Mark;

    /// Ends what [`Backend::hold`] began.
    fn unhold(&self, cell: &Cell, mark: Mark);

    /// Returns whether the stream has reached the mark; true for a cell that was never recorded.
    fn reached(&self, mark: Mark) -> Result<bool>;

    /// Like [`Backend::reached`], for the mark that `cell` holds now.
    fn is_reached(&self, cell: &Cell) -> Result<bool> {
        self.reached(self.mark(cell))
    }

    /// Blocks until the mark is reached, or until the deadline, like [`wait`].
    fn block(&self, mark: Mark, spin: bool, deadline: Option<Instant>) -> Result<bool>;

    /// Blocks until the mark that `cell` holds now is reached, like [`Backend::block`] without a deadline.
    fn block_for_good(&self, cell: &Cell, spin: bool) -> Result<()> {
        let mark = self.hold(cell);
        let blocked = self.block(mark, spin, None);
        self.unhold(cell, mark);
        blocked.map(drop)
    }

    /// Returns the position of a pending mark, if this process knows the functions in its stream.
    fn dependency(&self, _mark: Mark) -> Option<Dependency> {
        None
    }

    /// Wakes `waiter` once when the mark is reached; a completion must have been promised before. Returns the waiter if
    /// the mark has been reached already.
    fn notify(&self, mark: Mark, waiter: Waiter) -> Result<Option<Waiter>>;

    /// Forgets a thread's wish to be woken.
    fn forget(&self, mark: Mark, parker: &Parker);

    /// The stream's name in traces; for the per-thread stream, the calling thread's.
    fn traced(&self, stream: NativeStream) -> StreamId;

    /// Returns when the mark was reached, on the host's clock, and the greatest error of that time, both in nanoseconds. `None` until the
    /// backend's thread has compared the clocks once. Never waits for the device.
    fn host_time(&self, mark: Mark) -> Result<Option<(i64, u64)>>;

    /// Compares the device's clock with the host's now, if they differ. May wait for the device.
    fn calibrate(&self) -> Result<()> {
        Ok(())
    }

    /// Returns the name in traces of the mark's stream; `None` if unknown.
    fn traced_mark(&self, _: Mark) -> Option<StreamId> {
        None
    }

    /// Returns the nanoseconds from the mark that `start` holds now to that of `end`; `None` if one is not reached.
    fn elapsed(&self, start: &Cell, end: &Cell) -> Result<Option<i64>>;

    /// The backend's way to read many times together, where each alone costs a driver call that could read many.
    fn many_times(&self) -> Option<&dyn ManyTimes> {
        None
    }

    /// Releases the cell's contents after its event was destroyed. Work that has not yet reached the mark continues.
    fn release(&self, cell: &Cell, flags: u32, left: Left);

    /// Returns a cell's native event to share, making it if needed. A never-recorded event gets a never-recorded native
    /// one.
    fn give_native(&self, _cell: &Cell, _flags: u32) -> Result<u64> {
        Err(Error::NoNative)
    }

    /// Puts the caller's native event, which has these creation flags, into an empty cell.
    ///
    /// # Safety
    /// `native` must be the address of a native event of this context that lives until [`Backend::release`].
    unsafe fn wrap_event(&self, _: &Cell, _native: u64, _flags: u32) -> Result<()> {
        Err(Error::NoNative)
    }

    /// Returns the data with which other processes open the event of a cell. Its flags are those of an interprocess
    /// event.
    fn export(&self, cell: &Cell, flags: u32) -> Result<IpcHandle>;

    /// Opens another process's event into an empty cell. On failure it stays empty.
    fn import(&self, cell: &Cell, handle: &IpcHandle) -> Result<()>;

    /// Returns the device's name and identifiers.
    fn identity(&self) -> Identity;

    /// Returns the stream's native object, a CUstream or a VkQueue, and its queue family on Vulkan.
    fn native_stream(&self, _: NativeStream) -> Result<(u64, Option<u32>)> {
        Err(Error::NoNative)
    }

    /// Returns whether this is the native context with that address, and still alive.
    fn is_native(&self, _: u64) -> bool {
        false
    }

    /// Fails if the device is lost. Asks the driver.
    fn check_alive(&self) -> Result<()> {
        Ok(())
    }

    /// Returns why the device no longer answers, if that is known without asking the driver.
    fn lost(&self) -> Option<Status> {
        None
    }

    /// Rejects all further calls, for a context that [ends with its handles](Properties::ends_with_handles); `used` if streams or events
    /// are left.
    fn forbid(&self, _used: bool) {}

    /// Called once, when no handle, stream or event uses the device through this context. For a context that [ends with
    /// its handles](Properties::ends_with_handles), when no handle does. May block until the device has finished gevt's
    /// work. Returns whether the native context [may be reused](Backend::restart).
    fn retire(&self) -> bool {
        false
    }

    /// Reuses a retired native context if it is the wanted one; false if it is not, or is still being retired.
    fn restart(&self, _wanted: Wanted) -> bool {
        false
    }

    /// Returns whether a retired native context is known to have ended since.
    fn is_gone(&self) -> bool {
        true
    }
}

/// A mark of a backend.
pub(crate) struct Pending<'a, B: Backend + ?Sized>(pub(crate) &'a B, pub(crate) Mark);

impl<B: Backend + ?Sized> Awaitable for Pending<'_, B> {
    fn reached(&self) -> Result<bool> {
        self.0.reached(self.1)
    }

    fn notify(&self, waiter: Waiter) -> Result<Option<Waiter>> {
        self.0.notify(self.1, waiter)
    }

    fn forget(&self, parker: &Parker) {
        self.0.forget(self.1, parker);
    }

    fn pause(&self, lasted: Duration) -> Option<Duration> {
        self.0.properties().pause.map(|pause| pause(lasted))
    }
}
