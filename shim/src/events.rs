//! Events: what is known of them, and what becomes of the calls around them.

use crate::call::{Call, Instead};
use crate::driver::address::may_be_object;
use crate::driver::contexts;
use crate::driver::types::code::{INVALID_HANDLE, NOT_READY};
use crate::driver::types::{CUevent, CUresult, CUstream, In, Out};
use crate::map::Map;
use crate::misuse::Misuse;
use crate::process::{self, Mode};
use crate::tracked::{Ended, FOREIGN, NO_DEVICE, TrackedEvent};
use crate::{leaks, streams};
use cuda_abi::{EVENT_INTERPROCESS, EventUse, GraphNodeParams, LaunchAttributeValue, LaunchConfig};
use gevt_core::native_events::{Known, NativeEvent, Seen};
use gevt_trace::driver_calls::completed;

/// After so many records of an event, one query asks the driver whether it agrees.
const SAMPLE: u64 = 64;
/// A flag of a record: in a capture it becomes a node, which records the event whenever the graph runs.
const EXTERNAL: u32 = 1;

static EVENTS: Map<TrackedEvent> = Map::new();

/// Returns what is known of a live event, and how it stands; nothing for NULL and for one that is the driver's to judge.
#[inline]
fn find(call: Call, event: CUevent) -> Result<Option<(&'static TrackedEvent, Seen)>, Misuse> {
    let address = event.address();
    match EVENTS.find(address) {
        Some((tracked, seen)) if seen.is_live() => Ok(Some((tracked, seen))),
        None if address == 0 => {
            call.warn(Misuse::NullEvent);
            Ok(None)
        }
        known => refuse(address, call.mode, known.map(|(tracked, _)| tracked)).map(|()| None),
    }
}

/// Judges an event that was destroyed, or whose making was not seen. No question to the driver settles whether a destroyed one lives
/// again, so it is refused only while nothing shows that events are made out of sight.
#[cold]
fn refuse(address: usize, mode: Mode, destroyed: Option<&TrackedEvent>) -> Result<(), Misuse> {
    match destroyed {
        None if !may_be_object(address) => Err(Misuse::NotAnEvent(address)),
        None if mode.is_strict() => Err(Misuse::UnknownEvent(address)),
        None => Ok(()),
        Some(_) if mode.is_strict() => Err(Misuse::DestroyedEvent(address)),
        Some(tracked) if mode.trusts_no_memory() || tracked.has(FOREIGN) => Ok(()),
        Some(_) if process::has_foreign() => {
            process::distrust("a destroyed event was used, and events are made out of sight of the drop-in");
            Ok(())
        }
        Some(_) => Err(Misuse::DestroyedEvent(address)),
    }
}

/// The driver has accepted an event that is not known to live. It is kept, and the driver is asked about it every time.
#[cold]
fn note_foreign(event: CUevent) {
    if event.address() != 0 {
        process::saw_foreign();
        EVENTS.revive(event.address(), |tracked, seen| {
            tracked.revive(seen, FOREIGN, NO_DEVICE, NativeEvent::revive_shared)
        });
    }
}

/// Returns whether the driver has said that the event is complete. This is the fast path; false says nothing.
///
/// The first query of an event that was never recorded asks the driver, too: it may have been recorded out of sight.
#[inline]
pub(crate) fn is_known_complete(event: CUevent) -> bool {
    process::answers_at_once() && EVENTS.find_at_once(event.address()).is_some_and(Seen::is_complete)
}

/// A call that makes an event.
#[inline(always)]
pub(crate) fn create(call: Call, out: Out<CUevent>, flags: u32) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    Ok(move |code| {
        note_made(call, out.written(code), flags, NativeEvent::revive);
        code
    })
}

/// A call that makes an event that others record, too.
pub(crate) fn create_shared(
    call: Call,
    out: Out<CUevent>,
    flags: u32,
) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    Ok(move |code| {
        note_made(call, out.written(code), flags, NativeEvent::revive_shared);
        code
    })
}

#[inline]
fn note_made(call: Call, event: Option<CUevent>, flags: u32, revive: impl Fn(&NativeEvent, Seen) -> bool) {
    let Some(event) = event else { return };
    let device = if flags & EVENT_INTERPROCESS == 0 { None } else { contexts::current_device() }.unwrap_or(NO_DEVICE);
    EVENTS.revive(event.address(), |tracked, seen| tracked.revive(seen, flags, device, &revive));
    if call.mode.keeps_leaks() {
        leaks::made(event.address(), call.function);
    }
}

/// A call that opens an event of another process, maybe one that is open here already.
pub(crate) fn open(call: Call, out: Out<CUevent>) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    Ok(move |code| {
        if let Some(event) = out.written(code) {
            let device = contexts::current_device().unwrap_or(NO_DEVICE);
            EVENTS.revive(event.address(), |tracked, seen| tracked.open(seen, device));
            if call.mode.keeps_leaks() {
                leaks::made(event.address(), call.function);
            }
        }
        code
    })
}

/// A query.
#[inline(always)]
pub(crate) fn query(call: Call, event: CUevent) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    let found = find(call, event)?;
    if found.is_some_and(|(_, seen)| seen.is_complete())
        && !call.mode.asks()
        && !(call.mode.samples() && process::takes_turn())
    {
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
    call.about(Some(event), None);
    Ok(move |code| {
        note_answer(call, event, found, code);
        code
    })
}

/// The driver has answered a query or a wait.
#[inline]
fn note_answer(call: Call, event: CUevent, found: Option<(&'static TrackedEvent, Seen)>, code: CUresult) {
    let Some((tracked, seen)) = found else {
        if matches!(code, 0 | NOT_READY) {
            note_foreign(event);
        }
        return;
    };
    match code {
        0 => {
            let is_new = tracked.known.remember(seen);
            if is_new && call.mode.traces() {
                completed(event.address());
            }
        }
        NOT_READY => note_pending(tracked, seen),
        _ => {}
    }
}

/// The driver says that the event is pending. If it was known to be complete, and still is, it was recorded out of sight.
#[inline]
fn note_pending(tracked: &TrackedEvent, seen: Seen) {
    if matches!(seen.known(), Known::Done) && tracked.known.seen() == seen {
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
    call.records(event, Some(stream));
    Ok(record)
}

/// A record of the event where the driver alone knows.
#[inline(always)]
pub(crate) fn record_anywhere(
    call: Call,
    event: CUevent,
    flags: u32,
) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    call.records(event, None);
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
    let ended = match found {
        None => Ended::Nothing,
        Some((tracked, seen)) => tracked.end(seen).ok_or(Misuse::DestroyedEvent(address))?,
    };
    let is_last = matches!(ended, Ended::Event(_));
    let origin = if is_last && call.mode.keeps_leaks() { leaks::take(address) } else { None };
    Ok(move |code| {
        if let Some((tracked, _)) = found.filter(|_| code != 0) {
            match ended {
                Ended::Nothing => {}
                Ended::Open => tracked.reopen(),
                Ended::Event(killed) => tracked.known.unkill(killed),
            }
            origin.inspect(|origin| leaks::put_back(address, *origin));
        }
        code
    })
}

/// A call that reads the event, such as a graph's node that waits for it.
#[inline(always)]
pub(crate) fn read(call: Call, event: CUevent) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    find(call, event)?;
    call.about(Some(event), None);
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
    call.about(Some(event), Some(stream));
    Ok(move |code| {
        if code == 0 && found.is_none() {
            note_foreign(event);
        }
        code
    })
}

/// A call after which others record the event, such as a graph. They may do so before the driver returns.
pub(crate) fn share(call: Call, event: CUevent) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    use_all(call, [EventUse::Records(event)])
}

/// A call that makes a node of a graph with these parameters, or gives them to one.
pub(crate) fn set_node(
    call: Call,
    parameters: In<GraphNodeParams>,
) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    use_all(call, [parameters.event_use()])
}

/// A call that gives an attribute to a kernel's node.
pub(crate) fn set_attribute(
    call: Call,
    id: u32,
    value: In<LaunchAttributeValue>,
) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    use_all(call, [value.event_use(id)])
}

/// A launch of a kernel with attributes.
pub(crate) fn launch(call: Call, config: In<LaunchConfig>) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    use_all(call, config.event_uses())
}

#[inline(always)]
fn use_all(call: Call, uses: impl IntoIterator<Item = EventUse>) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
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
    Ok(move |code| {
        // Where both have a time, both were recorded.
        if code != 0 || !both.iter().all(|found| found.is_some_and(|(_, seen)| !seen.is_unrecorded())) {
            note_odd_time(call, both, [start, end], code);
        }
        code
    })
}

/// The driver has refused a call for a time, or has given one of an event that is not known to be recorded.
#[cold]
fn note_odd_time(call: Call, both: [Option<(&'static TrackedEvent, Seen)>; 2], events: [CUevent; 2], code: CUresult) {
    if code == 0 {
        both.into_iter().zip(events).filter(|(found, _)| found.is_none()).for_each(|(_, event)| note_foreign(event));
    }
    let mut known = both.into_iter().flatten();
    match code {
        0 if known.any(|(tracked, seen)| seen.is_unrecorded() && tracked.known.seen() == seen) => {
            process::distrust("an event was recorded out of sight of the drop-in");
        }
        // One of the two is pending.
        NOT_READY if both.iter().all(|found| found.is_some_and(|(_, seen)| matches!(seen.known(), Known::Done))) => {
            known.for_each(|(tracked, seen)| note_pending(tracked, seen));
        }
        INVALID_HANDLE if call.mode.warns() => {
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
