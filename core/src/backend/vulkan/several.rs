//! Waits for several marks of a device as one vkWaitSemaphores.

use super::cell::VulkanMark;
use super::device::Vulkan;
use super::timeline::{SLICE, SPIN, Timeline};
use crate::backend::Mark;
use crate::backend::deadlock::check_all;
use crate::error::Result;
use crate::process;
use crate::workers;
use ash::vk;
use std::time::{Duration, Instant};

/// How long the first sleep is, which shows whether the driver spins.
const FIRST: Duration = Duration::from_millis(5);

/// One value of each timeline.
struct Several {
    timelines: Vec<&'static Timeline>,
    semaphores: Vec<vk::Semaphore>,
    values: Vec<u64>,
    any: bool,
}

impl Several {
    /// The last value of each timeline, or with `any` the first.
    fn new(marks: &[VulkanMark], any: bool) -> Several {
        let mut all: Vec<_> = marks.iter().map(|mark| (mark.timeline, mark.value)).collect();
        let key = |(timeline, value): &(&'static Timeline, u64)| {
            (std::ptr::from_ref(*timeline), if any { *value } else { u64::MAX - value })
        };
        all.sort_unstable_by_key(key);
        all.dedup_by_key(|(timeline, _)| std::ptr::from_ref(*timeline));
        let (timelines, values): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        Several { semaphores: timelines.iter().map(|timeline| timeline.semaphore).collect(), timelines, values, any }
    }

    fn is_done(&self) -> Result<bool> {
        for (timeline, value) in self.timelines.iter().zip(&self.values) {
            if timeline.reached(*value)? == self.any {
                return Ok(self.any);
            }
        }
        Ok(!self.any)
    }
}

impl Vulkan {
    /// Blocks until the marks are all reached, or with `any` one of them, or until the deadline; returns whether that came true. `None` if
    /// the driver spins in such a wait.
    pub(super) fn block_several(
        &self,
        marks: &mut dyn Iterator<Item = Mark>,
        any: bool,
        spin: bool,
        deadline: Option<Instant>,
    ) -> Option<Result<bool>> {
        if any && self.spins() {
            return None;
        }
        let start = Instant::now();
        let mut block = || {
            let marks: Vec<_> = marks.filter_map(VulkanMark::of).collect();
            // A wait for any was checked by the caller.
            let awaited = marks.iter().filter(|_| !any).map(|mark| mark.dependency());
            check_all(awaited, deadline)?;
            let several = Several::new(&marks, any);
            workers::asleep(|| self.block_until(&several, spin, start, deadline))
        };
        block().transpose()
    }

    fn block_until(
        &self,
        several: &Several,
        spin: bool,
        start: Instant,
        deadline: Option<Instant>,
    ) -> Result<Option<bool>> {
        let mut slice = FIRST;
        loop {
            if several.is_done()? {
                return Ok(Some(true));
            }
            process::check()?;
            let now = Instant::now();
            let left = deadline.map_or(slice, |deadline| deadline.saturating_duration_since(now).min(slice));
            if left.is_zero() {
                return Ok(Some(false));
            }
            if several.any && self.spins() {
                return Ok(None);
            }
            if spin && now - start < SPIN {
                std::hint::spin_loop();
                continue;
            }
            let _call = self.enter()?;
            self.sleep_until(&several.semaphores, &several.values, several.any, left)?;
            slice = SLICE;
        }
    }
}
