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

use crate::point::{Awaitable, Opener, Pauses};
pub(crate) use cell::{Cell, Mark};
use deadlock::Dependency;
#[cfg(not(loom))]
pub(crate) use host_fn::give_closure;
pub use host_fn::{HostFn, ItemFn};
pub use identity::{Identity, PciAddress};
pub(crate) use recorded::Recorded;

use crate::error::{Error, Result};
use crate::flags::EventFlags;
use crate::probe::StreamId;
use crate::status::Status;
use crate::table::Life;
use crate::workers::{Parker, Waiter};
use std::time::Instant;

/// The backends, in the order of automatic selection: the first that has a device. The host always has one, so backends
/// after it are used only by name.
#[cfg(not(loom))]
pub(crate) static PROVIDERS: [Provider; 3] = [cuda::PROVIDER, host::PROVIDER, vulkan::PROVIDER];

/// A backend, by its number, which is part of the ABI.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BackendKind(pub u32);

impl BackendKind {
    /// The backend that the environment variable GEVT_BACKEND names. Otherwise CUDA if it has a driver and a device,
    /// else the host.
    pub const AUTO: BackendKind = BackendKind(0);
    /// The host's own threads.
    pub const HOST: BackendKind = BackendKind(1);
    /// NVIDIA's GPUs.
    pub const CUDA: BackendKind = BackendKind(2);
    /// Devices of Vulkan.
    pub const VULKAN: BackendKind = BackendKind(3);
}

/// A backend before any of its devices is used.
#[cfg(not(loom))]
pub(crate) struct Provider {
    pub(crate) kind: BackendKind,
    /// Its name in GEVT_BACKEND.
    pub(crate) name: &'static str,
    /// Its name in messages.
    pub(crate) title: &'static str,
    /// Returns the number of devices, or an error that says why none can be used.
    pub(crate) device_count: fn() -> Result<i32>,
    /// Opens a device. A native context that is in use already is used once more, until each use has been [retired](Backend::retire).
    pub(crate) open: fn(i32) -> Result<Box<dyn Backend>>,
    /// Logs settings of the environment that cannot be followed. The calling thread holds no lock.
    pub(crate) check_settings: fn(),
    /// Makes a separate context on a device, not ordered against the device's other contexts.
    pub(crate) create: fn(i32) -> Result<Box<dyn Backend>>,
    /// Borrows a native context that the caller owns, by its address: that of a live one, which must not end during a call that uses it.
    pub(crate) wrap: unsafe fn(u64) -> Result<Box<dyn Backend>>,
    /// Returns the native context that is current on the calling thread, if there is one.
    pub(crate) current: fn() -> Result<Option<u64>>,
}

#[cfg(not(loom))]
impl Provider {
    /// One that only opens its devices.
    const fn new(
        kind: BackendKind,
        (name, title): (&'static str, &'static str),
        device_count: fn() -> Result<i32>,
        open: fn(i32) -> Result<Box<dyn Backend>>,
    ) -> Provider {
        let (check_settings, current) = (|| (), || Ok(None));
        let (create, wrap) = (|_| Err(Error::NoNative), |_| Err(Error::NoNative));
        Provider { kind, name, title, device_count, open, check_settings, create, wrap, current }
    }
}

/// A backend's name for a stream, which only that backend reads. Zero means none.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct NativeStream(pub(crate) u64);

impl NativeStream {
    /// The stream of each context that orders against all blocking ones, as CUDA numbers it.
    pub(crate) const DEFAULT: NativeStream = NativeStream(1);
    /// The calling thread's own stream of each context.
    pub(crate) const PER_THREAD: NativeStream = NativeStream(2);
}

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
    pub(crate) fn lasts(&self) -> bool {
        self.life.is_none_or(Life::lasts)
    }
}

/// An event of a call.
#[derive(Clone, Copy)]
pub(crate) struct EventRef<'a> {
    pub(crate) cell: &'static Cell,
    /// The event's life, if the call does not pin it. By the time that the cell is used it may be another event's: what the call finds there
    /// counts only if the life lasts.
    pub(crate) life: Option<Life<'a>>,
}

impl EventRef<'_> {
    /// A pinned event.
    pub(crate) fn pinned(cell: &'static Cell) -> EventRef<'static> {
        EventRef { cell, life: None }
    }

    /// Returns whether the event is alive.
    #[inline]
    pub(crate) fn lasts(self) -> bool {
        self.life.is_none_or(Life::lasts)
    }
}

/// The failure of a call that does without pins, and would need them: it had no effect. Any other failure of such a call means the same, but for
/// that of a [wait](Backend::wait).
pub(crate) const UNPINNED: Error = Error::Internal;

/// A record, as a call names it.
#[derive(Clone, Copy)]
pub(crate) enum RecordRef<'a> {
    /// The last one of an event of the context.
    Last(EventRef<'a>),
    /// A held one of any device of the backend.
    Held(Mark),
}

/// How a stream waits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitMode {
    /// All later work waits.
    Plain,
    /// The wait becomes a node of the graph that is being captured.
    External,
    /// Only these VkPipelineStageFlags2 of the next batch wait.
    Stages(u64),
}

/// Properties of a backend's context that never change.
pub(crate) struct Properties {
    pub(crate) kind: BackendKind,
    /// The device's number.
    pub(crate) device: i32,
    /// The device's name and identifiers.
    pub(crate) identity: Identity,
    /// The context's native object: a CUcontext, or a VkDevice.
    pub(crate) native: Option<u64>,
    /// The native context may end before the process: its uses are counted. Otherwise its streams are never freed and never captured. Calls
    /// then need not pin a stream, and streams need not wait for completed marks. A trace then has the time of each mark.
    pub(crate) can_end: bool,
    /// The native context is its owner's again when the last handle has been closed, although streams and events are left.
    pub(crate) ends_with_handles: bool,
    /// What a [pin](crate::pin) names that keeps the device from ending: with it the backend makes frequent calls without other pins. 0 for a
    /// backend that is never freed, which makes them without any.
    pub(crate) pinned_as: u64,
    /// A thread that waits for an event spins first, unless the event is BLOCKING_SYNC.
    pub(crate) spins: bool,
}

impl Properties {
    pub(crate) fn new(kind: BackendKind, device: i32, identity: Identity) -> Properties {
        Properties {
            kind,
            device,
            identity,
            native: None,
            can_end: true,
            ends_with_handles: false,
            pinned_as: 0,
            spins: true,
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

/// An event that gevt has not made.
#[derive(Clone, Copy)]
pub(crate) enum Foreign<'a> {
    /// The caller's native event, with its creation flags.
    Native(u64, EventFlags),
    /// Another process's event.
    Ipc(&'a IpcHandle),
}

/// One device of one backend, as the state machine sees it: the contract that all backends meet.
///
/// Every method may be called from any thread. This backend made or wrapped each stream that is passed in, and set each mark. The caller pins
/// streams and events during the call, but for a [`StreamRef`] and an [`EventRef`] that have a life. A call that fails with such an event has
/// had no effect: the caller pins the objects and makes it again. No method blocks unless its comment says so, and none changes the
/// calling thread's current context.
pub(crate) trait Backend: Send + Sync + std::any::Any {
    /// Returns the properties that never change.
    fn properties(&self) -> Properties;

    /// Makes a stream; one that is not `non_blocking` is ordered against the default stream.
    fn create_stream(&self, non_blocking: bool) -> Result<NativeStream>;

    /// Borrows a stream that the caller owns. 0 means [`NativeStream::DEFAULT`].
    ///
    /// # Safety
    /// `native` must be 0, 1, 2 or the address of a native stream that lives until it is no longer used.
    unsafe fn wrap_stream(&self, native: u64) -> Result<NativeStream>;

    /// Gives a stream of [`Backend::create_stream`] back. Its work still runs to the end. Called when the stream has lost its handle, while calls
    /// that are in progress may use it, and again when it is `unused`.
    fn destroy_stream(&self, stream: NativeStream, unused: bool);

    /// Returns whether the stream has finished all submitted work.
    fn query_stream(&self, stream: NativeStream) -> Result<bool>;

    /// Blocks until the stream, or without one every stream of the device, has finished all work submitted before the call, or until the
    /// deadline; returns whether it has.
    fn sync(&self, stream: Option<NativeStream>, deadline: Option<Instant>) -> Result<bool>;

    /// Runs a function in the stream's order, on a thread of the backend's.
    fn launch(&self, stream: &StreamRef<'_>, function: HostFn) -> Result<()>;

    /// Makes later work in the stream wait for a record, which is held unless nothing is pinned.
    fn wait(&self, stream: &StreamRef<'_>, record: RecordRef<'_>, mode: WaitMode) -> Result<()>;

    /// Makes later work in the stream wait until the opener opens, or is dropped, for a mark of another backend that is
    /// held till then. If it opens with a failure, what the stream is given fails, until a sync of the stream or of the context has
    /// returned the failure.
    fn gate(&self, stream: NativeStream) -> Result<Opener>;

    /// Rejects an EXTERNAL record or wait on a stream that is not being captured, before anything is changed for it.
    fn check_external(&self, _stream: NativeStream) -> Result<()> {
        Err(Error::NotCapturing)
    }

    /// Replaces the event's mark with the stream's current end, or if `external` makes a node of the graph that is being captured. `flags` are
    /// those of the event's creation. On failure the old mark stays.
    fn record(
        &self,
        stream: &StreamRef<'_>,
        event: EventRef<'_>,
        flags: EventFlags,
        external: bool,
    ) -> Result<Recorded>;

    /// Returns the mark that `cell` has now, and holds it: it stays valid when the cell is marked again.
    fn hold(&self, cell: &Cell) -> Mark;

    /// Ends what [`Backend::hold`] began.
    fn unhold(&self, cell: &Cell, mark: Mark);

    /// Returns whether the stream has reached the record; true for an event that was never recorded.
    fn reached(&self, record: RecordRef<'_>) -> Result<bool>;

    /// Blocks until the record is reached, or until the deadline, like [`wait`](crate::point::wait). The last one of an event is the last
    /// one now.
    fn block(&self, record: RecordRef<'_>, spin: bool, deadline: Option<Instant>) -> Result<bool>;

    /// Returns the position of a pending mark, if this process knows the functions in its stream.
    fn dependency(&self, _mark: Mark) -> Option<Dependency> {
        None
    }

    /// Wakes `waiter` once when the mark is reached; a completion must have been promised before. Returns the waiter if
    /// the mark has been reached already.
    fn notify(&self, mark: Mark, waiter: Waiter) -> Result<Option<Waiter>>;

    /// Returns the pauses between the looks of a thread that waits for the mark, if only looks show that it is reached.
    fn pauses(&self, _mark: Mark) -> Option<Pauses> {
        None
    }

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

    /// Returns the nanoseconds from the mark that `start` has now to that of `end`; `None` if one is not reached. The caller asks for up to
    /// `ahead` times of later records next: a backend whose times cost a driver call may read these as well.
    fn elapsed(&self, start: EventRef<'_>, end: EventRef<'_>, ahead: usize) -> Result<Option<i64>>;

    /// Releases the cell's contents after its event was destroyed. Work that has not yet reached the mark continues.
    fn release(&self, cell: &Cell, flags: EventFlags, left: Left);

    /// Returns a cell's native event to share, making it if needed. A never-recorded event gets a never-recorded native
    /// one.
    fn give_native(&self, _cell: &Cell, _flags: EventFlags) -> Result<u64> {
        Err(Error::NoNative)
    }

    /// Puts an event that gevt has not made into an empty cell. On failure it stays empty.
    ///
    /// # Safety
    /// A native event must be the address of one of this context that lives until [`Backend::release`].
    unsafe fn fill(&self, cell: &Cell, event: Foreign<'_>) -> Result<()>;

    /// Returns the data with which other processes open the event of a cell. Its flags are those of an interprocess
    /// event.
    fn export(&self, cell: &Cell, flags: EventFlags) -> Result<IpcHandle>;

    /// Returns the stream's native object, a CUstream or a VkQueue, and its queue family on Vulkan.
    fn native_stream(&self, _: NativeStream) -> Result<(u64, Option<u32>)> {
        Err(Error::NoNative)
    }

    /// Returns why the device no longer answers. Asks the driver only if `ask`.
    fn lost(&self, _ask: bool) -> Option<Status> {
        None
    }

    /// Called once, when no handle, stream or event uses the device through this context. For a context that [ends with
    /// its handles](Properties::ends_with_handles), when no handle does; `used` if streams or events are left, whose calls are refused from
    /// then on. May block until the device has finished gevt's work.
    fn retire(&self, _used: bool) {}
}

/// A mark of a backend.
pub(crate) struct Pending<'a, B: Backend + ?Sized>(pub(crate) &'a B, pub(crate) Mark);

impl<B: Backend + ?Sized> Awaitable for Pending<'_, B> {
    fn reached(&self) -> Result<bool> {
        self.0.reached(RecordRef::Held(self.1))
    }

    fn notify(&self, waiter: Waiter) -> Result<Option<Waiter>> {
        self.0.notify(self.1, waiter)
    }

    fn forget(&self, parker: &Parker) {
        self.0.forget(self.1, parker);
    }

    fn pauses(&self) -> Option<Pauses> {
        self.0.pauses(self.1)
    }
}
