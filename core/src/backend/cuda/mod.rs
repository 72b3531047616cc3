//! The CUDA backend: the driver's own streams and events.

mod calls;
mod cell;
mod clock;
mod context;
mod driver;
mod function;
mod gate_failures;
mod gates;
mod identity;
mod ipc;
mod poller;
mod pool;
mod provider;
mod relay;
mod sync;
mod unpinned;

pub(crate) use context::is_fatal;
pub(crate) use provider::CudaProvider;

use super::{
    Backend, Cell, HostFn, Identity, IpcHandle, Left, Mark, NativeStream, Pending, Properties, RecordMode, Recorded,
    StreamRef, UnpinnedCalls, Wanted,
};
use crate::error::{Error, Result};
use crate::pin::Pin;
use crate::point::{Opener, Until, pause, wait};
use crate::probe::{self, Place, StreamId};
use crate::process::{self, Uncancelled};
use crate::status::Status;
use crate::workers::{self, Parker, Waiter};
use calls::not_capturing;
use cell::CudaCell;
use context::{Cuda, NOT_READY};
use cudarc::driver::sys::{CUevent, CUstream};
use driver::Code;
use gate_failures::Gated;
use provider::CUDA;
use std::time::Instant;

/// The driver's default stream, by its explicit name.
const LEGACY: NativeStream = NativeStream(1);
/// The creation flag of events that processes share, CU_EVENT_INTERPROCESS.
const INTERPROCESS: u32 = 4;

/// The default streams and the per-thread one belong to the context that is current.
fn needs_current(stream: NativeStream) -> bool {
    stream.0 <= 2
}

fn raw(stream: NativeStream) -> CUstream {
    stream.0 as CUstream
}

/// The native event of a mark; null if nothing was recorded.
fn event(Mark([event, ..]): Mark) -> CUevent {
    event as CUevent
}

/// The context of the event of a mark, and whether another process has made that event, or may have.
fn origin(Mark([_, context, foreign]): Mark) -> (&'static Cuda, bool) {
    // SAFETY: only `Cuda::mark_of` makes this backend's marks, and takes the address of a context that is never freed.
    (unsafe { &*(context as *const Cuda) }, foreign != 0)
}

/// Fails if a gate before the reached mark failed.
fn check_gates(mark: Mark) -> Result<()> {
    origin(mark).0.stream_gates.check(Gated::Record(mark.0[0]))
}

impl Backend for &'static Cuda {
    fn properties(&self) -> Properties {
        let native = Some(self.address());
        Properties { native, unpinned_calls: Some(*self), pause: Some(pause), ..Properties::new(CUDA, self.device) }
    }

    fn create_stream(&self, non_blocking: bool) -> Result<NativeStream> {
        let mut stream: CUstream = std::ptr::null_mut();
        // SAFETY: the pointer is valid.
        self.with_current(|| unsafe { (self.driver.stream_create)(&mut stream, non_blocking.into()) })?;
        Ok(NativeStream(stream as u64))
    }

    unsafe fn wrap_stream(&self, native: u64) -> Result<NativeStream> {
        self.check_alive()?;
        let stream = if native == 0 { LEGACY } else { NativeStream(native) };
        if !needs_current(stream) {
            let mut context = std::ptr::null_mut();
            // SAFETY: the pointer is valid, and this function requires `native`, which is not 0, 1 or 2 here, to be a stream.
            self.check(unsafe { (self.driver.stream_context)(raw(stream), &mut context) })?;
            if !self.is(context as usize) {
                return Err(Error::ContextMismatch);
            }
        }
        Ok(stream)
    }

    fn default_stream(&self) -> Result<NativeStream> {
        Ok(LEGACY)
    }

    fn destroy_stream(&self, stream: NativeStream) {
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

    fn sync_stream(&self, stream: NativeStream, deadline: Option<Instant>) -> Result<bool> {
        let gated = self.gated(stream)?;
        let done = match deadline {
            Some(deadline) => self.sync_stream_until(stream, deadline)?,
            None => workers::asleep(|| {
                // SAFETY: the stream lives, by the trait's contract.
                self.ask_stream(stream, || unsafe { (self.driver.stream_sync)(raw(stream)) }).map(|_| true)
            })?,
        };
        if done && let Some(gated) = gated {
            self.stream_gates.take_failure(gated)?;
        }
        Ok(done)
    }

    fn sync(&self, deadline: Option<Instant>) -> Result<bool> {
        let done = match deadline {
            Some(deadline) => self.sync_until(deadline)?,
            None => {
                // SAFETY: takes no pointer.
                let synced = workers::asleep(|| self.with_current(|| unsafe { (self.driver.context_sync)() }));
                synced.and_then(|()| self.check_alive())?;
                true
            }
        };
        if done {
            self.stream_gates.take_failures()?;
        }
        Ok(done)
    }

    fn launch(&self, stream: StreamRef<'_>, function: HostFn) -> Result<()> {
        let stream = stream.native;
        let _uncancelled = Uncancelled::new();
        if probe::is_on() || process::is_sanitized() {
            self.launch_traced(stream, function)?;
        } else {
            let HostFn { function, user } = function;
            // SAFETY: the stream lives, and the function is the caller's to vouch for.
            self.on_stream(stream, || unsafe { (self.driver.launch_host)(raw(stream), function, user) })?;
        }
        Ok(())
    }

    fn wait(&self, stream: StreamRef<'_>, mark: Mark, external: bool) -> Result<()> {
        let stream = stream.native;
        if event(mark).is_null() {
            return Ok(());
        }
        let (context, is_shared) = origin(mark);
        let gates = context.stream_gates.of(Gated::Record(mark.0[0]));
        if gate_failures::check(&gates).is_err() {
            self.reached(mark)?;
        }
        if !gates.is_empty() {
            self.stream_gates.add(Gated::Stream(self.key_of(stream)?), gates);
        }
        let wait = |event| {
            // SAFETY: the stream and the event live, by the trait's contract; both contexts have been found alive.
            self.on_stream(stream, || unsafe { (self.driver.stream_wait)(raw(stream), event, external.into()) })
        };
        if std::ptr::eq(context, *self) {
            return wait(event(mark)).map_err(|error| not_capturing(error, external));
        }
        context.check_alive()?;
        if is_shared && context.device != self.device {
            if external {
                return Err(Error::Backend(Status::NOT_SUPPORTED));
            }
            return context.relays.wait(context, mark.0[0], |event| wait(event as CUevent));
        }
        wait(event(mark)).map_err(|error| not_capturing(error, external))
    }

    fn gate(&self, stream: NativeStream) -> Result<Opener> {
        Cuda::gate(self, stream)
    }

    fn check_external(&self, stream: NativeStream) -> Result<()> {
        if self.is_captured(stream)? { Ok(()) } else { Err(Error::NotCapturing) }
    }

    fn record(&self, stream: StreamRef<'_>, cell: &'static Cell, mode: RecordMode) -> Result<Recorded> {
        let StreamRef { native: stream, capturable, .. } = stream;
        probe::release_native_record(cell);
        let RecordMode { flags, external, .. } = mode;
        self.native(cell, flags)?;
        let cell = CudaCell::of(cell);
        let gates = self.gated(stream)?.map(|stream| self.stream_gates.of(stream)).unwrap_or_default();
        if external {
            cell.give();
        }
        let mut capturing = false;
        loop {
            let event = cell.native_to_record(|| self.pool.take(self, flags))?;
            self.on_stream(stream, || {
                if capturable {
                    match self.is_capturing(stream) {
                        Ok(answer) => capturing = answer,
                        Err(code) => return code,
                    }
                }
                // SAFETY: the stream and the event live, by the trait's contract.
                unsafe {
                    if external {
                        (self.driver.event_record_flags)(event as CUevent, raw(stream), 1)
                    } else {
                        (self.driver.event_record)(event as CUevent, raw(stream))
                    }
                }
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

    #[inline]
    fn mark(&self, cell: &Cell) -> Mark {
        let cell = CudaCell::of(cell);
        self.mark_of(cell, cell.native())
    }

    fn hold(&self, cell: &Cell) -> Mark {
        let cell = CudaCell::of(cell);
        self.mark_of(cell, cell.hold())
    }

    fn unhold(&self, cell: &Cell, mark: Mark) {
        CudaCell::of(cell).unhold(mark.0[0]);
    }

    #[inline]
    fn reached(&self, mark: Mark) -> Result<bool> {
        if event(mark).is_null() {
            return Ok(true);
        }
        // SAFETY: the event lives, by the trait's contract and as long as its context, which `ask` has found alive.
        let reached = self.ask(|| unsafe { (self.driver.event_query)(event(mark)) })?;
        if reached {
            check_gates(mark)?;
        }
        Ok(reached)
    }

    fn block(&self, mark: Mark, spin: bool, deadline: Option<Instant>) -> Result<bool> {
        if event(mark).is_null() {
            return Ok(true);
        }
        let Some(deadline) = deadline else {
            // SAFETY: as above. It spins or blocks as its creation flags say.
            let done = workers::asleep(|| self.ask(|| unsafe { (self.driver.event_sync)(event(mark)) }))?;
            return check_gates(mark).map(|()| done);
        };
        wait(&[Pending(self, mark)], Until::All, spin, Some(deadline))
    }

    fn block_for_good(&self, cell: &Cell, spin: bool) -> Result<()> {
        self.block(self.mark(cell), spin, None).map(drop)
    }

    fn notify(&self, mark: Mark, waiter: Waiter) -> Result<Option<Waiter>> {
        if self.reached(mark)? { Ok(Some(waiter)) } else { poller::add(self, mark, waiter).map(|()| None) }
    }

    fn forget(&self, mark: Mark, parker: &Parker) {
        poller::forget(mark, parker);
    }

    fn traced(&self, stream: NativeStream) -> StreamId {
        // The number 2 is another stream on each thread.
        let thread = if stream.0 == 2 { calls::number_of_thread() << 8 } else { 0 };
        StreamId { place: self.place(), native: stream.0 | thread, is_default: stream == LEGACY }
    }

    fn host_time(&self, mark: Mark) -> Result<Option<(i64, u64)>> {
        self.clock.time(self, mark)
    }

    fn calibrate(&self) -> Result<()> {
        self.check_alive()?;
        self.clock.compare(self)
    }

    fn elapsed(&self, start: &Cell, end: &Cell) -> Result<Option<i64>> {
        // What comes after a failed gate has failed.
        let are_reached = self.stream_gates.are_none() || (self.is_reached(start)? && self.is_reached(end)?);
        if !are_reached {
            return Ok(None);
        }
        // One driver call also reports whether both have completed.
        self.elapsed_between(CudaCell::of(start).native() as CUevent, CudaCell::of(end).native() as CUevent)
    }

    fn release(&self, cell: &Cell, flags: u32, left: Left) {
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
                self.pool.put(self, flags, event);
            } else {
                // It may have been captured.
                self.pool.destroy_unused(self, event);
            }
        }
    }

    fn give_native(&self, cell: &Cell, flags: u32) -> Result<u64> {
        self.check_alive()?;
        self.native_to_give(cell, flags)
    }

    unsafe fn wrap_event(&self, cell: &Cell, native: u64, flags: u32) -> Result<()> {
        // The driver does not say whether the caller has made it or has imported it.
        CudaCell::of(cell).give_new(native, flags & INTERPROCESS != 0);
        Ok(())
    }

    fn export(&self, cell: &Cell, flags: u32) -> Result<IpcHandle> {
        ipc::export(self, self.native_to_give(cell, flags)?)
    }

    fn import(&self, cell: &Cell, handle: &IpcHandle) -> Result<()> {
        let native = ipc::import(self, handle)?;
        // SAFETY: the driver has just made the event, which lives until it is destroyed with the cell.
        unsafe { self.wrap_event(cell, native, INTERPROCESS) }
    }

    fn identity(&self) -> Identity {
        Cuda::identity(self)
    }

    fn native_stream(&self, stream: NativeStream) -> Result<(u64, Option<u32>)> {
        Ok((stream.0, None))
    }

    fn is_native(&self, native: u64) -> bool {
        Cuda::is(self, native as usize)
    }

    fn check_alive(&self) -> Result<()> {
        Cuda::check_alive(self)
    }

    fn lost(&self) -> Option<Status> {
        Cuda::lost(self)
    }

    fn retire(&self) -> bool {
        Cuda::retire(self)
    }

    fn restart(&self, wanted: Wanted) -> bool {
        Cuda::restart(self, wanted)
    }

    fn is_gone(&self) -> bool {
        Cuda::is_gone(self)
    }
}
