//! Between C and the rest: arguments as C passes them, results as C expects them, and no panic across.

use crate::code::{Code, Result};
use crate::{context, device, stream};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

static INITIALIZED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static LAST: Cell<i32> = const { Cell::new(0) };
}

/// A place of the caller's for a result.
///
/// It comes from the arguments of exported functions alone, whose callers promise that it is NULL or can be written.
#[repr(transparent)]
pub(crate) struct Out<T>(*mut T);

impl<T> Copy for Out<T> {}

impl<T> Clone for Out<T> {
    fn clone(&self) -> Out<T> {
        *self
    }
}

impl<T> Out<T> {
    /// For a result that a form of a function does not have.
    pub(crate) const NONE: Out<T> = Out(std::ptr::null_mut());

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// A place of this library's own.
    pub(crate) fn of(place: &mut T) -> Out<T> {
        Out(place)
    }

    /// Refuses NULL, before anything is made that would have to be undone.
    pub(crate) fn check(self) -> Result<Out<T>> {
        if self.0.is_null() { Err(Code::INVALID_VALUE) } else { Ok(self) }
    }

    /// Writes the result; NULL is INVALID_VALUE.
    pub(crate) fn set(self, value: T) -> Result {
        self.check()?;
        // SAFETY: the caller of the exported function promises a place that can be written.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Writes the result where the caller wants it.
    pub(crate) fn offer(self, value: T) {
        if !self.is_null() {
            let _ = self.set(value);
        }
    }

    /// What is there now; NULL is INVALID_VALUE.
    pub(crate) fn get(self) -> Result<T>
    where
        T: Copy,
    {
        self.check()?;
        // SAFETY: the caller of the exported function promises a place that can be read.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// The place that comes `count` later in an array of the caller's.
    pub(crate) fn at(self, count: usize) -> Out<T> {
        Out(self.0.wrapping_add(count))
    }

    /// The same place, for a result of four bytes.
    pub(crate) fn narrow(self) -> Out<u32> {
        Out(self.0.cast())
    }

    /// The place itself.
    pub(crate) fn pointer(self) -> *mut T {
        self.0
    }
}

/// A stream argument: a handle, or one of the numbers 0, 1, 2.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct StreamArg(pub(crate) usize);

impl StreamArg {
    pub(crate) const DEFAULT: StreamArg = StreamArg(0);
    pub(crate) const PER_THREAD: StreamArg = StreamArg(2);

    /// As the functions read it whose default stream is the calling thread's own.
    pub(crate) fn per_thread(self) -> StreamArg {
        if self == StreamArg::DEFAULT { StreamArg::PER_THREAD } else { self }
    }

    pub(crate) fn get(self) -> Result<&'static stream::Stream> {
        stream::get(self.0)
    }
}

/// A pointer of the caller's that goes with its work to another thread.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct User(pub(crate) *mut c_void);

// SAFETY: the caller promises that its function may be called with the argument on another thread.
unsafe impl Send for User {}
// SAFETY: as above.
unsafe impl Sync for User {}

/// Marks the driver as initialised.
pub(crate) fn initialize() -> Result {
    gevt_core::host_api::check()?;
    if device::count() == 0 {
        return Err(Code::NO_DEVICE);
    }
    gevt_core::host_api::watch()?;
    INITIALIZED.store(true, Ordering::Release);
    Ok(())
}

/// Runs the body of the exported function `name`. As each tells its own, no two of them are the same code and share an
/// address.
#[inline]
fn guarded(name: &'static str, body: impl FnOnce() -> Result) -> i32 {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(code)) => code.0,
        Err(_) => panicked(name),
    }
}

#[cold]
fn panicked(name: &'static str) -> i32 {
    eprintln!("gevt-hostcuda: {name} met an internal error");
    Code::UNKNOWN.0
}

/// A driver call that works before cuInit.
#[inline]
pub(crate) fn always(name: &'static str, body: impl FnOnce() -> Result) -> i32 {
    guarded(name, body)
}

/// A driver call.
#[inline]
pub(crate) fn driver(name: &'static str, body: impl FnOnce() -> Result) -> i32 {
    guarded(name, || {
        if !INITIALIZED.load(Ordering::Acquire) {
            return Err(Code::NOT_INITIALIZED);
        }
        gevt_core::host_api::check()?;
        body()
    })
}

/// A runtime call: initialises the driver at first, and keeps a failure for cudaGetLastError.
#[inline]
pub(crate) fn runtime(name: &'static str, body: impl FnOnce() -> Result) -> i32 {
    let code = guarded(name, || {
        if !INITIALIZED.load(Ordering::Acquire) {
            initialize()?;
        }
        gevt_core::host_api::check()?;
        body()
    });
    set_last(code);
    code
}

/// A runtime call that works in a context: where the thread has none, it gets its device's primary one.
#[inline]
pub(crate) fn inside(name: &'static str, body: impl FnOnce() -> Result) -> i32 {
    runtime(name, || {
        context::enter()?;
        body()
    })
}

fn set_last(code: i32) {
    if code != 0 && code != Code::NOT_READY.0 {
        LAST.set(code);
    }
}

/// The calling thread's last error of the runtime API; `clear` forgets it.
pub(crate) fn last(clear: bool) -> i32 {
    if clear { LAST.replace(0) } else { LAST.get() }
}

/// Says once for each function that it is not there.
fn complain(name: &'static str) {
    static TOLD: parking_lot::Mutex<BTreeSet<&str>> = parking_lot::Mutex::new(BTreeSet::new());
    if TOLD.lock().insert(name) {
        eprintln!("gevt-hostcuda: {name} needs a GPU, or is not served: it answers NOT_SUPPORTED");
    }
}

/// A driver function that is not served.
#[cold]
pub(crate) fn absent_driver(name: &'static str) -> i32 {
    always(name, || {
        complain(name);
        Err(Code::NOT_SUPPORTED)
    })
}

/// A runtime function that is not served.
#[cold]
pub(crate) fn absent_runtime(name: &'static str) -> i32 {
    runtime(name, || {
        complain(name);
        Err(Code::NOT_SUPPORTED)
    })
}

/// Defines exported functions that return a code. The first word says which of this module's functions runs the body.
///
/// `fn name | name_ptsz(…) on stream` defines two: the second takes stream 0 as the calling thread's own. With
/// `at stream`, the function has no stream argument, and the name stands for the default stream of each of the two.
macro_rules! exports {
    ($way:ident;) => {};
    ($way:ident; $(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block $($rest:tt)*) => {
        $(#[$meta])*
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $ty),*) -> i32 {
            crate::boundary::$way(stringify!($name), || $body)
        }
        $crate::boundary::exports! { $way; $($rest)* }
    };
    ($way:ident; $(#[$meta:meta])* fn $name:ident | $own:ident($($arg:ident: $ty:ty),* $(,)?) on $stream:ident $body:block $($rest:tt)*) => {
        $(#[$meta])*
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $ty),*) -> i32 {
            crate::boundary::$way(stringify!($name), || $body)
        }
        $(#[$meta])*
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $own($($arg: $ty),*) -> i32 {
            let $stream = $stream.per_thread();
            crate::boundary::$way(stringify!($own), || $body)
        }
        $crate::boundary::exports! { $way; $($rest)* }
    };
    ($way:ident; $(#[$meta:meta])* fn $name:ident | $own:ident($($arg:ident: $ty:ty),* $(,)?) at $stream:ident $body:block $($rest:tt)*) => {
        $(#[$meta])*
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $ty),*) -> i32 {
            let $stream = $crate::boundary::StreamArg::DEFAULT;
            crate::boundary::$way(stringify!($name), || $body)
        }
        $(#[$meta])*
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $own($($arg: $ty),*) -> i32 {
            let $stream = $crate::boundary::StreamArg::PER_THREAD;
            crate::boundary::$way(stringify!($own), || $body)
        }
        $crate::boundary::exports! { $way; $($rest)* }
    };
}
pub(crate) use exports;
