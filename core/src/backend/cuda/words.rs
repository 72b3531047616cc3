//! Words in memory that the host and a device share, for gates.

use super::native::NativeContext;
use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::os::SharedFile;
use crate::process;
use crate::status::Status;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The words of a block, which is a page: twice as many as a context has gates in queues.
const WORDS: usize = 1 << 10;
/// CU_MEMHOSTREGISTER_PORTABLE and _DEVICEMAP.
const PORTABLE_AND_MAPPED: u32 = 3;

/// Memory that the host and a context's device share. It is never unmapped, as the host may write it when the context is gone.
type Block = [AtomicU32; WORDS];

/// A word of a block, and its address on the device.
#[derive(Clone, Copy)]
pub(super) struct Word {
    pub(super) word: &'static AtomicU32,
    pub(super) on_device: u64,
}

/// The free words of a context.
#[derive(Default)]
pub(super) struct Words(Mutex<Vec<Word>>);

impl Words {
    /// Takes a free word, or makes some.
    pub(super) fn take(&self, context: &NativeContext) -> Result<Word> {
        let mut free = self.0.lock();
        if free.is_empty() {
            *free = make_words(context)?;
        }
        free.pop().ok_or(Error::Internal)
    }

    /// Frees a word.
    pub(super) fn put(&self, word: Word) {
        self.0.lock().push(word);
    }
}

/// All blocks, which exit opens.
static BLOCKS: Mutex<Vec<&'static Block>> = Mutex::new(Vec::new());

/// Makes the words of a new block.
fn make_words(context: &NativeContext) -> Result<Vec<Word>> {
    let (Some(register), Some(address)) = (context.driver.host_register, context.driver.host_device_pointer) else {
        return Err(Error::Backend(Status::NOT_SUPPORTED));
    };
    let bytes = size_of::<Block>();
    // Shared: a fork copies nothing that the device has.
    let file = SharedFile::create(bytes as u64).map_err(|_| Error::OutOfMemory)?;
    let memory = file.map(0, bytes).map_err(|_| Error::OutOfMemory)?;
    let start = memory.start().as_ptr().cast::<c_void>();
    let mut on_device = 0;
    // SAFETY: the memory is as long, and is never unmapped once it is registered.
    context.with_current(|| unsafe { register(start, bytes, PORTABLE_AND_MAPPED) })?;
    std::mem::forget(memory);
    // SAFETY: the memory is registered, and the pointer valid.
    context.with_current(|| unsafe { address(&mut on_device, start, 0) })?;
    // SAFETY: zeros of the right length and alignment, which stay mapped and are only accessed as atomics.
    let block = unsafe { &*start.cast::<Block>() };
    BLOCKS.lock().push(block);
    process::before_exit(open_all);
    let places = (on_device..).step_by(size_of::<AtomicU32>());
    Ok(block.iter().zip(places).map(|(word, on_device)| Word { word, on_device }).collect())
}

/// Opens all gates at exit, as no thread will open them any more: each word's next value opens its gate.
fn open_all() {
    if let Some(blocks) = BLOCKS.try_lock_until(Instant::now() + Duration::from_millis(500)) {
        for word in blocks.iter().copied().flatten() {
            word.fetch_add(1, Ordering::SeqCst);
        }
    }
}
