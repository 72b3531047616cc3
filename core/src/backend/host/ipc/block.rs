//! Shared memory in files of many pages, as a process has few descriptors and may export many events.
//!
//! A process that has a handle opens the file through its exporter's entry in /proc, and maps the one page that it needs. A write
//! outside of that page by mistake harms no other event. The memory goes with the last process that has it. Each process that has a file is a member of it, so the others see when it ends: see `os/linux/memory.rs`.

use super::page::{PEER, Page};
use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::os::{FileName, Mapping, SharedFile, has_ended, is_shortage, random};
use crate::status::Status;
use std::io::ErrorKind;
use std::mem::ManuallyDrop;
use std::sync::{Arc, Weak};

const NO_SHARED_MEMORY: Error = Error::Unsupported("events between processes need Linux, 3.17 or later");

/// Pages of a block.
pub(super) const PAGES: u32 = 256;
const PAGE: usize = size_of::<Page>();
const BYTES: u64 = PAGES as u64 * PAGE as u64;

/// How many numbers a process tries. Another member may have one; only one that keeps to no rule has them all.
const TRIES: u32 = 16;

/// A file that this process has joined.
struct Block {
    file: SharedFile,
    /// This process's number among the members of the file.
    me: u32,
    is_foreign: bool,
}

/// This process's blocks.
struct Blocks {
    all: Vec<Weak<Block>>,
    /// The block that pages are given out from, and the one before it. So an event can be opened until as many others were exported as a block
    /// has pages, even if it was destroyed at once.
    own: [Option<Arc<Block>>; 2],
    /// How many pages of the first one were given out. None is given out twice.
    taken: u32,
}

/// A file is opened and closed under this lock: closing one that was opened again would end the membership.
static BLOCKS: Mutex<Blocks> = Mutex::new(Blocks { all: Vec::new(), own: [None, None], taken: 0 });

impl Block {
    fn join(file: SharedFile, is_foreign: bool) -> std::io::Result<Arc<Block>> {
        for _ in 0..TRIES {
            let me = (random() & PEER.max()).max(1) as u32;
            if file.join(me)? {
                return Ok(Arc::new(Block { file, me, is_foreign }));
            }
        }
        Err(ErrorKind::ResourceBusy.into())
    }
}

/// The page of one event.
pub(super) struct SharedPage {
    block: ManuallyDrop<Arc<Block>>,
    index: u32,
    memory: Mapping,
}

impl SharedPage {
    fn map(block: Arc<Block>, index: u32) -> std::io::Result<SharedPage> {
        let memory = block.file.map(u64::from(index) * PAGE as u64, PAGE)?;
        Ok(SharedPage { block: ManuallyDrop::new(block), index, memory })
    }

    /// Returns a page that no other process knows.
    pub(super) fn take() -> Result<SharedPage> {
        let refused = |error: std::io::Error| match error.kind() {
            ErrorKind::Unsupported => NO_SHARED_MEMORY,
            ErrorKind::PermissionDenied => Error::Backend(Status::NOT_SUPPORTED),
            _ => Error::OutOfMemory,
        };
        let mut blocks = BLOCKS.lock();
        let current = blocks.own[0].clone().filter(|_| blocks.taken < PAGES);
        let block = match current {
            Some(block) => block,
            None => {
                let block = SharedFile::create(BYTES).and_then(|file| Block::join(file, false)).map_err(refused)?;
                blocks.all.push(Arc::downgrade(&block));
                blocks.own = [Some(block.clone()), blocks.own[0].take()];
                blocks.taken = 0;
                block
            }
        };
        blocks.taken += 1;
        SharedPage::map(block, blocks.taken - 1).map_err(refused)
    }

    /// Opens the page of that number, less than [`PAGES`], in a file that another process has made, and still has.
    pub(super) fn open(exporter: u32, name: FileName, index: u32) -> Result<SharedPage> {
        let refused = |error: std::io::Error| match error.kind() {
            _ if has_ended(name.process) => Error::PeerGone(Status::MAP_FAILED),
            ErrorKind::PermissionDenied => Error::IpcForeignUser,
            _ if is_shortage(&error) => Error::OutOfMemory,
            ErrorKind::Unsupported => NO_SHARED_MEMORY,
            _ => Error::IpcBadHandle,
        };
        let mut blocks = BLOCKS.lock();
        let known = blocks.all.iter().filter_map(Weak::upgrade).find(|block| block.file.name().inode == name.inode);
        // Another copy of the library in this process has other files, and closing one here would end its membership.
        let is_own = std::process::id() == name.process;
        let block = match known {
            _ if is_own => return Err(Error::IpcSameProcess),
            Some(block) if !block.is_foreign => return Err(Error::IpcSameProcess),
            Some(block) => block,
            None => {
                let joined = SharedFile::open(name, BYTES).and_then(|file| Block::join(file, true));
                joined.map_err(refused).inspect(|block| blocks.all.push(Arc::downgrade(block)))?
            }
        };
        if !block.file.has_member(exporter) {
            return Err(Error::PeerGone(Status::MAP_FAILED));
        }
        SharedPage::map(block, index).map_err(refused)
    }

    pub(super) fn page(&self) -> &Page {
        // SAFETY: the mapping is of one page and lasts as long as `self`. `take` and `open` checked that the file has the page. Every bit
        // pattern is a page of atomics.
        unsafe { self.memory.start().cast::<Page>().as_ref() }
    }

    pub(super) fn is_foreign(&self) -> bool {
        self.block.is_foreign
    }

    /// Returns this process's number among the members of the file.
    pub(super) fn me(&self) -> u32 {
        self.block.me
    }

    /// Returns whether the process of that number has ended, or has closed the memory.
    pub(super) fn is_gone(&self, member: u32) -> bool {
        member != self.block.me && !self.block.file.has_member(member)
    }

    /// The name of the page's file, and its place there.
    pub(super) fn address(&self) -> (FileName, u32) {
        (self.block.file.name(), self.index)
    }
}

impl Drop for SharedPage {
    fn drop(&mut self) {
        let mut blocks = BLOCKS.lock();
        // SAFETY: the value is not used again.
        unsafe { ManuallyDrop::drop(&mut self.block) };
        blocks.all.retain(|block| block.strong_count() > 0);
    }
}
