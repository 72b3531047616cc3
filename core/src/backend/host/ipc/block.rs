//! Shared memory in files of many pages, as a process has few descriptors and may export many events.
//!
//! A process that has a handle opens the file through its exporter's entry in /proc, and maps the one page that it needs. The memory
//! goes with the last process that has it. Each process that has a file is a member of it, so the others see when it ends: see
//! `os/linux/memory.rs`.

use super::page::{PEER, Page};
use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::os::{FileName, Mapping, SharedFile, has_ended, is_shortage, is_unsupported, number_in_proc, random_bytes};
use crate::status::Status;
use once_cell::sync::OnceCell;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::mem::ManuallyDrop;
use std::sync::Arc;

const NO_SHARED_MEMORY: Error = Error::Unsupported("events between processes need Linux, 3.17 or later");

/// Pages of a block.
pub(super) const PAGES: u32 = 256;
const PAGE: u64 = size_of::<Page>() as u64;
const BYTES: u64 = PAGES as u64 * PAGE;

/// A file that this process has joined.
struct Block {
    file: SharedFile,
    /// This process's number among the members of the file.
    me: u32,
    is_foreign: bool,
    /// Pages that were used and never exported.
    free: Mutex<Vec<u32>>,
}

impl Block {
    /// Makes a file, and maps it as a whole.
    fn create() -> Result<(Arc<Block>, Arc<Mapping>)> {
        let refused = |error: std::io::Error| match error.kind() {
            _ if is_unsupported(&error) => NO_SHARED_MEMORY,
            ErrorKind::PermissionDenied => Error::Backend(Status::NOT_SUPPORTED),
            _ => Error::OutOfMemory,
        };
        let block = SharedFile::create(BYTES).and_then(|file| Block::join(file, false)).map_err(refused)?;
        let memory = block.file.map(0, BYTES as usize).map_err(refused)?;
        OWN_FILES.lock().insert(block.file.inode());
        Ok((block, Arc::new(memory)))
    }

    fn join(file: SharedFile, is_foreign: bool) -> std::io::Result<Arc<Block>> {
        loop {
            let mut bytes = [0; 4];
            if !random_bytes(&mut bytes) {
                return Err(std::io::Error::other("the kernel has no random bytes"));
            }
            let me = (u32::from_ne_bytes(bytes) & PEER.max() as u32).max(1);
            // Another member may have the number.
            if file.join(me)? {
                return Ok(Arc::new(Block { file, me, is_foreign, free: Mutex::default() }));
            }
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if !self.is_foreign {
            OWN_FILES.lock().remove(&self.file.inode());
        }
    }
}

/// Pages that this process gives out.
#[derive(Default)]
pub(super) struct Own {
    /// The block that pages are taken from, its memory, and how many pages were taken.
    current: Option<(Arc<Block>, Arc<Mapping>, u32)>,
    /// The block before it. So an event can be opened until as many others were exported as a block has pages, even if it was
    /// destroyed at once.
    previous: Option<Arc<Block>>,
}

static OWN: Mutex<Own> = Mutex::new(Own { current: None, previous: None });

/// The files of this process's blocks.
static OWN_FILES: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

/// The blocks of other processes. A file is opened and closed under this lock, as closing it a second time would end the membership
/// of the first.
static FOREIGN: Mutex<Vec<Arc<Block>>> = Mutex::new(Vec::new());

/// The page of one event.
pub(super) struct SharedPage {
    block: ManuallyDrop<Arc<Block>>,
    index: u32,
    /// The whole block if this process made it, else this page.
    memory: Arc<Mapping>,
    /// The page has it too once it is exported.
    nonce: OnceCell<[u64; 2]>,
}

impl SharedPage {
    fn new(block: Arc<Block>, index: u32, memory: Arc<Mapping>) -> SharedPage {
        SharedPage { block: ManuallyDrop::new(block), index, memory, nonce: OnceCell::new() }
    }

    /// Returns a page that no other process knows.
    pub(super) fn take() -> Result<SharedPage> {
        SharedPage::take_from(&OWN)
    }

    pub(super) fn take_from(own: &Mutex<Own>) -> Result<SharedPage> {
        let mut own = own.lock();
        if let Some((block, memory, used)) = &mut own.current {
            let reused = block.free.lock().pop();
            let index = reused.unwrap_or(*used);
            if index < PAGES {
                *used += u32::from(reused.is_none());
                return Ok(SharedPage::new(block.clone(), index, memory.clone()));
            }
        }
        let (block, memory) = Block::create()?;
        let full = own.current.replace((block.clone(), memory.clone(), 1));
        let unused = std::mem::replace(&mut own.previous, full.map(|(block, ..)| block));
        drop(own);
        drop(unused);
        Ok(SharedPage::new(block, 0, memory))
    }

    /// Opens the page of that number in a file that another process has made, and still has.
    pub(super) fn open(exporter: u32, name: FileName, index: u32) -> Result<SharedPage> {
        if index >= PAGES {
            return Err(Error::IpcBadHandle);
        }
        let refused = |error: std::io::Error| match error.kind() {
            _ if has_ended(name.process) => Error::PeerGone(Status::MAP_FAILED),
            ErrorKind::PermissionDenied => Error::IpcForeignUser,
            _ if is_shortage(&error) => Error::OutOfMemory,
            _ if is_unsupported(&error) => NO_SHARED_MEMORY,
            _ => Error::IpcBadHandle,
        };
        // Another copy of the library in this process has other files, and closing one here would end its membership.
        if number_in_proc().is_ok_and(|me| me == name.process) || OWN_FILES.lock().contains(&name.inode) {
            return Err(Error::IpcSameProcess);
        }
        let mut foreign = FOREIGN.lock();
        let known = foreign.iter().find(|block| block.file.inode() == name.inode).cloned();
        let block = match known {
            Some(block) => block,
            None => {
                let joined = SharedFile::open(name, BYTES).and_then(|file| Block::join(file, true));
                joined.map_err(refused)?
            }
        };
        if !block.file.has_member(exporter) {
            return Err(Error::PeerGone(Status::MAP_FAILED));
        }
        let mapped = block.file.map(PAGE * u64::from(index), PAGE as usize).map_err(refused)?;
        if Arc::strong_count(&block) == 1 {
            foreign.push(block.clone());
        }
        Ok(SharedPage::new(block, index, Arc::new(mapped)))
    }

    pub(super) fn page(&self) -> &Page {
        let index = if self.is_foreign() { 0 } else { self.index as usize };
        // SAFETY: within the mapping, which lasts as long as `self`, as `take` and `open` checked the index. The mapping is as long as its
        // file, by the file's maker or by `SharedFile::open`. Every bit pattern is a page of atomics.
        unsafe { self.memory.start().cast::<Page>().add(index).as_ref() }
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
    pub(super) fn address(&self) -> std::io::Result<(FileName, u32)> {
        Ok((self.block.file.name()?, self.index))
    }

    /// Returns two numbers that tell the event from others, drawn when it is first exported.
    pub(super) fn nonce(&self) -> Result<[u64; 2]> {
        let nonce = self.nonce.get_or_try_init(|| {
            let nonce = random_pair()?;
            self.page().set_nonce(nonce);
            Ok(nonce)
        });
        nonce.copied()
    }
}

/// Two numbers that no other process can guess; the first is not zero.
fn random_pair() -> Result<[u64; 2]> {
    let mut bytes = [[0; 8]; 2];
    if !random_bytes(bytes.as_flattened_mut()) {
        return Err(Error::Backend(Status::UNKNOWN));
    }
    let [first, second] = bytes.map(u64::from_ne_bytes);
    Ok([first | 1, second])
}

impl Drop for SharedPage {
    fn drop(&mut self) {
        let foreign = self.is_foreign().then(|| FOREIGN.lock());
        if foreign.is_none() && self.nonce.get().is_none() {
            // No other process has it, so another event may. Who completes a record of this one says nothing about that.
            self.page().record_done();
            self.page().set_signalled(false);
            self.block.free.lock().push(self.index);
        }
        // SAFETY: the value is not used again.
        let block = unsafe { ManuallyDrop::take(&mut self.block) };
        if let Some(mut foreign) = foreign {
            // The list has one, and this is the other.
            if Arc::strong_count(&block) == 2 {
                foreign.retain(|other| !Arc::ptr_eq(other, &block));
            }
            drop(block);
        }
    }
}

#[cfg(test)]
impl SharedPage {
    /// The same page of an exported event once more.
    pub(super) fn again(&self) -> SharedPage {
        assert!(self.nonce.get().is_some());
        let block = ManuallyDrop::new((*self.block).clone());
        SharedPage { block, index: self.index, memory: self.memory.clone(), nonce: self.nonce.clone() }
    }
}
