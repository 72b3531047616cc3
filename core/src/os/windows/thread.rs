//! Threads: how they start and end, and what they are doing.

use std::cell::Cell;
use std::ffi::c_void;
use std::os::windows::io::{AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::time::Duration;
use windows_sys::Win32::Foundation::{FILETIME, HANDLE};
use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleA, GetProcAddress};
use windows_sys::Win32::System::Threading::{
    CreateThread, FlushProcessWriteBuffers, GetCurrentThread, GetThreadTimes, STACK_SIZE_PARAM_IS_A_RESERVATION,
    SetThreadDescription,
};

/// What a new thread begins with.
struct Start {
    /// In UTF-16, with a NUL.
    name: [u16; 32],
    body: Box<dyn FnOnce() + Send>,
}

/// Starts a detached thread; false if the system cannot.
pub(crate) fn spawn(name: &str, stack: usize, body: Box<dyn FnOnce() + Send>) -> bool {
    let mut start = Box::new(Start { name: [0; 32], body });
    start.name.iter_mut().zip(name.encode_utf16().take(31)).for_each(|(place, unit)| *place = unit);
    let start = Box::into_raw(start);
    let flags = STACK_SIZE_PARAM_IS_A_RESERVATION;
    // SAFETY: `run` takes the box that it is given.
    let handle = unsafe { CreateThread(std::ptr::null(), stack, Some(run), start.cast(), flags, std::ptr::null_mut()) };
    if handle.is_null() {
        // SAFETY: no thread has taken the box.
        drop(unsafe { Box::from_raw(start) });
        return false;
    }
    // SAFETY: the handle is new, and no other code has it. The thread runs on without it.
    drop(unsafe { OwnedHandle::from_raw_handle(handle) });
    true
}

unsafe extern "system" fn run(start: *mut c_void) -> u32 {
    // SAFETY: `spawn` gives each thread its own box.
    let Start { name, body } = *unsafe { Box::from_raw(start.cast::<Start>()) };
    // SAFETY: a string that ends with a NUL.
    unsafe { SetThreadDescription(GetCurrentThread(), name.as_ptr()) };
    // The panic's message has been written; the process continues without the thread.
    let _ = catch_unwind(AssertUnwindSafe(body));
    0
}

/// Windows has no cancellation of threads.
pub struct Uncancelled(());

impl Uncancelled {
    /// Does nothing.
    #[expect(clippy::new_without_default, reason = "it is no value, but a state of the thread")]
    pub fn new() -> Uncancelled {
        Uncancelled(())
    }
}

impl Drop for Uncancelled {
    fn drop(&mut self) {}
}

thread_local! {
    /// What to call when the thread ends.
    static END: Cell<Option<extern "C" fn(*mut c_void)>> = const { Cell::new(None) };
}

/// Calls `end` when the calling thread ends.
pub(crate) fn at_thread_end(end: extern "C" fn(*mut c_void)) -> bool {
    END.set(Some(end));
    true
}

/// The calling thread ends. What runs may register a function again, as often as POSIX has it run destructors.
pub(super) fn end() {
    for _ in 0..4 {
        END.take().into_iter().for_each(|end| end(std::ptr::null_mut()));
    }
}

/// Returns whether the system has [`barrier_of_process`]. Windows does, and some versions of wine only pretend to.
pub(crate) fn has_barrier_of_process() -> bool {
    static HAS_BARRIER: OnceLock<bool> = OnceLock::new();
    *HAS_BARRIER.get_or_init(|| {
        // SAFETY: the names are C strings. The library is part of every process.
        let wine = unsafe {
            GetProcAddress(GetModuleHandleA(c"ntdll.dll".as_ptr().cast()), c"wine_get_version".as_ptr().cast())
        };
        wine.is_none()
    })
}

/// A full memory barrier on every thread of the process, between two of its instructions; false if the system has none.
pub(crate) fn barrier_of_process() -> bool {
    let has_barrier = has_barrier_of_process();
    if has_barrier {
        // SAFETY: takes no pointer.
        unsafe { FlushProcessWriteBuffers() };
    }
    has_barrier
}

/// Windows has no signals that a thread could block.
pub(crate) fn without_signals<T>(start: impl FnOnce() -> T) -> T {
    start()
}

/// How long the calling thread has run.
pub(crate) fn time_of_thread() -> Duration {
    // SAFETY: takes no pointer.
    time_of(unsafe { GetCurrentThread() }).unwrap_or_default()
}

/// How long a thread has run, as the system's clock interrupts have seen it; `None` for a handle of no thread.
fn time_of(thread: HANDLE) -> Option<Duration> {
    let [mut begun, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: the pointers are valid for writes, and a bad handle is an error of the call's.
    let code = unsafe { GetThreadTimes(thread, &mut begun, &mut ended, &mut kernel, &mut user) };
    let hundreds = |time: FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    (code != 0).then(|| Duration::from_nanos((hundreds(kernel) + hundreds(user)) * 100))
}

/// The processor time of a thread of this process, for other threads.
pub(crate) struct ThreadClock(Option<OwnedHandle>);

impl ThreadClock {
    pub(crate) fn of_this_thread() -> ThreadClock {
        // SAFETY: the handle means the calling thread, and need not be closed.
        let current = unsafe { BorrowedHandle::borrow_raw(GetCurrentThread()) };
        ThreadClock(current.try_clone_to_owned().ok())
    }

    /// Returns how much time the thread has used.
    pub(crate) fn used(&self) -> Option<Duration> {
        time_of(self.0.as_ref()?.as_raw_handle())
    }

    /// The system does not say whether a thread waits for a core.
    pub(crate) fn wants_core(&self) -> Option<bool> {
        None
    }
}
