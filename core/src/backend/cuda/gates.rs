//! Gates of CUDA streams: a stream waits, without a thread, until a word in the host's memory reaches a value. The host opens the
//! gate by writing the value.
//!
//! A word only grows, so it serves the next gate as soon as it was written: streams that have not passed the gate before find a
//! greater value. A stream cannot fail: `gate_failures.rs` keeps the gates that precede its work.

use super::context::Cuda;
use super::native::raw;
use super::words::Word;
use crate::backend::NativeStream;
use crate::error::{Error, Result};
use crate::point::{Gate, Opener};
use crate::process;
use crate::status::Status;
use crate::workers::{Parker, Waiter};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// CU_STREAM_WAIT_VALUE_GEQ: the word has reached the value.
const AT_LEAST: u32 = 0;

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
                self.words.put(word);
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
        let word = self.words.take(self)?;
        let value = word.word.load(Ordering::SeqCst).wrapping_add(1);
        // SAFETY: the stream lives, by the trait's contract, and the word as long as the process.
        let waits =
            self.on_stream(stream, || self.check(unsafe { wait(raw(stream), word.on_device, value, AT_LEAST) }));
        if waits.is_err() || process::is_over() {
            word.word.store(value, Ordering::SeqCst);
        }
        waits.inspect_err(|_| self.words.put(word)).map(|()| (word, value))
    }

    /// For drivers whose streams cannot wait for a word: the driver's thread waits, which can hold up functions of other streams.
    fn wait_in_function(&self, stream: NativeStream, gate: &Arc<Gate>) -> Result<()> {
        let user = Arc::into_raw(gate.clone());
        // SAFETY: the stream lives, by the trait's contract; the function takes what it is given.
        let launch = || unsafe { (self.driver.launch_host)(raw(stream), wait_for_gate, user.cast_mut().cast()) };
        self.on_stream(stream, || self.check(launch())).inspect_err(|_| {
            // SAFETY: made above, and the driver has not taken it.
            drop(unsafe { Arc::from_raw(user) });
        })
    }
}
