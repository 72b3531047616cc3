//! Gates of CUDA streams: a stream waits, without a thread, until a word in the host's memory reaches a value. The host opens the
//! gate by writing the value.
//!
//! A word only grows, so it serves the next gate as soon as it was written: streams that have not passed the gate before find a
//! greater value. A stream cannot fail: `gate_failures.rs` keeps how its gates were opened.

use super::context::Cuda;
use super::{Code, raw};
use crate::backend::{HostFn, NativeStream};
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

/// The words of a block, of 64 KiB.
const WORDS: usize = 1 << 14;
/// CU_MEMHOSTREGISTER_PORTABLE and _DEVICEMAP.
const PORTABLE_AND_MAPPED: u32 = 3;
/// CU_STREAM_WAIT_VALUE_GEQ: the word has reached the value.
const AT_LEAST: u32 = 0;

/// Opens the word or the function at which a stream waits.
type Open = Box<dyn FnOnce(Status) + Send>;

/// Memory that the host and a context's device share. It is never unmapped, as the host may write it when the context is gone.
struct Block {
    words: &'static [AtomicU32; WORDS],
    /// The address that the device uses.
    on_device: u64,
    /// The current value of each word, or the value that is about to be written.
    targets: Vec<AtomicU32>,
}

/// A word, and the value that opens the gate.
#[derive(Clone, Copy)]
struct Place {
    block: &'static Block,
    index: usize,
}

/// The words of a context.
#[derive(Default)]
pub(super) struct Gates(Mutex<Words>);

#[derive(Default)]
struct Words {
    blocks: Vec<&'static Block>,
    /// Words of the last block that were used.
    used: usize,
    free: Vec<Place>,
}

/// All blocks, which exit opens.
static BLOCKS: Mutex<Vec<&'static Block>> = Mutex::new(Vec::new());

impl Place {
    fn open(self, value: u32) {
        self.block.words[self.index].store(value, Ordering::Release);
    }
}

impl Block {
    /// Opens all gates.
    fn open(&self) {
        for (word, target) in self.words.iter().zip(&self.targets) {
            word.store(target.load(Ordering::SeqCst), Ordering::SeqCst);
        }
    }

    fn new(context: &Cuda) -> Result<&'static Block> {
        let (Some(register), Some(address)) = (context.driver.host_register, context.driver.host_device_pointer) else {
            return Err(Error::Backend(Status::NOT_SUPPORTED));
        };
        let bytes = size_of::<[AtomicU32; WORDS]>();
        let targets = (0..WORDS).map(|_| AtomicU32::new(0)).collect();
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
        // SAFETY: zeros of the right length and alignment, which stay mapped and which only this block refers to.
        let words = unsafe { &*start.cast::<[AtomicU32; WORDS]>() };
        let block: &'static Block = Box::leak(Box::new(Block { words, on_device, targets }));
        BLOCKS.lock().push(block);
        process::before_exit(open_all);
        Ok(block)
    }
}

/// Opens all gates at exit, as no thread will open them any more.
fn open_all() {
    if let Some(blocks) = BLOCKS.try_lock_until(Instant::now() + Duration::from_millis(500)) {
        blocks.iter().for_each(|block| block.open());
    }
}

impl Gates {
    fn take(&self, context: &Cuda) -> Result<Place> {
        let mut words = self.0.lock();
        if let Some(place) = words.free.pop() {
            return Ok(place);
        }
        if words.blocks.is_empty() || words.used == WORDS {
            let block = Block::new(context)?;
            words.blocks.push(block);
            words.used = 0;
        }
        // So that giving one back never allocates.
        let all = (words.blocks.len() - 1) * WORDS + words.used + 1;
        words.free.try_reserve(all).map_err(|_| Error::OutOfMemory)?;
        let (block, index) = (*words.blocks.last().ok_or(Error::Internal)?, words.used);
        words.used += 1;
        Ok(Place { block, index })
    }

    fn put(&self, place: Place) {
        self.0.lock().free.push(place);
    }
}

/// Waits for a gate, on the driver's thread.
extern "C" fn wait_for_gate(user: *mut c_void) {
    // SAFETY: `Cuda::gate_by_function` made it, and the driver runs a function that it has taken once at the most.
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
        let key = self.key_of(stream)?;
        let outcome = self.stream_gates.add_gate(key)?;
        let open = match self.gate_by_word(stream) {
            Err(Error::Backend(Status::NOT_SUPPORTED)) => self.gate_by_function(stream),
            open => open,
        };
        let open = open.inspect_err(|_| self.stream_gates.withdraw(key, &outcome))?;
        Ok(Opener::new(move |opening| {
            // Before opening: work after the gate must see how it was opened.
            outcome.set(opening);
            open(opening.status());
        }))
    }

    fn gate_by_word(&'static self, stream: NativeStream) -> Result<Open> {
        let wait = self.driver.wait_value.ok_or(Error::Backend(Status::NOT_SUPPORTED))?;
        let place = self.gates.take(self)?;
        let target = &place.block.targets[place.index];
        let value = target.load(Ordering::SeqCst).wrapping_add(1);
        target.store(value, Ordering::SeqCst);
        let address = place.block.on_device + (size_of::<AtomicU32>() * place.index) as u64;
        // SAFETY: the stream lives, by the trait's contract, and the word as long as the process.
        let given = self.on_stream(stream, || unsafe { wait(raw(stream), address, value, AT_LEAST) });
        if given.is_err() || process::is_over() {
            place.open(value);
        }
        given.inspect_err(|_| self.gates.put(place))?;
        Ok(Box::new(move |_| {
            place.open(value);
            self.gates.put(place);
        }))
    }

    /// For drivers whose streams cannot wait for a word: the driver's thread waits, which can hold up functions of other streams.
    fn gate_by_function(&'static self, stream: NativeStream) -> Result<Open> {
        let gate = Gate::new();
        let user = Arc::into_raw(gate.clone()).cast_mut().cast::<c_void>();
        let HostFn { function, user } = HostFn { function: wait_for_gate, user };
        // SAFETY: the stream lives, by the trait's contract; the function takes what it is given.
        let launch = || -> Code { unsafe { (self.driver.launch_host)(raw(stream), function, user) } };
        if let Err(error) = self.on_stream(stream, launch) {
            // SAFETY: made above, and the driver has not taken it.
            drop(unsafe { Arc::from_raw(user.cast::<Gate>()) });
            return Err(error);
        }
        Ok(Box::new(move |status| _ = gate.open(status)))
    }
}
