//! Reads memory that may not be mapped.

/// The most bytes that are read at once.
const MOST: usize = 64;

/// Returns whether there is memory at the address, all of it zero as far as an object would reach. Never faults.
pub(crate) fn reads_as_zero(address: usize) -> bool {
    read(address, MOST).is_ok_and(|bytes| bytes.iter().all(|byte| *byte == 0))
}

/// What the system says of memory that may not be mapped.
pub(crate) enum Reached {
    /// Its first bytes.
    Bytes([u8; MOST]),
    /// There is no memory.
    Nothing,
    /// The system does not answer: seccomp may forbid the call.
    Unknown,
}

/// Reads so many bytes at the address, which the kernel may copy one by one. Never faults.
pub(crate) fn reach(address: usize, len: usize) -> Reached {
    match read(address, len) {
        Ok(bytes) => Reached::Bytes(bytes),
        Err(libc::EFAULT) => Reached::Nothing,
        Err(_) => Reached::Unknown,
    }
}

/// Where memory may end.
pub(crate) const PAGE: usize = 4096;

/// Copies bytes that may not be mapped; `None` if not all of them are, or the system does not answer. Never faults.
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

/// Returns the bytes from an address on, up to where memory ends. They are read a page at a time, when they are needed. Never faults,
/// except where the system does not answer: there the memory is read as it is.
///
/// # Safety
/// There is memory at the address, and no byte behind its end is taken from the iterator.
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
        // It begins in memory, and ends beyond.
        _ => Err(libc::EFAULT),
    }
}

/// Fills the bytes with what is at an address; returns how many there were, or the system's error.
fn copy_to(bytes: &mut [u8], address: usize) -> Result<usize, i32> {
    let to = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let from = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: bytes.len() };
    // SAFETY: the kernel checks the source itself and reports EFAULT if it is not mapped; it writes only to `bytes`.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &to, 1, &from, 1, 0) };
    usize::try_from(read).map_err(|_| std::io::Error::last_os_error().raw_os_error().unwrap_or(0))
}
