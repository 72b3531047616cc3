//! Events: what is known of them, and what becomes of the calls around them.

use crate::call::{Call, Instead};
use crate::driver::address::may_be_object;
use crate::driver::parameters::{CUgraphNodeParams, CUlaunchAttributeValue, CUlaunchConfig, EventNode};
use crate::driver::types::{CUevent, CUresult, CUstream, In, Out};
use crate::map::{Map, Value};
use crate::misuse::Misuse;
use crate::process::{self, Mode};
use crate::{interprocess, leaks, streams};
use gevt_core::driver_calls::completed;
use gevt_core::native_events::{Killed, Known, NativeEvent, Seen};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// A flag of an event's making.
const DISABLE_TIMING: u32 = 2;
/// After so many records of an event, one query asks the driver whether it agrees.
const SAMPLE: u64 = 64;
/// A flag of an event's making: other processes may have it, too.
const INTERPROCESS: u32 = 4;
/// The flags of an event that was opened: it has no timing and is another process's.
const OPENED: u32 = DISABLE_TIMING | INTERPROCESS;
/// A flag of a record: in a capture it becomes a node, which records the event whenever the graph runs.
const EXTERNAL: u32 = 1;
const INVALID_HANDLE: CUresult = 400;
const NOT_READY: CUresult = 600;

/// What is known of the events at one address.
struct TrackedEvent {
    known: NativeEvent,
    /// How the present event was made.
    flags: AtomicU32,
    /// How often the present event was opened, and how many destroys it takes: a driver may give one pointer for all
    /// opens of another process's event. 0 for an event that was not opened. Changed under [`OPENS`].
    opens: AtomicU32,
}

/// Held by a thread that opens an event, or destroys one that was opened: the count and the event's life change together.
static OPENS: Mutex<()> = Mutex::new(());

static EVENTS: Map<TrackedEvent> = Map::new();

impl Value for TrackedEvent {
    type Seen = Seen;

    fn new() -> TrackedEvent {
        TrackedEvent { known: NativeEvent::new(), flags: AtomicU32::new(0), opens: AtomicU32::new(0) }
    }

    #[inline]
    fn seen(&self) -> Seen {
        self.known.seen()
    }

    fn is_live(seen: Seen) -> bool {
        seen.is_live()
    }

    fn is_free(seen: Seen) -> bool {
        seen.is_free()
    }

    fn free(&self) -> bool {
        self.known.free()
    }
}

/// Returns what is known of a live event, and how it stands; nothing for NULL and for one that is the driver's to judge.
#[inline]
fn find(call: Call, event: CUevent) -> Result<Option<(&'static TrackedEvent, Seen)>, Misuse> {
    let address = event.address();
    match EVENTS.find(address) {
        Some((tracked, seen)) if seen.is_live() => Ok(Some((tracked, seen))),
        // Its pointer may have been issued again out of sight.
        Some(_) if call.mode.trusts_no_memory() => Ok(None),
        Some(_) => Err(Misuse::DestroyedEvent(address)),
        None if address == 0 => {
            call.warn(Misuse::NullEvent);
            Ok(None)
        }
        None => refuse(address, call.mode).map(|()| None),
    }
}

#[cold]
fn refuse(address: usize, mode: Mode) -> Result<(), Misuse> {
    match () {
        () if !may_be_object(address) => Err(Misuse::NotAnEvent(address)),
        () if mode.is_strict() => Err(Misuse::UnknownEvent(address)),
        () => Ok(()),
    }
}

/// Returns whether the driver has said that the event is complete, so that a query succeeds. This is the fast path; false says
/// nothing.
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
    if flags & INTERPROCESS != 0 {
        interprocess::made(event);
    }
    EVENTS.revive(event.address(), |tracked, seen| {
        let revived = revive(&tracked.known, seen);
        if revived {
            tracked.opens.store(0, Ordering::Relaxed);
            tracked.flags.store(flags, Ordering::Relaxed);
        }
        revived
    });
    if call.mode.keeps_leaks() {
        leaks::made(event.address(), call.function);
    }
}

/// A call that opens an event of another process, maybe one that is open here already.
pub(crate) fn open(call: Call, out: Out<CUevent>) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    Ok(move |code| {
        if let Some(event) = out.written(code) {
            interprocess::made(event);
            EVENTS.revive(event.address(), TrackedEvent::open);
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
    let Some((tracked, seen)) = found else { return };
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

/// The driver says that the event is pending. If it was known to be complete, and still is, somebody has recorded it out of
/// sight.
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
        if let Some((tracked, record)) = begun {
            tracked.known.end(record, code == 0 && flags & EXTERNAL != 0);
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

/// A stream's wait for the event.
#[inline(always)]
pub(crate) fn wait(
    call: Call,
    stream: CUstream,
    event: CUevent,
    flags: u32,
) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    streams::check(stream, call.mode)?;
    if let Some((tracked, _)) = find(call, event)?
        && tracked.flags.load(Ordering::Relaxed) & INTERPROCESS != 0
    {
        interprocess::wait(call, stream, event, flags)?;
    }
    call.about(Some(event), Some(stream));
    Ok(|code| code)
}

/// A call after which others record the event, such as a graph. They may do so before the driver returns.
pub(crate) fn share(call: Call, event: CUevent) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    share_all(call, std::iter::once(event))
}

/// A call that makes a node of a graph with these parameters, or gives them to one.
pub(crate) fn set_node(
    call: Call,
    parameters: In<CUgraphNodeParams>,
) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    let node = parameters.event_node();
    if let EventNode::Waits(event) = node {
        find(call, event)?;
    }
    share_all(call, if let EventNode::Records(event) = node { Some(event) } else { None })
}

/// A call that gives an attribute to a kernel's node.
pub(crate) fn set_attribute(
    call: Call,
    id: u32,
    value: In<CUlaunchAttributeValue>,
) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    share_all(call, value.event(id))
}

/// A launch of a kernel with attributes.
pub(crate) fn launch(call: Call, config: In<CUlaunchConfig>) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    share_all(call, config.events())
}

#[inline(always)]
fn share_all(
    call: Call,
    events: impl IntoIterator<Item = CUevent>,
) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    for event in events {
        if find(call, event)?.is_some_and(|(tracked, seen)| !tracked.known.ask_always(seen)) {
            return Err(Misuse::DestroyedEvent(event.address()).into());
        }
    }
    Ok(|code| code)
}

/// A call for the time between two events.
#[inline(always)]
pub(crate) fn elapsed(call: Call, start: CUevent, end: CUevent) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    let both = [find(call, start)?, find(call, end)?];
    Ok(move |code| {
        note_elapsed(call, both, [start, end], code);
        code
    })
}

/// The driver has answered a call for a time.
#[inline]
fn note_elapsed(call: Call, both: [Option<(&'static TrackedEvent, Seen)>; 2], events: [CUevent; 2], code: CUresult) {
    let [start, end] = both;
    match (code, start, end) {
        // Both have a time, so both were recorded.
        (0, Some((_, start)), Some((_, end))) if !start.is_unrecorded() && !end.is_unrecorded() => {}
        _ => note_odd_time(call, both, events, code),
    }
}

#[cold]
fn note_odd_time(call: Call, both: [Option<(&'static TrackedEvent, Seen)>; 2], events: [CUevent; 2], code: CUresult) {
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

/// What a destroy ends.
enum Ended {
    /// The driver alone knows of the event.
    Nothing,
    /// One of several opens of an event.
    Open,
    Event(Killed),
}

impl TrackedEvent {
    /// One destroy more to come: of a new event, or of the one that is open already. Returns false if the event is not as it was
    /// seen.
    fn open(&self, seen: Seen) -> bool {
        let _lock = OPENS.lock();
        let before = if seen.is_live() { self.opens.load(Ordering::Relaxed) } else { 0 };
        let is_as_seen = if before == 0 { self.known.revive_shared(seen) } else { self.known.seen() == seen };
        if is_as_seen {
            self.opens.store(before.saturating_add(1), Ordering::Relaxed);
            self.flags.store(OPENED, Ordering::Relaxed);
        }
        is_as_seen
    }

    /// One destroy less to come; returns `None` if the event that was seen does not live any more.
    fn end(&self, seen: Seen) -> Option<Ended> {
        if self.opens.load(Ordering::Relaxed) == 0 {
            return self.known.kill(seen).map(Ended::Event);
        }
        let _lock = OPENS.lock();
        let opens = self.opens.load(Ordering::Relaxed);
        if opens > 1 && self.known.seen().is_live() {
            self.opens.store(opens - 1, Ordering::Relaxed);
            return Some(Ended::Open);
        }
        self.known.kill(seen).map(Ended::Event)
    }

    /// The driver has refused a destroy that was not the last one.
    fn reopen(&self) {
        let _lock = OPENS.lock();
        self.opens.store(self.opens.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
    }

    fn has_no_time(&self, seen: Seen, address: usize) -> Option<Misuse> {
        if self.flags.load(Ordering::Relaxed) & DISABLE_TIMING != 0 {
            return Some(Misuse::NoTiming(address));
        }
        seen.is_unrecorded().then_some(Misuse::NeverRecorded(address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(event: &TrackedEvent) {
        while !event.open(event.seen()) {
            std::hint::spin_loop();
        }
    }

    /// Whoever has opened an event finds it alive until it destroys it, whatever others open and destroy at the address.
    #[test]
    fn an_event_lives_while_one_of_those_who_opened_it_has_it() {
        let event = TrackedEvent::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20_000 {
                        open(&event);
                        let record = event.known.begin(event.seen());
                        assert!(event.seen().is_live() && record.map(|it| event.known.end(it, false)).is_some());
                        assert!(event.end(event.seen()).is_some());
                    }
                });
            }
        });
        assert!(!event.seen().is_live() && event.end(event.seen()).is_none());
    }

    #[test]
    fn a_destroy_that_is_refused_is_still_to_come() {
        let event = TrackedEvent::new();
        open(&event);
        open(&event);
        assert!(matches!(event.end(event.seen()), Some(Ended::Open)));
        event.reopen();
        assert!(matches!(event.end(event.seen()), Some(Ended::Open)));
        let Some(Ended::Event(killed)) = event.end(event.seen()) else { panic!("it is the last one") };
        event.known.unkill(killed);
        assert!(matches!(event.end(event.seen()), Some(Ended::Event(_))) && event.end(event.seen()).is_none());
    }
}
