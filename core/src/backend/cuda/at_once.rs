//! The frequent calls, made at once while nothing is out of the ordinary: the native event is held by nobody and known to nobody, and the
//! stream needs no current context. Each asks first whether the context is alive, and answers in a register.

use super::*;

impl Cuda {
    #[inline]
    pub(super) fn record_at_once(&self, stream: NativeStream, cell: &Cell, capturable: bool) -> Option<Recorded> {
        let cell = CudaCell::of(cell);
        let event = cell.unheld_native();
        if event == 0 || needs_current(stream) || !self.fates.are_none() {
            return None;
        }
        // As in `Cuda::call`.
        let _uncancelled = Uncancelled::new();
        if !self.is_alive() {
            return None;
        }
        let mut status = 0;
        // SAFETY: the pointer is valid, and the stream lives, by the trait's contract.
        if capturable && unsafe { (self.driver.stream_capturing)(raw(stream), &mut status) } != 0 {
            return None;
        }
        // SAFETY: the stream and the event live, by the trait's contract.
        let code = unsafe { (self.driver.event_record)(event as CUevent, raw(stream)) };
        let outcome = if status == 0 { Recorded::Pending } else { Recorded::Captured };
        (code == 0 && cell.recorded(event)).then_some(outcome)
    }

    #[inline]
    pub(super) fn wait_at_once(&self, stream: NativeStream, cell: &Cell) -> Option<Status> {
        let event = CudaCell::of(cell).unheld_native();
        if event == 0 || needs_current(stream) {
            return None;
        }
        // As in `Cuda::call`.
        let _uncancelled = Uncancelled::new();
        if !self.is_alive() {
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
