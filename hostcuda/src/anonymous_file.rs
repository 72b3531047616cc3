//! Files without a path, in memory alone. Other processes open them by a descriptor that they are given.

use crate::code::{Code, Result};
use crate::report::uncancelled;
use std::fs::File;
use std::io::{Error, Write as _};
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd as _, FromRawFd as _, IntoRawFd as _, RawFd};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};

/// A file. Opening, reading and closing it are not cancellation points.
pub(crate) struct AnonymousFile(ManuallyDrop<File>);

impl Drop for AnonymousFile {
    fn drop(&mut self) {
        // SAFETY: nobody uses the file after this.
        uncancelled(|| unsafe { ManuallyDrop::drop(&mut self.0) });
    }
}

impl AnonymousFile {
    fn of(file: File) -> AnonymousFile {
        AnonymousFile(ManuallyDrop::new(file))
    }

    /// Makes a file that begins with those bytes, and seals it; `None` if the system has none to give.
    pub(crate) fn create(first: &[u8], len: usize, seals: i32) -> Option<AnonymousFile> {
        let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
        // Asked of the kernel, as glibc 2.17 has no such function.
        // SAFETY: the name is a C string; the result is a descriptor of nobody else's, or -1.
        let create =
            |flags: libc::c_uint| unsafe { libc::syscall(libc::SYS_memfd_create, c"gevt-hostcuda".as_ptr(), flags) };
        // Some systems refuse files without this flag. Older kernels do not know it.
        let descriptor = match create(flags | libc::MFD_NOEXEC_SEAL) {
            -1 => create(flags),
            descriptor => descriptor,
        };
        let descriptor = RawFd::try_from(descriptor).ok().filter(|descriptor| *descriptor >= 0)?;
        // SAFETY: as above.
        let mut file = AnonymousFile::of(unsafe { File::from_raw_fd(descriptor) });
        uncancelled(|| file.0.write_all(first).and_then(|()| file.0.set_len(len as u64))).ok()?;
        // SAFETY: a call with numbers only.
        (unsafe { libc::fcntl(file.descriptor(), libc::F_ADD_SEALS, seals) } == 0).then_some(file)
    }

    /// Opens the file of a descriptor, which stays the caller's. One without those seals is UNKNOWN, as a driver says.
    pub(crate) fn open(descriptor: RawFd, seals: i32) -> Result<AnonymousFile> {
        // SAFETY: a call with numbers only; the result is a descriptor of nobody else's, or -1.
        let own = unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 0) };
        if own < 0 {
            let is_none = Error::last_os_error().raw_os_error() == Some(libc::EBADF);
            return Err(if is_none { Code::UNKNOWN } else { Code::OPERATING_SYSTEM });
        }
        // SAFETY: as above.
        let file = AnonymousFile::of(unsafe { File::from_raw_fd(own) });
        // SAFETY: a call with numbers only.
        let found = unsafe { libc::fcntl(own, libc::F_GET_SEALS) };
        if found < 0 || found & seals != seals { Err(Code::UNKNOWN) } else { Ok(file) }
    }

    pub(crate) fn descriptor(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// Returns a descriptor for another process, which is the caller's.
    pub(crate) fn export(&self) -> Result<RawFd> {
        self.0.try_clone().map(File::into_raw_fd).map_err(|_| Code::OPERATING_SYSTEM)
    }

    /// Returns its length, and the number that no other such file has while it is open.
    pub(crate) fn about(&self) -> Option<(usize, u64)> {
        let about = self.0.metadata().ok()?;
        Some((usize::try_from(about.len()).ok()?, about.ino()))
    }

    /// Reads the first bytes; `None` if there are fewer.
    pub(crate) fn first<const LEN: usize>(&self) -> Option<[u8; LEN]> {
        let mut bytes = [0; LEN];
        uncancelled(|| self.0.read_exact_at(&mut bytes, 0)).ok().map(|()| bytes)
    }
}
