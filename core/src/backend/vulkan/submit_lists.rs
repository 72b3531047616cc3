//! The waits and the signal of a program's submit, as it passes them to Vulkan.

use super::submit::Batch;
use super::timeline::{Awaited, Wait};
use crate::error::{Error, Result};
use ash::vk;

/// What an open batch has for its submit, in memory that is used again for each batch of a stream.
#[derive(Default)]
pub(super) struct Told {
    /// The waits that the stream had collected.
    pub(super) collected: Vec<Awaited>,
    pub(super) lists: SubmitLists,
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
    /// Replaces the waits and the signal.
    pub(super) fn fill(&mut self, waits: &[Awaited], gate: Option<Wait>, signal: Wait) -> Result<()> {
        let SubmitLists { infos, semaphores, values, stages } = self;
        if let ([info], [value], [], None) = (&mut infos[..], &mut values[..], waits, gate) {
            // A submit without waits follows another: the signal's semaphore is always the stream's.
            (info.value, *value) = (signal.value, signal.value);
            return Ok(());
        }
        infos.clear();
        semaphores.clear();
        values.clear();
        stages.clear();
        let waits = waits.iter().map(|wait| (wait.timeline.at(wait.value), wait.stages));
        let others = gate.into_iter().chain([signal]).map(|wait| (wait, vk::PipelineStageFlags2::ALL_COMMANDS));
        for (Wait { semaphore, value }, stage) in waits.chain(others) {
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
        let waits = self.infos.len() - 1;
        let (semaphores, values) = (self.semaphores.as_ptr(), self.values.as_ptr());
        Batch {
            waits: self.infos.as_ptr().cast(),
            wait_count: waits as u32,
            signal: self.infos.as_ptr().wrapping_add(waits).cast(),
            wait_semaphores: semaphores.cast(),
            wait_values: values,
            wait_stages: self.stages.as_ptr().cast(),
            signal_semaphore: semaphores.wrapping_add(waits).cast(),
            signal_value: values.wrapping_add(waits),
            ticket,
        }
    }
}
