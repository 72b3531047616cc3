//! The frequent calls, for objects that have no `Guard`. They require that no wait holds the native event, that only gevt knows it, and that the
//! stream is an ordinary one or the default stream of the current context. Each call asks whether the context is alive.

use super::*;
use crate::backend::EventRef;
use crate::table::Life;

impl Cuda {
    /// Returns whether the driver attributes the stream to this context, which is alive. The default stream belongs to
    /// the current context.
    #[inline]
    fn has_stream(&self, stream: NativeStream) -> bool {
        let is_current = || Cuda::current(self.driver) == Ok(self.address());
        !needs_current(stream) || (stream == LEGACY && is_current())
    }
}

/// Pins the native objects of an event and of another object. A default stream has no life.
#[inline]
fn pin(natives: [u64; 2], event: EventRef<'_>, other: Option<Life<'_>>) -> Option<Pin> {
    Pin::new(natives).filter(|_| event.life.lasts() && other.is_none_or(Life::lasts))
}

impl UnpinnedCalls for Cuda {
    fn record(&'static self, stream: &StreamRef<'_>, event: EventRef<'_>) -> bool {
        let cell = CudaCell::of(event.cell);
        let (native, StreamRef { native: stream, life, capturable }) = (cell.unheld_native(), *stream);
        let pin = if self.stream_gates.are_none() { pin([native, stream.0], event, life) } else { None };
        // A captured record shows in the event's word while it is made.
        pin.is_some()
            && self.is_alive()
            && self.has_stream(stream)
            && !(capturable && self.is_capturing(stream) != Ok(false))
            // SAFETY: the stream and the event are protected.
            && unsafe { (self.driver.event_record)(native as CUevent, raw(stream)) } == 0
            // If the event has another native event by now, that one has to be recorded.
            && cell.native() == native
    }

    fn wait(&'static self, stream: &StreamRef<'_>, event: EventRef<'_>) -> Option<Result<()>> {
        let (native, StreamRef { native: stream, life, .. }) = (CudaCell::of(event.cell).unheld_native(), *stream);
        let pin = if self.stream_gates.are_none() { pin([native, stream.0], event, life) } else { None };
        let _pin = pin.filter(|_| self.is_alive() && self.has_stream(stream))?;
        // SAFETY: the stream and the event are protected.
        match unsafe { (self.driver.stream_wait)(raw(stream), native as CUevent, 0) } {
            0 => Some(Ok(())),
            // A refusal ends the capture, and a second wait would have another answer.
            code if self.is_alive() => Some(self.check(code)),
            _ => None,
        }
    }

    fn is_reached(&'static self, event: EventRef<'_>) -> Option<bool> {
        let native = CudaCell::of(event.cell).unheld_native();
        let _pin = pin([native, 0], event, None).filter(|_| self.is_alive())?;
        // SAFETY: the event is protected, and lives as long as its context, which has just been found alive.
        match unsafe { (self.driver.event_query)(native as CUevent) } {
            NOT_READY => Some(false),
            // As `Cuda::ask`: a yes counts only if the context has outlived the call.
            0 if self.is_alive() && self.stream_gates.are_none() => Some(true),
            _ => None,
        }
    }

    fn elapsed(&'static self, start: EventRef<'_>, end: EventRef<'_>) -> Option<i64> {
        let natives = [CudaCell::of(start.cell).unheld_native(), CudaCell::of(end.cell).unheld_native()];
        let _pin = pin(natives, start, Some(end.life)).filter(|_| natives[1] != 0 && self.is_alive())?;
        let elapsed = self.driver.event_elapsed.unwrap_or(self.driver.event_elapsed_v1);
        let mut ms = 0.0;
        // SAFETY: as above.
        let code = unsafe { elapsed(&mut ms, natives[0] as CUevent, natives[1] as CUevent) };
        (code == 0 && self.is_alive() && self.stream_gates.are_none()).then(|| (f64::from(ms) * 1e6).round() as i64)
    }
}
