//! The most work items that a stream queues before calls block: GEVT_HOSTCUDA_QUEUE. A GPU's stream queues about a thousand. If a queued
//! item then waits for the host's next call, the program deadlocks.

use crate::code::Result;
use crate::report::report;
use gevt_core::host_events::RawStream;
use std::sync::OnceLock;

/// Returns the most work items that a stream queues; `None` means unlimited.
fn most() -> Option<u64> {
    static MOST: OnceLock<Option<u64>> = OnceLock::new();
    *MOST.get_or_init(|| {
        let value = std::env::var_os("GEVT_HOSTCUDA_QUEUE")?;
        let value = value.to_string_lossy();
        let most = parse(&value);
        if most.is_none() {
            report(format_args!("GEVT_HOSTCUDA_QUEUE={value}: not a number from 1 up; streams take any number"));
        }
        most
    })
}

fn parse(value: &str) -> Option<u64> {
    value.parse().ok().filter(|most| *most > 0)
}

/// Blocks until the stream has room for one more work item.
#[inline]
pub(crate) fn make(stream: RawStream) -> Result {
    match most() {
        None => Ok(()),
        Some(most) => Ok(stream.block_until_at_most(most - 1)?),
    }
}

#[cfg(test)]
#[path = "room_tests.rs"]
mod tests;
