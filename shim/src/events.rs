//! Events: what is known of them, and what becomes of the calls around them.

use crate::call::{Call, Instead};
use crate::driver::contexts;
use crate::driver::types::code::{INVALID_HANDLE, NOT_READY};
use crate::driver::types::{CUevent, CUresult, CUstream, Out};
use crate::map::Map;
use crate::misuse::Misuse;
use crate::process;
use crate::settings::{LEAKS, TRACE, WARN};
use crate::tracked::{FOREIGN, NO_DEVICE, Tracked, judge};
use crate::{leaks, streams};
use cuda_abi::{EVENT_INTERPROCESS, EventUse};
use gevt_core::native_events::Seen;
use gevt_trace::driver_calls::completed;

/// After so many records of an event, one query asks the driver whether it agrees.
const SAMPLE: u64 = 64;
/// A flag of a record: in a capture it becomes a node, which records the event whenever the graph runs.
const EXTERNAL: u32 = 1;

static EVENTS: Map = Map::new();

/// What is known of a live event, and how it stood when the call looked; nothing if it is the driver's to judge.
type Found = Option<(&'static Tracked, Seen)>;

/// Finds a live event.
#[inline(always)]
fn find(call: Call, event: CUevent) -> Result<Found, Misuse> {
    let found = look(event);
    if found.is_some() { Ok(found) } else { find_again(call, event) }
}

/// As [`find`], and finds nothing if that needs more than a look.
#[inline(always)]
fn look(event: CUevent) -> Found {
    EVENTS.find_at_once(event.address()).filter(|(_, seen)| seen.is_live())
}

#[cold]
#[inline(never)]
fn find_again(call: Call, event: CUevent) -> Result<Found, Misuse> {
    let at = event.address();
    match EVENTS.find(at) {
        Some((tracked, seen)) if seen.is_live() => Ok(Some((tracked, seen))),
        None if at == 0 => {
            call.warn(Misuse::NullEvent);
            Ok(None)
        }
        known => {
            let which = [Misuse::DestroyedEvent(at), Misuse::NotAnEvent(at), Misuse::UnknownEvent(at)];
            judge(at, call.mode, known.map(|(tracked, _)| tracked), which).map(|()| None)
        }
    }
}

/// The driver has accepted an event that is not known to live. It is kept, and the driver is asked about it every time.
#[cold]
fn note_foreign(event: CUevent) {
    if event.address() != 0 {
        process::saw_foreign();
        EVENTS.revive(event.address(), |tracked, seen| tracked.revive(seen, FOREIGN, NO_DEVICE, true));
    }
}

/// Begins a query: looks for the event if the answer may come from memory. This is the fast path; nothing found says nothing.
#[inline(always)]
pub(crate) fn look_first(event: CUevent) -> Found {
    if process::answers_at_once() { look(event) } else { None }
}

/// Returns whether the driver has said that the event is complete.
///
/// The first query of an event that was never recorded asks the driver, too: it may have been recorded out of sight.
#[inline(always)]
pub(crate) fn is_known_complete(found: Found) -> bool {
    found.is_some_and(|(_, seen)| seen.is_complete())
}

/// A call that makes an event, which others may record too if it is shared.
#[inline(always)]
pub(crate) fn create(
    call: Call,
    out: Out<CUevent>,
    flags: u32,
    is_shared: bool,
) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    Ok(move |code| {
        note_made(call, out.written(code), flags, is_shared);
        code
    })
}

#[inline]
fn note_made(call: Call, event: Option<CUevent>, flags: u32, is_shared: bool) {
    let Some(event) = event else { return };
    let device = if flags & EVENT_INTERPROCESS == 0 { None } else { contexts::current_device() }.unwrap_or(NO_DEVICE);
    EVENTS.revive(event.address(), |tracked, seen| tracked.revive(seen, flags, device, is_shared));
    if call.mode.has(LEAKS) {
        leaks::made(event.address(), call.function);
    }
}

/// A call that opens an event of another process, maybe one that is open here already.
pub(crate) fn open(call: Call, out: Out<CUevent>) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    Ok(move |code| {
        if let Some(event) = out.written(code) {
            let device = contexts::current_device().unwrap_or(NO_DEVICE);
            EVENTS.revive(event.address(), |tracked, seen| tracked.open(seen, device));
            if call.mode.has(LEAKS) {
                leaks::made(event.address(), call.function);
            }
        }
        code
    })
}

/// A query that [`look_first`] has begun.
#[inline(always)]
pub(crate) fn query(call: Call, event: CUevent, looked: Found) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    let found = if looked.is_some() { looked } else { find(call, event)? };
    if is_known_complete(found) && !call.mode.asks() && !(call.mode.samples() && process::takes_turn()) {
        return Err(Instead::Answer(0));
    }
    Ok(move |code| {
        note_answer(call, event, found, code);
        code
    })
}

/// A wait of the calling thread. The driver sees each one, as it then prints what kernels have printed, which a query does
/// not make it do.
#[inline(always)]
pub(crate) fn synchronize(call: Call, event: CUevent) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    let found = find(call, event)?;
    call.about(Some(event), None, false);
    Ok(move |code| {
        note_answer(call, event, found, code);
        code
    })
}

/// The driver has answered a query or a wait.
#[inline]
fn note_answer(call: Call, event: CUevent, found: Found, code: CUresult) {
    let Some((tracked, seen)) = found else {
        if matches!(code, 0 | NOT_READY) {
            note_foreign(event);
        }
        return;
    };
    match code {
        // Nothing is new, and the entry's cache line stays as it is.
        0 if seen.is_complete() => {}
        0 => {
            let is_new = tracked.known.remember(seen);
            if is_new && call.mode.has(TRACE) {
                completed(event.address());
            }
        }
        NOT_READY => note_pending(tracked, seen),
        _ => {}
    }
}

/// The driver says that the event is pending. If it was known to be complete, and still is, it was recorded out of sight.
#[inline]
fn note_pending(tracked: &Tracked, seen: Seen) {
    if seen.is_done() && tracked.known.seen() == seen {
        process::distrust("an event was recorded out of sight of the drop-in");
    }
}

/// A record of the event on a stream.
#[inline(always)]
pub(crate) fn record(
    call: Call,
    event: CUevent,
    stream: CUstream,
    flags: u32,
) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    streams::check(stream, call.mode)?;
    let record = record_anywhere(call, event, flags)?;
    call.about(Some(event), Some(stream), true);
    Ok(record)
}

/// A record of the event where the driver alone knows.
#[inline(always)]
pub(crate) fn record_anywhere(
    call: Call,
    event: CUevent,
    flags: u32,
) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    call.about(Some(event), None, true);
    let begun = match find(call, event)? {
        None => None,
        Some((tracked, seen)) => {
            let record = tracked.known.begin(seen).ok_or(Misuse::DestroyedEvent(event.address()))?;
            if seen.records() % SAMPLE == SAMPLE - 1 {
                process::ask_once();
            }
            Some((tracked, record))
        }
    };
    Ok(move |code| {
        match begun {
            Some((tracked, record)) => tracked.known.end(record, code == 0 && flags & EXTERNAL != 0),
            None if code == 0 => note_foreign(event),
            None => {}
        }
        code
    })
}

/// A destroy. The event counts as destroyed before the driver is called: then its pointer may be issued again at once.
#[inline(always)]
pub(crate) fn destroy(call: Call, event: CUevent) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    let address = event.address();
    let found = find(call, event)?;
    let killed = match found {
        None => None,
        Some((tracked, seen)) => tracked.end(seen).ok_or(Misuse::DestroyedEvent(address))?.map(|dead| (tracked, dead)),
    };
    let origin = if killed.is_some() && call.mode.has(LEAKS) { leaks::take(address) } else { None };
    Ok(move |code| {
        if let Some((tracked, dead)) = killed.filter(|_| code != 0) {
            tracked.known.unkill(dead);
            origin.inspect(|origin| leaks::put_back(address, *origin));
        }
        code
    })
}

/// A call that reads the event, such as a graph's node that waits for it.
#[inline(always)]
pub(crate) fn read(call: Call, event: CUevent) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    find(call, event)?;
    call.about(Some(event), None, false);
    Ok(|code| code)
}

/// A stream's wait for the event. The driver crashes where a stream waits for an interprocess event of another device.
#[inline(always)]
pub(crate) fn wait(call: Call, stream: CUstream, event: CUevent) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    streams::check(stream, call.mode)?;
    let found = find(call, event)?;
    if found.is_some_and(|(tracked, _)| tracked.has(EVENT_INTERPROCESS) && tracked.is_of_another_device(stream)) {
        return Err(Misuse::OtherDevice(event.address()).into());
    }
    call.about(Some(event), Some(stream), false);
    Ok(move |code| {
        if code == 0 && found.is_none() {
            note_foreign(event);
        }
        code
    })
}

/// A call after which others use events, such as a graph. They may do so before the driver returns.
#[inline(always)]
pub(crate) fn uses(
    call: Call,
    uses: impl IntoIterator<Item = EventUse>,
) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    for each in uses {
        match each {
            EventUse::Neither => {}
            EventUse::Waits(event) => drop(find(call, event)?),
            EventUse::Records(event) => {
                if find(call, event)?.is_some_and(|(tracked, seen)| !tracked.known.ask_always(seen)) {
                    return Err(Misuse::DestroyedEvent(event.address()).into());
                }
            }
            EventUse::Unknown => {
                process::distrust("a launch or a graph has an attribute or a node that is newer than the drop-in");
            }
        }
    }
    Ok(|code| code)
}

/// A call for the time between two events.
#[inline(always)]
pub(crate) fn elapsed(call: Call, start: CUevent, end: CUevent) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    let both = [find(call, start)?, find(call, end)?];
    // Where both have a time, both were recorded.
    let is_expected = both.iter().all(|found| found.is_some_and(|(_, seen)| !seen.is_unrecorded()));
    Ok(move |code| {
        if code != 0 || !is_expected {
            note_odd_time(call, both, [start, end], code);
        }
        code
    })
}

/// The driver has refused a call for a time, or has given one of an event that is not known to be recorded.
#[cold]
fn note_odd_time(call: Call, both: [Found; 2], events: [CUevent; 2], code: CUresult) {
    if code == 0 {
        both.into_iter().zip(events).filter(|(found, _)| found.is_none()).for_each(|(_, event)| note_foreign(event));
    }
    let mut known = both.into_iter().flatten();
    match code {
        0 if known.any(|(tracked, seen)| seen.is_unrecorded() && tracked.known.seen() == seen) => {
            process::distrust("an event was recorded out of sight of the drop-in");
        }
        // One of the two is pending.
        NOT_READY if both.iter().all(|found| found.is_some_and(|(_, seen)| seen.is_done())) => {
            known.for_each(|(tracked, seen)| note_pending(tracked, seen));
        }
        INVALID_HANDLE if call.mode.has(WARN) => {
            let misuse = both.into_iter().zip(events).find_map(|(found, event)| {
                let (tracked, seen) = found?;
                tracked.has_no_time(seen, event.address())
            });
            misuse.inspect(|misuse| call.warn(*misuse));
        }
        _ => {}
    }
}

/// Forgets what is known of all events, such as when a context has ended.
pub(crate) fn forget_all() {
    EVENTS.each(|tracked| tracked.known.forget());
}
