//! The frequent calls. They require that no wait holds the native event, that only gevt knows it, and that the stream is an
//! ordinary one or the default stream of the current context. Each call asks whether the context is alive.

use super::*;

impl Cuda {
    /// Returns whether the driver attributes the stream to this context, which is alive. The default stream belongs to
    /// the current context.
    #[inline]
    fn has_stream(&self, stream: NativeStream) -> bool {
        let is_current = || Cuda::current(self.driver) == Ok(self.address());
        !needs_current(stream) || (stream == LEGACY && is_current())
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
        (code != 0 || (self.is_alive() && self.stream_gates.are_none())).then(|| self.check(code))
    }
}

impl PinnedCalls for Cuda {
    #[inline]
    fn record(&self, pin: &Pin<'_>, stream: StreamRef<'_>, cell: &Cell) -> Option<Result<()>> {
        let cell = CudaCell::of(cell);
        let event = cell.unheld_native();
        let StreamRef { native, capturable, .. } = stream;
        if !self.stream_gates.are_none() {
            return None;
        }
        let protected = pin.protect([event, native.0])?;
        // A captured record shows in the event's word while it is made.
        let ready =
            self.is_alive() && self.has_stream(native) && !(capturable && self.is_capturing(native) != Ok(false));
        // SAFETY: the stream and the event are protected.
        let code = ready.then(|| unsafe { (self.driver.event_record)(event as CUevent, raw(native)) });
        // If the event has another native event by now, that one has to be recorded.
        let is_its_own = cell.native() == event;
        drop(protected);
        code.filter(|code| is_its_own || *code != 0).map(|code| self.check(code))
    }

    #[inline]
    fn wait(&self, pin: &Pin<'_>, stream: StreamRef<'_>, cell: &Cell) -> Option<Result<()>> {
        let event = CudaCell::of(cell).unheld_native();
        let stream = stream.native;
        if !self.stream_gates.are_none() {
            return None;
        }
        let protected = pin.protect([event, stream.0])?;
        let ready = self.is_alive() && self.has_stream(stream);
        // SAFETY: the stream and the event are protected.
        let code = ready.then(|| unsafe { (self.driver.stream_wait)(raw(stream), event as CUevent, 0) });
        drop(protected);
        code.map(|code| self.check(code))
    }

    #[inline]
    fn is_reached(&self, pin: &Pin<'_>, cell: &Cell) -> Option<bool> {
        let event = CudaCell::of(cell).unheld_native();
        let protected = pin.protect([event, 0])?;
        // SAFETY: the event is protected, and lives as long as its context, which has just been found alive.
        let code = self.is_alive().then(|| unsafe { (self.driver.event_query)(event as CUevent) });
        drop(protected);
        match code? {
            NOT_READY => Some(false),
            // As `Cuda::ask`: a yes counts only if the context has outlived the call.
            0 if self.is_alive() && self.stream_gates.are_none() => Some(true),
            _ => None,
        }
    }

    #[inline]
    fn elapsed(&self, pin: &Pin<'_>, start: &Cell, end: &Cell) -> Option<i64> {
        let [start, end] = [start, end].map(|cell| CudaCell::of(cell).unheld_native());
        let protected = pin.protect([start, end]).filter(|_| end != 0)?;
        let elapsed = self.driver.event_elapsed.unwrap_or(self.driver.event_elapsed_v1);
        let mut ms = 0.0;
        // SAFETY: as above.
        let code = self.is_alive().then(|| unsafe { elapsed(&mut ms, start as CUevent, end as CUevent) });
        drop(protected);
        (code == Some(0) && self.is_alive()).then(|| (f64::from(ms) * 1e6).round() as i64)
    }
}
