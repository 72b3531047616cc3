//! The CUDA backend: the driver's own streams and events.

mod calls;
mod cell;
mod clock;
mod context;
mod driver;
mod gate_failures;
mod gates;
mod identity;
mod ipc;
mod marks;
mod native;
mod poller;
mod pool;
mod provider;
mod relay;
mod sync;
mod unpinned;
mod words;

pub(crate) use native::is_fatal;
pub(crate) use provider::PROVIDER;

use super::{
    Backend, BackendKind, Cell, EventRef, Foreign, HostFn, IpcHandle, Left, Mark, NativeStream, Pending, Properties,
    RecordRef, Recorded, StreamRef, UNPINNED, WaitMode,
};
use crate::error::{Error, Result};
use crate::flags::EventFlags;
use crate::point::{Opener, Pauses, Until, wait};
use crate::probe::{self, StreamId};
use crate::process::{self, Uncancelled};
use crate::status::Status;
use crate::workers::{self, Parker, Waiter};
use calls::not_capturing;
use cell::CudaCell;
use context::Cuda;
use cudarc::driver::sys::CUevent;
use gate_failures::Gated;
use marks::{event, origin};
use native::{needs_current, raw};
use std::time::Instant;

impl Cuda {
    #[inline(never)]
    fn record_pinned(
        &self,
        stream: NativeStream,
        capturable: bool,
        cell: &'static Cell,
        flags: EventFlags,
        external: bool,
    ) -> Result<Recorded> {
        probe::release_native_record(cell);
        self.native(cell, flags)?;
        let cell = CudaCell::of(cell);
        let gates = self.gated(stream)?.map(|stream| self.stream_gates.of(stream)).unwrap_or_default();
        let mut capturing = false;
        loop {
            let event = cell.native_to_record(|| self.pool.take(self, flags.native()))?;
            self.on_stream(stream, || {
                capturing = capturable && self.is_capturing(stream)?;
                // SAFETY: the stream and the event live, by the trait's contract.
                self.check(unsafe {
                    if external {
                        (self.driver.event_record_flags)(event as CUevent, raw(stream), 1)
                    } else {
                        (self.driver.event_record)(event as CUevent, raw(stream))
                    }
                })
            })?;
            if cell.recorded(event) {
                self.stream_gates.forget(Gated::Record(event));
                self.stream_gates.add(Gated::Record(event), gates);
                break;
            }
        }
        Ok(match (external, capturing) {
            (true, _) => Recorded::External,
            (false, true) => Recorded::Captured,
            (false, false) => Recorded::Pending,
        })
    }

    #[inline(never)]
    fn wait_pinned(&'static self, stream: NativeStream, mark: Mark, external: bool) -> Result<()> {
        if event(mark).is_null() {
            return Ok(());
        }
        let (context, is_shared) = origin(mark);
        let gates = context.stream_gates.of(Gated::Record(mark.0[0]));
        if gate_failures::check(&gates).is_err() {
            self.has_reached(mark)?;
        }
        let gated = if gates.is_empty() { None } else { self.gated(stream)? };
        let wait = |event| {
            // SAFETY: the stream and the event live, by the trait's contract; both contexts have been found alive.
            let wait = || unsafe { (self.driver.stream_wait)(raw(stream), event, external.into()) };
            self.on_stream(stream, || self.check(wait()))?;
            gated.into_iter().for_each(|gated| self.stream_gates.add(gated, gates.clone()));
            Ok(())
        };
        if std::ptr::eq(context, self) {
            return wait(event(mark)).map_err(|error| not_capturing(error, external));
        }
        context.check_alive()?;
        if is_shared && context.device != self.device {
            if external {
                return Err(Error::Backend(Status::NOT_SUPPORTED));
            }
            return context.relay(event(mark), wait);
        }
        wait(event(mark)).map_err(|error| not_capturing(error, external))
    }
}

impl Backend for &'static Cuda {
    fn properties(&self) -> Properties {
        let native = Some(self.address());
        Properties { native, ..Properties::new(BackendKind::CUDA, self.device, self.native.identity()) }
    }

    fn create_stream(&self, non_blocking: bool) -> Result<NativeStream> {
        self.make_stream(non_blocking)
    }

    unsafe fn wrap_stream(&self, native: u64) -> Result<NativeStream> {
        self.check_alive()?;
        let stream = if native == 0 { NativeStream::DEFAULT } else { NativeStream(native) };
        if !needs_current(stream) {
            let mut context = std::ptr::null_mut();
            // SAFETY: the pointer is valid, and this function requires `native`, which is not 0, 1 or 2 here, to be a stream.
            self.check(unsafe { (self.driver.stream_context)(raw(stream), &mut context) })?;
            if context as u64 != self.address() {
                return Err(Error::ContextMismatch);
            }
        }
        Ok(stream)
    }

    fn destroy_stream(&self, stream: NativeStream, unused: bool) {
        if !unused {
            return;
        }
        // Before: a stream that is made just afterwards may have the number.
        let _ = self.gated(stream).map(|gated| gated.map(|stream| self.stream_gates.forget(stream)));
        self.pool.destroy_stream(self, stream.0);
    }

    fn query_stream(&self, stream: NativeStream) -> Result<bool> {
        let done = self.is_idle(stream)?;
        if done && let Some(gated) = self.gated(stream)? {
            self.stream_gates.check(gated)?;
        }
        Ok(done)
    }

    fn sync(&self, stream: Option<NativeStream>, deadline: Option<Instant>) -> Result<bool> {
        let gated = stream.map_or(Ok(None), |stream| self.gated(stream))?;
        let done = match (stream, deadline) {
            (Some(stream), Some(deadline)) => self.sync_stream_until(stream, deadline)?,
            (None, Some(deadline)) => self.sync_until(deadline)?,
            (Some(stream), None) => workers::asleep(|| {
                // SAFETY: the stream lives, by the trait's contract.
                self.on_stream(stream, || self.answer(unsafe { (self.driver.stream_sync)(raw(stream)) }))
            })?,
            (None, None) => {
                // SAFETY: takes no pointer.
                workers::asleep(|| self.with_current(|| unsafe { (self.driver.context_sync)() }))?;
                self.check_alive().map(|()| true)?
            }
        };
        // A stream that no gate preceded has no failure.
        if done && gated.is_some() == stream.is_some() {
            self.stream_gates.take_failure(gated)?;
        }
        Ok(done)
    }

    fn launch(&self, stream: &StreamRef<'_>, function: HostFn) -> Result<()> {
        let stream = stream.native;
        let _uncancelled = Uncancelled::new();
        if probe::is_on() || process::is_sanitized() {
            self.launch_traced(stream, function)?;
        } else {
            let HostFn { function, user } = function;
            // SAFETY: the stream lives, and the function is the caller's to vouch for.
            self.on_stream(stream, || self.check(unsafe { (self.driver.launch_host)(raw(stream), function, user) }))?;
        }
        Ok(())
    }

    fn wait(&self, stream: &StreamRef<'_>, record: RecordRef<'_>, mode: WaitMode) -> Result<()> {
        match record {
            RecordRef::Last(event) => self.wait_unpinned(stream, event),
            RecordRef::Held(mark) => self.wait_pinned(stream.native, mark, mode == WaitMode::External),
        }
    }

    fn gate(&self, stream: NativeStream) -> Result<Opener> {
        Cuda::gate(self, stream)
    }

    fn check_external(&self, stream: NativeStream) -> Result<()> {
        if self.is_captured(stream)? { Ok(()) } else { Err(Error::NotCapturing) }
    }

    fn record(
        &self,
        stream: &StreamRef<'_>,
        event: EventRef<'_>,
        flags: EventFlags,
        external: bool,
    ) -> Result<Recorded> {
        match event.life {
            Some(life) => self.record_unpinned(stream, event.cell, life),
            None => self.record_pinned(stream.native, stream.capturable, event.cell, flags, external),
        }
    }

    fn hold(&self, cell: &Cell) -> Mark {
        let cell = CudaCell::of(cell);
        self.mark_of(cell.hold(), cell.is_shared())
    }

    fn unhold(&self, cell: &Cell, mark: Mark) {
        CudaCell::of(cell).unhold(mark.0[0]);
    }

    #[inline]
    fn reached(&self, record: RecordRef<'_>) -> Result<bool> {
        let (mark, _pin) = self.find(record)?;
        self.has_reached(mark)
    }

    fn block(&self, record: RecordRef<'_>, spin: bool, deadline: Option<Instant>) -> Result<bool> {
        let (mark, _pin) = self.find(record)?;
        if event(mark).is_null() {
            return Ok(true);
        }
        let Some(deadline) = deadline else {
            // Of this record: the event may be recorded again meanwhile.
            let gates = origin(mark).0.stream_gates.of(Gated::Record(mark.0[0]));
            // SAFETY: the event lives, by the trait's contract. It spins or blocks as its creation flags say.
            let done = workers::asleep(|| self.ask(|| unsafe { (self.driver.event_sync)(event(mark)) }))?;
            return gate_failures::check(&gates).map(|()| done);
        };
        wait(&[Pending(self, mark)], Until::All, spin, Some(deadline))
    }

    fn notify(&self, mark: Mark, waiter: Waiter) -> Result<Option<Waiter>> {
        if self.has_reached(mark)? { Ok(Some(waiter)) } else { poller::add(self, mark, waiter).map(|()| None) }
    }

    fn pauses(&self, mark: Mark) -> Option<Pauses> {
        Some(poller::pauses(mark))
    }

    fn forget(&self, mark: Mark, parker: &Parker) {
        poller::forget(mark, parker);
    }

    fn traced(&self, stream: NativeStream) -> StreamId {
        // The number 2 is another stream on each thread.
        let thread = if stream.0 == 2 { calls::number_of_thread() << 8 } else { 0 };
        StreamId { place: self.place(), native: stream.0 | thread, is_default: stream == NativeStream::DEFAULT }
    }

    fn host_time(&self, mark: Mark) -> Result<Option<(i64, u64)>> {
        self.clock.time(&self.native, event(mark))
    }

    fn calibrate(&self) -> Result<()> {
        self.check_alive()?;
        self.clock.compare(&self.native)
    }

    fn elapsed(&self, start: EventRef<'_>, end: EventRef<'_>, _: usize) -> Result<Option<i64>> {
        let cells = [CudaCell::of(start.cell), CudaCell::of(end.cell)];
        let (natives, _pin) = match start.life {
            None => ([cells[0].native(), cells[1].native()], None),
            Some(life) => {
                let natives = [cells[0].unheld_native(), cells[1].unheld_native()];
                let pin = marks::pin(natives, life, end.life).filter(|_| natives[1] != 0);
                (natives, Some(pin.ok_or(UNPINNED)?))
            }
        };
        // What comes after a failed gate has failed.
        let has_reached = |native: u64| self.has_reached(self.mark_of(native, false));
        let are_reached = self.stream_gates.are_none() || (has_reached(natives[0])? && has_reached(natives[1])?);
        if !are_reached {
            return Ok(None);
        }
        // One driver call also reports whether both have completed.
        self.elapsed_between(natives[0] as CUevent, natives[1] as CUevent)
    }

    fn release(&self, cell: &Cell, flags: EventFlags, left: Left) {
        let cell = CudaCell::of(cell);
        let may_be_shared = cell.is_shared();
        for (place, event) in cell.take_natives().enumerate() {
            self.stream_gates.forget(Gated::Record(event));
            if left == Left::Borrowed {
                continue;
            }
            if may_be_shared {
                // No thread protects one that may be shared; and it keeps memory in the other process.
                pool::destroy(self, event);
            } else if left == Left::Known && place == 0 {
                self.pool.put(self, flags.native(), event);
            } else {
                // It may have been captured.
                self.pool.destroy_unused(self, event);
            }
        }
    }

    fn give_native(&self, cell: &Cell, flags: EventFlags) -> Result<u64> {
        self.check_alive()?;
        let cell = CudaCell::of(cell);
        let give_new = |made| cell.give_new(made, flags.contains(EventFlags::INTERPROCESS));
        // A pooled native event may carry another event's past, so an event that was never recorded gets a fresh one.
        cell.give().map_or_else(|| pool::make(self, flags.native()).map(give_new), Ok)
    }

    unsafe fn fill(&self, cell: &Cell, event: Foreign<'_>) -> Result<()> {
        let (native, shared) = match event {
            Foreign::Native(native, flags) => (native, flags.contains(EventFlags::INTERPROCESS)),
            Foreign::Ipc(handle) => (ipc::import(self, handle)?, true),
        };
        // The driver does not say whether the caller has made it or has imported it.
        CudaCell::of(cell).give_new(native, shared);
        Ok(())
    }

    fn export(&self, cell: &Cell, flags: EventFlags) -> Result<IpcHandle> {
        ipc::export(self, self.give_native(cell, flags)?)
    }

    fn native_stream(&self, stream: NativeStream) -> Result<(u64, Option<u32>)> {
        Ok((stream.0, None))
    }

    fn lost(&self, ask: bool) -> Option<Status> {
        if ask { self.check_alive().err().map(|error| error.status()) } else { self.native.lost() }
    }

    fn retire(&self, _: bool) {
        Cuda::retire(self);
    }
}
