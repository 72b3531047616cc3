//! Threads: how they end, and what they are doing.

use std::cell::Cell;
use std::ffi::c_void;
use std::os::windows::io::{AsRawHandle, BorrowedHandle, OwnedHandle};
use std::sync::OnceLock;
use std::time::Duration;
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleA, GetProcAddress};
use windows_sys::Win32::System::Threading::{FlushProcessWriteBuffers, GetCurrentThread, GetThreadTimes};

/// Starts a detached thread; false if the system cannot.
pub(crate) fn spawn(name: &str, stack: usize, body: Box<dyn FnOnce() + Send>) -> bool {
    std::thread::Builder::new().name(name.into()).stack_size(stack).spawn(body).is_ok()
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

/// The processor time of a thread of this process, for other threads.
pub(crate) struct ThreadClock(Option<OwnedHandle>);

impl ThreadClock {
    pub(crate) fn of_this_thread() -> ThreadClock {
        // SAFETY: the handle means the calling thread, and need not be closed.
        let current = unsafe { BorrowedHandle::borrow_raw(GetCurrentThread()) };
        ThreadClock(current.try_clone_to_owned().ok())
    }

    /// Returns how much time the thread has used, as the system's clock interrupts have seen it.
    pub(crate) fn used(&self) -> Option<Duration> {
        let thread = self.0.as_ref()?.as_raw_handle();
        let [mut begun, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
        // SAFETY: the pointers are valid for writes, and the handle is open.
        let code = unsafe { GetThreadTimes(thread, &mut begun, &mut ended, &mut kernel, &mut user) };
        let hundreds = |time: FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
        (code != 0).then(|| Duration::from_nanos((hundreds(kernel) + hundreds(user)) * 100))
    }

    /// The system does not say whether a thread waits for a core.
    pub(crate) fn wants_core(&self) -> Option<bool> {
        None
    }
}
