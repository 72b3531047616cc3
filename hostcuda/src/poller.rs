//! A thread that looks at the words that streams wait for, so that no worker has to.

use crate::code::{Code, Result};
use crate::word::{Found, WordWait};
use gevt_core::{Context, Event, EventFlags, Status, Stream, lifecycle, process};
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The least and the greatest time between two looks. Between them it is one part in so many of how long the latest wait has lasted.
const SHORTEST: Duration = Duration::from_micros(20);
const LONGEST: Duration = Duration::from_millis(1);
const PART: u32 = 32;

/// The status of a wait whose memory is gone: CUDA_ERROR_ILLEGAL_ADDRESS.
const ILLEGAL_ADDRESS: Status = Status(700);

/// What a stream stands before while it waits. It ends with its last owner.
struct Barrier(Event);

/// A wait that is under way.
struct Pending {
    wait: WordWait,
    barrier: Arc<Barrier>,
    since: Instant,
}

static PENDING: Mutex<Vec<Pending>> = Mutex::new(Vec::new());
static CALL: Condvar = Condvar::new();
static STARTED: Mutex<bool> = Mutex::new(false);

impl Drop for Barrier {
    fn drop(&mut self) {
        let _ = self.0.destroy();
    }
}

impl Barrier {
    /// Lets the stream go on, if the word is as it was waited for.
    fn open_if(&self, found: Found) -> bool {
        let status = match found {
            Found::Met => Status::SUCCESS,
            Found::Nothing => ILLEGAL_ADDRESS,
            Found::NotYet => return false,
        };
        let _ = self.0.signal(status);
        true
    }
}

/// Lets the stream wait for a word from its present end on.
pub(crate) fn give(context: Context, stream: Stream, wait: WordWait) -> Result {
    start()?;
    let barrier = Arc::new(Barrier(Event::create_in(context, EventFlags::HOST_SIGNALED)?));
    let looked_at = barrier.clone();
    stream.launch(move || {
        if !looked_at.open_if(wait.look()) {
            PENDING.lock().push(Pending { wait, barrier: looked_at, since: Instant::now() });
            CALL.notify_one();
        }
    })?;
    Ok(stream.wait(barrier.0)?)
}

/// Has the words looked at now, as one may have been written.
pub(crate) fn look_now() {
    CALL.notify_one();
}

fn start() -> Result {
    let mut started = STARTED.lock();
    *started = *started || lifecycle::start_thread("hostcuda-poll", poll);
    if *started { Ok(()) } else { Err(Code::OUT_OF_MEMORY) }
}

/// Looks at the words until exit begins: the program may free them then.
fn poll() {
    while process::check().is_ok() {
        let mut pending = PENDING.lock();
        match pending.iter().map(|pending| pending.since.elapsed()).min() {
            None => CALL.wait(&mut pending),
            Some(latest) => _ = CALL.wait_for(&mut pending, (latest / PART).clamp(SHORTEST, LONGEST)),
        }
        if process::check().is_err() {
            return;
        }
        let found: Vec<_> = pending.extract_if(.., |pending| pending.barrier.open_if(pending.wait.look())).collect();
        drop(pending);
        drop(found);
    }
}
