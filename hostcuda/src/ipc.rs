//! Events that processes share: two counters each in anonymous shared memory, which goes with its last user.
//!
//! What a peer can write are counters and a process number: the worst that wrong ones do is a wrong answer.

use crate::code::{Code, Result};
use crate::stream::Stream;
use crate::work::Work;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

const MAGIC: [u8; 8] = *b"gevtHIPC";
/// Slots in one piece of shared memory.
const SLOTS: usize = 4096;
const BYTES: usize = SLOTS * size_of::<Slot>();
/// How often a waiting thread looks whether the process still lives that it waits for.
const INTERVAL: Duration = Duration::from_millis(50);

/// One event in shared memory.
#[repr(C, align(64))]
struct Slot {
    /// Tells handles of this event from others and from garbage; zero before the event is there.
    cookie: AtomicU64,
    /// Records begun, by whichever process.
    recorded: AtomicU64,
    /// The latest of them that is done.
    completed: AtomicU64,
    /// Counts changes of `completed`, for those who wait.
    bell: AtomicU32,
    /// The process that recorded last.
    recorder: AtomicU32,
}

/// A piece of shared memory. Those of this process stay, so that a handle can be opened for as long as it runs.
struct Arena {
    file: File,
    slots: &'static [Slot],
}

/// An event of this process's or of another's.
pub(crate) struct Shared {
    slot: &'static Slot,
    /// How to open it, where it is this process's own.
    origin: Option<(i32, u32)>,
}

static OWN: Mutex<(Vec<Arena>, usize)> = Mutex::new((Vec::new(), 0));
/// The pieces of other processes that were opened, by device and inode number. They stay mapped.
static FOREIGN: Mutex<BTreeMap<(u64, u64), &'static [Slot]>> = Mutex::new(BTreeMap::new());

impl Arena {
    fn create() -> Result<Arena> {
        // SAFETY: the name is a C string; the result is checked.
        let fd = unsafe { libc::memfd_create(c"gevt-events".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
        if fd < 0 {
            return Err(Code::OUT_OF_MEMORY);
        }
        // SAFETY: the descriptor is new and nobody else's.
        let file = unsafe { File::from_raw_fd(fd) };
        file.set_len(BYTES as u64).map_err(|_| Code::OUT_OF_MEMORY)?;
        // SAFETY: a call without pointers. Without the seals a peer could cut the memory off under its users.
        let sealed = unsafe { libc::fcntl(fd, libc::F_ADD_SEALS, SEALS) };
        if sealed < 0 { Err(Code::OUT_OF_MEMORY) } else { Arena::map(file) }
    }

    /// The slots of another process's piece.
    fn open(path: &str) -> Result<&'static [Slot]> {
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(|_| Code::MAP_FAILED)?;
        // SAFETY: a call without pointers.
        let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
        let about = file.metadata().map_err(|_| Code::MAP_FAILED)?;
        if seals < 0 || seals & SEALS != SEALS || about.len() != BYTES as u64 {
            return Err(Code::MAP_FAILED);
        }
        let mut foreign = FOREIGN.lock();
        let key = (about.dev(), about.ino());
        if let Some(slots) = foreign.get(&key) {
            return Ok(slots);
        }
        let slots = Arena::map(file)?.slots;
        foreign.insert(key, slots);
        Ok(slots)
    }

    fn map(file: File) -> Result<Arena> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping of a file of that length, which the seals keep from shrinking.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), BYTES, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        if memory == libc::MAP_FAILED {
            return Err(Code::MAP_FAILED);
        }
        // SAFETY: the mapping holds that many slots, stays for ever, and every bit pattern is a slot of atomics.
        let slots = unsafe { std::slice::from_raw_parts(memory.cast::<Slot>(), SLOTS) };
        Ok(Arena { file, slots })
    }
}

const SEALS: i32 = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;

impl Shared {
    /// Makes an event of this process's. Its slot is not used again: somebody may still hold its handle.
    pub(crate) fn create() -> Result<Arc<Shared>> {
        let mut own = OWN.lock();
        let (arenas, used) = &mut *own;
        if *used == arenas.len() * SLOTS {
            arenas.push(Arena::create()?);
        }
        let arena = arenas.last().ok_or(Code::UNKNOWN)?;
        let index = *used % SLOTS;
        *used += 1;
        arena.slots[index].cookie.store(random()?, Ordering::Release);
        Ok(Arc::new(Shared { slot: &arena.slots[index], origin: Some((arena.file.as_raw_fd(), index as u32)) }))
    }

    /// The event's handle: who made it, where it is, and its cookie.
    pub(crate) fn export(&self) -> Result<[u8; 64]> {
        let (fd, index) = self.origin.ok_or(Code::INVALID_HANDLE)?;
        let cookie = self.slot.cookie.load(Ordering::Relaxed);
        let mut bytes = [0; 64];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&std::process::id().to_ne_bytes());
        bytes[12..16].copy_from_slice(&fd.to_ne_bytes());
        bytes[16..20].copy_from_slice(&index.to_ne_bytes());
        bytes[24..32].copy_from_slice(&cookie.to_ne_bytes());
        Ok(bytes)
    }

    /// Opens the event of a handle. One of this very process is INVALID_CONTEXT.
    pub(crate) fn import(bytes: &[u8; 64]) -> Result<Arc<Shared>> {
        let word = |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let cookie = u64::from(word(24)) | u64::from(word(28)) << 32;
        if bytes[..8] != MAGIC {
            return Err(Code::MAP_FAILED);
        }
        if word(8) == std::process::id() {
            return Err(Code::INVALID_CONTEXT);
        }
        let slots = Arena::open(&format!("/proc/{}/fd/{}", word(8), word(12)))?;
        let slot = slots.get(word(16) as usize).ok_or(Code::MAP_FAILED)?;
        if cookie == 0 || slot.cookie.load(Ordering::Acquire) != cookie {
            return Err(Code::MAP_FAILED);
        }
        Ok(Arc::new(Shared { slot, origin: None }))
    }

    /// Records the event at the stream's present end.
    pub(crate) fn record(&self, stream: &'static Stream) -> Result {
        let slot = self.slot;
        slot.recorder.store(std::process::id(), Ordering::Release);
        let serial = slot.recorded.fetch_add(1, Ordering::AcqRel) + 1;
        let context = stream.context()?;
        if context.host.is_idle(stream.host()?)? {
            slot.complete(serial);
            return Ok(());
        }
        Work::Run(Arc::new(move || slot.complete(serial))).give(stream)
    }

    /// Is the last record done?
    pub(crate) fn query(&self) -> Result<bool> {
        self.slot.is_done(self.slot.recorded.load(Ordering::Acquire))
    }

    /// Waits for the last record, or for the end of the process that made it.
    pub(crate) fn synchronize(&self) -> Result {
        self.slot.wait_for(self.slot.recorded.load(Ordering::Acquire))
    }

    /// Lets the stream wait for the last record. A dead peer's is not waited for.
    pub(crate) fn wait(&self, stream: &'static Stream) -> Result {
        let slot = self.slot;
        let serial = slot.recorded.load(Ordering::Acquire);
        if slot.completed.load(Ordering::Acquire) >= serial {
            return Ok(());
        }
        Work::Run(Arc::new(move || {
            // A stream cannot fail: a dead peer's record counts as done.
            let _ = slot.wait_for(serial);
        }))
        .give(stream)
    }
}

impl Slot {
    fn complete(&self, serial: u64) {
        self.completed.fetch_max(serial, Ordering::AcqRel);
        self.bell.fetch_add(1, Ordering::AcqRel);
        // SAFETY: the word lies in memory that stays mapped.
        unsafe { libc::syscall(libc::SYS_futex, self.bell.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
    }

    fn is_done(&self, serial: u64) -> Result<bool> {
        if self.completed.load(Ordering::Acquire) >= serial {
            return Ok(true);
        }
        let recorder = self.recorder.load(Ordering::Acquire);
        if recorder == std::process::id() || is_alive(recorder) {
            return Ok(false);
        }
        // It may have got there just before it died.
        if self.completed.load(Ordering::Acquire) >= serial { Ok(true) } else { Err(Code::UNKNOWN) }
    }

    fn wait_for(&self, serial: u64) -> Result {
        loop {
            let bell = self.bell.load(Ordering::Acquire);
            if self.is_done(serial)? {
                return Ok(());
            }
            let timeout = libc::timespec { tv_sec: 0, tv_nsec: INTERVAL.as_nanos() as i64 };
            // SAFETY: the word lies in memory that stays mapped; the time outlives the call.
            unsafe { libc::syscall(libc::SYS_futex, self.bell.as_ptr(), libc::FUTEX_WAIT, bell, &raw const timeout) };
        }
    }
}

/// Does the process run? One that has ended and was not waited for does not.
fn is_alive(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // "pid (name) S ...": the name may hold anything, so the state is sought from the end of it.
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}

fn random() -> Result<u64> {
    let mut bytes = [0u8; 8];
    // SAFETY: the call writes at most those bytes.
    let got = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    // Zero marks a slot without an event.
    if got == 8 { Ok(u64::from_ne_bytes(bytes) | 1) } else { Err(Code::UNKNOWN) }
}
