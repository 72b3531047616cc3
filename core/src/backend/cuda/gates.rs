//! Gates of CUDA streams: a stream waits, without a thread, until a word in the host's memory reaches a value. The host opens the
//! gate by writing the value.
//!
//! A word only grows, so it serves the next gate as soon as it was written: streams that have not passed the gate before find a
//! greater value. A stream cannot fail: `gate_failures.rs` keeps the gates that precede its work.

use super::context::Cuda;
use super::raw;
use crate::backend::NativeStream;
use crate::error::{Error, Result};
use crate::lock::Mutex;
use crate::os::SharedFile;
use crate::point::{Gate, Opener};
use crate::process;
use crate::status::Status;
use crate::workers::{Parker, Waiter};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The words of a block, which is a page: twice as many as a context has gates in queues.
const WORDS: usize = 1 << 10;
/// CU_MEMHOSTREGISTER_PORTABLE and _DEVICEMAP.
const PORTABLE_AND_MAPPED: u32 = 3;
/// CU_STREAM_WAIT_VALUE_GEQ: the word has reached the value.
const AT_LEAST: u32 = 0;

/// Memory that the host and a context's device share. It is never unmapped, as the host may write it when the context is gone.
type Block = [AtomicU32; WORDS];

/// A word of a block, and its address on the device.
#[derive(Clone, Copy)]
struct Word {
    word: &'static AtomicU32,
    on_device: u64,
}

/// The free words of a context.
#[derive(Default)]
pub(super) struct Words(Mutex<Vec<Word>>);

/// All blocks, which exit opens.
static BLOCKS: Mutex<Vec<&'static Block>> = Mutex::new(Vec::new());

/// Makes the words of a new block.
fn make_words(context: &Cuda) -> Result<Vec<Word>> {
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

/// Waits for a gate, on the driver's thread.
extern "C" fn wait_for_gate(user: *mut c_void) {
    // SAFETY: `Cuda::wait_in_function` made it, and the driver runs a function that it has taken once at the most.
    let gate = unsafe { Arc::from_raw(user.cast::<Gate>()) };
    let parker = Parker::new();
    while gate.opened().is_none() {
        // An error is the end of the process.
        if gate.notify(Waiter::Thread(parker.clone())).is_none() && parker.park(None).is_err() {
            return;
        }
    }
}

impl Cuda {
    /// Like [`crate::backend::Backend::gate`].
    pub(super) fn gate(&'static self, stream: NativeStream) -> Result<Opener> {
        if self.is_captured(stream)? {
            // A graph would wait each time that it runs.
            return Err(Error::Backend(Status::STREAM_CAPTURE_UNSUPPORTED));
        }
        let gate = Gate::new();
        self.stream_gates.queue(self.key_of(stream)?, &gate)?;
        let word = match self.wait_for_word(stream) {
            Err(Error::Backend(Status::NOT_SUPPORTED)) => self.wait_in_function(stream, &gate).map(|()| None),
            word => word.map(Some),
        };
        let opener = Opener::new(move |status| {
            // First: work after the gate must see how it was opened.
            gate.open(status);
            if let Some((word, value)) = word.ok().flatten() {
                word.word.store(value, Ordering::Release);
                self.words.0.lock().push(word);
            }
            self.stream_gates.opened();
        });
        match word {
            Ok(_) => Ok(opener),
            Err(error) => {
                opener.open(Status::SUCCESS);
                Err(error)
            }
        }
    }

    /// Makes the stream wait until the word has the value.
    fn wait_for_word(&self, stream: NativeStream) -> Result<(Word, u32)> {
        let wait = self.driver.wait_value.ok_or(Error::Backend(Status::NOT_SUPPORTED))?;
        let mut free = self.words.0.lock();
        if free.is_empty() {
            *free = make_words(self)?;
        }
        let word = free.pop().ok_or(Error::Internal)?;
        drop(free);
        let value = word.word.load(Ordering::SeqCst).wrapping_add(1);
        // SAFETY: the stream lives, by the trait's contract, and the word as long as the process.
        let waits = self.on_stream(stream, || unsafe { wait(raw(stream), word.on_device, value, AT_LEAST) });
        if waits.is_err() || process::is_over() {
            word.word.store(value, Ordering::SeqCst);
        }
        waits.inspect_err(|_| self.words.0.lock().push(word)).map(|()| (word, value))
    }

    /// For drivers whose streams cannot wait for a word: the driver's thread waits, which can hold up functions of other streams.
    fn wait_in_function(&self, stream: NativeStream, gate: &Arc<Gate>) -> Result<()> {
        let user = Arc::into_raw(gate.clone());
        // SAFETY: the stream lives, by the trait's contract; the function takes what it is given.
        let launch = || unsafe { (self.driver.launch_host)(raw(stream), wait_for_gate, user.cast_mut().cast()) };
        self.on_stream(stream, launch).inspect_err(|_| {
            // SAFETY: made above, and the driver has not taken it.
            drop(unsafe { Arc::from_raw(user) });
        })
    }
}
