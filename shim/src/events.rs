//! Events: what is known of them, and what becomes of the calls around them.

use crate::call::{Call, Instead};
use crate::driver::address::may_be_object;
use crate::driver::parameters::{CUgraphNodeParams, CUlaunchAttributeValue, CUlaunchConfig, EventNode};
use crate::driver::types::{CUevent, CUresult, CUstream, In, Out};
use crate::map::Map;
use crate::misuse::Misuse;
use crate::process::{self, Mode};
use crate::{leaks, streams};
use gevt_core::native_events::{Killed, Known, NativeEvent};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// A flag of an event's making.
const DISABLE_TIMING: u32 = 2;
/// The flags of an event that was opened: it has no timing and is another process's.
const OPENED: u32 = 6;
/// A flag of a record: in a capture it becomes a node, which records the event whenever the graph runs.
const EXTERNAL: u32 = 1;
const INVALID_HANDLE: CUresult = 400;

/// What is known of the events at one address. Each stands in cache lines of its own, as threads write to those that they
/// record.
#[repr(align(64))]
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

/// Returns what is known of a live event; nothing for NULL and for one that is the driver's to judge.
#[inline]
fn find(call: Call, event: CUevent) -> Result<Option<&'static TrackedEvent>, Misuse> {
    let address = event.address();
    match EVENTS.find(address) {
        Some(tracked) if tracked.known.is_live() => Ok(Some(tracked)),
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

/// Returns whether it is known that a query of the event succeeds: it is complete, or was never recorded. This is the fast
/// path; false says nothing.
#[inline]
pub(crate) fn is_known_complete(event: CUevent) -> bool {
    process::answers_at_once() && EVENTS.find(event.address()).is_some_and(|tracked| tracked.known.is_settled())
}

/// A call that makes an event.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all actions")]
#[inline(always)]
pub(crate) fn create(call: Call, out: Out<CUevent>, flags: u32) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    Ok(move |code| {
        if let Some(tracked) = note_made(call, out.written(code), flags) {
            tracked.opens.store(0, Ordering::Relaxed);
            tracked.known.revive();
        }
        code
    })
}

/// A call that makes an event that others record, too.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all actions")]
pub(crate) fn create_shared(
    call: Call,
    out: Out<CUevent>,
    flags: u32,
) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    Ok(move |code| {
        if let Some(tracked) = note_made(call, out.written(code), flags) {
            tracked.opens.store(0, Ordering::Relaxed);
            tracked.known.revive_shared();
        }
        code
    })
}

/// A call that opens an event of another process, maybe one that is open here already.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all actions")]
pub(crate) fn open(call: Call, out: Out<CUevent>) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    Ok(move |code| {
        if let Some(tracked) = note_made(call, out.written(code), OPENED) {
            tracked.open();
        }
        code
    })
}

fn note_made(call: Call, event: Option<CUevent>, flags: u32) -> Option<&'static TrackedEvent> {
    let address = event?.address();
    let tracked = EVENTS.find_or_insert(address, TrackedEvent::new)?;
    if call.mode.keeps_leaks() {
        leaks::made(address, call.function);
    }
    tracked.flags.store(flags, Ordering::Relaxed);
    Some(tracked)
}

/// A query, or a wait of the calling thread.
#[inline(always)]
pub(crate) fn query(call: Call, event: CUevent) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    let asked = match find(call, event)? {
        None => None,
        Some(tracked) => match tracked.known.look() {
            Known::Dead => return Err(Misuse::DestroyedEvent(event.address()).into()),
            Known::Done if !call.mode.asks() => return Err(Instead::Answer(0)),
            Known::Done => None,
            Known::Ask(seen) => Some((tracked, seen)),
        },
    };
    Ok(move |code| {
        if let Some((tracked, seen)) = asked.filter(|_| code == 0) {
            tracked.known.remember(seen);
        }
        code
    })
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
    record_anywhere(call, event, flags)
}

/// A record of the event where the driver alone knows.
#[inline(always)]
pub(crate) fn record_anywhere(
    call: Call,
    event: CUevent,
    flags: u32,
) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    let begun = match find(call, event)? {
        None => None,
        Some(tracked) => {
            let record = tracked.known.begin().ok_or(Misuse::DestroyedEvent(event.address()))?;
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
    let tracked = find(call, event)?;
    let ended = match tracked {
        None => Ended::Nothing,
        Some(tracked) => tracked.end().ok_or(Misuse::DestroyedEvent(address))?,
    };
    let is_last = matches!(ended, Ended::Event(_));
    let origin = if is_last && call.mode.keeps_leaks() { leaks::take(address) } else { None };
    Ok(move |code| {
        if let Some(tracked) = tracked.filter(|_| code != 0) {
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
    Ok(|code| code)
}

/// A stream's wait for the event.
#[inline(always)]
pub(crate) fn wait(call: Call, stream: CUstream, event: CUevent) -> Result<impl FnOnce(CUresult) -> CUresult, Instead> {
    streams::check(stream, call.mode)?;
    read(call, event)
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
        if find(call, event)?.is_some_and(|tracked| !tracked.known.ask_always()) {
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
        if code == INVALID_HANDLE && call.mode.warns() {
            let misuse = both.into_iter().zip([start, end]).find_map(|(it, event)| it?.has_no_time(event.address()));
            misuse.inspect(|misuse| call.warn(*misuse));
        }
        code
    })
}

/// Forgets what is known of all events, such as when a context has ended.
pub(crate) fn forget_all() {
    EVENTS.each(|_, tracked| tracked.known.forget());
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
    fn new() -> TrackedEvent {
        TrackedEvent { known: NativeEvent::new(), flags: AtomicU32::new(0), opens: AtomicU32::new(0) }
    }

    /// One destroy more to come: of a new event, or of the one that is open already.
    fn open(&self) {
        let _lock = OPENS.lock();
        let before = if self.known.is_live() { self.opens.load(Ordering::Relaxed) } else { 0 };
        self.opens.store(before.saturating_add(1), Ordering::Relaxed);
        if before == 0 {
            self.known.revive_shared();
        }
    }

    /// One destroy less to come; returns `None` if the event does not live.
    fn end(&self) -> Option<Ended> {
        if self.opens.load(Ordering::Relaxed) == 0 {
            return self.known.kill().map(Ended::Event);
        }
        let _lock = OPENS.lock();
        let opens = self.opens.load(Ordering::Relaxed);
        if opens > 1 && self.known.is_live() {
            self.opens.store(opens - 1, Ordering::Relaxed);
            return Some(Ended::Open);
        }
        self.known.kill().map(Ended::Event)
    }

    /// The driver has refused a destroy that was not the last one.
    fn reopen(&self) {
        let _lock = OPENS.lock();
        self.opens.store(self.opens.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
    }

    fn has_no_time(&self, address: usize) -> Option<Misuse> {
        if self.flags.load(Ordering::Relaxed) & DISABLE_TIMING != 0 {
            return Some(Misuse::NoTiming(address));
        }
        self.known.is_unrecorded().then_some(Misuse::NeverRecorded(address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever has opened an event finds it alive until it destroys it, whatever others open and destroy at the address.
    #[test]
    fn an_event_lives_while_one_of_those_who_opened_it_has_it() {
        let event = TrackedEvent::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20_000 {
                        event.open();
                        assert!(
                            event.known.is_live() && event.known.begin().map(|it| event.known.end(it, false)).is_some()
                        );
                        assert!(event.end().is_some());
                    }
                });
            }
        });
        assert!(!event.known.is_live() && event.end().is_none());
    }

    #[test]
    fn a_destroy_that_is_refused_is_still_to_come() {
        let event = TrackedEvent::new();
        event.open();
        event.open();
        assert!(event.end().is_some_and(|ended| matches!(ended, Ended::Open)));
        event.reopen();
        assert!(event.end().is_some_and(|ended| matches!(ended, Ended::Open)));
        let Some(Ended::Event(killed)) = event.end() else { panic!("it is the last one") };
        event.known.unkill(killed);
        assert!(matches!(event.end(), Some(Ended::Event(_))) && event.end().is_none());
    }
}
