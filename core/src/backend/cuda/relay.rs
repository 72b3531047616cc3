//! Waits for an interprocess event by a stream of another device.
//!
//! The driver crashes if a stream waits for another device's event that was imported there or exported. So a stream on
//! the event's device waits for it and then records one of gevt's events, which any device's stream may wait for. Each wait has
//! its own stream, so waits do not delay each other.

use super::context::Cuda;
use super::pool;
use crate::backend::NativeStream;
use crate::error::Result;
use cuda_abi::EVENT_DISABLE_TIMING;
use cudarc::driver::sys::{CUevent, CUstream};

impl Cuda {
    /// Records one of gevt's events after `foreign`, an event of this context, and passes it to `wait`, which makes a stream wait for it.
    pub(super) fn relay(&'static self, foreign: CUevent, wait: impl FnOnce(CUevent) -> Result<()>) -> Result<()> {
        self.driver.relaxed(|| {
            let event = self.pool.take(self, EVENT_DISABLE_TIMING)?;
            let waits = self.make_stream(true).and_then(|stream| {
                let waits = self.record_after(foreign, event, stream).and_then(|()| wait(event as CUevent));
                // The driver ends it when its work is done.
                pool::destroy_stream(self, stream.0);
                waits
            });
            self.pool.put(self, EVENT_DISABLE_TIMING, event);
            waits
        })
    }

    fn record_after(&self, foreign: CUevent, event: u64, stream: NativeStream) -> Result<()> {
        let stream = stream.0 as CUstream;
        // SAFETY: the stream and the event are this relay's own, the foreign event lives by the trait's contract; `call` has found their
        // context alive.
        self.call(|| unsafe { (self.driver.stream_wait)(stream, foreign, 0) })?;
        // SAFETY: as above.
        self.call(|| unsafe { (self.driver.event_record)(event as CUevent, stream) })
    }
}
