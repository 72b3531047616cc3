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

/// Mappings end at multiples of this.
pub(crate) const PAGE: usize = 4096;

/// Copies bytes that may not be mapped. Returns `None` if some are not mapped or the system call fails. Never faults.
pub(crate) fn copy(address: usize, len: usize) -> Option<Vec<u8>> {
    const PIECE: usize = 64 << 10;
    address.checked_add(len)?;
    let mut bytes = Vec::new();
    while bytes.len() < len {
        let done = bytes.len();
        let piece = PIECE.min(len - done);
        bytes.try_reserve(piece).ok()?;
        bytes.resize(done + piece, 0);
        copy_to(&mut bytes[done..], address + done).ok().filter(|read| *read == piece)?;
    }
    Some(bytes)
}

/// Returns the bytes from an address up to the end of the mapped memory. Reads one page at a time, on demand. Never faults unless the
/// system call fails: then it reads the memory directly.
///
/// # Safety
/// Memory is mapped at the address, and the caller takes no byte past its end from the iterator.
pub(crate) unsafe fn bytes(address: usize) -> impl Iterator<Item = u8> + Clone {
    let is_unknown = matches!(reach(address, 1), Reached::Unknown);
    let copies = std::iter::successors(Some(address), |at| (at - at % PAGE).checked_add(PAGE))
        .map_while(|at| copy(at, PAGE - at % PAGE))
        .flatten();
    // SAFETY: the caller's promise.
    let direct = (0..).take_while(move |_| is_unknown).map(move |at| unsafe { (address as *const u8).add(at).read() });
    copies.chain(direct)
}

fn read(address: usize, len: usize) -> Result<[u8; MOST], i32> {
    let mut bytes = [1u8; MOST];
    let len = len.min(MOST);
    match copy_to(&mut bytes[..len], address)? {
        read if read == len => Ok(bytes),
        // The bytes begin in mapped memory and end in unmapped memory.
        _ => Err(libc::EFAULT),
    }
}

/// Fills the buffer from an address. Returns how many bytes were read, or the system's error.
fn copy_to(bytes: &mut [u8], address: usize) -> Result<usize, i32> {
    let to = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let from = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: bytes.len() };
    // SAFETY: the kernel checks the source itself and reports EFAULT if it is not mapped; it writes only to `bytes`.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &to, 1, &from, 1, 0) };
    usize::try_from(read).map_err(|_| std::io::Error::last_os_error().raw_os_error().unwrap_or(0))
}
