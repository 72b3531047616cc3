//! The waits and the signal of a program's submit, as it passes them to Vulkan.

use super::timeline::{Awaited, Timeline};
use crate::error::{Error, Result};
use ash::vk;

/// An open batch's additions to the program's submit, which stay valid until the batch ends: lists of its waits, and behind them its signal.
pub struct Batch {
    /// VkSemaphoreSubmitInfo structures for vkQueueSubmit2.
    pub infos: *const vk::SemaphoreSubmitInfo<'static>,
    /// The same for vkQueueSubmit: VkSemaphore handles.
    pub semaphores: *const vk::Semaphore,
    /// Their values.
    pub values: *const u64,
    /// Their VkPipelineStageFlags masks.
    pub stages: *const vk::PipelineStageFlags,
    /// The number of waits.
    pub wait_count: u32,
    /// Names the batch.
    pub ticket: u64,
}

/// The waits of a submit, and behind them its signal.
#[derive(Default)]
pub(super) struct SubmitLists {
    /// For vkQueueSubmit2.
    infos: Vec<vk::SemaphoreSubmitInfo<'static>>,
    /// For vkQueueSubmit.
    semaphores: Vec<vk::Semaphore>,
    values: Vec<u64>,
    stages: Vec<vk::PipelineStageFlags>,
}

impl SubmitLists {
    /// Replaces the waits, and the signal of the stream's timeline. With `gated`, the submit also waits for the value before its own.
    pub(super) fn fill(&mut self, waits: &[Awaited], stream: &Timeline, value: u64, gated: bool) -> Result<()> {
        let SubmitLists { infos, semaphores, values, stages } = self;
        if let ([info], [known], [], false) = (&mut infos[..], &mut values[..], waits, gated) {
            // A submit without waits follows another: the signal's semaphore is always the stream's.
            (info.value, *known) = (value, value);
            return Ok(());
        }
        infos.clear();
        semaphores.clear();
        values.clear();
        stages.clear();
        let waits = waits.iter().map(|wait| (wait.timeline.semaphore, wait.value, wait.stages));
        let own = |value| (stream.semaphore, value, vk::PipelineStageFlags2::ALL_COMMANDS);
        let gate = gated.then(|| own(value - 1));
        for (semaphore, value, stage) in waits.chain(gate).chain([own(value)]) {
            let reserved = infos.try_reserve(1).and_then(|()| semaphores.try_reserve(1));
            let reserved = reserved.and_then(|()| values.try_reserve(1)).and_then(|()| stages.try_reserve(1));
            reserved.map_err(|_| Error::OutOfMemory)?;
            let info = vk::SemaphoreSubmitInfo::default().semaphore(semaphore).value(value);
            infos.push(info.stage_mask(stage));
            semaphores.push(semaphore);
            values.push(value);
            let narrow = u32::try_from(stage.as_raw()).map(vk::PipelineStageFlags::from_raw);
            stages.push(narrow.unwrap_or(vk::PipelineStageFlags::ALL_COMMANDS));
        }
        Ok(())
    }

    /// The lists as the program reads them.
    pub(super) fn batch(&self, ticket: u64) -> Batch {
        let SubmitLists { infos, semaphores, values, stages } = self;
        Batch {
            infos: infos.as_ptr(),
            semaphores: semaphores.as_ptr(),
            values: values.as_ptr(),
            stages: stages.as_ptr(),
            wait_count: infos.len() as u32 - 1,
            ticket,
        }
    }
}
