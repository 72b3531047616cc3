//! The Vulkan backend: queues with timeline semaphores, of devices of the program's or of gevt's own.

#![expect(dead_code, reason = "the backend grows in several steps")]

mod calls;
mod cell;
mod device;
mod functions;
mod loader;
mod open;
pub mod program;
mod queue;
mod stream;
mod timeline;

use super::{Backend, BackendKind, Cell, HostFn, IpcHandle, Mark, NativeStream, Provider, RecordMode, Recorded};
use crate::error::{Error, Result};
use crate::status::Status;
use crate::trace::{Place, StreamId};
use crate::workers::{Parker, Waiter};
use cell::{VulkanCell, VulkanMark, mark_of};
use device::Vulkan;
use queue::Queue;
use std::time::Instant;
use stream::VulkanStream;

/// GEVT_BACKEND_VULKAN.
const VULKAN: BackendKind = BackendKind(3);

const NO_NATIVE: Error = Error::Unsupported("Vulkan events have no native object; gevt_vulkan_point gives their point");
const NO_IPC: Error = Error::Unsupported("Vulkan events cannot be shared between processes");

/// Vulkan's devices.
pub(crate) struct VulkanProvider;

impl Provider for VulkanProvider {
    fn kind(&self) -> BackendKind {
        VULKAN
    }

    fn name(&self) -> &'static str {
        "vulkan"
    }

    fn title(&self) -> &'static str {
        "Vulkan"
    }

    fn device_count(&self) -> Result<i32> {
        loader::get()?.devices().map(|devices| devices.len() as i32)
    }

    fn open(&self, device: i32) -> Result<Box<dyn Backend>> {
        Ok(Box::new(open::open(device)?))
    }

    fn adopt(&self, _: u64) -> Result<Box<dyn Backend>> {
        Err(Error::Unsupported("a VkDevice is adopted by gevt_vulkan_adopt_device"))
    }
}

impl Vulkan {
    /// The queue for a new stream of gevt's own: the next one in turn.
    fn next_queue(&self) -> Result<&'static Queue> {
        let queues = self.queues.lock();
        queues.first().copied().ok_or(Error::Unsupported("the device has no queue: adopt one first"))
    }
}

impl Backend for &'static Vulkan {
    fn kind(&self) -> BackendKind {
        VULKAN
    }

    fn device(&self) -> i32 {
        self.number
    }

    fn create_stream(&self, _: bool) -> Result<NativeStream> {
        VulkanStream::open(self.next_queue()?).map(VulkanStream::token)
    }

    fn adopt_stream(&self, native: u64) -> Result<NativeStream> {
        match native {
            0 | 1 => self.default_stream(),
            _ => Err(Error::Unsupported("a VkQueue is adopted by gevt_vulkan_adopt_queue")),
        }
    }

    fn default_stream(&self) -> Result<NativeStream> {
        let make = || VulkanStream::open(self.next_queue()?);
        self.default.get_or_try_init(make).map(|stream| stream.token())
    }

    fn destroy_stream(&self, stream: NativeStream) {
        VulkanStream::of(stream).close();
    }

    fn query_stream(&self, stream: NativeStream) -> Result<bool> {
        let stream = VulkanStream::of(stream);
        stream.timeline.reached(stream.given())
    }

    fn sync_stream(&self, stream: NativeStream, deadline: Option<Instant>) -> Result<bool> {
        let stream = VulkanStream::of(stream);
        stream.timeline.block(stream.given(), true, deadline)
    }

    fn sync(&self, _deadline: Option<Instant>) -> Result<bool> {
        Err(Error::Unsupported("not yet"))
    }

    fn launch(&self, _: NativeStream, _: HostFn) -> Result<()> {
        Err(Error::Unsupported("not yet"))
    }

    fn wait(&self, stream: NativeStream, mark: Mark, _: bool) -> Result<()> {
        match VulkanMark::of(mark) {
            None => Ok(()),
            Some(mark) => VulkanStream::of(stream).submit(Some(mark.timeline.at(mark.value)), None, |_| {}),
        }
    }

    fn check_external(&self, _: NativeStream) -> Result<()> {
        Err(Error::NotCapturing)
    }

    fn record(&self, stream: NativeStream, cell: &'static Cell, mode: RecordMode) -> Result<Recorded> {
        if mode.interprocess {
            return Err(NO_IPC);
        }
        let stream = VulkanStream::of(stream);
        let cell = VulkanCell::of(cell);
        stream.submit(None, None, |value| cell.set(&mut cell.lock(), mark_of(&stream.timeline, value, 0)))?;
        Ok(Recorded::Pending)
    }

    #[inline]
    fn mark(&self, cell: &Cell) -> Mark {
        VulkanCell::of(cell).mark()
    }

    fn hold(&self, cell: &Cell) -> Mark {
        self.mark(cell)
    }

    fn unhold(&self, _: &Cell, _: Mark) {}

    #[inline]
    fn reached(&self, mark: Mark) -> Result<bool> {
        VulkanMark::of(mark).map_or(Ok(true), |mark| mark.timeline.reached(mark.value))
    }

    fn block(&self, mark: Mark, spin: bool, deadline: Option<Instant>) -> Result<bool> {
        VulkanMark::of(mark).map_or(Ok(true), |mark| mark.timeline.block(mark.value, spin, deadline))
    }

    fn notify(&self, _: Mark, _: Waiter) -> Result<Option<Waiter>> {
        Err(Error::Unsupported("not yet"))
    }

    fn forget(&self, _: Mark, _: &Parker) {}

    fn traced(&self, stream: NativeStream) -> StreamId {
        let place = Place::Vulkan { device: self.number, context: std::ptr::from_ref::<Vulkan>(self) as u64 };
        let is_default = self.default.get().is_some_and(|default| default.token() == stream);
        StreamId { place, native: stream.0, is_default }
    }

    fn time(&self, _: Mark) -> Option<i64> {
        None
    }

    fn elapsed(&self, _: &Cell, _: &Cell) -> Result<Option<i64>> {
        Err(Error::NoTime)
    }

    fn release(&self, cell: &Cell, _: u32, _: bool) {
        let cell = VulkanCell::of(cell);
        cell.set(&mut cell.lock(), Mark::default());
    }

    fn give_native(&self, _: &Cell, _: u32) -> Result<u64> {
        Err(NO_NATIVE)
    }

    fn adopt_event(&self, _: &Cell, _: u64, _: u32) -> Result<()> {
        Err(Error::Unsupported("Vulkan has no events to adopt; gevt_vulkan_adopt_point takes a timeline semaphore"))
    }

    fn export(&self, _: &Cell, _: u32) -> Result<IpcHandle> {
        Err(NO_IPC)
    }

    fn import(&self, _: &Cell, _: &IpcHandle) -> Result<()> {
        Err(NO_IPC)
    }

    fn check_alive(&self) -> Result<()> {
        self.check_lost()
    }

    fn take_loss(&self) -> Option<Status> {
        Vulkan::take_loss(self)
    }

    fn lost(&self) -> Option<Status> {
        Vulkan::lost(self)
    }
}
