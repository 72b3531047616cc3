//! Reads memory that may not be mapped.

/// Returns whether there is memory at the address, all of it zero as far as an object would reach. Never faults.
pub(crate) fn reads_as_zero(address: usize) -> bool {
    let mut bytes = [1u8; 64];
    let to = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let from = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: bytes.len() };
    // SAFETY: the kernel checks the source itself and reports EFAULT if it is not mapped; it writes only to `bytes`.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &to, 1, &from, 1, 0) };
    read == bytes.len() as isize && bytes.iter().all(|byte| *byte == 0)
}
