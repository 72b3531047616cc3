//! A stream: a queue with a timeline of its own. Streams are reused and never freed, and a timeline never goes back, so that a
//! value of it stays meaningful as long as the process lives.

use super::device::Vulkan;
use super::queue::Queue;
use super::timeline::{Timeline, Wait};
use crate::backend::NativeStream;
use crate::error::Result;
use ash::vk;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

pub(super) struct VulkanStream {
    pub(super) timeline: Timeline,
    queue: AtomicPtr<Queue>,
    /// The last value that was given out.
    given: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Waits that the next submit makes.
    waits: Vec<Wait>,
}

impl VulkanStream {
    /// A stream on the queue, used before or new.
    pub(super) fn open(queue: &'static Queue) -> Result<&'static VulkanStream> {
        let device: &'static Vulkan = queue.device;
        let mut free = device.free.lock();
        let idle = |stream: &&'static VulkanStream| stream.timeline.is_known(stream.given());
        let reused = free.iter().position(idle).map(|at| free.swap_remove(at));
        drop(free);
        let stream = match reused {
            Some(stream) => stream,
            None => Box::leak(Box::new(VulkanStream {
                timeline: Timeline::create(device)?,
                queue: AtomicPtr::default(),
                given: AtomicU64::new(0),
                state: Mutex::default(),
            })),
        };
        stream.queue.store(std::ptr::from_ref(queue).cast_mut(), Ordering::Release);
        Ok(stream)
    }

    /// Ends the stream's service. Its work goes on.
    pub(super) fn close(&'static self) {
        self.timeline.device.free.lock().push(self);
    }

    pub(super) fn token(&'static self) -> NativeStream {
        NativeStream(std::ptr::from_ref(self) as u64)
    }

    /// The stream of a token.
    pub(super) fn of(token: NativeStream) -> &'static VulkanStream {
        // SAFETY: tokens come from `token` alone, and streams are never freed.
        unsafe { &*(token.0 as *const VulkanStream) }
    }

    pub(super) fn queue(&self) -> &'static Queue {
        // SAFETY: `open` alone sets the pointer, to a queue whose memory lives as long as the process.
        unsafe { &*self.queue.load(Ordering::Acquire) }
    }

    /// The last value that was given out.
    pub(super) fn given(&self) -> u64 {
        self.given.load(Ordering::Acquire)
    }

    /// Submits a command buffer or nothing, which is done at the next value; `take` is told it while the queue is locked.
    pub(super) fn submit(
        &'static self,
        wait: Option<Wait>,
        command: Option<vk::CommandBuffer>,
        taken: impl FnOnce(u64),
    ) -> Result<()> {
        let _call = self.timeline.device.enter()?;
        let locked = self.queue().lock()?;
        let mut state = self.state.lock();
        let value = self.given() + 1;
        let collected = state.waits.len();
        state.waits.extend(wait);
        if let Err(error) = locked.submit(&state.waits, command, self.timeline.at(value)) {
            state.waits.truncate(collected);
            return Err(error);
        }
        state.waits.clear();
        self.given.store(value, Ordering::Release);
        taken(value);
        Ok(())
    }
}
