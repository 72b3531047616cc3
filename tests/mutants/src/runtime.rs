//! Becomes the module `mutants` of the mutated core.

use std::intrinsics::const_eval_select;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::Relaxed};

const UNREAD: u32 = u32::MAX;
/// The mutant that GEVT_MUTANT turns on, or 0.
static ON: AtomicU32 = AtomicU32::new(UNREAD);
/// A byte for each mutant: GEVT_MUTANTS_REACHED names a file that all processes of a test map.
static REACHED: AtomicPtr<u8> = AtomicPtr::new(null_mut());

/// Returns whether a mutant is turned on. At compile time none is.
pub const fn mutant(number: u32) -> bool {
    const fn never(_: u32) -> bool {
        false
    }
    const_eval_select((number,), never, at_run_time)
}

fn at_run_time(number: u32) -> bool {
    let on = match ON.load(Relaxed) {
        UNREAD => read(),
        on => on,
    };
    let reached = REACHED.load(Relaxed);
    if !reached.is_null() {
        // SAFETY: the file has a byte for each mutant.
        unsafe { reached.add(number as usize).write_volatile(1) };
    }
    on == number
}

// Without an allocation: some tests let those fail.
#[cold]
fn read() -> u32 {
    // SAFETY: both names end with a NUL, and no thread changes the environment while gevt starts.
    let (number, file) =
        unsafe { (libc::getenv(c"GEVT_MUTANT".as_ptr()), libc::getenv(c"GEVT_MUTANTS_REACHED".as_ptr())) };
    if !file.is_null() {
        // SAFETY: a string; the mapping is new, and stays.
        let map = unsafe {
            let descriptor = libc::open(file, libc::O_RDWR | libc::O_CLOEXEC);
            let size = libc::lseek(descriptor, 0, libc::SEEK_END) as usize;
            let map = libc::mmap(null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED, descriptor, 0);
            libc::close(descriptor);
            map
        };
        if map != libc::MAP_FAILED {
            REACHED.store(map.cast(), Relaxed);
        }
    }
    // SAFETY: a string, if it is not NULL.
    let on = if number.is_null() { 0 } else { unsafe { libc::atoi(number) as u32 } };
    ON.store(on, Relaxed);
    on
}
