//! Reads memory that may not be mapped.

/// The most bytes of one read.
const MOST: usize = 64;

/// Returns whether memory is mapped at the address, with zeros where an object would be. Never faults.
pub(crate) fn reads_as_zero(address: usize) -> bool {
    read(address, MOST).is_ok_and(|bytes| bytes.iter().all(|byte| *byte == 0))
}

/// The result of reading memory that may not be mapped.
pub(crate) enum Reached {
    /// The first bytes.
    Bytes([u8; MOST]),
    /// No memory is mapped.
    Nothing,
    /// The system call fails for another reason. For example, seccomp may forbid it.
    Unknown,
}

/// Reads `len` bytes at the address. The kernel may copy them one by one. Never faults.
pub(crate) fn reach(address: usize, len: usize) -> Reached {
    match read(address, len) {
        Ok(bytes) => Reached::Bytes(bytes),
        Err(libc::EFAULT) => Reached::Nothing,
        Err(_) => Reached::Unknown,
    }
}

fn read(address: usize, len: usize) -> Result<[u8; MOST], i32> {
    let mut bytes = [1u8; MOST];
    let len = len.min(MOST);
    let to = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: len };
    let from = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: len };
    // SAFETY: the kernel checks the source itself and reports EFAULT if it is not mapped; it writes only to `bytes`.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &to, 1, &from, 1, 0) };
    match usize::try_from(read) {
        Ok(read) if read == len => Ok(bytes),
        // The bytes begin in mapped memory and end in unmapped memory.
        Ok(_) => Err(libc::EFAULT),
        Err(_) => Err(std::io::Error::last_os_error().raw_os_error().unwrap_or(0)),
    }
}
