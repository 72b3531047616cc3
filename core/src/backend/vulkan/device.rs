//! A device with its queues, streams and timestamps.

use super::clock::Clock;
use super::native::{NativeDevice, part};
use super::queue::Queue;
use super::stream::VulkanStream;
use super::times::Times;
use crate::backend::identity::Identity;
use crate::error::Result;
use crate::lock::Mutex;
use once_cell::sync::OnceCell;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

/// How many free streams are looked at before a new one is made.
const TRIED: usize = 16;

/// A device, opened or wrapped.
///
/// It owns its queues, its streams and its places for timestamps. They name each other by references that are valid as long as the device is
/// in use, that is, while an `Arc` of it exists. The context has one. Tasks, and threads with their own streams, use parts of the device longer
/// than the context's objects do, so they have one too. Timelines, and the native device that they call, may outlive it.
pub(super) struct Vulkan {
    pub(super) native: Arc<NativeDevice>,
    pub(super) identity: Identity,
    /// In the order in which they became known.
    pub(super) queues: Mutex<Vec<Arc<Queue>>>,
    /// Queues that the program has wrapped again in another way.
    pub(super) old_queues: Mutex<Vec<Arc<Queue>>>,
    /// The default stream, made at its first use.
    pub(super) default: OnceCell<&'static VulkanStream>,
    /// Counts gevt's streams, which are assigned to the queues round-robin.
    pub(super) turn: AtomicUsize,
    /// All streams that were ever made.
    pub(super) streams: Mutex<Vec<Arc<VulkanStream>>>,
    pub(super) times: Arc<Times>,
    pub(super) clock: Clock,
}

impl Deref for Vulkan {
    type Target = NativeDevice;

    fn deref(&self) -> &NativeDevice {
        &self.native
    }
}

impl Vulkan {
    pub(super) fn new(native: NativeDevice, identity: Identity) -> Arc<Vulkan> {
        let native = Arc::new(native);
        Arc::new(Vulkan {
            identity,
            queues: Mutex::default(),
            old_queues: Mutex::default(),
            default: OnceCell::new(),
            turn: AtomicUsize::new(0),
            streams: Mutex::default(),
            times: Arc::new(Times::new(native.clone())),
            clock: Clock::default(),
            native,
        })
    }

    /// A stream on the queue, used before or new.
    pub(super) fn stream_on(
        self: &Arc<Vulkan>,
        queue: &'static Queue,
        collects: bool,
        exportable: bool,
    ) -> Result<&'static VulkanStream> {
        let streams = self.streams.lock();
        let mut free = streams.iter().filter(|stream| stream.is_free()).take(TRIED);
        let reused = free.find(|stream| stream.take(exportable)).map(part);
        drop(streams);
        let make = || {
            let owner = Arc::downgrade(self);
            let stream = Arc::new(VulkanStream::make(self.native.clone(), self.times.clone(), owner, exportable)?);
            let made = part(&stream);
            self.streams.lock().push(stream);
            Ok(made)
        };
        let stream = reused.map_or_else(make, Ok)?;
        stream.begin_use(queue, collects);
        Ok(stream)
    }

    /// All streams that were ever made.
    pub(super) fn all_streams(&self) -> Vec<&'static VulkanStream> {
        self.streams.lock().iter().map(part).collect()
    }
}
