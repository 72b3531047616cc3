//! Memory pools that processes share. A file without a path stands for a pool; the memory of its blocks is that of `ipc_memory`.

use crate::anonymous_file::AnonymousFile;
use crate::block::{self, Block, Kind};
use crate::code::{Code, Result};
use crate::handle::Handle;
use crate::pool::{self, DESCRIPTOR, Location, ON_DEVICE, Origin, Pool};
use crate::{context, device, ipc_memory};
use parking_lot::Mutex;
use std::os::fd::RawFd;
use std::sync::Arc;

/// How such a file begins; the pool's place follows, in two numbers of four bytes. A device has its own number there, as processes may see
/// other devices, or see them in another order.
const MARK: [u8; 8] = *b"gevtPOL2";
const LEN: usize = 16;
/// The file never changes. The system may add seals of its own.
const SEALS: i32 = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_WRITE | libc::F_SEAL_SEAL;

/// Blocks of imported pools that are open.
static OPENED: Mutex<Vec<Opened>> = Mutex::new(Vec::new());

/// A block of an imported pool that is or was open.
#[derive(Clone, Copy)]
pub(crate) struct Opened {
    pool: Handle,
    name: [u8; 64],
    start: usize,
    /// How often it was imported, and not freed.
    count: usize,
}

/// What two processes know of a pool.
pub(crate) struct Shared {
    file: AnonymousFile,
    /// The same number in both; no other pool has it while one of them has the file.
    number: u64,
}

impl Shared {
    fn new(file: AnonymousFile) -> Result<Arc<Shared>> {
        let (_, number) = file.about().ok_or(Code::OPERATING_SYSTEM)?;
        Ok(Arc::new(Shared { file, number }))
    }

    fn create(location: Location) -> Result<Arc<Shared>> {
        let Location { kind, id } = location;
        let id = if kind == ON_DEVICE { device::own_number(id) } else { id };
        let text = [&MARK[..], &kind.to_ne_bytes(), &id.to_ne_bytes()].concat();
        Shared::new(AnonymousFile::create(&text, LEN, SEALS).ok_or(Code::OPERATING_SYSTEM)?)
    }
}

/// Returns what a pool is to other processes, which is made when first asked for. It has to be a pool that may be shared.
fn shared(handle: Handle, pool: &Pool) -> Result<Arc<Shared>> {
    if pool.handle_types & DESCRIPTOR == 0 {
        return Err(Code::INVALID_VALUE);
    }
    let mut known = pool.shared.lock();
    // A pool that is destroyed after this takes its file away; one that was destroyed before gets none.
    pool::get(handle)?;
    if known.is_none() {
        *known = Some(Shared::create(pool.location)?);
    }
    known.clone().ok_or(Code::INVALID_VALUE)
}

/// Returns a descriptor of a pool for another process.
pub(crate) fn export(handle: Handle, form: i32) -> Result<RawFd> {
    let pool = pool::get(handle)?;
    if pool.origin == Origin::Imported {
        return Err(Code::INVALID_VALUE);
    }
    if form != DESCRIPTOR {
        return Err(if form != 0 && pool.handle_types & form == form {
            Code::NOT_SUPPORTED
        } else {
            Code::INVALID_VALUE
        });
    }
    shared(handle, pool)?.file.export()
}

/// Makes a pool of a descriptor, which stays the caller's. Only a file of [`Shared::create`]'s is taken; any other is UNKNOWN, as
/// a driver says.
pub(crate) fn import(file: RawFd, form: i32) -> Result<Handle> {
    if form != DESCRIPTOR {
        return Err(Code::INVALID_VALUE);
    }
    let file = AnonymousFile::open(file, SEALS)?;
    let text: [u8; LEN] = file.first().ok_or(Code::UNKNOWN)?;
    let (mark, place) = text.split_at(MARK.len());
    let word = |at: usize| place[at..at + 4].try_into().map(i32::from_ne_bytes).unwrap_or_default();
    if mark != MARK {
        return Err(Code::UNKNOWN);
    }
    let (kind, id) = (word(0), word(4));
    let id = if kind == ON_DEVICE { device::by_own_number(id)? } else { id };
    pool::import(Location { kind, id }, Shared::new(file)?)
}

/// Returns the 64 bytes by which another process that has the pool opens the pool's block there. The pool has to be exported before.
pub(crate) fn export_pointer(address: usize) -> Result<[u8; 64]> {
    let block = block::find(address).filter(|block| block.kind == Kind::Device && block.start == address);
    let (block, pool) = block.and_then(|block| Some((block, block.pool?))).ok_or(Code::INVALID_VALUE)?;
    let shared = pool.shared.lock().clone().ok_or(Code::INVALID_VALUE)?;
    ipc_memory::export_block(&block, shared.number)
}

/// Opens a block of a pool that was imported; opened again, it has the same address.
pub(crate) fn import_pointer(handle: Handle, name: &[u8; 64]) -> Result<usize> {
    let (context, pool) = (context::current()?, pool::get(handle)?);
    if pool.origin != Origin::Imported {
        return Err(Code::INVALID_VALUE);
    }
    let mut opened = OPENED.lock();
    if let Some(known) = opened.iter_mut().find(|opened| opened.pool == handle && opened.name == *name) {
        known.count += 1;
        return Ok(known.start);
    }
    let (start, len) = ipc_memory::open_block(name, shared(handle, pool)?.number)?;
    opened.push(Opened { pool: handle, name: *name, start, count: 1 });
    Block::shared(context, start, len, pool).put_back();
    Ok(start)
}

/// Counts that the block there is freed once, and returns how it stands then, if it is of an imported pool.
pub(crate) fn close(start: usize) -> Option<Opened> {
    let mut opened = OPENED.lock();
    let at = opened.iter().position(|opened| opened.start == start)?;
    opened[at].count -= 1;
    let closed = opened[at];
    if !closed.is_open() {
        opened.swap_remove(at);
    }
    Some(closed)
}

/// Opens a block again that was not freed after all.
pub(crate) fn reopen(closed: Option<Opened>) {
    OPENED.lock().extend(closed.map(|closed| Opened { count: 1, ..closed }));
}

impl Opened {
    /// Returns whether it was imported more often than it was freed.
    pub(crate) fn is_open(&self) -> bool {
        self.count > 0
    }
}
