//! Pieces of work: what a stream does, or a graph's node holds.

use crate::boundary::User;
use crate::code::Result;
use crate::event;
use crate::memory;
use crate::stream::Stream;
use crate::table::Handle;
use gevt_core::host_api::HostFn;
use std::ffi::c_void;
use std::sync::Arc;

/// A host function of the caller's.
pub(crate) type Function = extern "C" fn(*mut c_void);
/// A callback of the caller's: the stream, a code, the argument.
pub(crate) type Callback = extern "C" fn(Handle, i32, *mut c_void);

/// A piece of work.
#[derive(Clone)]
pub(crate) enum Work {
    /// Call a function.
    Call(Function, User),
    /// Call a function that is told of its stream.
    CallBack(Callback, Handle, User),
    /// Copy or set memory.
    Transfer(Transfer),
    /// Free memory that was taken off the list.
    Free(memory::Block),
    /// Record an event; in graphs only.
    Record(Handle),
    /// Wait for an event; in graphs only.
    Wait(Handle),
    /// Something else of this library's.
    Run(Arc<dyn Fn() + Send + Sync>),
}

impl Work {
    /// Gives the work to a stream that is not being captured.
    pub(crate) fn submit(self, stream: &'static Stream) -> Result {
        let launch = |function, user| Ok(stream.context()?.host.launch(stream.host()?, HostFn { function, user })?);
        match self {
            Work::Record(handle) => event::get(handle)?.record_now(stream),
            Work::Wait(handle) => event::get(handle)?.wait_now(stream),
            Work::Call(function, user) => launch(function, user.0),
            other => {
                let work = Box::into_raw(Box::new(other));
                launch(run, work.cast()).inspect_err(|_| {
                    // SAFETY: the box was just made, and a launch that fails has not taken it.
                    drop(unsafe { Box::from_raw(work) });
                })
            }
        }
    }

    fn run(self) {
        match self {
            Work::CallBack(function, stream, user) => function(stream, 0, user.0),
            Work::Transfer(transfer) => transfer.run(),
            Work::Free(block) => block.free(),
            Work::Run(function) => function(),
            // These never come here: `submit` hands them to the backend as they are.
            Work::Call(..) | Work::Record(_) | Work::Wait(_) => {}
        }
    }
}

extern "C" fn run(work: *mut c_void) {
    // SAFETY: `submit` made the box for this one call.
    let work = unsafe { Box::from_raw(work.cast::<Work>()) };
    // A panic must not end the worker; nothing can be told to the caller any more.
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work.run()));
}

/// Bytes in memory, in rows and slices.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) address: usize,
    /// Bytes from one row to the next.
    pub(crate) pitch: usize,
    /// Bytes from one slice to the next.
    pub(crate) slice: usize,
}

/// Where a transfer takes its bytes from.
#[derive(Clone, Copy)]
pub(crate) enum Source {
    /// Other memory.
    Memory(Place),
    /// A value of 1, 2 or 4 bytes, over and over.
    Value(u32, usize),
}

/// A copy or a set of `depth` slices of `height` rows of `width` bytes. Its places were checked, or are the caller's own.
#[derive(Clone)]
pub(crate) struct Transfer {
    pub(crate) to: Place,
    pub(crate) from: Source,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

impl Place {
    /// Bytes that stand in one row.
    pub(crate) fn line(address: usize) -> Place {
        Place { address, pitch: 0, slice: 0 }
    }

    fn row(self, slice: usize, row: usize) -> usize {
        self.address + slice * self.slice + row * self.pitch
    }
}

impl Transfer {
    /// A copy of bytes in a row.
    pub(crate) fn line(to: usize, from: usize, width: usize) -> Transfer {
        let from = Source::Memory(Place::line(from));
        Transfer { to: Place::line(to), from, width, height: 1, depth: 1 }
    }

    /// Bytes from the first to the last that the transfer touches at one of its ends.
    pub(crate) fn span(&self, place: Place) -> Option<usize> {
        if self.width == 0 || self.height == 0 || self.depth == 0 {
            return Some(0);
        }
        let slices = (self.depth - 1).checked_mul(place.slice)?;
        let rows = (self.height - 1).checked_mul(place.pitch)?;
        slices.checked_add(rows)?.checked_add(self.width)
    }

    pub(crate) fn run(&self) {
        for slice in 0..self.depth {
            for row in 0..self.height {
                let to = self.to.row(slice, row) as *mut u8;
                match self.from {
                    Source::Memory(from) => {
                        let from = from.row(slice, row) as *const u8;
                        // SAFETY: device memory was checked to hold the span, host memory is as the caller promises.
                        unsafe { std::ptr::copy(from, to, self.width) };
                    }
                    Source::Value(value, size) => fill(to, value, size, self.width),
                }
            }
        }
    }
}

fn fill(to: *mut u8, value: u32, size: usize, width: usize) {
    if size == 1 {
        // SAFETY: as for copies.
        return unsafe { to.write_bytes(value as u8, width) };
    }
    let bytes = value.to_ne_bytes();
    for at in (0..width).step_by(size) {
        // SAFETY: as for copies; the width is a whole number of values, and the little-endian bytes come first.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.add(at), size) };
    }
}
