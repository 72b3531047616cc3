//! A thread that polls the words that streams wait for, instead of blocking workers.

use crate::code::{Code, Result};
use crate::own_event::OwnEvent;
use crate::word::{Found, WordWait};
use gevt_core::lock::{Condvar, Mutex};
use gevt_core::{Context, Event, EventFlags, Status, Stream, lifecycle, process};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The shortest and the longest time between two polls. In between, it is a fixed fraction of how long the newest wait has lasted.
const SHORTEST: Duration = Duration::from_micros(20);
const LONGEST: Duration = Duration::from_millis(1);
const PART: u32 = 32;

/// The status of a wait whose memory was freed: CUDA_ERROR_ILLEGAL_ADDRESS.
const ILLEGAL_ADDRESS: Status = Status(700);

struct Pending {
    wait: WordWait,
    /// What the stream waits for.
    barrier: Arc<OwnEvent>,
    since: Instant,
}

static PENDING: Mutex<Vec<Pending>> = Mutex::new(Vec::new());
static CALL: Condvar = Condvar::new();
static STARTED: Mutex<bool> = Mutex::new(false);

/// Releases the stream if the word has the value, or if its memory is gone.
fn open_if(barrier: &OwnEvent, found: Found) -> bool {
    let status = match found {
        Found::Met => Status::SUCCESS,
        Found::Nothing => ILLEGAL_ADDRESS,
        Found::NotYet => return false,
    };
    let _ = barrier.0.signal(status);
    true
}

/// Makes the stream wait for a word from this point on.
pub(crate) fn give(context: Context, stream: Stream, wait: WordWait) -> Result {
    start()?;
    let barrier = Arc::new(OwnEvent(Event::create_in(context, EventFlags::HOST_SIGNALED)?));
    let looked_at = barrier.clone();
    stream.launch(move || {
        if !open_if(&looked_at, wait.look()) {
            PENDING.lock().push(Pending { wait, barrier: looked_at, since: Instant::now() });
            CALL.notify_one();
        }
    })?;
    Ok(stream.wait(barrier.0)?)
}

/// Requests a poll now, because a word may have been written. A poller that is about to rest polls after its rest.
pub(crate) fn look_now() {
    CALL.notify_one();
}

fn start() -> Result {
    let mut started = STARTED.lock();
    *started = *started || lifecycle::start_thread("hostcuda-poll", poll);
    if *started { Ok(()) } else { Err(Code::OUT_OF_MEMORY) }
}

/// Polls the words until process exit begins. The program may free them after that.
fn poll() {
    while process::check().is_ok() {
        let mut pending = PENDING.lock();
        pending = match pending.iter().map(|pending| pending.since.elapsed()).min() {
            None => CALL.wait(pending),
            Some(latest) => CALL.wait_for(pending, (latest / PART).clamp(SHORTEST, LONGEST)).0,
        };
        if process::check().is_err() {
            return;
        }
        let found: Vec<_> = pending.extract_if(.., |pending| open_if(&pending.barrier, pending.wait.look())).collect();
        drop(pending);
        drop(found);
    }
}
