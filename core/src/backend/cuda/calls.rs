//! Calls on streams of a CUDA context, and its cells' native events.

use super::cell::CudaCell;
use super::context::Cuda;
use super::gate_failures::Gated;
use super::native::{needs_current, raw};
use crate::backend::{Backend, Cell, HostFn, NativeStream, give_closure};
use crate::error::{Error, Result};
use crate::flags::EventFlags;
use crate::probe::{self, NATIVE_STREAMS};
use crate::status::Status;
use cudarc::driver::sys::CUstream;
use std::sync::atomic::{AtomicU64, Ordering};

impl Cuda {
    /// Makes calls that take a stream, in its context.
    pub(super) fn on_stream<T>(&self, stream: NativeStream, calls: impl FnOnce() -> Result<T>) -> Result<T> {
        if needs_current(stream) { self.within(calls) } else { self.check_alive().and_then(|()| calls()) }
    }

    /// Returns whether the stream has finished all its work, successfully or not.
    pub(super) fn is_idle(&self, stream: NativeStream) -> Result<bool> {
        // SAFETY: the stream lives, by the trait's contract.
        self.on_stream(stream, || self.answer(unsafe { (self.driver.stream_query)(raw(stream)) }))
    }

    /// Returns the cell's native event for a record, taking one from the pool if the cell is empty.
    pub(super) fn native(&self, cell: &Cell, flags: EventFlags) -> Result<u64> {
        let cell = CudaCell::of(cell);
        let known = cell.native();
        if known != 0 {
            return Ok(known);
        }
        let made = self.pool.take(self, flags.native())?;
        Ok(match cell.set_native(made, flags.contains(EventFlags::INTERPROCESS)) {
            Ok(()) => made,
            Err(first) => {
                self.pool.put(self, flags.native(), made);
                first
            }
        })
    }

    /// Like [`Backend::launch`], with a function that is traced. One that goes into a graph may run more than once, and
    /// stays as it is.
    pub(super) fn launch_traced(&'static self, stream: NativeStream, function: HostFn) -> Result<()> {
        let id = self.traced(stream);
        let closure = move || {
            let _traced = probe::function(|| id);
            function.call_in_native_order();
        };
        probe::release(&NATIVE_STREAMS);
        give_closure(closure, |traced| {
            let mut is_taken = false;
            let launched = self.on_stream(stream, || {
                let is_plain = self.is_capturing(stream) != Ok(false);
                let HostFn { function, user } = if is_plain { function } else { traced };
                // SAFETY: the stream lives, and the function is the caller's to vouch for, or the closure's.
                let code = unsafe { (self.driver.launch_host)(raw(stream), function, user) };
                is_taken = code == 0 && !is_plain;
                self.check(code)
            });
            (is_taken, launched)
        })
    }

    /// Returns whether the stream is being captured.
    pub(super) fn is_captured(&self, stream: NativeStream) -> Result<bool> {
        self.on_stream(stream, || self.is_capturing(stream))
    }

    /// Like [`Cuda::is_captured`], within one of that context's calls. The default stream is never captured, and asking
    /// about it can end another stream's capture.
    pub(super) fn is_capturing(&self, stream: NativeStream) -> Result<bool> {
        let mut status = 0;
        if stream == NativeStream::DEFAULT {
            return Ok(false);
        }
        // SAFETY: the pointer is valid; the caller has made sure of the stream.
        self.check(unsafe { (self.driver.stream_capturing)(raw(stream), &mut status) }).map(|()| status != 0)
    }
}

/// Converts the driver's refusal of an EXTERNAL wait to an error.
pub(super) fn not_capturing(error: Error, external: bool) -> Error {
    if external && error == Error::Backend(Status::ILLEGAL_STATE) { Error::NotCapturing } else { error }
}

/// Returns the calling thread's number. Unlike the system's numbers, it is never reused.
pub(super) fn number_of_thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static OWN: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
    }
    if OWN.get() == 0 {
        OWN.set(NEXT.fetch_add(1, Ordering::Relaxed));
    }
    OWN.get()
}

impl Cuda {
    /// A key that identifies the stream in its context. The number 2 means a different stream on each thread, and an
    /// address may be reused after its stream has ended. Drivers before CUDA 12.0 have no stream numbers.
    pub(super) fn key_of(&self, stream: NativeStream) -> Result<u64> {
        Ok(match (stream.0, self.driver.stream_id) {
            (0, _) => NativeStream::DEFAULT.0,
            (2, _) => 2 | number_of_thread() << 8,
            (native, Some(stream_id)) if !needs_current(stream) => {
                let mut id = 0;
                // SAFETY: the pointer is valid, and the stream lives, by the trait's contract.
                self.call(|| unsafe { stream_id(native as CUstream, &mut id) })?;
                // Addresses and the others end otherwise.
                id << 2 | 3
            }
            (native, _) => native,
        })
    }

    /// Returns the stream as what comes after gates; `None` if nothing in the context does, or if the stream is captured. Its work
    /// then goes into a graph, and asking for its number would end the capture.
    pub(super) fn gated(&self, stream: NativeStream) -> Result<Option<Gated>> {
        if self.stream_gates.are_none() || self.is_captured(stream)? {
            return Ok(None);
        }
        self.key_of(stream).map(Gated::Stream).map(Some)
    }
}
