//! Anonymous shared memory, in files of many pages: a process has few descriptors, and may export many events.
//!
//! Nobody knows such a file by a name. Whoever has a handle opens it through its exporter's entry in /proc, maps the one page
//! that it needs, and closes it again. The memory goes with the last process that maps any of it.

use super::page::Page;
use crate::error::{Error, Result};
use crate::os::{FileName, Mapping, ProcessId, SharedFile, is_unsupported};
use crate::status::Status;
use once_cell::sync::OnceCell;
use parking_lot::Mutex;
use std::io::ErrorKind;
use std::sync::Arc;

/// Pages of a block.
const PAGES: u32 = 256;
const BYTES: u64 = PAGES as u64 * size_of::<Page>() as u64;
/// Mapped pages.
struct Pages {
    memory: Mapping,
    count: u32,
}

impl Pages {
    fn map(file: &SharedFile, first: u32, count: u32) -> std::io::Result<Pages> {
        let page = size_of::<Page>();
        let memory = file.map(page as u64 * u64::from(first), page * count as usize)?;
        Ok(Pages { memory, count })
    }

    fn page(&self, index: u32) -> &Page {
        assert!(index < self.count);
        // SAFETY: within the mapping, which lasts as long as `self`, and is as long as its file, by the file's maker or by
        // `SharedFile::open`. Every bit pattern is a page of atomics.
        unsafe { self.memory.start().cast::<Page>().add(index as usize).as_ref() }
    }
}

/// A file of this process's, mapped as a whole.
struct Block {
    file: SharedFile,
    pages: Pages,
    /// Pages that were used and never exported.
    free: Mutex<Vec<u32>>,
}

impl Block {
    fn create() -> Result<Block> {
        let refused = |error: std::io::Error| match error.kind() {
            _ if is_unsupported(&error) => Error::Backend(Status::NOT_SUPPORTED),
            ErrorKind::PermissionDenied => Error::Backend(Status::NOT_SUPPORTED),
            _ => Error::OutOfMemory,
        };
        let file = SharedFile::create(BYTES).map_err(refused)?;
        let pages = Pages::map(&file, 0, PAGES).map_err(|_| Error::OutOfMemory)?;
        Ok(Block { file, pages, free: Mutex::default() })
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

pub(super) struct ForeignPage(Pages);

impl PagePlace {
    pub(super) fn page(&self) -> &Page {
        match self {
            PagePlace::Own(own) => own.block.pages.page(own.index),
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

    /// The name of the page's file, and its place there.
    pub(super) fn address(&self) -> (FileName, u32) {
        (self.block.file.name(), self.index)
    }

    /// What tells the event from others, made when it is first exported.
    pub(super) fn nonce(&self) -> Result<[u64; 2]> {
        let nonce = self.nonce.get_or_try_init(|| {
            let nonce = super::random::pair()?;
            self.block.pages.page(self.index).set_nonce(nonce);
            Ok(nonce)
        });
        nonce.copied()
    }
}

impl Drop for OwnPage {
    fn drop(&mut self) {
        // A process that opened the page may use it for ever: it serves no other event. The block goes with the last of its.
        if self.nonce.get().is_none() {
            // Whose record it was, and who completes it, says nothing of the next event.
            let page = self.block.pages.page(self.index);
            page.record_done();
            page.set_signalled(false);
            self.block.free.lock().push(self.index);
        }
    }
}

impl ForeignPage {
    /// Opens the page of that number in the file that the process has under the name.
    pub(super) fn open(process: ProcessId, name: FileName, page: u32) -> std::io::Result<ForeignPage> {
        if page >= PAGES {
            return Err(std::io::ErrorKind::InvalidInput.into());
        }
        let file = SharedFile::open(process, name, BYTES)?;
        Pages::map(&file, page, 1).map(ForeignPage)
    }
}
