//! Events that are shared between processes, and the waits for them at which the driver crashes: those of another device's
//! streams.

use crate::call::{Call, Instead};
use crate::driver::contexts::ContextId;
use crate::driver::relay;
use crate::driver::types::{CUevent, CUstream};
use crate::misuse::Misuse;
use crate::{process, stats};
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// By the events' addresses, the contexts in which they were made or opened. What is kept of a destroyed event goes when
/// another interprocess event gets its address.
static CONTEXTS: Mutex<BTreeMap<usize, ContextId>> = Mutex::new(BTreeMap::new());

/// The event was made or opened in the context that is current.
#[cold]
pub(crate) fn made(event: CUevent) {
    let current = ContextId::current();
    let mut contexts = CONTEXTS.lock();
    match current {
        Some(context) => contexts.insert(event.address(), context),
        None => contexts.remove(&event.address()),
    };
}

/// A stream's wait for an interprocess event. It is answered here if the driver could crash.
#[cold]
pub(crate) fn wait(call: Call, stream: CUstream, event: CUevent, flags: u32) -> Result<(), Instead> {
    let known = CONTEXTS.lock().get(&event.address()).copied();
    let (Some(of_event), Some(of_stream)) = (known, ContextId::of(stream)) else { return Ok(()) };
    if of_event == of_stream {
        return Ok(());
    }
    match (of_event.device(), of_stream.device()) {
        (Some(one), Some(other)) if one != other => {}
        _ => return Ok(()),
    }
    let code = match relay::is_captured(stream, call.function.is_per_thread()) {
        Ok(true) => return Err(Misuse::CapturedWait(event.address()).into()),
        Ok(false) => {
            if call.mode.counts() {
                stats::passed(call.function);
            }
            relay::wait(call.function, stream, of_event, event, flags)
        }
        Err(code) => code,
    };
    process::note(code);
    Err(Instead::Answer(code))
}
