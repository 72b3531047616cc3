//! The frequent calls, made at once while nothing is out of the ordinary: the native event is held by nobody and known to nobody, and the
//! stream is no thread's own one, nor the default stream of a context that is not current. Each asks first whether the context is alive,
//! and answers in a register.

use super::*;

impl Cuda {
    /// Returns whether the driver takes the stream for one of this context, which is alive: the default stream is that of the current one.
    #[inline]
    fn has_stream(&self, stream: NativeStream) -> bool {
        let is_current = || Cuda::current(self.driver) == Ok(self.address());
        !needs_current(stream) || (stream == LEGACY && is_current())
    }

    #[inline]
    pub(super) fn record_at_once(&self, stream: NativeStream, cell: &Cell, capturable: bool) -> Option<RecordedAtOnce> {
        let cell = CudaCell::of(cell);
        let event = cell.unheld_native();
        if event == 0 || !self.fates.are_none() {
            return None;
        }
        // As in `Cuda::call`.
        let _uncancelled = Uncancelled::new();
        if !self.is_alive() || !self.has_stream(stream) {
            return None;
        }
        let mut status = 0;
        // SAFETY: the pointer is valid, and the stream lives, by the trait's contract. The default stream is never captured.
        if capturable && stream != LEGACY && unsafe { (self.driver.stream_capturing)(raw(stream), &mut status) } != 0 {
            return None;
        }
        // SAFETY: the stream and the event live, by the trait's contract.
        let code = unsafe { (self.driver.event_record)(event as CUevent, raw(stream)) };
        if code != 0 {
            return Some(Err(Status(code as i32)));
        }
        let outcome = if status == 0 { Recorded::Pending } else { Recorded::Captured };
        cell.recorded(event).then_some(Ok(outcome))
    }

    #[inline]
    pub(super) fn wait_at_once(&self, stream: NativeStream, cell: &Cell) -> Option<Status> {
        let event = CudaCell::of(cell).unheld_native();
        if event == 0 {
            return None;
        }
        // As in `Cuda::call`.
        let _uncancelled = Uncancelled::new();
        if !self.is_alive() || !self.has_stream(stream) {
            return None;
        }
        // SAFETY: the stream and the event live, by the trait's contract.
        Some(Status(unsafe { (self.driver.stream_wait)(raw(stream), event as CUevent, 0) } as i32))
    }

    #[inline]
    pub(super) fn is_reached_at_once(&self, cell: &Cell) -> Option<bool> {
        let event = CudaCell::of(cell).unheld_native();
        if event == 0 || !self.is_alive() {
            return None;
        }
        // SAFETY: the event lives, by the trait's contract and as long as its context, which has just been found alive.
        match unsafe { (self.driver.event_query)(event as CUevent) } {
            NOT_READY => Some(false),
            // As `Cuda::ask`: a yes counts only if the context has outlived the call.
            0 if self.is_alive() => Some(true),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn block_at_once(&self, cell: &Cell) -> Option<Status> {
        let event = CudaCell::of(cell).unheld_native();
        // Whoever blocks is not cancelled anyway: the exported calls see to that.
        if event == 0 || !self.is_alive() {
            return None;
        }
        // SAFETY: the event lives, by the trait's contract and as long as its context, which has just been found alive.
        let code = unsafe { (self.driver.event_sync)(event as CUevent) };
        // As `Cuda::ask`.
        (code != 0 || self.is_alive()).then_some(Status(code as i32))
    }

    #[inline]
    pub(super) fn elapsed_at_once(&self, start: &Cell, end: &Cell) -> Option<i64> {
        let (start, end) = (CudaCell::of(start).unheld_native(), CudaCell::of(end).unheld_native());
        if start == 0 || end == 0 || !self.is_alive() {
            return None;
        }
        let elapsed = self.driver.event_elapsed.unwrap_or(self.driver.event_elapsed_v1);
        let mut ms = 0.0;
        // SAFETY: as above.
        let code = unsafe { elapsed(&mut ms, start as CUevent, end as CUevent) };
        (code == 0 && self.is_alive()).then(|| (f64::from(ms) * 1e6).round() as i64)
    }
}
