//! Anonymous shared memory, in files of many pages: a process has few descriptors, and may export many events.
//!
//! Nobody knows such a file by a name. Whoever has a handle opens it through its exporter's entry in /proc, maps the one page
//! that it needs, and closes it again. The memory goes with the last process that maps any of it.

use super::page::Page;
use crate::error::{Error, Result};
use crate::status::Status;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use std::fs::{File, Metadata, OpenOptions};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::ptr::NonNull;
use std::sync::Arc;

/// Pages of a block.
const PAGES: u32 = 256;
const BYTES: u64 = PAGES as u64 * size_of::<Page>() as u64;
/// Against cutting the memory off under its users.
const SEALS: i32 = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;

/// Mapped pages.
struct Mapping {
    first: NonNull<Page>,
    pages: u32,
}

// SAFETY: the memory is made of atomics alone, and belongs to no thread.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    fn new(file: &File, first: u32, pages: u32) -> Option<Mapping> {
        let page = size_of::<Page>();
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let length = page * pages as usize;
        let offset = libc::off_t::try_from(page as u64 * u64::from(first)).ok()?;
        // SAFETY: a new mapping, at a place that the kernel chooses.
        let start =
            unsafe { libc::mmap(std::ptr::null_mut(), length, access, libc::MAP_SHARED, file.as_raw_fd(), offset) };
        if start == libc::MAP_FAILED {
            return None;
        }
        NonNull::new(start.cast()).map(|first| Mapping { first, pages })
    }

    fn page(&self, index: u32) -> &Page {
        assert!(index < self.pages);
        // SAFETY: within the mapping, which lasts as long as `self`. Its file is as long as the mapping, by its maker or by
        // `open`, and its seals keep it so. Every bit pattern is a page of atomics.
        unsafe { self.first.add(index as usize).as_ref() }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: what `new` has mapped; references to it do not outlive `self`.
        unsafe { libc::munmap(self.first.as_ptr().cast(), size_of::<Page>() * self.pages as usize) };
    }
}

/// A file of this process's, mapped as a whole.
struct Block {
    file: File,
    inode: u64,
    memory: Mapping,
    /// Pages that were used and never exported.
    free: Mutex<Vec<u32>>,
}

impl Block {
    fn create() -> Result<Block> {
        let file = anonymous_file().map_err(|error| match error.raw_os_error() {
            Some(libc::ENOSYS | libc::EPERM) => Error::Backend(Status::NOT_SUPPORTED),
            _ => Error::OutOfMemory,
        })?;
        if !may_be_long() || file.set_len(BYTES).is_err() {
            return Err(Error::OutOfMemory);
        }
        // SAFETY: a call without pointers.
        let sealed = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, SEALS) };
        let memory = Mapping::new(&file, 0, PAGES).filter(|_| sealed == 0).ok_or(Error::OutOfMemory)?;
        let inode = file.metadata().map_err(|_| Error::OutOfMemory)?.ino();
        Ok(Block { file, inode, memory, free: Mutex::default() })
    }
}

/// Pages that this process gives out.
struct Own {
    /// The block that pages are taken from, and how many were.
    current: Option<(Arc<Block>, u32)>,
    /// The block before it. Kept, so that an event can be opened until as many others were exported as a block has pages, even
    /// if it was destroyed at once.
    previous: Option<Arc<Block>>,
}

static OWN: Mutex<Own> = Mutex::new(Own { current: None, previous: None });

/// The page of one event.
pub(super) enum PagePlace {
    /// In this process's own memory.
    Own(OwnPage),
    /// In another's, mapped by itself.
    Foreign(ForeignPage),
}

pub(super) struct OwnPage {
    block: Arc<Block>,
    index: u32,
    /// What the page was exported under.
    nonce: OnceCell<[u64; 2]>,
}

pub(super) struct ForeignPage(Mapping);

impl PagePlace {
    pub(super) fn page(&self) -> &Page {
        match self {
            PagePlace::Own(own) => own.block.memory.page(own.index),
            PagePlace::Foreign(foreign) => foreign.0.page(0),
        }
    }
}

impl OwnPage {
    /// A page that no other process knows.
    pub(super) fn take() -> Result<OwnPage> {
        let mut own = OWN.lock();
        if let Some((block, used)) = &mut own.current {
            let reused = block.free.lock().pop();
            let index = reused.unwrap_or(*used);
            if index < PAGES {
                *used += u32::from(reused.is_none());
                return Ok(OwnPage { block: block.clone(), index, nonce: OnceCell::new() });
            }
        }
        let block = Arc::new(Block::create()?);
        let full = own.current.replace((block.clone(), 1));
        let unused = std::mem::replace(&mut own.previous, full.map(|(block, _)| block));
        drop(own);
        drop(unused);
        Ok(OwnPage { block, index: 0, nonce: OnceCell::new() })
    }

    /// The descriptor and the inode of the page's file, and its place there.
    pub(super) fn address(&self) -> (u32, u64, u32) {
        (self.block.file.as_raw_fd().cast_unsigned(), self.block.inode, self.index)
    }

    /// What tells the event from others, made when it is first exported.
    pub(super) fn nonce(&self) -> Result<[u64; 2]> {
        let nonce = self.nonce.get_or_try_init(|| {
            let nonce = super::random::pair()?;
            self.block.memory.page(self.index).set_nonce(nonce);
            Ok(nonce)
        });
        nonce.copied()
    }
}

impl Drop for OwnPage {
    fn drop(&mut self) {
        // A process that opened the page may use it for ever: it serves no other event. The block goes with the last of its.
        if self.nonce.get().is_none() {
            // Whose record it was, says nothing of the next event.
            self.block.memory.page(self.index).record_done();
            self.block.free.lock().push(self.index);
        }
    }
}

impl ForeignPage {
    /// Opens the page of that number in the file that the process has under the descriptor. Only a file that was made like
    /// this process's own is touched.
    pub(super) fn open(pid: u32, descriptor: u32, inode: u64, page: u32) -> std::io::Result<ForeignPage> {
        let refused = || std::io::Error::from_raw_os_error(libc::EBADF);
        let path = format!("/proc/{pid}/fd/{descriptor}");
        let device = device_of_anonymous_files()?;
        let fits = |about: &Metadata| {
            about.dev() == device && about.ino() == inode && about.len() == BYTES && about.file_type().is_file()
        };
        // Looked at before it is opened: opening some things does something, and some file systems never answer. Held by a
        // descriptor that can do nothing, so that it is what is opened then.
        let held = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(&path)?;
        if page >= PAGES || known_device(&held).is_some_and(|known| known != device) || !fits(&held.metadata()?) {
            return Err(refused());
        }
        let path = format!("/proc/self/fd/{}", held.as_raw_fd());
        let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
        let file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(&path)?;
        // SAFETY: a call without pointers.
        let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
        if !fits(&file.metadata()?) || seals < 0 || seals & SEALS != SEALS {
            return Err(refused());
        }
        Mapping::new(&file, page, 1).map(ForeignPage).ok_or_else(std::io::Error::last_os_error)
    }
}

/// A file without a name.
fn anonymous_file() -> std::io::Result<File> {
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    // SAFETY: the name is a C string.
    let create = |flags| unsafe { libc::memfd_create(c"gevt".as_ptr(), flags) };
    // Some systems allow no other; older kernels do not know it.
    let descriptor = match create(flags | libc::MFD_NOEXEC_SEAL) {
        -1 => create(flags),
        descriptor => descriptor,
    };
    if descriptor < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and nobody else's.
    Ok(unsafe { File::from_raw_fd(descriptor) })
}

/// The number of the file system in which the kernel keeps such files, and nothing that anybody else can make.
fn device_of_anonymous_files() -> std::io::Result<u64> {
    static DEVICE: OnceCell<u64> = OnceCell::new();
    DEVICE.get_or_try_init(|| Ok(anonymous_file()?.metadata()?.dev())).copied()
}

/// The number of the file system that a file is in, without a question to that file system; `None` where the kernel cannot tell.
fn known_device(file: &File) -> Option<u64> {
    let flags = libc::AT_EMPTY_PATH | libc::AT_STATX_DONT_SYNC;
    let mut about = std::mem::MaybeUninit::<libc::statx>::zeroed();
    // SAFETY: the path is a C string, and the result has room. Not by the C library's function, which older ones lack.
    let code = unsafe {
        libc::syscall(libc::SYS_statx, file.as_raw_fd(), c"".as_ptr(), flags, libc::STATX_INO, about.as_mut_ptr())
    };
    // SAFETY: zeros are a value of the type, as whatever the kernel has written is.
    let about = unsafe { about.assume_init() };
    (code == 0).then(|| libc::makedev(about.stx_dev_major, about.stx_dev_minor))
}

/// A file longer than the process may make would bring a signal.
fn may_be_long() -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is valid.
    unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) == 0 && limit.rlim_cur >= BYTES }
}
