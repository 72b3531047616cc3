use super::*;

extern "C" fn stay(_: *mut libc::c_void) -> *mut libc::c_void {
    loop {
        // SAFETY: takes no pointer.
        unsafe { libc::pause() };
    }
}

/// A child whose first thread ends and whose second thread continues.
fn without_first_thread() -> u32 {
    // SAFETY: the child calls the system alone, and starts a thread that does the same.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            let mut second = 0;
            libc::pthread_create(&raw mut second, std::ptr::null(), stay, std::ptr::null_mut());
            libc::syscall(libc::SYS_exit, 0);
        }
        u32::try_from(child).expect("a child")
    }
}

#[test]
fn a_process_has_not_ended_with_its_first_thread() {
    let child = without_first_thread();
    while state(&format!("/proc/{child}")).expect("it lives") != b'Z' {
        std::thread::yield_now();
    }
    let without_first_thread = has_ended(child);
    // SAFETY: the child is this test's.
    unsafe { libc::kill(child.cast_signed(), libc::SIGKILL) };
    while !has_ended(child) {
        std::thread::yield_now();
    }
    // SAFETY: as above; a null status is not written.
    unsafe { libc::waitpid(child.cast_signed(), std::ptr::null_mut(), 0) };
    assert!(has_ended(child) && !without_first_thread);
}
