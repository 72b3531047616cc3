//! Anonymous shared memory: sealed memfds.
//!
//! Such a file has no path. A process that has its [`FileName`] opens it through the entry of its maker in /proc.
//!
//! A process that joins a file holds a record lock of fcntl(2) on the byte of its number. The kernel ends the lock with the process,
//! at `exec`, and when the process closes any descriptor of the file. A child of a fork does not have it. So whether the lock is
//! there says whether the process is.

use super::process::open_descriptor;
use super::thread::Uncancelled;
use crate::os::FileName;
use std::fs::{File, OpenOptions};
use std::io::{Error, Result};
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::ptr::NonNull;

/// Against cutting the memory off under its users.
const SEALS: i32 = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;

/// What the kernel calls the files of [`SharedFile::create`].
const LINK: &str = "/memfd:gevt (deleted)";

/// Identifies a file to the system's functions.
pub type Descriptor = RawFd;

/// Memory that processes share, as a file of fixed length.
pub struct SharedFile {
    file: ManuallyDrop<File>,
    inode: u64,
}

impl Drop for SharedFile {
    fn drop(&mut self) {
        let _uncancelled = Uncancelled::new();
        // SAFETY: the file is not used after this.
        unsafe { ManuallyDrop::drop(&mut self.file) };
    }
}

impl SharedFile {
    /// Makes a file of zeros.
    pub fn create(bytes: u64) -> Result<SharedFile> {
        let _uncancelled = Uncancelled::new();
        let file = anonymous_file()?;
        if !may_be_long(bytes) {
            return Err(Error::from_raw_os_error(libc::ENOMEM));
        }
        file.set_len(bytes)?;
        // SAFETY: a call without pointers.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, SEALS) } != 0 {
            return Err(Error::last_os_error());
        }
        let inode = file.metadata()?.ino();
        Ok(SharedFile { file: ManuallyDrop::new(file), inode })
    }

    /// Returns the name by which other processes open the file.
    pub fn name(&self) -> FileName {
        let descriptor = self.file.as_raw_fd().cast_unsigned();
        FileName { process: std::process::id(), descriptor, inode: self.inode }
    }

    /// Returns the file, for mapping it.
    pub fn descriptor(&self) -> Descriptor {
        self.file.as_raw_fd()
    }

    /// Makes this process a member with that number for as long as it keeps the file; false if another one has the number. No other
    /// [`SharedFile`] of this process may be the same file: closing that one would end the membership.
    pub(crate) fn join(&self, member: u32) -> Result<bool> {
        let lock = lock_of(member);
        // SAFETY: the pointer is valid, and the call does not keep it.
        if unsafe { libc::fcntl(self.descriptor(), libc::F_SETLK, &raw const lock) } == 0 {
            return Ok(true);
        }
        match Error::last_os_error() {
            error if matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES)) => Ok(false),
            error => Err(error),
        }
    }

    /// Returns whether another process is the member with that number. If that cannot be learned, it counts as one.
    pub(crate) fn has_member(&self, member: u32) -> bool {
        let mut lock = lock_of(member);
        // SAFETY: the pointer is valid, and the call does not keep it.
        let code = unsafe { libc::fcntl(self.descriptor(), libc::F_GETLK, &raw mut lock) };
        code != 0 || i32::from(lock.l_type) != libc::F_UNLCK
    }

    /// Opens the file of that length and name. Only a file that was made by [`SharedFile::create`] is touched.
    pub fn open(name: FileName, bytes: u64) -> Result<SharedFile> {
        let _uncancelled = Uncancelled::new();
        let refused = || Error::from_raw_os_error(libc::EBADF);
        // Checked before it is opened: opening some things does something, some file systems never answer, and closing a file that this
        // process has joined ends its membership. Held by a descriptor that can do nothing, so the same file is opened afterwards.
        let hold = |path: &str| OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path);
        let held = open_descriptor(name.process, name.descriptor, hold)?;
        let path = format!("/proc/thread-self/fd/{}", held.as_raw_fd());
        if std::fs::read_link(&path)?.as_os_str() != LINK || held.metadata()?.ino() != name.inode {
            return Err(refused());
        }
        let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
        let file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(&path)?;
        // SAFETY: a call without pointers.
        let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
        let fits = file.metadata()?.len() == bytes && seals >= 0 && seals & SEALS == SEALS;
        if fits { Ok(SharedFile { file: ManuallyDrop::new(file), inode: name.inode }) } else { Err(refused()) }
    }

    /// Maps a part of the file, from a page's begin on. It stays mapped after the file is closed.
    pub(crate) fn map(&self, offset: u64, length: usize) -> Result<Mapping> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let offset = libc::off_t::try_from(offset).map_err(|_| Error::from_raw_os_error(libc::EINVAL))?;
        let file = self.file.as_raw_fd();
        // SAFETY: a new mapping, at a place that the kernel chooses.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), length, access, libc::MAP_SHARED, file, offset) };
        if start == libc::MAP_FAILED {
            return Err(Error::last_os_error());
        }
        NonNull::new(start.cast()).map(|start| Mapping { start, length }).ok_or_else(Error::last_os_error)
    }
}

/// Mapped memory, which other processes may change at any time. Its seals keep the file as long as the mapping.
pub(crate) struct Mapping {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the memory belongs to no thread, and `start` gives a pointer alone.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    pub(crate) fn start(&self) -> NonNull<u8> {
        self.start
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: what `map` has mapped; references to it do not outlive `self`.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
    }
}

fn lock_of(member: u32) -> libc::flock {
    libc::flock {
        l_type: libc::F_WRLCK as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: member.into(),
        l_len: 1,
        l_pid: 0,
    }
}

/// A file without a name.
fn anonymous_file() -> Result<File> {
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    // Asked of the kernel: the C library's function is not in all that gevt runs with, which go back to glibc 2.17.
    // SAFETY: the name is a C string.
    let create = |flags: libc::c_uint| unsafe { libc::syscall(libc::SYS_memfd_create, c"gevt".as_ptr(), flags) };
    // Some systems refuse files without this flag. Older kernels do not know it.
    let descriptor = match create(flags | libc::MFD_NOEXEC_SEAL) {
        -1 => create(flags),
        descriptor => descriptor,
    };
    let Some(descriptor) = i32::try_from(descriptor).ok().filter(|descriptor| *descriptor >= 0) else {
        return Err(Error::last_os_error());
    };
    // SAFETY: the call has just made the descriptor, and nothing else has it.
    Ok(unsafe { File::from_raw_fd(descriptor) })
}

/// Returns whether the process may make a file of that length: a longer one would raise a signal.
fn may_be_long(bytes: u64) -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is valid.
    unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) == 0 && limit.rlim_cur >= bytes }
}
