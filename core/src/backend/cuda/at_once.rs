//! Fast paths of the frequent calls. They require that no wait holds the native event, that only gevt knows it, and that the stream is an
//! ordinary one or the default stream of the current context.
//!
//! They hold no reference to the event or the stream: the thread [protects](Hazards) both, and then finds their handles live. Each call asks
//! whether the context is alive.

use super::*;

/// Protects native objects; false if the first one is null, or if one of the handles is dead.
#[inline]
fn protect<const N: usize>(hazards: &Hazards, natives: [u64; 2], lives: [Life<'_>; N]) -> bool {
    if natives[0] == 0 {
        return false;
    }
    hazards.protect(natives);
    let live = lives.iter().all(|life| life.lasts()) && process::may_protect();
    if !live {
        hazards.clear();
    }
    live
}

impl Cuda {
    /// Returns whether the driver attributes the stream to this context, which is alive. The default stream belongs to
    /// the current context.
    #[inline]
    fn has_stream(&self, stream: NativeStream) -> bool {
        let is_current = || Cuda::current(self.driver) == Ok(self.address());
        !needs_current(stream) || (stream == LEGACY && is_current())
    }

    #[inline]
    pub(super) fn record_at_once(
        &self,
        hazards: &Hazards,
        stream: UnkeptStream<'_>,
        cell: &Cell,
        event: Life<'_>,
    ) -> Option<Result<()>> {
        let cell = CudaCell::of(cell);
        let native = cell.unheld_native();
        if !self.stream_gates.are_none() || !protect(hazards, [native, stream.native.0], [event, stream.life]) {
            return None;
        }
        let code = self.record_protected(stream, native);
        // If the event has another native event by now, that one has to be recorded.
        let is_its_own = cell.native() == native;
        hazards.clear();
        code.filter(|code| is_its_own || *code != 0).map(|code| self.check(code))
    }

    /// `None`: nothing was changed. Captured records take the slow path, which shows them in the event's word while they are made.
    #[inline]
    fn record_protected(&self, stream: UnkeptStream<'_>, event: u64) -> Option<Code> {
        let UnkeptStream { native, capturable, .. } = stream;
        if !self.is_alive() || !self.has_stream(native) {
            return None;
        }
        // The stream is protected.
        if capturable && self.is_capturing(native) != Ok(false) {
            return None;
        }
        // SAFETY: the stream and the event are protected.
        Some(unsafe { (self.driver.event_record)(event as CUevent, raw(native)) })
    }

    #[inline]
    pub(super) fn wait_at_once(
        &self,
        hazards: &Hazards,
        stream: UnkeptStream<'_>,
        cell: &Cell,
        event: Life<'_>,
    ) -> Option<Result<()>> {
        let native = CudaCell::of(cell).unheld_native();
        if !protect(hazards, [native, stream.native.0], [event, stream.life]) {
            return None;
        }
        let ready = self.is_alive() && self.has_stream(stream.native);
        // SAFETY: the stream and the event are protected.
        let code = ready.then(|| unsafe { (self.driver.stream_wait)(raw(stream.native), native as CUevent, 0) });
        hazards.clear();
        code.map(|code| self.check(code))
    }

    #[inline]
    pub(super) fn is_reached_at_once(&self, hazards: &Hazards, cell: &Cell, event: Life<'_>) -> Option<bool> {
        let native = CudaCell::of(cell).unheld_native();
        if !protect(hazards, [native, 0], [event]) {
            return None;
        }
        // SAFETY: the event is protected, and lives as long as its context, which has just been found alive.
        let code = self.is_alive().then(|| unsafe { (self.driver.event_query)(native as CUevent) });
        hazards.clear();
        match code? {
            NOT_READY => Some(false),
            // As `Cuda::ask`: a yes counts only if the context has outlived the call.
            0 if self.is_alive() => Some(true),
            _ => None,
        }
    }

    /// For an event that the caller has in use.
    #[inline]
    pub(super) fn block_at_once(&self, cell: &Cell) -> Option<Result<()>> {
        let event = CudaCell::of(cell).unheld_native();
        if event == 0 || !self.is_alive() {
            return None;
        }
        // SAFETY: the event lives, by the trait's contract and as long as its context, which has just been found alive.
        let code = workers::asleep(|| unsafe { (self.driver.event_sync)(event as CUevent) });
        // As `Cuda::ask`.
        (code != 0 || self.is_alive()).then(|| self.check(code))
    }

    #[inline]
    pub(super) fn elapsed_at_once(&self, hazards: &Hazards, cells: [&Cell; 2], lives: [Life<'_>; 2]) -> Option<i64> {
        let [start, end] = cells.map(|cell| CudaCell::of(cell).unheld_native());
        if end == 0 || !protect(hazards, [start, end], lives) {
            return None;
        }
        let elapsed = self.driver.event_elapsed.unwrap_or(self.driver.event_elapsed_v1);
        let mut ms = 0.0;
        // SAFETY: as above.
        let code = self.is_alive().then(|| unsafe { elapsed(&mut ms, start as CUevent, end as CUevent) });
        hazards.clear();
        (code == Some(0) && self.is_alive()).then(|| (f64::from(ms) * 1e6).round() as i64)
    }
}
