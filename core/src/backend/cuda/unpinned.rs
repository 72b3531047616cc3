//! The frequent calls, for objects that have no `Guard`. They require that no wait holds the native event, that only gevt knows it, and that the
//! stream is an ordinary one or the default stream of the current context. Each call asks whether the context is alive.

use super::cell::CudaCell;
use super::context::Cuda;
use super::marks::pin;
use super::native::{NativeContext, needs_current, raw};
use crate::backend::{Cell, EventRef, NativeStream, Recorded, StreamRef, UNPINNED};
use crate::error::Result;
use crate::table::Life;
use cudarc::driver::sys::CUevent;

impl Cuda {
    /// Returns whether the driver attributes the stream to this context, which is alive. The default stream belongs to
    /// the current context.
    #[inline]
    fn has_stream(&self, stream: NativeStream) -> bool {
        let is_current = || NativeContext::current(self.driver) == Ok(self.address());
        !needs_current(stream) || (stream == NativeStream::DEFAULT && is_current())
    }

    #[inline]
    pub(super) fn record_unpinned(&self, stream: &StreamRef<'_>, cell: &Cell, event: Life<'_>) -> Result<Recorded> {
        let cell = CudaCell::of(cell);
        let native = cell.unheld_native();
        let pin = if self.stream_gates.are_none() { pin([native, stream.native.0], event, stream.life) } else { None };
        let is_recorded = pin.is_some()
            && self.check_alive().is_ok()
            && self.has_stream(stream.native)
            && !(stream.capturable && self.is_capturing(stream.native) != Ok(false))
            // SAFETY: the stream and the event are protected.
            && unsafe { (self.driver.event_record)(native as CUevent, raw(stream.native)) } == 0
            // If the event has another native event by now, that one has to be recorded.
            && cell.native() == native;
        if is_recorded { Ok(Recorded::Pending) } else { Err(UNPINNED) }
    }

    #[inline]
    pub(super) fn wait_unpinned(&self, stream: &StreamRef<'_>, event: EventRef<'_>) -> Result<()> {
        let native = CudaCell::of(event.cell).unheld_native();
        let life = event.life.ok_or(UNPINNED)?;
        let pin = if self.stream_gates.are_none() { pin([native, stream.native.0], life, stream.life) } else { None };
        let pin = pin.filter(|_| self.check_alive().is_ok() && self.has_stream(stream.native));
        let _pin = pin.ok_or(UNPINNED)?;
        // SAFETY: the stream and the event are protected.
        match unsafe { (self.driver.stream_wait)(raw(stream.native), native as CUevent, 0) } {
            0 => Ok(()),
            // A refusal ends the capture, and a second wait would have another answer.
            code => self.check_alive().and_then(|()| self.check(code)),
        }
    }
}
