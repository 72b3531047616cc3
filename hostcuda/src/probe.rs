//! Reads memory that may not be mapped.

/// The most bytes that are read at once.
const MOST: usize = 64;

/// Returns whether there is memory at the address, all of it zero as far as an object would reach. Never faults.
pub(crate) fn reads_as_zero(address: usize) -> bool {
    read(address, MOST).is_ok_and(|bytes| bytes.iter().all(|byte| *byte == 0))
}

/// Returns whether there is memory at the address. Never faults. Where the system does not answer, there is.
pub(crate) fn is_mapped(address: usize, len: usize) -> bool {
    !matches!(read(address, len), Err(libc::EFAULT))
}

fn read(address: usize, len: usize) -> Result<[u8; MOST], i32> {
    let mut bytes = [1u8; MOST];
    let to = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: len.min(MOST) };
    let from = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: len.min(MOST) };
    // SAFETY: the kernel checks the source itself and reports EFAULT if it is not mapped; it writes only to `bytes`.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &to, 1, &from, 1, 0) };
    match usize::try_from(read) {
        Ok(read) if read == to.iov_len => Ok(bytes),
        // It begins in memory, and ends beyond.
        Ok(_) => Err(libc::EFAULT),
        Err(_) => Err(std::io::Error::last_os_error().raw_os_error().unwrap_or(0)),
    }
}
