//! Calls on streams and marks of a CUDA context.

use super::*;
use std::sync::atomic::{AtomicU64, Ordering};

impl Cuda {
    /// Makes a call that takes a stream, in its context.
    pub(super) fn on_stream(&self, stream: NativeStream, call: impl FnOnce() -> Code) -> Result<()> {
        if needs_current(stream) { self.with_current(call) } else { self.call(call) }
    }

    /// Like [`Cuda::on_stream`], for a call that asks whether work is done.
    pub(super) fn ask_stream(&self, stream: NativeStream, call: impl FnOnce() -> Code) -> Result<bool> {
        if !needs_current(stream) {
            return self.ask(call);
        }
        let mut answer = Ok(false);
        self.with_current(|| {
            answer = self.ask(call);
            0
        })?;
        answer
    }

    /// Returns whether the stream has finished all its work, successfully or not.
    pub(super) fn is_idle(&self, stream: NativeStream) -> Result<bool> {
        // SAFETY: the stream lives, by the trait's contract.
        self.ask_stream(stream, || unsafe { (self.driver.stream_query)(raw(stream)) })
    }

    /// The mark of a native event of a cell of this context's.
    #[inline]
    pub(super) fn mark_of(&'static self, cell: CudaCell<'_>, event: u64) -> Mark {
        if event == 0 {
            return Mark::default();
        }
        Mark([event, std::ptr::from_ref(self) as u64, u64::from(cell.is_shared())])
    }

    /// Nanoseconds from one event to the other; `None` while one of them is pending.
    pub(super) fn elapsed_between(&self, start: CUevent, end: CUevent) -> Result<Option<i64>> {
        let elapsed = self.driver.event_elapsed.unwrap_or(self.driver.event_elapsed_v1);
        let mut ms = 0.0;
        // SAFETY: the pointer is valid, and the events live, by the trait's contract and as long as their context, which `ask` has
        // found alive.
        let done = self.ask(|| unsafe { elapsed(&mut ms, start, end) })?;
        Ok(done.then(|| (f64::from(ms) * 1e6).round() as i64))
    }

    /// Returns the cell's native event for a record, taking one from the pool if the cell is empty.
    pub(super) fn native(&self, cell: &Cell, flags: u32) -> Result<u64> {
        let cell = CudaCell::of(cell);
        let known = cell.native();
        if known != 0 {
            return Ok(known);
        }
        let made = self.pool.take(self, flags)?;
        Ok(match cell.set_native(made, flags & INTERPROCESS != 0) {
            Ok(()) => made,
            Err(first) => {
                self.pool.put(self, flags, made);
                first
            }
        })
    }

    /// Returns the cell's native event and marks it as shared. A pooled native event may carry another event's past, so
    /// an event that was never recorded gets a fresh one.
    pub(super) fn native_to_give(&self, cell: &Cell, flags: u32) -> Result<u64> {
        let cell = CudaCell::of(cell);
        if cell.can_be_given() {
            return Ok(cell.give());
        }
        Ok(cell.give_new(pool::make(self, flags)?, flags & INTERPROCESS != 0))
    }

    /// Returns whether the stream is being captured.
    pub(super) fn is_captured(&self, stream: NativeStream) -> Result<bool> {
        let mut capturing = Ok(false);
        self.on_stream(stream, || {
            capturing = self.is_capturing(stream);
            capturing.err().unwrap_or(0)
        })?;
        Ok(capturing == Ok(true))
    }

    /// Like [`Cuda::is_captured`], within one of that context's calls. The default stream is never captured, and asking
    /// about it can end another stream's capture.
    pub(super) fn is_capturing(&self, stream: NativeStream) -> std::result::Result<bool, Code> {
        let mut status = 0;
        if stream == LEGACY {
            return Ok(false);
        }
        // SAFETY: the pointer is valid; the caller has made sure of the stream.
        match unsafe { (self.driver.stream_capturing)(raw(stream), &mut status) } {
            0 => Ok(status != 0),
            code => Err(code),
        }
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
            (0, _) => LEGACY.0,
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

    /// Returns the stream as what comes after gates; `None` if nothing in the context does.
    pub(super) fn gated(&self, stream: NativeStream) -> Result<Option<Gated>> {
        if self.stream_gates.are_none() { Ok(None) } else { self.key_of(stream).map(Gated::Stream).map(Some) }
    }

    /// The context's name in traces.
    pub(super) fn place(&self) -> Place {
        Place::Cuda { device: self.device, context: self.address() }
    }
}
